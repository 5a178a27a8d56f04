//! `sayso.toml`: what is wrong in it is told with its place and the likely spelling.

use crate::sayso::Sayso;

const ONE_TOOL: &str =
    r#"[{"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"}}]"#;

fn told(settings: &str) -> String {
    Sayso::new("audit tools.json")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", settings)
        .run()
        .stderr
}

#[test]
fn an_unknown_key() {
    insta::assert_snapshot!(told("[audit]\nfail_on = \"error\"\n"), @r"
    error: sayso.toml:2:1: unknown key `fail_on`
    hint: did you mean `fail-on`?
    ");
    insta::assert_snapshot!(told("[adit]\n"), @r"
    error: sayso.toml:1:2: unknown key `adit`
    hint: did you mean `audit`?
    ");
    insta::assert_snapshot!(told("[audit.semantics]\ndelete-idempotent = \"yes\"\n"), @r"
    error: sayso.toml:2:1: unknown key `delete-idempotent`
    hint: did you mean `delete-is-idempotent`?
    ");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nresaon = \"x\"\n"), @r"
    error: sayso.toml:3:1: unknown key `resaon`
    hint: did you mean `reason`?
    ");
    insta::assert_snapshot!(told("[audit]\nzzz = 1\n"), @r"
    error: sayso.toml:2:1: unknown key `zzz`
    hint: possible here: `fail-on`, `profile`, `jobs`, `rules`, `semantics`, `suppressions`
    ");
}

#[test]
fn a_name_that_would_drive_a_terminal() {
    insta::assert_snapshot!(told("[audit]\n\"\\u001b[2J\" = 1\n"), @r"
    error: sayso.toml:2:1: unknown key `\u{1b}[2J`
    hint: possible here: `fail-on`, `profile`, `jobs`, `rules`, `semantics`, `suppressions`
    ");
}

#[test]
fn an_unknown_value() {
    insta::assert_snapshot!(told("[audit]\nfail-on = \"warn\"\n"), @r"
    error: sayso.toml:2:11: unknown value `warn`
    hint: possible here: `info`, `warning`, `error`, `never`
    ");
    insta::assert_snapshot!(told("[audit]\njobs = 0\n"), @"error: sayso.toml:2:8: invalid value: integer `0`, expected a nonzero usize");
    insta::assert_snapshot!(told("[audit.rules]\nmissing-annotations = \"fatal\"\n"), @r"
    error: sayso.toml:2:23: unknown value `fatal`
    hint: possible here: `off`, `info`, `warning`, `error`
    ");
    insta::assert_snapshot!(told("[audit]\nprofile = \"openai-ap\"\n"), @r"
    error: sayso.toml:2:11: no profile is called `openai-ap`
    hint: did you mean `openai-apps`?
    ");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nhint = \"readonlyHint\"\nreason = \"x\"\n"), @r"
    error: sayso.toml:3:8: unknown value `readonlyHint`
    hint: did you mean `readOnlyHint`?
    ");
}

#[test]
fn an_unknown_rule() {
    insta::assert_snapshot!(told("[audit.rules]\nmissing-annotation = \"off\"\n"), @r"
    error: sayso.toml:2:1: no rule is called `missing-annotation`
    hint: did you mean `missing-annotations`?
    ");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"annotations\"\nreason = \"x\"\n"), @r"
    error: sayso.toml:2:8: no rule is called `annotations`
    hint: did you mean `null-annotations`?
    ");
}

#[test]
fn a_suppression_without_a_reason() {
    insta::assert_snapshot!(told("\n[[audit.suppressions]]\nrule = \"missing-annotations\"\n"), @r#"
    error: sayso.toml:2:1: a suppression has no `reason`
    hint: say why it is right to live with the finding: `reason = "…"`
    "#);
    insta::assert_snapshot!(told("[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \" \"\n"), @r"
    error: sayso.toml:3:10: the `reason` of a suppression is empty
    hint: say why it is right to live with the finding
    ");
    insta::assert_snapshot!(told("[[audit.suppressions]]\nreason = \"x\"\n"), @"error: sayso.toml:1:1: missing key `rule`");
}

#[test]
fn a_day_that_is_none() {
    let with = |day: &str| {
        told(&format!(
            "[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \"x\"\nexpires = {day}\n"
        ))
    };
    insta::assert_snapshot!(with("2026-02-30"), @"error: sayso.toml:4:11: invalid date, expected day between 01 and 28");
    insta::assert_snapshot!(with("\"2026-02-30\""), @r#"
    error: sayso.toml:4:11: `expires` is "2026-02-30", not a day
    hint: write it as `expires = 2027-01-31`
    "#);
    insta::assert_snapshot!(with("\"tomorrow\""), @r#"
    error: sayso.toml:4:11: `expires` is "tomorrow", not a day
    hint: write it as `expires = 2027-01-31`
    "#);
    insta::assert_snapshot!(with("2027"), @r"
    error: sayso.toml:4:11: `expires` is 2027, not a day
    hint: write it as `expires = 2027-01-31`
    ");
}

#[test]
fn no_toml() {
    insta::assert_snapshot!(told("[audit\nfail-on = 1"), @"error: sayso.toml:1:7: unclosed table, expected `]`");
}

#[test]
fn wrong_settings_are_wrong_usage() {
    let sayso = Sayso::new("audit tools.json")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", "x = 1");
    assert_eq!(sayso.run().code, Some(2));
    let sayso = Sayso::new("audit tools.json --no-settings")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", "x = 1");
    assert_eq!(sayso.run().code, Some(0));
    let sayso = Sayso::new("audit tools.json --settings none.toml").file("tools.json", ONE_TOOL);
    insta::assert_snapshot!(sayso.shown(), @r"
    exit code: 2
    ----- stderr
    error: none.toml: cannot be read: No such file or directory (os error 2)
    ");
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    let sayso = Sayso::new("audit tools.json --fail-on warning")
        .file("tools.json", ONE_TOOL)
        .file(
            "sayso.toml",
            "\u{feff}[audit.rules]\nmissing-annotations = \"off\"\n",
        );
    assert_eq!(sayso.run().code, Some(0));
    assert!(told("\u{feff}x = 1").contains("sayso.toml:1:1: unknown key `x`"));
}

#[test]
fn levels_and_thresholds_are_taken_from_the_settings() {
    let code = |arguments: &str, settings: &str| {
        let sayso = Sayso::new("audit tools.json")
            .file("tools.json", ONE_TOOL)
            .file("sayso.toml", settings);
        let sayso = arguments
            .split_whitespace()
            .fold(sayso, |sayso, argument| sayso.argument(argument));
        sayso.run().code
    };
    assert_eq!(code("", ""), Some(0));
    assert_eq!(code("", "[audit]\nfail-on = \"warning\""), Some(1));
    assert_eq!(
        code("--fail-on never", "[audit]\nfail-on = \"warning\""),
        Some(0)
    );
    assert_eq!(
        code("", "[audit.rules]\nmissing-annotations = \"error\""),
        Some(1)
    );
}

#[test]
fn the_settings_of_the_repository_are_found_from_within() {
    let sayso = Sayso::new("audit ../../tools.json --fail-on warning")
        .file("tools.json", ONE_TOOL)
        .file(
            "sayso.toml",
            "[audit.rules]\nmissing-annotations = \"off\"\n",
        )
        .file("deep/down/here", "");
    let mut command = sayso.command();
    command.current_dir(sayso.directory().join("deep/down"));
    assert_eq!(command.output().unwrap().status.code(), Some(0));
}

#[test]
fn a_suppression_hides_and_an_unused_or_expired_one_is_told() {
    let run = |rest: &str| {
        let settings = format!(
            "[[audit.suppressions]]\nrule = \"missing-annotations\"\nreason = \"known\"\n{rest}\n"
        );
        Sayso::new("audit tools.json --fail-on warning --quiet")
            .file("tools.json", ONE_TOOL)
            .file("sayso.toml", settings)
            .run()
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
