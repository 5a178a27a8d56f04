//! The formats of a report, as the program writes them.

use serde_json::Value;

use crate::sayso::Sayso;

const TOOLS: &str = r#"{"tools": [
  {"name": "read_note", "description": "Reads a note.", "inputSchema": {"type": "object"}},
  {"name": "drop\u202enote", "description": "Deletes a note for ever. <script>alert(1)</script>",
   "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": null}}
]}"#;

fn audit(format: &str) -> String {
    let ran = Sayso::new("audit notes.json --fail-on never --format")
        .argument(format)
        .file("notes.json", TOOLS)
        .run();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran}");
    ran.stdout
}

#[test]
fn json_holds_to_the_published_schema() {
    let report: Value = serde_json::from_str(&audit("json")).unwrap();
    let schema = include_str!("../../../../docs/reference/report-v1.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(validator.is_valid(&report), "{report:#}");
    let tools = &report["targets"][0]["listing"]["tools"];
    assert_eq!(tools[0]["claims"]["readOnlyHint"], "absent");
    assert_eq!(tools[1]["claims"]["openWorldHint"], "null");
    assert_eq!(tools[1]["name"], "drop\u{202e}note");
}

#[test]
fn sarif_points_into_the_saved_file() {
    let log: Value = serde_json::from_str(&audit("sarif")).unwrap();
    let schema = include_str!("../../schemas/sarif-2.1.0-subset.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    assert!(validator.is_valid(&log), "{log:#}");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        // Every rule that speaks is one that is documented in the log.
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result:#}"
        );
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "notes.json");
        let region = &place["region"];
        let number = |key: &str| usize::try_from(region[key].as_u64().unwrap()).unwrap();
        assert!(number("byteOffset") + number("byteLength") <= TOOLS.len());
    }
}

#[test]
fn the_same_run_in_the_other_formats() {
    let junit = quick_junit::Report::deserialize_from_str(&audit("junit")).unwrap();
    let cases: Vec<&str> = junit
        .test_suites
        .iter()
        .flat_map(|suite| &suite.test_cases)
        .map(|case| case.name.as_str())
        .collect();
    assert_eq!(cases, ["tools/list", "read_note", "drop\\u{202e}note"]);

    assert!(audit("github").contains("file=notes.json,line=2,"));
    assert!(audit("markdown").starts_with("## sayso audit: passed\n"));

    let page = audit("html");
    assert!(page.starts_with("<!doctype html>"));
    assert!(!page.contains("<script>alert"));
}

#[test]
fn colour_is_there_when_it_is_asked_for_and_only_then() {
    let colored = |arguments: &str| {
        let ran = Sayso::new(arguments).file("notes.json", TOOLS).run();
        ran.stdout.contains('\u{1b}')
    };
    assert!(!colored("audit notes.json"));
    assert!(colored("audit notes.json --color always"));
}
