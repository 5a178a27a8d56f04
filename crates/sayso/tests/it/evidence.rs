//! Evidence of tools at work: in the audit, beside suggestions, in the matrix of hosts and in the gate.

use std::time::Duration;

use sayso_core::digest::Digest;
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use sayso_verify::change::{Change, Class, Loss, Place as Where, What};
use sayso_verify::evidence::{EvidenceFile, Launched, Run, definitions};
use sayso_verify::judge::{Standard, judge};
use sayso_verify::observation::{Effects, Observation, Reply, Setting};
use sayso_verify::plan::Mode;

use crate::fixtures::example;
use crate::gate::support::Place;
use crate::sayso::Sayso;

/// A tool that claims to read and another that says nothing.
const TOOLS: &str = r#"[
  {"name": "note_show", "description": "Shows a note.", "inputSchema": {"type": "object"},
   "annotations": {"readOnlyHint": true, "openWorldHint": false}},
  {"name": "note_sync", "description": "Looks for news.", "inputSchema": {"type": "object"}}
]"#;

/// A file of evidence: a call of each tool, both of which emptied a file.
fn evidence(server: &str, tools: &str) -> String {
    evidence_of(server, "notes-server", tools)
}

/// The same of a server that was launched so.
fn evidence_of(server: &str, command: &str, tools: &str) -> String {
    let document = Document::parse(tools.to_owned(), &Limits::default()).unwrap();
    let mut listing = Listing::new(ServerIdentity::default());
    listing.push_page(
        Page {
            document,
            lines_before: 0,
        },
        0,
    );
    let setting = Setting {
        mode: Mode::Landlock,
        fixture: Digest::of_text("notes"),
        settle: Duration::from_secs(1),
    };
    let verdicts: Vec<_> = listing
        .tools()
        .map(|tool| {
            let name = tool.name().unwrap();
            let emptied = emptied(&name);
            let claims = tool.claims().states();
            judge(&name, &claims, &[emptied], &setting, &Standard::default())
        })
        .collect();
    let run = Run {
        server: server.to_owned(),
        launch: Launched {
            command: Some(command.to_owned()),
            ..Launched::default()
        },
        fixture: "notes".to_owned(),
        date: "2026-12-01".to_owned(),
    };
    let mut file = EvidenceFile::default();
    file.record(&run, &definitions(&listing), &verdicts);
    file.to_text().unwrap()
}

fn emptied(tool: &str) -> Observation {
    Observation {
        tool: tool.to_owned(),
        step: "1".to_owned(),
        arguments: r#"{"note":"a"}"#.to_owned(),
        reply: Reply::Answered {
            result: "{}".to_owned(),
            is_error: false,
        },
        effects: Effects {
            changes: vec![Change {
                path: "/workspace/a.txt".into(),
                place: Where::Workspace,
                class: Class::UserData,
                what: What::Truncated,
                lost: Loss::Bytes(12),
                detail: None,
            }],
            ..Effects::default()
        },
        again: None,
    }
}

fn with_evidence(arguments: &str, tools: &str) -> Sayso {
    let listing = format!(r#"{{"tools": {tools}}}"#);
    Sayso::new(arguments)
        .file("tools.json", listing)
        .file("sayso.evidence.json", evidence("notes", TOOLS))
}

#[test]
fn the_audit_shows_what_a_call_did() {
    let sayso = with_evidence(
        "audit tools.json --evidence sayso.evidence.json --quiet",
        TOOLS,
    );
    let plain = sayso.again("audit tools.json --format json");
    assert_eq!(plain.code, Some(0), "{}", plain.stdout);
    let ran = sayso.again("audit tools.json --evidence sayso.evidence.json");
    assert_eq!(ran.code, Some(1));
    let from = ran.stdout.find("error").unwrap();
    let shown: Vec<&str> = ran.stdout[from..].lines().take(6).collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    error[read-only-contradicted]: watched at work, a call truncated `/workspace/a.txt`; 12 bytes
        lost, but readOnlyHint is true
        in annotations.readOnlyHint, tools.json:3:36
        | truncated `/workspace/a.txt`; 12 bytes lost
        | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        | seen in a call with {"note":"a"} (landlock, fixture `notes`, 2026-12-01)
    "#);
}

#[test]
fn a_risk_that_no_hint_tells_of_has_a_witness_in_every_format() {
    let sayso = with_evidence("audit tools.json", TOOLS);
    for format in ["human", "json", "markdown", "sarif"] {
        let ran = sayso.again(&format!(
            "audit tools.json --evidence sayso.evidence.json --format {format}"
        ));
        let said: Vec<&str> = ran.stdout.split_whitespace().collect();
        let said = said.join(" ");
        assert!(said.contains("unclaimed-risk"), "{format}: {ran}");
        let what = "a call truncated `/workspace/a.txt`; 12 bytes lost; readOnlyHint is not claimed, \
                    and clients assume false";
        assert!(said.contains(what), "{format}: {ran}");
    }
}

#[test]
fn what_is_of_another_definition_counts_for_nothing() {
    let changed = TOOLS.replace("Shows a note.", "Shows one note.");
    let sayso = with_evidence("audit tools.json", &changed);
    let ran = sayso.again("audit tools.json --evidence sayso.evidence.json --format json");
    assert!(!ran.stdout.contains("read-only-contradicted"));
    assert!(ran.stdout.contains("stale-evidence"), "{}", ran.stdout);
    let ran = sayso.again("audit tools.json --evidence nowhere.json");
    assert_eq!(ran.code, Some(2));
    insta::assert_snapshot!(ran.stderr, @"
    error: cannot read the evidence `nowhere.json`: No such file or directory (os error 2)
    hint: `sayso verify` writes it
    ");
}

#[test]
fn hosts_are_shown_what_the_listing_would_be_without_lies() {
    let sayso = with_evidence("hosts", TOOLS);
    let ran = sayso.again(
        "hosts tools.json --host documented-defaults --stale-after-days 1000000 --evidence sayso.evidence.json",
    );
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!(ran.stdout, @"
    tools.json
    saved listing: tools.json

    what happens to 2 tools in 0 hosts, each as a new user has it; `before → after` where the hints of
      sayso.evidence.json change it

                 documented-defaults
      note_show  allow → ask-every
      note_sync  ask-every

      allow: calls the tool without asking
      ask-every: asks a person before every call

    documented-defaults: no real host: the documented defaults, acted on to the letter; gate rate 50 % →
      100 % (1 → 2 of 2); 1 → 0 run silently, 0 of which may destroy
    ");
}

#[test]
fn what_was_seen_is_suggested() {
    let sayso = with_evidence("classify", TOOLS);
    let ran =
        sayso.again("classify tools.json --suggest --format toml --evidence sayso.evidence.json");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines = ran.stdout.lines().filter(|line| !line.contains("sha256"));
    let shown: Vec<&str> = lines.skip_while(|line| *line != "[[tool]]").collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    [[tool]]
    server = "tools.json"
    name = "note_show"
    reviewer = ""
    reviewed = false
    # low confidence: no tool of this listing seems to do the opposite
    undo = "none"

    # high confidence
    # against it: description: Shows a note.
    [tool.readOnlyHint]
    value = false
    why = "Watched at work, it changes something."
    evidence = ["seen at work: truncated `/workspace/a.txt`; 12 bytes lost"]

    # high confidence
    [tool.destructiveHint]
    value = true
    why = "Watched at work, something was lost for good."
    evidence = ["seen at work: truncated `/workspace/a.txt`; 12 bytes lost"]

    # high confidence
    [tool.openWorldHint]
    value = false
    why = "Nothing leads out: neither what it does, nor an argument, nor a word; watched at work, it stayed on this machine in 1 call."

    [tool.definition]

    # nothing is suggested for idempotentHint
    [[tool]]
    server = "tools.json"
    name = "note_sync"
    reviewer = ""
    reviewed = false
    # low confidence: no tool of this listing seems to do the opposite
    undo = "none"

    # high confidence
    [tool.readOnlyHint]
    value = false
    why = "Watched at work, it changes something."
    evidence = ["seen at work: truncated `/workspace/a.txt`; 12 bytes lost"]

    # high confidence
    [tool.destructiveHint]
    value = true
    why = "Watched at work, something was lost for good."
    evidence = ["seen at work: truncated `/workspace/a.txt`; 12 bytes lost"]

    # low confidence
    [tool.openWorldHint]
    value = false
    why = "Nothing speaks of anything outside; watched at work, it stayed on this machine in 1 call."

    [tool.definition]
    "#);
}

#[test]
fn the_gate_raises_what_is_contradicted() {
    let shown = |of: &str, tools: Option<&str>| {
        let mut place = Place::new("policy = [\"open.cedar\"]");
        place.write("open.cedar", "permit (principal, action, resource);");
        let server = place.server("notes", "trust = \"trusted\"\nfirst-use = \"trust-once\"");
        server.lists(TOOLS.replace('\n', " ").trim_matches(['[', ']']));
        if let Some(tools) = tools {
            // The script's folder is another in each run, as the fixture's is.
            let command = format!("{} {{workspace}}", example("scripted_server").display());
            place.write("sayso.evidence.json", &evidence_of(of, &command, tools));
        }
        let tools = place.host().tools();
        tools[0]["annotations"]["readOnlyHint"].clone()
    };
    assert_eq!(shown("notes", None), true);
    assert_eq!(shown("notes", Some(TOOLS)), false);
    assert_eq!(shown("other", Some(TOOLS)), true);
    let changed = TOOLS.replace("Shows a note.", "Shows one note.");
    assert_eq!(shown("notes", Some(&changed)), true);
}

#[test]
fn evidence_of_another_launch_counts_for_nothing_and_says_so() {
    let mut place = Place::new("policy = [\"open.cedar\"]");
    place.write("open.cedar", "permit (principal, action, resource);");
    let server = place.server(
        "notes",
        "trust = \"trusted\"\nfirst-use = \"trust-once\"\nenv = { NOTES_TOKEN = \"x\" }",
    );
    server.lists(TOOLS.replace('\n', " ").trim_matches(['[', ']']));
    place.write("sayso.evidence.json", &evidence("notes", TOOLS));
    let tools = place.host().tools();
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    let log = std::fs::read_to_string(place.log()).unwrap();
    assert!(
        log.contains("the evidence counts for nothing: it is of `notes-server`, and this is `"),
        "{log}"
    );
    assert!(log.contains("with `NOTES_TOKEN`"), "{log}");
    let checked = place.command("gate --check").output().unwrap();
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("the evidence counts for nothing"), "{told}");
    for command in ["audit", "hosts", "classify --suggest"] {
        let arguments = format!("{command} --config sayso.toml --evidence sayso.evidence.json");
        let ran = place.command(&arguments).output().unwrap();
        let said = [ran.stdout, ran.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let said: Vec<&str> = said.split_whitespace().collect();
        let said = said.join(" ");
        assert!(
            said.contains("the evidence counts for nothing: it is of `notes-server`"),
            "{command}: {said}"
        );
        assert!(!said.contains("atched at work"), "{command}: {said}");
    }
}
