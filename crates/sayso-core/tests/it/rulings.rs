//! The file of rulings: read strictly, written for a review, changed in place.

use jiff::civil::date;
use proptest::prelude::*;
use sayso_core::digest::{Digest, Part, Parts, ToolDigest};
use sayso_core::drift::Promises;
use sayso_core::effective::{Basis, decide};
use sayso_core::hint::{Hint, Hints};
use sayso_core::json::{Document, Limits};
use sayso_core::ruling::{Case, Definition, Reasoned, Ruling, Scalar, State, Undo};
use sayso_core::rulings::{Rulings, put, remove};
use sayso_core::tool::Tool;

const FILE: &str = "sayso.rulings.toml";

/// A ruling that is right, with a place to go wrong in.
const RIGHT: &str = r#"[[tool]]
server = "crm"
name = "message"
reviewer = "Ada Example"
reviewed = 2026-11-30
undo = "message_edit"

[tool.destructiveHint]
value = false
why = "Keeps the text before."

[[tool.case]]
when = { action = "list" }
readOnlyHint = true
why = "Only lists."

[tool.definition]
digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
"#;

fn wrong(from: &str, to: &str) -> String {
    assert!(RIGHT.contains(from), "{from}");
    refused(&RIGHT.replacen(from, to, 1))
}

fn refused(text: &str) -> String {
    let error = Rulings::parse(text, FILE).expect_err("refused");
    match error.hint() {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

#[test]
fn what_is_right_is_read() {
    let rulings = Rulings::parse(RIGHT, FILE).unwrap();
    let ruling = rulings.get("crm", "message").unwrap();
    assert_eq!(ruling.reviewed, date(2026, 11, 30));
    assert_eq!(ruling.undo, Some(Undo::Tool("message_edit".to_owned())));
    assert_eq!(ruling.values().destructive, Some(false));
    assert_eq!(rulings.place("crm", "message").unwrap().line, 1);
    assert_eq!(
        Rulings::parse("# Nothing yet.\n", FILE)
            .unwrap()
            .iter()
            .count(),
        0
    );
}

#[test]
fn keys_and_types() {
    insta::assert_snapshot!(wrong("reviewer", "reviever"), @"
    sayso.rulings.toml:4:1: unknown key `reviever`
    hint: did you mean `reviewer`?
    ");
    insta::assert_snapshot!(wrong("[[tool]]", "version = 1\n[[tool]]"), @"
    sayso.rulings.toml:1:1: unknown key `version`
    hint: possible here: `tool`
    ");
    insta::assert_snapshot!(wrong("destructiveHint", "destructiveHnt"), @"
    sayso.rulings.toml:8:7: unknown key `destructiveHnt`
    hint: did you mean `destructiveHint`?
    ");
    insta::assert_snapshot!(wrong("value = false", "value = \"no\""), @"sayso.rulings.toml:9:9: `destructiveHint.value` is of type string; it has to be `true` or `false`");
    insta::assert_snapshot!(wrong("value = false\n", ""), @"
    sayso.rulings.toml:8:1: `destructiveHint.value` is missing
    hint: write `value = true` or `value = false`
    ");
    insta::assert_snapshot!(wrong("why = \"Keeps the text before.\"", ""), @r#"
    sayso.rulings.toml:8:1: `destructiveHint.why` is missing
    hint: a ruling needs its reason: `why = "…"`
    "#);
    insta::assert_snapshot!(wrong("why = \"Only lists.\"", "why = \" \""), @"sayso.rulings.toml:15:7: `case.why` is empty");
    insta::assert_snapshot!(wrong("2026-11-30", "\"2026-11-30\""), @"
    sayso.rulings.toml:5:12: `reviewed` is of type string; it has to be a date
    hint: write the day of the review: `reviewed = 2026-07-28`
    ");
    insta::assert_snapshot!(wrong("2026-11-30", "2026-11-30T12:00:00Z"), @"
    sayso.rulings.toml:5:12: `reviewed` is of type datetime; it has to be a date
    hint: write the day of the review: `reviewed = 2026-07-28`
    ");
    insta::assert_snapshot!(wrong("\n[tool.destructiveHint]\nvalue = false\n", "destructiveHint = false\n[tool.readOnlyHint]\nvalue = false\n"), @"sayso.rulings.toml:7:19: `destructiveHint` is of type boolean; it has to be a table `[tool.destructiveHint]` with `value` and `why`");
    insta::assert_snapshot!(wrong("sha256:44136f", "sha256:44136"), @"
    sayso.rulings.toml:18:10: `definition.digest` is no digest
    hint: expected `sha256:` and 64 hexadecimal digits in lower case
    ");
    insta::assert_snapshot!(wrong("name = \"message\"\n", ""), @r#"
    sayso.rulings.toml:1:1: `name` is missing
    hint: write the tool's name as listed: `name = "…"`
    "#);
    insta::assert_snapshot!(refused("tool = []"), @"sayso.rulings.toml:1:8: `tool` is of type array; it has to be blocks that begin with `[[tool]]`");
    insta::assert_snapshot!(refused("[[tool]"), @"sayso.rulings.toml:1:8: unclosed array table, expected `]`");
}

#[test]
fn cases() {
    insta::assert_snapshot!(wrong("when = { action = \"list\" }\n", ""), @r#"
    sayso.rulings.toml:12:1: `case.when` is missing
    hint: name the arguments it is about: `when = { action = "delete" }`
    "#);
    insta::assert_snapshot!(wrong("{ action = \"list\" }", "{}"), @r#"
    sayso.rulings.toml:13:8: `case.when` is empty
    hint: name the arguments it is about: `when = { action = "delete" }`
    "#);
    insta::assert_snapshot!(wrong("\"list\"", "[]"), @"sayso.rulings.toml:13:19: `case.when.action` is of type array; it has to be a string, a whole number, a boolean or a list of them");
    insta::assert_snapshot!(wrong("\"list\"", "1.5"), @"sayso.rulings.toml:13:19: `case.when.action` is of type float; it has to be a string, a whole number, a boolean or a list of them");
    insta::assert_snapshot!(wrong("readOnlyHint = true\n", ""), @"
    sayso.rulings.toml:12:1: the case says nothing of any hint
    hint: write the hints that differ, such as `readOnlyHint = true`
    ");
    insta::assert_snapshot!(wrong("readOnlyHint = true", "destructiveHint = true"), @"
    sayso.rulings.toml:14:1: `destructiveHint` is `true` in this case and `false` for the tool: a case cannot have more risk
    hint: the tool's values are those of its worst call: change them, or the case
    ");
    insta::assert_snapshot!(wrong("readOnlyHint = true", "readOnlyHint = true\nidempotentHint = false"), @"
    sayso.rulings.toml:15:1: `idempotentHint` is `false` and `readOnlyHint` is `true`: only one can be
    hint: what only reads removes nothing, and changes nothing at a repeat
    ");
    let case =
        "[[tool.case]]\nwhen = { action = \"list\" }\nreadOnlyHint = true\nwhy = \"Only lists.\"\n";
    insta::assert_snapshot!(wrong(case, &case.repeat(2)), @"
    sayso.rulings.toml:16:1: a second case for the same arguments
    hint: keep one of them
    ");
}

#[test]
fn what_cannot_be_true_together() {
    let read_only = "[tool.readOnlyHint]\nvalue = true\nwhy = \"Reads.\"\n\n";
    let with = |from: &str, to: &str| {
        let text = RIGHT.replacen(
            "[tool.destructiveHint]",
            &format!("{read_only}[tool.destructiveHint]"),
            1,
        );
        assert!(text.contains(from), "{from}");
        refused(&text.replacen(from, to, 1))
    };
    insta::assert_snapshot!(with("value = false", "value = true"), @"
    sayso.rulings.toml:13:9: `destructiveHint` is `true` and `readOnlyHint` is `true`: only one can be
    hint: what only reads removes nothing, and changes nothing at a repeat
    ");
    insta::assert_snapshot!(with("", ""), @"
    sayso.rulings.toml:6:1: `undo` names a tool and `readOnlyHint` is `true`
    hint: what only reads leaves nothing to undo: take one of them out
    ");
    insta::assert_snapshot!(wrong("\"message_edit\"", "\"message\""), @r#"
    sayso.rulings.toml:6:1: `undo` names the tool itself
    hint: name the tool that undoes a call, or write `undo = "none"`
    "#);
    insta::assert_snapshot!(wrong("[tool.destructiveHint]\nvalue = false\nwhy = \"Keeps the text before.\"", ""), @"
    sayso.rulings.toml:1:1: nothing is decided of any hint
    hint: add a table such as `[tool.readOnlyHint]`, or take the ruling out
    ");
    insta::assert_snapshot!(refused(&format!("{RIGHT}\n{RIGHT}")), @"
    sayso.rulings.toml:22:1: a second ruling on `message` of server `crm`
    hint: the first begins on line 1; keep one of them
    ");
}

fn tool_digest(text: &str) -> ToolDigest {
    let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
    ToolDigest::of(Tool::new(document.root(), 0, 0))
}

#[test]
fn a_ruling_on_another_definition_is_stale_and_says_what_moved() {
    let reviewed = tool_digest(r#"{"name":"message","description":"a"}"#);
    let ruling = Ruling {
        definition: reviewed.into(),
        ..Rulings::parse(RIGHT, FILE)
            .unwrap()
            .get("crm", "message")
            .unwrap()
            .clone()
    };
    let rulings: Rulings = [ruling].into_iter().collect();
    let state = |tool: &str, digest| rulings.state("crm", tool, &tool_digest(digest));
    let same = state("message", r#"{"description":"\u0061","name":"message"}"#);
    assert!(same.current().is_some());
    let stale = state(
        "message",
        r#"{"name":"message","description":"b","annotations":{}}"#,
    );
    assert!(stale.current().is_none());
    let State::Stale { moved, .. } = stale else {
        panic!("stale");
    };
    assert_eq!(moved, [Part::Text, Part::Annotations]);
    assert_eq!(state("other", "{}"), State::Missing);
}

#[test]
fn a_call_gets_the_values_of_its_case_and_a_stale_ruling_gives_none() {
    let tool = r#"{"name":"message","annotations":{"readOnlyHint":true}}"#;
    let text = RIGHT.replacen(
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        &tool_digest(tool).whole.to_string(),
        1,
    );
    let rulings = Rulings::parse(&text, FILE).unwrap();
    let call = |listed: &str, arguments: &str| {
        let arguments = Document::parse(arguments.to_owned(), &Limits::default()).unwrap();
        let state = rulings.state("crm", "message", &tool_digest(listed));
        let ruling = state.current();
        let cases = ruling.map_or(Vec::new(), |ruling| {
            ruling.matching_values(arguments.root())
        });
        let decided = decide(&Basis {
            ruling: ruling.map(Ruling::values),
            cases: &cases,
            ..Basis::default()
        });
        Promises::of(&decided.effective).to_string()
    };
    let other = tool.replace("true", "false");
    insta::assert_snapshot!(call(tool, r#"{"action":"list"}"#), @"reads only, open world");
    insta::assert_snapshot!(call(tool, r#"{"action":"edit"}"#), @"only adds, must not be repeated, open world");
    insta::assert_snapshot!(call(&other, r#"{"action":"list"}"#), @"may remove, must not be repeated, open world");
}

#[test]
fn a_case_matches_the_arguments_it_names() {
    let when = |text: &str| {
        let text = RIGHT.replacen("{ action = \"list\" }", text, 1);
        let rulings = Rulings::parse(&text, FILE).unwrap();
        rulings.get("crm", "message").unwrap().clone()
    };
    let matches = |ruling: &Ruling, arguments: &str| {
        let document = Document::parse(arguments.to_owned(), &Limits::default()).unwrap();
        ruling.matching(document.root()).count() == 1
    };
    let one = when("{ action = [\"list\", \"get\"], deep = false, limit = 1 }");
    assert!(matches(
        &one,
        r#"{"limit":1.0,"deep":false,"action":"g\u0065t","more":[]}"#
    ));
    let shown = one.cases[0]
        .when
        .values()
        .flatten()
        .map(ToString::to_string);
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [r#""list""#, r#""get""#, "false", "1"]
    );
    for other in [
        r#"{"limit":1,"deep":false,"action":"delete"}"#,
        r#"{"limit":1,"deep":false,"action":"LIST"}"#,
        r#"{"limit":1,"deep":false,"action":["list"]}"#,
        r#"{"limit":1,"deep":null,"action":"list"}"#,
        r#"{"limit":"1","deep":false,"action":"list"}"#,
        r#"{"limit":1,"action":"list"}"#,
        r#"{"limit":1,"deep":false,"action":"delete","action":"list"}"#,
        "[]",
    ] {
        assert!(!matches(&one, other), "{other}");
    }
}

const FILE_OF_THREE: &str = r#"# What our tools do.

# Reads.
[[tool]]
server = "a"
name = "one" # the first
reviewer = 'Ada'
reviewed = 2026-01-02

  [tool.readOnlyHint] # clear
  value   = true
  why     = "Reads."

  [tool.definition]
  digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


# About three,
# in two lines.
[[tool]]
server = "c"
name = "three"
reviewer = "Ada"
reviewed = 2026-01-02
[tool.openWorldHint]
value = false
why = "Stays here."
[tool.definition]
digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
# The end.
"#;

fn of(server: &str, tool: &str) -> Ruling {
    let rulings = Rulings::parse(FILE_OF_THREE, FILE).unwrap();
    let known = rulings.get(server, tool);
    known.cloned().unwrap_or_else(|| Ruling {
        server: server.to_owned(),
        tool: tool.to_owned(),
        ..rulings.get("a", "one").unwrap().clone()
    })
}

/// The lines that are gone and the lines that are new.
fn difference(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split('\n').collect();
    let new: Vec<&str> = after.split('\n').collect();
    let start = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();
    let most = old.len().min(new.len()) - start;
    let end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();
    let lines = |sign: &str, lines: &[&str]| -> String {
        lines.iter().map(|line| format!("{sign}{line}\n")).collect()
    };
    let above = start.checked_sub(1).map_or("", |above| old[above]);
    format!(
        " {above}\n{}{} {}",
        lines("-", &old[start..old.len() - end]),
        lines("+", &new[start..new.len() - end]),
        old.get(old.len() - end).unwrap_or(&""),
    )
}

#[test]
fn a_change_is_made_in_place() {
    let mut ruling = of("a", "one");
    ruling.hints.read_only.as_mut().unwrap().why = "Reads and counts.".to_owned();
    let changed = put(FILE_OF_THREE, FILE, &ruling).unwrap();
    insta::assert_snapshot!(difference(FILE_OF_THREE, &changed), @r#"
       value   = true
    -  why     = "Reads."
    +  why     = "Reads and counts."
    "#);
    ruling.hints.open_world = Some(Reasoned {
        value: false,
        why: "Stays on this disk.".to_owned(),
        evidence: vec![
            "src/one.ts:12".to_owned(),
            "a sentence that is so long that the list does not fit on a line any more".to_owned(),
        ],
    });
    ruling.undo = Some(Undo::Nothing);
    let again = put(&changed, FILE, &ruling).unwrap();
    insta::assert_snapshot!(difference(&changed, &again), @r#"
     reviewed = 2026-01-02
    -
    -  [tool.readOnlyHint] # clear
    -  value   = true
    -  why     = "Reads and counts."
    +undo = "none"
    +
    +  [tool.readOnlyHint] # clear
    +  value   = true
    +  why     = "Reads and counts."
    +
    +[tool.openWorldHint]
    +value = false
    +why = "Stays on this disk."
    +evidence = [
    +  "src/one.ts:12",
    +  "a sentence that is so long that the list does not fit on a line any more",
    +]
    "#);
    assert_eq!(put(&again, FILE, &of("a", "one")).unwrap(), FILE_OF_THREE);
}

#[test]
fn a_new_ruling_comes_behind_those_of_its_server_and_servers_by_name() {
    for (server, above) in [("a", "one"), ("b", "one"), ("c", "three"), ("d", "three")] {
        let added = put(FILE_OF_THREE, FILE, &of(server, "new")).unwrap();
        let names: Vec<String> = Rulings::parse(&added, FILE)
            .unwrap()
            .iter()
            .map(|ruling| ruling.tool.clone())
            .collect();
        let own = names.iter().position(|name| name == "new").unwrap();
        assert_eq!(names[own - 1], above);
        assert_eq!(
            remove(&added, FILE, server, "new").unwrap().trim_end(),
            FILE_OF_THREE.trim_end()
        );
    }
    let added = put(FILE_OF_THREE, FILE, &of("b", "new")).unwrap();
    insta::assert_snapshot!(difference(FILE_OF_THREE, &added), @r#"
     
    +[[tool]]
    +server = "b"
    +name = "new"
    +reviewer = "Ada"
    +reviewed = 2026-01-02
    +
    +[tool.readOnlyHint]
    +value = true
    +why = "Reads."
    +
    +[tool.definition]
    +digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    +
     # About three,
    "#);
    let first = put("# Ours.\n", FILE, &of("b", "new")).unwrap();
    assert!(
        first.starts_with("# Ours.\n\n[[tool]]\nserver = \"b\"\n"),
        "{first}"
    );
    let anew = put("", FILE, &of("b", "new")).unwrap();
    insta::assert_snapshot!(anew, @r#"
    # What is true of each tool, decided by a person. `sayso classify` writes this file and keeps
    # what is changed in it by hand. A ruling holds for the definition its digest stands for.

    [[tool]]
    server = "b"
    name = "new"
    reviewer = "Ada"
    reviewed = 2026-01-02

    [tool.readOnlyHint]
    value = true
    why = "Reads."

    [tool.definition]
    digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    "#);
}

#[test]
fn what_would_read_back_as_something_else_is_not_written() {
    let mut ruling = of("c", "three");
    ruling.undo = Some(Undo::Tool("none".to_owned()));
    let error = put(FILE_OF_THREE, FILE, &ruling).unwrap_err();
    insta::assert_snapshot!(error, @"sayso.rulings.toml:1:1: the ruling on `three` says something that no file can hold");
    ruling.undo = None;
    ruling.hints.open_world = None;
    let error = put(FILE_OF_THREE, FILE, &ruling).unwrap_err();
    insta::assert_snapshot!(error, @"sayso.rulings.toml:20:1: nothing is decided of any hint");
}

#[test]
fn line_ends_stay_what_they_are() {
    let windows = FILE_OF_THREE.replace('\n', "\r\n");
    let mut ruling = of("a", "one");
    ruling.cost = Some("A cent.".to_owned());
    for ruling in [ruling, of("b", "new")] {
        let changed = put(&windows, FILE, &ruling).unwrap();
        assert!(!changed.replace("\r\n", "").contains('\n'));
        assert_eq!(
            changed.replace("\r\n", "\n"),
            put(FILE_OF_THREE, FILE, &ruling).unwrap()
        );
    }
}

#[test]
fn a_name_that_hides_something_is_written_out() {
    let mut ruling = of("a", "one");
    ruling.tool = "de\u{202e}lete\u{200b}\"\\\n".to_owned();
    let rulings: Rulings = [ruling.clone()].into_iter().collect();
    let text = rulings.to_toml();
    assert!(
        text.contains(r#"name = "de\U0000202Elete\U0000200B\"\\\n""#),
        "{text}"
    );
    assert_eq!(
        Rulings::parse(&text, FILE).unwrap().iter().next(),
        Some(&ruling)
    );
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z ]{0,12}",
        "[!-~][ -~]{0,8}",
        "x[\n\t\"'\\\\#é\u{202e}\u{200b}\u{7f}\r=\\[]{0,6}",
    ]
}

fn reasoned(value: impl Strategy<Value = bool>) -> impl Strategy<Value = Option<Reasoned>> {
    let reasoned = (value, text(), prop::collection::vec(text(), 0..3));
    prop::option::of(reasoned.prop_map(|(value, why, evidence)| Reasoned {
        value,
        why,
        evidence,
    }))
}

fn case() -> impl Strategy<Value = Case> {
    let scalar = prop_oneof![
        any::<bool>().prop_map(Scalar::Boolean),
        any::<i64>().prop_map(Scalar::Integer),
        text().prop_map(Scalar::String),
    ];
    let when = prop::collection::btree_map(text(), prop::collection::vec(scalar, 1..3), 1..3);
    let hints = prop::sample::select(vec![
        Hints {
            read_only: Some(true),
            ..Hints::default()
        },
        Hints {
            idempotent: Some(true),
            open_world: Some(false),
            ..Hints::default()
        },
    ]);
    (when, hints, text(), prop::collection::vec(text(), 0..2)).prop_map(
        |(when, hints, why, evidence)| Case {
            when,
            hints,
            why,
            evidence,
        },
    )
}

fn ruling(server: &'static str, tool: &'static str) -> impl Strategy<Value = Ruling> {
    let hints = (
        reasoned(Just(false)),
        reasoned(any::<bool>()),
        reasoned(any::<bool>()),
        reasoned(any::<bool>()),
    );
    let notes = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(text()),
    );
    let digests = (any::<u8>(), any::<bool>());
    (
        hints,
        notes,
        prop::collection::vec(case(), 0..3),
        text(),
        digests,
    )
        .prop_map(
            move |(
                (read_only, destructive, idempotent, open_world),
                (undo, reversibility, cost),
                cases,
                reviewer,
                (seed, parts),
            )| {
                let digest = |part: &str| Digest::of_text(&format!("{part}{seed}"));
                let mut ruling = Ruling {
                    server: server.to_owned(),
                    tool: tool.to_owned(),
                    reviewer,
                    reviewed: date(2026, 1, 1 + i8::try_from(seed % 28).unwrap()),
                    undo: undo.map(|undo| {
                        if seed % 2 == 0 {
                            Undo::Nothing
                        } else {
                            Undo::Tool(undo)
                        }
                    }),
                    reversibility,
                    cost,
                    hints: Hints {
                        read_only,
                        destructive,
                        idempotent,
                        open_world,
                    },
                    cases,
                    definition: Definition {
                        digest: digest(""),
                        parts: Parts::from_fn(|part| parts.then(|| digest(part.as_str()))),
                    },
                };
                if ruling.check().is_err() {
                    ruling.cases.clear();
                    let why = "Writes.".to_owned();
                    ruling.hints.read_only = Some(Reasoned {
                        value: false,
                        why,
                        evidence: Vec::new(),
                    });
                }
                ruling.check().unwrap();
                ruling
            },
        )
}

/// The same file as a person might have written it: comments, space, other order of keys.
fn disarranged(text: &str, seed: u64) -> String {
    let mut state = seed;
    let mut bit = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 62 == 0
    };
    let mut out = String::new();
    for line in text.lines() {
        let plain = line.contains(" = ")
            && !line.contains("\"\"\"")
            && !line.contains('[')
            && !line.contains('{');
        if bit() && line.starts_with('[') {
            out.push_str("# a remark\n\n");
        }
        if bit() && plain {
            out.push_str(&format!("  {line}   # kept\n"));
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read_back(one in ruling("a", "one"), two in ruling("b", "two")) {
        let rulings: Rulings = [one.clone(), two.clone()].into_iter().collect();
        let read = Rulings::parse(&rulings.to_toml(), FILE).unwrap();
        prop_assert_eq!(read.iter().collect::<Vec<_>>(), [&one, &two]);
        prop_assert_eq!(read.to_toml(), rulings.to_toml());
    }

    /// Other blocks keep every byte, and the block itself every remark beside what stays.
    #[test]
    fn a_change_leaves_the_rest_alone(
        one in ruling("a", "one"), two in ruling("b", "two"), three in ruling("c", "three"),
        new in ruling("b", "two"), seed: u64,
    ) {
        let block = |ruling: &Ruling| {
            let block = [ruling.clone()].into_iter().collect::<Rulings>().to_toml();
            let disarranged = disarranged(&block, seed);
            if Rulings::parse(&disarranged, FILE).is_ok_and(|read| read.iter().next() == Some(ruling)) { disarranged } else { block }
        };
        let (before, own, after) = (block(&one), block(&two), block(&three));
        let text = format!("# first\n\n{before}\n# two\n{own}\n\n# three\n{after}# last");
        let changed = put(&text, FILE, &new).unwrap();
        let (start, end) = (format!("# first\n\n{before}\n# two\n"), format!("\n\n# three\n{after}# last"));
        prop_assert!(changed.starts_with(&start));
        prop_assert!(changed.ends_with(&end));
        let read = Rulings::parse(&changed, FILE).unwrap();
        prop_assert_eq!(read.iter().collect::<Vec<_>>(), [&one, &new, &three]);
        // Nothing to change is no change, and what a person wrote beside a value stays.
        prop_assert_eq!(put(&text, FILE, &two).unwrap(), text.clone());
        for (hint, said) in two.hints.iter() {
            let kept = said.is_some() && said == new.hints.get(hint);
            if kept && let Some(section) = section(&own, hint) {
                prop_assert!(changed.contains(section), "{section}");
            }
        }
        let removed = remove(&text, FILE, "b", "two").unwrap();
        let left = Rulings::parse(&removed, FILE).unwrap();
        prop_assert_eq!(left.iter().collect::<Vec<_>>(), [&one, &three]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z\\[\\]{}=\"\n. 0-9#]{0,60}", at in 0..RIGHT.len()) {
        let _ = Rulings::parse(&text, FILE);
        let spoiled = format!("{}{text}{}", &RIGHT[..at], &RIGHT[at..]);
        if let Err(error) = Rulings::parse(&spoiled, FILE) {
            prop_assert!(error.place().line <= spoiled.lines().count() + 1);
        }
    }
}

/// The lines of a hint's table, header and values.
fn section(block: &str, hint: Hint) -> Option<&str> {
    let start = block.find(&format!("[tool.{}]", hint.key()))?;
    let rest = &block[start..];
    let end = rest[1..].find("\n[").map_or(rest.len(), |end| end + 1);
    let section = &rest[..end];
    // Remarks above the next header move with that header.
    Some(section.split("\n# a remark").next().unwrap().trim_end())
}

#[test]
fn a_block_that_says_everything_fits_a_screen() {
    let reasoned = |value| {
        let why = "A sentence that says why.".to_owned();
        let evidence = vec!["src/message.ts:12".to_owned()];
        Some(Reasoned {
            value,
            why,
            evidence,
        })
    };
    let full = Ruling {
        undo: Some(Undo::Nothing),
        reversibility: Some("Not at all.".to_owned()),
        cost: Some("A cent.".to_owned()),
        hints: Hints {
            read_only: reasoned(false),
            destructive: reasoned(true),
            idempotent: reasoned(false),
            open_world: reasoned(true),
        },
        definition: tool_digest("{}").into(),
        ..of("a", "one")
    };
    let text = [full].into_iter().collect::<Rulings>().to_toml();
    assert!(text.lines().count() <= 40, "{text}");
}
