//! Tasks: which server works at which, and for whom.

use std::sync::Arc;

use sayso_core::json::Value;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::Kind;
use super::exchange::Exchange;
use super::{Behind, Inner, Judge, lists, route};
use crate::server::Asked;

impl<J: Judge> Inner<J> {
    /// `tasks/get`, `tasks/result`, `tasks/cancel`, `tasks/update`: whoever a task was begun for
    /// may ask for it, and nobody else.
    pub(super) async fn task(&self, exchange: &Exchange, method: &str, message: &Message) -> Reply {
        let params = message.params();
        let id = params.and_then(|params| params.get("taskId")?.as_str());
        let Some(id) = id else {
            return Reply::error(code::INVALID_PARAMS, "`taskId` is missing or no string");
        };
        let server = self.tasks.server(&exchange.caller().name, &id);
        let server = server.and_then(|name| self.server(&name));
        let Some(server) = server else {
            return Reply::error(code::INVALID_PARAMS, "there is no such task");
        };
        let asked = Asked {
            method,
            params: params.map(Value::raw),
            name: None,
            input_schema: None,
            kept: None,
            timeout: None,
        };
        route::reply(
            &*server,
            server.request(asked, exchange).await,
            Kind::Plain,
            exchange,
        )
    }

    /// `tasks/list` (MCP 2025-11-25): those of all servers that were begun for this caller.
    pub(super) async fn list_tasks(&self, exchange: &Exchange) -> Reply {
        let mut tasks = Vec::new();
        for server in self.judge.servers() {
            let state = server.state();
            let hello = state.hello.as_ref();
            let has_tasks =
                hello.is_some_and(|hello| hello.root().at(&["capabilities", "tasks"]).is_some());
            if has_tasks {
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
                let owner = id.and_then(|id| self.tasks.server(&exchange.caller().name, &id));
                if owner.as_deref() == Some(server.name()) {
                    tasks.push(task.raw().to_owned());
                }
            }
        }
    }
}
