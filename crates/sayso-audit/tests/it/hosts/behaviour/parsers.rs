//! What becomes of malformed hints on the way to a host's policy.

use std::fmt::Write as _;

use sayso_audit::hosts::{Outcome, Parser, SeenTool};
use sayso_core::hint::{Hint, Hints};

use super::{behaviour, mode};
use crate::support::listing;

/// A tool with these members, as a parser reads it: the four hints, or why the listing is lost.
fn read(parser: &Parser, members: &str) -> String {
    let listing = listing(&format!(r#"[{{"name":"tool",{members}}}]"#));
    match parser.read(listing.tool(0).unwrap()) {
        Ok(seen) => told(&seen),
        Err(rejection) => format!("lost: {}", rejection.reason),
    }
}

/// `readOnlyHint true` and so on, for what is not absent.
fn told(seen: &SeenTool) -> String {
    let mut parts = Vec::new();
    for hint in Hint::ALL {
        if *seen.unclear.get(hint) {
            parts.push(format!("{hint} nobody knows"));
        } else if *seen.hints.get(hint) != sayso_audit::hosts::Seen::Absent {
            parts.push(format!("{hint} {}", seen.hints.get(hint).as_str()));
        }
    }
    if parts.is_empty() {
        "absent".to_owned()
    } else {
        parts.join(", ")
    }
}

/// What each parser makes of one tool.
fn across(members: &str) -> String {
    let mut lines = String::new();
    for parser in Parser::all() {
        writeln!(lines, "{:<14} {}", parser.id, read(parser, members)).unwrap();
    }
    lines
}

/// What each parser makes of one value of `readOnlyHint`.
fn hint(value: &str) -> String {
    across(&format!(r#""annotations":{{"readOnlyHint":{value}}}"#))
}

#[test]
fn booleans_are_read_alike() {
    for value in ["true", "false"] {
        let members = format!(
            r#""annotations":{{"readOnlyHint":{value},"destructiveHint":{value},"idempotentHint":{value},"openWorldHint":{value}}}"#
        );
        let expected = Hint::ALL.map(|hint| format!("{hint} {value}")).join(", ");
        for parser in Parser::all() {
            assert_eq!(read(parser, &members), expected, "{}", parser.id);
        }
    }
}

#[test]
fn no_annotations_are_read_alike() {
    for parser in Parser::all() {
        assert_eq!(read(parser, r#""description":"x""#), "absent");
    }
}

#[test]
fn an_empty_object_is_filled_in_by_some() {
    insta::assert_snapshot!(across(r#""annotations":{}"#), @"
    typescript-sdk absent
    python-sdk     absent
    rust-sdk       absent
    go-sdk         readOnlyHint false, idempotentHint false
    serde-option   absent
    truthiness     absent
    booleans-only  absent
    ");
}

#[test]
fn a_null_hint() {
    insta::assert_snapshot!(hint("null"), @"
    typescript-sdk lost: `annotations.readOnlyHint` is null
    python-sdk     absent
    rust-sdk       absent
    go-sdk         readOnlyHint false, idempotentHint false
    serde-option   absent
    truthiness     absent
    booleans-only  absent
    ");
}

#[test]
fn a_hint_in_quotes() {
    insta::assert_snapshot!(hint(r#""true""#), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a string
    python-sdk     readOnlyHint true
    rust-sdk       lost: `annotations.readOnlyHint` is a string
    go-sdk         lost: `annotations.readOnlyHint` is a string
    serde-option   lost: `annotations.readOnlyHint` is a string
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
    insta::assert_snapshot!(hint(r#""false""#), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a string
    python-sdk     readOnlyHint false
    rust-sdk       lost: `annotations.readOnlyHint` is a string
    go-sdk         lost: `annotations.readOnlyHint` is a string
    serde-option   lost: `annotations.readOnlyHint` is a string
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
    insta::assert_snapshot!(hint(r#""perhaps""#), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a string
    python-sdk     lost: `annotations.readOnlyHint` is a string
    rust-sdk       lost: `annotations.readOnlyHint` is a string
    go-sdk         lost: `annotations.readOnlyHint` is a string
    serde-option   lost: `annotations.readOnlyHint` is a string
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
}

#[test]
fn a_number_for_a_hint() {
    insta::assert_snapshot!(hint("1"), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a number
    python-sdk     readOnlyHint true
    rust-sdk       lost: `annotations.readOnlyHint` is a number
    go-sdk         lost: `annotations.readOnlyHint` is a number
    serde-option   lost: `annotations.readOnlyHint` is a number
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
    insta::assert_snapshot!(hint("0"), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a number
    python-sdk     readOnlyHint false
    rust-sdk       lost: `annotations.readOnlyHint` is a number
    go-sdk         lost: `annotations.readOnlyHint` is a number
    serde-option   lost: `annotations.readOnlyHint` is a number
    truthiness     absent
    booleans-only  absent
    ");
    insta::assert_snapshot!(hint("2"), @"
    typescript-sdk lost: `annotations.readOnlyHint` is a number
    python-sdk     lost: `annotations.readOnlyHint` is a number
    rust-sdk       lost: `annotations.readOnlyHint` is a number
    go-sdk         lost: `annotations.readOnlyHint` is a number
    serde-option   lost: `annotations.readOnlyHint` is a number
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
}

#[test]
fn a_list_for_a_hint() {
    insta::assert_snapshot!(hint("[]"), @"
    typescript-sdk lost: `annotations.readOnlyHint` is an array
    python-sdk     lost: `annotations.readOnlyHint` is an array
    rust-sdk       lost: `annotations.readOnlyHint` is an array
    go-sdk         lost: `annotations.readOnlyHint` is an array
    serde-option   lost: `annotations.readOnlyHint` is an array
    truthiness     readOnlyHint true
    booleans-only  absent
    ");
}

#[test]
fn null_for_annotations() {
    insta::assert_snapshot!(across(r#""annotations":null"#), @"
    typescript-sdk lost: `annotations` is null
    python-sdk     absent
    rust-sdk       absent
    go-sdk         absent
    serde-option   absent
    truthiness     absent
    booleans-only  absent
    ");
}

#[test]
fn text_for_annotations() {
    insta::assert_snapshot!(across(r#""annotations":"read-only""#), @"
    typescript-sdk lost: `annotations` is a string
    python-sdk     lost: `annotations` is a string
    rust-sdk       lost: `annotations` is a string
    go-sdk         lost: `annotations` is a string
    serde-option   lost: `annotations` is a string
    truthiness     absent
    booleans-only  absent
    ");
}

#[test]
fn a_hint_that_stands_twice() {
    insta::assert_snapshot!(
        across(r#""annotations":{"readOnlyHint":true,"readOnlyHint":false}"#), @"
    typescript-sdk readOnlyHint false
    python-sdk     readOnlyHint false
    rust-sdk       lost: `annotations.readOnlyHint` stands twice
    go-sdk         readOnlyHint false, idempotentHint false
    serde-option   lost: `annotations.readOnlyHint` stands twice
    truthiness     readOnlyHint false
    booleans-only  readOnlyHint nobody knows
    ");
}

#[test]
fn annotations_that_stand_twice() {
    insta::assert_snapshot!(
        across(r#""annotations":{"readOnlyHint":true},"annotations":{"destructiveHint":true}"#), @"
    typescript-sdk destructiveHint true
    python-sdk     destructiveHint true
    rust-sdk       lost: `annotations` stands twice
    go-sdk         readOnlyHint false, destructiveHint true, idempotentHint false
    serde-option   lost: `annotations` stands twice
    truthiness     destructiveHint true
    booleans-only  readOnlyHint nobody knows, destructiveHint nobody knows, idempotentHint nobody knows, openWorldHint nobody knows
    ");
    insta::assert_snapshot!(
        across(r#""annotations":{"readOnlyHint":true},"annotations":null"#), @"
    typescript-sdk lost: `annotations` is null
    python-sdk     absent
    rust-sdk       lost: `annotations` stands twice
    go-sdk         absent
    serde-option   lost: `annotations` stands twice
    truthiness     absent
    booleans-only  readOnlyHint nobody knows, destructiveHint nobody knows, idempotentHint nobody knows, openWorldHint nobody knows
    ");
}

#[test]
fn a_title_that_is_no_text() {
    insta::assert_snapshot!(across(r#""title":null"#), @"
    typescript-sdk lost: `title` is null
    python-sdk     absent
    rust-sdk       absent
    go-sdk         absent
    serde-option   absent
    truthiness     absent
    booleans-only  absent
    ");
    insta::assert_snapshot!(across(r#""annotations":{"title":null}"#), @"
    typescript-sdk lost: `annotations.title` is null
    python-sdk     absent
    rust-sdk       absent
    go-sdk         readOnlyHint false, idempotentHint false
    serde-option   absent
    truthiness     absent
    booleans-only  absent
    ");
    insta::assert_snapshot!(across(r#""title":7"#), @"
    typescript-sdk lost: `title` is a number
    python-sdk     lost: `title` is a number
    rust-sdk       lost: `title` is a number
    go-sdk         lost: `title` is a number
    serde-option   lost: `title` is a number
    truthiness     absent
    booleans-only  absent
    ");
    for parser in Parser::all() {
        let read = read(parser, r#""title":"","annotations":{"title":""}"#);
        assert!(!read.starts_with("lost"), "{}: {read}", parser.id);
    }
}

#[test]
fn where_no_parser_is_known_only_rules_on_a_malformed_hint_are_open() {
    let host = "cursor";
    assert_eq!(behaviour(host).parser, None);
    let outcome = |mode_id: &str, annotations: &str| {
        let text = format!(r#"[{{"name":"tool","annotations":{annotations}}}]"#);
        let listing = listing(&text);
        let tool = listing.tool(0).unwrap();
        let seen = behaviour(host).read(tool).unwrap();
        mode(host, mode_id).decide(&seen, &tool).outcome
    };
    // No rule of this mode looks at a hint.
    assert_eq!(outcome("agent", r#"{"readOnlyHint":null}"#), Outcome::Ask);
    // These rules look at two of them, and not at this one.
    assert_eq!(
        outcome(
            "team-reads",
            r#"{"readOnlyHint":true,"openWorldHint":"yes"}"#
        ),
        Outcome::Allow
    );
    for malformed in [
        r#"{"readOnlyHint":null}"#,
        r#"{"readOnlyHint":true,"destructiveHint":1}"#,
        r#"{"readOnlyHint":true,"readOnlyHint":true}"#,
        "null",
        r#""yes""#,
    ] {
        assert_eq!(
            outcome("team-reads", malformed),
            Outcome::Unknown,
            "{malformed}"
        );
    }
}

#[test]
fn booleans_from_elsewhere_are_seen_as_they_are() {
    let seen = SeenTool::from_booleans(&Hints {
        read_only: Some(false),
        open_world: Some(true),
        ..Hints::default()
    });
    assert_eq!(told(&seen), "readOnlyHint false, openWorldHint true");
}
