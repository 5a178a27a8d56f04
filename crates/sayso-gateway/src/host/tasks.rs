//! Tasks: which call began which, and for whom (MCP 2025-11-25, "Tasks", and the extension
//! `io.modelcontextprotocol/tasks`). A task is its caller's, goes by what holds of the tool that
//! began it, and is known for as long as the gate runs: for anybody else, and after that, there is
//! no such task.

use std::sync::Arc;

use sayso_core::json::{Document, Value};
use sayso_core::reveal::reveal_line;
use sayso_mcp::downstream::{Era, Reply};
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::{Access, Behind, Inner, Item, Judge, lists, route};
use crate::policy::Action;
use crate::refusal::ReasonCode;
use crate::server::{Answer, Asked};

/// The call that began a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The server.
    pub server: String,
    /// The tool, by its name there.
    pub tool: String,
}

impl<J: Judge> Inner<J> {
    /// `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/update`: whoever a task was begun for
    /// may ask for it, and nobody else.
    pub(super) async fn task(&self, exchange: &Exchange, method: &str, message: &Message) -> Reply {
        let params = message.params();
        let id = params.and_then(|params| params.get("taskId")?.as_str());
        let (Some(params), Some(id)) = (params, id) else {
            return Reply::error(code::INVALID_PARAMS, "`taskId` is missing or no string");
        };
        if params.get_all("taskId").nth(1).is_some() {
            return Reply::error(code::INVALID_PARAMS, "`taskId` stands there more than once");
        }
        let begun = self.tasks.get(&exchange.caller().name, &id);
        let server = begun.as_ref().and_then(|begun| self.server(&begun.server));
        let (Some(begun), Some(server)) = (begun, server) else {
            let shown: String = id.chars().take(128).collect();
            let what = format!(
                "{method} of `{}`: no task of this caller",
                reveal_line(&shown)
            );
            let (caller, session) = (exchange.caller(), exchange.session().id());
            self.judge
                .refused(caller, Some(session), ReasonCode::UnknownTask, &what);
            return no_task();
        };
        if let Err(refusal) = self.judge.admit_task(exchange, &begun, method).await {
            return refusal;
        }
        let asked = Asked {
            method,
            params: Some(params.raw()),
            name: None,
            input_schema: None,
            kept: None,
            timeout: None,
        };
        let answer = server.request(asked, exchange).await;
        if let Ok(Answer::Result(answer)) = &answer
            && let Some(result) = result_of(method, exchange.era(), answer)
            && let Err(refusal) = self.judge.inspect(exchange, &begun, &result).await
        {
            return refusal;
        }
        route::reply(&*server, answer, Kind::Plain, exchange)
    }

    /// `tasks/list` (MCP 2025-11-25): those of all servers that were begun for this caller.
    pub(super) async fn list_tasks(&self, exchange: &Exchange) -> Reply {
        let mut tasks = Vec::new();
        for server in self.judge.servers() {
            let state = server.state();
            let hello = state.hello.as_ref();
            let has_tasks =
                hello.is_some_and(|hello| hello.root().at(&["capabilities", "tasks"]).is_some());
            let access = Access {
                action: Action::Call,
                item: Item::Method {
                    server: server.name(),
                    method: "tasks/list",
                },
            };
            if has_tasks && self.judge.admit(exchange, access).await.is_ok() {
                self.tasks_of(&server, exchange, &mut tasks).await;
            }
        }
        Reply::Result(format!(r#"{{"tasks":[{}]}}"#, tasks.join(",")))
    }

    async fn tasks_of(
        &self,
        server: &Arc<J::Server>,
        exchange: &Exchange,
        tasks: &mut Vec<String>,
    ) {
        let timeout = self.options.list_timeout;
        let pages = lists::pages(&**server, exchange, "tasks/list", timeout).await;
        for page in pages.iter().flatten() {
            let listed = page.root().get("tasks");
            for task in listed.into_iter().flat_map(Value::elements) {
                let id = task.get("taskId").and_then(Value::as_str);
                if id.is_some_and(|id| self.owns_task(exchange, &id, server.name())) {
                    tasks.push(task.raw().to_owned());
                }
            }
        }
    }

    /// Whether a task of a server is this caller's, and one of a tool that the caller is shown.
    pub(super) fn owns_task(&self, exchange: &Exchange, id: &str, server: &str) -> bool {
        let begun = self.tasks.get(&exchange.caller().name, id);
        begun.is_some_and(|begun| begun.server == server && self.judge.shows_task(exchange, &begun))
    }
}

/// The answer about a task that is not there for this caller: the code is the specification's, the
/// reason the gate's.
pub(crate) fn no_task() -> Reply {
    let reason = ReasonCode::UnknownTask;
    Reply::Error {
        code: code::INVALID_PARAMS,
        message: "there is no such task".to_owned(),
        data: Some(
            serde_json::json!({ "reason": reason.as_str(), "remedy": reason.remedy() }).to_string(),
        ),
    }
}

/// The result of the call that a task came to, where an answer has it: all of the answer to
/// `tasks/result`, or a member of a modern task.
fn result_of(method: &str, era: Era, answer: &Document) -> Option<Document> {
    match (method, era) {
        ("tasks/result", _) => Some(answer.clone()),
        ("tasks/get", Era::Modern) => answer.root().get("result").map(Document::part),
        _ => None,
    }
}
