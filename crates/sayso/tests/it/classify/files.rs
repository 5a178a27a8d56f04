//! Suggestions, and answers from a file.

use super::{ANSWERS, TOOLS, classify, ruled, rulings};
use crate::sayso::Sayso;

#[test]
fn without_a_terminal_there_is_nobody_to_ask() {
    insta::assert_snapshot!(classify("").shown(), @"
    exit code: 2
    ----- stderr
    error: there is nobody to ask: this is no terminal
    hint: `--suggest` prints what is suggested, to be reviewed in a file; `--answers FILE` takes the reviewed file
    ");
}

#[test]
fn suggestions_are_marked_as_not_reviewed() {
    let ran = classify("--suggest --tool note_append").run();
    let (suggested, _) = ran.stdout.split_once("[tool.definition]").unwrap();
    insta::assert_snapshot!(suggested, @r#"
    # Suggestions, not reviewed. None of them is a ruling.
    #
    # Look at each tool. Correct what is wrong, give your own reasons where these are not, add what is not
    # suggested, and write the day of your review, or `true` for today, in place of `reviewed = false`.
    # Then: sayso classify --answers THIS-FILE TARGET

    [[tool]]
    server = "tools.json"
    name = "note_append"
    reviewer = ""
    reviewed = false
    # high confidence: note_delete does the opposite, and takes what this call is about
    undo = "note_delete"

    # high confidence
    [tool.readOnlyHint]
    value = false
    why = "By its description it creates or adds something, and its name agrees."
    evidence = [
      "description: Append a note to a notebook.",
      "description: Every call adds another note, also when the text is the same.",
      "name: note_append",
    ]

    # high confidence
    [tool.destructiveHint]
    value = false
    why = "By its description it only adds, and its name agrees."
    evidence = ["description: Append a note to a notebook.", "name: note_append"]

    # high confidence
    [tool.idempotentHint]
    value = false
    why = "Its description says that each call acts again, and its name agrees."
    evidence = [
      "description: Every call adds another note, also when the text is the same.",
      "description: Append a note to a notebook.",
      "name: note_append",
    ]

    # high confidence
    [tool.openWorldHint]
    value = false
    why = "Nothing leads out: neither what it does, nor an argument, nor a word."
    evidence = [
      "inputSchema.properties.notebook: notebook",
      "inputSchema.properties.text: text",
    ]
    "#);
}

#[test]
fn suggestions_for_programs_say_where_they_come_from() {
    let ran = classify("--suggest --format json --tool digest_mail").run();
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let tool = &value["tools"][0];
    assert_eq!(tool["name"], "digest_mail");
    assert_eq!(tool["reviewed"], false);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tool["hints"]["openWorldHint"]).unwrap(), @r#"
    {
      "value": true,
      "confidence": "high",
      "because": "by its description it reaches a person or another party",
      "evidence": [
        {
          "where": "/tools/3/description",
          "text": "Send this week's notes by email to the people who asked for them.",
          "marked": "Send this week's notes by email to the people",
          "says": "reaches a person or another party",
          "quote": "description: Send this week's notes by email to the people who asked for them."
        },
        {
          "where": "/tools/3/description",
          "text": "Send this week's notes by email to the people who asked for them.",
          "marked": "Send",
          "says": "sends something to another party",
          "quote": "description: Send this week's notes by email to the people who asked for them."
        },
        {
          "where": "/tools/3/description",
          "text": "Send this week's notes by email to the people who asked for them.",
          "marked": "by email",
          "says": "reaches a person or another party",
          "quote": "description: Send this week's notes by email to the people who asked for them."
        },
        {
          "where": "/tools/3/description",
          "text": "Send this week's notes by email to the people who asked for them.",
          "marked": "email to the people",
          "says": "reaches a person or another party",
          "quote": "description: Send this week's notes by email to the people who asked for them."
        }
      ],
      "against": []
    }
    "#);
}

#[test]
fn what_is_not_reviewed_is_refused() {
    let suggested = classify("--suggest").run().stdout;
    let sayso = classify("--answers answers.toml --reviewer Ada").file("answers.toml", suggested);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: answers.toml: not reviewed: `note_list`, `note_append`, `note_delete`, `digest_mail`
    hint: look at each, correct it, and write the day of the review or `reviewed = true`; take out what you do not decide
    ");
    assert_eq!(rulings(&sayso), "");
}

#[test]
fn a_reviewed_suggestion_is_an_answer() {
    let suggested = classify("--suggest --tool note_append").run().stdout;
    let reviewed = suggested.replace("reviewed = false", "reviewed = true");
    let sayso = classify("--answers answers.toml --reviewer Ada --quiet")
        .file("answers.toml", reviewed.clone());
    assert_eq!(sayso.run().code, Some(0));
    assert_eq!(ruled(&sayso), ["note_append"]);
    // Nobody to have reviewed it.
    let sayso = classify("--answers answers.toml").file("answers.toml", reviewed);
    insta::assert_snapshot!(sayso.shown(), @r#"
    exit code: 2
    ----- stderr
    error: answers.toml: nobody is told to have reviewed `note_append`
    hint: write `reviewer = "…"`, or add `--reviewer NAME`
    "#);
}

#[test]
fn a_suggestion_for_a_tool_that_changed_is_refused() {
    let suggested = classify("--suggest --tool note_append").run().stdout;
    let reviewed = suggested.replace("reviewed = false", "reviewed = 2026-11-30");
    let sayso = Sayso::new("classify tools.json --answers answers.toml --reviewer Ada")
        .file(
            "tools.json",
            TOOLS.replace("Which notebook.", "The notebook."),
        )
        .file("answers.toml", reviewed);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: answers.toml: `note_append` is not listed as it was when this was suggested
    hint: review it as it is now: `sayso classify --suggest --tool note_append`
    ");
}

#[test]
fn an_error_in_answers_has_its_place() {
    let shown = |answers: &str| {
        classify("--answers answers.toml")
            .file("answers.toml", answers)
            .shown()
    };
    let misspelt = ANSWERS.replacen(
        "destructiveHint = { value = true",
        "destructveHint = { value = true",
        1,
    );
    insta::assert_snapshot!(shown(&misspelt), @"
    exit code: 2
    ----- stderr
    error: answers.toml:24:1: unknown key `destructveHint`
    hint: did you mean `destructiveHint`?
    ");
    let contradictory = ANSWERS.replacen(
        "openWorldHint",
        "destructiveHint = { value = true, why = \"?\" }\nopenWorldHint",
        1,
    );
    insta::assert_snapshot!(shown(&contradictory), @"
    exit code: 2
    ----- stderr
    error: answers.toml:6:29: `destructiveHint` is `true` and `readOnlyHint` is `true`: only one can be
    hint: what only reads removes nothing, and changes nothing at a repeat
    ");
    insta::assert_snapshot!(shown("[[tool]\n"), @"
    exit code: 2
    ----- stderr
    error: answers.toml:1:8: unclosed array table, expected `]`
    ");
}

#[test]
fn an_answer_is_about_a_tool_there_is_and_leaves_nothing_open() {
    let shown = |answers: &str| {
        classify("--answers answers.toml")
            .file("answers.toml", answers)
            .shown()
    };
    insta::assert_snapshot!(shown(&ANSWERS.replace("\"note_list\"", "\"notes_list\"")), @"
    exit code: 2
    ----- stderr
    error: answers.toml: `tools.json` has no tool `notes_list`
    hint: did you mean `note_list`?
    ");
    insta::assert_snapshot!(shown(&ANSWERS.replace("\"note_delete\"\nread", "\"note_remove\"\nread")), @r#"
    exit code: 2
    ----- stderr
    error: answers.toml: `note_append` is undone by `note_remove`, which is not listed
    hint: name a tool of the same server, or write `undo = "none"`
    "#);
    let open = ANSWERS.replace(
        "idempotentHint = { value = true, why = \"What is gone stays gone.\" }\n",
        "",
    );
    insta::assert_snapshot!(shown(&open), @"
    exit code: 2
    ----- stderr
    error: answers.toml: `note_delete` leaves idempotentHint open
    hint: add `[tool.idempotentHint]` with `value` and `why`
    ");
}

#[test]
fn answers_become_rulings_and_annotations() {
    let sayso = classify("--answers answers.toml --quiet --annotations annotations.json")
        .file("answers.toml", ANSWERS);
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(
        ruled(&sayso),
        ["note_list", "note_append", "note_delete", "digest_mail"]
    );
    let (before_hosts, _) = ran.stdout.split_once("  a call to each tool").unwrap();
    insta::assert_snapshot!(before_hosts, @"
    tools.json
    4 rulings written to sayso.rulings.toml
    decided: 4 of 4 tools

    what they do
      reads       1  it changes nothing
      adds        2  it takes nothing away, and every call adds once more
      ensures     0  it takes nothing away, and a second identical call changes nothing
      destroys    1  it removes or overwrites what was there

    the counts again
      with annotations.readOnlyHint    2 → 4 of 4
      with annotations.destructiveHint 1 → 4 of 4
      with annotations.idempotentHint  0 → 4 of 4
      with annotations.openWorldHint   0 → 4 of 4
      gate rate by the documented defaults: 2 of 4 (50 %) → 1 of 4 (25 %)
    ");
    // `sayso hosts` reads what was written.
    let annotations = std::fs::read(sayso.directory().join("annotations.json")).unwrap();
    let ran = Sayso::new("hosts tools.json --with annotations.json --quiet")
        .file("tools.json", TOOLS)
        .file("annotations.json", annotations)
        .run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("ask-every → allow"), "{ran}");
}

#[test]
fn a_file_that_somebody_wrote_in_keeps_what_is_written() {
    let sayso = classify("--answers answers.toml --tool note_list").file("answers.toml", ANSWERS);
    assert_eq!(sayso.run().code, Some(0));
    let written = format!("# Ours.\n{}", rulings(&sayso))
        .replace("[tool.openWorldHint]", "# Sure?\n[tool.openWorldHint]");
    let sayso = classify("--answers answers.toml")
        .file("answers.toml", ANSWERS)
        .file("sayso.rulings.toml", &written);
    assert_eq!(sayso.run().code, Some(0));
    let now = rulings(&sayso);
    assert!(now.starts_with(written.trim_end()), "{now}");
    assert_eq!(ruled(&sayso).len(), 4);
}

#[test]
fn the_forty_tools_are_answered_as_they_are_annotated() {
    let answers = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/example-answers.toml"
    );
    let sayso =
        Sayso::new("classify --example --annotations annotations.json --answers").argument(answers);
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let expected = "\
  with annotations.readOnlyHint    0 → 40 of 40
  with annotations.destructiveHint 0 → 40 of 40
  with annotations.idempotentHint  0 → 40 of 40
  with annotations.openWorldHint   0 → 40 of 40
  gate rate by the documented defaults: 40 of 40 (100 %) → 14 of 40 (35 %)
";
    assert!(ran.stdout.contains(expected), "{ran}");
    // The same matrix as that of `sayso hosts --with`.
    assert!(
        ran.stdout
            .contains("18 like profile_fetch  ask-every → allow"),
        "{ran}"
    );
    let proposed = std::fs::read(sayso.directory().join("annotations.json")).unwrap();
    let proposed: serde_json::Value = serde_json::from_slice(&proposed).unwrap();
    let honest = include_str!("../../../src/example/annotations.json");
    let mut honest: serde_json::Value = serde_json::from_str(honest).unwrap();
    for (_, tool) in honest.as_object_mut().unwrap() {
        tool.as_object_mut().unwrap().remove("title");
    }
    assert_eq!(proposed, honest);
    // And they hold.
    let check =
        Sayso::new("classify --check --example").file("sayso.rulings.toml", rulings(&sayso));
    assert_eq!(check.run().code, Some(0));
}

#[test]
fn every_option_in_the_guide_exists() {
    let helps = ["classify", "hosts"].map(|command| {
        let ran = Sayso::new(&format!("{command} --help")).run();
        ran.stdout
    });
    let guide = include_str!("../../../../../docs/guides/classify.md");
    let words =
        guide.split(|character: char| !(character.is_ascii_lowercase() || character == '-'));
    let options =
        words.filter(|word| word.len() > 2 && word.starts_with("--") && !word.contains("---"));
    for option in options {
        assert!(helps.iter().any(|help| help.contains(option)), "{option}");
    }
}
