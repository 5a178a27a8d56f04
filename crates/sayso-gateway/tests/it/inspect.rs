//! Results: what does not fit the output schema passes, is told, or is stopped, as set.

use sayso_core::json::{Document, Limits};
use sayso_gateway::settings::{JournalSettings, Results};
use sayso_gateway::stages::inspect::{Inspected, Inspector};

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}"#;

fn inspected(schema: Option<&str>, results: Results, result: &str) -> Inspected {
    let inspector =
        Inspector::compile(schema, results, &JournalSettings::default()).expect("a schema");
    let result = Document::parse(result.to_owned(), &Limits::default()).expect("valid JSON");
    inspector.inspect(result.root())
}

fn failure(result: &str) -> String {
    match inspected(Some(SCHEMA), Results::Strict, result) {
        Inspected::Fails(invalid) => invalid.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_fits_passes() {
    for results in [Results::Off, Results::Warn, Results::Strict] {
        let fits = r#"{"content": [], "structuredContent": {"count": 1}}"#;
        assert_eq!(inspected(Some(SCHEMA), results, fits), Inspected::Passes);
        assert_eq!(inspected(None, results, "{}"), Inspected::Passes);
    }
}

#[test]
fn what_does_not_fit_is_stopped_told_or_passed() {
    let result = r#"{"content": [], "structuredContent": {"count": "one"}}"#;
    insta::assert_snapshot!(failure(result), @r#"`/count`: "one" is a string, not an integer"#);
    insta::assert_snapshot!(failure(r#"{"content": []}"#), @"`structuredContent` is missing, and the tool has an output schema");
    insta::assert_snapshot!(failure(r#"{"structuredContent": null}"#), @"is null, not an object");
    assert!(matches!(
        inspected(Some(SCHEMA), Results::Warn, result),
        Inspected::Warns(_)
    ));
    assert_eq!(
        inspected(Some(SCHEMA), Results::Off, result),
        Inspected::Passes
    );
}

#[test]
fn what_is_no_result_of_the_tool_is_not_checked() {
    for other in [
        r#"{"content": [], "isError": true}"#,
        r#"{"resultType": "input_required", "inputRequests": {}}"#,
        r#"{"task": {"taskId": "t", "status": "working"}}"#,
    ] {
        assert_eq!(
            inspected(Some(SCHEMA), Results::Strict, other),
            Inspected::Passes
        );
    }
    for disguised in [
        r#"{"content": [], "isError": false}"#,
        r#"{"content": [], "isError": "true"}"#,
        r#"{"content": [], "resultType": "complete"}"#,
        r#"{"content": [], "task": {}}"#,
    ] {
        failure(disguised);
    }
}

#[test]
fn an_output_schema_that_cannot_be_used() {
    let schema = r#"{"type": "nonsense"}"#;
    let refused = Inspector::compile(Some(schema), Results::Strict, &JournalSettings::default());
    insta::assert_snapshot!(refused.unwrap_err(), @r#"`/type`: "nonsense" is not one of `"array"`, `"boolean"`, `"integer"`, `"null"`, `"number"`, `"object"`, `"string"`"#);
    let Inspected::Warns(told) = inspected(Some(schema), Results::Warn, "{}") else {
        panic!("passes in silence");
    };
    insta::assert_snapshot!(told, @r#"cannot be checked: of the output schema, `/type`: "nonsense" is not one of `"array"`, `"boolean"`, `"integer"`, `"null"`, `"number"`, `"object"`, `"string"`"#);
    assert_eq!(
        inspected(Some(schema), Results::Off, "{}"),
        Inspected::Passes
    );
}

/// Schema and result are both the server's: they must not keep the gate busy.
#[test]
fn a_result_that_multiplies_comes_to_an_end() {
    let schema = r##"{"type": "object", "allOf": [
        {"properties": {"x": {"$ref": "#"}}}, {"properties": {"x": {"$ref": "#"}}}]}"##;
    let content = format!("{}1{}", "{\"x\":".repeat(100), "}".repeat(100));
    let result = format!("{{\"structuredContent\": {content}}}");
    assert!(matches!(
        inspected(Some(schema), Results::Strict, &result),
        Inspected::Fails(_)
    ));
}
