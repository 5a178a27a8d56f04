//! A conversation with a server that is kept open: listings, calls and changes.

mod call;

use std::time::Duration;

use sayso_core::json::Limits;
use sayso_core::listing::{Listing, Observation, ServerIdentity};
use tokio::time::Instant;

pub use self::call::{CallOutcome, ToolCall};
use crate::connection::{Closing, Connection};
use crate::error::{ReadError, ReadErrorKind};
use crate::http::HttpConnection;
use crate::options::{EraChoice, Progress, ReadOptions, deadline};
use crate::session::{Failure, Session, legacy, modern};
use crate::stdio::StdioConnection;
use crate::target::Target;

/// A conversation with one server.
///
/// One thing is asked at a time. Between two of its methods nothing is read: what the server
/// sends meanwhile waits in the pipe or the socket. No capability is declared, so that every
/// request of a server but `ping` is refused at once, also an elicitation.
///
/// Dropping a client ends the server; [`close`](Self::close) ends it in good order and tells
/// how it ended. Needs what [`read_listing`](crate::read_listing) needs of the runtime and the
/// thread.
#[derive(Debug)]
pub struct Client {
    session: Session<Connection>,
    /// The server in a few words, for errors.
    shown: String,
    begun: Instant,
}

/// How a conversation ended, and what was odd in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closed {
    /// What was odd on the wire, over the whole conversation.
    pub observations: Vec<Observation>,
    /// What a person should know besides.
    pub notes: Vec<String>,
    /// The last lines the server wrote to its standard error, oldest first, as they came.
    pub stderr_tail: Vec<String>,
    /// How the server's process ended by itself, in words that continue "the server …"; `None`
    /// where there is none, or it was ended by [`Client::close`].
    pub exit: Option<String>,
    /// How many answers came when nobody waited for them any more.
    pub late_answers: usize,
}

impl Client {
    /// Starts the server or reaches it, and agrees on a version: in the era that
    /// `options` ask for, within the time they give.
    ///
    /// # Errors
    /// When there is no server to speak with, or no version both know.
    pub async fn connect(target: Target, options: ReadOptions) -> Result<Self, ReadError> {
        Self::open(&target, &options).await
    }

    /// Who answered, with the version and the era that are spoken.
    #[must_use]
    pub fn server(&self) -> &ServerIdentity {
        self.session.server()
    }

    /// What a person should know of the conversation so far.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.session.notes()
    }

    /// Lists every page. What goes wrong behind the first one leaves a listing that is marked
    /// incomplete. What is odd on the wire is in [`Closed::observations`]; what is odd in the
    /// pages themselves is in the listing.
    ///
    /// # Errors
    /// When there is no listing at all. The conversation may go on all the same, unless the
    /// server has ended.
    pub async fn list(&mut self) -> Result<Listing, ReadError> {
        self.walk().await.map_err(|failure| {
            let exit = self.session.exit();
            ReadError {
                server: self.shown.clone(),
                kind: Box::new(kind(failure, exit)),
                stderr_tail: self.session.stderr_tail(),
            }
        })
    }

    /// Calls a tool once, and never again by itself.
    ///
    /// A call that times out leaves the conversation open, and so does dropping the future: an
    /// answer that still comes is known for what it is and dropped.
    ///
    /// Behind a URL in the modern era, arguments that a tool declares with `x-mcp-header` are
    /// sent as headers too, as the last [`list`](Self::list) had them.
    pub async fn call(&mut self, call: ToolCall<'_>) -> CallOutcome {
        let ToolCall {
            name,
            arguments,
            timeout,
            cancel,
        } = call;
        let answer = self.session.call(name, arguments, timeout, cancel).await;
        CallOutcome::of(answer, self.session.exit())
    }

    /// Whether the server told that its list changed (`notifications/tools/list_changed`) since
    /// this was last asked; if not yet, waits for that up to `timeout`, and 50 ms at least.
    ///
    /// What is heard depends on the server. A legacy one with a process tells at any time. A
    /// legacy one behind a URL tells on the stream that a GET opens, a modern one only to whoever
    /// subscribed (`subscriptions/listen`): both are opened when this is first asked, which may
    /// take 5 s more, and again when it finds them ended. A change before that, or
    /// between an end and the next asking, is not heard; ask once with no time
    /// before what is to be heard. Where a server has no such stream, only what it sends beside
    /// an answer is heard, and [`notes`](Self::notes) say so; this returns at once then.
    pub async fn list_changed(&mut self, timeout: Duration) -> bool {
        self.session.list_changed(timeout).await
    }

    /// Ends the conversation, and the server if it was started for it.
    pub async fn close(self) -> Closed {
        self.session.tell(Progress::Closing);
        let (notes, closing) = self.session.close().await;
        closed(notes, closing)
    }

    /// As [`connect`](Self::connect), in the other era where a server refuses the handshake as
    /// one of the modern era does.
    pub(crate) async fn open(target: &Target, options: &ReadOptions) -> Result<Self, ReadError> {
        let refused = match options.era {
            EraChoice::Modern => {
                let opened = Self::shake_hands(target, options, true).await;
                return opened.map_err(|refusal| refusal.error);
            }
            EraChoice::Auto | EraChoice::Legacy => {
                match Self::shake_hands(target, options, false).await {
                    Ok(client) => return Ok(client),
                    Err(refusal) if refusal.perhaps_modern => refusal.error,
                    Err(refusal) => return Err(refusal.error),
                }
            }
        };
        // In a process of its own: what a server makes of a refused handshake is anybody's guess.
        match Self::shake_hands(target, options, true).await {
            Ok(client) => Ok(client),
            // It spoke neither; the first refusal says more.
            Err(Refusal { error, .. })
                if matches!(*error.kind, ReadErrorKind::NotModern { .. }) =>
            {
                Err(refused)
            }
            Err(refusal) => Err(refusal.error),
        }
    }

    async fn shake_hands(
        target: &Target,
        options: &ReadOptions,
        is_modern: bool,
    ) -> Result<Self, Refusal> {
        let begun = Instant::now();
        options.tell(Progress::Starting);
        let shown = target.shown();
        let connection = match connection(target, options) {
            Ok(connection) => connection,
            Err(kind) => {
                let error = ReadError {
                    server: shown,
                    kind: Box::new(kind),
                    stderr_tail: Vec::new(),
                };
                return Err(Refusal {
                    error,
                    perhaps_modern: false,
                });
            }
        };
        let start = deadline(begun, options.start_timeout_for(target));
        let mut session = Session::new(connection, options, start);
        let agreed = if is_modern {
            modern(&mut session).await
        } else {
            legacy(&mut session).await
        };
        let client = Self {
            session,
            shown,
            begun,
        };
        let failure = match agreed {
            Ok(()) => return Ok(client),
            Err(failure) => failure,
        };
        let perhaps_modern = matches!(failure, Failure::PerhapsModern(_));
        let (error, _) = client.fail(failure).await;
        Err(Refusal {
            error,
            perhaps_modern,
        })
    }

    /// Lists every page.
    pub(crate) async fn walk(&mut self) -> Result<Listing, Failure> {
        self.session.list().await
    }

    /// How long ago the server was started.
    pub(crate) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Ends the conversation, and says what else is to be known of a failure then.
    pub(crate) async fn end<R>(
        self,
        outcome: Result<R, Failure>,
    ) -> (Result<R, ReadError>, Closed) {
        match outcome {
            Ok(outcome) => (Ok(outcome), self.close().await),
            Err(failure) => {
                let (error, closed) = self.fail(failure).await;
                (Err(error), closed)
            }
        }
    }

    async fn fail(self, failure: Failure) -> (ReadError, Closed) {
        self.session.tell(Progress::Closing);
        let (notes, mut closing) = self.session.close().await;
        let never_started = closing.failure.take();
        let closed = closed(notes, closing);
        let kind = never_started.unwrap_or_else(|| kind(failure, closed.exit.clone()));
        let error = ReadError {
            server: self.shown,
            kind: Box::new(kind),
            stderr_tail: closed.stderr_tail.clone(),
        };
        (error, closed)
    }
}

/// A handshake that came to nothing.
struct Refusal {
    error: ReadError,
    /// The server refused as one of the modern era may do.
    perhaps_modern: bool,
}

fn connection(target: &Target, options: &ReadOptions) -> Result<Connection, ReadErrorKind> {
    Ok(match target {
        Target::Stdio(command) => {
            Connection::Stdio(Box::new(StdioConnection::open(command, options)?))
        }
        Target::Http(http) => {
            let limits = Limits {
                max_bytes: options.limits.message_bytes,
                ..Limits::default()
            };
            let connection =
                HttpConnection::new(http.clone(), limits).map_err(ReadErrorKind::Http)?;
            Connection::Http(Box::new(connection))
        }
    })
}

/// What a failure is, now that it is known how the server ended.
pub(crate) fn kind(failure: Failure, exit: Option<String>) -> ReadErrorKind {
    match (failure, exit) {
        (Failure::Final(kind) | Failure::PerhapsModern(kind), _) => kind,
        (Failure::Closed(request), Some(exit)) => ReadErrorKind::Exited { request, exit },
        (Failure::Closed(request), None) => ReadErrorKind::Closed { request },
    }
}

fn closed(notes: Vec<String>, closing: Closing) -> Closed {
    Closed {
        observations: closing.inbox.observations().to_vec(),
        notes,
        stderr_tail: closing.stderr_tail,
        exit: closing.exit,
        late_answers: closing.inbox.late_answers(),
    }
}
