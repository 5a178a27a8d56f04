//! Servers that people use, at the versions pinned in `fixtures/servers/`: the honest ones are not
//! contradicted, the others are, and each run tells the same.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{contradicted, evidence, modes, verdicts};
use crate::real_servers::{installed, npm, python};
use crate::sayso::{Ran, Sayso};

fn watch(arguments: &str, program: &Path, rest: &[&str]) -> Sayso {
    let arguments = format!("verify --settle 300 --transcripts seen {arguments}");
    let mut sayso = Sayso::new(&arguments).argument("--").argument(program);
    for word in rest {
        sayso = sayso.argument(word);
    }
    sayso
}

fn node(server: &str) -> String {
    npm(server).to_str().unwrap().to_owned()
}

/// What a run has to have in common with others of its kind: the evidence but for its date, and what
/// changed in each call, wherever its folders were.
fn told(sayso: &Sayso) -> String {
    let mut evidence = evidence(sayso);
    let servers = evidence["servers"].as_object_mut().unwrap();
    let mut lines = Vec::new();
    for (tool, entries) in servers.values_mut().next().unwrap()["tools"]
        .as_object_mut()
        .unwrap()
    {
        for entry in entries.as_array_mut().unwrap() {
            entry["date"] = Value::Null;
            lines.push(format!("{tool} {entry}"));
        }
    }
    let mut kept: Vec<PathBuf> = fs::read_dir(sayso.directory().join("seen"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    kept.sort();
    for line in kept.iter().flat_map(|path| {
        fs::read_to_string(path)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    }) {
        let seen: Value = serde_json::from_str(&line).unwrap();
        for effects in [&seen["effects"], &seen["again"]["effects"]] {
            for change in effects["changes"].as_array().into_iter().flatten() {
                // When a log was begun is in its name, and when a file was saved may be the same moment.
                if change["class"] == "log" || change["what"] == "saved-again" {
                    continue;
                }
                let path = change["path"].as_str().unwrap();
                let path = within(path, sayso);
                let mut what = change["what"].clone();
                if let Some(from) = what.pointer_mut("/renamed/from") {
                    *from = within(from.as_str().unwrap(), sayso).into();
                }
                let what = (what, &change["class"], &change["lost"]);
                lines.push(format!("{} {path} {what:?}", seen["tool"]));
            }
        }
    }
    lines.join("\n")
}

/// A path without the folder that is another in each run.
fn within(path: &str, sayso: &Sayso) -> String {
    let home = sayso.home().to_str().unwrap().to_owned();
    match (path.strip_prefix(&home), path.split_once("/workspace/")) {
        (Some(rest), _) => format!("home{rest}"),
        (None, Some((_, rest))) => format!("workspace/{rest}"),
        (None, None) => path.to_owned(),
    }
}

/// Three runs side by side, which tell the same.
fn three(make: impl Fn() -> Sayso + Sync) -> (Sayso, Ran) {
    let mut runs: Vec<(Sayso, Ran)> = std::thread::scope(|scope| {
        let run = || {
            let sayso = make();
            let ran = sayso.run();
            (sayso, ran)
        };
        let running: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let (sayso, ran) = runs.pop().unwrap();
    let said = told(&sayso);
    for (other, _) in &runs {
        assert_same(&said, &told(other));
    }
    (sayso, ran)
}

/// The first line in which two runs differ says more than both of them.
fn assert_same(one: &str, other: &str) {
    for (one, other) in one.lines().zip(other.lines()) {
        assert_eq!(one, other);
    }
    assert_eq!(one.lines().count(), other.lines().count());
}

/// Nothing is contradicted in three runs, and so many tools were really held against what they claim.
fn is_honest(exercised: usize, make: impl Fn() -> Sayso + Sync) {
    let (sayso, ran) = three(make);
    assert_eq!(ran.code, Some(0), "{ran}");
    let evidence = evidence(&sayso);
    let server = evidence["servers"].as_object().unwrap().values().next();
    let tools = server.unwrap()["tools"].as_object().unwrap();
    let held = tools.keys().filter(|tool| {
        let mut made = verdicts(&evidence, tool).into_iter();
        made.any(|(_, made)| made == "consistent")
    });
    assert_eq!(held.count(), exercised, "{ran}");
}

#[test]
fn filesystem_is_honest() {
    let server = node("filesystem");
    is_honest(13, || {
        watch("", Path::new("node"), &[&server, "{workspace}"])
    });
    for mode in modes() {
        let jailed = format!("--jail {mode}");
        let ran = watch(&jailed, Path::new("node"), &[&server, "{workspace}"]).run();
        assert_eq!(ran.code, Some(0), "{mode} {ran}");
    }
}

#[test]
fn everything_is_honest() {
    let server = node("everything");
    is_honest(11, || watch("", Path::new("node"), &[&server]));
}

#[test]
fn memory_is_honest() {
    let server = node("memory");
    is_honest(8, || watch("", Path::new("node"), &[&server]));
}

#[test]
fn time_is_honest() {
    let server = python("python", "mcp-server-time");
    is_honest(2, || watch("", &server, &[]));
}

/// What reads of a repository whose index fits its files.
const READERS: [&str; 7] = [
    "git_status",
    "git_diff_unstaged",
    "git_diff_staged",
    "git_diff",
    "git_log",
    "git_show",
    "git_branch",
];

#[test]
fn readers_of_git_are_honest() {
    let server = python("python", "mcp-server-git");
    let readers = READERS.map(|tool| format!("--tool {tool}")).join(" ");
    is_honest(READERS.len(), || {
        watch(
            &format!("--fixture git {readers}"),
            &server,
            &["--repository", "{workspace}"],
        )
    });
}

/// A workbook is read, and written to where nothing was.
const WORKBOOK: &str = r#"
fixture = "workspace"

[[step]]
tool = "describe_workbook"
arguments = { path = "{workspace}/stock.xlsx" }
expect = { readOnlyHint = "consistent", changed = [], isError = false }

[[step]]
tool = "read_range"
arguments = { path = "{workspace}/stock.xlsx", sheet = "Stock" }
expect = { readOnlyHint = "consistent", changed = [], isError = false }

[[step]]
name = "an empty cell"
tool = "write_range"
arguments = { path = "{workspace}/stock.xlsx", sheet = "Stock", at = "A6", rows = [["plums", 8]] }
expect = { changed = ["stock.xlsx"], lost = [], isError = false }

[[step]]
name = "a cell that is not empty"
tool = "write_range"
arguments = { path = "{workspace}/stock.xlsx", sheet = "Stock", at = "A2", rows = [["quinces"]] }
expect = { changed = ["stock.xlsx"], lost = ["stock.xlsx"], isError = false }
"#;

#[test]
fn excel_is_honest() {
    let server = python("python-watched", "excel-mcp-server");
    is_honest(3, || {
        watch("--scenario scenario.toml", &server, &["stdio"]).file("scenario.toml", WORKBOOK)
    });
}

#[test]
fn a_checkout_over_an_ignored_file_is_found() {
    let server = python("python", "mcp-server-git");
    for mode in modes() {
        let (sayso, ran) = three(|| {
            watch(
                &format!("--fixture git --tool git_checkout --jail {mode}"),
                &server,
                &["--repository", "{workspace}"],
            )
        });
        assert_eq!(ran.code, Some(1), "{mode} {ran}");
        let found = contradicted(&evidence(&sayso), "git_checkout");
        assert_eq!(found, ["destructiveHint"], "{mode} {ran}");
    }
}

/// A registry of npm packages on this machine; it ends when this is dropped.
struct Registry {
    process: Child,
    port: String,
}

impl Registry {
    fn start() -> Self {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/servers/registry.py");
        let mut process = Command::new("python3")
            .arg(script)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut port).unwrap();
        Self {
            process,
            port: port.trim().to_owned(),
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The page is there, and so is a registry: it installs packages into its own installation, where it is
/// to read one page.
#[test]
fn a_fetch_that_installs_packages_is_found() {
    let server = python("python-watched", "mcp-server-fetch");
    let library = installed("python-watched/lib");
    let versions = fs::read_dir(library).unwrap();
    let library = versions.map(|entry| entry.unwrap().path()).next().unwrap();
    let package = library.join("site-packages/readabilipy/javascript");
    assert!(package.join("package.json").exists());
    let modules = package.join("node_modules");
    assert!(!modules.exists(), "{} is there", modules.display());
    if !modes().contains(&"namespaces") {
        // In the other mode nothing can be written to the server's package.
        let why = "there are no user namespaces";
        return crate::fixtures::skip("a_fetch_that_installs_packages_is_found", why);
    }
    let registry = Registry::start();
    let settings = format!("registry=http://127.0.0.1:{}/\n", registry.port);
    let sayso = watch(
        "--verbose --jail namespaces --tool fetch --live localhost",
        &server,
        &["--allow-private-ips"],
    )
    .home_file(".npmrc", settings);
    let ran = sayso.run();
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(
        contradicted(&evidence(&sayso), "fetch"),
        ["readOnlyHint"],
        "{ran}"
    );
    for told in [
        "javascript/node_modules/minimist/package.json",
        "ran `npm install`",
    ] {
        assert!(ran.stdout.contains(told), "{told} {ran}");
    }
    // None of it came about.
    assert!(!modules.exists());
    assert!(!sayso.home().join(".npm").exists());
}

/// Without a registry nothing is installed: what it asked for is told, and is no contradiction.
#[test]
fn a_fetch_that_cannot_install_packages_is_no_contradiction() {
    let server = python("python-watched", "mcp-server-fetch");
    let sayso = watch("--verbose --tool fetch", &server, &["--allow-private-ips"]).home_file(
        ".npmrc",
        "registry=http://registry.example/\nfetch-retries=0\n",
    );
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(
        ran.stdout.contains("can't tell: remote: registry.example"),
        "{ran}"
    );
}
