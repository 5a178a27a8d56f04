//! What is suggested for a tool's hints, and by which tool of its listing it is undone.

use std::fmt::Write as _;

use proptest::prelude::*;
use sayso_audit::context::Context;
use sayso_audit::semantics::Reading;
use sayso_audit::semantics::Semantics;
use sayso_audit::suggestion::{Suggestion, ToolSuggestions, Undo, suggest};
use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::Hint;
use serde_json::{Value, json};

use crate::support::listing;

/// The example server's catalogue.
fn forty_tools() -> String {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sayso/src/example/tools.json"
    );
    std::fs::read_to_string(file).unwrap()
}

fn short<T>(value: &str, suggestion: &Suggestion<T>) -> String {
    format!("{value} {}", suggestion.confidence)
}

/// Suggestions for the tools of a listing with these settings.
fn suggested(text: &str, semantics: &Semantics) -> Vec<ToolSuggestions> {
    let listing = listing(text);
    suggest(&Context::new(&listing, semantics, None, None))
}

/// What is suggested for one hint of a tool without arguments: its value and confidence.
fn read(description: &str, semantics: &Semantics, hint: Hint) -> Option<(bool, Confidence)> {
    let tool = json!({ "name": "a_tool", "description": description, "inputSchema": { "type": "object" } });
    let suggestions = suggested(&tool.to_string(), semantics).pop()?;
    let suggestion = suggestions.hints.get(hint).as_ref()?;
    Some((suggestion.value, suggestion.confidence))
}

/// A line for each tool: hints as `R-` for read-only false and so on with the confidence, then what undoes it.
fn table(text: &str) -> String {
    let listing = listing(text);
    let semantics = Semantics::default();
    let context = Context::new(&listing, &semantics, None, None);
    let mut shown = String::new();
    for (tool, suggested) in context.tools.iter().zip(suggest(&context)) {
        let mut cells = Vec::new();
        for (hint, letter) in Hint::ALL.into_iter().zip(["R", "D", "I", "O"]) {
            if let Some(suggestion) = suggested.hints.get(hint) {
                let sign = if suggestion.value { '+' } else { '-' };
                cells.push(short(&format!("{letter}{sign}"), suggestion));
            }
        }
        if let Some(undo) = &suggested.undo {
            let by = match &undo.value {
                Undo::Tool { name, .. } => name.as_str(),
                Undo::Nothing => "none",
            };
            cells.push(short(&format!("undo {by}"), undo));
        }
        writeln!(shown, "{}: {}", tool.tool.label(), cells.join(", ")).unwrap();
    }
    shown
}

#[test]
fn the_forty_tools() {
    insta::assert_snapshot!(table(&forty_tools()), @"
    profile_fetch: R+ high, O+ medium
    company_fetch: R+ high, O+ medium
    profile_posts: R+ medium, O- low
    search_people: R+ medium, O+ medium
    search_companies: R+ high, O+ medium
    search_posts: R+ high, O- low
    filter_resolve: R+ high, O- low
    search_sales_navigator: R+ high, O- low
    invite_send: R- high, D- low, I- high, O+ high, undo none low
    message_send: R- high, D- low, I- high, O+ low, undo message_delete high
    message_edit: R- high, D+ high, I+ high, O+ low, undo message_edit low
    message_delete: R- high, D+ high, I+ high, O+ low, undo none low
    inmail_send: R- high, D- low, I- high, O+ high, undo none low
    icp_create: R- high, D- high, I- high, O- low, undo none low
    icp_revise: R- high, D- high, I- high, O- high, undo none low
    icp_list: R+ high, O- medium
    icp_get: R+ high, O- high
    company_load_details: R- high, D+ high, I+ medium, O+ medium, undo none low
    company_add: R- high, D- high, I+ high, O- low, undo none low
    company_qualify: R- high, D+ high, O- high, undo none low
    company_list: R+ high, O- medium
    evidence_search: R+ medium, O- low
    lead_add: R- high, D- high, O- low, undo none low
    lead_load_profile: R- high, D+ low, O+ medium, undo none low
    lead_list: R+ high, O- high
    lead_get: R+ medium, O- medium
    leadlist_create: R- high, D- high, I- high, O- high, undo leadlist_delete high
    leadlist_list: R+ high, O- high
    leadlist_get: R+ high, O- high
    leadlist_update: R- high, D+ high, I+ high, O- high, undo leadlist_update low
    leadlist_delete: R- high, D+ high, I+ medium, O- medium, undo none low
    leadlist_add_leads: R- high, D- high, I+ high, O- high, undo leadlist_remove_leads high
    leadlist_remove_leads: R- high, D+ high, I+ medium, O- medium, undo leadlist_add_leads high
    companylist_create: R- high, D- high, I- high, O- high, undo companylist_delete high
    companylist_list: R+ high, O- high
    companylist_get: R+ high, O- high
    companylist_update: R- high, D+ high, I+ high, O- high, undo companylist_update low
    companylist_delete: R- high, D+ high, I+ medium, O- high, undo none low
    companylist_add_companies: R- high, D- high, I+ high, O- medium, undo companylist_remove_companies high
    companylist_remove_companies: R- high, D+ high, I+ medium, O- high, undo companylist_add_companies high
    ");
}

/// What each of the forty tools does, read by a person from its description: `-` where the
/// description leaves it open or people disagree, in the order read-only, destructive,
/// idempotent, open world.
const READ_BY_A_PERSON: [(&str, &str); 40] = [
    ("profile_fetch", "t--t"),
    ("company_fetch", "t--t"),
    ("profile_posts", "t--t"),
    ("search_people", "t--t"),
    ("search_companies", "t--t"),
    ("search_posts", "t--t"),
    ("filter_resolve", "t---"),
    ("search_sales_navigator", "t--t"),
    ("invite_send", "f-ft"),
    ("message_send", "f-ft"),
    ("message_edit", "fttt"),
    ("message_delete", "fttt"),
    ("inmail_send", "f-ft"),
    ("icp_create", "ffff"),
    ("icp_revise", "ffff"),
    ("icp_list", "t--f"),
    ("icp_get", "t--f"),
    ("company_load_details", "ft-t"),
    ("company_add", "fftf"),
    ("company_qualify", "fttf"),
    ("company_list", "t--f"),
    ("evidence_search", "t--f"),
    ("lead_add", "fftf"),
    ("lead_load_profile", "f--t"),
    ("lead_list", "t--f"),
    ("lead_get", "t--f"),
    ("leadlist_create", "ffff"),
    ("leadlist_list", "t--f"),
    ("leadlist_get", "t--f"),
    ("leadlist_update", "fttf"),
    ("leadlist_delete", "fttf"),
    ("leadlist_add_leads", "fftf"),
    ("leadlist_remove_leads", "fttf"),
    ("companylist_create", "ffff"),
    ("companylist_list", "t--f"),
    ("companylist_get", "t--f"),
    ("companylist_update", "fttf"),
    ("companylist_delete", "fttf"),
    ("companylist_add_companies", "fftf"),
    ("companylist_remove_companies", "fttf"),
];

#[test]
fn what_is_sure_is_what_a_person_reads() {
    let listing = listing(&forty_tools());
    let semantics = Semantics::default();
    let context = Context::new(&listing, &semantics, None, None);
    let mut sure = 0;
    let mut wrong = Vec::new();
    let suggested = suggest(&context);
    assert_eq!(suggested.len(), READ_BY_A_PERSON.len());
    for ((name, read), suggested) in READ_BY_A_PERSON.into_iter().zip(suggested) {
        for (hint, value) in Hint::ALL.into_iter().zip(read.chars()) {
            let Some(suggestion) = suggested.hints.get(hint) else {
                continue;
            };
            if suggestion.confidence != Confidence::High || value == '-' {
                continue;
            }
            sure += 1;
            if suggestion.value != (value == 't') {
                wrong.push(format!("{name} {hint}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(sure >= 80, "{sure}");
}

#[test]
fn nothing_is_suggested_where_nothing_is_known() {
    insta::assert_snapshot!(
        table(r#"[{}, 1, {"name": ""}, {"name": "x", "description": "Hmm."}, {"name": "zorp"}]"#),
        @"
    #1: 
    #2: 
    #3: 
    x: 
    zorp:
    "
    );
}

#[test]
fn a_suggestion_shows_what_it_rests_on_and_what_speaks_against_it() {
    let tool = json!({
        "name": "note_append",
        "description": "Appends a note to the page. A note with the same text is not added again.",
        "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
    });
    let suggestions = suggested(&tool.to_string(), &Semantics::default()).remove(0);
    let mut shown = String::new();
    for (hint, suggestion) in suggestions.hints.iter() {
        let suggestion = suggestion.as_ref().unwrap();
        writeln!(
            shown,
            "{hint} {}, {} because {}",
            suggestion.value, suggestion.confidence, suggestion.because
        )
        .unwrap();
        let side = |evidence: &[Evidence], sign: char| -> String {
            evidence
                .iter()
                .map(|one| {
                    let marked = &one.text[one.mark.clone()];
                    format!("  {sign} {} [{marked}] <- {}\n", one.text, one.label)
                })
                .collect()
        };
        shown.push_str(&side(&suggestion.evidence, '+'));
        shown.push_str(&side(&suggestion.against, '-'));
    }
    insta::assert_snapshot!(shown, @"
    readOnlyHint false, high because by its description it creates or adds something, and its name agrees
      + Appends a note to the page. [Appends] <- creates or adds something
      + Appends a note to the page. [Appends a] <- says that something is written or changed
      + note_append [append] <- the name says the same
    destructiveHint false, high because by its description it only adds, and its name agrees
      + Appends a note to the page. [Appends] <- only adds
      + note_append [append] <- the name says the same
    idempotentHint false, medium because by its description it adds one more on each call, and its name agrees
      + Appends a note to the page. [Appends] <- adds one more on each call
      + note_append [append] <- the name says the same
    openWorldHint false, high because nothing leads out: neither what it does, nor an argument, nor a word
    ");
}

#[test]
fn a_matter_of_reading_is_never_sure_until_a_setting_decides() {
    let either = Semantics::default();
    let yes = Semantics {
        delete_is_idempotent: Reading::Yes,
        send_is_destructive: Reading::Yes,
        own_tenant_is_open_world: Reading::Yes,
        update_is_destructive: Reading::Yes,
    };
    let no = Semantics {
        delete_is_idempotent: Reading::No,
        send_is_destructive: Reading::No,
        own_tenant_is_open_world: Reading::No,
        update_is_destructive: Reading::No,
    };
    let deleting = "Deletes a record.";
    let sending = "Sends a message to the on-call engineer.";
    let emptying = "Empties the trash.";
    let updating = "Updates a record.";
    let reading = "Returns the comments customers wrote.";
    let mut shown = String::new();
    for (description, hint) in [
        (deleting, Hint::Idempotent),
        (emptying, Hint::Idempotent),
        ("Rolls back the last migration.", Hint::Idempotent),
        ("Updates or deletes a record.", Hint::Idempotent),
        (sending, Hint::Destructive),
        (updating, Hint::Destructive),
        (reading, Hint::OpenWorld),
    ] {
        writeln!(
            shown,
            "{description} {hint}: either {:?}, yes {:?}, no {:?}",
            read(description, &either, hint),
            read(description, &yes, hint),
            read(description, &no, hint)
        )
        .unwrap();
    }
    insta::assert_snapshot!(shown, @"
    Deletes a record. idempotentHint: either Some((true, Medium)), yes Some((true, Medium)), no Some((false, Medium))
    Empties the trash. idempotentHint: either Some((true, Medium)), yes Some((true, Medium)), no Some((true, Medium))
    Rolls back the last migration. idempotentHint: either Some((false, High)), yes Some((false, High)), no Some((false, High))
    Updates or deletes a record. idempotentHint: either Some((true, Medium)), yes Some((true, Medium)), no Some((false, Medium))
    Sends a message to the on-call engineer. destructiveHint: either Some((false, Low)), yes Some((true, Medium)), no Some((false, Medium))
    Updates a record. destructiveHint: either Some((true, Medium)), yes Some((true, Medium)), no Some((false, Medium))
    Returns the comments customers wrote. openWorldHint: either Some((false, Low)), yes Some((true, Medium)), no Some((false, Medium))
    ");
}

#[test]
fn what_a_tool_claims_is_not_read() {
    let tools = [
        ("drop_table", "Drops a table with all its rows."),
        ("get_row", "Returns a row."),
        ("row_send", "Sends a row to a customer."),
    ];
    for (name, description) in tools {
        let bare = json!({ "name": name, "description": description, "inputSchema": { "type": "object" } });
        let expected = suggested(&bare.to_string(), &Semantics::default());
        for states in 0..81_u32 {
            let mut tool = bare.clone();
            let mut annotations = json!({ "title": "Deletes everything" });
            for (number, hint) in (0_u32..).zip(Hint::ALL) {
                match states / 3_u32.pow(number) % 3 {
                    0 => {}
                    state => annotations[hint.key()] = Value::Bool(state == 1),
                }
            }
            tool["annotations"] = annotations;
            assert_eq!(
                suggested(&tool.to_string(), &Semantics::default()),
                expected,
                "{tool}"
            );
        }
    }
}

/// A listing of tools without descriptions, each a name and what it has to be given.
fn named(tools: &[(&str, &[&str])]) -> String {
    let tools: Vec<Value> = tools
        .iter()
        .map(|(name, arguments)| {
            let properties: serde_json::Map<String, Value> = arguments
                .iter()
                .map(|argument| ((*argument).to_owned(), json!({ "type": "string" })))
                .collect();
            let schema =
                json!({ "type": "object", "properties": properties, "required": arguments });
            json!({ "name": name, "inputSchema": schema })
        })
        .collect();
    Value::Array(tools).to_string()
}

/// What undoes each tool, a line each.
fn undone(tools: &[(&str, &[&str])]) -> String {
    let mut shown = String::new();
    for line in table(&named(tools)).lines() {
        let (name, cells) = line.split_once(':').unwrap();
        let undo = cells
            .split(", ")
            .find_map(|cell| cell.trim().strip_prefix("undo "));
        writeln!(shown, "{name}: {}", undo.unwrap_or("-")).unwrap();
    }
    shown
}

#[test]
fn what_undoes_a_call_is_the_opposite_done_to_the_same() {
    insta::assert_snapshot!(undone(&[
        ("issue_create", &["title"]),
        ("issue_delete", &["issue_id"]),
        ("issue_close", &["issue_id"]),
        ("issue_reopen", &["issue_id"]),
        ("issue_get", &["issue_id"]),
        ("create_label", &["name"]),
        ("delete_comment", &["comment_id"]),
        ("add_issue_comment", &["issue_id", "text"]),
        ("pinIssue", &["id"]),
        ("unpinIssue", &["id"]),
    ]), @"
    issue_create: issue_delete high
    issue_delete: none low
    issue_close: issue_reopen high
    issue_reopen: issue_close high
    issue_get: -
    create_label: none low
    delete_comment: none low
    add_issue_comment: delete_comment medium
    pinIssue: unpinIssue high
    unpinIssue: pinIssue high
    ");
    // A member of a set can be put in again, a thing that is gone cannot be made again.
    insta::assert_snapshot!(undone(&[
        ("team_add_member", &["team", "user"]),
        ("team_remove_member", &["team", "user"]),
        ("team_create", &["name"]),
        ("team_delete", &["team"]),
        ("user_add", &["name"]),
        ("user_remove", &["user"]),
    ]), @"
    team_add_member: team_remove_member high
    team_remove_member: team_add_member high
    team_create: team_delete high
    team_delete: none low
    user_add: user_remove high
    user_remove: none low
    ");
    // The opposite done to something else is no undoing.
    insta::assert_snapshot!(undone(&[
        ("invite_send", &["person"]),
        ("order_cancel", &["order_id"]),
        ("lead_add", &["url"]),
        ("leadlist_remove_leads", &["leadlist_id", "lead_ids"]),
        ("toggle_lamp", &["lamp"]),
        ("rename_branch", &["old", "new"]),
    ]), @"
    invite_send: none low
    order_cancel: none low
    lead_add: none low
    leadlist_remove_leads: none low
    toggle_lamp: toggle_lamp medium
    rename_branch: rename_branch low
    ");
}

#[test]
fn what_is_said_to_be_final_is_not_undone() {
    let tools = json!([
        { "name": "post_publish", "description": "Publishes a post. This cannot be undone.", "inputSchema": { "type": "object" } },
        { "name": "post_unpublish", "description": "Takes a post down.", "inputSchema": { "type": "object" } },
    ]);
    insta::assert_snapshot!(table(&tools.to_string()), @"
    post_publish: R- high, D- low, I- low, O- low, undo none low
    post_unpublish: R- high, D+ high, I+ medium, O- high, undo post_publish medium
    ");
}

proptest! {
    #[test]
    fn suggestions_agree_with_each_other(
        names in proptest::collection::vec("[a-z_éA-Z]{0,12}(get|set|add|delete|send|_to_)?[a-z_]{0,8}", 1..5),
        words in proptest::collection::vec(
            prop_oneof![
                "(deletes|creates|sends|returns|updates|the|network|from|again|not|record|is|überschreibt|over the web|cannot be undone|already|or)",
                "[.,; ]",
                "\\PC{0,6}",
            ],
            0..24,
        ),
    ) {
        let description = words.join(" ");
        let tools: Vec<Value> = names
            .iter()
            .map(|name| json!({ "name": name, "title": name, "description": description, "inputSchema": { "type": "object", "properties": { name: { "description": description } } } }))
            .collect();
        for suggestions in suggested(&Value::Array(tools).to_string(), &Semantics::default()) {
            let hints = &suggestions.hints;
            if hints.read_only.as_ref().is_some_and(|reads| reads.value) {
                prop_assert!(hints.destructive.is_none() && hints.idempotent.is_none());
                prop_assert!(suggestions.undo.is_none());
            }
            if hints.destructive.as_ref().is_some_and(|destroys| destroys.value) {
                prop_assert!(hints.read_only.as_ref().is_some_and(|reads| !reads.value));
            }
            for (_, suggestion) in hints.iter() {
                for evidence in suggestion.iter().flat_map(|one| one.evidence.iter().chain(&one.against)) {
                    prop_assert!(evidence.text.get(evidence.mark.clone()).is_some(), "{evidence:?}");
                }
            }
            if let Some(undo) = suggestions.undo {
                prop_assert!(undo.value != Undo::Nothing || undo.confidence == Confidence::Low);
            }
        }
    }
}
