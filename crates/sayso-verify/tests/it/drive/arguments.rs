//! Made-up arguments are always what the tool's input schema takes.

use proptest::prelude::*;
use sayso_core::json::{Document, Limits};
use sayso_verify::drive::{Made, calls_for};
use sayso_verify::fixture::Built;
use serde_json::{Value as Json, json};

use super::{built, made};

/// The calls made up for a tool with this schema, each held against it by the validator alone.
fn valid_calls(built: &Built, name: &str, schema: &Json) -> Vec<Json> {
    let definition = json!({ "name": name, "inputSchema": schema }).to_string();
    let tool = Document::parse(definition, &Limits::default()).unwrap();
    let Made::Calls(calls) = calls_for(tool.root(), built, 30) else {
        return Vec::new();
    };
    let validator = jsonschema::validator_for(schema).unwrap();
    let arguments = calls.iter().map(|call| {
        let arguments: Json = serde_json::from_str(&call.arguments).unwrap();
        assert!(validator.is_valid(&arguments), "{schema} {arguments}");
        arguments
    });
    arguments.collect()
}

/// Schemas that something fits.
fn fitting() -> BoxedStrategy<Json> {
    let patterns = [
        "^[a-z]+$",
        r"^v\d+\.\d+$",
        "^(add|remove)-[A-Z]{2}$",
        r"\.md$",
        "^[^/]+/[^/]+$",
        r"^[\w.-]{3,20}$",
    ];
    let scalar = prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "const": { "a": [1, null] } })),
        Just(json!({})),
        prop::sample::subsequence(vec![json!("a"), json!(2), Json::Null], 1..=3)
            .prop_map(|values| json!({ "enum": values })),
        prop::sample::select(patterns.to_vec())
            .prop_map(|pattern| json!({ "type": "string", "pattern": pattern })),
        (0..40_usize, 0..40_usize).prop_map(
            |(least, more)| json!({ "type": "string", "minLength": least, "maxLength": least + more })
        ),
        (1..12_usize).prop_map(
            |least| json!({ "type": "string", "pattern": "^[a-z]+-[0-9]+$", "minLength": least })
        ),
        (-50..50_i32, 0..50_i32).prop_map(
            |(least, more)| json!({ "type": "integer", "minimum": least, "maximum": least + more })
        ),
        (-50..50_i32, 1..9_i32).prop_map(
            |(least, of)| json!({ "type": "integer", "minimum": least, "multipleOf": of })
        ),
        (-9..9_i32).prop_map(|most| json!({ "type": "number", "exclusiveMaximum": most })),
        prop::sample::select(vec!["date-time", "date", "email", "ipv4", "uri"])
            .prop_map(|format| json!({ "type": "string", "format": format })),
        Just(json!({ "$ref": "#/$defs/shared" })),
    ];
    scalar
        .prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                (inner.clone(), 0..4_usize).prop_map(
                    |(items, least)| json!({ "type": "array", "items": items, "minItems": least })
                ),
                (0..6_usize).prop_map(
                    |least| json!({ "type": "array", "items": { "type": "string" },
                    "uniqueItems": true, "minItems": least })
                ),
                (0..6_usize).prop_map(
                    |least| json!({ "type": "array", "items": { "type": "integer" },
                    "uniqueItems": true, "minItems": least })
                ),
                object(inner.clone()),
                prop::collection::vec(inner.clone(), 1..3)
                    .prop_map(|choices| json!({ "anyOf": choices })),
                inner.clone().prop_map(
                    |other| json!({ "oneOf": [{ "type": "null" }, { "allOf": [other], "not": { "type": "null" } }] })
                ),
                inner.prop_map(|part| json!({ "allOf": [part, { "description": "a part" }] })),
            ]
        })
        .boxed()
}

fn object(of: impl Strategy<Value = Json> + Clone + 'static) -> impl Strategy<Value = Json> {
    let names = ["text", "count", "path", "mode", "new name"];
    let members = prop::collection::vec(
        (prop::sample::select(names.to_vec()), of, any::<bool>()),
        0..4,
    );
    (members, any::<bool>()).prop_map(|(members, open)| {
        let required: std::collections::BTreeSet<&str> = members
            .iter()
            .filter(|(_, _, required)| *required)
            .map(|(name, ..)| *name)
            .collect();
        let properties: serde_json::Map<String, Json> = members
            .iter()
            .map(|(name, schema, _)| ((*name).to_owned(), schema.clone()))
            .collect();
        json!({ "type": "object", "properties": properties, "required": required,
            "additionalProperties": open })
    })
}

/// Schemas that may contradict themselves.
fn any_schema() -> impl Strategy<Value = Json> {
    let odd = prop_oneof![
        3 => fitting(),
        1 => Just(json!(false)),
        1 => Just(json!({ "not": { "type": "string" } })),
        1 => Just(json!({ "type": "string", "pattern": "^(?!a)[a-c]+$" })),
        1 => Just(json!({ "type": "string", "pattern": "(?=x)y" })),
        1 => Just(json!({ "type": "array", "contains": { "const": 3 }, "minContains": 2 })),
        1 => Just(json!({ "type": "array", "prefixItems": [{ "const": 1 }], "items": false })),
        1 => Just(json!({ "type": "object", "minProperties": 2, "maxProperties": 2,
            "propertyNames": { "maxLength": 3 } })),
        1 => Just(json!({ "type": "object", "dependentRequired": { "path": ["count"] },
            "properties": { "path": {}, "count": { "type": "integer" } } })),
        1 => Just(json!({ "if": { "required": ["mode"] }, "then": { "required": ["count"] },
            "else": { "required": ["text"] }, "properties": { "mode": {}, "count": {}, "text": {} } })),
        1 => Just(json!({ "$ref": "#" })),
    ];
    let both = prop::collection::vec(odd.clone(), 2);
    prop_oneof![
        odd,
        both.clone().prop_map(|parts| json!({ "allOf": parts })),
        both.clone().prop_map(|parts| json!({ "oneOf": parts })),
        both.prop_map(|parts| json!({ "type": "object", "required": ["text"],
            "properties": { "text": parts[0], "mode": parts[1] } })),
    ]
}

fn rooted(mut schema: Json) -> Json {
    if let Some(members) = schema.as_object_mut() {
        members.insert(
            "$defs".to_owned(),
            json!({ "shared": { "type": "integer", "minimum": 3 } }),
        );
    }
    schema
}

#[test]
fn what_can_be_called_is() {
    let (_folder, built) = built("workspace");
    proptest!(ProptestConfig::with_cases(192), |(schema in object(fitting()))| {
        let schema = rooted(schema);
        let calls = valid_calls(&built, "act", &schema);
        prop_assert!(!calls.is_empty(), "{}", schema);
    });
}

#[test]
fn what_is_made_fits() {
    let (_folder, built) = built("workspace");
    proptest!(ProptestConfig::with_cases(192), |(schema in any_schema())| {
        valid_calls(&built, "act", &rooted(schema));
    });
}

#[test]
fn tools_of_the_example_are_called_with_what_they_take() {
    let (_folder, built) = built("workspace");
    let tools: Json =
        serde_json::from_str(include_str!("../../../../sayso/src/example/tools.json")).unwrap();
    let tools = tools.as_array().unwrap();
    let called = tools.iter().filter(|tool| {
        let name = tool["name"].as_str().unwrap();
        !valid_calls(&built, name, &tool["inputSchema"]).is_empty()
    });
    insta::assert_snapshot!(format!("{} of {}", called.count(), tools.len()), @"22 of 40");
}

/// The plain call of a tool with one argument.
fn plain(name: &str, schema: &str) -> String {
    let definition = format!(
        r#"{{"name":"act","inputSchema":{{"type":"object","required":["{name}"],"properties":{{"{name}":{schema}}}}}}}"#
    );
    made(&definition, 0)
}

#[test]
fn keywords_are_kept_to() {
    insta::assert_snapshot!(plain("version", r#"{"type":"string","pattern":"^v\\d+\\.\\d+$","minLength":8}"#), @r#"plain: {"version":"v00000.0"}"#);
    insta::assert_snapshot!(plain("file", r#"{"type":"string","pattern":"\\.json$"}"#), @r#"plain: {"file":"…/settings.json"}"#);
    insta::assert_snapshot!(plain("picture_path", r#"{"type":"string","pattern":"\\.png$"}"#), @r#"plain: {"picture_path":"…/made-up.png"}"#);
    insta::assert_snapshot!(plain("port", r#"{"type":"integer","minimum":1000,"multipleOf":7}"#), @r#"plain: {"port":1001}"#);
    insta::assert_snapshot!(plain("files", r#"{"type":"array","items":{"type":"string"},"uniqueItems":true,"minItems":3}"#), @r#"plain: {"files":["…/notes.md","…/copy-of-notes.md","…/build.log"]}"#);
    insta::assert_snapshot!(plain("size", r#"{"allOf":[{"type":"number","minimum":2},{"maximum":9},{"multipleOf":4}]}"#), @r#"plain: {"size":4.0}"#);
    insta::assert_snapshot!(plain("rows", r#"{"type":"array","items":{"type":"integer","minimum":3,"maximum":2}}"#), @r#"plain: {"rows":[]}"#);
    insta::assert_snapshot!(plain("when", r#"{"type":"string","format":"date"}"#), @r#"plain: {"when":"2024-01-01"}"#);
}

#[test]
fn what_no_value_fits_is_not_called() {
    insta::assert_snapshot!(plain("code", r#"{"type":"string","pattern":"(?=x)y"}"#), @"no value for the pattern `(?=x)y` of `code` was found");
    insta::assert_snapshot!(plain("size", r#"{"type":"integer","minimum":3,"maximum":2}"#), @"no value for `size` was found that fits its schema");
    insta::assert_snapshot!(plain("user_id", r#"{"type":"string","pattern":"^[0-9a-f]{24}$"}"#), @"nothing can be made up for `user_id`");
    insta::assert_snapshot!(plain("size", r#"{"$ref":"https://schemas.example/size.json"}"#), @"nothing can be held against its input schema: its `$ref` `https://schemas.example/size.json` leads out of it or to nothing, and nothing is fetched");
    insta::assert_snapshot!(plain("size", r#"{"type":"string","pattern":"("}"#), @r#"nothing can be held against its input schema: "(" is not a "regex""#);
}

#[test]
fn variants_try_much_first() {
    let tool = r#"{"name":"move","inputSchema":{"type":"object","required":["source","destination"],
        "properties":{"source":{"type":"string"},"destination":{"type":"string","minLength":1},
        "overwrite":{"type":["boolean","null"]},"mode":{"enum":["copy","link","move"]},
        "options":{"type":"object","properties":{"depth":{"type":"integer","enum":[1,2]}}},
        "tags":{"type":"array","items":{"anyOf":[{"const":"red"},{"const":"blue"}]}}}}}"#;
    insta::assert_snapshot!(made(tool, 6), @r#"
    plain: {"source":"…/notes.md","destination":"…/new-file.txt"}
    every argument given: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":false,"mode":"copy","options":{},"tags":["red"]}
    destination is there already: {"source":"…/notes.md","destination":"…/copy-of-notes.md"}
    mode = "copy": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"copy"}
    overwrite = true: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":true}
    source is there already: {"source":"…/copy-of-notes.md","destination":"…/new-file.txt"}
    source is empty: {"source":"","destination":"…/new-file.txt"}
    "#);
    insta::assert_snapshot!(made(tool, 100), @r#"
    plain: {"source":"…/notes.md","destination":"…/new-file.txt"}
    every argument given: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":false,"mode":"copy","options":{},"tags":["red"]}
    destination is there already: {"source":"…/notes.md","destination":"…/copy-of-notes.md"}
    mode = "copy": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"copy"}
    overwrite = true: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":true}
    source is there already: {"source":"…/copy-of-notes.md","destination":"…/new-file.txt"}
    source is empty: {"source":"","destination":"…/new-file.txt"}
    mode = "link": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"link"}
    overwrite = false: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":false}
    source is ignored by git: {"source":"…/build.log","destination":"…/new-file.txt"}
    mode = "move": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"move"}
    source leads out of the workspace: {"source":"…/way-out/not-yours.txt","destination":"…/new-file.txt"}
    tags is empty: {"source":"…/notes.md","destination":"…/new-file.txt","tags":[]}
    options.depth = 1: {"source":"…/notes.md","destination":"…/new-file.txt","options":{"depth":1}}
    source is not there: {"source":"…/new-file.txt","destination":"…/new-file.txt"}
    options.depth = 2: {"source":"…/notes.md","destination":"…/new-file.txt","options":{"depth":2}}
    destination is ignored by git: {"source":"…/notes.md","destination":"…/build.log"}
    tags[0] = "red": {"source":"…/notes.md","destination":"…/new-file.txt","tags":["red"]}
    destination leads out of the workspace: {"source":"…/notes.md","destination":"…/way-out/not-yours.txt"}
    tags[0] = "blue": {"source":"…/notes.md","destination":"…/new-file.txt","tags":["blue"]}
    "#);
    assert_eq!(made(tool, 100), made(tool, 100));
}
