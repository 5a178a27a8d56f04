//! Whatever a server sends: no rule panics, and every place a finding names is there.

use proptest::prelude::*;
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::profile::Profile;
use sayso_core::finding::{Finding, Location};
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use serde_json::{Value, json};

use crate::support::pages;

/// A listing from any JSON: its tools are whatever array is found first.
fn any_listing(text: String) -> Option<Listing> {
    let document = Document::parse(text, &Limits::default()).ok()?;
    let root = document.root();
    let tools = root.get("tools").unwrap_or(root);
    let index = tools.index();
    let mut listing = Listing::new(ServerIdentity::default());
    listing.push_page(
        Page {
            document,
            lines_before: 0,
        },
        index,
    );
    Some(listing)
}

fn check_location(listing: &Listing, location: &Location) {
    let text = listing.pages().get(location.page).unwrap().document.text();
    let span = location.span;
    assert!(
        text.get(span.range()).is_some(),
        "{span:?} lies in the document"
    );
}

fn check(listing: &Listing, findings: &[Finding]) {
    for finding in findings {
        match finding.tool {
            Some(position) => {
                let tool = listing.tool(position).unwrap();
                check_location(listing, &finding.location);
                assert_eq!(finding.location.page, tool.page(), "{}", finding.rule);
                let (outer, inner) = (tool.value().span(), finding.location.span);
                assert!(
                    outer.start <= inner.start && inner.end <= outer.end,
                    "{} stands in its tool",
                    finding.rule
                );
            }
            None if finding.location != Location::default() => {
                check_location(listing, &finding.location)
            }
            None => {}
        }
        for evidence in &finding.evidence {
            check_location(listing, &evidence.location);
            assert!(
                evidence.text.get(evidence.mark.clone()).is_some(),
                "{}: the mark lies in the text",
                finding.rule
            );
        }
        assert!(
            !finding.message.ends_with('.') && !finding.message.is_empty(),
            "{}: {}",
            finding.rule,
            finding.message
        );
    }
}

fn judge_all_ways(listing: &Listing) {
    for profile in [None].into_iter().chain(Profile::all().map(Some)) {
        let options = JudgeOptions {
            profile,
            baseline: Some(listing),
            ..JudgeOptions::default()
        };
        check(listing, &judge(listing, &options));
    }
}

/// Strings that rules look for, among others.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("readOnlyHint".to_owned()),
        Just("get_item".to_owned()),
        Just("delete\u{430}_all".to_owned()),
        Just("\u{e0041}\u{200b}\u{202e}x\u{fe0f}\u{200d}".to_owned()),
        Just("#/$defs/a/~0b/%41".to_owned()),
        Just("object".to_owned()),
        ".{0,20}",
        "[a-z_.]{0,140}",
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec![
            "name", "title", "description", "annotations", "inputSchema", "outputSchema", "_meta", "execution",
            "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "read_only_hint", "readOnly",
            "type", "properties", "required", "enum", "items", "$ref", "$defs", "anyOf", "minimum", "pattern", "$id",
            "exclusiveMinimum", "additionalProperties", "$schema", "action", "path", "overwrite",
        ])
        .prop_map(str::to_owned),
        1 => text(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|number| json!(number)),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A tool that is nearly one, so that rules get past their first line.
fn tool() -> impl Strategy<Value = Value> {
    (
        text(),
        text(),
        value(),
        value(),
        prop::collection::vec((key(), value()), 0..4),
    )
        .prop_map(|(name, description, schema, annotations, more)| {
            let mut tool: serde_json::Map<String, Value> = more.into_iter().collect();
            tool.insert("name".to_owned(), Value::String(name));
            tool.insert("description".to_owned(), Value::String(description));
            tool.insert("inputSchema".to_owned(), schema);
            tool.insert("annotations".to_owned(), annotations);
            Value::Object(tool)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_json_is_judged(value in value()) {
        if let Some(listing) = any_listing(value.to_string()) {
            judge_all_ways(&listing);
        }
    }

    #[test]
    fn any_tools_are_judged(tools in prop::collection::vec(tool(), 0..8)) {
        let listing = any_listing(Value::Array(tools).to_string()).unwrap();
        judge_all_ways(&listing);
    }

    /// Text that came twice: keys are repeated at every depth.
    #[test]
    fn repeated_keys_are_judged(tool in tool()) {
        let text = tool.to_string();
        let twice = text.replace('{', r#"{"name": 1, "description": 2, "#).replace(", }", "}");
        if let Some(listing) = any_listing(format!("[{twice}]")) {
            judge_all_ways(&listing);
        }
    }
}

#[test]
fn a_finding_on_a_later_page_says_so() {
    let listing = pages(&[
        r#"[{"name": "first", "inputSchema": {"type": "object"}}]"#,
        r#"[{"name": "second", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": 1}}]"#,
    ]);
    let findings = judge(&listing, &JudgeOptions::default());
    check(&listing, &findings);
    let malformed = findings
        .iter()
        .find(|finding| finding.rule == "malformed-hint")
        .unwrap();
    assert_eq!(
        (malformed.location.page, malformed.location.pointer.as_str()),
        (1, "/0/annotations/readOnlyHint")
    );
}

/// Listings made to hold a linter up: many tools, many keys, all of them wrong. Each is judged
/// in a time that grows with its size and not with the square of it; a quadratic step would
/// not end here.
#[test]
fn hostile_listings_are_judged() {
    const MANY: usize = 20_000;
    let each =
        |make: &dyn Fn(usize) -> String| (0..MANY).map(make).collect::<Vec<String>>().join(",");
    let listings = [
        format!("[{}]", each(&|_| r#"{"name":"same"}"#.to_owned())),
        format!(
            "[{}]",
            each(&|number| format!(
                r#"{{"name":"{}"}}"#,
                char::from_u32(0x4E00 + number as u32 % 20_000).unwrap()
            ))
        ),
        format!(
            "[{}]",
            each(&|number| format!(
                r#"{{"name":"get_{number}","annotations":{{"readOnlyHint":false}}}}"#
            ))
        ),
        format!(
            r#"[{{"annotations":{{{}}},"name":"a"}}]"#,
            each(&|number| format!(r#""readOnly{}":true"#, number % 100))
        ),
        format!(
            r#"[{{{},"annotations":{{{}}},"name":"a"}}]"#,
            each(&|number| format!(r#""k{number}":1"#)),
            each(&|number| format!(r#""k{number}":1"#))
        ),
        format!(
            r#"[{{{},"name":"a"}}]"#,
            each(&|_| r#""readOnlyHint":1"#.to_owned())
        ),
        format!(
            r#"[{{"name":"a",{}}}]"#,
            each(&|number| format!(r#""k{}":1"#, number / 2))
        ),
        format!(
            r#"[{{"name":"a","inputSchema":{{"type":"object","properties":{{{}}}}}}}]"#,
            each(&|number| format!(r##""k{number}":{{"$ref":"#/properties/k{number}"}}"##))
        ),
        format!(
            r#"[{{"name":"a","inputSchema":{{"type":"object","enum":[{}]}}}}]"#,
            each(&|_| r#""\u200b""#.to_owned())
        ),
    ];
    for text in listings {
        let listing = any_listing(text).unwrap();
        let options = JudgeOptions {
            baseline: Some(&listing),
            ..JudgeOptions::default()
        };
        check(&listing, &judge(&listing, &options));
    }
}

#[test]
fn too_many_findings_of_one_kind_end_with_a_word() {
    let keys: Vec<String> = (0..60)
        .map(|number| format!(r#""key{number}": 1"#))
        .collect();
    let listing = any_listing(format!(
        r#"[{{"name": "a", "annotations": {{{}}}}}]"#,
        keys.join(",")
    ))
    .unwrap();
    let findings = judge(&listing, &JudgeOptions::default());
    let unknown: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.rule == "unknown-annotation-key")
        .collect();
    assert_eq!(unknown.len(), 50);
    assert!(
        unknown[49]
            .message
            .ends_with("; more of the same are not listed"),
        "{}",
        unknown[49].message
    );
}
