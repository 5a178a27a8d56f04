//! Which way a hint moved.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sayso_core::digest::ToolDigest;
use sayso_core::drift::{
    Change, Direction, Promises, Transition, direction, hint_states, renames, tool_changes,
    tool_direction, transitions,
};
use sayso_core::effective::Effective;
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::{Document, Limits};
use sayso_core::tool::Tool;

#[test]
fn absent_and_the_default_are_the_same() {
    for hint in Hint::ALL {
        let default = Claim::from_boolean(hint.default_value());
        for silent in [
            Claim::Absent,
            Claim::Null,
            Claim::Malformed,
            Claim::Duplicated,
        ] {
            assert_eq!(direction(hint, silent, default), Direction::Neutral);
            assert_eq!(direction(hint, default, silent), Direction::Neutral);
        }
    }
}

#[test]
fn away_from_the_default_relaxes_and_back_tightens() {
    for hint in Hint::ALL {
        let brave = Claim::from_boolean(!hint.default_value());
        assert_eq!(direction(hint, Claim::Absent, brave), Direction::Relaxing);
        assert_eq!(direction(hint, brave, Claim::Absent), Direction::Tightening);
        assert_eq!(direction(hint, brave, brave), Direction::Neutral);
    }
}

#[test]
fn a_tool_that_becomes_read_only_relaxes_whatever_else_it_says() {
    let before = Hints {
        destructive: Claim::False,
        idempotent: Claim::True,
        ..Hints::default()
    };
    let after = Hints {
        read_only: Claim::True,
        destructive: Claim::True,
        ..Hints::default()
    };
    assert_eq!(tool_direction(&before, &after), Direction::Relaxing);
    assert_eq!(tool_direction(&after, &before), Direction::Tightening);
}

#[test]
fn a_moot_hint_of_a_read_only_tool_moves_nothing() {
    let before = Hints {
        read_only: Claim::True,
        ..Hints::default()
    };
    let after = Hints {
        read_only: Claim::True,
        destructive: Claim::False,
        ..Hints::default()
    };
    assert_eq!(tool_direction(&before, &after), Direction::Neutral);
}

#[test]
fn a_transition_relaxes_exactly_when_a_promise_grows() {
    let mut counts = BTreeMap::new();
    for transition in transitions() {
        let (before, after) = (
            Effective::from_claims(&transition.before),
            Effective::from_claims(&transition.after),
        );
        let promises = [
            (before.read_only(), after.read_only()),
            (!before.may_destroy(), !after.may_destroy()),
            (before.repeatable(), after.repeatable()),
            (!before.open_world(), !after.open_world()),
        ];
        let expected = if promises.contains(&(false, true)) {
            Direction::Relaxing
        } else if promises.contains(&(true, false)) {
            Direction::Tightening
        } else {
            Direction::Neutral
        };
        assert_eq!(transition.direction, expected, "{transition:?}");
        *counts.entry(transition.direction).or_insert(0) += 1;
    }
    let counts: Vec<_> = counts.into_iter().collect();
    insta::assert_compact_debug_snapshot!(counts, @"[(Neutral, 905), (Tightening, 2168), (Relaxing, 3488)]");
}

#[test]
fn the_81_states_make_ten_sets_of_promises() {
    let mut sets: BTreeMap<Promises, usize> = BTreeMap::new();
    for state in hint_states() {
        *sets.entry(Promises::of_claims(&state)).or_default() += 1;
    }
    let lines: Vec<String> = sets
        .iter()
        .map(|(promises, count)| format!("{count:2} {promises}"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    16 may remove, must not be repeated, open world
     8 may remove, must not be repeated, closed world
     8 may remove, may be repeated, open world
     4 may remove, may be repeated, closed world
     8 only adds, must not be repeated, open world
     4 only adds, must not be repeated, closed world
     4 only adds, may be repeated, open world
     2 only adds, may be repeated, closed world
    18 reads only, open world
     9 reads only, closed world
    ");
    assert_eq!(sets.values().sum::<usize>(), 81);
}

#[test]
fn absent_can_be_written_as_the_default_in_any_transition() {
    let written = |claims: &Hints<Claim>| {
        claims.map(|hint, claim| match claim {
            Claim::Absent => Claim::from_boolean(hint.default_value()),
            other => *other,
        })
    };
    for Transition {
        before,
        after,
        direction,
    } in transitions()
    {
        assert_eq!(tool_direction(&written(&before), &after), direction);
        assert_eq!(tool_direction(&before, &written(&after)), direction);
        // Back again is the other way, unless both directions had something given and taken.
        let back = tool_direction(&after, &before);
        match direction {
            Direction::Neutral => assert_eq!(back, Direction::Neutral),
            Direction::Tightening => assert_eq!(back, Direction::Relaxing),
            Direction::Relaxing => assert_ne!(back, Direction::Neutral),
        }
    }
}

#[test]
fn every_change_of_a_tool_is_told_with_its_direction() {
    let tool = r#"{"name":"n","title":"t","description":"d","inputSchema":{"type":"object",
        "properties":{"mode":{"enum":["a"]}}},"annotations":{"readOnlyHint":false,"title":"a"},"icons":[]}"#;
    let told = |from: &str, to: &str| {
        assert!(tool.contains(from));
        told(tool, &tool.replace(from, to))
    };
    assert_eq!(told(r#""d""#, r#""e""#), ["description: neutral"]);
    assert_eq!(told(r#""t""#, r#""u""#), ["title: neutral"]);
    assert_eq!(told(r#""a"}"#, r#""b"}"#), ["annotations.title: neutral"]);
    assert_eq!(told("[]", "[1]"), ["icons: neutral"]);
    assert_eq!(told(r#"["a"]"#, r#"["a","b"]"#), ["inputSchema: relaxing"]);
    assert_eq!(told(r#"{"enum":["a"]}"#, "{}"), ["inputSchema: relaxing"]);
    assert_eq!(
        told(r#""mode":{"enum":["a"]}"#, ""),
        ["inputSchema: tightening"]
    );
    assert_eq!(told("false", "true"), ["readOnlyHint: relaxing"]);
    assert_eq!(told(r#""readOnlyHint":false,"#, ""), ["moot: neutral"]);
    assert_eq!(told("false", "null"), ["moot: neutral"]);
    assert_eq!(
        told(
            r#""description":"d""#,
            r#""description":"d","description":"e""#
        ),
        ["description: neutral"]
    );
}

fn told(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (read(before), read(after));
    let tool = |document| Tool::new(Document::root(document), 0, 0);
    tool_changes(tool(&before), tool(&after))
        .iter()
        .map(|change| {
            let what = match change {
                Change::Hint { hint, .. } => hint.key(),
                Change::Part { key, .. } => key,
                Change::Moot { .. } => "moot",
                Change::Added { .. } | Change::Removed { .. } => "tool",
            };
            format!("{what}: {}", change.direction())
        })
        .collect()
}

#[test]
fn a_vanished_tool_is_found_under_its_new_name() {
    let before = listing(
        r#"[{"name":"delete_note","description":"Deletes a note for good.","inputSchema":{"properties":{"id":{}}}},
            {"name":"list_notes","description":"Lists all notes of a folder.","inputSchema":{"properties":{"folder":{}}}},
            {"name":"old","description":"Something else altogether."},{"name":"bare"}]"#,
    );
    let after = listing(
        r#"[{"name":"notes_list","description":"Lists the notes of a folder.","inputSchema":{"properties":{"folder":{},"limit":{}}}},
            {"name":"note_delete","description":"Deletes a note for good.","inputSchema":{"properties":{"id":{}}}},
            {"name":"translate","description":"Puts text in another language.","inputSchema":{"properties":{"text":{}}}},
            {"name":"empty"}]"#,
    );
    let tools = |document: &'static Document| -> Vec<Tool<'static>> {
        let tools = document.root().elements().enumerate();
        tools
            .map(|(position, value)| Tool::new(value, 0, position))
            .collect()
    };
    let found: Vec<String> = renames(&tools(before), &tools(after))
        .iter()
        .map(|rename| {
            format!(
                "{} → {} {:.2}",
                rename.before.label(),
                rename.after.label(),
                rename.likeness
            )
        })
        .collect();
    insta::assert_snapshot!(found.join("\n"), @"
    delete_note → note_delete 1.00
    list_notes → notes_list 0.68
    ");
}

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

fn listing(text: &str) -> &'static Document {
    Box::leak(Box::new(read(text)))
}

proptest! {
    #[test]
    fn a_tool_of_another_digest_has_a_change(before in tool(), after in tool()) {
        let (old, new) = (read(&before), read(&after));
        let (old, new) = (Tool::new(old.root(), 0, 0), Tool::new(new.root(), 0, 0));
        let same = ToolDigest::of(old) == ToolDigest::of(new);
        prop_assert_eq!(tool_changes(old, new).is_empty(), same);
    }
}

/// Something like a tool, also one whose keys are repeated.
fn tool() -> impl Strategy<Value = String> {
    let annotation = prop::sample::select(vec![
        r#""title":"a""#,
        r#""readOnlyHint":true"#,
        r#""readOnlyHint":false"#,
        r#""readOnlyHint":null"#,
        r#""destructiveHint":false"#,
        r#""destructiveHint":"no""#,
        r#""x":1"#,
    ]);
    let annotations = prop::collection::vec(annotation, 0..4)
        .prop_map(|members| format!(r#""annotations":{{{}}}"#, members.join(",")));
    let member = prop_oneof![
        prop::sample::select(vec![
            r#""title":"a""#,
            r#""title":"b""#,
            r#""description":"a""#,
            r#""inputSchema":{}"#,
            r#""inputSchema":{"minimum":1}"#,
            r#""inputSchema":{"minimum":1.0}"#,
            r#""annotations":null"#,
            r#""annotations":[]"#,
        ])
        .prop_map(str::to_owned),
        annotations,
    ];
    prop::collection::vec(member, 0..4).prop_map(|mut members| {
        members.insert(0, r#""name":"n""#.to_owned());
        format!("{{{}}}", members.join(","))
    })
}
