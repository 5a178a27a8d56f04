//! One digest for all spellings of a value, another for every other value.

use proptest::prelude::*;
use sayso_core::digest::{Digest, Part, Scheme, ToolDigest, canonical};
use sayso_core::json::{Document, Kind, Limits, Value};
use sayso_core::tool::Tool;

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

fn digest(text: &str) -> Digest {
    Digest::of(read(text).root())
}

fn jcs(text: &str) -> String {
    let document = read(text);
    let (scheme, written) = canonical(document.root());
    assert_eq!(scheme, Scheme::Jcs, "{text}");
    written
}

fn exact(text: &str) -> String {
    let document = read(text);
    let (scheme, written) = canonical(document.root());
    assert_eq!(scheme, Scheme::Exact, "{text}");
    written
}

fn tool_digest(text: &str) -> ToolDigest {
    ToolDigest::of(Tool::new(read(text).root(), 0, 0))
}

fn moved(before: &str, after: &str) -> Vec<Part> {
    let (before, after) = (tool_digest(before), tool_digest(after));
    let moved = before.parts.moved(&after.parts);
    assert_eq!(before.whole == after.whole, moved.is_empty());
    moved
}

#[test]
fn the_empty_object_has_the_digest_other_tools_give_it() {
    assert_eq!(
        digest(" { } ").to_string(),
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    );
}

#[test]
fn members_are_sorted_by_utf_16_code_units() {
    // In UTF-16 the emoji begins with 0xD83D and comes before U+FB33; by code point it comes after.
    assert_eq!(
        jcs(r#"{"\ufb33":1,"\ud83d\ude00":2,"é":3,"b":4,"\r":5,"1":6,"\u0080":7}"#),
        "{\"\\r\":5,\"1\":6,\"b\":4,\"\u{80}\":7,\"é\":3,\"😀\":2,\"\u{fb33}\":1}"
    );
}

#[test]
fn strings_have_one_spelling() {
    assert_eq!(
        jcs(r#""\u0041\/\u000b\u000A\b\f\u0022\\\u007f\u20ac""#),
        "\"A/\\u000b\\n\\b\\f\\\"\\\\\u{7f}€\""
    );
}

#[test]
fn numbers_are_written_as_ecmascript_does() {
    for (spelled, written) in [
        ("1.0", "1"),
        ("1e2", "100"),
        ("-0", "0"),
        ("-0.0e-7", "0"),
        ("0.1", "0.1"),
        ("1E-7", "1e-7"),
        ("0.0000010", "0.000001"),
        ("4.50", "4.5"),
        ("2e-3", "0.002"),
        ("1e21", "1e+21"),
        ("100000000000000000000", "100000000000000000000"),
        ("333333333.3333333", "333333333.3333333"),
        ("9007199254740991", "9007199254740991"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ] {
        assert_eq!(jcs(spelled), written);
    }
}

#[test]
fn what_no_double_is_keeps_its_digits_under_another_label() {
    for (spelled, written) in [
        ("18446744073709551615", "18446744073709551615e0"),
        ("9007199254740993", "9007199254740993e0"),
        ("0.10000000000000000001", "10000000000000000001e-20"),
        ("-1.0e400", "-1e400"),
        ("1e-400", "1e-400"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ] {
        assert_eq!(exact(spelled), written);
    }
    assert_ne!(
        digest("18446744073709551615"),
        digest("18446744073709551614")
    );
    assert_eq!(
        digest("18446744073709551615"),
        digest("1844674407370955161.50e1")
    );
    assert!(digest("1e400").to_string().starts_with("sha256-exact:"));
}

#[test]
fn repeated_keys_are_all_digested_in_their_order() {
    assert_eq!(
        exact(r#"{"b":0,"a":1,"\u0061":2}"#),
        r#"{"a":1,"a":2,"b":0}"#
    );
    let all = [
        r#"{"a":1,"a":2}"#,
        r#"{"a":2,"a":1}"#,
        r#"{"a":1}"#,
        r#"{"a":2}"#,
    ];
    for (position, one) in all.iter().enumerate() {
        for other in &all[..position] {
            assert_ne!(digest(one), digest(other));
        }
    }
}

#[test]
fn lone_surrogates_keep_apart() {
    assert_eq!(
        exact(r#""x\uD800\n\"\udbff\u0041""#),
        r#""x\ud800\n\"\udbffA""#
    );
    let all = [r#""\ud800""#, r#""\udc00""#, r#""\ufffd""#, r#""\\ud800""#];
    for (position, one) in all.iter().enumerate() {
        for other in &all[..position] {
            assert_ne!(digest(one), digest(other));
        }
    }
    assert_eq!(
        exact(r#"{"\udfff":1,"\ud800":2,"\ufffd":3}"#),
        "{\"\\ud800\":2,\"\\udfff\":1,\"\u{fffd}\":3}"
    );
}

#[test]
fn deep_nesting_takes_no_stack() {
    let depth = 200_000;
    let text = "[".repeat(depth) + &"]".repeat(depth);
    let limits = Limits {
        max_depth: depth + 1,
        ..Limits::default()
    };
    let document = Document::parse(text.clone(), &limits).unwrap();
    assert_eq!(canonical(document.root()), (Scheme::Jcs, text));
}

#[test]
fn a_text_has_the_digest_of_its_json_string() {
    assert_eq!(
        Digest::of_text("a\u{1}\"é"),
        digest(r#""\u0061\u0001\"\u00e9""#)
    );
}

#[test]
fn what_is_shown_can_be_read_back() {
    for text in ["{}", "1e400"] {
        let digest = digest(text);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
    }
    let upper = digest("{}").to_string().to_uppercase();
    for wrong in [
        "",
        "sha256:",
        "sha256:44",
        "md5:00",
        &upper,
        &format!("{}0", digest("{}")),
    ] {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
}

#[test]
fn each_part_tells_its_own_change() {
    let tool = r#"{"name":"n","title":"t","description":"d","inputSchema":{"type":"object"},
        "annotations":{"title":"a","readOnlyHint":true,"x":1},"icons":[]}"#;
    let with = |from: &str, to: &str| {
        assert!(tool.contains(from));
        moved(tool, &tool.replace(from, to))
    };
    assert_eq!(with(r#""t""#, r#""T""#), [Part::Text]);
    assert_eq!(with(r#""d""#, r#""D""#), [Part::Text]);
    assert_eq!(with(r#""a""#, r#""A""#), [Part::Text]);
    assert_eq!(with(r#""title":"a","#, ""), [Part::Text]);
    assert_eq!(with(r#""type":"object""#, ""), [Part::Schemas]);
    assert_eq!(with("true", "false"), [Part::Annotations]);
    assert_eq!(with("true", r#""true""#), [Part::Annotations]);
    assert_eq!(with(r#""readOnlyHint":true,"#, ""), [Part::Annotations]);
    assert_eq!(with(r#""x":1"#, r#""x":2"#), [Part::Rest]);
    assert_eq!(with("[]", "[{}]"), [Part::Rest]);
    assert_eq!(
        with(r#""name":"n","#, r#""name":"n","name":"m","#),
        [Part::Rest]
    );
}

#[test]
fn odd_annotations_are_told_at_the_hints() {
    let shapes = [
        r#"{"name":"n"}"#,
        r#"{"name":"n","annotations":{}}"#,
        r#"{"name":"n","annotations":null}"#,
        r#"{"name":"n","annotations":[]}"#,
        r#"{"name":"n","annotations":{"title":"a"},"annotations":{}}"#,
        r#"{"name":"n","annotations":{},"annotations":{"title":"a"}}"#,
    ];
    for (position, one) in shapes.iter().enumerate() {
        for other in &shapes[..position] {
            assert_eq!(moved(one, other), [Part::Annotations], "{one} {other}");
        }
    }
    assert_eq!(moved("null", "17"), [Part::Rest]);
}

#[test]
fn a_renamed_tool_keeps_its_parts() {
    let one = tool_digest(r#"{"name":"one","description":"d"}"#);
    let other = tool_digest(r#"{"description":"d","name":"other"}"#);
    assert_eq!(one.parts, other.parts);
    assert_ne!(one.whole, other.whole);
}

/// A JSON value of which spellings are made.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Word(&'static str),
    Number(i64, u8),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false"]).prop_map(Json::Word),
        (any::<i64>(), 0u8..30).prop_map(|(digits, places)| Json::Number(digits, places)),
        (-50i64..50, 0u8..3).prop_map(|(digits, places)| Json::Number(digits, places)),
        "[a-c\\\\\"\n\u{1}é\u{fb33}😀]{0,4}".prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::Array),
            prop::collection::vec(("[a-c\u{fb33}😀]{0,2}", inner), 0..5).prop_map(Json::Object),
        ]
    })
}

impl Json {
    /// The value with its members in an order and numbers and strings in a form that depend on
    /// the value alone. Repeated keys keep their order.
    fn normal(&self) -> Self {
        match self {
            Self::Number(0, _) => Self::Number(0, 0),
            Self::Number(digits, places) if *places > 0 && digits % 10 == 0 => {
                Self::Number(digits / 10, places - 1).normal()
            }
            Self::Array(elements) => Self::Array(elements.iter().map(Self::normal).collect()),
            Self::Object(members) => {
                let mut members: Vec<_> = members
                    .iter()
                    .map(|(key, value)| (key.clone(), value.normal()))
                    .collect();
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Self::Object(members)
            }
            other => other.clone(),
        }
    }

    /// One of the many spellings, by bits that are used up.
    fn spell(&self, bits: &mut dyn FnMut() -> bool, out: &mut String) {
        if bits() {
            out.push_str(" \n\t");
        }
        match self {
            Self::Word(word) => out.push_str(word),
            Self::Number(digits, places) => {
                let places = i32::from(*places);
                if bits() {
                    out.push_str(&format!("{digits}.00e-{places:02}"));
                } else if *digits != 0 && bits() {
                    out.push_str(&format!("{digits}0E{:+}", -places - 1));
                } else if places == 0 {
                    out.push_str(&digits.to_string());
                } else {
                    out.push_str(&format!("{digits}e-{places}"));
                }
            }
            Self::String(text) => spell_string(text, bits, out),
            Self::Array(elements) => {
                out.push('[');
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    element.spell(bits, out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if bits() {
                    // Another order of the keys, the same within each.
                    members.sort_by(|(one, _), (other, _)| other.cmp(one));
                }
                out.push('{');
                for (position, (key, value)) in members.into_iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    spell_string(key, bits, out);
                    out.push(':');
                    value.spell(bits, out);
                }
                out.push('}');
            }
        }
    }
}

fn spell_string(text: &str, bits: &mut dyn FnMut() -> bool, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        if bits() || character < ' ' || character == '"' || character == '\\' {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04X}"));
            }
        } else {
            out.push(character);
        }
    }
    out.push('"');
}

fn spelled(json: &Json, seed: u64) -> String {
    let mut state = seed;
    let mut out = String::new();
    json.spell(
        &mut || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 63 == 1
        },
        &mut out,
    );
    out
}

proptest! {
    #[test]
    fn spelling_and_order_change_no_digest(json in json(), one: u64, other: u64) {
        prop_assert_eq!(digest(&spelled(&json, one)), digest(&spelled(&json, other)));
    }

    #[test]
    fn another_meaning_is_another_digest(one in json(), other in json()) {
        let same = one.normal() == other.normal();
        prop_assert_eq!(digest(&spelled(&one, 0)) == digest(&spelled(&other, 0)), same);
    }

    /// Two values that differ in one place deep inside.
    #[test]
    fn a_small_change_of_meaning_is_another_digest(
        one in json(), other in json(), path in prop::collection::vec((any::<bool>(), json()), 0..4),
    ) {
        let same = one.normal() == other.normal();
        let wrap = |inner: Json| {
            path.iter().fold(inner, |inner, (object, beside)| {
                if *object {
                    Json::Object(vec![("a".to_owned(), beside.clone()), ("b".to_owned(), inner)])
                } else {
                    Json::Array(vec![inner, beside.clone()])
                }
            })
        };
        let (one, other) = (wrap(one), wrap(other));
        prop_assert_eq!(digest(&spelled(&one, 3)) == digest(&spelled(&other, 4)), same);
    }

    #[test]
    fn what_is_canonical_stays_as_it_is(json in json(), seed: u64) {
        let document = read(&spelled(&json, seed));
        let (scheme, written) = canonical(document.root());
        let again = read(&written);
        prop_assert_eq!(canonical(again.root()), (scheme, written.clone()));
        if scheme == Scheme::Jcs {
            prop_assert!(agree(again.root(), document.root()));
        }
    }

    #[test]
    fn any_bytes_that_are_json_have_a_digest(text in "[\\[\\]{}:,\"\\\\u0-9a-fdDeE+.-]{0,40}") {
        if let Ok(document) = Document::parse(text, &Limits::default()) {
            let digest = Digest::of(document.root());
            prop_assert_eq!(digest.to_string().parse(), Ok(digest));
        }
    }

    #[test]
    fn a_tool_changes_exactly_when_a_part_does(one in tool(), other in tool()) {
        moved(&spelled(&one, 1), &spelled(&other, 2));
    }
}

/// Whether both hold the same, by the reader alone: the first may have its members in another order.
fn agree(one: Value<'_>, other: Value<'_>) -> bool {
    match one.kind() {
        Kind::Number => one.as_f64() == other.as_f64(),
        Kind::String => one.as_str() == other.as_str(),
        Kind::Array => one
            .elements()
            .zip(other.elements())
            .all(|(one, other)| agree(one, other)),
        Kind::Object => one.members().all(|member| {
            other
                .get(&member.key)
                .is_some_and(|other| agree(member.value, other))
        }),
        kind => kind == other.kind(),
    }
}

/// Something like a tool, also one whose keys are repeated.
fn tool() -> impl Strategy<Value = Json> {
    let keys = |keys: &'static [&'static str]| prop::sample::select(keys).prop_map(str::to_owned);
    let leaf = || prop::sample::select(vec!["null", "true", "1"]).prop_map(Json::Word);
    let inner = keys(&["title", "readOnlyHint", "destructiveHint", "x"]);
    let annotations = prop_oneof![
        leaf(),
        prop::collection::vec((inner, leaf()), 0..3).prop_map(Json::Object)
    ];
    let top = prop_oneof![
        (
            keys(&["name", "title", "description", "inputSchema", "icons"]),
            leaf()
        ),
        (Just("name".to_owned()), Just(Json::String("n".to_owned()))),
        (Just("annotations".to_owned()), annotations),
    ];
    prop_oneof![
        1 => leaf(),
        9 => prop::collection::vec(top, 0..5).prop_map(|mut members| {
            members.push(("name".to_owned(), Json::String("n".to_owned())));
            Json::Object(members)
        })
    ]
}
