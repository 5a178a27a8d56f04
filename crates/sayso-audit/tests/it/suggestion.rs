//! What is suggested for a tool's hints, and by which tool of its listing it is undone.

use std::fmt::Write as _;

use sayso_audit::context::Context;
use sayso_audit::semantics::Semantics;
use sayso_audit::suggestion::{Suggestion, Undo, suggest};
use sayso_core::finding::Confidence;
use sayso_core::hint::Hint;

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
    assert!(sure >= 85, "{sure}");
}
