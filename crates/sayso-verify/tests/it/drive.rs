//! Fixtures, and calls that are made up on them.

mod arguments;
mod scenarios;

use std::collections::BTreeSet;

use sayso_core::digest::Digest;
use sayso_core::json::{Document, Limits};
use sayso_verify::change::Place;
use sayso_verify::drive::{Made, calls_for};
use sayso_verify::fixture::{Built, Fixture, fill};
use sayso_verify::tree::{Folder, Location, Tree};

fn built(name: &str) -> (tempfile::TempDir, Built) {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::named(name).unwrap();
    let built = fixture.build(&folder.path().join("workspace")).unwrap();
    (folder, built)
}

fn digest(built: &Built) -> Digest {
    let contents = tempfile::tempdir().unwrap();
    let folders = vec![Folder {
        path: "/w".into(),
        place: Place::Workspace,
        location: Location::Plain(built.root.clone()),
    }];
    let mut tree = Tree::new(folders, contents.path().to_owned());
    let look = tree.look(&BTreeSet::new()).unwrap();
    tree.digest(&look)
}

#[test]
fn a_fixture_is_the_same_each_time() {
    for (name, _) in Fixture::names() {
        let (_one, one) = built(name);
        let (_other, other) = built(name);
        assert_ne!(one.root, other.root);
        assert_eq!(digest(&one), digest(&other), "{name}");
    }
}

#[test]
fn an_unknown_fixture_is_told_with_one_that_may_be_meant() {
    let error = Fixture::named("workspase").unwrap_err();
    assert_eq!(error.to_string(), "there is no fixture called `workspase`");
    assert_eq!(error.suggestion, Some("workspace"));
}

#[test]
fn pages_are_served() {
    use std::io::{Read as _, Write as _};
    let (_folder, built) = built("pages");
    let port = built.pages.as_ref().unwrap().port();
    let get = |path: &str| {
        let mut client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        client
            .write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes())
            .unwrap();
        let mut text = String::new();
        client.read_to_string(&mut text).unwrap();
        text
    };
    assert!(get("/").contains("<h1>A page</h1>"));
    assert!(get("/nothing").starts_with("HTTP/1.1 404"));
}

/// The arguments made up for a tool, a line a call, with the workspace's folder written as `…`.
fn made(definition: &str, explore: usize) -> String {
    let (_folder, built) = built("workspace");
    let tool = Document::parse(definition.to_owned(), &Limits::default()).unwrap();
    match calls_for(tool.root(), &built, explore) {
        Made::Nothing { why } => why,
        Made::Calls(calls) => {
            let root = built.root.display().to_string();
            let lines = calls
                .iter()
                .map(|call| format!("{}: {}", call.step, call.arguments.replace(&root, "…")));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

#[test]
fn arguments_are_made_of_the_schema_and_the_fixture() {
    let copy = r#"{"name":"copy_file","inputSchema":{"type":"object","required":["source","destination"],
        "properties":{"source":{"type":"string"},"destination":{"type":"string"},
        "overwrite":{"type":"boolean"},"mode":{"enum":["fast","safe"]}}}}"#;
    insta::assert_snapshot!(made(copy, 20), @r#"
    plain: {"source":"…/notes.md","destination":"…/new-file.txt"}
    every argument given: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":false,"mode":"fast"}
    destination is there already: {"source":"…/notes.md","destination":"…/copy-of-notes.md"}
    mode = "fast": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"fast"}
    overwrite = true: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":true}
    source is there already: {"source":"…/copy-of-notes.md","destination":"…/new-file.txt"}
    source is empty: {"source":"","destination":"…/new-file.txt"}
    mode = "safe": {"source":"…/notes.md","destination":"…/new-file.txt","mode":"safe"}
    overwrite = false: {"source":"…/notes.md","destination":"…/new-file.txt","overwrite":false}
    source is ignored by git: {"source":"…/build.log","destination":"…/new-file.txt"}
    destination is empty: {"source":"…/notes.md","destination":""}
    source leads out of the workspace: {"source":"…/way-out/not-yours.txt","destination":"…/new-file.txt"}
    source is not there: {"source":"…/new-file.txt","destination":"…/new-file.txt"}
    destination is ignored by git: {"source":"…/notes.md","destination":"…/build.log"}
    destination leads out of the workspace: {"source":"…/notes.md","destination":"…/way-out/not-yours.txt"}
    "#);
    let checkout = r#"{"name":"git_checkout","inputSchema":{"type":"object","required":["repo_path","branch_name"],
        "properties":{"repo_path":{"type":"string"},"branch_name":{"type":"string"}}}}"#;
    insta::assert_snapshot!(made(checkout, 0), @r#"plain: {"repo_path":"…","branch_name":"with-log"}"#);
    let zones = r#"{"name":"convert_time","inputSchema":{"type":"object","required":["source_timezone","target_timezone"],
        "properties":{"source_timezone":{"type":"string"},"target_timezone":{"type":"string"}}}}"#;
    insta::assert_snapshot!(made(zones, 0), @r#"plain: {"source_timezone":"Europe/Berlin","target_timezone":"Europe/Berlin"}"#);
    let diff = r#"{"name":"git_diff","inputSchema":{"type":"object","required":["target","repo_path"],
        "properties":{"target":{"type":"string"}}}}"#;
    insta::assert_snapshot!(made(diff, 0), @r#"plain: {"target":"with-log","repo_path":"…"}"#);
    let branches = r#"{"name":"git_branch","inputSchema":{"type":"object","required":["branch_type"],
        "properties":{"branch_type":{"type":"string"}}}}"#;
    insta::assert_snapshot!(made(branches, 0), @r#"plain: {"branch_type":"local"}"#);
    let query = r##"{"name":"read_query","description":"Run a SELECT query","inputSchema":{"type":"object",
        "required":["query","limit"],"properties":{"query":{"$ref":"#/$defs/sql"},"limit":{"type":"integer","minimum":5}},
        "$defs":{"sql":{"type":"string","description":"SELECT SQL to run"}}}}"##;
    insta::assert_snapshot!(made(query, 0), @r#"plain: {"query":"select * from items","limit":5}"#);
    let remote = r#"{"name":"delete_issue","inputSchema":{"type":"object","required":["issue_id"],
        "properties":{"issue_id":{"type":"string"}}}}"#;
    insta::assert_snapshot!(made(remote, 9), @"nothing can be made up for `issue_id`");
}

#[test]
fn placeholders_are_filled_in() {
    let (_folder, built) = built("pages");
    let root = built.root.display().to_string();
    assert_eq!(
        fill("--root={workspace}/a", &built).unwrap(),
        format!("--root={root}/a")
    );
    assert_eq!(fill("{{x} { y", &built).unwrap(), "{x} { y");
    assert!(
        fill("{pages}", &built)
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert!(fill("{work}", &built).is_err());
}
