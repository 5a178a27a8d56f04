//! What a trace has of a call: a span for the call as its host sees it, one for the time a person is
//! waited for, and one for each attempt at the server.
//!
//! They are made with `tracing` and cost next to nothing where nobody listens for [`TARGET`]. Names
//! and attributes are those of OpenTelemetry's conventions for MCP where it has some ("Semantic
//! conventions for Model Context Protocol", status: development), else they begin with `sayso.`.
//! Arguments and results are never among them.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::journal::{self, OutcomeKind};
use sayso_core::json::{Document, Limits, Splice, Value};
use sayso_mcp::downstream::Transport;
use sayso_mcp::jsonrpc::{Message, MessageKind};
use tracing::Span;
use tracing::field::Empty;

use crate::catalogue::{Tool, json_string};
use crate::host::Exchange;
use crate::refusal::Refusal;

/// What spans of calls are told apart by. They are of no use in a log.
pub const TARGET: &str = "sayso::calls";

/// The name of a span of a call whose tool is not known.
const CALL: &str = "tools/call";

/// The key of `_meta` with the span that a request belongs to (SEP-414; W3C Trace Context).
const TRACEPARENT: &str = "traceparent";

/// The key of `_meta` with what tracing systems add to that.
const TRACESTATE: &str = "tracestate";

/// Which span of which trace something belongs to, as W3C Trace Context writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// `traceparent`.
    pub traceparent: String,
    /// `tracestate`.
    pub tracestate: Option<String>,
}

/// Ties spans to the traces of those who call and those who are called.
pub trait Propagation: fmt::Debug + Send + Sync + 'static {
    /// Makes a span, which has just begun, part of the trace of whoever called. What cannot be read
    /// is passed over.
    fn follow(&self, span: &Span, caller: &TraceContext);

    /// What whoever is called in this span is told.
    fn context(&self, span: &Span) -> Option<TraceContext>;
}

static PROPAGATION: OnceLock<Box<dyn Propagation>> = OnceLock::new();

/// Has spans tied together like this from now on, in the whole program. `false` where that was set
/// before; it stays as it was then.
pub fn propagate(propagation: Box<dyn Propagation>) -> bool {
    PROPAGATION.set(propagation).is_ok()
}

/// The span of a call, from its coming in to its answer. It ends when it is dropped.
#[derive(Debug)]
pub struct CallSpan {
    span: Span,
    /// Whether it has what is known of the call.
    is_told: AtomicBool,
}

impl CallSpan {
    pub(crate) fn begin(exchange: &Exchange, message: &Message, id: &str) -> Self {
        let span = tracing::info_span!(
            target: TARGET,
            CALL,
            "otel.name" = Empty,
            "otel.kind" = "server",
            "otel.status_code" = Empty,
            "mcp.method.name" = CALL,
            "mcp.protocol.version" = exchange.introduction().protocol_version.as_str(),
            "jsonrpc.request.id" = Empty,
            "network.transport" = transport(exchange.transport()),
            "gen_ai.operation.name" = "execute_tool",
            "gen_ai.tool.name" = Empty,
            "error.type" = Empty,
            "sayso.call" = id,
            "sayso.caller" = exchange.caller().name.as_str(),
            "sayso.session" = exchange.session().id(),
            "sayso.server" = Empty,
            "sayso.tool" = Empty,
            "sayso.pin" = Empty,
            "sayso.decision" = Empty,
            "sayso.reasons" = Empty,
            "sayso.approval" = Empty,
            "sayso.outcome" = Empty,
        );
        if !span.is_disabled() {
            follow(&span, message);
        }
        Self {
            span,
            is_told: AtomicBool::new(false),
        }
    }

    /// One that no trace has.
    pub(crate) fn none() -> Self {
        Self {
            span: Span::none(),
            is_told: AtomicBool::new(true),
        }
    }

    /// The call is of this tool. What is called and is no tool may be anything, and names no span.
    pub(crate) fn name(&self, served_as: &str) {
        if !self.span.is_disabled() {
            let name = format!("{CALL} {served_as}");
            self.span.record("otel.name", name.as_str());
            self.span.record("gen_ai.tool.name", served_as);
        }
    }

    /// What became known of the call on its way; told once, for a span would have it twice.
    pub(crate) fn know(&self, known: &journal::Call) {
        if self.span.is_disabled() || self.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = |field, value: Option<&str>| {
            if let Some(value) = value {
                self.span.record(field, value);
            }
        };
        text("sayso.server", known.server.as_deref());
        text("sayso.tool", known.tool.as_deref());
        text("sayso.pin", known.pin.as_deref());
        text("sayso.approval", known.approval.as_deref());
        let decision = known.decision.map(journal::Decision::as_str);
        text("sayso.decision", decision);
        if !known.reasons.is_empty() {
            let ids = known.reasons.iter().map(|reason| reason.id.as_str());
            text("sayso.reasons", Some(&ids.collect::<Vec<_>>().join(" ")));
        }
    }

    /// The call is refused.
    pub(crate) fn refused(&self, refusal: &Refusal) {
        failed(&self.span, refusal.code.as_str());
        if let Some(approval) = &refusal.approval {
            self.span.record("sayso.approval", approval.as_str());
        }
    }

    /// The server has answered.
    pub(crate) fn came_of(&self, outcome: OutcomeKind) {
        came_of(&self.span, outcome);
    }

    /// A person is waited for.
    pub(crate) fn waiting(&self, approval: &str) -> Span {
        let call = &self.span;
        tracing::info_span!(target: TARGET, parent: call, "approval", "sayso.approval" = approval)
    }
}

/// The span of one attempt at the server. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct AttemptSpan(Span);

impl AttemptSpan {
    pub(crate) fn begin(call: &CallSpan, tool: &Tool, attempt: u32) -> Self {
        let call = &call.span;
        let span = tracing::info_span!(
            target: TARGET,
            parent: call,
            CALL,
            "otel.name" = Empty,
            "otel.kind" = "client",
            "otel.status_code" = Empty,
            "mcp.method.name" = CALL,
            "gen_ai.operation.name" = "execute_tool",
            "gen_ai.tool.name" = tool.key.tool.as_str(),
            "error.type" = Empty,
            "sayso.server" = tool.key.server.as_str(),
            "sayso.attempt" = attempt,
            "sayso.outcome" = Empty,
        );
        if !span.is_disabled() {
            let name = format!("{CALL} {}", tool.key.tool);
            span.record("otel.name", name.as_str());
        }
        Self(span)
    }

    pub(crate) fn came_of(&self, outcome: OutcomeKind) {
        came_of(&self.0, outcome);
    }

    /// The parameters of the request: as they are, or with the span it belongs to in `_meta`.
    pub(crate) fn carried<'a>(&self, params: &'a str) -> Cow<'a, str> {
        let propagation = PROPAGATION.get().filter(|_| !self.0.is_disabled());
        propagation
            .and_then(|propagation| propagation.context(&self.0))
            .and_then(|context| told(&context, params))
            .map_or(Cow::Borrowed(params), Cow::Owned)
    }
}

fn follow(span: &Span, message: &Message) {
    if let MessageKind::Request { id, .. } = message.kind() {
        span.record("jsonrpc.request.id", id.to_json());
    }
    let text = |key| {
        let value = message.params()?.at(&["_meta", key])?;
        value.as_str().map(Cow::into_owned)
    };
    if let (Some(propagation), Some(traceparent)) = (PROPAGATION.get(), text(TRACEPARENT)) {
        let tracestate = text(TRACESTATE);
        let caller = TraceContext {
            traceparent,
            tracestate,
        };
        propagation.follow(span, &caller);
    }
}

fn came_of(span: &Span, outcome: OutcomeKind) {
    span.record("sayso.outcome", outcome.as_str());
    match outcome {
        OutcomeKind::Result | OutcomeKind::InputRequired => {}
        // As the conventions have it.
        OutcomeKind::ToolError => failed(span, "tool_error"),
        other => failed(span, other.as_str()),
    }
}

fn failed(span: &Span, kind: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", kind);
}

fn told(context: &TraceContext, params: &str) -> Option<String> {
    let limits = Limits {
        max_bytes: usize::MAX,
        ..Limits::default()
    };
    let document = Document::parse(params.to_owned(), &limits).ok()?;
    let root = document.root();
    let mut splice = Splice::new(root);
    let traceparent = json_string(&context.traceparent);
    let tracestate = context.tracestate.as_deref().map(json_string);
    match root.get("_meta").filter(|meta| Value::is_object(*meta)) {
        Some(meta) => {
            splice.set(meta, TRACEPARENT, traceparent);
            match (tracestate, meta.get(TRACESTATE)) {
                (Some(tracestate), _) => {
                    splice.set(meta, TRACESTATE, tracestate);
                }
                (None, Some(stale)) => {
                    splice.remove(stale);
                }
                (None, None) => {}
            }
        }
        None => {
            let tracestate = tracestate.map(|state| format!(r#","{TRACESTATE}":{state}"#));
            let tracestate = tracestate.unwrap_or_default();
            let meta = format!(r#"{{"{TRACEPARENT}":{traceparent}{tracestate}}}"#);
            splice.set(root, "_meta", meta);
        }
    }
    Some(splice.finish())
}

const fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Stdio => "pipe",
        Transport::Http => "tcp",
    }
}

#[cfg(test)]
mod tests {
    use super::{TraceContext, told};

    #[test]
    fn a_server_is_told_of_the_span_it_is_called_in() {
        let context = TraceContext {
            traceparent: "00-1-2-01".to_owned(),
            tracestate: None,
        };
        let with = |tracestate: Option<&str>, params| {
            let tracestate = tracestate.map(str::to_owned);
            let context = TraceContext {
                tracestate,
                ..context.clone()
            };
            told(&context, params).unwrap()
        };
        insta::assert_snapshot!(with(None, r#"{ "name": "a" }"#), @r#"{ "name": "a","_meta":{"traceparent":"00-1-2-01"} }"#);
        insta::assert_snapshot!(with(Some("k=v"), r#"{ "name": "a" }"#), @r#"{ "name": "a","_meta":{"traceparent":"00-1-2-01","tracestate":"k=v"} }"#);
        let params =
            r#"{"_meta": {"traceparent": "00-9-9-00", "own": 1.0, "tracestate": "old=1"}}"#;
        insta::assert_snapshot!(with(None, params), @r#"{"_meta": {"traceparent": "00-1-2-01", "own": 1.0}}"#);
        insta::assert_snapshot!(with(Some("k=v"), params), @r#"{"_meta": {"traceparent": "00-1-2-01", "own": 1.0, "tracestate": "k=v"}}"#);
        insta::assert_snapshot!(with(Some("k=v"), r#"{"_meta": {"own": 1}}"#), @r#"{"_meta": {"own": 1,"traceparent":"00-1-2-01","tracestate":"k=v"}}"#);
    }
}
