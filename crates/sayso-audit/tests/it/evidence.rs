//! What is read out of names, prose and arguments.

use proptest::prelude::*;
use sayso_audit::evidence::ToolEvidence;
use sayso_audit::evidence::verdicts::Strength;
use sayso_core::hint::Hint;
use sayso_core::json::{Document, Limits};
use sayso_core::tool::Tool;
use serde_json::{Value, json};

/// The verdicts on a tool in short: `R-` for read-only false, `D+` for destructive true and so
/// on, in the specification's order; a hunch is left out.
fn verdicts(tool: &Value) -> String {
    let document = Document::parse(tool.to_string(), &Limits::default()).unwrap();
    let evidence = ToolEvidence::read(Tool::new(document.root(), 0, 0));
    let letters = [
        Hint::ReadOnly,
        Hint::Destructive,
        Hint::Idempotent,
        Hint::OpenWorld,
    ]
    .into_iter()
    .zip(["R", "D", "I", "O"]);
    letters
        .filter_map(|(hint, letter)| {
            let signal = evidence
                .verdict(hint)
                .filter(|signal| signal.strength >= Strength::Fair)?;
            Some(format!("{letter}{}", if signal.value { '+' } else { '-' }))
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
fn says(description: &str, expected: &str) {
    let tool = json!({ "name": "a_tool", "description": description, "inputSchema": { "type": "object" } });
    assert_eq!(verdicts(&tool), expected, "{description}");
}

#[track_caller]
fn takes(description: &str, properties: &Value, required: &[&str], expected: &str) {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let tool = json!({ "name": "a_tool", "description": description, "inputSchema": schema });
    assert_eq!(verdicts(&tool), expected, "{description} {properties}");
}

#[test]
fn verbs_count_in_imperative_position() {
    says("Deletes a record.", "R- D+ I+");
    says("Delete a record.", "R- D+ I+");
    says("This tool deletes a record.", "R- D+ I+");
    says("Use this tool to delete a record.", "R- D+ I+");
    says("Returns the records of a day.", "R+ D- I+");
    says("Tool for deleting records.", "R- D+ I+");
    says("Adds, updates or deletes a note.", "R- D+ I+");
    says("Reads or replaces the clipboard.", "R- D+ I+");
    says(
        "Looks up a customer and removes the lock on it.",
        "R- D+ I+",
    );
    says(
        "Manages contexts: list, get, or remove a context.",
        "R- D+ I+",
    );
}

#[test]
fn nouns_that_look_like_verbs_do_not() {
    says("Searches deploys and updates of the last week.", "R+ D- I+");
    says("Lists posts, comments and edits of a user.", "R+ D- I+");
    says(
        "Returns records. Files larger than 5 MB are left out.",
        "R+ D- I+",
    );
    says("List of users.", "");
    says(
        "Counts the package updates each host still has to install.",
        "R+ D- I+",
    );
}

#[test]
fn negations_are_heard() {
    says(
        "Checks a backup. Never alters, moves or deletes a file.",
        "R+ D- I+",
    );
    says(
        "Computes the total of a cart. No order is placed and nothing is charged.",
        "R+ D- I+",
    );
    says(
        "Shows what would be removed. Nothing is deleted.",
        "R+ D- I+",
    );
    says(
        "Lists notifications without marking them as read.",
        "R+ D- I+",
    );
    says("Sets a field. This is not idempotent.", "R- D+ I-");
}

#[test]
fn clauses_examples_and_other_tools_are_set_aside() {
    says("Lists files that were deleted.", "R+ D- I+");
    says(
        "Returns the state of a job, e.g. deletes that failed.",
        "R+ D- I+",
    );
    says(
        "Returns a record. Use `delete_record` to remove it.",
        "R+ D- I+",
    );
    says(
        "Returns a record. To remove it call delete_record with its id.",
        "R+ D- I+",
    );
    says(
        "Returns a page (see https://example.invalid/delete/all).",
        "R+ D- I+",
    );
    says(
        "Returns a schema.\n\nExamples:\n  Deletes the old one and creates a new one.",
        "R+ D- I+",
    );
    says(
        "Returns a record.\n\nWhen to use:\n- Deletes the cache first",
        "R+ D- I+",
    );
    says(
        "Fetches a note. This tool will be removed in a later release.",
        "R+ D- I+",
    );
}

#[test]
fn prose_says_what_repeating_does() {
    says(
        "Creates a tag. A tag that exists already is returned unchanged.",
        "R- D- I+",
    );
    says(
        "Creates an invoice. Each call creates another one.",
        "R- D- I-",
    );
    says(
        "Loads a table into memory unless it is loaded already.",
        "R- I+",
    );
    says("Retracts a message. Idempotent.", "R- D+ I+");
    says("Sends a letter. Safe to retry.", "R- I+");
    says(
        "Resets a branch to the current state of its parent.",
        "R- D+ I-",
    );
}

#[test]
fn prose_says_what_is_lost_and_who_is_reached() {
    says(
        "Detaches an instance; it cannot be attached again.",
        "R- D+ I+",
    );
    says(
        "Saves a snippet. Saving under a name in use overwrites the older one.",
        "R- D+ I+",
    );
    says(
        "Extracts an archive into a folder. Existing files are left untouched.",
        "R- D- I+",
    );
    says("E-mails the invoice to the customer.", "R- I- O+");
    says("Lists alerts. Listed alerts are marked as read.", "R-");
    says("Switches the account for all later calls.", "R- I+");
    says("Archives a thread. It can be restored.", "R- I+");
    says("Searches the web.", "R+ D- I+ O+");
    says(
        "Reads a file within the allowed directories.",
        "R+ D- I+ O-",
    );
}

#[test]
fn what_is_refused_or_done_to_nothing_is_not_done() {
    says("Shows what would go. Deletes nothing.", "R+ D- I+");
    says(
        "Runs a SELECT statement; inserts, updates and deletes are refused.",
        "R+ D- I+",
    );
    says(
        "Returns rows. Statements that change data are not allowed.",
        "R+ D- I+",
    );
    says("Simulates a sale and returns the profit.", "R+ D- I+");
    // What is refused here is said of one case alone.
    says("Updates a page; stale versions are rejected.", "R- D+ I+");
}

#[test]
fn later_verbs_are_heard() {
    says("Lists mails, and marks them as seen.", "R- I+");
    says("Gets a session, creating one if there is none.", "R- I+");
    says(
        "Returns a letter. Opening it stamps a time the sender sees.",
        "R-",
    );
    says("Returns a page. It gets created if missing.", "R-");
    says(
        "Tidies the store: merges duplicates and drops stale entries.",
        "R- D+ I+",
    );
    says(
        "Runs a script. Its steps can sign transactions and move funds.",
        "R- D+ I-",
    );
    says("Records that a version was deployed.", "R- D- I-");
    says("Records that match a filter.", "");
    // A list of uses is not a list of acts.
    says(
        "Returns help for viewing a log, editing the settings and deleting it.",
        "R+ D- I+",
    );
}

#[test]
fn what_is_not_named_may_be_lost() {
    says(
        "Sets the members of a group; only the given ones are kept.",
        "R- D+ I+",
    );
    says(
        "Puts labels on a note. Labels not listed are removed.",
        "R- D+",
    );
    says(
        "Applies edits to a sheet, such as adding a row or deleting a column.",
        "R- D+ I+",
    );
    says(
        "Stores a draft; whatever the slot held is gone.",
        "R- D+ I+",
    );
}

#[test]
fn what_brings_back_does_not_take_away() {
    says("Restores a deleted page.", "R-");
    says("Undeletes a file.", "R-");
    says("Moves a note to the bin, where it can be recovered.", "R-");
    says("Returns the device to its factory settings.", "R- D+ I+");
}

#[test]
fn verbs_that_say_little_take_their_particle() {
    says("Turn names into ids.", "");
    says("Turns the lamp on.", "R- I+");
    says("Turns the volume up a notch.", "R- I-");
    says("Take leads off a list.", "R- D+ I+");
    says("Put leads on a list.", "R- D-");
    says("Write down a profile.", "R- D- I-");
    says("Save a new revision of a text.", "R- D- I-");
    says("Hands in the homework.", "R- D- I-");
    says("Formats the memory card.", "R- D+ I+");
}

#[test]
fn tests_builds_and_clicks_have_effects() {
    says("Runs the unit tests.", "R-");
    says("Compiles the firmware.", "R-");
    says("Runs the linter.", "");
    says("Clicks a button on the page.", "R- D+ I-");
    says("Pays a bill.", "R- D+ I-");
}

#[test]
fn filters_addresses_and_effects_of_arguments_are_told_apart() {
    let text = json!({ "type": "string" });
    takes(
        "Searches the audit trail.",
        &json!({ "action": { "enum": ["create", "update", "delete"] } }),
        &["action"],
        "R+ D- I+",
    );
    takes(
        "Fetches an invoice.",
        &json!({ "to": { "type": "string", "description": "sends the PDF to this address" } }),
        &[],
        "R-",
    );
    takes("Stores a link.", &json!({ "url": text }), &["url"], "R- I+");
}

#[test]
fn arguments_say_what_a_caller_can_do() {
    let text = json!({ "type": "string" });
    takes(
        "Reads an object.",
        &json!({ "key": text, "save_to_path": text }),
        &["key"],
        "R-",
    );
    takes(
        "Reads a queue.",
        &json!({ "ack": { "type": "array" } }),
        &[],
        "R-",
    );
    takes(
        "Works on contexts.",
        &json!({ "operation": { "enum": ["list", "get", "set"] } }),
        &["operation"],
        "R- D+",
    );
    takes(
        "Lists audit events.",
        &json!({ "action": { "enum": ["create", "delete"] } }),
        &[],
        "R+ D- I+",
    );
    takes(
        "Copies a report.",
        &json!({ "on_conflict": { "enum": ["skip", "replace"] } }),
        &[],
        "R- D+",
    );
    takes(
        "Runs a shell command.",
        &json!({ "command": text }),
        &["command"],
        "R- D+ I- O+",
    );
    takes(
        "Runs a read-only SQL query.",
        &json!({ "sql": text }),
        &["sql"],
        "R+ D- I+",
    );
    takes(
        "Fetches a web page.",
        &json!({ "url": text }),
        &["url"],
        "R+ D- I+ O+",
    );
    takes(
        "Searches orders.",
        &json!({ "include_deleted": { "type": "boolean" } }),
        &[],
        "R+ D- I+",
    );
    takes(
        "Gets a log.",
        &json!({ "compact": { "type": "boolean" } }),
        &[],
        "R+ D- I+",
    );
    let referred = json!({
        "type": "object",
        "properties": { "mode": { "$ref": "#/$defs/Mode" } },
        "$defs": { "Mode": { "anyOf": [{ "const": "read" }, { "const": "delete" }] } },
    });
    let tool =
        json!({ "name": "a_tool", "description": "Works on a key.", "inputSchema": referred });
    assert_eq!(verdicts(&tool), "R- D+");
}

#[test]
fn a_name_alone_is_a_hunch() {
    assert_eq!(verdicts(&json!({ "name": "update_thing" })), "");
    assert_eq!(verdicts(&json!({ "name": "post_search" })), "");
    assert_eq!(verdicts(&json!({ "name": "getThing" })), "R+ D- I+");
    assert_eq!(verdicts(&json!({ "name": "delete_thing" })), "D+");
}

#[test]
fn names_come_apart_where_people_see_parts() {
    let parts = |name: &str| {
        sayso_audit::evidence::names::parts(name)
            .into_iter()
            .map(|part| name[part].to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(parts("delete_note"), "delete note");
    assert_eq!(parts("getURLForHTTPCall2"), "get URL For HTTP Call 2");
    assert_eq!(parts("kube-apply.v2"), "kube apply v 2");
    assert_eq!(parts("größeÄndern"), "größe Ändern");
    assert_eq!(parts("__"), "");
}

/// Any JSON, with the keys a tool has among its keys.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~\n\u{e4}\u{2014}\u{201c}\u{201d}\u{2019}\u{1f600}]{0,60}".prop_map(Value::from),
        "(Deletes|never|unless|the `x|already|is|lost|\\.|, |\u{2019}|\"|\\(|\\{|e\\.g\\. | |\n- |Args:\n){0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let key = prop_oneof![
            Just("name".to_owned()),
            Just("description".to_owned()),
            Just("inputSchema".to_owned()),
            Just("properties".to_owned()),
            Just("items".to_owned()),
            Just("anyOf".to_owned()),
            Just("enum".to_owned()),
            Just("$ref".to_owned()),
            Just("action".to_owned()),
            Just("save_to".to_owned()),
            "[a-z_]{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reading_never_fails_and_marks_what_is_there(description in any_json(), schema in any_json(), name in any_json()) {
        let tool = json!({ "name": name, "description": description, "inputSchema": { "type": "object", "properties": schema } });
        for value in [&tool, &schema] {
            let document = Document::parse(value.to_string(), &Limits::default()).unwrap();
            let evidence = ToolEvidence::read(Tool::new(document.root(), 0, 0));
            for signal in evidence.verdicts() {
                let quote = evidence.quote(signal, 0).unwrap();
                prop_assert!(quote.text.get(quote.mark.clone()).is_some(), "{:?} in {:?}", quote.mark, quote.text);
            }
            for statement in &evidence.statements {
                let text = &evidence.texts[statement.text].decoded;
                prop_assert!(text.get(statement.sentence.clone()).is_some());
                prop_assert!(text.get(statement.mark.clone()).is_some());
                prop_assert!(statement.sentence.start <= statement.mark.start && statement.mark.end <= statement.sentence.end);
            }
        }
    }
}

#[test]
fn what_is_given_cancelled_or_only_rehearsed_is_told_apart() {
    says(
        "Gives a webhook a fresh secret. The former one stops working at once.",
        "R- D+ I+",
    );
    says("Gives the caller a summary of the week.", "R+ D- I+");
    says(
        "Gives an account a new password. The old one no longer works.",
        "R- D+ I+",
    );
    says("Gives each file a short preview in the answer.", "R+ D- I+");
    says("Cancels a booking.", "R- D+ I+");
    says("Opens a new, empty tab.", "R- D- I-");
    says("Waits for a number of seconds.", "R+ D- I+");
    says("Builds the address of a panel or a query view.", "R+ D- I+");
    says(
        "Applies a manifest as a dry run and reports whether it would be accepted.",
        "R+ D- I+",
    );
    takes(
        "Applies a manifest as a dry run and reports whether it would be accepted.",
        &json!({ "manifest": { "type": "string" }, "dry_run": { "type": "boolean" } }),
        &["manifest"],
        "R- I+",
    );
}

#[test]
fn effects_in_the_passive_are_heard() {
    says(
        "Returns the link to a file; one is created if there is none.",
        "R- I+",
    );
    says(
        "Returns the profile; it is created if it does not exist.",
        "R- I+",
    );
    says(
        "Keeps only the listed members; everyone else is taken out.",
        "R- D+",
    );
    says(
        "Returns an invoice; it is created when the order ships.",
        "R+ D- I+",
    );
    says(
        "Returns an article; if text is passed, it is stored as the new version.",
        "R- I-",
    );
    says(
        "Shows a case. A case without an owner is assigned to the caller.",
        "R-",
    );
    says(
        "Returns a picture. If a preset is given the camera turns to it first.",
        "R-",
    );
    says(
        "Folds all events before a date into one; the originals are not kept.",
        "R- D+",
    );
    says(
        "Requests a certificate after the present one is revoked.",
        "R- D+ I-",
    );
}

#[test]
fn steps_and_safe_repeats_are_heard_in_so_many_words() {
    says("Moves a task one level up in priority.", "R- I-");
    says("Adds the amount to the stock level of an item.", "R- D- I-");
    says(
        "Creates labels. Known names are not duplicated, so the call is safe to repeat.",
        "R- D- I+",
    );
}

#[test]
fn arguments_that_force_drain_hold_or_evaluate_are_found() {
    takes(
        "Returns the votes of a poll.",
        &json!({ "final": { "type": "boolean", "description": "close the poll to further votes" } }),
        &[],
        "R-",
    );
    takes(
        "Looks up how many units are in stock.",
        &json!({ "reserve": { "type": "integer", "description": "units to hold for the caller" } }),
        &[],
        "R-",
    );
    takes(
        "Uploads local commits to the remote branch.",
        &json!({ "force": { "type": "boolean" } }),
        &[],
        "R- D+",
    );
    takes(
        "Publishes a post.",
        &json!({ "force": { "type": "boolean", "description": "skip the spelling check" } }),
        &[],
        "R-",
    );
    takes(
        "Manages a cluster node.",
        &json!({ "operation": { "type": "string", "enum": ["cordon", "drain", "uncordon"] } }),
        &["operation"],
        "R- D+",
    );
    takes(
        "Evaluates the quality of a Python snippet.",
        &json!({ "code": { "type": "string" } }),
        &["code"],
        "R+ D- I+",
    );
    takes(
        "Evaluates a Python expression and shows its value.",
        &json!({ "expression": { "type": "string" } }),
        &["expression"],
        "R- D+ I- O+",
    );
}
