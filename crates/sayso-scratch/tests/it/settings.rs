//! The settings: what is taken, what is refused and how that is told, and how a file is edited.

use proptest::prelude::*;
use sayso_core::hint::Hint;
use sayso_scratch::settings::{Assignment, Key, Settings, ToolKey, edit};
use sayso_scratch::tool::Tool;

/// What is said of a settings file.
fn told(text: &str) -> String {
    match Settings::parse(text, "settings.toml") {
        Ok(settings) => {
            let written: Vec<String> = settings
                .written()
                .map(|(key, text)| format!("{key}={text}"))
                .collect();
            written.join(" ")
        }
        Err(error) => match error.next_step() {
            Some(hint) => format!("{error}\n  hint: {hint}"),
            None => error.to_string(),
        },
    }
}

#[test]
fn everything_that_can_be_set() {
    let text = r#"
list-changed = "silent"
rebuild-time = "500ms"
elicit = true

[list_indexes]
readOnlyHint = "omitted"
behave-as = "wipe_index"

[wipe_index]
annotations = "null"
answer = "late:5s:2"

[reindex_document]
readOnlyHint = false
destructiveHint = "null"
idempotentHint = '"true"'
openWorldHint = "true,false"
answer = "never:2"
"#;
    insta::assert_snapshot!(told(text), @r#"list-changed=silent rebuild-time=500ms elicit=true list_indexes.readOnlyHint=omitted list_indexes.behave-as=wipe_index wipe_index.annotations=null wipe_index.answer=late:5s:2 reindex_document.readOnlyHint=false reindex_document.destructiveHint=null reindex_document.idempotentHint="true" reindex_document.openWorldHint=true,false reindex_document.answer=never:2"#);
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_was_meant() {
    let cases = [
        "list-changd = \"silent\"",
        "list-changed = \"loud\"",
        "list-changed = \"silnt\"",
        "rebuild-time = \"soon\"",
        "rebuild-time = 1.5",
        "elicit = \"yes\"",
        "wipe_index = true",
        "\n[wipe_indx]\ndestructiveHint = true",
        "[search]\ndestructiveHint = true",
        "[wipe_index]\ndestructivHint = true",
        "[wipe_index]\ndestructiveHint = \"maybe\"",
        "[wipe_index]\ndestructiveHint = \"fasle\"",
        "[wipe_index]\ndestructiveHint = [true, false]",
        "[wipe_index]\nanswer = \"nevr\"",
        "[wipe_index]\nanswer = \"never:0\"",
        "[wipe_index]\nanswer = \"late\"",
        "[wipe_index]\nanswer = \"late:2h\"",
        "[wipe_index]\nbehave-as = \"wipe\"",
        "[wipe_index]\nannotations = \"omitted\"\nreadOnlyHint = true",
        "[wipe_index\n",
        "[wipe_index]\n[wipe_index]\n",
    ];
    let told: Vec<String> = cases.into_iter().map(told).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    settings.toml:1:1: there is no setting `list-changd`
      hint: did you mean `list-changed`?
    settings.toml:1:16: `list-changed` cannot be `loud`
      hint: possible here: `notify`, `silent`
    settings.toml:1:16: `list-changed` cannot be `silnt`
      hint: did you mean `silent`?
    settings.toml:1:16: `rebuild-time` cannot be `soon`
      hint: write a time of up to an hour, such as `500ms`, `8s` or `2m`
    settings.toml:1:16: `rebuild-time` is of type float; it has to be a string or a boolean
      hint: other JSON is sent when it is written as a string
    settings.toml:1:10: `elicit` cannot be `yes`
      hint: possible here: `true`, `false`
    settings.toml:1:1: there is no setting `wipe_index`
      hint: write what of it is set, such as `wipe_index.answer`
    settings.toml:2:2: there is no tool `wipe_indx`
      hint: did you mean `wipe_index`?
    settings.toml:1:2: there is no tool `search`
      hint: there are `list_indexes`, `wipe_index`, `reindex_document`, `purge_tenant`, `append_note`, `send_invoice_email`
    settings.toml:2:1: there is no setting `wipe_index.destructivHint`
      hint: did you mean `wipe_index.destructiveHint`?
    settings.toml:2:19: `wipe_index.destructiveHint` cannot be `maybe`
      hint: write `true`, `false`, `omitted`, `default` or JSON such as `null`, `1` or `"true"`; two values with a comma send the key twice
    settings.toml:2:19: `wipe_index.destructiveHint` cannot be `fasle`
      hint: did you mean `false`?
    settings.toml:2:19: `wipe_index.destructiveHint` is of type array; it has to be a string or a boolean
      hint: other JSON is sent when it is written as a string
    settings.toml:2:10: `wipe_index.answer` cannot be `nevr`
      hint: did you mean `never`?
    settings.toml:2:10: `wipe_index.answer` is `never:0`: behind `:` stands for how many calls, as a number from 1 on
      hint: such as `never:2` or `late:5s:1`
    settings.toml:2:10: `wipe_index.answer` is `late`, but how late is not said
      hint: write it as `late:5s`
    settings.toml:2:10: `wipe_index.answer` cannot be `2h`
      hint: write a time of up to an hour, such as `500ms`, `8s` or `2m`
    settings.toml:2:13: there is no tool `wipe`
      hint: there are `list_indexes`, `wipe_index`, `reindex_document`, `purge_tenant`, `append_note`, `send_invoice_email`
    settings.toml:3:1: `wipe_index.readOnlyHint` would not be sent: `wipe_index.annotations` takes the place of all four hints
      hint: leave one of them out, or set it to `default`
    settings.toml:1:12: unclosed table, expected `]`
    settings.toml:2:2: duplicate key
    "#);
}

#[test]
fn an_assignment_is_checked_as_it_is_read() {
    let cases = [
        "wipe_index",
        "wipe_index=true",
        "x.y=1",
        "elicit=maybe",
        "wipe_index.answer=5s",
    ];
    let told = cases.map(|text| {
        let error = Assignment::parse(text).unwrap_err();
        format!("{error}\n  hint: {}", error.next_step().unwrap_or("none"))
    });
    insta::assert_snapshot!(told.join("\n"), @"
    `wipe_index` has no `=`
      hint: write it as KEY=VALUE, such as `wipe_index.destructiveHint=false`
    there is no setting `wipe_index`
      hint: write what of it is set, such as `wipe_index.answer`
    there is no tool `x`
      hint: there are `list_indexes`, `wipe_index`, `reindex_document`, `purge_tenant`, `append_note`, `send_invoice_email`
    `elicit` cannot be `maybe`
      hint: possible here: `true`, `false`
    `wipe_index.answer` cannot be `5s`
      hint: possible here: `never`, `late`, `disconnect`, `default`
    ");
}

#[test]
fn an_edit_keeps_what_is_around_it() {
    let text = "# how long\nrebuild-time = \"2s\" # not long\n\n[wipe_index] # the one that wipes\nreadOnlyHint   =   false\n";
    let assignments = [
        "rebuild-time=4s",
        "wipe_index.readOnlyHint=null",
        "wipe_index.answer=never:1",
        "append_note.idempotentHint=true",
        "list-changed=silent",
    ];
    let assignments = assignments.map(|text| Assignment::parse(text).unwrap());
    let edited = edit(text, "settings.toml", &assignments).unwrap();
    insta::assert_snapshot!(edited, @r#"
    # how long
    rebuild-time = "4s" # not long
    list-changed = "silent"

    [wipe_index] # the one that wipes
    readOnlyHint   =   "null"
    answer = "never:1"

    [append_note]
    idempotentHint = true
    "#);
    // And back.
    let back = [
        "wipe_index.answer",
        "append_note.idempotentHint",
        "list-changed",
    ];
    let back = back.map(|key| Assignment::parse(&format!("{key}=default")).unwrap());
    let edited = edit(&edited, "settings.toml", &back).unwrap();
    insta::assert_snapshot!(edited, @r#"
    # how long
    rebuild-time = "4s" # not long

    [wipe_index] # the one that wipes
    readOnlyHint   =   "null"
    "#);
}

#[test]
fn an_edit_that_would_make_the_file_wrong_is_refused() {
    let whole = Assignment::parse("wipe_index.annotations=omitted").unwrap();
    let error = edit(
        "[wipe_index]\nreadOnlyHint = true\n",
        "settings.toml",
        &[whole],
    );
    insta::assert_snapshot!(error.unwrap_err(), @"settings.toml:2:1: `wipe_index.readOnlyHint` would not be sent: `wipe_index.annotations` takes the place of all four hints");
}

/// Any key with a value that is possible there.
fn assignment() -> impl Strategy<Value = Assignment> {
    let json = prop::sample::select(vec![
        "true",
        "false",
        "null",
        "1",
        "\"true\"",
        "[]",
        "{\"a\": [1, \"b, c\"]}",
        "true,false",
        "omitted",
        "default",
    ]);
    let answer = prop::sample::select(vec![
        "never",
        "never:3",
        "late:1s",
        "late:20ms:2",
        "disconnect:1",
        "default",
    ]);
    let tool = || prop::sample::select(Tool::ALL.to_vec());
    let set = |key: Key, value: &str| Assignment {
        key,
        value: value.to_owned(),
    };
    prop_oneof![
        (tool(), prop::sample::select(Hint::ALL.to_vec()), json)
            .prop_map(move |(tool, hint, value)| set(Key::Tool(tool, ToolKey::Hint(hint)), value)),
        (tool(), answer)
            .prop_map(move |(tool, value)| set(Key::Tool(tool, ToolKey::Answer), value)),
        (tool(), tool())
            .prop_map(move |(tool, other)| set(Key::Tool(tool, ToolKey::BehaveAs), other.name())),
        any::<bool>().prop_map(move |value| set(Key::Elicit, &value.to_string())),
        (1_u32..3600).prop_map(move |value| set(Key::RebuildTime, &format!("{value}s"))),
    ]
}

proptest! {
    #[test]
    fn a_file_that_was_edited_says_what_was_set(
        assignments in prop::collection::vec(assignment(), 0..12),
    ) {
        let mut expected = Settings::default();
        for Assignment { key, value } in &assignments {
            expected.set(*key, value).unwrap();
        }
        let text = edit("# mine\n", "settings.toml", &assignments).unwrap();
        prop_assert_eq!(&Settings::parse(&text, "settings.toml").unwrap(), &expected);
        // One after the other comes to the same.
        let mut one_by_one = "# mine\n".to_owned();
        for assignment in &assignments {
            one_by_one = edit(&one_by_one, "settings.toml", std::slice::from_ref(assignment)).unwrap();
        }
        prop_assert_eq!(&Settings::parse(&one_by_one, "settings.toml").unwrap(), &expected);
        prop_assert!(text.starts_with("# mine\n"));
        // And what was set is read again as an assignment.
        for (key, value) in expected.written() {
            let read = Assignment::parse(&format!("{key}={value}")).unwrap();
            prop_assert_eq!((read.key, read.value.as_str()), (key, value));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        let _ = Settings::parse(&text, "settings.toml");
        let _ = Assignment::parse(&text);
    }

    #[test]
    fn any_value_is_read_or_refused(
        tool in prop::sample::select(Tool::ALL.to_vec()),
        key in prop::sample::select(vec!["answer", "annotations", "readOnlyHint", "behave-as"]),
        value in "[a-z0-9:,\\[\\]{}\"]{0,12}",
    ) {
        let _ = Assignment::parse(&format!("{tool}.{key}={value}"));
    }
}
