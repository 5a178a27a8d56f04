//! What is listed under which settings.

use sayso_core::hint::Hint;
use sayso_scratch::listing::Listing;
use sayso_scratch::settings::{Assignment, Settings};
use sayso_scratch::tool::Tool;

fn listing(assignments: &[&str]) -> Listing {
    let mut settings = Settings::default();
    for text in assignments {
        let Assignment { key, value } = Assignment::parse(text).unwrap();
        settings.set(key, &value).unwrap();
    }
    Listing::of(&settings)
}

/// The `annotations` member of a tool, as it stands on the wire.
fn annotations(listing: &Listing, tool: Tool) -> String {
    let start = format!("{{\"name\":\"{tool}\"");
    let entry = listing.tools.iter().find(|entry| entry.starts_with(&start));
    let entry = entry.unwrap();
    let end = entry.rfind("\"additionalProperties\":false}").unwrap();
    let rest = entry.split_at(end).1;
    rest.trim_start_matches("\"additionalProperties\":false}")
        .to_owned()
}

#[test]
fn what_is_declared_where_nothing_is_set() {
    let listing = listing(&[]);
    let lines: Vec<String> = Tool::ALL
        .iter()
        .map(|tool| format!("{tool:18} {}", annotations(&listing, *tool)))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    list_indexes       ,"annotations":{"readOnlyHint":true}}
    wipe_index         ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}}
    reindex_document   ,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true}}
    purge_tenant       }
    append_note        ,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
    send_invoice_email ,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}}
    "#);
    insta::assert_snapshot!(listing.tools.get(1).unwrap(), @r#"{"name":"wipe_index","description":"Drop a search index and rebuild it from the primary store. Until the rebuild is done, searches find nothing; results pinned by hand are lost for good. An index that is already being rebuilt is refused.","inputSchema":{"type":"object","properties":{"index":{"type":"string","description":"Index name, such as runbooks-v3.","minLength":1,"maxLength":100}},"required":["index"],"additionalProperties":false},"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}}"#);
}

#[test]
fn a_hint_can_be_anything() {
    let cases = [
        "wipe_index.destructiveHint=false",
        "wipe_index.destructiveHint=omitted",
        "wipe_index.destructiveHint=null",
        "wipe_index.destructiveHint=\"false\"",
        "wipe_index.destructiveHint=0",
        "wipe_index.destructiveHint=true,false",
        "wipe_index.annotations=omitted",
        "wipe_index.annotations=null",
        "wipe_index.annotations=\"read-only\"",
        "wipe_index.annotations={}",
        "wipe_index.annotations={\"destructiveHint\":true},{}",
        "wipe_index.annotations=[{\"destructiveHint\": true}]",
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|case| {
            let listing = listing(&[case]);
            let declared = listing.declared("wipe_index").unwrap();
            let claims: Vec<String> = Hint::ALL
                .iter()
                .map(|hint| declared.get(*hint).to_string())
                .collect();
            format!(
                "{case}\n  {}\n  {}: {}",
                annotations(&listing, Tool::WipeIndex),
                declared.annotations.as_str(),
                claims.join(" ")
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    wipe_index.destructiveHint=false
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
      object: false false false false
    wipe_index.destructiveHint=omitted
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"idempotentHint":false,"openWorldHint":false}}
      object: false absent false false
    wipe_index.destructiveHint=null
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":null,"idempotentHint":false,"openWorldHint":false}}
      object: false null false false
    wipe_index.destructiveHint="false"
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":"false","idempotentHint":false,"openWorldHint":false}}
      object: false malformed false false
    wipe_index.destructiveHint=0
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":0,"idempotentHint":false,"openWorldHint":false}}
      object: false malformed false false
    wipe_index.destructiveHint=true,false
      ,"annotations":{"title":"Rebuild search index","readOnlyHint":false,"destructiveHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}
      object: false duplicated false false
    wipe_index.annotations=omitted
      }
      absent: absent absent absent absent
    wipe_index.annotations=null
      ,"annotations":null}
      null: absent absent absent absent
    wipe_index.annotations="read-only"
      ,"annotations":"read-only"}
      malformed: absent absent absent absent
    wipe_index.annotations={}
      ,"annotations":{}}
      object: absent absent absent absent
    wipe_index.annotations={"destructiveHint":true},{}
      ,"annotations":{"destructiveHint":true},"annotations":{}}
      duplicated: absent duplicated absent absent
    wipe_index.annotations=[{"destructiveHint": true}]
      ,"annotations":[{"destructiveHint": true}]}
      malformed: absent absent absent absent
    "#);
}

#[test]
fn only_the_tool_that_is_set_changes() {
    let (before, after) = (listing(&[]), listing(&["append_note.readOnlyHint=true"]));
    let changed: Vec<&String> = after
        .tools
        .iter()
        .filter(|entry| !before.tools.contains(entry))
        .collect();
    assert_eq!(changed.len(), 1);
}
