//! What is called an invalid schema is one, by the meta-schema itself.

use std::fmt::Write as _;

use proptest::prelude::*;
use sayso_audit::schema::{Fault, check};
use sayso_core::json::{Document, Limits};
use serde_json::{Value, json};

use crate::support::found_by;

fn faults(schema: &Value) -> Vec<(Fault, String)> {
    let document = Document::parse(schema.to_string(), &Limits::default()).unwrap();
    check(document.root())
        .into_iter()
        .map(|problem| (problem.fault, problem.message))
        .collect()
}

/// Values that are right for some keywords and wrong for others.
fn odd() -> impl Strategy<Value = Value> + Clone {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(3),
        json!("string"),
        json!([]),
        json!(["a", "a"]),
        json!(["string", "null"]),
        json!([1, {}]),
        json!({}),
    ])
}

fn one_of(words: &str) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(words.split(' ').map(str::to_owned).collect::<Vec<String>>())
}

/// A schema without subschemas, each keyword with any odd value.
fn leaf() -> impl Strategy<Value = Value> {
    let keyword = one_of(
        "type enum required minLength maxItems minimum exclusiveMaximum multipleOf uniqueItems pattern format title \
         description examples $ref $comment readOnly default const x-anything nullable contentEncoding",
    );
    prop::collection::vec((keyword, odd()), 0..3).prop_map(|members| members.into_iter().collect())
}

/// A schema that is mostly one.
fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let single = one_of(
            "items additionalProperties not if then contains propertyNames unevaluatedProperties",
        );
        let list = one_of("allOf anyOf oneOf prefixItems items");
        let map = one_of("properties $defs definitions patternProperties dependentSchemas");
        let any = one_of("properties $defs items anyOf not additionalProperties");
        let members =
            prop::collection::vec(("[a-c]|required", prop_oneof![inner.clone(), odd()]), 0..3);
        let elements = prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (inner.clone(), single, inner.clone())
                .prop_map(|(base, key, value)| with(base, &key, value)),
            (inner.clone(), list, elements).prop_map(|(base, key, value)| with(
                base,
                &key,
                Value::Array(value)
            )),
            (inner.clone(), map, members).prop_map(|(base, key, value)| with(
                base,
                &key,
                value.into_iter().collect()
            )),
            (inner, any, odd()).prop_map(|(base, key, value)| with(base, &key, value)),
        ]
    })
}

fn with(mut base: Value, key: &str, value: Value) -> Value {
    if let Value::Object(members) = &mut base {
        members.insert(key.to_owned(), value);
    }
    base
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The oracle is the `jsonschema` crate's own meta-schema check.
    #[test]
    fn invalid_here_is_invalid_by_the_meta_schema(schema in schema(), dialect in prop::sample::select(vec![
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://json-schema.org/draft/2019-09/schema"),
        Some("http://json-schema.org/draft-07/schema#"),
    ])) {
        let mut schema = with(schema, "type", json!("object"));
        if let Some(uri) = dialect {
            schema = with(schema, "$schema", json!(uri));
        }
        let invalid: Vec<String> = faults(&schema)
            .into_iter()
            .filter(|(fault, _)| *fault == Fault::Invalid)
            .map(|(_, message)| message)
            .collect();
        let valid = jsonschema::meta::is_valid(&schema);
        prop_assert!(invalid.is_empty() || !valid, "{schema}: {invalid:?}");
        // The other way round holds where no dialect lets the array form of `items` be.
        if dialect == Some("https://json-schema.org/draft/2020-12/schema") {
            prop_assert!(valid || !invalid.is_empty(), "{schema} is invalid by the meta-schema");
        }
    }
}

/// What clients have been seen to drop a whole server for.
const FROM_THE_FIELD: [&str; 21] = [
    "null",
    "true",
    "[]",
    "{}",
    r#"{"type": "string"}"#,
    r#"{"type": ["object", "null"]}"#,
    r#"{"anyOf": [{"type": "object"}]}"#,
    r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}"##,
    r#"{"type": "object", "properties": {"required": ["a"]}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "string", "required": true}}}"#,
    r#"{"type": "object", "required": "a"}"#,
    r#"{"type": "object", "required": ["a", "a", 1]}"#,
    r#"{"type": "object", "properties": []}"#,
    r#"{"type": "object", "properties": {"a": "string"}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "str"}}}"#,
    r#"{"type": "object", "properties": {"a": {"enum": "b"}}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer", "exclusiveMinimum": true}}}"#,
    r##"{"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}"##,
    r#"{"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}}"#,
    r#"{"type": "object", "properties": {"a": {"anyOf": []}}}"#,
    r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}}"#,
];

#[test]
fn schemas_from_the_field() {
    let mut table = String::new();
    for schema in FROM_THE_FIELD {
        let document = Document::parse(schema.to_owned(), &Limits::default()).unwrap();
        let problems: Vec<String> = check(document.root())
            .into_iter()
            .map(|problem| format!("{:?}: {}", problem.fault, problem.message))
            .collect();
        writeln!(
            table,
            "{schema}\n  {}",
            if problems.is_empty() {
                "fine".to_owned()
            } else {
                problems.join("\n  ")
            }
        )
        .unwrap();
    }
    insta::assert_snapshot!(table, @r##"
    null
      Root: `inputSchema` is null, not an object
    true
      Root: `inputSchema` is true, not an object
    []
      Root: `inputSchema` is an array, not an object
    {}
      Root: the root of the schema has no `type: "object"`
    {"type": "string"}
      Root: the root's `type` is the string "string", not "object"
    {"type": ["object", "null"]}
      Root: the root's `type` is an array, not "object"
    {"anyOf": [{"type": "object"}]}
      Root: the root of the schema has `anyOf` but no `type: "object"`
    {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}
      Root: the root of the schema has `$ref` but no `type: "object"`
    {"type": "object", "properties": {"required": ["a"]}}
      Invalid: `required` stands inside `properties`, where it declares an argument called "required"
    {"type": "object", "properties": {"a": {"type": "string", "required": true}}}
      Invalid: `required` is true: a schema says `required` about its own properties, as a list of names
    {"type": "object", "required": "a"}
      Invalid: `required` is the string "a", not a list of names
    {"type": "object", "required": ["a", "a", 1]}
      Invalid: `required` lists `a` twice
      Invalid: `required` lists the number 1, not a name
    {"type": "object", "properties": []}
      Invalid: `properties` is an array, not an object of schemas
    {"type": "object", "properties": {"a": "string"}}
      Invalid: `a` in `properties` is the string "string", not a schema
    {"type": "object", "properties": {"a": {"type": "str"}}}
      Invalid: `type` is the string "str", which JSON Schema does not know
    {"type": "object", "properties": {"a": {"enum": "b"}}}
      Invalid: `enum` is the string "b", not an array
    {"type": "object", "properties": {"a": {"type": "integer", "exclusiveMinimum": true}}}
      Invalid: `exclusiveMinimum` is a boolean, as in draft-04; since draft-06 it is the bound itself
    {"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}
      Dangling: `$ref` points at `#/$defs/gone`, which is not there
    {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}}
      External: `$ref` points outside the schema, at `https://example.com/schema.json`
    {"type": "object", "properties": {"a": {"anyOf": []}}}
      Invalid: `anyOf` is an empty list
    {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {"minimum": 0, "exclusiveMinimum": true}}}
      fine
    "##);
}

#[test]
fn references_that_lead_somewhere_are_fine() {
    for schema in [
        r##"{"type": "object", "$defs": {"a/b": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/a~1b"}}}"##,
        r##"{"type": "object", "$defs": {"é": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/%C3%A9"}}}"##,
        r##"{"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}]}, "b": {"$ref": "#/properties/a/anyOf/0"}}}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#"}}}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#anchor"}}}"##,
        r##"{"type": "object", "$id": "https://example.com/a", "properties": {"a": {"$ref": "a#/properties"}}}"##,
    ] {
        let document = Document::parse(schema.to_owned(), &Limits::default()).unwrap();
        assert!(
            check(document.root()).is_empty(),
            "{schema}: {:?}",
            check(document.root())
        );
    }
}

#[test]
fn a_schema_full_of_faults_is_told_in_part() {
    let properties: Vec<String> = (0..500)
        .map(|number| format!(r#""a{number}": 1"#))
        .collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}}}"#,
        properties.join(",")
    );
    let document = Document::parse(schema, &Limits::default()).unwrap();
    assert_eq!(check(document.root()).len(), 8);
}

#[test]
fn a_broken_schema_in_a_report() {
    insta::assert_snapshot!(found_by("invalid-input-schema", r#"{"name": "a", "inputSchema": {"type": "object",
        "properties": {"path": {"type": "string"}, "required": ["path"]}}}"#), @r#"
    a: error invalid-input-schema: `required` stands inside `properties`, where it declares an argument called "required"
      at /0/inputSchema/properties/required
      | "required": ["path"] <- here [["path"]]
      help: write what JSON Schema allows here
    "#);
}
