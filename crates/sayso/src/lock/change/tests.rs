//! No difference goes untold, and none is told where there is none.

use proptest::prelude::*;
use sayso_audit::semantics::Semantics;
use sayso_core::drift::tool_direction;
use sayso_core::json::{Document, Limits, Value};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use sayso_core::lock::{Launch, PinnedServer};

use super::{Weight, between};

fn pin(tool: &str) -> PinnedServer {
    let document = Document::parse(format!("{{\"tools\":[{tool}]}}"), &Limits::default()).unwrap();
    let tools = document.root().get("tools").map(Value::index).unwrap();
    let mut listing = Listing::new(ServerIdentity::default());
    let page = Page {
        document,
        lines_before: 0,
    };
    listing.push_page(page, tools);
    PinnedServer::of(&listing, Launch::default()).unwrap()
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "true",
        "false",
        "null",
        "\"x\"",
        "1",
        "1.0",
        "1e400",
        "{}",
        "[]",
        "\"\\ud800\"",
    ])
}

fn annotations() -> impl Strategy<Value = String> {
    let hint = (
        "(readOnly|destructive|idempotent|openWorld)Hint|title|x",
        word(),
    );
    prop::collection::vec(hint, 0..4).prop_map(|hints| {
        let hints: Vec<String> = hints
            .iter()
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        format!("{{{}}}", hints.join(","))
    })
}

/// Members of a tool, some of them twice.
fn tool() -> impl Strategy<Value = String> {
    let schema = ("[ab]", word(), word()).prop_map(|(name, value, other)| {
        format!("{{\"properties\":{{\"{name}\":{{\"const\":{value}}}}},\"y\":{other}}}")
    });
    let value = prop_oneof![
        word().prop_map(str::to_owned),
        annotations(),
        schema,
        "\"(Reads|Deletes) a note\\.\"",
    ];
    let key = "title|description|inputSchema|outputSchema|annotations|_meta";
    let members = prop::collection::vec((key, value), 0..5);
    (members, prop::option::of(annotations())).prop_map(|(members, annotations)| {
        let mut tool = "{\"name\":\"n\"".to_owned();
        for (key, value) in &members {
            tool.push_str(&format!(",\"{key}\":{value}"));
        }
        if let Some(annotations) = annotations {
            tool.push_str(&format!(",\"annotations\":{annotations}"));
        }
        tool + "}"
    })
}

proptest! {
    #[test]
    fn whatever_moved_is_told(one in tool(), other in tool()) {
        let (one, other) = (pin(&one), pin(&other));
        let changes = between(&one, &other, Semantics::default());
        let (old, new) = (&one.tools["n"], &other.tools["n"]);
        prop_assert_eq!(changes.is_empty(), old.digest == new.digest);
        let heaviest = changes.iter().map(|change| change.weight).max();
        let direction = Weight::from(tool_direction(&old.claims, &new.claims));
        prop_assert!(heaviest.unwrap_or(Weight::Neutral) >= direction);
        prop_assert!(between(&one, &one.clone(), Semantics::default()).is_empty());
    }
}
