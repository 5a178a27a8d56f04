//! Pages, odd tools, and listings that do not hold still.

use std::time::Duration;

use sayso_core::hint::{Claim, Hint};
use sayso_mcp::ReadOptions;

use crate::support::{impatient, options, read, server, told, told_with};

#[test]
fn every_page_is_asked_for() {
    insta::assert_snapshot!(told(&["pages", "2"]), @r"
    tools: p1a p1b p2a p2b
    Complete
    ");
    let reading = read(server(&["pages", "40"]), &options()).unwrap();
    assert_eq!(
        (reading.listing.len(), reading.listing.pages().len()),
        (80, 40)
    );
    let last = reading.listing.tool(79).unwrap();
    assert_eq!(last.label(), "p40b");
    assert_eq!(
        reading
            .listing
            .location(last.page(), last.value())
            .pointer
            .as_str(),
        "/result/tools/1"
    );
    insta::assert_snapshot!(told(&["empty-cursor"]), @r"
    tools: a
    Complete
    ");
}

#[test]
fn a_cursor_that_comes_again_ends_the_walk() {
    insta::assert_snapshot!(told(&["repeating-cursor"]), @r#"
    tools: a b c
    Incomplete("the server repeats itself from the cursor \"p2\" on, so there may be more tools")
    CursorRepeated x1: cursor "p2"
    "#);
    insta::assert_snapshot!(told(&["stuck-cursor"]), @r#"
    tools: first last
    Incomplete("the server repeats itself from the cursor \"second\" on, so there may be more tools")
    CursorRepeated x1: cursor "second"
    "#);
    insta::assert_snapshot!(told(&["endless-same"]), @r#"
    tools: t
    Incomplete("the server repeats itself from the cursor \"2\" on, so there may be more tools")
    CursorRepeated x1: cursor "2"
    "#);
    insta::assert_snapshot!(told(&["odd-cursor"]), @r#"
    tools: 
    Incomplete("`nextCursor` is a number, not a string")
    "#);
}

#[test]
fn a_walk_without_end_stops_at_each_limit() {
    let limited = |change: fn(&mut ReadOptions)| {
        let mut options = options();
        change(&mut options);
        told_with(&["endless"], &options)
    };
    insta::assert_snapshot!(limited(|options| options.limits.pages = 5), @r#"
    tools: t0 t1 t2 t3 t4
    Incomplete("stopped after 5 pages, the most that are read")
    "#);
    insta::assert_snapshot!(limited(|options| options.limits.tools = 7), @r#"
    tools: t0 t1 t2 t3 t4 t5 t6
    Incomplete("stopped after 7 tools; at most 7 are read")
    "#);
    insta::assert_snapshot!(limited(|options| options.limits.total_bytes = 500), @r#"
    tools: t0 t1 t2 t3 t4
    Incomplete("stopped after 540 bytes; at most 500 are read")
    "#);
    let timed = limited(|options| options.listing_timeout = Duration::from_millis(300));
    assert!(
        timed.contains("took longer than 0.3 s") || timed.contains("1000 pages"),
        "{timed}"
    );
}

#[test]
fn what_goes_wrong_behind_the_first_page_leaves_an_incomplete_listing() {
    insta::assert_snapshot!(told(&["crash-mid-list"]), @r#"
    tools: first
    Incomplete("page 2 is missing: the server ended with exit status 7")
    "#);
    insta::assert_snapshot!(told(&["error-mid-list"]), @r#"
    tools: first
    Incomplete("page 2 is missing: the server refused `tools/list`: lost the rest (-32603)")
    "#);
    let hung = told_with(&["hang-mid-list"], &impatient());
    assert!(
        hung.contains("page 2 is missing: the server did not answer `tools/list` within 0.5 s"),
        "{hung}"
    );
}

#[test]
fn one_bad_tool_hides_no_other() {
    let reading = read(server(&["bad-tool"]), &options()).unwrap();
    let listing = &reading.listing;
    let labels: Vec<_> = listing
        .tools()
        .map(|tool| tool.label().into_owned())
        .collect();
    assert_eq!(
        labels,
        ["good", "hint", "null", "twice", "#5", "#6", "#7", "#8"]
    );
    let claim = |position: usize| {
        *listing
            .tool(position)
            .unwrap()
            .claims()
            .states()
            .get(Hint::ReadOnly)
    };
    assert_eq!(
        [claim(0), claim(1), claim(3)],
        [Claim::Absent, Claim::Malformed, Claim::Duplicated]
    );
    assert!(
        listing.observations.is_empty(),
        "a rule tells what is wrong with a tool"
    );
}

#[test]
fn names_are_kept_as_they_are() {
    insta::assert_snapshot!(told(&["duplicate-names"]), @r"
    tools: a a
    Complete
    ");
    let reading = read(server(&["odd-names"]), &options()).unwrap();
    let names: Vec<_> = reading
        .listing
        .tools()
        .map(|tool| tool.name().unwrap().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "a.b",
            "a/b",
            "Query all",
            "\u{1F525}go",
            "line\n",
            "\u{202E}rtl",
            ""
        ]
    );
}

#[test]
fn a_listing_that_changes_between_two_calls() {
    let twice = ReadOptions {
        read_twice: true,
        ..options()
    };
    insta::assert_snapshot!(told_with(&["differing"], &twice), @r"
    tools: a b c
    Complete
    ListingDiffers x1: a changed, b is gone, d is new
    ");
    insta::assert_snapshot!(told_with(&["reordered"], &twice), @r"
    tools: a b
    Complete
    ");
    insta::assert_snapshot!(told_with(&["pages", "3"], &twice), @r"
    tools: p1a p1b p2a p2b p3a p3b
    Complete
    ");
}

#[test]
fn a_storm_of_notifications_is_counted() {
    insta::assert_snapshot!(told(&["storm"]), @r"
    tools: a
    Complete
    ListChanged x400: notifications/tools/list_changed
    ");
}

#[test]
fn a_server_that_asks_is_answered() {
    insta::assert_snapshot!(told(&["asks"]), @r"
    tools: a
    Complete
    ");
}

#[test]
fn a_server_without_tools() {
    insta::assert_snapshot!(told(&["no-tools"]), @r"
    tools: 
    Complete
    note: the server does not declare that it has tools, and has no `tools/list`
    ");
}

#[test]
fn results_that_hold_no_tools() {
    insta::assert_snapshot!(told(&["list-error"]), @r"
    misbehave list-error: the server refused `tools/list`: no \u{1b}[31mnetwork (-32603)
    hint: the server's own log may say more
    ");
    insta::assert_snapshot!(told(&["tools-object"]), @"
    misbehave tools-object: the answer to `tools/list` has an object as `tools`, not an array
    hint: the server has to be mended: other clients fail on this too, or misread it
    ");
    insta::assert_snapshot!(told(&["input-required"]), @r#"
    misbehave input-required: the answer to `tools/list` has the result type "input_required" instead of "complete"
    hint: the server has to be mended: other clients fail on this too, or misread it
    "#);
    insta::assert_snapshot!(told(&["two-tools-keys"]), @r"
    tools: a
    Complete
    DuplicateKey x1: /result/tools; the last one was read, as most readers do
    ");
}
