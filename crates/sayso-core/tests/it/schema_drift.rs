//! Which way an input schema moved.

use proptest::prelude::*;
use sayso_core::drift::{Direction, SchemaChangeKind as Kind, schema_changes};
use sayso_core::json::{Document, Limits};

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

/// Every change as a line with its direction.
fn told(before: &str, after: &str) -> String {
    let (before, after) = (read(before), read(after));
    schema_changes(Some(before.root()), Some(after.root()))
        .iter()
        .map(|change| format!("{}: {change}\n", change.direction()))
        .collect()
}

/// What is told of one argument whose schema changed, and of the change back.
fn argument(before: &str, after: &str) -> String {
    let schema = |argument| format!(r#"{{"properties":{{"a":{argument}}}}}"#);
    let (before, after) = (schema(before), schema(after));
    format!("{}{}", told(&before, &after), told(&after, &before))
}

#[test]
fn arguments_that_come_and_go() {
    insta::assert_snapshot!(told(
        r#"{"type":"object","properties":{"id":{},"x":{}},"required":["id","x"]}"#,
        r#"{"type":"object","properties":{"id":{},"force":{"type":"boolean"},"deep":{}},"required":["deep"]}"#,
    ), @"
    relaxing: new argument `deep`
    relaxing: new argument `force`
    tightening: argument `x` is gone
    relaxing: `id` is no longer required
    relaxing: `x` is no longer required
    ");
}

#[test]
fn values() {
    insta::assert_snapshot!(argument(r#"{"enum":["read","copy"]}"#, r#"{"enum":["copy","delete","read"]}"#), @r#"
    relaxing: `a`: may now be `"delete"`
    tightening: `a`: may no longer be `"delete"`
    "#);
    insta::assert_snapshot!(argument(r#"{"const":"read"}"#, r#"{"const":"delete"}"#), @r#"
    tightening: `a`: may no longer be `"read"`
    relaxing: `a`: may now be `"delete"`
    tightening: `a`: may no longer be `"delete"`
    relaxing: `a`: may now be `"read"`
    "#);
    insta::assert_snapshot!(argument("{}", r#"{"enum":["read"]}"#), @r#"
    tightening: `a`: `enum` is now `["read"]`
    relaxing: `a`: `enum` is gone, was `["read"]`
    "#);
    insta::assert_snapshot!(argument(r#"{"anyOf":[{"const":1}]}"#, r#"{"anyOf":[{"const":2},{"const":1}]}"#), @r#"
    relaxing: `a`: may now be `{"const":2}`
    tightening: `a`: may no longer be `{"const":2}`
    "#);
}

#[test]
fn types() {
    insta::assert_snapshot!(argument(r#"{"type":"integer"}"#, r#"{"type":"number"}"#), @r#"
    relaxing: `a`: `type` was `"integer"`, is `"number"`
    tightening: `a`: `type` was `"number"`, is `"integer"`
    "#);
    insta::assert_snapshot!(argument(r#"{"type":["string","null"]}"#, r#"{"type":["null","string"]}"#), @"");
    insta::assert_snapshot!(argument(r#"{"type":"string"}"#, "true"), @r#"
    relaxing: `a`: `type` is gone, was `"string"`
    tightening: `a`: `type` is now `"string"`
    "#);
    insta::assert_snapshot!(argument(r#"{"type":"string"}"#, "false"), @"
    tightening: `a`: the schema changed
    relaxing: `a`: the schema changed
    ");
}

#[test]
fn bounds() {
    insta::assert_snapshot!(argument(
        r#"{"maximum":10,"minLength":1,"pattern":"^a","multipleOf":2,"uniqueItems":true}"#,
        r#"{"maximum":11,"minLength":2,"pattern":"^b","multipleOf":4}"#,
    ), @r#"
    relaxing: `a`: `maximum` was `10`, is `11`
    tightening: `a`: `minLength` was `1`, is `2`
    tightening: `a`: `multipleOf` was `2`, is `4`
    relaxing: `a`: `pattern` was `"^a"`, is `"^b"`
    relaxing: `a`: `uniqueItems` is gone, was `true`
    tightening: `a`: `maximum` was `11`, is `10`
    relaxing: `a`: `minLength` was `2`, is `1`
    relaxing: `a`: `multipleOf` was `4`, is `2`
    relaxing: `a`: `pattern` was `"^b"`, is `"^a"`
    tightening: `a`: `uniqueItems` is now `true`
    "#);
    // Beyond what a double can hold apart.
    insta::assert_snapshot!(argument(
        r#"{"maximum":18446744073709551614}"#,
        r#"{"maximum":18446744073709551615}"#,
    ), @"
    relaxing: `a`: `maximum` was `18446744073709551614`, is `18446744073709551615`
    relaxing: `a`: `maximum` was `18446744073709551615`, is `18446744073709551614`
    ");
}

#[test]
fn inside_an_argument() {
    insta::assert_snapshot!(argument(
        r#"{"properties":{"kind":{"maxLength":3}},"additionalProperties":false}"#,
        r#"{"properties":{"kind":{"maxLength":4},"of":{}},"additionalProperties":{"type":"string"}}"#,
    ), @r#"
    relaxing: new argument `a.of`
    relaxing: `a.kind`: `maxLength` was `3`, is `4`
    relaxing: `a.*`: `additionalProperties` was `false`, is `{"type":"string"}`
    tightening: argument `a.of` is gone
    tightening: `a.kind`: `maxLength` was `4`, is `3`
    tightening: `a.*`: `additionalProperties` was `{"type":"string"}`, is `false`
    "#);
    insta::assert_snapshot!(argument(r#"{"items":{"type":"string"}}"#, r#"{"items":{"type":["string","null"]},"maxItems":3}"#), @r#"
    tightening: `a`: `maxItems` is now `3`
    relaxing: `a[]`: `type` was `"string"`, is `["string","null"]`
    relaxing: `a`: `maxItems` is gone, was `3`
    tightening: `a[]`: `type` was `["string","null"]`, is `"string"`
    "#);
}

#[test]
fn words_constrain_nothing() {
    insta::assert_snapshot!(told(
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","description":"a","x-order":1}"#,
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","description":"b","title":"c"}"#,
    ), @r#"
    neutral: the arguments: `$schema` was `"http://json-schema.org/draft-07/schema#"`, is `"https://json-schema.org/draft/2020-12/schema"`
    neutral: the arguments: `description` was `"a"`, is `"b"`
    neutral: the arguments: `title` is now `"c"`
    neutral: the arguments: `x-order` is gone, was `1`
    "#);
    assert_eq!(
        told(r#"{"maximum":1.0,"a":1}"#, r#"{ "a":1, "maximum":1 }"#),
        ""
    );
}

#[test]
fn what_cannot_be_told_counts_as_relaxing() {
    insta::assert_snapshot!(argument(r#"{"not":{"maxLength":3}}"#, r#"{"not":{"maxLength":4}}"#), @"
    relaxing: `a`: `maxLength` was `3`, is `4`
    relaxing: `a`: `maxLength` was `4`, is `3`
    ");
    insta::assert_snapshot!(argument(r#"{"default":true}"#, r#"{"default":false}"#), @"
    relaxing: `a`: `default` was `true`, is `false`
    relaxing: `a`: `default` was `false`, is `true`
    ");
    insta::assert_snapshot!(argument(r#"{"type":"file"}"#, r#"{"type":"any"}"#), @r#"
    relaxing: `a`: `type` was `"file"`, is `"any"`
    relaxing: `a`: `type` was `"any"`, is `"file"`
    "#);
    insta::assert_snapshot!(argument(r#"{"enum":["a"],"enum":["b"]}"#, r#"{"enum":["a"]}"#), @r#"
    relaxing: `a`: `enum` was `["a"]`, is `["a"]`
    relaxing: `a`: `enum` was `["a"]`, is `["a"]`
    "#);
    insta::assert_snapshot!(told("{}", r#"{"$schema":"https://example.com/own"}"#), @r#"relaxing: the arguments: `$schema` is now `"https://example.com/own"`"#);
    insta::assert_snapshot!(told("{}", "17"), @"relaxing: the arguments: the schema changed");
}

#[test]
fn references_are_followed() {
    insta::assert_snapshot!(told(
        r##"{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"allOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"maxLength":1},"B":{"maxLength":1}}}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"allOf":[{"$ref":"#/$defs/A"}]}},"$defs":{"A":{"maxLength":2},"B":{"maxLength":3}}}"##,
    ), @r#"
    neutral: the arguments: `$defs` was `{"A":{"maxLength":1},"B":{"maxLength":1}}`, is `{"A":{"maxLength":2},"B":{"maxLength":3}}`
    relaxing: `b`: `maxLength` was `1`, is `2`
    relaxing: `a`: `maxLength` was `1`, is `2`
    "#);
    // The same, moved into a definition.
    insta::assert_snapshot!(told(
        r##"{"properties":{"a":{"maxLength":1}}}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"maxLength":1}}}"##,
    ), @r#"neutral: the arguments: `$defs` is now `{"A":{"maxLength":1}}`"#);
}

#[test]
fn references_in_a_ring_come_to_an_end() {
    insta::assert_snapshot!(told(
        r##"{"$ref":"#","properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/c"},"c":{"$ref":"#/properties/b"}}}"##,
        r##"{"$ref":"#","properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/c"},"c":{"$ref":"#/properties/b"},"d":{}}}"##,
    ), @"
    relaxing: new argument `d`
    relaxing: new argument `a.d`
    ");
}

#[test]
fn references_that_multiply_come_to_an_end() {
    // Each of many arguments refers to one large definition whose parts are not the same.
    let schema = |text: &str| {
        let arguments: Vec<String> = (0..3_000)
            .map(|number| format!(r##""a{number}":{{"$ref":"#/$defs/A"}}"##))
            .collect();
        let words = text.repeat(40_000);
        let arguments = arguments.join(",");
        read(&format!(
            r#"{{"properties":{{{arguments}}},"$defs":{{"A":{{"description":"{words}"}}}}}}"#
        ))
    };
    let (before, after) = (schema("a"), schema("b"));
    let changes = schema_changes(Some(before.root()), Some(after.root()));
    assert_eq!(changes.last().unwrap().kind, Kind::Unclear);
}

#[test]
fn a_missing_schema_allows_anything() {
    let schema = read(r#"{"properties":{"a":{}}}"#);
    let direction = |before, after| {
        let changes = schema_changes(before, after);
        changes.iter().map(|change| change.direction()).max()
    };
    assert_eq!(
        direction(None, Some(schema.root())),
        Some(Direction::Relaxing)
    );
    assert_eq!(
        direction(Some(schema.root()), None),
        Some(Direction::Tightening)
    );
    assert_eq!(direction(None, None), None);
}

/// A schema for one value; objects take no arguments but their own, so that a new one is new reach.
fn schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("{}".to_owned()),
        Just("false".to_owned()),
        prop::sample::subsequence(vec![r#""a""#, "1", "2", "null"], 1..4)
            .prop_map(|values| format!(r#"{{"enum":[{}]}}"#, values.join(","))),
        prop::sample::subsequence(
            vec![r#""string""#, r#""integer""#, r#""number""#, r#""object""#],
            1..3
        )
        .prop_map(|types| format!(r#"{{"type":[{}]}}"#, types.join(","))),
        (0..3, 0..3).prop_map(|(least, most)| format!(r#"{{"minimum":{least},"maximum":{most}}}"#)),
        (1..5).prop_map(|divisor| format!(r#"{{"multipleOf":{divisor}}}"#)),
        (0..2).prop_map(|length| format!(r#"{{"minLength":{length}}}"#)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3).prop_map(|list| list.join(","));
        prop_oneof![
            list.clone()
                .prop_map(|list| format!(r#"{{"anyOf":[{list}]}}"#)),
            list.prop_map(|list| format!(r#"{{"allOf":[{list}]}}"#)),
            inner
                .clone()
                .prop_map(|inner| format!(r#"{{"not":{inner}}}"#)),
            inner
                .clone()
                .prop_map(|inner| format!(r#"{{"items":{inner}}}"#)),
            (
                prop::sample::subsequence(vec!["a", "b"], 0..3),
                inner,
                any::<bool>()
            )
                .prop_map(|(names, inner, required)| {
                    let properties: Vec<_> = names
                        .iter()
                        .map(|name| format!(r#""{name}":{inner}"#))
                        .collect();
                    let names: Vec<_> = names.iter().map(|name| format!(r#""{name}""#)).collect();
                    format!(
                        r#"{{"properties":{{{}}},"additionalProperties":false,"required":[{}]}}"#,
                        properties.join(","),
                        if required {
                            names.join(",")
                        } else {
                            String::new()
                        }
                    )
                }),
        ]
    })
}

const INSTANCES: [&str; 16] = [
    "null",
    "true",
    "0",
    "1",
    "2",
    "1.5",
    "3",
    r#""""#,
    r#""a""#,
    r#""b""#,
    "[]",
    "[1]",
    r#"["a"]"#,
    "{}",
    r#"{"a":1}"#,
    r#"{"a":"a","b":2}"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Held against a validator: what was refused and now passes is relaxing, what passed and is now
    /// refused is told, too.
    #[test]
    fn directions_agree_with_a_validator(before in schema(), after in schema()) {
        let validator = |schema: &str| {
            jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
        };
        let (old, new) = (validator(&before), validator(&after));
        let (before, after) = (read(&before), read(&after));
        let changes = schema_changes(Some(before.root()), Some(after.root()));
        let relaxing = changes.iter().any(|change| change.direction() == Direction::Relaxing);
        let tightening = changes.iter().any(|change| {
            change.direction() == Direction::Tightening
                || matches!(change.kind, Kind::Unclear | Kind::ArgumentAdded)
        });
        for instance in INSTANCES {
            let value = serde_json::from_str(instance).unwrap();
            match (old.is_valid(&value), new.is_valid(&value)) {
                (false, true) => prop_assert!(relaxing, "{instance} passes now"),
                (true, false) => prop_assert!(tightening, "{instance} is refused now"),
                _ => {}
            }
        }
    }

    #[test]
    fn any_two_values_can_be_compared(before in schema(), after in "[\\[\\]{}:,\"a-c$#/0-9]{0,20}") {
        if let Ok(after) = Document::parse(after, &Limits::default()) {
            let before = read(&before);
            let changes = schema_changes(Some(before.root()), Some(after.root()));
            for change in changes {
                prop_assert!(!change.to_string().is_empty());
            }
        }
    }
}
