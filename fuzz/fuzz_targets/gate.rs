//! Any message: what the gate lets pass, every other reader reads as the gate did.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use sayso_core::effective::{Basis, Evidence, Trust, decide};
use sayso_core::hint::{Claim, Hints};
use sayso_core::json::{Document, Limits, Value};
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{
    Action, Decision, PinState, Policies, PolicySource, Question, SessionFacts, Subject, ToolFacts,
};
use sayso_gateway::settings::{JournalSettings, ToolSettings};
use sayso_gateway::stages::parse::Parsed;
use sayso_gateway::stages::validate::Validator;
use sayso_mcp::jsonrpc::Message;
use sayso_mcp::server::Transport;

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},
    "lines":{"type":"integer","default":10},"deep":{"type":"object"}},"required":["path"]}"#;

const POLICY: &str = r#"permit (principal, action == Action::"call", resource == Tool::"files/read")
    when { context.arguments.path like "/srv/*" };"#;

struct Gate {
    tool: ToolFacts,
    policies: Policies,
    validator: Validator,
}

fn gate() -> &'static Gate {
    static GATE: OnceLock<Gate> = OnceLock::new();
    GATE.get_or_init(|| {
        let claims = Hints::from_fn(|_| Claim::Absent);
        let basis = Basis { claims, trust: Trust::Untrusted, ..Basis::default() };
        let tool = ToolFacts {
            server: "files".to_owned(),
            name: "read".to_owned(),
            served_as: "read".to_owned(),
            trust: Trust::Untrusted,
            input_schema: Document::parse(SCHEMA.to_owned(), &Limits::default()).ok(),
            claims,
            ruling: None,
            observed: Hints::from_fn(|_| Evidence::Untested),
            effective: decide(&basis),
            cases: Vec::new(),
            pin: PinState::Pinned,
            undo: None,
            labels: Vec::new(),
        };
        let source = PolicySource { name: "fuzz.cedar".to_owned(), text: POLICY.to_owned() };
        let settings = ToolSettings {
            defaults: sayso_gateway::settings::Defaults::Apply,
            ..ToolSettings::default()
        };
        let validator = Validator::compile(SCHEMA, &settings, &JournalSettings::default());
        Gate {
            policies: Policies::load(&[source], std::slice::from_ref(&tool)).unwrap(),
            validator: validator.unwrap(),
            tool,
        }
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::from_bytes(bytes.to_vec(), &Limits::default()) else { return };
    let Ok(message) = Message::classify(document) else { return };
    let Ok(parsed) = Parsed::read(&message) else { return };
    let gate = gate();
    let Ok(judged) = gate.validator.check(parsed.arguments) else { return };
    let sent = judged.arguments(parsed.arguments);
    let caller = Caller { name: "local".to_owned(), groups: Vec::new() };
    let key = gate.tool.key();
    let verdict = gate.policies.decide(&Question {
        caller: &caller,
        action: Action::Call,
        subject: Subject::Tool { key: &key, effective: &gate.tool.effective.effective },
        arguments: sent,
        confirmed: false,
        now: 0,
        transport: Transport::Stdio,
        session: SessionFacts::default(),
    });
    if verdict.decision != Decision::Allow {
        return;
    }
    // Another reader, which takes the last of equal keys: it finds the same tool, and a path that
    // the policy allows.
    let Ok(all) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    assert_eq!(all.pointer("/params/name").and_then(|name| name.as_str()), Some(&*parsed.tool()));
    let sent: serde_json::Value = serde_json::from_str(sent.map_or("{}", Value::raw)).unwrap();
    for path in [all.pointer("/params/arguments/path"), sent.pointer("/path")] {
        assert!(path.and_then(|path| path.as_str()).is_some_and(|path| path.starts_with("/srv/")));
    }
    assert!(sent.get("lines").is_some());
});
