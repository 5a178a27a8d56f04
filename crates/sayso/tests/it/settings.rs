//! `sayso.toml`: what is wrong in it is told with its place and the likely spelling.

use crate::sayso::Sayso;

const ONE_TOOL: &str = r#"[{"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"}}]"#;

fn told(settings: &str) -> String {
    Sayso::new("audit tools.json").file("tools.json", ONE_TOOL).file("sayso.toml", settings).run().stderr
}

#[test]
fn an_unknown_key() {
    insta::assert_snapshot!(told("[audit]\nfail_on = \"error\"\n"), @"");
    insta::assert_snapshot!(told("[adit]\n"), @"");
    insta::assert_snapshot!(told("[audit.semantics]\ndelete-idempotent = \"yes\"\n"), @"");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nresaon = \"x\"\n"), @"");
    insta::assert_snapshot!(told("[audit]\nzzz = 1\n"), @"");
}

#[test]
fn an_unknown_value() {
    insta::assert_snapshot!(told("[audit]\nfail-on = \"warn\"\n"), @"");
    insta::assert_snapshot!(told("[audit]\njobs = 0\n"), @"");
    insta::assert_snapshot!(told("[audit.rules]\nmissing-annotations = \"fatal\"\n"), @"");
    insta::assert_snapshot!(told("[audit]\nprofile = \"openai-ap\"\n"), @"");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nhint = \"readonlyHint\"\nreason = \"x\"\n"), @"");
}

#[test]
fn an_unknown_rule() {
    insta::assert_snapshot!(told("[audit.rules]\nmissing-annotation = \"off\"\n"), @"");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"annotations\"\nreason = \"x\"\n"), @"");
}

#[test]
fn a_suppression_without_a_reason() {
    insta::assert_snapshot!(told("\n[[audit.suppressions]]\nrule = \"missing-annotations\"\n"), @"");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \" \"\n"), @"");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nreason = \"x\"\n"), @"");
}

#[test]
fn a_day_that_is_none() {
    let with = |day: &str| told(&format!("[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \"x\"\nexpires = {day}\n"));
    insta::assert_snapshot!(with("2026-02-30"), @"");
    insta::assert_snapshot!(with("\"2026-02-30\""), @"");
    insta::assert_snapshot!(with("\"tomorrow\""), @"");
    insta::assert_snapshot!(with("2027"), @"");
}

#[test]
fn no_toml() {
    insta::assert_snapshot!(told("[audit\nfail-on = 1"), @"");
}

#[test]
fn wrong_settings_are_wrong_usage() {
    let sayso = Sayso::new("audit tools.json").file("tools.json", ONE_TOOL).file("sayso.toml", "x = 1");
    assert_eq!(sayso.run().code, Some(2));
    let sayso = Sayso::new("audit tools.json --no-settings").file("tools.json", ONE_TOOL).file("sayso.toml", "x = 1");
    assert_eq!(sayso.run().code, Some(0));
    let sayso = Sayso::new("audit tools.json --settings none.toml").file("tools.json", ONE_TOOL);
    insta::assert_snapshot!(sayso.shown(), @"");
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let sayso = Sayso::new("audit tools.json --fail-on warning")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", "\u{feff}[audit.rules]\nmissing-annotations = \"off\"\n");
    assert_eq!(sayso.run().code, Some(0));
    assert!(told("\u{feff}x = 1").contains("sayso.toml:1:1: unknown key `x`"));
}

#[test]
fn levels_and_thresholds_are_taken_from_the_settings() {
    let code = |arguments: &str, settings: &str| {
        let sayso = Sayso::new("audit tools.json").file("tools.json", ONE_TOOL).file("sayso.toml", settings);
        let sayso = arguments.split_whitespace().fold(sayso, |sayso, argument| sayso.argument(argument));
        sayso.run().code
    };
    assert_eq!(code("", ""), Some(0));
    assert_eq!(code("", "[audit]\nfail-on = \"warning\""), Some(1));
    assert_eq!(code("--fail-on never", "[audit]\nfail-on = \"warning\""), Some(0));
    assert_eq!(code("", "[audit.rules]\nmissing-annotations = \"error\""), Some(1));
}

#[test]
fn the_settings_of_the_repository_are_found_from_within() {
    let sayso = Sayso::new("audit ../../tools.json --fail-on warning")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", "[audit.rules]\nmissing-annotations = \"off\"\n")
        .file("deep/down/here", "");
    let mut command = sayso.command();
    command.current_dir(sayso.directory().join("deep/down"));
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}

#[test]
fn a_suppression_hides_and_an_unused_or_expired_one_is_told() {
    let run = |rest: &str| {
        let settings = format!("[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \"known\"\n{rest}\n");
        Sayso::new("audit tools.json --fail-on warning --quiet").file("tools.json", ONE_TOOL).file("sayso.toml", settings).run()
    };
    assert_eq!(run("").code, Some(0));
    let unused = run("tool = \"other\"");
    assert_eq!(unused.code, Some(1));
    assert!(unused.stdout.contains("unused-suppression"), "{unused}");
    assert!(unused.stdout.contains("sayso.toml:1"), "{unused}");
    let expired = run("expires = 2020-01-31");
    assert_eq!(expired.code, Some(1));
    assert!(expired.stdout.contains("expired-suppression"), "{expired}");
}
