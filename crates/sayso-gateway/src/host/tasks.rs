//! Tasks: which server works at which, and for whom.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::json::{Splice, Value};
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};

use super::adapt::{self, Kind};
use super::exchange::Exchange;
use super::{Behind, Inner, Judge, route};
use crate::server::{Answer, Asked};

/// Tasks that are remembered; the oldest are forgotten first.
const MAX_TASKS: usize = 16_384;

/// Pages of one server's tasks that are read for one listing.
const MAX_PAGES: usize = 100;

/// The tasks that servers have begun for callers.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The server, by caller and id of the task; none where two servers gave one id.
    servers: HashMap<(String, String), Option<String>>,
    order: VecDeque<(String, String)>,
}

impl Tasks {
    pub(super) fn remember(&self, caller: &str, id: &str, server: &str) {
        let key = (caller.to_owned(), id.to_owned());
        let mut state = self.lock();
        if let Some(known) = state.servers.get_mut(&key) {
            if known.as_deref() != Some(server) {
                *known = None;
            }
            return;
        }
        if state.order.len() >= MAX_TASKS
            && let Some(oldest) = state.order.pop_front()
        {
            state.servers.remove(&oldest);
        }
        state.order.push_back(key.clone());
        state.servers.insert(key, Some(server.to_owned()));
    }

    pub(super) fn server(&self, caller: &str, id: &str) -> Option<String> {
        let key = (caller.to_owned(), id.to_owned());
        self.lock().servers.get(&key).cloned().flatten()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
            timeout: None,
        };
        route::reply(
            server.name(),
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
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let params = cursor
                .as_deref()
                .map(|cursor| format!(r#"{{"cursor":{}}}"#, adapt::quoted(cursor)));
            let asked = Asked {
                method: "tasks/list",
                params: params.as_deref(),
                name: None,
                input_schema: None,
                timeout: Some(self.options.list_timeout),
            };
            let Ok(Answer::Result(page)) = server.request(asked, exchange).await else {
                return;
            };
            let listed = page.root().get("tasks");
            for task in listed.into_iter().flat_map(Value::elements) {
                let id = task.get("taskId").and_then(Value::as_str);
                let owner = id.and_then(|id| self.tasks.server(&exchange.caller().name, &id));
                if owner.as_deref() == Some(server.name()) {
                    tasks.push(Splice::new(task).finish());
                }
            }
            let next = page.root().get("nextCursor").and_then(Value::as_str);
            let next = next.map(std::borrow::Cow::into_owned);
            if next.is_none() || next == cursor {
                return;
            }
            cursor = next;
        }
    }
}
