//! `sayso verify --scenario`: calls that a person wrote down, made under watch.

use std::fs;

use serde_json::Value;

use crate::sayso::{Ran, Sayso};

/// A server of notes.
const NOTES: &str = r#"
import json, os, sys

FILE = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}

def add_note(file, text):
    with open(file, "a") as notes:
        notes.write(text + "\n")
    return "added"

def read_notes(file):
    return open(file).read()

def clear_notes(file, keep):
    if keep is not None:
        raise ValueError("keep has to be null")
    open(file, "w").close()
    return "cleared"

def share_notes():
    raise ValueError("no account")

CLAIMS = {
    "add_note": {"readOnlyHint": False, "destructiveHint": False},
    "read_notes": {"readOnlyHint": True},
    "clear_notes": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "share_notes": {"readOnlyHint": True},
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    result = {}
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "notes", "version": "1"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": [{"name": n, "inputSchema": FILE, "annotations": c} for n, c in CLAIMS.items()]}
    elif method == "tools/call":
        try:
            said, failed = globals()[message["params"]["name"]](**message["params"]["arguments"]), False
        except Exception as error:
            said, failed = str(error), True
        result = {"content": [{"type": "text", "text": said}], "isError": failed}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// A run with a scenario, and the evidence it left.
fn run(scenario: &str) -> (Ran, Value) {
    let sayso = Sayso::new(
        "verify --settle 400 --scenario scenario.toml --transcripts seen -- python3 notes.py",
    )
    .file("notes.py", NOTES)
    .file("scenario.toml", scenario);
    let ran = sayso.run();
    let evidence = fs::read(sayso.directory().join("sayso.evidence.json"));
    let evidence = evidence.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap());
    (ran, evidence)
}

/// What evidence says of a tool's hint.
fn verdict<'e>(evidence: &'e Value, tool: &str, hint: &str) -> &'e Value {
    let server = evidence["servers"].as_object().unwrap().values().next();
    &server.unwrap()["tools"][tool][0]["verdicts"][hint]
}

/// The report on one line.
fn told(ran: &Ran) -> String {
    let words: Vec<&str> = ran.stdout.split_whitespace().collect();
    words.join(" ")
}

/// The example of the guide, as it stands there.
fn example() -> &'static str {
    let guide = include_str!("../../../../docs/guides/verify.md");
    let (_, behind) = guide.split_once("```toml\n").unwrap();
    let (example, _) = behind.split_once("```\n").unwrap();
    assert!(example.starts_with("#:schema "), "{example}");
    example
}

#[test]
fn the_example_of_the_guide_comes_out_as_it_expects() {
    let (ran, evidence) = run(example());
    assert!(!told(&ran).contains("step `"), "{ran}");
    let cleared = verdict(&evidence, "clear_notes", "destructiveHint");
    assert_eq!(cleared["verdict"], "contradicted", "{ran}");
    let read = verdict(&evidence, "read_notes", "readOnlyHint");
    assert_eq!(read["verdict"], "consistent", "{ran}");
    // What only prepared is not judged, what was not repeated is not known to be idempotent, and what is
    // skipped says why.
    let added = verdict(&evidence, "add_note", "destructiveHint");
    assert_eq!(added["verdict"], "not-exercised", "{ran}");
    let again = verdict(&evidence, "clear_notes", "idempotentHint");
    assert_ne!(again["verdict"], "consistent", "{ran}");
    let shared = verdict(&evidence, "share_notes", "readOnlyHint");
    assert_eq!(shared["why"], "skipped: needs an account", "{ran}");
    assert_eq!(ran.code, Some(1), "{ran}");
}

#[test]
fn what_comes_otherwise_is_told() {
    let (ran, _) = run(&example().replace("changed = []", "changed = [\"list.md\"]"));
    let expected = "`list.md` was expected to be changed, and it was nothing";
    assert!(told(&ran).contains(expected), "{ran}");
}

#[test]
fn nothing_is_called_after_a_set_up_that_failed() {
    let scenario = "[[step]]\ntool = \"share_notes\"\nsetup = true\n\n\
                    [[step]]\ntool = \"add_note\"\n\
                    arguments = { file = \"{home}/notes.md\", text = \"x\" }\n\
                    expect = { changed = [] }\n";
    let (ran, evidence) = run(scenario);
    let added = verdict(&evidence, "add_note", "destructiveHint");
    let why = added["why"].as_str().unwrap();
    assert_eq!(why, "the set-up `step 1` failed: no account");
    assert!(told(&ran).contains("it was not made"), "{ran}");
}

#[test]
fn mistakes_in_a_scenario_are_told_with_their_place() {
    let (ran, _) = run("[[step]]\ntool = \"add_note\"\nrepeats = false\n");
    assert_eq!(ran.code, Some(2), "{ran}");
    insta::assert_snapshot!(ran.stderr, @"
    error: scenario.toml:3:1: unknown key `repeats`
    hint: did you mean `repeat`?
    ");
}
