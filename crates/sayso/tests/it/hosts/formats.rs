//! The report for programs, as a comment and as a page.

use serde_json::Value;

use super::{FIX, Sayso, hosts};

const NOTES: &str = r#"[
  {"name": "read_note", "annotations": {"readOnlyHint": true, "title": "Read <it>"}},
  {"name": "drop|note", "annotations": {"readOnlyHint": "yes"}},
  {"annotations": null}
]"#;

fn json(sayso: &Sayso) -> Value {
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema = include_str!("../../../../../docs/reference/hosts-report-v1.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    report
}

#[test]
fn json_holds_to_the_published_schema() {
    for arguments in [
        "notes.json --format json --mode all",
        "notes.json --format json --with hints.json --ruling hints.json",
        "notes.json --format json --tool read_note",
        "--list --format json",
    ] {
        let sayso = hosts(arguments)
            .file("notes.json", NOTES)
            .file("hints.json", r#"{"read_note": {"readOnlyHint": false}}"#);
        json(&sayso);
    }
}

#[test]
fn a_cell_names_the_rule_that_decides() {
    let sayso = hosts(
        "notes.json --format json --host documented-defaults --with hints.json --ruling hints.json",
    )
    .file("notes.json", NOTES)
    .file("hints.json", r#"{"read_note": {"readOnlyHint": false}}"#);
    let report = json(&sayso);
    let tool = &report["targets"][0]["listing"]["tools"][0];
    insta::assert_snapshot!(serde_json::to_string_pretty(&tool["cells"]).unwrap(), @r#"
    [
      {
        "column": "documented-defaults",
        "outcome": "allow",
        "rule": 1,
        "after": {
          "outcome": "ask-every",
          "rule": 3,
          "change": "new-prompt",
          "gating": "right"
        },
        "gating": "under"
      }
    ]
    "#);
    let rules = &report["hosts"][0]["modes"][0]["rules"];
    assert_eq!(rules[0]["when"], "readOnlyHint is true");
    assert_eq!(rules[2]["then"], tool["cells"][0]["after"]["outcome"]);
}

#[test]
fn a_comment_with_the_matrix_and_what_changes() {
    let sayso = hosts(
        "notes.json --format markdown --host documented-defaults --host zed --with hints.json",
    )
    .file("notes.json", NOTES)
    .file("hints.json", r#"{"drop|note": {"readOnlyHint": true}}"#);
    insta::assert_snapshot!(sayso.run().stdout, @r"
    ## sayso hosts: what 1 host do

    ### notes.json

    saved listing: notes.json

    Before, of 1 host: 0 with silent calls that may destroy, 0 that ask, 0 that refuse or hide a tool, 1 that lose the whole listing.

    After, of 1 host: 0 with silent calls that may destroy, 1 that ask, 0 that refuse or hide a tool, 0 that lose the whole listing.

    Over all hosts and tools: 0 prompts go away, 3 prompts appear; 0 new silent runs, 0 of them of tools that may destroy.

    | | documented-defaults | zed |
    |---|---|---|
    | `read_note` | allow | **lost → ask** |
    | `drop\|note` | **ask-every → allow** | **lost → ask** |
    | `#3` | ask-every | **lost → ask** |

    - **documented-defaults**: no real host: the documented defaults, acted on to the letter: documented-defaults. gate rate 67 % → 33 % (2 → 1 of 3); 1 → 2 run silently, 0 of which may destroy
    - **zed**: 1 host: zed. gate rate 0 % → 100 % (0 → 3 of 3); loses the whole listing now (over `drop|note`: `annotations.readOnlyHint` is a string), and reads it then

    <sub>sayso 0.1.0. `sayso hosts --tool NAME` says why each host does what it does.</sub>
    ");
    let why = hosts("notes.json --format markdown --host documented-defaults --tool read_note")
        .file("notes.json", NOTES);
    insta::assert_snapshot!(why.run().stdout, @r"
    ## sayso hosts: what 0 hosts do

    ### notes.json

    saved listing: notes.json

    #### read\_note

    readOnlyHint true (claimed), openWorldHint true (default)  
    by the documented defaults clients may run it without asking, and may repeat it after a time-out  

    | host | what happens | because | what it sees | known |
    |---|---|---|---|---|
    | `documented-defaults` | allow | allow by rule 1 of 3: readOnlyHint is true. `destructiveHint` and `idempotentHint` say nothing about a tool that only reads. | parser Only real booleans count: sees readOnlyHint true | known from its documentation, read 2026-11-30, version 2026-07-28 |

    <details><summary>Sources</summary>



    </details>

    <sub>sayso 0.1.0. `sayso hosts --tool NAME` says why each host does what it does.</sub>
    ");
}

#[test]
fn a_comment_fits_where_it_goes() {
    let many: Vec<Value> = (0..2000)
        .map(|number| serde_json::json!({"name": format!("tool_{number}"), "annotations": {"readOnlyHint": number % 2 == 0}}))
        .collect();
    let ran = hosts("many.json --format markdown --mode all")
        .file("many.json", serde_json::to_string(&many).unwrap())
        .run();
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.chars().count() <= 60_000);
    assert!(ran.stdout.contains("**Cut to fit a comment:**"));
}

#[test]
fn a_page_that_needs_nothing_else() {
    let sayso = hosts("notes.json fixed.json --format html --with fix.json --output page.html")
        .file("notes.json", NOTES)
        .file(
            "fixed.json",
            r#"[{"name": "profile_fetch"}, {"name": "invite_send"}]"#,
        )
        .file("fix.json", FIX);
    let ran = sayso.run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran}");
    let page = std::fs::read_to_string(sayso.directory().join("page.html")).unwrap();
    for outside in ["src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("Read &#60;it&#62;"));
    // The whole matrix is there without the script: a row a tool, a cell a host.
    let matrices: Vec<&str> = page
        .split("<table class=\"matrix every\">")
        .skip(1)
        .collect();
    assert_eq!(matrices.len(), 2);
    for (matrix, tools) in matrices.iter().zip([3, 2]) {
        let matrix = matrix.split("</table>").next().unwrap();
        let heads = matrix.matches("<th class=\"host").count();
        assert!(heads > 40);
        assert_eq!(matrix.matches("<td class=").count(), heads * tools);
    }
    assert!(page.contains("<td class=\"allow changed\">ask → allow</td>"));
}
