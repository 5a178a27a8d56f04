//! `sayso fix`, and `--source` of `sayso audit`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::real_servers::{installed, npm, python};
use crate::sayso::{Ran, Sayso};

/// The source trees that the tests edit.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/source")
        .join(name)
}

/// What an honest fix gives each of the forty tools.
const ANNOTATIONS: &str = include_str!("../../src/example/annotations.json");

/// The program in a place with a copy of a source tree.
fn with_source(name: &str, arguments: &str) -> Sayso {
    let sayso = Sayso::new(arguments).file("annotations.json", ANNOTATIONS);
    // A tree with hints of its own brings them.
    copy(&fixture(name), &sayso.directory());
    sayso
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == "__pycache__" => {}
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn edit(sayso: &Sayso, file: &str, changes: &[(&str, &str)]) {
    let path = sayso.directory().join(file);
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    std::fs::write(path, text).unwrap();
}

/// Three tools, in a file each way round.
const NOTES: &str = r#"server.registerTool(
  "note_list",
  { description: "List notes", inputSchema: {} },
  list,
);
server.registerTool("note_remove", {
  description: "Remove a note",
  annotations: { readOnlyHint: true },
}, remove);
server.registerTool(`${prefix}_find`, {}, find);
"#;

const LISTING: &str = r#"{"tools": [
  {"name": "note_list", "description": "List notes", "inputSchema": {"type": "object"}},
  {"name": "note_remove", "description": "Remove a note", "inputSchema": {"type": "object"},
   "annotations": {"readOnlyHint": true}},
  {"name": "note_find", "inputSchema": {"type": "object"}}
]}"#;

const HINTS: &str = "[note_list]\nreadOnlyHint = true\nopenWorldHint = false\n\n[note_remove]\nreadOnlyHint = false\n";

fn notes(arguments: &str) -> Sayso {
    Sayso::new(arguments)
        .file("src/notes.ts", NOTES)
        .file(
            "src/notes.test.ts",
            "server.registerTool('made_up', {}, run);",
        )
        .file(
            "src/node_modules/of_others/index.js",
            "server.registerTool('theirs', {}, run);",
        )
        .file(
            "src/generated.js",
            "server.registerTool('generated', {}, run);",
        )
        .file(".gitignore", "generated.js\n")
        .file("tools.json", LISTING)
        .file("hints.toml", HINTS)
}

#[test]
fn what_there_is_beside_what_is_listed() {
    insta::assert_snapshot!(notes("fix --verbose --source src tools.json").shown(), @"
    exit code: 0
    ----- stdout
    src
    read: 1 file (1 TypeScript); skipped: node_modules; 1 test file left out; hidden folders and what
      .gitignore names are not looked into
    3 registrations: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0
      src/notes.ts:2:3 note_list: no annotations
      src/notes.ts:6:21 note_remove: readOnlyHint true
      src/notes.ts:10:21 `${prefix}_find`: no annotations

    tools.json
    saved listing: tools.json
    3 tools: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0
    found in the source: 2 of 3
    not found: note_find (nearest: note_list)
    named when the server runs: `${prefix}_find` (src/notes.ts:10)
    ");
}

#[test]
fn a_patch_goes_to_standard_output_alone() {
    let sayso = notes("fix --source src --rulings hints.toml --diff");
    let ran = sayso.run();
    insta::assert_snapshot!(ran.to_string(), @r#"
    exit code: 1
    ----- stdout
    --- a/src/notes.ts
    +++ b/src/notes.ts
    @@ -1,10 +1,13 @@
     server.registerTool(
       "note_list",
    -  { description: "List notes", inputSchema: {} },
    +  { description: "List notes", inputSchema: {}, annotations: {
    +    readOnlyHint: true,
    +    openWorldHint: false
    +  } },
       list,
     );
     server.registerTool("note_remove", {
       description: "Remove a note",
    -  annotations: { readOnlyHint: true },
    +  annotations: { readOnlyHint: false },
     }, remove);
     server.registerTool(`${prefix}_find`, {}, find);
    ----- stderr
    src
    read: 1 file (1 TypeScript); skipped: node_modules; 1 test file left out; hidden folders and what
      .gitignore names are not looked into
    3 registrations: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0
    named when the server runs: `${prefix}_find` (src/notes.ts:10)

    hints.toml
    2 tools ruled: 2 to be written, 0 as ruled already
    "#);
    assert_eq!(
        std::fs::read_to_string(sayso.directory().join("src/notes.ts")).unwrap(),
        NOTES
    );
    // It is one that git takes.
    std::fs::write(sayso.directory().join("fix.patch"), &ran.stdout).unwrap();
    assert!(git(&sayso, &["init", "--quiet"]) && git(&sayso, &["apply", "fix.patch"]));
    assert_eq!(
        sayso
            .again("fix --source src --rulings hints.toml --diff")
            .code,
        Some(0)
    );
}

#[test]
fn it_is_written_and_then_there_is_nothing_left_to_write() {
    let sayso = notes("fix --source src --rulings hints.toml --write tools.json");
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    src
    read: 1 file (1 TypeScript); skipped: node_modules; 1 test file left out; hidden folders and what
      .gitignore names are not looked into
    3 registrations: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0

    tools.json
    saved listing: tools.json
    3 tools: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0
    found in the source: 2 of 3
    not found: note_find (nearest: note_list)
    named when the server runs: `${prefix}_find` (src/notes.ts:10)

    hints.toml
    2 tools ruled: 2 written, 0 as ruled already
    written: `src/notes.ts`
    ");
    let written = std::fs::read_to_string(sayso.directory().join("src/notes.ts")).unwrap();
    insta::assert_snapshot!(written, @r#"
    server.registerTool(
      "note_list",
      { description: "List notes", inputSchema: {}, annotations: {
        readOnlyHint: true,
        openWorldHint: false
      } },
      list,
    );
    server.registerTool("note_remove", {
      description: "Remove a note",
      annotations: { readOnlyHint: false },
    }, remove);
    server.registerTool(`${prefix}_find`, {}, find);
    "#);
    let again =
        sayso.again("fix --source src --rulings hints.toml --write tools.json --format json");
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(report(&again)["rulings"]["written"], serde_json::json!([]));
    assert_eq!(
        std::fs::read_to_string(sayso.directory().join("src/notes.ts")).unwrap(),
        written
    );
}

#[test]
fn nothing_is_written_without_rulings() {
    let sayso = notes("fix --source src --write tools.json");
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: cannot read the rulings `sayso.rulings.toml`: No such file or directory (os error 2)
    hint: `sayso classify TARGET` makes rulings; `--rulings FILE` names others
    ");
    // Rulings hold for a tool as it was listed.
    let suggested = sayso.again("classify --suggest tools.json");
    let reviewed = suggested
        .stdout
        .replace("reviewed = false", "reviewed = 2026-11-30");
    let reviewed = reviewed.replace("reviewer = \"\"", "reviewer = \"Ada\"");
    std::fs::write(sayso.directory().join("answers.toml"), reviewed).unwrap();
    let answered = sayso.again("classify --answers answers.toml tools.json");
    assert!(
        sayso.directory().join("sayso.rulings.toml").exists(),
        "{answered}"
    );
    insta::assert_snapshot!(sayso.again("fix --source src --write").to_string(), @"
    exit code: 2
    ----- stderr
    error: rulings are bound to tools as they were listed, and no server is named
    hint: name the server too, as in `sayso fix --source src -- node dist/server.js`
    ");
    insta::assert_snapshot!(
        sayso.again("fix --quiet --source src --write --as another tools.json").to_string(), @"
    exit code: 2
    ----- stderr
    error: nothing is written: `sayso.rulings.toml` has no ruling on a tool of this server
    hint: `sayso classify TARGET` decides; `--as NAME` says what the server is called in the rulings
    ");
    let changed = LISTING
        .replace("List notes", "List the notes")
        .replace("Remove a", "Delete a");
    std::fs::write(
        sayso.directory().join("tools.json"),
        changed.replace("note_find", "note_seek"),
    )
    .unwrap();
    insta::assert_snapshot!(sayso.again("fix --quiet --source src --write tools.json").to_string(), @"
    exit code: 2
    ----- stderr
    error: nothing is written: the tools changed since they were ruled on in `sayso.rulings.toml`, all 2 of them
    hint: `sayso classify TARGET` decides; `--as NAME` says what the server is called in the rulings
    ");
    assert_eq!(
        std::fs::read_to_string(sayso.directory().join("src/notes.ts")).unwrap(),
        NOTES
    );
    std::fs::write(sayso.directory().join("tools.json"), LISTING).unwrap();
    let written = sayso.again("fix --quiet --source src --write tools.json");
    insta::assert_snapshot!(written.to_string(), @"
    exit code: 1
    ----- stdout
    src
    read: 1 file (1 TypeScript); skipped: node_modules; 1 test file left out; hidden folders and what
      .gitignore names are not looked into
    3 registrations: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0

    tools.json
    saved listing: tools.json
    3 tools: readOnlyHint 1, destructiveHint 0, idempotentHint 0, openWorldHint 0
    found in the source: 2 of 3
    not found: note_find (nearest: note_list)

    sayso.rulings.toml
    3 tools ruled: 2 written, 0 as ruled already
    ruled, and not found in the source: note_find
    written: `src/notes.ts`
    ");
}

fn git(sayso: &Sayso, arguments: &[&str]) -> bool {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let mut command = Command::new("git");
    command
        .args(identity)
        .args(arguments)
        .current_dir(sayso.directory());
    command
        .env("HOME", sayso.home())
        .status()
        .unwrap()
        .success()
}

#[test]
fn files_with_changes_that_are_not_committed_are_left_alone() {
    let sayso = notes("fix --source src --rulings hints.toml --write");
    assert!(git(&sayso, &["init", "--quiet"]));
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: not committed yet: `src/notes.ts`
    hint: commit first, so that what is written can be told apart; or add `--allow-dirty`
    ");
    assert!(
        git(&sayso, &["add", "src/notes.ts"]) && git(&sayso, &["commit", "--quiet", "-m", "Notes"])
    );
    edit(&sayso, "src/notes.ts", &[("List notes", "List all notes")]);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: not committed yet: `src/notes.ts`
    hint: commit first, so that what is written can be told apart; or add `--allow-dirty`
    ");
    assert!(git(&sayso, &["commit", "--quiet", "-a", "-m", "All"]));
    assert_eq!(sayso.run().code, Some(0));
    edit(
        &sayso,
        "src/notes.ts",
        &[("openWorldHint: false", "openWorldHint: true")],
    );
    let forced = sayso.again("fix --source src --rulings hints.toml --write --allow-dirty");
    assert_eq!(forced.code, Some(0), "{forced}");
}

#[test]
fn a_catalogue_that_drops_annotations_is_explained() {
    let sayso = with_source(
        "wrapper",
        "fix --source src --rulings annotations.json --diff",
    );
    insta::assert_snapshot!(sayso.shown(), @r#"
    exit code: 1
    ----- stderr
    src
    read: 4 files (4 TypeScript); hidden folders and what .gitignore names are not looked into
    3 registrations: readOnlyHint 0, destructiveHint 0, idempotentHint 0, openWorldHint 0

    annotations are dropped on the way
      catalogueTool (src/catalogue.ts:23): hands on `name`, `title`, `description`, `inputSchema`,
        `run`, and no annotations
      registerCatalogue (src/catalogue.ts:35): hands on `title`, `description`, `inputSchema`, and no
        annotations
    to let them through, add
      1. src/catalogue.ts:1, the import
           import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
      2. src/catalogue.ts:5, to the type CatalogueTool
           annotations?: ToolAnnotations
      3. src/catalogue.ts:14, to the parameters of catalogueTool
           annotations?: ToolAnnotations
      4. src/catalogue.ts:23, to what catalogueTool hands on
           annotations: spec.annotations
      5. src/catalogue.ts:35, to what registerCatalogue hands on
           annotations: tool.annotations

    annotations.json
    3 tools ruled: 0 to be written, 0 as ruled already, 3 not to be written
      book_find (src/books.ts:7): annotations would be dropped on the way, at src/catalogue.ts:23 and
        src/catalogue.ts:35
      book_discard (src/books.ts:14): annotations would be dropped on the way, at src/catalogue.ts:23
        and src/catalogue.ts:35
      loan_extend (src/loans.ts:7): annotations would be dropped on the way, at src/catalogue.ts:23 and
        src/catalogue.ts:35
    "#);
    let write = sayso.again("fix --source src --rulings annotations.json --write");
    assert_eq!(write.code, Some(1), "{write}");
    assert_eq!(
        tree(&sayso.directory().join("src")),
        tree(&fixture("wrapper/src"))
    );
    thread(&sayso);
    let write = sayso.again("fix --source src --rulings annotations.json --write");
    insta::assert_snapshot!(write.to_string(), @"
    exit code: 0
    ----- stdout
    src
    read: 4 files (4 TypeScript); hidden folders and what .gitignore names are not looked into
    3 registrations: readOnlyHint 0, destructiveHint 0, idempotentHint 0, openWorldHint 0

    annotations.json
    3 tools ruled: 3 written, 0 as ruled already
    written: `src/books.ts`, `src/loans.ts`
    ");
}

/// Every file with its text.
fn tree(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut files: Vec<(PathBuf, String)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into(),
                std::fs::read_to_string(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

/// What the report says has to be added, added.
fn thread(sayso: &Sayso) {
    let catalogue = "src/catalogue.ts";
    edit(
        sayso,
        catalogue,
        &[
            (
                "import { z }",
                "import type { ToolAnnotations } from \"@modelcontextprotocol/sdk/types.js\";\nimport { z }",
            ),
            (
                "  run: (input: Record",
                "  annotations?: ToolAnnotations;\n  run: (input: Record",
            ),
            (
                "  run: (input: z.infer",
                "  annotations?: ToolAnnotations;\n  run: (input: z.infer",
            ),
            (
                "    run: (input) =>",
                "    annotations: spec.annotations,\n    run: (input) =>",
            ),
            (
                "inputSchema: tool.inputSchema }",
                "inputSchema: tool.inputSchema, annotations: tool.annotations }",
            ),
        ],
    );
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran}"))
}

#[test]
fn a_report_for_programs_is_what_its_schema_says() {
    let schema = include_str!("../../../../docs/reference/fix-report-v1.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrapper = with_source(
        "wrapper",
        "fix --source src --format json --rulings annotations.json",
    );
    for ran in [
        wrapper.run(),
        notes("fix --source src --format json --diff --rulings hints.toml tools.json").run(),
        notes("fix --source src --format json missing.json").run(),
    ] {
        let report = report(&ran);
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn what_cannot_be_said_of_one_source_is_wrong_usage() {
    for (arguments, hint) in [
        ("fix", "--source"),
        ("fix --source nowhere", "no directory"),
        ("fix --source src tools.json tools.json", "one server"),
        (
            "fix --source src --write --rulings missing.toml",
            "sayso classify",
        ),
        (
            "fix --source src --diff --write --rulings hints.toml",
            "cannot be used with",
        ),
        ("audit --source src tools.json tools.json", "--source"),
    ] {
        let ran = notes(arguments).run();
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(ran.stderr.contains(hint), "{ran}");
    }
    assert_eq!(notes("fix --source src missing.json").run().code, Some(3));
}

#[test]
fn findings_of_an_audit_point_to_the_registration() {
    let ran = notes("audit --source src --format sarif --fail-on never tools.json").run();
    let log = report(&ran);
    let places: Vec<String> = log["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let name = &result["locations"][0]["logicalLocations"][0]["name"];
            let (file, line) = (
                &place["artifactLocation"]["uri"],
                &place["region"]["startLine"],
            );
            format!(
                "{} {}:{line}",
                name.as_str().unwrap(),
                file.as_str().unwrap()
            )
        })
        .collect();
    assert!(
        places.contains(&"note_list src/notes.ts:2".to_owned()),
        "{places:?}"
    );
    assert!(
        places.contains(&"note_remove src/notes.ts:6".to_owned()),
        "{places:?}"
    );
    // One whose registration is not known stays where it was listed.
    assert!(
        places
            .iter()
            .any(|place| place.starts_with("note_find tools.json")),
        "{places:?}"
    );
    let ran = notes("audit --source src --format json --fail-on never tools.json").run();
    let report = report(&ran);
    assert_eq!(
        report["targets"][0]["listing"]["tools"][0]["registered_at"],
        serde_json::json!({"file": "src/notes.ts", "line": 2, "column": 3})
    );
    assert_eq!(
        report["notes"][0],
        "not found in the source `src`: `note_find`; `sayso fix` says what was read"
    );
}

/// The compiler of TypeScript, in the place of a run.
fn compile(sayso: &Sayso) {
    let modules = sayso.directory().join("node_modules");
    if !modules.exists() {
        #[cfg(unix)]
        std::os::unix::fs::symlink(installed("npm/node_modules"), &modules).unwrap();
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(installed("npm/node_modules"), &modules).unwrap();
    }
    let compiler = installed("npm/node_modules/typescript/bin/tsc");
    let output = Command::new("node")
        .arg(compiler)
        .current_dir(sayso.directory())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// How many tools a listing has, and how many of them with all four hints.
fn counted(ran: &Ran, which: &str) -> (u64, u64) {
    let report = report(ran);
    let counts = &report["server"][which];
    (
        counts["tools"].as_u64().unwrap(),
        counts["with_all"].as_u64().unwrap(),
    )
}

/// Has every tool of a server ruled on as an honest fix has it.
fn rule(sayso: &Sayso, server: &str) {
    let suggested = sayso.again(&format!("classify --suggest -- {server}"));
    let mut answers: toml::Table = toml::from_str(&suggested.stdout).unwrap();
    let truth: Value = serde_json::from_str(ANNOTATIONS).unwrap();
    for tool in answers["tool"].as_array_mut().unwrap() {
        let tool = tool.as_table_mut().unwrap();
        tool.insert("reviewer".to_owned(), "Ada".into());
        tool.insert("reviewed".to_owned(), true.into());
        tool.remove("undo");
        let truth = &truth[tool["name"].as_str().unwrap()];
        let reads = truth["readOnlyHint"] == true;
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            let means_something = !reads || matches!(hint, "readOnlyHint" | "openWorldHint");
            tool.remove(hint);
            if means_something {
                let value = truth[hint].as_bool().unwrap();
                let mut ruling = toml::Table::new();
                ruling.insert("value".to_owned(), value.into());
                ruling.insert("why".to_owned(), "The handler was read.".into());
                tool.insert(hint.to_owned(), ruling.into());
            }
        }
    }
    let answers = toml::to_string(&answers).unwrap();
    std::fs::write(sayso.directory().join("answers.toml"), answers).unwrap();
    let ruled = sayso.again(&format!(
        "classify --quiet --answers answers.toml -- {server}"
    ));
    assert_eq!(ruled.code, Some(0), "{ruled}");
}

/// Has the rulings written into a source of forty tools; `build` makes the server from it.
fn from_none_to_all(sayso: &Sayso, source: &str, server: &str, build: &dyn Fn(&Sayso)) {
    build(sayso);
    rule(sayso, server);
    let ran = sayso.again(&format!(
        "fix --source {source} --write --format json -- {server}"
    ));
    assert_eq!(
        (ran.code, counted(&ran, "counts")),
        (Some(0), (40, 0)),
        "{ran}"
    );
    build(sayso);
    let ran = sayso.again(&format!(
        "fix --source {source} --diff --format json -- {server}"
    ));
    assert_eq!(
        (ran.code, counted(&ran, "counts")),
        (Some(0), (40, 40)),
        "{ran}"
    );
    let report = report(&ran);
    assert_eq!(report["server"]["not_found"], serde_json::json!([]));
    assert_eq!(report["rulings"]["patch"], "");
    // What is claimed now is what was ruled, and what is left to find are no errors.
    let check = sayso.again(&format!("classify --check -- {server}"));
    assert_eq!(check.code, Some(0), "{check}");
    let audit = sayso.again(&format!("audit --quiet --source {source} -- {server}"));
    assert_eq!(audit.code, Some(0), "{audit}");
    assert!(audit.stdout.contains("0 errors, 0 warnings"), "{audit}");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn forty_tools_in_typescript() {
    let sayso = with_source("typescript", "");
    from_none_to_all(&sayso, "src", "node dist/index.js", &compile);
    assert_only_added(&fixture("typescript/src"), &sayso.directory().join("src"));
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn forty_tools_in_python() {
    let sayso = with_source("python", "").env("PYTHONDONTWRITEBYTECODE", "1");
    let server = format!("{} -m outreach", python("python", "python").display());
    from_none_to_all(&sayso, "outreach", &server, &|_| {});
    assert_only_added(
        &fixture("python/outreach"),
        &sayso.directory().join("outreach"),
    );
}

#[test]
#[ignore = "builds a server with the official SDK"]
fn forty_tools_in_rust() {
    let sayso = with_source("rust", "");
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(lock, sayso.directory().join("Cargo.lock")).unwrap();
    // Beside what the tests are built from, so that the SDK is built once.
    let target = Path::new(env!("CARGO_BIN_EXE_sayso"))
        .ancestors()
        .nth(2)
        .unwrap();
    let build = |sayso: &Sayso| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--offline", "--target-dir"])
            .arg(target);
        let output = cargo.current_dir(sayso.directory()).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let server = target.join("debug/outreach");
    from_none_to_all(&sayso, "src", &server.display().to_string(), &build);
    assert_only_added(&fixture("rust/src"), &sayso.directory().join("src"));
}

/// Where the server runs from its source, one run shows both counts.
#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn the_counts_before_and_after() {
    let sayso = with_source("python", "").env("PYTHONDONTWRITEBYTECODE", "1");
    let server = format!("{} -m outreach", python("python", "python").display());
    let fix = "fix --quiet --source outreach --rulings annotations.json --write";
    let ran = sayso.again(&format!("{fix} -- {server}"));
    let counts = ran.stdout.lines().filter(|line| line.contains('→'));
    insta::assert_snapshot!(counts.collect::<Vec<_>>().join("\n"), @"
    readOnlyHint     0/40 → 40/40
    destructiveHint  0/40 → 40/40
    idempotentHint   0/40 → 40/40
    openWorldHint    0/40 → 40/40
    ");
}

/// That every line is there still, in its order, but for a bracket or comma that moved to make
/// room.
fn assert_only_added(before: &Path, after: &Path) {
    for ((name, before), (_, after)) in tree(before).into_iter().zip(tree(after)) {
        let mut rest = after.chars();
        let lost = before
            .chars()
            .find(|character| !rest.any(|other| other == *character));
        assert_eq!(lost, None, "{}", name.display());
    }
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn a_catalogue_that_is_threaded_as_described_carries_what_is_written() {
    let sayso = with_source("wrapper", "");
    compile(&sayso);
    let fix =
        "fix --source src --rulings annotations.json --write --format json -- node dist/index.js";
    let ran = sayso.again(fix);
    assert_eq!(
        (ran.code, counted(&ran, "counts")),
        (Some(1), (3, 0)),
        "{ran}"
    );
    thread(&sayso);
    compile(&sayso);
    let ran = sayso.again(fix);
    assert_eq!(
        (ran.code, counted(&ran, "counts")),
        (Some(0), (3, 0)),
        "{ran}"
    );
    compile(&sayso);
    let ran = sayso.again("fix --source src --format json -- node dist/index.js");
    assert_eq!(counted(&ran, "counts"), (3, 3), "{ran}");
}

/// Every tool that is listed is found.
fn assert_all_found(source: &Path, command: &[&str], tools: u64) {
    let mut sayso = Sayso::new("fix --format json --source")
        .argument(source)
        .argument("--");
    for word in command {
        sayso = sayso.argument(*word);
    }
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let report = report(&ran);
    assert_eq!(report["server"]["counts"]["tools"], tools);
    assert_eq!(
        report["server"]["not_found"],
        serde_json::json!([]),
        "{}",
        source.display()
    );
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn every_registration_of_real_servers_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (server, tools) in [
        ("filesystem", 14),
        ("memory", 9),
        ("everything", 13),
        ("sequential-thinking", 1),
    ] {
        let program = npm(server);
        let mut command = vec!["node", program.to_str().unwrap()];
        command.extend((server == "filesystem").then(|| folder.path().to_str().unwrap()));
        assert_all_found(program.parent().unwrap(), &command, tools);
    }
    for (environment, module, program, tools) in [
        ("python", "mcp_server_git", "mcp-server-git", 12),
        ("python", "mcp_server_time", "mcp-server-time", 2),
    ] {
        let program = python(environment, program);
        let packages = program.parent().unwrap().parent().unwrap().join("lib");
        let source = std::fs::read_dir(packages)
            .unwrap()
            .map(|version| version.unwrap().path().join("site-packages").join(module))
            .find(|path| path.is_dir())
            .unwrap();
        assert_all_found(&source, &[program.to_str().unwrap()], tools);
    }
}

#[test]
fn the_guide_shows_what_is_printed_and_names_options_that_exist() {
    let guide = include_str!("../../../../docs/guides/fix.md");
    let excerpt = guide.split("```text\n").nth(1).unwrap();
    let excerpt = excerpt.split("```").next().unwrap();
    let printed = with_source("wrapper", "fix --source src").run().stdout;
    assert!(printed.contains(excerpt.trim_end()), "{printed}");
    let helps = ["fix", "audit", "hosts", "classify"]
        .map(|command| Sayso::new(&format!("{command} --help")).run().stdout);
    let words =
        guide.split(|character: char| !(character.is_ascii_lowercase() || character == '-'));
    for option in words.filter(|word| word.starts_with("--") && !word.ends_with('-')) {
        assert!(helps.iter().any(|help| help.contains(option)), "{option}");
    }
}
