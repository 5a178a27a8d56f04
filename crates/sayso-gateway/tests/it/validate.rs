//! Arguments: what fits goes on byte for byte, what does not is told so that a caller can mend it.

use std::path::Path;

use proptest::prelude::*;
use sayso_core::json::{Document, Limits};
use sayso_gateway::settings::{
    ArgumentSettings, Defaults, JournalSettings, ToolSettings, UnknownArguments,
};
use sayso_gateway::stages::validate::{Invalid, Judged, Validator};

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

fn compiled(schema: &str, settings: &ToolSettings) -> Validator {
    Validator::compile(schema, settings, &JournalSettings::default()).expect("a schema")
}

/// The arguments that are sent.
fn sent(validator: &Validator, arguments: &str) -> Result<String, Invalid> {
    let document = read(arguments);
    let judged = validator.check(Some(document.root()))?;
    let arguments = judged.arguments(Some(document.root())).unwrap();
    Ok(arguments.raw().to_owned())
}

/// Each problem on a line.
fn told(schema: &str, settings: &ToolSettings, arguments: &str) -> String {
    let invalid = sent(&compiled(schema, settings), arguments).expect_err("not valid");
    let lines: Vec<_> = invalid.problems().iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn plain(schema: &str, arguments: &str) -> String {
    told(schema, &ToolSettings::default(), arguments)
}

fn unusable(schema: &str) -> String {
    Validator::compile(
        schema,
        &ToolSettings::default(),
        &JournalSettings::default(),
    )
    .expect_err("not usable")
    .to_string()
}

fn only(values: &str) -> ToolSettings {
    let text = format!("arguments.index.one-of = {values}");
    toml::from_str(&text).expect("settings")
}

const SEARCH: &str = r#"{
    "type": "object",
    "properties": {
        "index": {"type": "string", "enum": ["wiki", "blog", "mail"]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        "query": {"type": "string", "minLength": 1, "maxLength": 20},
        "filter": {
            "type": "object",
            "properties": {
                "language": {"type": "string", "default": "en"},
                "year": {"type": ["integer", "null"]}
            },
            "additionalProperties": false
        },
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 2},
        "password": {"type": "string", "pattern": "^.{12,}$"}
    },
    "required": ["query"]
}"#;

#[test]
fn what_fits_goes_on_as_it_came() {
    let validator = compiled(SEARCH, &ToolSettings::default());
    for arguments in [
        r#"{ "query" : "caf\u00e9","limit":1.0e1 }"#,
        r#"{"query":"x","other":[12345678901234567890.10],"filter":{"year":null}}"#,
    ] {
        assert_eq!(sent(&validator, arguments).unwrap(), arguments);
    }
}

#[test]
fn none_are_an_empty_object_and_stay_none() {
    let schema = r#"{"type": "object", "properties": {"a": {"default": 1}}}"#;
    let validator = compiled(schema, &ToolSettings::default());
    let judged = validator.check(None).unwrap();
    assert!(judged.arguments(None).is_none());
    let with_required = compiled(SEARCH, &ToolSettings::default());
    let problem = with_required.check(None).unwrap_err().to_string();
    assert_eq!(problem, "`/query`: is missing");
}

#[test]
fn every_problem_names_the_argument_and_the_nearest_value() {
    insta::assert_snapshot!(
        plain(
            SEARCH,
            r#"{
                "index": "Wikis", "limit": 900, "filter": {"langauge": "de", "year": "2020"},
                "tags": ["a", "B", "c"]
            }"#
        ),
        @r#"
    `/query`: is missing
    `/index`: "Wikis" is not one of `"wiki"`, `"blog"`, `"mail"`; the nearest that is allowed: `"wiki"`
    `/limit`: 900 is more than 100; the nearest that is allowed: `100`
    `/filter/year`: "2020" is a string, not null or an integer
    `/filter/langauge`: is unknown; known here: `language`, `year`; the nearest that is allowed: `language`
    `/tags`: has more than 2 elements
    `/tags/1`: "B" does not match the pattern `^[a-z]+$`
    "#
    );
    insta::assert_snapshot!(
        plain(SEARCH, r#"{"query": "", "index": 7, "limit": 2.5, "tags": {}}"#),
        @r#"
    `/query`: "" is shorter than 1 character
    `/index`: 7 is a number, not a string
    `/index`: 7 is not one of `"wiki"`, `"blog"`, `"mail"`
    `/limit`: 2.5 is a number, not an integer
    `/tags`: is an object, not a list
    "#
    );
}

#[test]
fn a_secret_is_not_repeated() {
    let problem = plain(SEARCH, r#"{"query": "x", "password": "hunter2"}"#);
    assert_eq!(
        problem,
        "`/password`: the value does not match the pattern `^.{12,}$`"
    );
    let journal = JournalSettings {
        redact: vec!["Index".to_owned()],
        ..JournalSettings::default()
    };
    let validator = Validator::compile(SEARCH, &only("['wiki']"), &journal).unwrap();
    let problem = sent(&validator, r#"{"query": "x", "index": "hunter2"}"#).unwrap_err();
    assert!(!problem.to_string().contains("hunter2"), "{problem}");
}

#[test]
fn no_more_than_ten_problems_and_no_long_text() {
    let schema = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    let many: Vec<_> = (0..500).map(|at| format!("\"k{at}\": \"x\"")).collect();
    let problem = sent(
        &compiled(schema, &ToolSettings::default()),
        &format!("{{{}}}", many.join(",")),
    )
    .unwrap_err();
    assert_eq!(problem.problems().len(), 10);
    assert!(problem.to_string().ends_with("; and more"), "{problem}");
    let long = format!(
        "{{\"{}\": \"{}\"}}",
        "k".repeat(5000),
        "v\u{1b}".repeat(5000).escape_debug()
    );
    let problem = plain(schema, &long.replace("\\u{1b}", "\\u001b"));
    assert!(problem.len() < 700, "{problem}");
    assert!(!problem.contains('\u{1b}'), "{problem}");
}

#[test]
fn one_of_several_forms() {
    let schema = r#"{"type": "object", "properties": {
        "mode": {"anyOf": [{"const": "fast"}, {"const": "slow"}, {"type": "null"}]},
        "target": {"oneOf": [
            {"type": "string"},
            {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
            {"type": "object", "properties": {"url": {"type": "string"}, "port": {"type": "integer"}},
             "required": ["url", "port"]}
        ]}
    }}"#;
    insta::assert_snapshot!(
        plain(schema, r#"{"mode": "fats", "target": {"pth": "x"}}"#),
        @r#"
    `/mode`: "fats" is not one of `"fast"`, `"slow"`; the nearest that is allowed: `"fast"`
    `/target`: an object fits none of the 3 forms allowed
    `/target/path`: is missing
    "#
    );
}

#[test]
fn arguments_that_are_no_object() {
    let schema = r#"{"properties": {"a": {}}}"#;
    assert_eq!(
        plain(schema, "[1]"),
        "the arguments are an array, not an object"
    );
    assert_eq!(
        plain(schema, "null"),
        "the arguments are null, not an object"
    );
}

#[test]
fn defaults_are_written_in_and_judged() {
    let settings = ToolSettings {
        defaults: Defaults::Apply,
        ..ToolSettings::default()
    };
    let validator = compiled(SEARCH, &settings);
    assert_eq!(
        sent(&validator, r#"{"query": "x", "filter": { "year": 1.0e3 }}"#).unwrap(),
        r#"{"query": "x", "filter": { "year": 1.0e3,"language":"en" },"limit":10}"#
    );
    let full = r#"{"query":"x","limit":2,"filter":{"language":"de"}}"#;
    let document = read(full);
    assert!(matches!(
        validator.check(Some(document.root())),
        Ok(Judged::AsCame)
    ));
    let schema = r#"{"properties": {"a": {"type": "integer", "default": "one"}}}"#;
    assert_eq!(
        told(schema, &settings, "{}"),
        "`/a`: \"one\" is a string, not an integer"
    );
    let schema = r#"{"properties": {"a": {"default": 1}}}"#;
    let judged = compiled(schema, &settings).check(None).unwrap();
    assert_eq!(judged.arguments(None).unwrap().raw(), r#"{"a":1}"#);
}

#[test]
fn unknown_arguments_are_refused_where_that_is_set() {
    let settings = ToolSettings {
        unknown_arguments: UnknownArguments::Refuse,
        ..ToolSettings::default()
    };
    insta::assert_snapshot!(
        told(SEARCH, &settings, r#"{"qeury": "x", "query": "x"}"#),
        @"`/qeury`: is unknown; known here: `index`, `limit`, `query`, `filter`, `tags`, `password`; the nearest that is allowed: `query`"
    );
    let composed = r##"{"allOf": [{"$ref": "#/$defs/base"}], "properties": {"b": {}},
        "additionalProperties": true, "$defs": {"base": {"properties": {"a": {}}}}}"##;
    let validator = compiled(composed, &settings);
    assert!(sent(&validator, r#"{"a": 1, "b": 2}"#).is_ok());
    assert!(sent(&validator, r#"{"a": 1, "c": 2}"#).is_err());
    let draft_07 = r#"{"$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"b": {}}, "patternProperties": {"^x-": {}}}"#;
    let validator = compiled(draft_07, &settings);
    assert!(sent(&validator, r#"{"b": 1, "x-c": 2}"#).is_ok());
    assert!(sent(&validator, r#"{"b": 1, "c": 2}"#).is_err());
}

#[test]
fn the_dialect_is_that_of_the_schema() {
    // `items` as a list is a tuple in draft-07, and not a schema in 2020-12.
    let list = r#""properties": {"a": {"items": [{"type": "string"}]}}"#;
    let draft_07 = format!(r#"{{"$schema": "http://json-schema.org/draft-07/schema#", {list}}}"#);
    insta::assert_snapshot!(plain(&draft_07, r#"{"a": [1]}"#), @"`/a/0`: 1 is a number, not a string");
    insta::assert_snapshot!(unusable(&format!("{{{list}}}")), @"`/properties/a/items`: is a list, not a boolean or an object");
}

#[test]
fn a_schema_that_cannot_be_used_is_said_to_be() {
    insta::assert_snapshot!(unusable("true"), @"it is no object");
    insta::assert_snapshot!(unusable(r#"{"type": "object", "type": "string"}"#), @"it has the key `type` more than once");
    insta::assert_snapshot!(unusable(r#"{"properties": {"a": {"type": "strnig"}}}"#), @r#"`/properties/a/type`: "strnig" is not one of `"array"`, `"boolean"`, `"integer"`, `"null"`, `"number"`, `"object"`, `"string"`; the nearest that is allowed: `"string"`"#);
    insta::assert_snapshot!(unusable(r#"{"properties": {"a": {"pattern": "("}}}"#), @"`/properties/a/pattern`: a pattern that cannot be used");
    insta::assert_snapshot!(unusable(r#"{"$schema": "https://example.com/mine"}"#), @r#"its `$schema` "https://example.com/mine" is no dialect known here; known are 2020-12, 2019-09, draft-07, draft-06 and draft-04"#);
    let https = r#"{"$schema": "https://json-schema.org/draft-07/schema#"}"#;
    assert!(sent(&compiled(https, &ToolSettings::default()), "{}").is_ok());
    insta::assert_snapshot!(unusable(r#"{"$ref": "https://127.0.0.1:1/schema.json"}"#), @"its `$ref` `https://127.0.0.1:1/schema.json` leads out of it or to nothing, and nothing is fetched");
    insta::assert_snapshot!(unusable(r#"{"properties": {"a": {"$ref": "file:///etc/hosts"}}}"#), @"its `$ref` `file:///etc/hosts` leads out of it or to nothing, and nothing is fetched");
    insta::assert_snapshot!(unusable(r##"{"properties": {"a": {"$ref": "#/$defs/none"}}}"##), @"its `$ref` `#/$defs/none` leads out of it or to nothing, and nothing is fetched");
    insta::assert_snapshot!(unusable(r##"{"allOf": [{"$ref": "#"}]}"##), @"one of its references leads back to itself");
    let deep = format!(
        "{}{}",
        r#"{"not":"#.repeat(70),
        "{}".to_owned() + &"}".repeat(70)
    );
    insta::assert_snapshot!(unusable(&deep), @"it cannot be read: more than the allowed 64 levels of nesting at byte 448");
    let size = r#"{"properties": {"a": {"pattern": "^(((a{1,100}){1,100}){1,100})$"}}}"#;
    insta::assert_snapshot!(unusable(size), @"`/properties/a/pattern`: a pattern that cannot be used");
}

#[test]
fn a_schema_that_multiplies_is_refused() {
    let steps: Vec<_> = (0..30)
        .map(|at| {
            let next = format!("{{\"$ref\": \"#/$defs/a{}\"}}", at + 1);
            format!("\"a{at}\": {{\"allOf\": [{next}, {next}]}}")
        })
        .collect();
    let schema = format!(
        "{{\"$ref\": \"#/$defs/a0\", \"$defs\": {{{}, \"a30\": {{}}}}}}",
        steps.join(",")
    );
    insta::assert_snapshot!(unusable(&schema), @"its references multiply: one value would be held against more than 4096 subschemas");
}

#[test]
fn a_check_that_goes_on_for_too_long_is_broken_off() {
    // Each level is looked at twice as often as the one above it.
    let schema = r##"{"type": "object", "allOf": [
        {"properties": {"x": {"$ref": "#"}}}, {"properties": {"x": {"$ref": "#"}}}]}"##;
    let deep = |end: &str| format!("{}{end}{}", "{\"x\":".repeat(100), "}".repeat(100));
    let validator = compiled(schema, &ToolSettings::default());
    assert!(sent(&validator, &deep("{}")).is_ok());
    assert_eq!(plain(schema, &deep("1")), "does not fit the schema");
    let backtracking = r#"{"properties": {"a": {"pattern": "^(?=a)(a|aa)+\\1?$(?!b)"}}}"#;
    let long = format!("{{\"a\": \"{}!\"}}", "a".repeat(60));
    assert!(sent(&compiled(backtracking, &ToolSettings::default()), &long).is_err());
}

#[test]
fn a_number_too_large_to_compare() {
    let schema = r#"{"properties": {"a": {"maximum": 10}}}"#;
    assert_eq!(
        plain(schema, r#"{"a": 1e400}"#),
        "cannot be held against the schema: it holds a number that is too large"
    );
}

#[test]
fn only_listed_values() {
    let settings = only("['wiki', 'blog', 7, 2.5]");
    let schema = r#"{"type": "object"}"#;
    let validator = compiled(schema, &settings);
    for fits in [
        "{}",
        r#"{"index": "w\u0069ki"}"#,
        r#"{"index": 7.0}"#,
        r#"{"index": ["blog", "wiki"]}"#,
        r#"{"index": []}"#,
    ] {
        assert_eq!(sent(&validator, fits).unwrap(), fits);
    }
    insta::assert_snapshot!(told(schema, &settings, r#"{"index": "wikis"}"#), @r#"`/index`: "wikis" is not one of `"wiki"`, `"blog"`, `7`, `2.5`; the nearest that is allowed: `"wiki"`"#);
    insta::assert_snapshot!(told(schema, &settings, r#"{"index": 8}"#), @r#"`/index`: 8 is not one of `"wiki"`, `"blog"`, `7`, `2.5`; the nearest that is allowed: `7`"#);
    insta::assert_snapshot!(told(schema, &settings, r#"{"index": null}"#), @r#"`/index`: null is not one of `"wiki"`, `"blog"`, `7`, `2.5`"#);
    insta::assert_snapshot!(told(schema, &settings, r#"{"index": {"any": "thing"}}"#), @r#"`/index`: an object is not one of `"wiki"`, `"blog"`, `7`, `2.5`"#);
    insta::assert_snapshot!(told(schema, &settings, r#"{"index": ["wiki", "Blog"]}"#), @r#"`/index/1`: "Blog" is not one of `"wiki"`, `"blog"`, `7`, `2.5`; the nearest that is allowed: `"blog"`"#);
    let invalid = sent(&validator, r#"{"index": 8}"#).unwrap_err();
    assert!(invalid.is_restriction());
    let both = told(SEARCH, &settings, r#"{"index": "news"}"#);
    insta::assert_snapshot!(both, @r#"
    `/query`: is missing
    `/index`: "news" is not one of `"wiki"`, `"blog"`, `"mail"`
    `/index`: "news" is not one of `"wiki"`, `"blog"`, `7`, `2.5`
    "#);
    let invalid = sent(&compiled(SEARCH, &settings), r#"{"index": "news"}"#).unwrap_err();
    assert!(!invalid.is_restriction());
}

fn under(folder: &Path) -> ToolSettings {
    let mut settings = ToolSettings::default();
    let argument = ArgumentSettings {
        under: Some(folder.to_owned()),
        ..ArgumentSettings::default()
    };
    settings.arguments.insert("path".to_owned(), argument);
    settings
}

#[test]
fn only_paths_below_a_folder() {
    let settings = under(Path::new("/srv/data"));
    let validator = compiled("{}", &settings);
    for fits in [
        r#"{"path": "/srv/data"}"#,
        r#"{"path": "/srv//data/./a b"}"#,
        r#"{"path": ["/srv/data/x"]}"#,
        r#"{"path": null}"#,
    ] {
        assert!(sent(&validator, fits).is_ok(), "{fits}");
    }
    let told = |path: &str| told("{}", &settings, &format!("{{\"path\": {path}}}"));
    insta::assert_snapshot!(told(r#""/srv/database/x""#), @r#"`/path`: "/srv/database/x" is somewhere else; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told(r#""/srv/data/../x""#), @r#"`/path`: "/srv/data/../x" has `..` or `\` in it; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told(r#""/srv/data/a\\..\\..\\x""#), @r#"`/path`: "/srv/data/a\\..\\..\\x" has `..` or `\` in it; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told(r#""data/x""#), @r#"`/path`: "data/x" is not a whole path, and what it counts from is not known here; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told(r#""file:///srv/data/x""#), @r#"`/path`: "file:///srv/data/x" is not a whole path, and what it counts from is not known here; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told(r#""/srv/data/x\u0000""#), @r#"`/path`: "/srv/data/x\u0000" has a NUL character in it; allowed are paths under `/srv/data`"#);
    insta::assert_snapshot!(told("5"), @"`/path`: 5 is no path; allowed are paths under `/srv/data`");
    insta::assert_snapshot!(told(r#"["/srv/data/x", "/etc"]"#), @r#"`/path/1`: "/etc" is somewhere else; allowed are paths under `/srv/data`"#);
}

#[cfg(unix)]
#[test]
fn a_link_counts_as_where_it_leads() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("inside")).unwrap();
    std::fs::create_dir(folder.path().join("outside")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("outside"), root.join("out")).unwrap();
    std::os::unix::fs::symlink(root.join("inside"), root.join("in")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("nothing"), root.join("dangling")).unwrap();
    let validator = compiled("{}", &under(&root)).on_this_machine();
    let fits = |path: &str| {
        let arguments = serde_json::json!({"path": root.join(path)}).to_string();
        sent(&validator, &arguments).is_ok()
    };
    assert!(fits("inside/new/file"));
    assert!(fits("in/new"));
    assert!(!fits("out"));
    assert!(!fits("out/new"));
    assert!(!fits("dangling"));
    assert!(!fits("dangling/x"));
}

proptest! {
    /// The validator that reads in place says what the one that reads a copy says.
    #[test]
    fn reading_in_place_changes_nothing(schema in schema(3), value in value(3)) {
        let text = schema.to_string();
        let compiled = Validator::compile(&text, &ToolSettings::default(), &JournalSettings::default());
        let other = jsonschema::validator_for(&schema);
        prop_assert_eq!(compiled.is_ok(), other.is_ok(), "{}", text);
        if let (Ok(validator), Ok(other)) = (compiled, other) {
            let arguments = serde_json::json!({"a": value});
            let fits = sent(&validator, &arguments.to_string());
            prop_assert_eq!(fits.is_ok(), other.is_valid(&arguments), "{} {} {:?}", text, arguments, fits);
        }
    }

    #[test]
    fn nothing_panics(schema in ".{0,80}", arguments in value(3)) {
        let _ = Validator::compile(&schema, &ToolSettings::default(), &JournalSettings::default());
        let validator = compiled(SEARCH, &under(Path::new("/srv")));
        let _ = sent(&validator, &arguments.to_string());
    }
}

fn value(depth: u32) -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-3_i64..12).prop_map(Into::into),
        prop_oneof![Just(0.0), Just(1.0), Just(2.5), Just(1e30)].prop_map(Into::into),
        "[abé\"]{0,3}".prop_map(Into::into),
    ];
    leaf.prop_recursive(depth, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-c]", inner, 0..3).prop_map(|members| members
                .into_iter()
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

fn schema(depth: u32) -> impl Strategy<Value = serde_json::Value> {
    use serde_json::json;
    let kinds = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ];
    let leaf = prop_oneof![
        prop::sample::select(kinds.to_vec()).prop_map(|kind| json!({"type": kind})),
        prop::collection::vec(value(1), 1..4).prop_map(|values| json!({"enum": values})),
        value(2).prop_map(|value| json!({"const": value})),
        (-2_i64..9).prop_map(|limit| json!({"minimum": limit})),
        (-2_i64..9).prop_map(|limit| json!({"exclusiveMaximum": limit})),
        Just(json!({"multipleOf": 0.5})),
        (0_u32..3).prop_map(|limit| json!({"minLength": limit, "maxItems": limit})),
        Just(json!({"uniqueItems": true})),
        Just(json!({"pattern": "^a"})),
        Just(json!({"required": ["a"]})),
        Just(json!(false)),
    ];
    let inner = leaf.prop_recursive(depth, 24, 3, |inner| {
        prop_oneof![
            prop::collection::btree_map("[a-c]", inner.clone(), 1..3)
                .prop_map(|named| json!({"properties": named, "additionalProperties": false})),
            inner.clone().prop_map(|items| json!({"items": items})),
            inner.clone().prop_map(|items| json!({"contains": items})),
            inner
                .clone()
                .prop_map(|names| json!({"propertyNames": names})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"oneOf": all})),
            inner.clone().prop_map(|not| json!({"not": not})),
            (inner.clone(), inner).prop_map(|(test, then)| json!({"if": test, "then": then})),
        ]
    });
    inner.prop_map(|inner| json!({"properties": {"a": inner}}))
}
