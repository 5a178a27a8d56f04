//! The skeleton of the ChatGPT app submission file.

use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::profile::Profile;
use sayso_audit::semantics::Semantics;
use sayso_audit::submission::openai_apps;

use crate::support::listing;

#[test]
fn each_hint_gets_a_sentence_from_the_tools_own_words() {
    let listing = listing(
        r#"[
        {"name": "list_notes", "description": "Lists the notes of a folder. Read-only.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
        {"name": "wipe", "description": "Deletes every note. This cannot be undone.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false}},
        {"name": "invite", "description": "Sends an invitation by e-mail to a new member.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": true}},
        {"name": "thing", "inputSchema": {"type": "object"}},
        {"inputSchema": {"type": "object"}}]"#,
    );
    let profile = Profile::find("openai-apps").unwrap();
    let options = JudgeOptions {
        profile: Some(&profile),
        ..JudgeOptions::default()
    };
    let findings = judge(&listing, &options);
    let file = openai_apps(&listing, &Semantics::default(), &findings);
    insta::assert_snapshot!(serde_json::to_string_pretty(&file).unwrap());
}
