//! Tools, callers and questions for the tests of policies.

use sayso_core::effective::{Basis, Effective, Evidence, Trust, decide};
use sayso_core::hint::{Claim, Hints};
use sayso_core::json::{Document, Limits};
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{
    Action, PinState, Policies, PolicySource, Question, SessionFacts, Subject, ToolFacts, ToolKey,
    Verdict,
};
use sayso_mcp::server::Transport;

/// 2026-11-30T12:00:00Z.
pub(crate) const NOON: i64 = 1_796_040_000_000;

pub(crate) fn json(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).unwrap()
}

/// Claims in the order of the specification, a letter each: `t`rue, `f`alse, anything else absent.
pub(crate) fn claims(letters: &str) -> Hints<Claim> {
    let mut letters = letters.chars();
    Hints::from_fn(|_| match letters.next() {
        Some('t') => Claim::True,
        Some('f') => Claim::False,
        _ => Claim::Absent,
    })
}

pub(crate) fn tool(server: &str, name: &str, claimed: &str, schema: &str) -> ToolFacts {
    let claims = claims(claimed);
    let trust = Trust::Trusted;
    let basis = Basis {
        claims,
        trust,
        ..Basis::default()
    };
    ToolFacts {
        server: server.to_owned(),
        name: name.to_owned(),
        served_as: format!("{server}_{name}"),
        trust,
        input_schema: Some(json(schema)),
        claims,
        ruling: None,
        observed: Hints::from_fn(|_| Evidence::Untested),
        effective: decide(&basis),
        cases: Vec::new(),
        pin: PinState::Pinned,
        undo: None,
        labels: Vec::new(),
    }
}

/// A file server with three tools and a mail server with one.
pub(crate) fn tools() -> Vec<ToolFacts> {
    let path = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let write = r#"{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"integer"},
        "force":{"type":["boolean","null"]},"ratio":{"type":"number"}},"required":["path"]}"#;
    let send = r#"{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}},
        "subject":{"type":"string"},"body":{"type":"string"}},"required":["to","body"]}"#;
    vec![
        tool("files", "read", "t--f", path),
        tool("files", "write", "fftf", write),
        tool("files", "delete", "fttf", path),
        tool("mail", "send", "ff-t", send),
    ]
}

pub(crate) fn source(text: &str) -> Vec<PolicySource> {
    vec![PolicySource {
        name: "rules.cedar".to_owned(),
        text: text.to_owned(),
    }]
}

pub(crate) fn load(text: &str) -> Policies {
    Policies::load(&source(text), &tools()).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn refused(text: &str) -> String {
    match Policies::load(&source(text), &tools()) {
        Ok(_) => "it loads".to_owned(),
        Err(errors) => errors.to_string(),
    }
}

pub(crate) fn caller(name: &str, groups: &[&str]) -> Caller {
    Caller {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    }
}

/// A call that is about to be asked about.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) caller: Caller,
    pub(crate) action: Action,
    pub(crate) key: ToolKey,
    pub(crate) effective: Effective,
    pub(crate) arguments: Document,
    pub(crate) confirmed: bool,
    pub(crate) now: i64,
    pub(crate) transport: Transport,
    pub(crate) session: SessionFacts,
}

pub(crate) fn ask(tool: &ToolFacts, arguments: &str) -> Ask {
    Ask {
        caller: caller("ada", &["staff"]),
        action: Action::Call,
        key: tool.key(),
        effective: tool.effective.effective,
        arguments: json(arguments),
        confirmed: false,
        now: NOON,
        transport: Transport::Stdio,
        session: SessionFacts::default(),
    }
}

impl Ask {
    pub(crate) fn question(&self) -> Question<'_> {
        Question {
            caller: &self.caller,
            action: self.action,
            subject: Subject::Tool {
                key: &self.key,
                effective: &self.effective,
            },
            arguments: Some(self.arguments.root()),
            confirmed: self.confirmed,
            now: self.now,
            transport: self.transport,
            session: self.session,
        }
    }
}

/// A verdict as one line.
pub(crate) fn line(verdict: &Verdict) -> String {
    let reasons = verdict.reasons.iter().map(|reason| reason.id.to_string());
    let mut parts: Vec<String> = reasons.collect();
    parts.extend(verdict.errors.iter().map(|error| format!("!{error}")));
    format!("{} [{}]", verdict.decision, parts.join(", "))
}

/// What policies decide of a call of a tool by its place in [`tools`].
pub(crate) fn decided(policies: &Policies, tool: usize, arguments: &str) -> String {
    let tools = tools();
    let asked = ask(tools.get(tool).unwrap(), arguments);
    line(&policies.decide(&asked.question()))
}
