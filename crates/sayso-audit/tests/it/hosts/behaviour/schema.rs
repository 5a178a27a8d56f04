//! What is said of a profile that cannot be used.

use sayso_audit::hosts::HostProfile;

/// A host whose modes are given.
fn profile(modes: &str) -> String {
    format!(
        r#"
id = "house"
name = "House"
documentation = "https://host.example/docs"
date-read = "2026-11-30"

[behaviour]
version = "1.0"
date-read = "2026-11-30"
confidence = "source"
absent = "It means nothing."
{modes}
"#
    )
}

/// What is said of it.
fn error(modes: &str) -> String {
    let error = HostProfile::parse(&profile(modes), "house.toml").unwrap_err();
    error.to_string()
}

const MODE: &str = r#"
[[behaviour.mode]]
id = "default"
name = "Default"
default = true
"#;

const RULE: &str = "
[[behaviour.mode.rule]]
then = \"ask\"
";

#[test]
fn rules_that_leave_a_state_open() {
    let gap = r#"
[[behaviour.mode.rule]]
when = { readOnlyHint = true }
then = "allow"

[[behaviour.mode.rule]]
when = { readOnlyHint = false, destructiveHint = "absent" }
then = "ask"
"#;
    insta::assert_snapshot!(error(&format!("{MODE}{gap}")), @"host profile `house.toml`: mode `default`: no rule matches readOnlyHint false, destructiveHint true, idempotentHint true, openWorldHint true");
}

#[test]
fn a_rule_on_a_mark_alone_does_not_answer_for_the_others() {
    let marked = r#"
[[behaviour.mode.rule]]
when = { "/_meta/host.example~1ask" = true }
then = "ask"
"#;
    insta::assert_snapshot!(error(&format!("{MODE}{marked}")), @"host profile `house.toml`: mode `default`: no rule matches readOnlyHint true, destructiveHint true, idempotentHint true, openWorldHint true");
}

#[test]
fn a_rule_that_no_state_reaches() {
    let unreachable = r#"
[[behaviour.mode.rule]]
when = { readOnlyHint = true }
then = "allow"

[[behaviour.mode.rule]]
then = "ask"

[[behaviour.mode.rule]]
when = { destructiveHint = true }
then = "deny"
"#;
    insta::assert_snapshot!(error(&format!("{MODE}{unreachable}")), @"host profile `house.toml`: mode `default`: rule 3 can never match");
}

#[test]
fn two_marks_can_both_be_reached() {
    let marked = r#"
[[behaviour.mode.rule]]
when = { "/_meta/a" = true }
then = "ask"

[[behaviour.mode.rule]]
when = { "/_meta/b" = true }
then = "ask-every"
"#;
    let text = profile(&format!("{MODE}{marked}{RULE}"));
    HostProfile::parse(&text, "house.toml").unwrap();
}

#[test]
fn not_one_default() {
    let second = MODE.replace("id = \"default\"", "id = \"other\"");
    insta::assert_snapshot!(error(&format!("{MODE}{RULE}{second}{RULE}")), @"host profile `house.toml`: 2 modes are marked as the default");
    let none = MODE.replace("default = true", "");
    insta::assert_snapshot!(error(&format!("{none}{RULE}")), @"host profile `house.toml`: no mode is marked as the default");
}

#[test]
fn a_mode_twice() {
    let second = MODE.replace("default = true", "");
    insta::assert_snapshot!(error(&format!("{MODE}{RULE}{second}{RULE}")), @"host profile `house.toml`: there are two modes `default`");
}

#[test]
fn a_mode_without_rules() {
    insta::assert_snapshot!(error(MODE), @"
    host profile `house.toml`: TOML parse error at line 13, column 1
       |
    13 | [[behaviour.mode]]
       | ^^^^^^^^^^^^^^^^^^
    missing field `rule`
    ");
    insta::assert_snapshot!(error(&format!("{MODE}rule = []")), @"host profile `house.toml`: mode `default`: no rule matches readOnlyHint true, destructiveHint true, idempotentHint true, openWorldHint true");
}

#[test]
fn words_that_mean_nothing() {
    let rule = |when: &str, then: &str| {
        let rule = format!("[[behaviour.mode.rule]]\nwhen = {when}\nthen = \"{then}\"\n");
        error(&format!("{MODE}{rule}{RULE}"))
    };
    insta::assert_snapshot!(rule("{ readonlyHint = true }", "allow"), @"
    host profile `house.toml`: TOML parse error at line 18, column 8
       |
    18 | when = { readonlyHint = true }
       |        ^^^^^^^^^^^^^^^^^^^^^^^
    unknown hint `readonlyHint`, expected `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint` or a JSON pointer
    ");
    insta::assert_snapshot!(rule("{ readOnlyHint = \"missing\" }", "allow"), @r#"
    host profile `house.toml`: TOML parse error at line 18, column 8
       |
    18 | when = { readOnlyHint = "missing" }
       |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    `readOnlyHint` is "missing", expected true, false or "absent"
    "#);
    insta::assert_snapshot!(rule("{ \"/_meta/ask\" = false }", "allow"), @r#"
    host profile `house.toml`: TOML parse error at line 18, column 8
       |
    18 | when = { "/_meta/ask" = false }
       |        ^^^^^^^^^^^^^^^^^^^^^^^^
    `/_meta/ask` can only be asked to be true
    "#);
    insta::assert_snapshot!(rule("{ readOnlyHint = true }", "permit"), @r#"
    host profile `house.toml`: TOML parse error at line 19, column 8
       |
    19 | then = "permit"
       |        ^^^^^^^^
    unknown variant `permit`, expected one of `allow`, `ask`, `ask-once`, `ask-every`, `deny`, `hide`, `judge`, `by-name`, `unknown`
    "#);
}

#[test]
fn a_parser_that_there_is_not() {
    insta::assert_snapshot!(error(&format!("parser = \"perl-sdk\"\n{MODE}{RULE}")), @"host profile `house.toml`: there is no parser `perl-sdk`");
}

#[test]
fn a_retry_without_an_end() {
    let retry = "[behaviour.retry]\nafter = [\"time-out\"]\n";
    insta::assert_snapshot!(error(&format!("{retry}{MODE}{RULE}")), @"host profile `house.toml`: retry: `after` and `times` go together");
    let aimless = "[[behaviour.retry.rule]]\nthen = true\n";
    insta::assert_snapshot!(error(&format!("{aimless}{MODE}{RULE}")), @"host profile `house.toml`: retry: there are rules, and nothing for them to follow");
    let gap =
        "times = 1\n[[behaviour.retry.rule]]\nwhen = { idempotentHint = true }\nthen = true\n";
    insta::assert_snapshot!(error(&format!("{retry}{gap}{MODE}{RULE}")), @"host profile `house.toml`: retry: no rule matches readOnlyHint true, destructiveHint true, idempotentHint false, openWorldHint true");
}

#[test]
fn a_day_that_is_none() {
    let text = profile(&format!("{MODE}{RULE}"));
    HostProfile::parse(&text, "house.toml").unwrap();
    let of_behaviour = "version = \"1.0\"\ndate-read = \"";
    let text = text.replace(
        &format!("{of_behaviour}2026-11-30"),
        &format!("{of_behaviour}2026"),
    );
    let error = HostProfile::parse(&text, "house.toml").unwrap_err();
    insta::assert_snapshot!(error, @"host profile `house.toml`: behaviour.date-read `2026` is not YYYY-MM-DD");
}

#[test]
fn a_host_of_which_nothing_is_said() {
    let text = "id = \"house\"\nname = \"House\"\ndocumentation = \"https://host.example\"\ndate-read = \"2026-11-30\"\n";
    let error = HostProfile::parse(text, "house.toml").unwrap_err();
    insta::assert_snapshot!(error, @"host profile `house.toml`: it says neither `configuration` nor `behaviour`");
}
