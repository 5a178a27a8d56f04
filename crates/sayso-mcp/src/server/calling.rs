//! Calls of tools.

use std::borrow::Cow;
use std::time::Duration;

use sayso_core::json::{Document, Limits, Value};

use super::answering::Answering;
use super::{Answer, Call, CallResult, Event, How, PERSON_KEY, PersonAnswer, Service, reply};
use crate::downstream::{
    AskError, Era, Exchange, Refusal, Reply, Request, Transport, check_parameter_headers,
};
use crate::jsonrpc::{Message, MessageKind, code};

/// How long a person has for a form. After that the call goes on without an answer.
const FORM_PATIENCE: Duration = Duration::from_secs(10 * 60);

/// How a call comes to its end, and what is sent.
struct End {
    how: How,
    reply: Reply,
}

impl<S: Service> Answering<S> {
    pub(super) async fn call(&self, request: &Request) -> Reply {
        let exchange = &request.exchange;
        let call = match self.read_call(request) {
            Ok(call) => call,
            Err(refusal) => return self.refuse(exchange, refusal),
        };
        let peer = &request.peer;
        let tools = self.service.list(peer).await;
        let tool = named(tools, &call.name);
        let has_headers = peer.era() == Some(Era::Modern) && peer.transport() == Transport::Http;
        if let Some(tool) = tool.as_ref().filter(|_| has_headers)
            && let Some(schema) = tool.root().get("inputSchema")
        {
            let arguments = call.arguments.as_ref().map(Document::root);
            let checked = check_parameter_headers(schema, arguments, &request.headers);
            if let Err(mismatch) = checked {
                let refusal = Refusal::new(code::HEADER_MISMATCH, mismatch.to_string());
                return self.refuse(exchange, refusal);
            }
        }
        let end = match tool {
            Some(_) => self.end_of(exchange, call).await,
            None => {
                let refusal = Refusal::invalid_params("there is no such tool");
                self.refused(exchange, refusal)
            }
        };
        if exchange.commit() {
            let how = if exchange.is_closed() {
                How::Undelivered
            } else {
                end.how
            };
            let event = Event::Answered {
                request_id: &exchange.id().to_json(),
                how,
            };
            self.service.witness(peer, event);
        }
        end.reply
    }

    /// Reads what a call says, and witnesses it.
    fn read_call(&self, request: &Request) -> Result<Call, Refusal> {
        let (peer, exchange) = (&request.peer, &request.exchange);
        let params = request.message.params();
        let param = |key| params.and_then(|params: Value<'_>| params.get(key));
        let Some(name) = param("name").and_then(Value::as_str) else {
            return Err(Refusal::invalid_params("`name` is missing or no string"));
        };
        let request_id = exchange.id().to_json();
        let arguments = param("arguments");
        let event = Event::Called {
            request_id: &request_id,
            name: &name,
            arguments,
        };
        self.service.witness(peer, event);
        if arguments.is_some_and(|arguments| !arguments.is_object() && !arguments.is_null()) {
            return Err(Refusal::invalid_params("`arguments` is no object"));
        }
        let is_modern = peer.era() == Some(Era::Modern);
        let responses = param("inputResponses").filter(|_| is_modern);
        let person = responses
            .and_then(|responses| responses.get(PERSON_KEY))
            .map(PersonAnswer::read);
        if let Some(answer) = &person {
            let event = Event::PersonAnswered {
                request_id: &request_id,
                answer,
            };
            self.service.witness(peer, event);
        }
        let state = param("requestState").filter(|_| is_modern);
        Ok(Call {
            request_id,
            name: name.into_owned(),
            arguments: arguments.map(Document::part),
            person,
            request_state: state.and_then(Value::as_str).map(Cow::into_owned),
        })
    }

    async fn end_of(&self, exchange: &Exchange, mut call: Call) -> End {
        let peer = exchange.peer();
        let is_modern = peer.era() == Some(Era::Modern);
        loop {
            let (message, schema, state) = match self.service.call(peer, call.clone()).await {
                Answer::Result(result) => return self.result(exchange, &result),
                Answer::Disconnect => {
                    return End {
                        how: How::Disconnect,
                        reply: Reply::Nothing,
                    };
                }
                Answer::Ask {
                    message,
                    schema,
                    state,
                } => (message, schema, state),
            };
            if !peer.can_ask() || (!is_modern && !exchange.can_ask()) {
                return self.cannot_ask(exchange);
            }
            self.service.witness(
                peer,
                Event::Asked {
                    request_id: &call.request_id,
                    message: &message,
                },
            );
            if is_modern {
                let identity = self.service.identity();
                let result = reply::input_required(&identity, &message, &schema, &state);
                return End {
                    how: How::InputRequired,
                    reply: Reply::Result(result),
                };
            }
            let answer = ask(exchange, &message, &schema).await;
            let event = Event::PersonAnswered {
                request_id: &call.request_id,
                answer: &answer,
            };
            self.service.witness(peer, event);
            call.person = Some(answer);
            call.request_state = Some(state);
        }
    }

    fn result(&self, exchange: &Exchange, result: &CallResult) -> End {
        let how = if result.is_error {
            How::Failure
        } else {
            How::Result
        };
        let era = exchange.peer().era().unwrap_or(Era::Legacy);
        let identity = self.service.identity();
        End {
            how,
            reply: Reply::Result(reply::called(&identity, result, era)),
        }
    }

    fn refused(&self, exchange: &Exchange, refusal: Refusal) -> End {
        End {
            how: How::Refusal,
            reply: self.refuse(exchange, refusal),
        }
    }

    /// The handshake versions have no error for it, so it is the tool that fails there.
    fn cannot_ask(&self, exchange: &Exchange) -> End {
        if exchange.peer().era() == Some(Era::Modern) {
            return self.refused(exchange, Refusal::cannot_ask());
        }
        let reason =
            "this call has to ask a person, and the client offers no way to (`elicitation`)";
        self.result(exchange, &CallResult::failure(reason))
    }
}

/// Asks with a request of the server's own, as the handshake versions have it.
async fn ask(exchange: &Exchange, message: &str, schema: &serde_json::Value) -> PersonAnswer {
    let params = reply::elicitation(message, schema, Era::Legacy).to_string();
    let answer = exchange.ask("elicitation/create", Some(&params), FORM_PATIENCE);
    match answer.await {
        Ok(answer) => read_answer(&answer),
        Err(AskError::TimedOut) => {
            PersonAnswer::Failed(format!("no answer within {} s", FORM_PATIENCE.as_secs()))
        }
        Err(error) => PersonAnswer::Failed(error.to_string()),
    }
}

fn read_answer(answer: &Message) -> PersonAnswer {
    if let MessageKind::Error { error, .. } = answer.kind() {
        return PersonAnswer::Failed(error.to_string());
    }
    answer.result().map_or_else(
        || PersonAnswer::Failed("the answer has no `result`".to_owned()),
        PersonAnswer::read,
    )
}

/// The tool of this name. Where a name stands twice, either will do.
fn named(tools: Vec<String>, name: &str) -> Option<Document> {
    let limits = Limits::default();
    let is_named = |tool: &Document| {
        tool.root()
            .get_all("name")
            .any(|value| value.as_str().as_deref() == Some(name))
    };
    let tools = tools.into_iter();
    tools
        .filter_map(|tool| Document::parse(tool, &limits).ok())
        .find(is_named)
}
