//! The embedded example: a real server, started and read.

use crate::sayso::Sayso;

fn counts(stdout: &str) -> String {
    let from = stdout
        .lines()
        .skip_while(|line| !line.starts_with("tools returned"));
    from.take(8).collect::<Vec<_>>().join("\n")
}

#[test]
fn as_found_it_claims_nothing() {
    let ran = Sayso::new("audit --example").run();
    assert_eq!(ran.code, Some(0), "{ran}");
    insta::assert_snapshot!(counts(&ran.stdout), @r"
    tools returned: 40

      with annotations.readOnlyHint    0 / 40
      with annotations.destructiveHint 0 / 40
      with annotations.idempotentHint  0 / 40
      with annotations.openWorldHint   0 / 40

    tools with any annotations object at all: 0 / 40
    ");
}

#[test]
fn after_the_fix_it_claims_everything() {
    let ran = Sayso::new("audit --example annotated").run();
    assert_eq!(ran.code, Some(0), "{ran}");
    insta::assert_snapshot!(counts(&ran.stdout), @r"
    tools returned: 40

      with annotations.readOnlyHint    40 / 40
      with annotations.destructiveHint 40 / 40
      with annotations.idempotentHint  40 / 40
      with annotations.openWorldHint   40 / 40

    tools with any annotations object at all: 40 / 40
    ");
}

#[test]
fn its_names_are_those_of_the_embedded_file_in_their_order() {
    let tools: serde_json::Value =
        serde_json::from_str(include_str!("../../src/example/tools.json")).unwrap();
    let expected: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let ran = Sayso::new("audit --example --names").run();
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn it_speaks_both_eras_alike() {
    let plain = Sayso::new("audit --example --names --era legacy").run();
    assert_eq!(plain.code, Some(0), "{plain}");
    for era in ["modern", "both"] {
        let ran = Sayso::new("audit --example --names --era")
            .argument(era)
            .run();
        assert_eq!(
            (ran.code, &ran.stdout),
            (Some(0), &plain.stdout),
            "{era}: {ran}"
        );
    }
}

#[test]
fn nothing_is_left_running() {
    // Children inherit the environment, so a marker in it finds every one of them.
    let marker = format!("left-over-{}", std::process::id());
    let ran = Sayso::new("audit --example --quiet")
        .env("SAYSO_TEST_MARKER", &marker)
        .run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(
        crate::stopping::processes_with(&marker),
        Vec::<String>::new()
    );
}
