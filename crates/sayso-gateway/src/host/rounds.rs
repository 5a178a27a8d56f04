//! Requests that may need more than one round: the server, or the gate, has to ask the host first.
//!
//! What a modern server wants to know goes to a modern host as it is, with its state sealed, and to
//! a legacy host as requests of its own. What a legacy server or the gate asks of a modern host
//! parks the call: its request is answered with `input_required`, and the call waits here until the
//! host makes it again with the answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use sayso_core::json::{Document, Splice, Value};
use sayso_core::listing::Era as ServerEra;
use sayso_mcp::downstream::{self, Era, Reply, Stop};
use sayso_mcp::jsonrpc::{Message, MessageKind, code};

use super::adapt::{self, Kind};
use super::exchange::{AskError, Exchange};
use super::line::RequestLine;
use super::parked::{Parked, Running};
use super::route::Attempt;
use super::seal::{Bound, Sealed};
use super::slots::Slots;
use super::tasks::Begun;
use super::{Behind, CallReply, Inner, Judge};

/// How often a server may ask before it gives its answer.
const MAX_ROUNDS: usize = 10;

/// How long a legacy host may take to answer one thing: most often a person answers.
const ASKING: Duration = Duration::from_secs(600);

/// What the judge's notes and the states of servers are good for.
const STATE_LIFE: Duration = Duration::from_secs(900);

/// A request that may need more than one round.
#[derive(Clone, Debug)]
pub(super) enum Rounded {
    /// `tools/call`, with its `Mcp-Param-*` headers.
    Call(Vec<(String, String)>),
    /// `prompts/get`.
    Get,
    /// `resources/read`.
    Read,
}

/// What a state that came back said.
enum Opened {
    /// There was none.
    Fresh,
    /// The request with the server's own state in it again, and the judge's note.
    Again(Box<Message>, Option<String>),
    /// The call that waits.
    Waiting(Box<Running>),
}

/// Lets calls that wait for their host go on without its answers once no request is taken any more
/// that could bring them.
pub(super) async fn give_up(stopping: Stop, parked: Weak<Slots<Parked>>) {
    stopping.stopped().await;
    if let Some(parked) = parked.upgrade() {
        parked.retain(|_| false);
    }
}

impl<J: Judge> Inner<J> {
    /// Answers a request that may need more than one round.
    pub(super) async fn rounded(
        self: &Arc<Self>,
        what: Rounded,
        request: downstream::Request,
    ) -> Reply {
        if request.peer.era() != Some(Era::Modern) {
            let exchange = self.exchange(&request, None, None);
            let message = Arc::new(request.message);
            return self.rounds(&what, exchange, message).await;
        }
        let caller = &self.judge.caller(request.peer.principal()).name;
        match self.open_state(caller, &request.message) {
            Err(refusal) => refusal,
            Ok(Opened::Waiting(mut running)) => {
                let line = RequestLine(request.exchange.clone());
                running.exchange.connect(Some(Arc::new(line)));
                running.answer(request.message.params());
                self.drive(*running).await
            }
            Ok(Opened::Fresh) => self.begin(what, request, None).await,
            Ok(Opened::Again(message, note)) => {
                let request = downstream::Request {
                    message: *message,
                    ..request
                };
                self.begin(what, request, note).await
            }
        }
    }

    fn open_state(&self, caller: &str, message: &Message) -> Result<Opened, Reply> {
        let Some(state) = message.params().and_then(|it| it.get("requestState")) else {
            return Ok(Opened::Fresh);
        };
        let refuse = |reason: String| Err(Reply::error(code::INVALID_PARAMS, reason));
        let Some(text) = state.as_str() else {
            return refuse("`requestState` is no string".to_owned());
        };
        match self
            .seal
            .open(&text, &bound(caller, message), self.judge.now())
        {
            Err(error) => refuse(error.to_string()),
            Ok(Sealed::Server { state, note }) => {
                let note = note.and_then(|note| self.notes.take(note));
                again(message, None, Some(&state)).map(|message| Opened::Again(message, note))
            }
            Ok(Sealed::Note { note }) => {
                let note = self.notes.take(note);
                again(message, None, None).map(|message| Opened::Again(message, note))
            }
            Ok(Sealed::Parked { slot }) => {
                match self.parked.take(slot).and_then(Parked::into_running) {
                    Some(running) => Ok(Opened::Waiting(Box::new(running))),
                    None => refuse("the call this `requestState` belongs to is over".to_owned()),
                }
            }
        }
    }

    /// Runs a modern host's request; apart, where its host can be asked something meanwhile.
    async fn begin(
        self: &Arc<Self>,
        what: Rounded,
        request: downstream::Request,
        note: Option<String>,
    ) -> Reply {
        const CAN_ANSWER: [&str; 3] = ["elicitation", "sampling", "roots"];
        let capabilities = request.peer.capabilities();
        let can_answer = capabilities
            .is_some_and(|declared| CAN_ANSWER.iter().any(|key| declared.get(key).is_some()));
        if !can_answer {
            let exchange = self.exchange(&request, note, None);
            let message = Arc::new(request.message);
            return self.rounds(&what, exchange, message).await;
        }
        let (asks, questions) = tokio::sync::mpsc::channel(1);
        let exchange = self.exchange(&request, note, Some(asks));
        let message = Arc::new(request.message);
        let task = {
            let (hosts, exchange) = (Arc::clone(self), exchange.clone());
            let message = Arc::clone(&message);
            tokio::spawn(async move { hosts.rounds(&what, exchange, message).await })
        };
        self.drive(Running::new(exchange, message, task, questions))
            .await
    }

    /// Waits for a running call until it is through, or has something to ask.
    async fn drive(self: &Arc<Self>, mut running: Running) -> Reply {
        loop {
            if !running.has_questions() {
                match running.next().await {
                    Some(reply) => return reply,
                    None => continue,
                }
            }
            if self.stopping.is_stopped() {
                // No request is taken any more that could bring the answers.
                running.refuse_questions();
                continue;
            }
            running.exchange.connect(None);
            let requests = running.requests();
            let bound = bound(&running.exchange.caller().name, &running.message);
            let patience = self.options.patience;
            let slot = match self.parked.put(Parked::new(running), patience) {
                Ok(slot) => slot,
                Err(parked) => match parked.into_running() {
                    // There is no place to wait in: the call goes on without the answers.
                    Some(refused) => {
                        running = refused;
                        running.refuse_questions();
                        continue;
                    }
                    None => return super::parked::broken(),
                },
            };
            let sealed = Sealed::Parked { slot };
            return match self.seal.seal(&sealed, &bound, self.until(patience)) {
                Ok(state) => {
                    let result = format!(
                        r#"{{"resultType":"input_required","inputRequests":{requests},"requestState":{},"_meta":{}}}"#,
                        adapt::quoted(&state),
                        self.own_meta(),
                    );
                    Reply::Result(result)
                }
                Err(error) => {
                    drop(self.parked.take(slot));
                    Reply::error(code::INTERNAL_ERROR, error.to_string())
                }
            };
        }
    }

    /// Makes a request until it is through.
    async fn rounds(
        &self,
        what: &Rounded,
        mut exchange: Exchange,
        mut message: Arc<Message>,
    ) -> Reply {
        for _ in 0..MAX_ROUNDS {
            let (result, note) = match self.attempt(what, &exchange, &message).await {
                Attempt::Done(reply) => return reply,
                Attempt::InputRequired { result, note } => (result, note),
            };
            if exchange.era() == Era::Modern {
                return self.pass_on(&exchange, &message, &result, note);
            }
            let responses = match ask_all(&exchange, result.root()).await {
                Ok(responses) => responses,
                Err(refusal) => return refusal,
            };
            let state = result.root().get("requestState").and_then(Value::as_str);
            message = match again(&message, Some(&responses), state.as_deref()) {
                Ok(message) => Arc::from(message),
                Err(refusal) => return refusal,
            };
            exchange = exchange.with_note(note);
        }
        let reason = format!("the server asked for input {MAX_ROUNDS} times and gave no answer");
        Reply::error(code::INTERNAL_ERROR, reason)
    }

    async fn attempt(&self, what: &Rounded, exchange: &Exchange, message: &Message) -> Attempt {
        let headers = match what {
            Rounded::Get => return self.get_prompt(exchange, message).await,
            Rounded::Read => return self.read_resource(exchange, message).await,
            Rounded::Call(headers) => headers,
        };
        match self.judge.call(exchange, message, headers).await {
            CallReply::Result {
                server,
                tool,
                result,
            } => {
                let root = result.root();
                if let Some(task) = adapt::task_id(root) {
                    let server = server.clone();
                    let begun = Begun { server, tool };
                    self.tasks.remember(&exchange.caller().name, &task, begun);
                }
                self.remember_links(exchange, &server, root);
                let era = self.server(&server).and_then(|it| it.state().era);
                Reply::Result(adapt::result(root, Kind::Plain, era, exchange)).into()
            }
            CallReply::Reply(Reply::Result(text)) => {
                Reply::Result(self.own_result(text, Kind::Plain, exchange)).into()
            }
            CallReply::Reply(reply) => {
                remember_elicitations(exchange, &reply);
                reply.into()
            }
            CallReply::InputRequired { result, note, .. } => {
                Attempt::InputRequired { result, note }
            }
        }
    }

    /// Remembers whose the resources are that a result points to: such need not be listed (MCP
    /// 2025-11-25, "Tools", resource links).
    fn remember_links(&self, exchange: &Exchange, server: &str, result: Value<'_>) {
        let content = result.get("content").into_iter();
        for item in content.flat_map(Value::elements) {
            let is_link = item.get("type").and_then(Value::as_str);
            if is_link.as_deref() == Some("resource_link")
                && let Some(uri) = item.get("uri").and_then(Value::as_str)
            {
                let caller = &exchange.caller().name;
                self.resources.remember(caller, &uri, server.to_owned());
            }
        }
    }

    /// Hands a modern server's question to a modern host.
    fn pass_on(
        &self,
        exchange: &Exchange,
        message: &Message,
        result: &Document,
        note: Option<String>,
    ) -> Reply {
        let root = result.root();
        if let Err(refusal) = can_answer_all(exchange, root) {
            return refusal;
        }
        let note = note.and_then(|note| self.notes.put(note, STATE_LIFE).ok());
        let state = root.get("requestState").and_then(Value::as_str);
        let sealed = match (state, note) {
            (Some(state), note) => Some(Sealed::Server {
                state: state.into_owned(),
                note,
            }),
            (None, Some(note)) => Some(Sealed::Note { note }),
            (None, None) => None,
        };
        let mut splice = Splice::new(root);
        adapt::fit(
            &mut splice,
            root,
            Kind::Plain,
            Some(ServerEra::Modern),
            exchange,
        );
        if let Some(sealed) = sealed {
            let bound = bound(&exchange.caller().name, message);
            match self.seal.seal(&sealed, &bound, self.until(STATE_LIFE)) {
                Ok(state) => splice.set(root, "requestState", adapt::quoted(&state)),
                Err(error) => return Reply::error(code::INTERNAL_ERROR, error.to_string()),
            };
        }
        Reply::Result(splice.finish())
    }
}

/// What a state for this request is bound to.
fn bound(caller: &str, message: &Message) -> Bound {
    let method = match message.kind() {
        MessageKind::Request { method, .. } => method,
        _ => "",
    };
    Bound::of(caller, method, message.params())
}

/// The same request with these answers and this state in it, and no others.
fn again(
    message: &Message,
    responses: Option<&str>,
    state: Option<&str>,
) -> Result<Box<Message>, Reply> {
    let unreadable = || Reply::error(code::INVALID_PARAMS, "the request cannot be made again");
    let root = message.document().root();
    let mut splice = Splice::new(root);
    let params = root.get("params").ok_or_else(unreadable)?;
    if let Some(responses) = responses {
        splice.set(params, "inputResponses", responses);
    }
    match state {
        Some(state) => {
            splice.set(params, "requestState", adapt::quoted(state));
        }
        None => {
            for state in params.get_all("requestState") {
                splice.remove(state);
            }
        }
    }
    let document = adapt::parse(splice.finish()).ok_or_else(unreadable)?;
    let message = Message::classify(document).map_err(|_| unreadable())?;
    Ok(Box::new(message))
}

/// Asks a legacy host all that a modern server wants to know: `inputResponses`.
async fn ask_all(exchange: &Exchange, result: Value<'_>) -> Result<String, Reply> {
    let mut responses = BTreeMap::new();
    let requests = result.get("inputRequests").into_iter();
    for request in requests.flat_map(Value::members) {
        let method = request.value.get("method").and_then(Value::as_str);
        let Some(method) = method else {
            let reason = "the server asks for input without a method";
            return Err(Reply::error(code::INTERNAL_ERROR, reason));
        };
        let params = request.value.get("params").map(Value::raw);
        let answer = match exchange.ask(&method, params, ASKING).await {
            Ok(answer) => answer,
            // The specification has a word for a person who does not answer.
            Err(AskError::Refused(_) | AskError::TimedOut) if method == "elicitation/create" => {
                r#"{"action":"cancel"}"#.to_owned()
            }
            Err(error) => {
                let reason = format!("the server asks for `{method}`: {error}");
                return Err(Reply::error(code::INTERNAL_ERROR, reason));
            }
        };
        responses.insert(request.key.into_owned(), answer);
    }
    let responses: Vec<String> = responses
        .iter()
        .map(|(key, answer)| format!("{}:{answer}", adapt::quoted(key)))
        .collect();
    Ok(format!("{{{}}}", responses.join(",")))
}

/// A server must not ask a host for what it does not say that it can answer (MCP 2026-07-28,
/// "Multi Round-Trip Requests").
fn can_answer_all(exchange: &Exchange, result: Value<'_>) -> Result<(), Reply> {
    let requests = result.get("inputRequests").into_iter();
    for request in requests.flat_map(Value::members) {
        let method = request.value.get("method").and_then(Value::as_str);
        let method = method.unwrap_or_default();
        let params = request.value.get("params").map(Value::raw);
        if exchange.can_be_asked(&method, params) {
            continue;
        }
        let needed = match &*method {
            "elicitation/create" => r#"{"elicitation":{}}"#,
            "sampling/createMessage" => r#"{"sampling":{}}"#,
            "roots/list" => r#"{"roots":{}}"#,
            _ => "{}",
        };
        let method = sayso_core::reveal::reveal_line(&method);
        return Err(Reply::Error {
            code: code::MISSING_REQUIRED_CLIENT_CAPABILITY,
            message: format!("the server asks for `{method}`, which the request does not declare"),
            data: Some(format!(r#"{{"requiredCapabilities":{needed}}}"#)),
        });
    }
    Ok(())
}

/// Error of 2025-11-25: a person has to go to a page first, and the end of it will be told.
const URL_ELICITATION_REQUIRED: &str = "-32042";

fn remember_elicitations(exchange: &Exchange, reply: &Reply) {
    let Reply::Raw(error) = reply else { return };
    if !error.contains(URL_ELICITATION_REQUIRED) {
        return;
    }
    let Some(error) = adapt::parse(error.clone()) else {
        return;
    };
    let asked = error.root().at(&["data", "elicitations"]).into_iter();
    for elicitation in asked.flat_map(Value::elements) {
        if let Some(id) = elicitation.get("elicitationId").and_then(Value::as_str) {
            exchange.session().remember_elicitation_id(&id);
        }
    }
}
