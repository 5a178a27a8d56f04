//! What the hosts' side asks of the gate.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::hint::Hint;
use sayso_core::journal::{self, Record};
use sayso_core::json::Document;
use sayso_core::lock::PinnedServer;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};
use sayso_mcp::server::Era;
use tokio::sync::watch;

use super::{Gate, Picture};
use crate::call::{self, Context, journal_reasons};
use crate::caller::Caller;
use crate::catalogue::{Catalogue, RESOLUTION, Tool, as_hints};
use crate::host::{Access, Begun, CallReply, Exchange, Item, Judge, no_task};
use crate::policy::{Action, Decision, Question, SessionFacts, Subject, Verdict};
use crate::refusal::{ReasonCode, Refusal};
use crate::server::Server;
use crate::settings::{FirstUse, ReadsKept};
use crate::spans::CallSpan;
use crate::stages::inspect::Inspected;
use crate::stages::parse::Parsed;
use crate::stages::{identify, resolve};

/// How long after the start of the gate its servers are waited for.
const START_PATIENCE: Duration = Duration::from_secs(10);

impl Judge for Gate {
    type Server = Server;

    fn servers(&self) -> Vec<Arc<Server>> {
        Self::servers(self)
    }

    fn caller(&self, principal: &str) -> Caller {
        Caller {
            name: principal.to_owned(),
            groups: self.rules.load().settings.groups_of(principal),
        }
    }

    fn now(&self) -> i64 {
        self.expiry_now().0
    }

    fn served_as(&self, server: &str, name: &str) -> String {
        crate::catalogue::served_as(&self.rules.load().settings, server, name)
    }

    async fn list(&self, exchange: &Exchange) -> Reply {
        self.started(|_| false).await;
        let picture = self.picture();
        match picture.catalogue() {
            Ok(catalogue) => Reply::Result(catalogue.result(
                exchange.caller(),
                exchange.transport(),
                self.now().0,
            )),
            Err(refusal) => {
                let known = self.known("tools/list", exchange);
                self.refused(known, &refusal).await;
                call::refuse(&refusal)
            }
        }
    }

    async fn call(
        &self,
        exchange: &Exchange,
        message: &Message,
        headers: &[(String, String)],
    ) -> CallReply {
        // A server that takes long keeps nobody from the tools of the others.
        let name = message
            .params()
            .and_then(|params| params.get("name")?.as_str());
        let name = name.unwrap_or_default();
        let is_there = |picture: &Picture| {
            let catalogue = picture.catalogue();
            catalogue.is_ok_and(|catalogue| catalogue.get(&name).is_some())
        };
        self.started(is_there).await;
        call::call(self, exchange, message, headers).await
    }

    async fn resolve(&self, exchange: &Exchange, message: &Message) -> Reply {
        match self.resolved(exchange, message) {
            Ok(reply) => reply,
            Err(refusal) => {
                let known = self.known("tools/resolve", exchange);
                self.refused(known, &refusal).await;
                Reply::Error {
                    code: code::INVALID_PARAMS,
                    message: refusal.message,
                    data: None,
                }
            }
        }
    }

    async fn admit(&self, exchange: &Exchange, access: Access<'_>) -> Result<(), Reply> {
        let (server, what) = match access.item {
            Item::Prompt { server, name } => (server, name),
            Item::Resource { server, uri } => (server, uri),
            Item::Method { server, method } => (server, method),
        };
        let known = journal::Call {
            server: Some(server.to_owned()),
            served_as: Some(what.to_owned()),
            ..self.known(access.action.as_str(), exchange)
        };
        let refusal = match self.verdict(exchange, access) {
            Ok(None) => {
                self.permitted(known);
                return Ok(());
            }
            Ok(Some(verdict)) if verdict.decision == Decision::Allow => {
                self.permitted(journal::Call {
                    reasons: journal_reasons(&crate::stages::decide::reasons(&verdict)),
                    ..known
                });
                return Ok(());
            }
            Ok(Some(verdict)) => Refusal {
                reasons: crate::stages::decide::reasons(&verdict),
                ..Refusal::new(ReasonCode::Denied, verdict.explanation())
            },
            Err(refusal) => refusal,
        };
        self.refused(known, &refusal).await;
        Err(call::refuse(&refusal))
    }

    async fn admit_task(
        &self,
        exchange: &Exchange,
        task: &Begun,
        method: &str,
    ) -> Result<(), Reply> {
        let known = self.known_task(exchange, task, method);
        // Whoever began something may always end it.
        let refusal = match self.tool_of(exchange, task) {
            Err(refusal) if method != "tasks/cancel" => refusal,
            _ => {
                self.permitted(known);
                return Ok(());
            }
        };
        self.refused(known, &refusal).await;
        Err(match refusal.code {
            ReasonCode::UnknownTask => no_task(),
            _ => call::refuse(&refusal),
        })
    }

    fn shows_task(&self, exchange: &Exchange, task: &Begun) -> bool {
        self.tool_of(exchange, task).is_ok()
    }

    async fn inspect(
        &self,
        exchange: &Exchange,
        task: &Begun,
        result: &Document,
    ) -> Result<(), Reply> {
        let Ok(tool) = self.tool_of(exchange, task) else {
            return Ok(());
        };
        let refusal = match tool.inspector().map(|it| it.inspect(result.root())) {
            Ok(Inspected::Fails(invalid)) => {
                let message = format!("the result of `{}` is withheld: {invalid}", tool.served_as);
                Refusal::new(ReasonCode::ResultInvalid, message)
            }
            Ok(Inspected::Passes | Inspected::Warns(_)) => return Ok(()),
            Err(problem) => Refusal::new(ReasonCode::SchemaUnusable, problem.to_string()),
        };
        let known = self.known_task(exchange, task, "tasks/result");
        self.refused(known, &refusal).await;
        Err(call::refuse(&refusal))
    }

    fn capabilities(&self, era: Era) -> serde_json::Value {
        let picture = self.picture();
        let resolves = picture.catalogue().is_ok_and(Catalogue::is_resolvable);
        match era {
            // An extension of the modern era.
            Era::Modern if resolves => serde_json::json!({ "extensions": { RESOLUTION: {} } }),
            _ => serde_json::Value::Null,
        }
    }

    fn accepts_instructions(&self, server: &str, text: &str) -> bool {
        let rules = self.rules.load();
        let is_same = |pin: &PinnedServer| pin.instructions.as_deref() == Some(text);
        if let Some(pin) = rules.lock.servers.get(server) {
            return is_same(pin);
        }
        if let Some(pin) = self.memory().first_pins.get(server) {
            return is_same(pin);
        }
        let settings = rules.settings.servers.get(server);
        settings.is_some_and(|settings| settings.first_use != FirstUse::Refuse)
    }

    fn shows(&self, exchange: &Exchange, access: Access<'_>) -> bool {
        matches!(
            self.verdict(exchange, access),
            Ok(None)
                | Ok(Some(Verdict {
                    decision: Decision::Allow | Decision::Ask,
                    ..
                }))
        )
    }

    fn views(&self) -> watch::Receiver<u64> {
        Self::views(self)
    }

    fn refused(&self, caller: &Caller, session: Option<u64>, reason: ReasonCode, what: &str) {
        self.metrics.refusal(reason.as_str());
        self.writer()
            .write(Record::Refused(Box::new(journal::Refused {
                call: journal::Call {
                    call: self.call_id(),
                    caller: caller.name.clone(),
                    session: session.map(|session| session.to_string()),
                    ..journal::Call::default()
                },
                code: reason.as_str().into(),
                remedy: Some(reason.remedy().to_owned()),
                said: what.to_owned(),
            })));
    }
}

impl Gate {
    /// Waits until there is `enough` to be seen, no server is being started for the first time, or
    /// the patience with those that are is at its end.
    async fn started(&self, enough: impl Fn(&Picture) -> bool) {
        let mut views = Self::views(self);
        let settled = async {
            loop {
                views.borrow_and_update();
                let picture = self.picture();
                if !picture.is_starting || enough(&picture) || views.changed().await.is_err() {
                    return;
                }
            }
        };
        let patience = START_PATIENCE.saturating_sub(self.began.elapsed());
        let _ = tokio::time::timeout(patience, settled).await;
    }

    fn known(&self, method: &str, exchange: &Exchange) -> journal::Call {
        let context = Context {
            gate: self,
            exchange,
            picture: self.picture(),
            id: self.call_id(),
            began: std::time::Instant::now(),
            now: self.now(),
            span: CallSpan::none(),
        };
        journal::Call {
            method: Some(method.to_owned()),
            ..context.begin()
        }
    }

    fn known_task(&self, exchange: &Exchange, task: &Begun, method: &str) -> journal::Call {
        journal::Call {
            server: Some(task.server.clone()),
            tool: Some(task.tool.clone()),
            ..self.known(method, exchange)
        }
    }

    /// The tool that began a task, where it can still be called by this caller as far as no argument
    /// is looked at.
    fn tool_of(&self, exchange: &Exchange, task: &Begun) -> Result<Arc<Tool>, Refusal> {
        let picture = self.picture();
        let served_as = Judge::served_as(self, &task.server, &task.tool);
        let (caller, transport) = (exchange.caller(), exchange.transport());
        let catalogue = picture.catalogue()?;
        let tool = resolve::resolve(catalogue, &served_as, caller, transport, self.now().0);
        match tool {
            Ok(tool) if tool.key.server == task.server && tool.key.tool == task.tool => Ok(tool),
            Err(refusal) if refusal.code != ReasonCode::UnknownTool => Err(refusal),
            _ => {
                let why = "the tool that began it is not there for this caller any more";
                Err(Refusal {
                    kept_back: Some(why.to_owned()),
                    ..Refusal::new(ReasonCode::UnknownTask, "there is no such task")
                })
            }
        }
    }

    /// Writes down that a request that is no call is let through, without holding it up.
    fn permitted(&self, known: journal::Call) {
        if self.rules.load().settings.journal.reads == ReadsKept::Denied {
            return;
        }
        let known = journal::Call {
            decision: Some(journal::Decision::Allow),
            ..known
        };
        self.writer().write(Record::Permitted(Box::new(known)));
    }

    /// What policies say of something that is no tool; `None` for what they do not know, which is
    /// passed on.
    fn verdict(&self, exchange: &Exchange, access: Access<'_>) -> Result<Option<Verdict>, Refusal> {
        let subject = match access.item {
            Item::Prompt { server, name } => Subject::Prompt { server, name },
            Item::Resource { server, uri } => Subject::Resource { server, uri },
            Item::Method { .. } => return Ok(None),
        };
        let picture = self.picture();
        let session = match access.action {
            Action::List => SessionFacts::default(),
            _ => self.facts.of(exchange.session()),
        };
        let question = Question {
            caller: exchange.caller(),
            action: access.action,
            subject,
            arguments: None,
            confirmed: false,
            now: self.now().0,
            transport: exchange.transport(),
            session,
        };
        Ok(Some(picture.catalogue()?.policies.decide(&question)))
    }

    /// The values of a call, without making it (extension `io.modelcontextprotocol/tool-resolution`,
    /// draft of 2026-08-20).
    fn resolved(&self, exchange: &Exchange, message: &Message) -> Result<Reply, Refusal> {
        let parsed = Parsed::read(message)?;
        let caller = identify::identify(exchange)?;
        let picture = self.picture();
        let catalogue = picture.catalogue()?;
        let name = parsed.tool();
        let transport = exchange.transport();
        let tool = resolve::resolve(catalogue, &name, caller, transport, self.now().0)?;
        let validator = tool
            .validator()
            .map_err(|problem| Refusal::new(ReasonCode::SchemaUnusable, problem.to_string()))?;
        let judged = validator.check(parsed.arguments).map_err(Refusal::from)?;
        let values = tool.effective(judged.arguments(parsed.arguments), None);
        let hints = as_hints(&values.effective);
        let annotations: serde_json::Map<_, _> = Hint::ALL
            .iter()
            .map(|hint| (hint.key().to_owned(), (*hints.get(*hint)).into()))
            .collect();
        let result = serde_json::json!({
            "resultType": "complete",
            "name": tool.served_as,
            "annotations": annotations,
        });
        Ok(Reply::Result(result.to_string()))
    }
}
