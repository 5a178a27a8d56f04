//! What a person writes down for a server to be called with.

use std::path::Path;

use sayso_verify::scenario::Scenario;

use super::built;

fn read(text: &str) -> String {
    match Scenario::read(text, Path::new("scenario.toml")) {
        Ok(_) => "it is read".to_owned(),
        Err(error) => match error.next() {
            Some(hint) => format!("{error}\nhint: {hint}"),
            None => error.to_string(),
        },
    }
}

/// The calls of a scenario, a line a call, with folders by what they are.
fn calls(text: &str) -> String {
    let (_folder, mut built) = built("git");
    built.home = Some("/somebody".into());
    let scenario = Scenario::read(text, Path::new("scenario.toml")).unwrap();
    let root = built.root.display().to_string();
    match scenario.calls(&built) {
        Ok(calls) => {
            let lines = calls.iter().map(|call| {
                let arguments = call.arguments.replace(&root, "…");
                let (repeat, setup) = (call.repeat, call.is_setup);
                format!(
                    "{}: {} {arguments} repeat: {repeat}, setup: {setup}",
                    call.step, call.tool
                )
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn steps_become_calls() {
    let text = r#"
fixture = "git"

[[step]]
name = "log in"
tool = "log_in"
setup = true

[[step]]
tool = "checkout"
arguments = { repository = "{workspace}", day = 2024-01-01, brace = "{{x}" }
repeat = false

[[step]]
tool = "publish"
skip = "needs an account"

[[step]]
tool = "raw"
arguments = '''{"big": 1.0e2, "big": null, "at": "{home}/a", "kept": "{other}"}'''
"#;
    insta::assert_snapshot!(calls(text), @r#"
    log in: log_in {} repeat: false, setup: true
    step 2: checkout {"brace":"{x}","day":"2024-01-01","repository":"…"} repeat: false, setup: false
    step 4: raw {"big": 1.0e2, "big": null, "at": "/somebody/a", "kept": "{other}"} repeat: true, setup: false
    "#);
    let scenario = Scenario::read(text, Path::new("scenario.toml")).unwrap();
    let skipped: Vec<_> = scenario.skipped().collect();
    assert_eq!(skipped, [("publish", "needs an account")]);
}

#[test]
fn a_placeholder_that_stands_for_nothing_is_told() {
    let text = "[[step]]\ntool = \"a\"\narguments = { b = [\"{pages}\"] }\n";
    insta::assert_snapshot!(calls(text), @"`step 1`: `{pages}` stands for nothing here; there are `{workspace}`, `{home}` and, where the fixture has pages, `{pages}`, and `{{` is a brace");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let step = |line: &str| read(&format!("[[step]]\ntool = \"a\"\n{line}\n"));
    insta::assert_snapshot!(read("fixture = \"git\"\n[[step]]\ntol = \"x\"\n"), @"
    scenario.toml:3:1: unknown key `tol`
    hint: did you mean `tool`?
    ");
    insta::assert_snapshot!(read("fixtures = \"git\"\n"), @"
    scenario.toml:1:1: unknown key `fixtures`
    hint: did you mean `fixture`?
    ");
    insta::assert_snapshot!(read("fixture = \"gti\"\n[[step]]\ntool = \"x\"\n"), @"
    scenario.toml:1:11: there is no fixture called `gti`
    hint: did you mean `git`?
    ");
    insta::assert_snapshot!(read("fixture = \"git\"\nfolder = \"b\"\n[[step]]\ntool = \"x\"\n"), @"
    scenario.toml:1:11: both `fixture` and `folder` are there
    hint: keep one of them
    ");
    insta::assert_snapshot!(read("fixture = \"git\"\n"), @r#"
    scenario.toml:1:1: it has no `[[step]]`, so there is nothing to call
    hint: write `[[step]]` and below it `tool = "…"`
    "#);
    insta::assert_snapshot!(read("[[step]]\nname = \"x\"\n"), @"scenario.toml:1:1: missing key `tool`");
    insta::assert_snapshot!(step("expect = { readOnlyHint = \"consistnt\" }"), @"
    scenario.toml:3:27: unknown value `consistnt`
    hint: did you mean `consistent`?
    ");
    insta::assert_snapshot!(step("expect = { readonlyHint = \"consistent\" }"), @"
    scenario.toml:3:12: unknown key `readonlyHint`
    hint: did you mean `readOnlyHint`?
    ");
    insta::assert_snapshot!(step("arguments = '{\"a\": }'"), @r#"
    scenario.toml:3:13: `arguments` is no JSON object: expected value at line 1 column 7
    hint: write a table such as `{ path = "{workspace}/a" }`, or the text of a JSON object between `'''` and `'''`
    "#);
    insta::assert_snapshot!(step("arguments = 'null'"), @r#"
    scenario.toml:3:13: `arguments` is no JSON object: invalid type: null, expected a map at line 1 column 4
    hint: write a table such as `{ path = "{workspace}/a" }`, or the text of a JSON object between `'''` and `'''`
    "#);
    insta::assert_snapshot!(step("arguments = [1]"), @r#"
    scenario.toml:3:13: `arguments` is neither a table nor a text
    hint: write a table such as `{ path = "{workspace}/a" }`, or the text of a JSON object between `'''` and `'''`
    "#);
    insta::assert_snapshot!(step("skip = \" \""), @"
    scenario.toml:3:8: `skip` gives no reason
    hint: say why, in a sentence
    ");
    insta::assert_snapshot!(step("setup = true\nexpect = { changed = [] }"), @"
    scenario.toml:3:9: a step with `setup = true` is made once and not judged
    hint: take out `setup`, or `expect` and `repeat`
    ");
    insta::assert_snapshot!(step("repeat = \"no\""), @r#"scenario.toml:3:10: invalid type: string "no", expected a boolean"#);
}
