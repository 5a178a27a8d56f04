//! Clients that people use, through the gate to the scratch server: over stdio at both ends, and
//! over HTTP at both ends, in the era that each speaks by itself.

use serde_json::{Value, json};

use super::persons::answered;
use crate::gate::support::{Place, Web};
use crate::real_clients::drive::{Client, Driven, Over, Running, Scratch, Served};
use crate::real_clients::{
    ALL, INSPECTOR, LANGCHAIN, MCP_USE, OPENAI_AGENTS, PYDANTIC_AI, PYTHON_SDK_1, PYTHON_SDK_2,
    TYPESCRIPT_SDK_1, TYPESCRIPT_SDK_2, append, change, counts, each, list, wipe,
};

/// One tool that nobody is shown, and one that may not have every argument.
const RULES: &str = r#"
@id("nobody-purges")
forbid (principal, action == Action::"call", resource == Tool::"scratch/purge_tenant");

@id("closed-year")
@reason("invoices of a closed year stay where they are")
forbid (principal, action == Action::"call", resource == Tool::"scratch/send_invoice_email")
when { context.arguments.invoice like "INV-0*" };
"#;

/// The scratch server behind a gate.
pub(super) struct Gated {
    pub(super) scratch: Scratch,
    pub(super) place: Place,
    /// The server and the gate where they are reached over HTTP.
    listening: Option<(Served, Web)>,
}

impl Gated {
    pub(super) fn new(over: Over, approval: &str) -> Self {
        let scratch = Scratch::new(&[]);
        let settings = format!(
            "policy = [\"spec-default\", \"rules.cedar\"]\napproval = \"{approval}\"\nwait = 40"
        );
        let mut place = Place::new(&settings);
        place.write("rules.cedar", RULES);
        let served = (over == Over::Http).then(|| scratch.serve());
        let reached = match &served {
            Some(served) => format!("url = {}", json!(served.url)),
            None => format!(
                "command = {}\nargs = [\"scratch\", \"--dir\", {}]",
                json!(env!("CARGO_BIN_EXE_sayso")),
                json!(scratch.folder())
            ),
        };
        place.any_server("scratch", &format!("{reached}\ntrust = \"trusted\""));
        place.pin();
        let listening = served.map(|served| {
            let gate = place.listening();
            (served, gate)
        });
        Self {
            scratch,
            place,
            listening,
        }
    }

    /// Starts a client on its way through the steps.
    fn start(&self, client: Client, mut script: Value) -> Running {
        let directory = self.place.directory();
        match &self.listening {
            Some((_, gate)) => script["url"] = json!(format!("http://{}/mcp", gate.address())),
            None => {
                let program = env!("CARGO_BIN_EXE_sayso");
                let settings = directory.join("sayso.toml");
                script["command"] = json!([program, "gate", "--settings", settings]);
            }
        }
        Running::start(client, &script, &directory, &directory)
    }

    /// How many calls of a tool the server got.
    pub(super) fn calls(&self, tool: &str) -> Value {
        counts(&self.scratch.report(), tool)["calls"].clone()
    }
}

fn invoice(number: &str) -> Value {
    json!({ "call": "send_invoice_email", "arguments": { "invoice": number } })
}

/// What a client shows of the only call of a step: of a result, or of an error of its own.
fn words(driven: &Driven, step: usize) -> String {
    let answer = &driven.answers(step)[0];
    let words = match &answer["error"] {
        Value::Null => &answer["text"],
        error => error,
    };
    words.as_str().unwrap().to_owned()
}

/// Asserts that a client shows something of the only call of a step.
#[track_caller]
fn shows(driven: &Driven, step: usize, wanted: &str) {
    let words = words(driven, step);
    assert!(words.contains(wanted), "{}", driven.answers(step)[0]);
}

/// A client lists, reads, has one change approved and one denied by the operator, is refused a
/// call, and lists again when a tool has become more dangerous.
fn through(client: Client, over: Over) -> String {
    let gated = Gated::new(over, "terminal");
    let read = json!({ "call": "list_indexes" });
    let refused = invoice("INV-0042");
    // These are not told, or do not say so: they connect anew, or do not listen.
    let is_told = ![INSPECTOR, PYDANTIC_AI, OPENAI_AGENTS].contains(&client);
    let told = json!({ "wait_told": u8::from(is_told) });
    let steps = json!([
        list(),
        read,
        wipe(),
        append(),
        refused,
        change(),
        told,
        list()
    ]);
    let script = json!({ "options": { "refresh": true }, "steps": steps });
    let answer = |tool: &str| match tool {
        "wipe_index" => "approve --yes",
        _ => "deny",
    };
    let driven = answered(&gated.place, answer, || {
        let mut running = gated.start(client, script);
        running.change(|| {
            gated
                .scratch
                .set(&["reindex_document.destructiveHint=true"]);
            // One that connects anew for each step has no gate of its own at this moment.
            if client != INSPECTOR || over == Over::Http {
                gated.place.records("drift", 1);
            }
        });
        running.finish()
    });
    let names = driven.tools(0).iter().map(|tool| tool["name"].as_str());
    let names: Vec<_> = names.map(Option::unwrap).collect();
    assert_eq!(
        names,
        [
            "list_indexes",
            "wipe_index",
            "reindex_document",
            "append_note",
            "send_invoice_email"
        ]
    );
    shows(&driven, 1, "runbooks-v3");
    assert_ne!(driven.answers(2)[0]["is_error"], true);
    shows(&driven, 3, "operator denied `append_note`");
    shows(&driven, 4, "invoices of a closed year stay where they are");
    let calls = [
        "list_indexes",
        "wipe_index",
        "append_note",
        "send_invoice_email",
    ];
    assert_eq!(calls.map(|tool| gated.calls(tool)), [1, 1, 0, 0]);
    assert_eq!(gated.scratch.report()["store"]["after"]["wipes"], 1);
    gated.place.verify();
    format!(
        "told {}, reindex_document destructive={} and then {}",
        driven.told(),
        driven.hint(0, "reindex_document", "destructiveHint"),
        driven.hint(7, "reindex_document", "destructiveHint"),
    )
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn every_client_calls_through_the_gate_over_stdio() {
    insta::assert_snapshot!(each(&ALL, |client| through(client, Over::Stdio)), @"
    typescript-sdk-1        told 1, reindex_document destructive=false and then true
    typescript-sdk-2        told 1, reindex_document destructive=false and then true
    inspector               told 0, reindex_document destructive=false and then true
    python-sdk-1            told 1, reindex_document destructive=false and then true
    python-sdk-2            told 1, reindex_document destructive=false and then true
    langchain-mcp-adapters  told 1, reindex_document destructive=false and then true
    mcp-use                 told 1, reindex_document destructive=None and then None
    pydantic-ai             told 0, reindex_document destructive=false and then false
    openai-agents           told 0, reindex_document destructive=false and then true
    ");
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn every_client_calls_through_the_gate_over_http() {
    insta::assert_snapshot!(each(&ALL, |client| through(client, Over::Http)), @"
    typescript-sdk-1        told 1, reindex_document destructive=false and then true
    typescript-sdk-2        told 1, reindex_document destructive=false and then true
    inspector               told 0, reindex_document destructive=false and then true
    python-sdk-1            told 1, reindex_document destructive=false and then true
    python-sdk-2            told 1, reindex_document destructive=false and then true
    langchain-mcp-adapters  told 1, reindex_document destructive=false and then true
    mcp-use                 told 1, reindex_document destructive=None and then None
    pydantic-ai             told 0, reindex_document destructive=false and then false
    openai-agents           told 0, reindex_document destructive=false and then true
    ");
}

/// A client is asked by the gate whether an index may be wiped, and gives this answer.
fn asked(client: Client, over: Over, answer: &str) -> (Gated, Driven) {
    let gated = Gated::new(over, "host");
    // Where the era can be chosen, it is the newest.
    let options = json!({ "answer": answer, "mode": "auto" });
    let script = json!({ "options": options, "steps": [list(), wipe()] });
    let driven = gated.start(client, script).finish();
    assert_eq!(driven.asked().len(), 1, "{}", driven.answers(1)[0]);
    let question = driven.asked()[0].as_str().unwrap();
    assert!(question.starts_with("Call `wipe_index` of the server `scratch`?"));
    assert!(question.contains(r#""index": "runbooks-v3""#), "{question}");
    gated.place.verify();
    (gated, driven)
}

#[test]
#[ignore = "needs the clients that `cargo xtask test` installs"]
fn a_person_at_the_client_says_yes_or_no() {
    let clients = [
        TYPESCRIPT_SDK_1,
        TYPESCRIPT_SDK_2,
        PYTHON_SDK_1,
        PYTHON_SDK_2,
        LANGCHAIN,
        MCP_USE,
        PYDANTIC_AI,
    ];
    let eras = each(&clients, |client| {
        let (gated, driven) = asked(client, Over::Stdio, "accept");
        assert_ne!(driven.answers(1)[0]["is_error"], true);
        assert_eq!(gated.scratch.report()["store"]["after"]["wipes"], 1);
        let call = &gated.place.records("intent", 1)[0];
        let era = call["era"].as_str().unwrap().to_owned();
        let (gated, driven) = asked(client, Over::Http, "decline");
        shows(&driven, 1, "denied `wipe_index`");
        assert_eq!(gated.calls("wipe_index"), 0);
        era
    });
    insta::assert_snapshot!(eras, @"
    typescript-sdk-1        legacy
    typescript-sdk-2        modern
    python-sdk-1            legacy
    python-sdk-2            modern
    langchain-mcp-adapters  legacy
    mcp-use                 legacy
    pydantic-ai             modern
    ");
}
