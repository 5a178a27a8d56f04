//! What specifications and directories ask, and how it is told.

use std::collections::BTreeSet;

use sayso_audit::profile::{Profile, ProfileError};
use sayso_audit::rules;
use sayso_audit::semantics::{Reading, Semantics};

use crate::support::found_by;

#[test]
fn every_profile_is_whole() {
    let ids: Vec<&str> = Profile::all().map(|profile| profile.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "anthropic-connectors",
            "anthropic-mcpb",
            "openai-apps",
            "spec-2026-07-28"
        ]
    );
    for profile in Profile::all() {
        assert!(!profile.sources.is_empty(), "{}", profile.id);
        for rule in profile.levels.keys() {
            assert!(rules::find(rule).is_some(), "{}: {rule}", profile.id);
        }
        let mut seen = BTreeSet::new();
        for requirement in &profile.requirements {
            let name = format!("{} {}", profile.id, requirement.id);
            assert!(seen.insert(&requirement.id), "{name} is there twice");
            assert!(
                profile
                    .sources
                    .iter()
                    .any(|source| requirement.source.starts_with(source.as_str())),
                "{name}: its source is one of the profile's"
            );
            assert!(!requirement.message.ends_with('.'), "{name}");
            assert!(
                requirement.date <= profile.date,
                "{name}: a profile states nothing later than its day"
            );
        }
    }
}

#[test]
fn an_unknown_profile_gets_the_nearest_one() {
    assert_eq!(
        Profile::find("openai-app").unwrap_err().to_string(),
        "no profile is called `openai-app`; hint: did you mean `openai-apps`?"
    );
    insta::assert_snapshot!(Profile::find("acme").unwrap_err(), @"no profile is called `acme`; hint: there are anthropic-connectors, anthropic-mcpb, openai-apps, spec-2026-07-28");
}

#[test]
fn profile_files_are_read_strictly() {
    let good = "id = 'x'\nname = 'X'\nsummary = 'S.'\ndate = '2026-01-01'\nsources = ['https://example.com']\n";
    assert!(Profile::parse("x", good).is_ok());
    let problem = |text: String| match Profile::parse("x", &text).unwrap_err() {
        ProfileError::Malformed { problem, .. } => {
            problem.lines().last().unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    let mut table = String::new();
    for (what, text) in [
        ("unknown key", format!("{good}colour = 'red'\n")),
        ("another id", good.replace("'x'", "'y'")),
        ("no source", good.replace("['https://example.com']", "[]")),
        ("no such day", good.replace("01-01", "02-30")),
        (
            "unknown rule",
            format!("{good}[levels]\nmissing-annotation = 'off'\n"),
        ),
        (
            "unknown level",
            format!("{good}[levels]\nmissing-annotations = 'fatal'\n"),
        ),
        (
            "unknown check",
            format!(
                "{good}[[requirement]]\nid = 'a'\ncheck = 'nice'\nseverity = 'error'\nmessage = 'm'\nsource = 's'\ndate = '2026-01-01'\n"
            ),
        ),
        (
            "unknown hint",
            format!(
                "{good}[[requirement]]\nid = 'a'\ncheck = {{ any-hint-true = {{ hints = ['readOnly'] }} }}\nseverity = 'error'\nmessage = 'm'\nsource = 's'\ndate = '2026-01-01'\n"
            ),
        ),
        (
            "no source of a requirement",
            format!(
                "{good}[[requirement]]\nid = 'a'\ncheck = 'description'\nseverity = 'error'\nmessage = 'm'\ndate = '2026-01-01'\n"
            ),
        ),
    ] {
        table.push_str(&format!("{what}: {}\n", problem(text)));
    }
    insta::assert_snapshot!(table, @r"
    unknown key: unknown field `colour`, expected one of `id`, `name`, `summary`, `date`, `sources`, `semantics`, `levels`, `requirement`
    another id: its id is `y`
    no source: it names no source
    no such day: `2026-02-30` is not a date such as 2026-07-28
    unknown rule: there is no rule `missing-annotation`; hint: did you mean `missing-annotations`?
    unknown level: unknown variant `fatal`, expected one of `off`, `info`, `warning`, `error`
    unknown check: unknown variant `nice`, expected one of `explicit-hints`, `any-hint-true`, `annotations-title`, `any-title`, `name-length`, `name-characters`, `no-mixed-actions`, `description`
    unknown hint: unknown variant `readOnly`, expected one of `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`
    no source of a requirement: missing field `source`
    ");
}

#[test]
fn a_set_meaning_stands_against_the_profile() {
    let profile = Profile::find("openai-apps").unwrap();
    let asked = Semantics {
        own_tenant_is_open_world: Reading::Yes,
        ..Semantics::default()
    };
    let answer = profile.answer(asked);
    assert_eq!(answer.own_tenant_is_open_world, Reading::Yes);
    assert_eq!(answer.send_is_destructive, Reading::Yes);
    assert_eq!(answer.delete_is_idempotent, Reading::Either);
}

/// The same four tools against each profile.
#[test]
fn four_tools_against_each_profile() {
    let tools = r#"[
        {"name": "list_notes", "title": "List notes", "description": "Lists notes.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "create_note", "description": "Creates a note.", "inputSchema": {"type": "object"}, "annotations": {"title": "Create note", "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false}},
        {"name": "notes", "description": "Lists or deletes notes.", "inputSchema": {"type": "object", "properties": {"action": {"enum": ["list", "delete"]}}, "required": ["action"]}, "annotations": {"title": "Notes", "readOnlyHint": false, "destructiveHint": true, "openWorldHint": null}},
        {"name": "a note", "inputSchema": {"type": "object"}}]"#;
    let mut table = String::new();
    for profile in Profile::all() {
        table.push_str(&format!("== {}\n", profile.id));
        let text = format!(
            r#"{{"tools": {tools}, "sayso": {{"profile": "{}"}}}}"#,
            profile.id
        );
        let found = found_by("profile-requirement", &text);
        table.extend(
            found
                .lines()
                .filter(|line| !line.starts_with("  at"))
                .map(|line| format!("{line}\n")),
        );
    }
    insta::assert_snapshot!(table);
}
