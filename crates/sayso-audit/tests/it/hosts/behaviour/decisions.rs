//! What hosts do, held against tables written down by hand from what was found out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sayso_audit::hosts::{Column, HostProfile, Matrix, Modes, RetryCause, Seen};
use sayso_core::hint::Hints;

use super::{behaviour, behaviours, mode, seen};
use crate::support::listing;

const TRUE: Seen = Seen::True;
const FALSE: Seen = Seen::False;
const ABSENT: Seen = Seen::Absent;

fn letter(letter: &str) -> Seen {
    match letter {
        "true" => TRUE,
        "false" => FALSE,
        "-" => ABSENT,
        other => panic!("{other} is no state"),
    }
}

/// Holds a mode against a table: a line for each state of `destructiveHint` and `openWorldHint`,
/// and what happens when `readOnlyHint` is true, false and absent. `idempotentHint` changes
/// nothing in any of them.
fn check(host: &str, mode_id: &str, table: &str) {
    let mut lines = 0;
    for line in table.lines().filter(|line| line.contains('|')) {
        let (state, outcomes) = line.split_once('|').unwrap();
        let state: Vec<&str> = state.split_whitespace().collect();
        let outcomes: Vec<&str> = outcomes.split_whitespace().collect();
        let [destructive, open_world] = state.as_slice() else {
            panic!("`{line}` has not two states");
        };
        for (read_only, expected) in [TRUE, FALSE, ABSENT].into_iter().zip(&outcomes) {
            for idempotent in Seen::ALL {
                let hints = Hints {
                    read_only,
                    destructive: letter(destructive),
                    idempotent,
                    open_world: letter(open_world),
                };
                let outcome = mode(host, mode_id).decide(&seen(hints), &()).outcome;
                assert_eq!(outcome.as_str(), *expected, "{host}: {hints:?}");
            }
        }
        assert_eq!(outcomes.len(), 3);
        lines += 1;
    }
    assert_eq!(lines, 9, "a line for each state of two hints");
}

#[test]
fn codex_takes_destructive_before_read_only_and_the_defaults_for_what_is_absent() {
    check(
        "codex",
        "auto",
        "
        true  true   | ask   ask   ask
        true  false  | ask   ask   ask
        true  -      | ask   ask   ask
        false true   | allow ask   ask
        false false  | allow allow allow
        false -      | allow ask   ask
        -     true   | allow ask   ask
        -     false  | allow ask   ask
        -     -      | allow ask   ask
        ",
    );
}

#[test]
fn vscode_goes_by_read_only_alone_and_reviews_what_comes_from_an_open_world() {
    check(
        "vscode",
        "default",
        "
        true  true   | allow ask   ask
        true  false  | allow ask   ask
        true  -      | allow ask   ask
        false true   | allow ask   ask
        false false  | allow ask   ask
        false -      | allow ask   ask
        -     true   | allow ask   ask
        -     false  | allow ask   ask
        -     -      | allow ask   ask
        ",
    );
    let review = behaviour("vscode").result_review.as_ref().unwrap();
    for hints in Seen::combinations() {
        let expected = hints.open_world == TRUE;
        assert_eq!(review.applies(&hints), Some(expected), "{hints:?}");
        // A call is sent once more whatever it declares.
        let again = behaviour("vscode").repeats(&hints, RetryCause::ConnectionLost);
        assert_eq!(again, 1);
        assert_eq!(behaviour("vscode").repeats(&hints, RetryCause::TimeOut), 0);
    }
}

#[test]
fn goose_tells_false_from_absent() {
    check(
        "goose",
        "smart-approve",
        "
        true  true   | allow ask   judge
        true  false  | allow ask   judge
        true  -      | allow ask   judge
        false true   | allow ask   judge
        false false  | allow ask   judge
        false -      | allow ask   judge
        -     true   | allow ask   judge
        -     false  | allow ask   judge
        -     -      | allow ask   judge
        ",
    );
}

#[test]
fn gemini_cli_hides_what_writes_while_a_plan_is_made() {
    check(
        "gemini-cli",
        "plan",
        "
        true  true   | ask   hide  hide
        true  false  | ask   hide  hide
        true  -      | ask   hide  hide
        false true   | ask   hide  hide
        false false  | ask   hide  hide
        false -      | ask   hide  hide
        -     true   | ask   hide  hide
        -     false  | ask   hide  hide
        -     -      | ask   hide  hide
        ",
    );
}

#[test]
fn the_chatgpt_directory_wants_three_hints() {
    check(
        "chatgpt-directory-submission",
        "default",
        "
        true  true   | allow allow deny
        true  false  | allow allow deny
        true  -      | deny  deny  deny
        false true   | allow allow deny
        false false  | allow allow deny
        false -      | deny  deny  deny
        -     true   | deny  deny  deny
        -     false  | deny  deny  deny
        -     -      | deny  deny  deny
        ",
    );
}

#[test]
fn qwen_code_repeats_what_is_idempotent_or_only_reads() {
    let behaviour = behaviour("qwen-code");
    for hints in Seen::combinations() {
        let Hints {
            read_only,
            destructive,
            idempotent,
            ..
        } = hints;
        let contradicts = read_only == TRUE && (destructive == TRUE || idempotent == FALSE);
        let repeats = !contradicts && (idempotent == TRUE || read_only == TRUE);
        let times = behaviour.repeats(&hints, RetryCause::ConnectionLost);
        assert_eq!(times, if repeats { 3 } else { 0 }, "{hints:?}");
        assert_eq!(behaviour.repeats(&hints, RetryCause::TimeOut), 0);
    }
}

#[test]
fn the_documented_defaults_repeat_only_what_says_that_it_may_be() {
    let behaviour = behaviour("documented-defaults");
    for hints in Seen::combinations() {
        let may = hints.read_only == TRUE || hints.idempotent == TRUE;
        let times = behaviour.repeats(&hints, RetryCause::TimeOut);
        assert_eq!(times > 0, may, "{hints:?}");
    }
}

#[test]
fn who_sends_calls_beside_each_other() {
    let mut lines = String::new();
    for (host, behaviour) in behaviours() {
        let Some(parallel) = &behaviour.parallel else {
            continue;
        };
        let reads = Hints {
            read_only: TRUE,
            ..Hints::default()
        };
        let [reads, writes] = [reads, Hints::default()].map(|hints| parallel.applies(&hints));
        writeln!(
            lines,
            "{}: what reads {}, anything else {}",
            host.id,
            reads.unwrap(),
            writes.unwrap()
        )
        .unwrap();
    }
    insta::assert_snapshot!(lines, @"
    claude-code: what reads true, anything else false
    claude-agent-sdk: what reads true, anything else false
    codex: what reads true, anything else false
    gemini-cli: what reads true, anything else true
    qwen-code: what reads true, anything else false
    hf-chat-ui: what reads true, anything else true
    mcp-use: what reads true, anything else true
    langchain-mcp-adapters: what reads true, anything else true
    openai-agents-python: what reads true, anything else true
    pydantic-ai: what reads true, anything else true
    ");
}

#[test]
fn a_server_can_ask_for_a_person() {
    let text = r#"[
        {"name":"ordinary","annotations":{"readOnlyHint":true}},
        {"name":"marked","annotations":{"readOnlyHint":true},"_meta":{"anthropic/requiresUserInteraction":true}},
        {"name":"not quite","annotations":{"readOnlyHint":true},"_meta":{"anthropic/requiresUserInteraction":"true"}},
        {"name":"other mark","annotations":{"readOnlyHint":true,"cursor/requiresConfirmation":true}},
        {"name":"other place","_meta":{"cursor/requiresConfirmation":true}}
    ]"#;
    let listing = listing(text);
    let columns: Vec<Column<'_>> = ["claude-code", "cursor"]
        .into_iter()
        .flat_map(|host| Column::of(HostProfile::find(host).unwrap(), Modes::All))
        .collect();
    let matrix = Matrix::new(&listing, &columns);
    let mut lines = String::new();
    for column in &matrix.columns {
        let outcomes: Vec<&str> = column.cells.iter().map(|cell| cell.as_str()).collect();
        writeln!(
            lines,
            "{:<22} {}",
            column.column.label(),
            outcomes.join(" ")
        )
        .unwrap();
    }
    insta::assert_snapshot!(lines, @"
    claude-code            ask ask-every ask ask ask
    claude-code:plan       ask ask-every ask ask ask-every
    claude-code:plan-auto  judge ask-every judge judge ask-every
    claude-code:auto       judge ask-every judge judge judge
    claude-code:dont-ask   deny deny deny deny deny
    claude-code:bypass     allow ask-every allow allow allow
    cursor                 ask ask ask ask-every ask-every
    cursor:ask             allow allow allow allow deny
    cursor:team-reads      allow allow allow allow hide
    cursor:team-all        allow allow allow allow allow
    cursor:smart           judge judge judge ask-every ask-every
    ");
}

/// The tools of the table, in its order.
const TYPICAL: &str = r#"[
    {"name":"says nothing"},
    {"name":"reads","annotations":{"readOnlyHint":true}},
    {"name":"reads, open world","annotations":{"readOnlyHint":true,"openWorldHint":true}},
    {"name":"reads and destroys","annotations":{"readOnlyHint":true,"destructiveHint":true}},
    {"name":"destroys","annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}},
    {"name":"adds, closed","annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false}},
    {"name":"adds, open world","annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":true}},
    {"name":"says only that it writes","annotations":{"readOnlyHint":false}}
]"#;

/// Eight typical tools in every host, in its default mode and in those that tell them apart;
/// written down from the record of what was found out, not from the profiles.
///
/// The record has the filter of the Codex apps by itself, where its default lets everything
/// pass. Here it stands together with the approval that comes after it, since that is what
/// happens to a call.
const TABLE: &str = include_str!("typical_tools.txt");

#[test]
fn eight_typical_tools_fare_in_every_host_as_was_found_out() {
    let listing = listing(TYPICAL);
    let mut hosts = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let (label, expected) = line.split_once(' ').unwrap();
        let (host, mode) = label
            .split_once(':')
            .map_or((label, Modes::Default), |(host, mode)| {
                (host, Modes::Named(mode))
            });
        let profile = HostProfile::find(host).unwrap_or_else(|| panic!("no host {host}"));
        let columns = Column::of(profile, mode);
        assert_eq!(columns.len(), 1, "{label}");
        let matrix = Matrix::new(&listing, &columns);
        let column = matrix.columns.first().unwrap();
        assert_eq!(column.column.label(), label);
        let outcomes: Vec<&str> = column.cells.iter().map(|cell| cell.as_str()).collect();
        let expected: Vec<&str> = expected.split_whitespace().collect();
        assert_eq!(outcomes, expected, "{label}");
        hosts.push(host);
    }
    assert_eq!(hosts.len(), 75);
    let missing: Vec<&str> = behaviours()
        .map(|(host, _)| host.id.as_str())
        .filter(|id| !hosts.contains(id))
        .collect();
    assert_eq!(missing, ["documented-defaults"], "which is no real host");
}

#[test]
fn modes_that_the_table_leaves_out_treat_all_eight_alike() {
    let listing = listing(TYPICAL);
    let mut labels: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for host in HostProfile::all() {
        let columns = Column::of(host, Modes::All);
        for column in Matrix::new(&listing, &columns).columns {
            let label = column.column.label();
            let is_in_table = TABLE
                .lines()
                .any(|line| line.split_whitespace().next() == Some(&label));
            if is_in_table || host.id == "documented-defaults" {
                continue;
            }
            let outcome = column.cells.first().unwrap().as_str();
            let alike = column.cells.iter().all(|cell| cell.as_str() == outcome);
            assert!(alike, "{label} tells the tools apart");
            labels.entry(outcome).or_default().push(label.into_owned());
        }
    }
    let lines = labels
        .iter()
        .map(|(outcome, labels)| format!("{outcome}: {}", labels.join(" ")));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    allow: claude-code:bypass vscode:sandboxed vscode:allow-all cursor:team-all codex:approve codex:never-full-access openai-responses-mcp:never gemini-cli:trusted gemini-cli:yolo zed:allow opencode:plan cline:auto-approve continue-cli:headless continue-cli:plan continue-cli:auto lm-studio:api copilot-cli:allow-all qwen-code:trusted kiro:auto-approve amazon-q:allowed-tools amazon-q:trust-all-tools roo-code:auto-approve crush:allowed-tools crush:yolo warp:always-allow warp:auto-execute junie:brave docker-agent:autonomous executor:approve
    ask: goose:approve opencode:ask continue:plan docker-agent:strict fast-agent:acp
    ask-every: anthropic-mcp-connector:always-ask vscode:never-auto-approve codex:prompt cline-sdk-cli:confirm amp:ask-rule openhands-sdk:always-confirm executor:require-approval openai-agents-python:require-approval
    deny: claude-code:dont-ask gemini-cli:headless zed:deny executor:block
    hide: goose:chat continue:chat
    judge: claude-code:auto cursor:smart codex:auto-review qwen-code:auto
    ");
}
