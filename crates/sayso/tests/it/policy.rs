//! `sayso policy`: what is checked, tried and explained.

use crate::sayso::{Ran, Sayso};

const TOOLS: &str = r#"{"tools":[
  {"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}},
  {"name":"delete_file","description":"Deletes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"share":{"type":"number"}},"required":["path"]},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}}
]}"#;

const GUIDE: &str = include_str!("../../../../docs/guides/policies.md");

/// What stands in the guide in the only block of a language.
fn block(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let mut blocks = GUIDE.split(fence.as_str()).skip(1);
    let block = blocks.next().unwrap();
    assert!(blocks.next().is_none(), "more than one block of {language}");
    block.split("```").next().unwrap()
}

/// A place with two tools of a trusted server pinned, and these policies.
fn place(policies: &str) -> Sayso {
    let place = Sayso::new("")
        .file("tools.json", TOOLS)
        .file("rules.cedar", policies)
        .file(
            "sayso.toml",
            "[gate]\npolicy = [\"spec-default\", \"rules.cedar\"]\ngroups = { ops = [\"ada\"] }\n\
             [gate.servers.files]\ncommand = \"files\"\ntrust = \"trusted\"\n",
        );
    let ran = place.again("lock --as files tools.json");
    assert_eq!(ran.code, Some(0), "{ran}");
    place
}

fn explain(place: &Sayso, tool: &str, more: &str) -> Ran {
    place.again(&format!(
        "policy explain --server files --tool {tool} {more}"
    ))
}

#[test]
fn policies_that_hold_are_counted_with_what_they_cannot_see() {
    let place = place(block("cedar"));
    insta::assert_snapshot!(place.again("policy check"), @"");
    insta::assert_snapshot!(place.again("policy check read-only --no-settings"), @"");
    insta::assert_snapshot!(Sayso::new("policy check").shown(), @"");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = place(
        "permit (principal, action == Action::\"call\", resource == Tool::\"files/delet_file\");\n\
         forbid (principal, action == Action::\"call\", resource) when { resource.efective.readOnly };\n",
    );
    insta::assert_snapshot!(place.again("policy check"), @"");
    insta::assert_snapshot!(place.again("policy check spec-defalt"), @"");
}

#[test]
fn the_cases_of_the_guide_hold() {
    let place = place(block("cedar")).file("cases.toml", block("toml"));
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"");
    insta::assert_snapshot!(place.again("policy test cases.toml --policy read-only"), @"");
}

#[test]
fn cases_that_are_wrong_are_told_with_their_place() {
    let place = place("").file(
        "cases.toml",
        "[[case]]\nserver = \"files\"\ntool = \"raed_file\"\nexpect = \"allow\"\n",
    );
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"");
    let place = place.file(
        "cases.toml",
        "[[case]]\nserver = \"files\"\ntol = \"read_file\"\nexpect = \"allow\"\n",
    );
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"");
}

#[test]
fn a_decision_is_explained() {
    let place = place(block("cedar"));
    insta::assert_snapshot!(explain(&place, "read_file", r#"--arguments {"path":"/etc/passwd"}"#), @"");
    insta::assert_snapshot!(explain(&place, "delete_file", r#"--caller ada --arguments {"path":"/srv/a"}"#), @"");
    insta::assert_snapshot!(explain(&place, "delete_file", r#"--arguments {"path":7} --confirmed"#), @"");
    insta::assert_snapshot!(explain(&place, "delete_file", "--list"), @"");
    insta::assert_snapshot!(explain(&place, "delete_fil", ""), @"");
}

#[test]
fn the_guide_names_the_sets_and_options_there_are() {
    let help = ["check", "test", "explain"]
        .map(|command| Sayso::new(&format!("policy {command} --help")).run().stdout);
    let words =
        GUIDE.split(|character: char| !(character.is_ascii_lowercase() || character == '-'));
    for option in words.filter(|word| word.len() > 2 && word.starts_with("--")) {
        assert!(
            option.starts_with("---") || help.iter().any(|help| help.contains(option)),
            "{option}"
        );
    }
    for set in sayso_gateway::policy::READY_SETS {
        let row = format!("| `{}` | {} |", set.name, set.about);
        assert!(GUIDE.contains(&row), "{row}");
    }
}
