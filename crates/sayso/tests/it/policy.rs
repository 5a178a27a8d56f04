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
    insta::assert_snapshot!(place.again("policy check"), @"
    exit code: 0
    ----- stdout
    5 policies in spec-default, rules.cedar
    2 tools in sayso.lock

    arguments that policies cannot see:
      files/delete_file share: policies have no fractions
    ");
    insta::assert_snapshot!(place.again("policy check read-only --no-settings"), @"
    exit code: 0
    ----- stdout
    3 policies in read-only
    2 tools in sayso.lock

    arguments that policies cannot see:
      files/delete_file share: policies have no fractions
    ");
    insta::assert_snapshot!(Sayso::new("policy check").shown(), @"
    exit code: 0
    ----- stdout
    3 policies in spec-default
    there is no lock: neither the tools nor the arguments they name were looked at
    ");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = place(
        "permit (principal, action == Action::\"call\", resource == Tool::\"files/delet_file\");\n\
         forbid (principal, action == Action::\"call\", resource) when { resource.efective.readOnly };\n",
    );
    insta::assert_snapshot!(place.again("policy check"), @"
    exit code: 2
    ----- stderr
    error: 2 things are wrong with the policies
    rules.cedar:1:1: no tool is called `files/delet_file`
      hint: did you mean `files/delete_file`?
    rules.cedar:2:63: attribute `efective` on entity type `Tool` not found
      hint: did you mean `effective`?
    ");
    insta::assert_snapshot!(place.again("policy check spec-defalt"), @"
    exit code: 2
    ----- stderr
    error: cannot read the policy `spec-defalt`: No such file or directory (os error 2)
    hint: it is no file, and the sets in the box are `spec-default`, `read-only`, `additive`, `locked`, `two-of-three`
    ");
}

#[test]
fn the_cases_of_the_guide_hold() {
    let place = place(block("cedar")).file("cases.toml", block("toml"));
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"
    exit code: 0
    ----- stdout
    2 cases, 0 decided otherwise
    ");
    insta::assert_snapshot!(place.again("policy test cases.toml --policy read-only"), @"
    exit code: 1
    ----- stdout
    cases.toml:1: files/delete_file
      - allow, by ops-delete
      + deny, by read-only.changes
        the tool may change something, and only reading is permitted here

    cases.toml:9: nobody touches the system
      - deny, by system-files
      + deny, by read-only.changes
        the tool may change something, and only reading is permitted here

    2 cases, 2 decided otherwise
    ");
}

#[test]
fn cases_that_are_wrong_are_told_with_their_place() {
    let place = place("").file(
        "cases.toml",
        "[[case]]\nserver = \"files\"\ntool = \"raed_file\"\nexpect = \"allow\"\n",
    );
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"
    exit code: 2
    ----- stderr
    error: cases.toml:1:1: no tool `files/raed_file` is pinned; did you mean `files/read_file`?
    ");
    let place = place.file(
        "cases.toml",
        "[[case]]\nserver = \"files\"\ntol = \"read_file\"\nexpect = \"allow\"\n",
    );
    insta::assert_snapshot!(place.again("policy test cases.toml"), @"
    exit code: 2
    ----- stderr
    error: cases.toml:3:1: unknown key `tol`
    hint: did you mean `tool`?
    ");
}

/// The line about confinement in what is explained of a call, with these settings of the server
/// and with this annotation of the policy that permits.
fn confinement(settings: &str, annotation: &str, tool: &str, more: &str) -> String {
    let place = Sayso::new("")
        .file("tools.json", TOOLS)
        .file(
            "rules.cedar",
            format!("{annotation} permit (principal, action == Action::\"call\", resource);"),
        )
        .file(
            "sayso.toml",
            format!(
                "[gate]\npolicy = [\"rules.cedar\"]\n[gate.servers.files]\ncommand = \"files\"\n\
                 trust = \"trusted\"\n{settings}\n"
            ),
        );
    let locked = place.again("lock --as files tools.json");
    assert_eq!(locked.code, Some(0), "{locked}");
    let ran = explain(&place, tool, more);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = ran.to_string();
    let mut lines = ran.lines().filter(|line| line.contains("confine"));
    let line = lines.next().unwrap_or("nothing").to_owned();
    assert_eq!(lines.next(), None, "{ran}");
    line
}

#[test]
fn how_a_call_stands_to_confinement_is_explained() {
    let claims = "confine = \"read-only-claims\"";
    let all = "confine = \"all\"\nconfinement.write = [\"out\"]";
    let off = "confine = \"all\"\ntools.read_file.confinement.off = true";
    let lifts = "@confine(\"off\")";
    let told = [
        confinement("", "", "read_file", ""),
        confinement(claims, "", "read_file", ""),
        confinement(claims, "", "read_file", "--list"),
        confinement(claims, "", "delete_file", ""),
        confinement(claims, lifts, "read_file", ""),
        confinement(all, "", "delete_file", ""),
        confinement(all, "", "delete_file", "--policy locked"),
        confinement(off, "", "read_file", ""),
    ];
    insta::assert_snapshot!(told.join("\n"), @r#"
    nothing
    confined, since only the server's word says that it only reads: nothing is written, nothing is connected to; where that cannot be done, that word counts for nothing
    nothing
    not confined: it does more than read
    not confined: a policy that permits it has `@confine("off")`
    confined, since all calls of its server are: one place is written to, nothing is connected to; where that cannot be done, a person has to confirm the call
    nothing
    not confined: its `confinement.off` is set
    "#);
}

#[test]
fn a_decision_is_explained() {
    let place = place(block("cedar"));
    insta::assert_snapshot!(explain(&place, "read_file", r#"--arguments {"path":"/etc/passwd"}"#), @"
    exit code: 0
    ----- stdout
    deny: files of the system are not for tools

    call files/read_file by local, a server that is trusted, pinned

      readOnly     true   claimed      claimed true, ruled none, untested
      destructive  false  default      claimed absent, ruled none, untested
      idempotent   true   default      claimed absent, ruled none, untested
      openWorld    false  claimed      claimed false, ruled none, untested

      permit spec-default.reads (spec-default:4) applies
      permit spec-default.confirmed (spec-default:9) does not apply
      forbid system-files (rules.cedar:1) applies
    ");
    insta::assert_snapshot!(explain(&place, "delete_file", r#"--caller ada --arguments {"path":"/srv/tmp/a"}"#), @"
    exit code: 0
    ----- stdout
    allow: policy ops-delete

    call files/delete_file by ada, a server that is trusted, pinned

      readOnly     false  claimed      claimed false, ruled none, untested
      destructive  true   claimed      claimed true, ruled none, untested
      idempotent   false  default      claimed absent, ruled none, untested
      openWorld    false  claimed      claimed false, ruled none, untested

      permit spec-default.reads (spec-default:4) does not apply
      permit spec-default.confirmed (spec-default:9) applies once the call is confirmed
      forbid system-files (rules.cedar:1) does not apply
      permit ops-delete (rules.cedar:6) applies
    ");
    insta::assert_snapshot!(explain(&place, "delete_file", r#"--arguments {"path":7} --confirmed"#), @"
    exit code: 0
    ----- stdout
    deny: a policy could not be evaluated, so the call is denied
      argument `path` is not a string

    call files/delete_file by local, a server that is trusted, pinned

      readOnly     false  claimed      claimed false, ruled none, untested
      destructive  true   claimed      claimed true, ruled none, untested
      idempotent   false  default      claimed absent, ruled none, untested
      openWorld    false  claimed      claimed false, ruled none, untested

      permit spec-default.reads (spec-default:4) does not apply
      permit spec-default.confirmed (spec-default:9) applies
      forbid system-files (rules.cedar:1) cannot be evaluated: argument `path` is not a string
      permit ops-delete (rules.cedar:6) cannot be evaluated: argument `path` is not a string
    ");
    insta::assert_snapshot!(explain(&place, "delete_file", "--list"), @"
    exit code: 0
    ----- stdout
    listed: the tool may change something, so a person has to confirm the call

    list files/delete_file by local, a server that is trusted, pinned

      readOnly     false  claimed      claimed false, ruled none, untested
      destructive  true   claimed      claimed true, ruled none, untested
      idempotent   false  default      claimed absent, ruled none, untested
      openWorld    false  claimed      claimed false, ruled none, untested

      no policy is about this action

    a tool is listed when a call of it can be allowed or asked about, whatever its arguments
    ");
    insta::assert_snapshot!(explain(&place, "delete_fil", ""), @"
    exit code: 2
    ----- stderr
    error: no tool `files/delete_fil` is pinned; did you mean `files/delete_file`?
    ");
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
