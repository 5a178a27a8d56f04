//! Who decides, and who answers: what the hosts' side needs of the rest of the gate.

use std::future::Future;
use std::sync::Arc;

use sayso_core::json::Document;
use sayso_mcp::downstream::{Era, Reply};
use sayso_mcp::jsonrpc::Message;
use tokio::sync::{broadcast, watch};

use super::exchange::Exchange;
use super::tasks::Begun;
use crate::caller::Caller;
use crate::policy::Action;
use crate::refusal::ReasonCode;
use crate::server::{Answer, Asked, Event, Lost, Server, State};

/// Who decides what hosts get to see and to do.
pub trait Judge: Send + Sync + 'static {
    /// The servers behind the gate.
    type Server: Behind;

    /// All of them, in an order that stays.
    fn servers(&self) -> Vec<Arc<Self::Server>>;

    /// Who a principal is: `local` until identity is established.
    fn caller(&self, principal: &str) -> Caller;

    /// Milliseconds since 1970-01-01T00:00:00Z, by a clock that does not go back.
    fn now(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }

    /// What a tool or prompt of a server is called here.
    fn served_as(&self, server: &str, name: &str) -> String;

    /// `tools/list` as this caller sees it: a raw result on one page, in the words of the legacy
    /// era (no `resultType`, `ttlMs`, `cacheScope`).
    fn list(&self, exchange: &Exchange) -> impl Future<Output = Reply> + Send;

    /// `tools/call`. `headers` are the `Mcp-Param-*` headers. Dropping the future is the host
    /// cancelling the call.
    fn call(
        &self,
        exchange: &Exchange,
        message: &Message,
        headers: &[(String, String)],
    ) -> impl Future<Output = CallReply> + Send;

    /// `tools/resolve` (extension `io.modelcontextprotocol/tool-resolution`).
    fn resolve(&self, exchange: &Exchange, message: &Message)
    -> impl Future<Output = Reply> + Send;

    /// Decides whether a caller may do this, and puts it in the journal; the error is the answer.
    fn admit(
        &self,
        exchange: &Exchange,
        access: Access<'_>,
    ) -> impl Future<Output = Result<(), Reply>> + Send;

    /// Decides whether a caller may go on with a task that is its own, and puts it in the journal; the
    /// error is the answer. What holds of the tool that began it holds of the task.
    fn admit_task(
        &self,
        exchange: &Exchange,
        task: &Begun,
        method: &str,
    ) -> impl Future<Output = Result<(), Reply>> + Send;

    /// Whether a caller gets to see a task that is its own in a list. Not in the journal.
    fn shows_task(&self, exchange: &Exchange, task: &Begun) -> bool;

    /// Inspects the result of a call that a task came to; the error is the answer instead of it.
    fn inspect(
        &self,
        exchange: &Exchange,
        task: &Begun,
        result: &Document,
    ) -> impl Future<Output = Result<(), Reply>> + Send {
        let _ = (exchange, task, result);
        std::future::ready(Ok(()))
    }

    /// Capabilities of the gate itself, besides those of the servers: a JSON object.
    fn capabilities(&self, era: Era) -> serde_json::Value {
        let _ = era;
        serde_json::Value::Null
    }

    /// Whether a server's instructions are handed on: those that nobody has accepted reach no model.
    fn accepts_instructions(&self, server: &str, text: &str) -> bool {
        let _ = (server, text);
        true
    }

    /// Whether a caller gets to see this in a list. Not in the journal.
    fn shows(&self, exchange: &Exchange, access: Access<'_>) -> bool;

    /// Moves when what some host may see has changed: tools, prompts or resources.
    fn views(&self) -> watch::Receiver<u64>;

    /// Puts something in the journal that was refused before it was a request.
    fn refused(&self, caller: &Caller, session: Option<u64>, reason: ReasonCode, what: &str);
}

/// What a caller wants of something that is no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// What.
    pub action: Action,
    /// With what.
    pub item: Item<'a>,
}

/// Something of a server that is no tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A prompt.
    Prompt {
        /// The server.
        server: &'a str,
        /// The prompt's name there.
        name: &'a str,
    },
    /// A resource or a template.
    Resource {
        /// The server.
        server: &'a str,
        /// The resource's URI, or the template.
        uri: &'a str,
    },
    /// A method the gate does not know ([`Action::Call`]), or a kind of completion it does not
    /// know ([`Action::Complete`]).
    Method {
        /// The server.
        server: &'a str,
        /// The method.
        method: &'a str,
    },
}

/// What comes of a call.
#[derive(Clone, Debug)]
pub enum CallReply {
    /// The server's result as it came (or as the judge changed it), in the server's era.
    Result {
        /// The server.
        server: String,
        /// The tool, by its name there.
        tool: String,
        /// The value of `result`.
        result: Document,
    },
    /// An answer of the gate itself, or the server's error.
    Reply(Reply),
    /// A modern server has to know more first: the value of `result`, byte for byte.
    InputRequired {
        /// The server.
        server: String,
        /// The value of `result`.
        result: Document,
        /// What [`Exchange::note`] says when the host makes this call again with the answers:
        /// such as that it was approved.
        note: Option<String>,
    },
}

/// A server behind the gate.
pub trait Behind: Send + Sync + 'static {
    /// What it is called here.
    fn name(&self) -> &str;

    /// What is known of it now.
    fn state(&self) -> Arc<State>;

    /// Moves at each change of [`State`].
    fn changes(&self) -> watch::Receiver<u64>;

    /// What it says by itself from now on.
    fn events(&self) -> broadcast::Receiver<Event>;

    /// Tells what the one host can do (a JSON object), before the first conversation is begun.
    fn introduce(&self, capabilities: &str);

    /// Sends one request.
    ///
    /// # Errors
    /// When there is no answer.
    fn request(
        &self,
        asked: Asked<'_>,
        exchange: &Exchange,
    ) -> impl Future<Output = Result<Answer, Lost>> + Send;

    /// Passes a host's notification on.
    fn notify(
        &self,
        session: u64,
        method: &str,
        params: Option<&str>,
    ) -> impl Future<Output = ()> + Send;

    /// Ends what belongs to a session.
    fn leave(&self, session: u64);
}

impl Behind for Server {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn state(&self) -> Arc<State> {
        Self::state(self)
    }

    fn changes(&self) -> watch::Receiver<u64> {
        Self::changes(self)
    }

    fn events(&self) -> broadcast::Receiver<Event> {
        Self::events(self)
    }

    fn introduce(&self, capabilities: &str) {
        Self::introduce(self, capabilities);
    }

    async fn request(&self, asked: Asked<'_>, exchange: &Exchange) -> Result<Answer, Lost> {
        Self::request(self, asked, exchange).await
    }

    async fn notify(&self, session: u64, method: &str, params: Option<&str>) {
        Self::notify(self, session, method, params).await;
    }

    fn leave(&self, session: u64) {
        Self::leave(self, session);
    }
}
