//! Findings from what was observed.

use sayso_audit::example::Example;
use sayso_audit::observed::{findings, is_about};
use sayso_audit::rules;

const WATCHED: &str = r#"{"tools": [
    {"name": "read_note", "annotations": {"readOnlyHint": true, "openWorldHint": false}},
    {"name": "add_note", "annotations": {"readOnlyHint": false}}
  ],
  "sayso": {"observed": {"stale": ["add_note"], "tools": {
    "read_note": {
      "readOnlyHint": {"to": "user", "arguments": "{\"path\":\"a.txt\"}", "others": 2, "setting": "landlock, fixture `notes`",
        "what": ["deleted `/workspace/a.txt`; 12 bytes lost", "ran `rm /workspace/a.txt`"]},
      "openWorldHint": {"to": "user", "arguments": "{}", "setting": "landlock, fixture `notes`",
        "what": ["asked for the address of `stats.example.com`\u202e"]}},
    "add_note": {
      "destructiveHint": {"to": "user", "arguments": "{}", "setting": "landlock, fixture `notes`", "what": ["deleted it"]}}
  }}}}"#;

#[test]
fn a_witness_stands_at_the_claim_it_breaks() {
    let example = Example::parse(WATCHED).unwrap();
    let found = findings(&example.listing, example.observed.as_ref().unwrap());
    let shown: Vec<String> = found
        .iter()
        .map(|finding| {
            let evidence: Vec<String> = finding
                .evidence
                .iter()
                .map(|evidence| format!("\n    {} <- {}", evidence.text, evidence.label))
                .collect();
            format!(
                "{} {} at {}\n  {}{}\n  {}",
                finding.severity,
                finding.rule,
                finding.location.pointer.as_str(),
                finding.message,
                evidence.concat(),
                finding.help.as_deref().unwrap_or_default()
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    error read-only-contradicted at /tools/0/annotations/readOnlyHint
      watched at work, a call deleted `/workspace/a.txt`; 12 bytes lost, but readOnlyHint is true
        deleted `/workspace/a.txt`; 12 bytes lost <- seen in a call with {"path":"a.txt"} and in 2 more (landlock, fixture `notes`)
        ran `rm /workspace/a.txt` <- and
      set readOnlyHint to false, or have the tool do what it says
    error open-world-contradicted at /tools/0/annotations/openWorldHint
      watched at work, a call asked for the address of `stats.example.com`\u{202e}, but openWorldHint is false
        asked for the address of `stats.example.com`\u{202e} <- seen in a call with {} (landlock, fixture `notes`)
      set openWorldHint to true, or have the tool do what it says
    info stale-evidence at /tools/1/name
      the evidence is of another definition of this tool and counts for nothing
      verify the server anew
    info unclaimed-risk at /tools/1/name
      watched at work, a call deleted it; destructiveHint is not claimed, and clients assume true
        deleted it <- seen in a call with {} (landlock, fixture `notes`)
      set destructiveHint to true: what is claimed holds in clients that assume otherwise, too
    "#);
}

#[test]
fn the_same_is_found_beside_all_else() {
    let example = Example::parse(WATCHED).unwrap();
    let alone = findings(&example.listing, example.observed.as_ref().unwrap());
    let mut among = example.judge();
    among.retain(|finding| is_about(finding.rule));
    assert_eq!(alone, among);
}

#[test]
fn nothing_is_found_where_nothing_was_observed() {
    let example = Example::parse(WATCHED).unwrap();
    assert!(findings(&example.listing, &Default::default()).is_empty());
    assert_eq!(rules::ids().filter(|id| is_about(id)).count(), 8);
}
