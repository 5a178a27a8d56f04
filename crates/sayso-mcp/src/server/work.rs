//! Requests whose answer takes a while. They run side by side.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::call::{Answer, Call, CallResult, PersonAnswer};
use super::changes::Listener;
use super::connection::Connection;
use super::event::{Event, How, StreamKind};
use super::outbox::Outbox;
use super::peer::{Era, Peer};
use super::refusal::Refusal;
use super::{CANCELLED, Service, TOOLS_CHANGED, reply};
use crate::jsonrpc::{self, Id};

/// How long a person has for a form. After that the call goes on without an answer.
const FORM_PATIENCE: Duration = Duration::from_secs(10 * 60);

/// A request that runs.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) peer: Peer,
    pub(super) id: Id,
    pub(super) task: Task,
    /// Completes when the request has to stop.
    pub(super) stopped: oneshot::Receiver<()>,
}

/// What it asks for.
#[derive(Debug)]
pub(super) enum Task {
    List,
    Call(Box<Call>),
    Listen { tools: bool, changes: Listener },
}

/// How a call comes to its end, and what is sent.
struct End {
    how: How,
    /// The answer, and its code if it is an error. `None`: the connection breaks.
    answer: Option<(String, Option<i64>)>,
}

/// Runs a request to its end, or until it has to stop.
pub(super) async fn run<S: Service>(connection: Arc<Connection<S>>, work: Work, outbox: Outbox) {
    let Work {
        peer,
        id,
        task,
        stopped,
    } = work;
    let request = Request {
        connection: &connection,
        peer: &peer,
        id: &id,
        outbox: &outbox,
    };
    tokio::select! {
        biased;
        // What is to be witnessed then has been.
        _ = stopped => {}
        () = request.perform(task) => {}
    }
}

struct Request<'a, S> {
    connection: &'a Arc<Connection<S>>,
    peer: &'a Peer,
    id: &'a Id,
    outbox: &'a Outbox,
}

impl<S: Service> Request<'_, S> {
    async fn perform(&self, task: Task) {
        match task {
            Task::List => self.list().await,
            Task::Call(call) => self.call(*call).await,
            Task::Listen { tools, changes } => self.listen(tools, changes).await,
        }
    }

    fn service(&self) -> &S {
        &self.connection.service
    }

    fn witness(&self, event: Event<'_>) {
        self.service().witness(self.peer, event);
    }

    fn era(&self) -> Era {
        self.peer.era().unwrap_or(Era::Legacy)
    }

    async fn list(&self) {
        let tools = self.service().list(self.peer).await;
        let result = reply::listed(&self.service().identity(), &tools, self.era());
        if self.connection.finish(self.id) {
            // Nobody is there to be told where this fails.
            let _ = self.outbox.send(jsonrpc::response(self.id, &result)).await;
        }
    }

    async fn call(&self, call: Call) {
        let end = self.end_of(call).await;
        if !self.connection.finish(self.id) {
            return;
        }
        let how = if self.outbox.is_closed() {
            How::Undelivered
        } else {
            end.how
        };
        self.witness(Event::Answered {
            request_id: &self.id.to_json(),
            how,
        });
        match end.answer {
            Some((answer, refused)) => {
                // Nobody is there to be told where this fails.
                let _ = self.outbox.answer(answer, refused).await;
            }
            None => self.outbox.break_off().await,
        }
    }

    async fn end_of(&self, mut call: Call) -> End {
        let tools = self.service().list(self.peer).await;
        if !tools.iter().any(|tool| is_named(tool, &call.name)) {
            return self.refused(&Refusal::invalid_params("there is no such tool"));
        }
        loop {
            let (message, schema, state) = match self.service().call(self.peer, call.clone()).await
            {
                Answer::Result(result) => return self.result(&result),
                Answer::Disconnect => {
                    return End {
                        how: How::Disconnect,
                        answer: None,
                    };
                }
                Answer::Ask {
                    message,
                    schema,
                    state,
                } => (message, schema, state),
            };
            if !self.peer.can_ask() {
                return self.cannot_ask();
            }
            if self.era() == Era::Legacy && !self.outbox.takes_requests() {
                return self.cannot_ask();
            }
            let request_id = self.id.to_json();
            self.witness(Event::Asked {
                request_id: &request_id,
                message: &message,
            });
            if self.era() == Era::Modern {
                let identity = self.service().identity();
                let result = reply::input_required(&identity, &message, &schema, &state);
                return self.end(How::InputRequired, &result);
            }
            let answer = self.ask(&message, &schema).await;
            self.witness(Event::PersonAnswered {
                request_id: &request_id,
                answer: &answer,
            });
            call.person = Some(answer);
            call.request_state = Some(state);
        }
    }

    fn end(&self, how: How, result: &str) -> End {
        End {
            how,
            answer: Some((jsonrpc::response(self.id, result), None)),
        }
    }

    fn result(&self, result: &CallResult) -> End {
        let how = if result.is_error {
            How::Failure
        } else {
            How::Result
        };
        let identity = self.service().identity();
        self.end(how, &reply::called(&identity, result, self.era()))
    }

    fn refused(&self, refusal: &Refusal) -> End {
        let answer = self.connection.refusal(self.peer, Some(self.id), refusal);
        End {
            how: How::Refusal,
            answer: Some((answer, Some(refusal.code))),
        }
    }

    /// The handshake versions have no error for it, so it is the tool that fails there.
    fn cannot_ask(&self) -> End {
        match self.era() {
            Era::Modern => self.refused(&Refusal::cannot_ask()),
            Era::Legacy => self.result(&CallResult::failure(
                "this call has to ask a person, and the client offers no way to (`elicitation`)",
            )),
        }
    }

    /// Asks with a request of the server's own, as the handshake versions have it.
    async fn ask(&self, message: &str, schema: &serde_json::Value) -> PersonAnswer {
        let (id, answer) = self.connection.ask();
        let asking = Asking {
            connection: self.connection,
            outbox: self.outbox,
            id,
        };
        let params = reply::elicitation(message, schema, Era::Legacy);
        let request = jsonrpc::request(&asking.id, "elicitation/create", &params);
        if self.outbox.send(request).await.is_err() {
            return PersonAnswer::Failed("the client is gone".to_owned());
        }
        tokio::select! {
            answer = answer => answer
                .unwrap_or_else(|_| PersonAnswer::Failed("the connection is over".to_owned())),
            () = self.outbox.closed() => PersonAnswer::Failed("the client is gone".to_owned()),
            () = tokio::time::sleep(FORM_PATIENCE) => PersonAnswer::Failed(format!(
                "no answer within {} s",
                FORM_PATIENCE.as_secs()
            )),
        }
    }

    async fn listen(&self, tools: bool, mut changes: Listener) {
        let acknowledged = reply::acknowledged(self.id, tools);
        if self.outbox.send(acknowledged).await.is_ok() {
            loop {
                tokio::select! {
                    () = self.outbox.closed() => break,
                    () = changes.changed(), if tools => {}
                }
                self.witness(Event::Notified {
                    method: TOOLS_CHANGED,
                });
                let message = reply::tools_changed(Some(self.id));
                if self.outbox.send(message).await.is_err() {
                    break;
                }
            }
        }
        if self.connection.finish(self.id) {
            let kind = StreamKind::Subscription;
            self.witness(Event::StreamClosed { kind });
        }
    }
}

/// A request of ours that waits; dropped unanswered, it is cancelled.
struct Asking<'a, S: Service> {
    connection: &'a Connection<S>,
    outbox: &'a Outbox,
    id: Id,
}

impl<S: Service> Drop for Asking<'_, S> {
    fn drop(&mut self) {
        if self.connection.give_up_asking(&self.id) {
            let id = &self.id;
            self.outbox.try_send(format!(
                r#"{{"jsonrpc":"2.0","method":"{CANCELLED}","params":{{"requestId":{id}}}}}"#
            ));
        }
    }
}

/// Whether a tool, as JSON, has this name. Where the name stands twice, either will do.
fn is_named(tool: &str, name: &str) -> bool {
    let limits = sayso_core::json::Limits::default();
    let tool = sayso_core::json::Document::parse(tool.to_owned(), &limits);
    tool.is_ok_and(|tool| {
        tool.root()
            .get_all("name")
            .any(|value| value.as_str().as_deref() == Some(name))
    })
}
