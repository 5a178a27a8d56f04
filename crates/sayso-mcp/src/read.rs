//! From a target to its listing.

use std::time::Duration;

use sayso_core::json::Limits;
use sayso_core::listing::{Completeness, Listing};
use tokio::time::Instant;

use crate::connection::{Closing, Connection, Transport as _};
use crate::error::{ReadError, ReadErrorKind};
use crate::http::HttpConnection;
use crate::options::{EraChoice, Progress, ReadOptions, deadline};
use crate::session::{Failure, Gathered, Session, legacy, modern};
use crate::stdio::StdioConnection;
use crate::target::Target;

/// A listing, and what else came to light while it was read.
#[derive(Debug)]
pub struct Reading {
    /// The listing. Each page's document is the whole answer, so that pointers into it begin
    /// with `/result/tools`.
    pub listing: Listing,
    /// What a person should know besides.
    pub notes: Vec<String>,
    /// The last lines the server wrote to its standard error, oldest first, as they came.
    pub stderr_tail: Vec<String>,
    /// From the start until the listing was there, without the server's end.
    pub took: Duration,
}

/// Reads the whole listing of a server: starts it or connects to it, shakes hands, asks for
/// every page, and ends what it started.
///
/// What goes wrong behind the first page, or is merely odd, does not stop the reading: the
/// listing is marked incomplete, or carries an observation. Dropping the future ends the
/// server too. Needs a tokio runtime with I/O and time enabled; a current-thread one will do.
/// On Linux call it from a thread that lives until the end: the supervisor takes the end of
/// the thread that started it for the end of the client.
///
/// # Errors
/// When there is no listing at all.
pub async fn read_listing(target: &Target, options: &ReadOptions) -> Result<Reading, ReadError> {
    let refused = match options.era {
        EraChoice::Modern => {
            return converse(target, options, true)
                .await
                .map_err(Ended::into_error);
        }
        EraChoice::Auto | EraChoice::Legacy => match converse(target, options, false).await {
            Ok(reading) => return Ok(reading),
            Err(ended) if ended.perhaps_modern => ended.error,
            Err(ended) => return Err(ended.error),
        },
    };
    // In a process of its own: what a server makes of a refused handshake is anybody's guess.
    match converse(target, options, true).await {
        Ok(reading) => Ok(reading),
        // It spoke neither; the first refusal says more.
        Err(ended) if matches!(*ended.error.kind, ReadErrorKind::NotModern { .. }) => Err(refused),
        Err(ended) => Err(ended.error),
    }
}

/// A conversation that came to nothing.
struct Ended {
    error: ReadError,
    perhaps_modern: bool,
}

impl Ended {
    fn into_error(self) -> ReadError {
        self.error
    }
}

async fn converse(
    target: &Target,
    options: &ReadOptions,
    is_modern: bool,
) -> Result<Reading, Ended> {
    let begun = Instant::now();
    options.tell(Progress::Starting);
    let mut connection = connect(target, options).map_err(|kind| Ended {
        error: ReadError {
            server: target.shown(),
            kind: Box::new(kind),
            stderr_tail: Vec::new(),
        },
        perhaps_modern: false,
    })?;
    let start = deadline(begun, options.start_timeout_for(target));
    let session = Session::new(&mut connection, options, start);
    let outcome = if is_modern {
        modern(session).await
    } else {
        legacy(session).await
    };
    let took = begun.elapsed();
    options.tell(Progress::Closing);
    let closing = connection.close().await;
    match outcome {
        Ok(gathered) => Ok(reading(gathered, closing, took)),
        Err(failure) => Err(ended(target, failure, closing)),
    }
}

fn connect(target: &Target, options: &ReadOptions) -> Result<Connection, ReadErrorKind> {
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

fn reading(gathered: Gathered, closing: Closing, took: Duration) -> Reading {
    let Gathered { mut listing, notes } = gathered;
    for observation in closing.inbox.observations() {
        listing.observe(
            observation.kind,
            observation.count,
            observation.detail.clone(),
        );
    }
    if let Completeness::Incomplete(why) = &mut listing.completeness
        && why.ends_with("the server ended")
        && let Some(exit) = &closing.exit
    {
        // How it ended is known only now.
        *why = why.replace("the server ended", &format!("the server {exit}"));
    }
    Reading {
        listing,
        notes,
        stderr_tail: closing.stderr_tail,
        took,
    }
}

fn ended(target: &Target, failure: Failure, closing: Closing) -> Ended {
    let perhaps_modern = matches!(failure, Failure::PerhapsModern(_));
    let kind = match (closing.failure, failure) {
        (Some(never_started), _) => never_started,
        (None, Failure::Final(kind) | Failure::PerhapsModern(kind)) => kind,
        (None, Failure::Closed(request)) => match closing.exit {
            Some(exit) => ReadErrorKind::Exited { request, exit },
            None => ReadErrorKind::Closed { request },
        },
    };
    let error = ReadError {
        server: target.shown(),
        kind: Box::new(kind),
        stderr_tail: closing.stderr_tail,
    };
    Ended {
        error,
        perhaps_modern,
    }
}
