//! What is made of a journal: one of two hosts that were really there, and any pieces of it.

use proptest::prelude::*;
use sayso_scratch::journal::Contents;
use sayso_scratch::report::{CallEnd, Observed, ObservedCall};
use sayso_scratch::settings::ListChanged;

const TWO_HOSTS: &str = include_str!("../../../../fixtures/scratch/two-hosts.jsonl");

fn observed(journal: &str) -> Observed {
    Observed::from_journal(&Contents::parse(journal.as_bytes()))
}

fn call<'o>(seen: &'o Observed, id: &str) -> &'o ObservedCall {
    let mut calls = seen.calls.iter();
    calls.find(|call| call.request_id == id).unwrap()
}

fn position(seen: &Observed, id: &str) -> usize {
    let mut calls = seen.calls.iter();
    calls.position(|call| call.request_id == id).unwrap()
}

#[test]
fn who_was_there() {
    let seen = observed(TWO_HOSTS);
    let clients: Vec<String> = seen
        .clients
        .iter()
        .map(|client| {
            format!(
                "{} {}: {}, {}, {} asked {}, {}; listed {} times, told {} times, {}",
                client.name.as_deref().unwrap(),
                client.version.as_deref().unwrap(),
                client.transport.as_deref().unwrap(),
                client.era.as_deref().unwrap(),
                client.protocol.as_deref().unwrap(),
                client.protocol_asked.as_deref().unwrap_or("none"),
                client.capabilities.as_ref().unwrap(),
                client.listed_at_ms.len(),
                client.notified,
                client.ended.as_deref().unwrap(),
            )
        })
        .collect();
    insta::assert_snapshot!(clients.join("\n"), @r#"
    patient-host 2.3.0: stdio, legacy, 2025-06-18 asked 2025-06-18, {"elicitation":{},"roots":{"listChanged":true}}; listed 2 times, told 1 times, the client closed its end
    hasty-host 0.1: stdio, modern, 2026-07-28 asked none, {"elicitation":{}}; listed 0 times, told 0 times, the client closed its end
    "#);
    assert_eq!(seen.clients[0].other_messages["ping"], 1);
    assert_eq!(seen.clients[0].protocol_errors[0].code, -32602);
    assert!(seen.bad_lines.is_empty());
}

#[test]
fn a_call_again_after_no_answer_is_a_repeat_and_one_after_an_answer_is_not() {
    let seen = observed(TWO_HOSTS);
    let repeat = call(&seen, "3").repeats.unwrap();
    assert_eq!(repeat.of, position(&seen, "2"));
    assert!(!repeat.same_id && repeat.after_ms >= 300.0);
    assert!(
        matches!(&call(&seen, "2").end, CallEnd::Cancelled { reason: Some(reason) } if reason == "timed out")
    );
    assert_eq!(call(&seen, "8").repeats, None);
    assert_eq!(
        call(&seen, "8").same_as_answered,
        Some(position(&seen, "6"))
    );
    // Side by side with a call that was answered late.
    assert_eq!(call(&seen, "5").during, [position(&seen, "4")]);
}

#[test]
fn a_person_is_asked_in_either_era() {
    let seen = observed(TWO_HOSTS);
    let answers = |id: &str| -> Vec<&str> {
        let asked = call(&seen, id).asked.iter();
        asked
            .map(|asked| asked.answer.as_deref().unwrap())
            .collect()
    };
    assert_eq!(answers("9"), ["declined"]);
    assert_eq!(answers("\"b\""), ["accepted"]);
    // The request that brings the answer is no call of its own.
    let answer = call(&seen, "\"c\"");
    assert_eq!(answer.continues, Some(position(&seen, "\"b\"")));
    assert_eq!((answer.repeats, answer.same_as_answered), (None, None));
    let tool = seen
        .tools
        .iter()
        .find(|tool| tool.name == "send_invoice_email")
        .unwrap();
    assert_eq!((tool.counts.calls, tool.counts.asked), (2, 2));
}

#[test]
fn a_change_of_the_listing_and_what_became_of_it() {
    let seen = observed(TWO_HOSTS);
    let [silent, told] = seen.listing_changes.as_slice() else {
        panic!("{:?}", seen.listing_changes);
    };
    assert_eq!(silent.told, ListChanged::Silent);
    assert_eq!(silent.claims.len(), 1);
    assert_eq!(silent.claims[0].key, "destructiveHint");
    assert_eq!(silent.reactions[0].calls_on_old_listing, 1);
    assert_eq!(told.told, ListChanged::Notify);
    assert!(told.reactions[0].fetched_after_ms.is_some());
    assert_eq!(told.reactions[0].calls_on_old_listing, 0);
    // What the client acted on, and what was declared by then.
    let call = call(&seen, "6");
    let destructive = |declared: Option<sayso_scratch::listing::Declared>| {
        declared.unwrap().destructive.boolean()
    };
    assert_eq!(destructive(call.seen), Some(true));
    assert_eq!(destructive(call.declared), Some(false));
}

#[test]
fn what_no_client_can_see() {
    let seen = observed(TWO_HOSTS);
    let aside = call(&seen, "\"a\"").aside.as_ref().unwrap();
    assert_eq!(aside.tool, "purge_tenant");
    let changes: Vec<String> = seen
        .store
        .unwrap()
        .changes
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(changes.join("\n"), @"
    rebuilding 0 → 1
    index entries 10 → 8
    pinned results 4 → 3
    tenants 3 → 2
    tenant records 9 → 6
    invoices 3 → 2
    notes 2 → 3
    outbox 0 → 1
    wipes 0 → 1
    reindexed 0 → 2
    ");
}

#[test]
fn a_tool_that_was_never_listed_can_be_called() {
    let seen = observed(TWO_HOSTS);
    let last = seen.tools.last().unwrap();
    assert_eq!(
        (last.name.as_str(), last.counts.refusals),
        ("drop_table", 1)
    );
    assert!(last.declared.is_empty());
}

#[test]
fn an_empty_journal_is_a_report_too() {
    assert_eq!(observed(""), Observed::default());
}

#[test]
fn the_same_process_id_can_come_again() {
    // Two runs one after the other whose system gave them the same id.
    let same = TWO_HOSTS.replace("\"process\":4201", "\"process\":4200");
    assert_ne!(same, TWO_HOSTS);
    assert_eq!(observed(&same), observed(TWO_HOSTS));
}

#[test]
fn a_long_journal_is_taken_to_its_end() {
    let calls = TWO_HOSTS.lines().filter(|line| {
        ["called", "worked", "answered"]
            .iter()
            .any(|event| line.contains(&format!("\"{event}\"")))
    });
    let calls: Vec<&str> = calls.collect();
    let mut text = TWO_HOSTS.to_owned();
    for _ in 0..500 {
        text.extend(calls.iter().flat_map(|line| [*line, "\n"]));
    }
    let seen = observed(&text);
    assert_eq!(seen.calls.len(), 501 * 11);
}

proptest! {
    #[test]
    fn any_pieces_of_a_journal_make_a_report_that_adds_up(
        picked in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let lines: Vec<&str> = TWO_HOSTS.lines().collect();
        let text: String = picked
            .iter()
            .flat_map(|index| [lines[index.index(lines.len())], "\n"])
            .collect();
        let seen = observed(&text);
        for (index, call) in seen.calls.iter().enumerate() {
            prop_assert!(call.client < seen.clients.len());
            let earlier = call.repeats.map(|repeat| repeat.of).into_iter()
                .chain(call.same_as_answered)
                .chain(call.continues)
                .chain(call.during.iter().copied());
            for other in earlier {
                prop_assert!(other < index);
            }
        }
        let counted: u64 = seen.tools.iter().map(|tool| {
            let counts = &tool.counts;
            let asked_back = seen.calls.iter().filter(|call| {
                call.tool == tool.name && call.end == CallEnd::InputRequired
            });
            counts.results + counts.failures + counts.refusals + counts.cancelled
                + counts.without_answer + u64::try_from(asked_back.count()).unwrap()
        }).sum();
        prop_assert_eq!(counted, u64::try_from(seen.calls.len()).unwrap());
    }
}
