//! Each exit code, and how they rank.

use crate::sayso::Sayso;

const CLEAN: &str = r#"[{"name": "list_files", "title": "List files", "description": "Lists the files of a directory.", "inputSchema": {"type": "object"}, "annotations": {"title": "List files", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}}]"#;
const BARE: &str = r#"[{"name": "list_files", "title": "List files", "description": "Lists the files of a directory.", "inputSchema": {"type": "object"}}]"#;

fn run(arguments: &str) -> Option<i32> {
    Sayso::new(arguments)
        .file("clean.json", CLEAN)
        .file("bare.json", BARE)
        .file("broken.json", "{")
        .run()
        .code
}

#[test]
fn clean_is_0() {
    assert_eq!(run("audit clean.json --fail-on info"), Some(0));
}

#[test]
fn findings_at_or_above_the_threshold_are_1() {
    assert_eq!(run("audit bare.json --fail-on warning"), Some(1));
    assert_eq!(run("audit bare.json --fail-on error"), Some(0));
    assert_eq!(run("audit bare.json"), Some(0));
    assert_eq!(run("audit bare.json --fail-on never"), Some(0));
}

#[test]
fn wrong_usage_is_2() {
    assert_eq!(run("audit --no-such-option"), Some(2));
    assert_eq!(run("audit broken.json --baseline none.json"), Some(2));
}

#[test]
fn an_unreadable_target_is_3_and_hides_no_other() {
    let sayso = Sayso::new("audit broken.json bare.json --fail-on warning")
        .file("bare.json", BARE)
        .file("broken.json", "{");
    let ran = sayso.run();
    assert_eq!(ran.code, Some(3));
    assert!(ran.stdout.contains("missing-annotations"), "{ran}");
    assert!(ran.stdout.contains("broken.json"), "{ran}");
    assert_eq!(run("audit broken.json --fail-on never"), Some(3));
}

#[test]
fn claiming_less_risk_than_the_baseline_is_1() {
    let relaxed = CLEAN.replace(
        "\"readOnlyHint\": true, \"destructiveHint\": false",
        "\"readOnlyHint\": false, \"destructiveHint\": false",
    );
    let cautious = CLEAN.replace(
        "\"readOnlyHint\": true, \"destructiveHint\": false",
        "\"readOnlyHint\": false, \"destructiveHint\": true",
    );
    let compare = |now: &str, before: &str| {
        Sayso::new("audit now.json --baseline before.json")
            .file("now.json", now)
            .file("before.json", before)
            .run()
    };
    assert_eq!(compare(&relaxed, &relaxed).code, Some(0));
    let ran = compare(&relaxed, &cautious);
    assert_eq!(ran.code, Some(1), "{ran}");
    let ran = compare(&cautious, &relaxed);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn the_report_goes_to_the_file_it_is_asked_into() {
    let sayso =
        Sayso::new("audit bare.json --output report.json --format json").file("bare.json", BARE);
    let ran = sayso.run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    let report = std::fs::read_to_string(sayso.directory().join("report.json")).unwrap();
    serde_json::from_str::<serde_json::Value>(&report).unwrap();
}

#[test]
fn an_incomplete_listing_is_never_clean() {
    let run = |arguments: &str, settings: &str| {
        Sayso::new(arguments)
            .file("cut.json", r#"{"tools": [], "nextCursor": "p2"}"#)
            .file("sayso.toml", settings)
            .run()
    };
    assert_eq!(run("audit cut.json", "").code, Some(3));
    assert_eq!(run("audit cut.json --fail-on never", "").code, Some(3));
    let off = "[audit.rules]\nincomplete-listing = \"off\"\n";
    let ran = run("audit cut.json", off);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.stdout
            .contains("incomplete: the listing could not be read to its end"),
        "{ran}"
    );
}
