//! Listings: whole, complete, and every tool as its server wrote it.

use std::fmt::Write as _;

use serde_json::Value;

use super::support::{Behind, Place, answer, reason, tool_with};

const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// A gate that shows hints in this way.
fn showing(hints: &str, trust: &str) -> (Place, Behind) {
    let mut place = Place::new(&format!("hints = \"{hints}\"\npolicy = [\"open.cedar\"]"));
    place.write("open.cedar", "permit (principal, action, resource);");
    let server = place.server(
        "s",
        &format!("trust = \"{trust}\"\nfirst-use = \"trust-once\""),
    );
    (place, server)
}

/// A tool for each way to say, or not to say, each of the four hints.
fn eighty_one() -> Vec<String> {
    (0..81)
        .map(|number: usize| {
            let mut annotations = String::new();
            for (place, hint) in HINTS.into_iter().enumerate() {
                let said = match number / 3_usize.pow(place as u32) % 3 {
                    1 => "true",
                    2 => "false",
                    _ => continue,
                };
                let comma = if annotations.is_empty() { "" } else { ", " };
                write!(annotations, "{comma}\"{hint}\": {said}").unwrap();
            }
            format!(
                r#"{{ "name": "t{number}", "annotations": {{{annotations}}}, "inputSchema": {{"type": "object"}} }}"#
            )
        })
        .collect()
}

#[test]
fn as_claimed_every_one_of_the_81_combinations_goes_through_byte_for_byte() {
    let (place, server) = showing("as-claimed", "untrusted");
    let tools = eighty_one();
    server.lists(&tools.join(","));
    let mut host = place.host();
    let id = host.begin("tools/list", "{}");
    let line = host.answer_line(id);
    for tool in &tools {
        assert!(line.contains(tool), "{tool}");
    }
}

#[test]
fn effective_every_one_of_the_81_combinations_is_four_booleans_and_the_claim_is_kept() {
    for trust in ["trusted", "untrusted"] {
        let (place, server) = showing("effective", trust);
        let tools = eighty_one();
        server.lists(&tools.join(","));
        let mut host = place.host();
        let shown = host.tools();
        assert_eq!(shown.len(), 81);
        for (tool, shown) in tools.iter().zip(&shown) {
            let tool: Value = serde_json::from_str(tool).unwrap();
            assert_eq!(
                shown["_meta"]["dev.sayso/claimed"], tool["annotations"],
                "{shown}"
            );
            for (hint, worst) in HINTS.into_iter().zip([false, true, false, true]) {
                let value = shown["annotations"][hint].as_bool().unwrap();
                let claimed = tool["annotations"][hint].as_bool();
                // Of a tool that only reads, two hints mean nothing.
                let reads = shown["annotations"]["readOnlyHint"] == true;
                let means_something =
                    !reads || !["destructiveHint", "idempotentHint"].contains(&hint);
                if trust == "untrusted" {
                    assert_eq!(value, worst, "{hint} of {shown}");
                } else if means_something {
                    assert_eq!(value, claimed.unwrap_or(worst), "{hint} of {shown}");
                }
            }
        }
    }
}

/// Null, malformed, duplicated, and annotations that are none.
#[test]
fn what_is_no_claim_is_never_shown_as_one() {
    let odd = [
        r#"{"readOnlyHint":null}"#,
        r#"{"readOnlyHint":"true"}"#,
        r#"{"readOnlyHint":1}"#,
        r#"{"readOnlyHint":[true]}"#,
        r#"{"readOnlyHint":true,"readOnlyHint":false}"#,
        r#"{"readOnlyHint":false,"readOnlyHint":true}"#,
        r#"{"readOnlyHint":false,"read\u004fnlyHint":true}"#,
        "null",
        "true",
        "[]",
    ];
    let tools: Vec<_> = odd
        .iter()
        .enumerate()
        .map(|(number, annotations)| {
            tool_with(
                &format!("t{number}"),
                &format!(",\"annotations\":{annotations}"),
            )
        })
        .collect();
    let (place, server) = showing("effective", "trusted");
    server.lists(&tools.join(","));
    let mut host = place.host();
    let id = host.begin("tools/list", "{}");
    let line = host.answer_line(id);
    let shown: Value = serde_json::from_str(&line).unwrap();
    let shown = shown["result"]["tools"].as_array().unwrap();
    assert_eq!(shown.len(), odd.len());
    for (tool, odd) in shown.iter().zip(odd) {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["readOnlyHint"], false, "{odd}: {tool}");
        assert_eq!(annotations["destructiveHint"], true, "{odd}: {tool}");
    }
    // A reader that takes the other of two members sees the same.
    let parts: Vec<&str> = line.split("\"annotations\":").skip(1).collect();
    assert_eq!(parts.len(), odd.len(), "{line}");
    for part in parts {
        let annotations = part.split('}').next().unwrap();
        let hint = annotations.to_lowercase().replace("\\u004f", "o");
        assert_eq!(hint.matches("readonlyhint").count(), 1, "{annotations}");
    }
}

#[test]
fn every_field_of_a_tool_is_kept() {
    let tool = r#"{ "name":"all", "title":"All of it", "description":"\u00e4 \"quoted\"", "icons":[{"src":"data:,","sizes":["1x1"]}], "inputSchema":{"type":"object","properties":{"n":{"type":"number","minimum":1.0,"x-mcp-header":"N"}},"x-order":1e2}, "outputSchema":{"type":"object"}, "annotations":{"title":"T","readOnlyHint":false,"x":null}, "execution":{"taskSupport":"optional"}, "_meta":{"a.example/b":[1.50]}, "x-unknown":{"deep":{"er":false}} }"#;
    let (place, server) = showing("as-claimed", "trusted");
    server.lists(tool);
    let mut host = place.host();
    let id = host.begin("tools/list", "{}");
    let line = host.answer_line(id);
    assert!(line.contains(tool), "{line}");
    let (place, server) = showing("effective", "trusted");
    server.lists(tool);
    let shown = place.host().tools().remove(0);
    let mut before: Value = serde_json::from_str(tool).unwrap();
    for (key, value) in shown["annotations"].as_object().unwrap() {
        if key.ends_with("Hint") {
            before["annotations"][key] = value.clone();
        }
    }
    for key in ["dev.sayso/claimed", "dev.sayso/provenance"] {
        before["_meta"][key] = shown["_meta"][key].clone();
    }
    assert_eq!(shown, before);
}

#[test]
fn ten_thousand_tools_on_a_hundred_pages_are_all_served() {
    let (place, server) = showing("as-claimed", "trusted");
    for page in 0..100 {
        let tools: Vec<_> = (0..100)
            .map(|number| tool_with(&format!("t{}", page * 100 + number), ""))
            .collect();
        let next = match page {
            99 => String::new(),
            page => format!(",\"nextCursor\":\"p{}\"", page + 1),
        };
        let method = match page {
            0 => "tools/list".to_owned(),
            page => format!("tools/list p{page}"),
        };
        server.does(
            &method,
            &[answer(&format!(
                r#"{{"tools":[{}]{next}}}"#,
                tools.join(",")
            ))],
        );
    }
    let mut host = place.host();
    let names = host.names();
    assert_eq!(names.len(), 10_000);
    assert_eq!((names[0].as_str(), names[9_999].as_str()), ("t0", "t9999"));
    let answer = host.call("t9999", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn a_listing_whose_cursor_comes_again_is_never_pinned_and_never_served() {
    let (place, server) = showing("as-claimed", "trusted");
    let page = answer(&format!(
        r#"{{"tools":[{}],"nextCursor":"again"}}"#,
        tool_with("read", "")
    ));
    server.does("tools/list", &[page]);
    let mut host = place.host();
    let listing = &place.records("listing", 1)[0];
    assert_eq!(listing["complete"], false);
    assert!(host.tools().is_empty());
    assert!(reason(&host.call("read", "{}")).starts_with("-32602"));
    assert!(server.seen_of("tools/list").len() < 10);
    server.saw_nothing();
    // Nor is it when the gate starts anew, with a listing that is complete.
    host.leave();
    server.lists(&tool_with("read", ""));
    assert_eq!(place.host().names(), ["read"]);
}

#[test]
fn a_page_that_fails_leaves_what_was_pinned_in_place() {
    let (place, server) = showing("as-claimed", "trusted");
    server.lists(&format!(
        "{},{}",
        tool_with("read", ""),
        tool_with("find", "")
    ));
    let mut host = place.host();
    assert_eq!(host.names(), ["read", "find"]);
    server.does(
        "tools/list",
        &[answer(&format!(
            r#"{{"tools":[{}],"nextCursor":"p1"}}"#,
            tool_with("read", "")
        ))],
    );
    server.does("tools/list p1", &[super::support::error(-32603, "broken")]);
    server.says(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    server.wait_for("tools/list", 3);
    // Whatever is shown now, nothing is pinned by half: it all comes back.
    server.changes_to(&format!(
        "{},{}",
        tool_with("read", ""),
        tool_with("find", "")
    ));
    host.tools_once(|tools| tools.len() == 2);
    let answer = host.call("find", "{}");
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
}

#[test]
fn a_storm_of_changes_is_read_a_few_times_and_told_on() {
    let (place, server) = showing("as-claimed", "trusted");
    let many = |count: usize| {
        let tools: Vec<_> = (0..count)
            .map(|number| tool_with(&format!("t{number}"), ""))
            .collect();
        tools.join(",")
    };
    server.lists(&many(3));
    let mut host = place.host();
    assert_eq!(host.names().len(), 3);
    server.lists(&many(2));
    for _ in 0..500 {
        server.says(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    }
    host.told("notifications/tools/list_changed");
    assert_eq!(host.tools_once(|tools| tools.len() == 2).len(), 2);
    let reads = server.seen_of("tools/list").len();
    assert!(reads < 12, "{reads} readings");
    let told = host.rest(std::time::Duration::from_millis(300));
    assert!(told.len() < 12, "{} told", told.len());
}

#[test]
fn two_tools_of_one_name_are_neither_shown_nor_called() {
    let (place, server) = showing("as-claimed", "trusted");
    server.lists(&format!(
        "{},{}",
        tool_with("read", ""),
        tool_with("read", r#","description":"other""#)
    ));
    let mut host = place.host();
    assert!(host.tools().is_empty());
    assert!(reason(&host.call("read", "{}")).starts_with("-32602"));
    server.saw_nothing();
}
