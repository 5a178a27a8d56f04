//! `sayso classify --check`: whether rulings can be relied on.

use super::{ANSWERS, TOOLS, classify, rulings};
use crate::sayso::Sayso;

/// The rulings on the four tools, with claims that agree.
fn reviewed() -> String {
    let sayso = classify("--answers answers.toml").file("answers.toml", ANSWERS);
    assert_eq!(sayso.run().code, Some(0));
    rulings(&sayso)
}

fn check(tools: &str, rulings: &str) -> Sayso {
    Sayso::new("classify --check tools.json")
        .file("tools.json", tools)
        .file("sayso.rulings.toml", rulings)
}

#[test]
fn rulings_that_hold_are_good() {
    let honest = TOOLS.replace(
        "\"annotations\": { \"readOnlyHint\": true }",
        "\"annotations\": {}",
    );
    let sayso = Sayso::new("classify tools.json --answers answers.toml")
        .file("tools.json", &honest)
        .file("answers.toml", ANSWERS);
    assert_eq!(sayso.run().code, Some(0));
    insta::assert_snapshot!(check(&honest, &rulings(&sayso)).shown(), @"
    exit code: 0
    ----- stdout
    tools.json
    4 tools: every ruling in sayso.rulings.toml holds
    ");
}

#[test]
fn a_missing_a_stale_and_a_contradicted_ruling_fail() {
    let rulings = reviewed();
    let changed = TOOLS
        .replace("\"note_list\"", "\"notes_list\"")
        .replace("for good, by its id.", "for good.")
        .replace("\"id\"]", "\"id\"], \"additionalProperties\": false");
    insta::assert_snapshot!(check(&changed, &rulings).shown(), @"
    exit code: 1
    ----- stdout
    tools.json
      notes_list
        missing: there is no ruling
      note_append
        contradicted: claims readOnlyHint true, ruled false: less risk than is true
      note_delete
        stale: since the review changed what it says of itself, what it takes or returns

      note: a ruling on `note_list`, which is not listed; `notes_list` has none: was it renamed?
    4 tools: of the rulings in sayso.rulings.toml: 1 missing, 1 stale, 1 contradicted
    ");
}

#[test]
fn what_the_annotations_say_now_is_told_when_it_is_not_what_was_ruled() {
    let rulings = reviewed();
    let changed = TOOLS.replace("\"destructiveHint\": false", "\"idempotentHint\": true");
    let ran = check(&changed, &rulings).run();
    assert_eq!(ran.code, Some(1));
    let expected = "  digest_mail
    contradicted: claims idempotentHint true, ruled false: less risk than is true
";
    assert!(ran.stdout.contains(expected), "{ran}");
}

#[test]
fn annotations_that_say_what_was_ruled_leave_nothing_to_decide() {
    let rulings = reviewed();
    let fixed = TOOLS.replace(
        "\"annotations\": { \"readOnlyHint\": true }",
        "\"annotations\": { \"readOnlyHint\": false, \"idempotentHint\": false }",
    );
    insta::assert_snapshot!(check(&fixed, &rulings).shown(), @"
    exit code: 0
    ----- stdout
    tools.json
      note: 1 tool claims what was ruled since; the next `sayso classify` that writes binds the rulings
            anew
    4 tools: every ruling in sayso.rulings.toml holds
    ");
    // What writes binds the ruling to the tool as it is now.
    let sayso = Sayso::new("classify tools.json --answers answers.toml --tool note_list --quiet")
        .file("tools.json", &fixed)
        .file("answers.toml", ANSWERS)
        .file("sayso.rulings.toml", &rulings);
    let ran = sayso.run();
    assert!(
        ran.stdout
            .contains("1 ruling bound anew to tools that claim it now"),
        "{ran}"
    );
    let bound = super::rulings(&sayso);
    assert_ne!(bound, rulings);
    let ran = check(&fixed, &bound).run();
    assert_eq!(ran.code, Some(0));
    assert!(!ran.stdout.contains("note:"), "{ran}");
}

#[test]
fn a_ruling_that_leaves_a_hint_open_and_an_undo_that_is_gone_fail() {
    let rulings = reviewed();
    let (before, rest) = rulings.split_once("[tool.idempotentHint]").unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let open =
        format!("{before}{after}").replace("undo = \"note_delete\"", "undo = \"note_take_back\"");
    insta::assert_snapshot!(check(TOOLS, &open).shown(), @"
    exit code: 1
    ----- stdout
    tools.json
      note_append
        incomplete: not decided: idempotentHint
        contradicted: claims readOnlyHint true, ruled false: less risk than is true
        undo: `note_take_back` undoes it, and is not listed

    4 tools: of the rulings in sayso.rulings.toml: 1 incomplete, 1 contradicted, 1 without their undo
    ");
}

#[test]
fn without_rulings_there_is_nothing_to_check() {
    insta::assert_snapshot!(classify("--check").shown(), @"
    exit code: 2
    ----- stderr
    error: there are no rulings `sayso.rulings.toml` yet
    hint: `sayso classify TARGET` makes them; `--rulings FILE` names others
    ");
}

#[test]
fn rulings_stand_beside_the_settings() {
    let sayso = Sayso::new("classify --check tools.json --settings sub/sayso.toml")
        .file("tools.json", TOOLS)
        .file("sub/sayso.toml", "")
        .file("sub/sayso.rulings.toml", reviewed());
    let ran = sayso.run();
    assert!(
        ran.stdout
            .contains("of the rulings in sub/sayso.rulings.toml: 1 contradicted"),
        "{ran}"
    );
}
