//! Servers that people use, at the versions pinned in `fixtures/servers/`.
//!
//! What is expected of each was counted from its raw answers, not from a report.

use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

#[cfg(target_os = "linux")]
use crate::fixtures::skip;
use crate::fixtures::{Background, Report};
use crate::sayso::Sayso;

/// Where `cargo xtask test` installs them.
pub(crate) fn installed(path: &str) -> PathBuf {
    let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.servers");
    let path = servers.join(path);
    assert!(
        path.exists(),
        "{} is missing: `cargo xtask test` installs it",
        path.display()
    );
    path.canonicalize().unwrap()
}

/// The file that Node runs for one of the reference servers.
pub(crate) fn npm(server: &str) -> PathBuf {
    installed(&format!(
        "npm/node_modules/@modelcontextprotocol/server-{server}/dist/index.js"
    ))
}

/// A program in one of the Python environments. The program itself may be a link out of it.
pub(crate) fn python(environment: &str, program: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    installed(&format!("{environment}/{folder}"))
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
}

/// `sayso audit` of a command, its server marked so that it can be found afterwards.
struct Audit {
    sayso: Sayso,
    marker: String,
}

fn audit(test: &str, arguments: &str) -> Audit {
    let marker = format!("real-{test}-{}", std::process::id());
    let sayso = Sayso::new(&format!(
        "audit --format json --fail-on never --save saved.json {arguments}"
    ));
    let sayso = sayso.env("SAYSO_TEST_MARKER", &marker);
    Audit { sayso, marker }
}

impl Audit {
    /// Of the server that this command line starts.
    fn command(mut self, program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        self.sayso = self.sayso.argument("--").argument(program.into());
        for argument in arguments {
            self.sayso = self.sayso.argument(argument);
        }
        self
    }

    fn node(self, server: &str, arguments: &[&str]) -> Self {
        let program = npm(server);
        let mut all = vec![program.to_str().unwrap()];
        all.extend(arguments);
        self.command("node", &all)
    }

    /// Runs it; nothing may be left of it, and the counts have to be those of a plain count.
    fn run(&self) -> Report {
        let ran = self.sayso.run();
        assert_eq!(
            crate::stopping::processes_with(&self.marker),
            [""; 0],
            "left behind"
        );
        assert_eq!(ran.code, Some(0), "{ran}");
        let report = Report::of(&ran);
        let saved = std::fs::read(self.sayso.directory().join("saved.json")).unwrap();
        assert_plain_count(&report, &serde_json::from_slice(&saved).unwrap());
        report
    }
}

/// Counts hints in the plainest way.
fn assert_plain_count(report: &Report, saved: &Value) {
    let tools = saved["tools"].as_array().unwrap();
    let counts = &report.listing()["counts"];
    assert_eq!(counts["tools"], tools.len());
    for hint in [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ] {
        let with = tools
            .iter()
            .filter(|tool| tool["annotations"][hint].is_boolean());
        assert_eq!(counts["with_hint"][hint], with.count(), "{hint}");
    }
    for (tool, reported) in tools.iter().zip(report.tools()) {
        assert_eq!(reported["name"], tool["name"]);
    }
}

/// A report in a few lines: who answered, the counts, and every warning or error.
fn summary(report: &Report) -> String {
    assert_eq!(report.all["summary"]["errors"], 0, "{}", report.grave());
    let listing = report.listing();
    let (server, counts) = (&listing["server"], &listing["counts"]);
    let word = |key: &str| server[key].as_str().unwrap();
    let (name, version, era) = (word("name"), word("version"), word("era"));
    let mut text = format!("{name} {version}, {} ({era})\n", word("protocol_version"));
    let of = |hint: &str| counts["with_hint"][hint].as_u64().unwrap();
    let hints = [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ];
    let hints = hints.map(|hint| format!("{hint} {}", of(hint))).join(", ");
    writeln!(text, "{} tools: {hints}", counts["tools"]).unwrap();
    let read_only = report
        .tools()
        .iter()
        .filter(|tool| tool["read_only"] == true);
    let (read_only, confirm) = (read_only.count(), &listing["gate_rate"]["now"]);
    writeln!(text, "{read_only} read-only, {confirm} to confirm").unwrap();
    text + &report.observations() + &report.grave()
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn filesystem() {
    let folder = tempfile::tempdir().unwrap();
    let allowed = folder.path().to_str().unwrap();
    let report = audit("filesystem", "").node("filesystem", &[allowed]).run();
    insta::assert_snapshot!(summary(&report), @r"
    secure-filesystem-server 0.2.0, 2025-11-25 (legacy)
    14 tools: readOnlyHint 14, destructiveHint 4, idempotentHint 4, openWorldHint 14
    10 read-only, 3 to confirm
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn memory() {
    let audit = audit("memory", "--env MEMORY_FILE_PATH=memory.jsonl");
    let report = audit.node("memory", &[]).run();
    insta::assert_snapshot!(summary(&report), @r"
    memory-server 0.6.3, 2025-11-25 (legacy)
    9 tools: readOnlyHint 9, destructiveHint 9, idempotentHint 9, openWorldHint 9
    3 read-only, 3 to confirm
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn sequential_thinking() {
    let report = audit("thinking", "").node("sequential-thinking", &[]).run();
    insta::assert_snapshot!(summary(&report), @r"
    sequential-thinking-server 2026.8.31, 2025-11-25 (legacy)
    1 tools: readOnlyHint 1, destructiveHint 1, idempotentHint 1, openWorldHint 1
    1 read-only, 0 to confirm
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn everything() {
    let report = audit("everything", "").node("everything", &[]).run();
    insta::assert_snapshot!(summary(&report), @r"
    mcp-servers/everything 2.0.0, 2025-11-25 (legacy)
    13 tools: readOnlyHint 13, destructiveHint 13, idempotentHint 13, openWorldHint 13
    9 read-only, 0 to confirm
    list-changed x1: notifications/tools/list_changed
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn everything_over_streamable_http() {
    let (_server, address) = listening("streamableHttp");
    let report = audit("http", &format!("http://{address}/mcp")).run();
    insta::assert_snapshot!(summary(&report), @r"
    mcp-servers/everything 2.0.0, 2025-11-25 (legacy)
    13 tools: readOnlyHint 13, destructiveHint 13, idempotentHint 13, openWorldHint 13
    9 read-only, 0 to confirm
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn everything_over_http_with_server_sent_events() {
    let (_server, address) = listening("sse");
    let report = audit("sse", &format!("http://{address}/sse")).run();
    insta::assert_snapshot!(summary(&report), @r"
    mcp-servers/everything 2.0.0, 2025-11-25 (legacy)
    13 tools: readOnlyHint 13, destructiveHint 13, idempotentHint 13, openWorldHint 13
    9 read-only, 0 to confirm
    list-changed x1: notifications/tools/list_changed
    ");
}

/// The server that tries everything, over HTTP, and its address.
pub(crate) fn listening(transport: &str) -> (Background, String) {
    // Another process may take the port before the server does; then the next one is tried.
    for _ in 0..10 {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let mut command = Command::new("node");
        command.arg(npm("everything")).arg(transport);
        command.env("PORT", address.port().to_string());
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = Background::start(command);
        while server.child().try_wait().unwrap().is_none() {
            if TcpStream::connect(address).is_ok() {
                return (server, address.to_string());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    panic!("the server did not start on any of ten ports");
}

/// A Git repository with nothing in it.
pub(crate) fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut git = Command::new("git");
    git.args(["init", "--quiet"]).arg(folder.path());
    assert!(git.status().unwrap().success());
    folder
}

fn git(test: &str, arguments: &str) -> Report {
    let repository = repository();
    let arguments_of_server = ["--repository", repository.path().to_str().unwrap()];
    audit(test, arguments)
        .command(python("python", "mcp-server-git"), &arguments_of_server)
        .run()
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn git_in_both_eras() {
    let legacy = git("git", "");
    insta::assert_snapshot!(summary(&legacy), @r"
    mcp-git 2026.10.19, 2025-11-25 (legacy)
    12 tools: readOnlyHint 12, destructiveHint 12, idempotentHint 12, openWorldHint 12
    7 read-only, 1 to confirm
    ");
    let modern = git("git-modern", "--era modern");
    insta::assert_snapshot!(summary(&modern), @r"
    mcp-git 2026.10.19, 2026-07-28 (modern)
    12 tools: readOnlyHint 12, destructiveHint 12, idempotentHint 12, openWorldHint 12
    7 read-only, 1 to confirm
    ");
    // The two differ in nothing but where the tools stand in their messages.
    let known = |report: &Report| {
        let mut tools = report.tools().to_vec();
        for tool in &mut tools {
            tool["location"] = Value::Null;
            tool["claim_locations"] = Value::Null;
            for finding in tool["findings"].as_array_mut().unwrap() {
                finding["location"] = Value::Null;
                finding["evidence"] = Value::Null;
            }
        }
        tools
    };
    assert_eq!(known(&legacy), known(&modern));
    let both = git("git-both", "--era both");
    assert_eq!(both.observations(), "");
    assert_eq!(both.found_by("eras-differ"), "");
    assert_eq!(known(&legacy), known(&both));
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn time() {
    let report = audit("time", "--env TZ=Etc/UTC")
        .command(python("python", "mcp-server-time"), &[])
        .run();
    insta::assert_snapshot!(summary(&report), @r"
    mcp-time 2026.10.19, 2025-11-25 (legacy)
    2 tools: readOnlyHint 2, destructiveHint 2, idempotentHint 2, openWorldHint 2
    2 read-only, 0 to confirm
    ");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn sqlite() {
    let report = audit("sqlite", "")
        .command(
            python("python-sqlite", "mcp-server-sqlite"),
            &["--db-path", "data.db"],
        )
        .run();
    insta::assert_snapshot!(summary(&report), @r"
    sqlite 0.1.0, 2025-11-25 (legacy)
    6 tools: readOnlyHint 0, destructiveHint 0, idempotentHint 0, openWorldHint 0
    0 read-only, 6 to confirm
    read_query: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    write_query: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    create_table: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    list_tables: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    describe_table: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    append_insight: warning[missing-annotations]: no annotations: clients assume the worst of all four hints
    ");
}

/// Whether this machine lets ordinary programs make namespaces.
#[cfg(target_os = "linux")]
fn has_namespaces(test: &str) -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--net", "--mount", "true"]);
    match unshare.stderr(Stdio::piped()).output() {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            skip(test, &format!("no user namespaces here: {why}"));
            false
        }
        Err(error) => {
            skip(test, &format!("cannot run `unshare`: {error}"));
            false
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn a_private_home_keeps_the_real_one_as_it_was() {
    // The server makes its data base as soon as it starts.
    let server = python("python-sqlite", "mcp-server-sqlite");
    let script = r#"exec "$0" --db-path "$HOME/data.db""#;
    let arguments = ["-c", script, server.to_str().unwrap()];
    let written = |test: &str, option: &str| {
        let audit = audit(test, option).command("sh", &arguments);
        std::fs::write(audit.sayso.home().join("diary"), "dear diary").unwrap();
        assert_eq!(audit.run().tools().len(), 6);
        let mut files: Vec<String> = std::fs::read_dir(audit.sayso.home())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        files
    };
    assert_eq!(written("own-home", ""), ["data.db", "diary"]);
    if has_namespaces("real_servers::a_private_home_keeps_the_real_one_as_it_was") {
        assert_eq!(written("private-home", "--private-home"), ["diary"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn without_a_network_the_listing_is_the_same() {
    if !has_namespaces("real_servers::without_a_network_the_listing_is_the_same") {
        return;
    }
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port().to_string();
    // What the wrapper finds out is told on standard error: whether we can be reached from there.
    let script = r#"
        const net = require("net");
        const socket = net.connect(Number(process.argv[1]), "127.0.0.1");
        const go = (told) => { console.error(told); socket.destroy(); import(process.argv[2]); };
        socket.on("connect", () => go("reached")).on("error", () => go("cut off"));
    "#;
    let server = npm("memory");
    let listed = |test: &str, option: &str| {
        let options = format!("{option} --env MEMORY_FILE_PATH=memory.jsonl");
        let arguments = ["-e", script, &port, server.to_str().unwrap()];
        let report = audit(test, &options).command("node", &arguments).run();
        let tail = report.listing()["stderr_tail"].as_array().unwrap().clone();
        (
            tail[0].as_str().unwrap().to_owned(),
            report.tools().to_vec(),
        )
    };
    let (told, tools) = listed("network", "");
    assert_eq!((told.as_str(), tools.len()), ("reached", 9));
    let (told, without) = listed("no-network", "--no-network");
    assert_eq!((told.as_str(), without), ("cut off", tools));
}
