//! The reader: accepts what `serde_json` accepts, loses nothing, and knows where everything stands.

use proptest::prelude::*;
use sayso_core::json::{Document, Kind, Limits, ParseErrorKind, Value};
use serde_json::value::RawValue;

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

fn refused(text: &str) -> String {
    Document::parse(text.to_owned(), &Limits::default())
        .expect_err("not JSON")
        .to_string()
}

#[test]
fn every_value_keeps_its_bytes_and_place() {
    let text = r#" {"a~b/c": [1, 2.50, "x\u00e9"], "a": {"b": null}} "#;
    let document = read(text);
    let list = document.root().get("a~b/c").unwrap();
    assert_eq!(list.raw(), r#"[1, 2.50, "x\u00e9"]"#);
    assert_eq!(list.pointer().as_str(), "/a~0b~1c");
    let last = list.elements().last().unwrap();
    assert_eq!(last.as_str().unwrap(), "xé");
    assert_eq!(last.pointer().as_str(), "/a~0b~1c/2");
    assert_eq!(&text[last.span().range()], r#""x\u00e9""#);
    assert_eq!(document.root().at(&["a", "b"]).unwrap().kind(), Kind::Null);
    assert_eq!(last.parent().unwrap().raw(), list.raw());
    assert_eq!(last.pointer().steps().collect::<Vec<_>>(), ["a~b/c", "2"]);
}

#[test]
fn repeated_keys_are_found_at_any_depth_and_in_any_spelling() {
    let text = r#"{"a":{"x":1,"y":[{"k":1,"\u006b":2}]},"a":3}"#;
    let document = read(text);
    let found: Vec<_> = document
        .duplicates()
        .iter()
        .map(|duplicate| {
            let object = document.duplicate_in(duplicate).pointer();
            (
                duplicate.key.as_str(),
                object.to_string(),
                &text[duplicate.span.range()],
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("k", "/a/y/0".into(), r#""\u006b""#),
            ("a", String::new(), r#""a""#)
        ]
    );
    assert_eq!(document.root().get_all("a").count(), 2);
}

#[test]
fn repeated_keys_are_found_in_large_objects() {
    let members: Vec<String> = (0..200)
        .map(|number| format!("\"k{}\":0", number % 199))
        .collect();
    let document = read(&format!("{{{}}}", members.join(",")));
    let keys: Vec<_> = document
        .duplicates()
        .iter()
        .map(|duplicate| duplicate.key.as_str())
        .collect();
    assert_eq!(keys, ["k0"]);
}

#[test]
fn what_is_not_json_is_refused_with_a_place() {
    insta::assert_snapshot!(refused(""), @"the text ends in the middle of a value at byte 0");
    insta::assert_snapshot!(refused("{\"a\":1,}"), @"expected a key in double quotes at byte 7");
    insta::assert_snapshot!(refused("[1,]"), @"expected a value at byte 3");
    insta::assert_snapshot!(refused("[1 2]"), @"expected `,` or `]` at byte 3");
    insta::assert_snapshot!(refused("{\"a\" 1}"), @"expected `:` at byte 5");
    insta::assert_snapshot!(refused("{a:1}"), @"expected a key in double quotes at byte 1");
    insta::assert_snapshot!(refused("01"), @"a malformed number at byte 1");
    insta::assert_snapshot!(refused("1."), @"a malformed number at byte 2");
    insta::assert_snapshot!(refused("\"a\nb\""), @"an unescaped control character in a string at byte 2");
    insta::assert_snapshot!(refused(r#""\x""#), @"an unknown escape in a string at byte 1");
    insta::assert_snapshot!(refused("{} {}"), @"more text after the value at byte 3");
    insta::assert_snapshot!(refused("[[1"), @"the text ends in the middle of an array at byte 3");
    insta::assert_snapshot!(refused("tru"), @"expected a value at byte 0");
    insta::assert_snapshot!(
        Document::from_bytes(b"\"a\xff\"".to_vec(), &Limits::default()).unwrap_err(),
        @"bytes that are not UTF-8 at byte 2"
    );
}

#[test]
fn a_part_is_a_document_over_the_same_text() {
    let whole = read(r#"[{"a":1}, {"b":{"c":[true, 2],"c":null}}, {"a":1,"a":2}]"#);
    let element = whole.root().elements().nth(1).unwrap();
    let part = Document::part(element);
    assert_eq!(part.text(), whole.text());
    assert_eq!(part.root().raw(), element.raw());
    let inner = part.root().at(&["b", "c"]).unwrap();
    assert_eq!(inner.pointer().as_str(), "/b/c");
    assert_eq!(inner.span(), element.at(&["b", "c"]).unwrap().span());
    assert_eq!(inner.elements().count(), 2);
    let [repeated] = part.duplicates() else {
        panic!("{:?}", part.duplicates())
    };
    assert_eq!(part.duplicate_in(repeated).pointer().as_str(), "/b");
    assert!(
        Document::part(whole.root().elements().next().unwrap())
            .duplicates()
            .is_empty()
    );
}

#[test]
fn limits_are_named() {
    let limits = Limits {
        max_bytes: 64,
        max_depth: 3,
        max_values: 5,
    };
    let kind = |text: &str| {
        Document::parse(text.to_owned(), &limits)
            .map(|_| ())
            .map_err(|error| error.kind)
    };
    assert_eq!(kind("[[[1]]]"), Ok(()));
    assert_eq!(kind("[[[[1]]]]"), Err(ParseErrorKind::TooDeep(3)));
    assert_eq!(kind("[1,2,3,4,5]"), Err(ParseErrorKind::TooMany(5)));
    assert_eq!(kind(&" ".repeat(65)), Err(ParseErrorKind::TooLong(64)));
}

#[test]
fn deep_nesting_ends_in_an_error_not_in_a_full_stack() {
    let text = "[".repeat(1_000_000);
    assert!(refused(&text).starts_with("more than the allowed 128 levels"));
}

#[test]
fn lone_surrogates_are_replaced_and_nothing_else_is() {
    let document = read(r#"["\ud83d\ude00", "\ud83d", "\\ud83d", "a\udc00\n", "\\\ud800b"]"#);
    let decoded: Vec<_> = document
        .root()
        .elements()
        .map(|value| value.as_str().unwrap().into_owned())
        .collect();
    assert_eq!(
        decoded,
        ["😀", "\u{FFFD}", "\\ud83d", "a\u{FFFD}\n", "\\\u{FFFD}b"]
    );
}

#[test]
fn lines_and_columns_count_characters() {
    let document = read("{\n  \"é\": true\n}");
    let value = document.root().get("é").unwrap();
    let place = document.line_column(value.span().start);
    assert_eq!((place.line, place.column), (2, 8));
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        // Quarters: `serde_json` reads longer fractions back a bit off.
        any::<i32>().prop_map(|quarters| (f64::from(quarters) / 4.0).into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(6, 96, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(serde_json::Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..8)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Puts the value together again from what the reader says of it.
fn rebuild(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(boolean) => boolean.into(),
        Kind::Number => serde_json::from_str(value.raw()).expect("a number"),
        Kind::String => value.as_str().expect("a string").into_owned().into(),
        Kind::Array => value.elements().map(rebuild).collect(),
        Kind::Object => value
            .members()
            .map(|member| (member.key.into_owned(), rebuild(member.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

/// JSON with a few bytes changed, cut or doubled: mostly broken, sometimes still valid.
fn damaged() -> impl Strategy<Value = String> {
    (
        json(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        "[\\[\\]{}:,\"\\\\0-9a-z. \\-+eE\\n]{0,3}",
    )
        .prop_map(|(value, from, to, patch)| {
            let characters: Vec<char> = value.to_string().chars().collect();
            let (from, to) = (
                from.index(characters.len() + 1),
                to.index(characters.len() + 1),
            );
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 3));
            characters[..from]
                .iter()
                .copied()
                .chain(patch.chars())
                .chain(characters[to..].iter().copied())
                .collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_back_what_was_written(value in json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let document = read(&text);
        prop_assert_eq!(document.text(), text.as_str());
        prop_assert_eq!(rebuild(document.root()), value);
        prop_assert!(document.duplicates().is_empty());
    }

    #[test]
    fn accepts_exactly_what_serde_json_accepts(text in prop_oneof![damaged(), any::<String>()]) {
        let ours = Document::parse(text.clone(), &Limits::default());
        let theirs = serde_json::from_str::<&RawValue>(&text);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} against {:?}", ours.map(|_| ()), theirs.map(|_| ()));
    }

    #[test]
    fn every_part_is_what_it_is_alone(value in json()) {
        let document = read(&value.to_string());
        for index in 0.. {
            let Some(value) = document.value(index) else { break };
            let part = Document::part(value);
            prop_assert_eq!(rebuild(part.root()), rebuild(value));
            prop_assert!(part.root().parent().is_none());
        }
    }

    #[test]
    fn every_pointer_leads_back(value in json()) {
        let text = value.to_string();
        let document = read(&text);
        let mut open = vec![document.root()];
        while let Some(next) = open.pop() {
            let found = value.pointer(next.pointer().as_str());
            prop_assert_eq!(found, Some(&rebuild(next)));
            open.extend(next.elements());
            open.extend(next.members().map(|member| member.value));
        }
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = Document::from_bytes(bytes, &Limits::default());
    }
}
