//! The official conformance suite against a server and a client of our own in each era, which stand
//! at the two ends when the gate is between them.

mod through;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::fixtures::Background;
use crate::real_servers::installed;

/// A revision of the protocol, as the suite names what it requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Revision {
    Legacy,
    Modern,
}

use Revision::{Legacy, Modern};

impl Revision {
    const fn date(self) -> &'static str {
        match self {
            Legacy => "2025-11-25",
            Modern => "2026-07-28",
        }
    }

    /// Which the fixtures are named after.
    const fn era(self) -> &'static str {
        match self {
            Legacy => "legacy",
            Modern => "modern",
        }
    }

    /// What the suite has clients do in it. Signing in is left out, for it is between a client and
    /// the next at the other end of its connection alone.
    const fn client_scenarios(self) -> &'static [&'static str] {
        match self {
            Legacy => &[
                "initialize",
                "tools_call",
                "elicitation-sep1034-client-defaults",
                "sse-retry",
                "json-schema-2020-12-preservation",
            ],
            Modern => &[
                "tools_call",
                "request-metadata",
                "sep-2322-client-request-state",
                "http-standard-headers",
                "http-custom-headers",
                "http-invalid-tool-headers",
                "json-schema-ref-no-deref",
                "json-schema-2020-12-preservation",
            ],
        }
    }
}

/// The checks of each scenario, each with what came of it, in the order of their names.
type Checks = BTreeMap<String, Vec<String>>;

/// A file of ours.
fn fixture(name: &str) -> PathBuf {
    let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/servers/conformance");
    servers.join(name).canonicalize().unwrap()
}

/// Node, new enough for the suite: the one installed for it or, where there is none for this
/// machine, the person's own.
fn node() -> PathBuf {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let program = format!("bin/node{}", std::env::consts::EXE_SUFFIX);
    let modules = installed("conformance/node_modules");
    let own = modules
        .join(format!("node-{system}-{machine}"))
        .join(program);
    if own.exists() { own } else { "node".into() }
}

/// The suite, writing what it found into this folder.
fn suite(results: &TempDir, arguments: &[&str]) -> Command {
    let index = "conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js";
    let mut command = Command::new(node());
    command.arg(installed(index)).args(arguments);
    command.arg("--output-dir").arg(results.path());
    command
}

/// A server in the background that says its URL first.
fn url_of(child: &mut Child) -> String {
    let mut url = String::new();
    let output = child.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut url).unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "no URL but {url:?}");
    url.trim().to_owned()
}

/// The fixture server, and its URL.
fn server(revision: Revision) -> (Background, String) {
    let mut command = Command::new(node());
    command.arg(fixture(&format!("{}.mjs", revision.era())));
    let mut server = Background::start(command.stdout(Stdio::piped()));
    let url = url_of(server.child());
    (server, url)
}

/// What the suite found about a server.
fn server_checks(revision: Revision, url: &str) -> Checks {
    let results = TempDir::new().unwrap();
    let arguments = ["server", "--url", url, "--requirements", revision.date()];
    let output = suite(&results, &arguments).output().unwrap();
    // Its exit code says no more than the results do.
    let mut checks = read(&results, "server-");
    // The fixture does not have the extension.
    checks.retain(|scenario, _| !scenario.starts_with("tasks-"));
    assert!(
        checks.len() > 30,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    checks
}

/// What the suite found about a client, of which this is the command without the URL.
fn client_checks(revision: Revision, client: &[PathBuf]) -> Checks {
    let results = TempDir::new().unwrap();
    // A shell takes it apart again.
    let quoted = |word: &PathBuf| format!("\"{}\"", word.display());
    let command: Vec<_> = client.iter().map(quoted).collect();
    let command = command.join(" ");
    for scenario in revision.client_scenarios() {
        let version = revision.date();
        let arguments = ["client", "--scenario", scenario, "--spec-version", version];
        let output = suite(&results, &arguments)
            .args(["--command", &command])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("Client exited"), "{scenario}: {stderr}");
    }
    let checks = read(&results, "");
    let wanted = revision.client_scenarios().iter();
    let wanted: Vec<_> = wanted.map(|scenario| (*scenario).to_owned()).collect();
    let mut missing = wanted.iter().filter(|name| !checks.contains_key(*name));
    assert_eq!(missing.next(), None);
    checks
}

/// Reads every `checks.json`, one a scenario, in folders named after scenario and time.
fn read(results: &TempDir, prefix: &str) -> Checks {
    let mut checks = Checks::new();
    for folder in std::fs::read_dir(results.path()).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let scenario = name.strip_prefix(prefix).unwrap();
        // `…-2026-01-31T12-00-00-000Z`.
        let scenario = &scenario[..scenario.len() - "-2026-01-31T12-00-00-000Z".len()];
        let text = std::fs::read_to_string(folder.path().join("checks.json")).unwrap();
        let found: Vec<Value> = serde_json::from_str(&text).unwrap();
        let mut found: Vec<_> = found.iter().filter_map(judged).collect();
        found.sort_unstable();
        checks.insert(scenario.to_owned(), found);
    }
    checks
}

/// What came of a check; nothing for a mere note of what went over the wire.
fn judged(check: &Value) -> Option<String> {
    let word = |key: &str| check[key].as_str().unwrap();
    let [id, name, status] = ["id", "name", "status"].map(word);
    let noted = id.starts_with("incoming-") || id.starts_with("outgoing-");
    (!noted).then(|| format!("{id} {name} {status}"))
}

/// How many checks passed, and each that did not.
fn told(checks: &Checks) -> String {
    let of = |status: &'static str| {
        let all = checks.values().flatten();
        all.filter(move |check| check.ends_with(status)).count()
    };
    let mut told = format!(
        "{} scenarios: {} checks passed, {} failed, {} warned\n",
        checks.len(),
        of(" SUCCESS"),
        of(" FAILURE"),
        of(" WARNING"),
    );
    for (scenario, found) in checks {
        for check in found.iter().filter(|check| !check.ends_with(" SUCCESS")) {
            writeln!(told, "{scenario}: {check}").unwrap();
        }
    }
    told
}

/// The client, without the URL it is to be given.
fn client() -> Vec<PathBuf> {
    vec![node(), fixture("client.mjs")]
}

#[test]
#[ignore = "needs the suite that `cargo xtask test` installs"]
fn the_fixtures_of_the_legacy_era_pass() {
    let (_server, url) = server(Legacy);
    insta::assert_snapshot!(told(&server_checks(Legacy, &url)), @"
    33 scenarios: 81 checks passed, 0 failed, 2 warned
    server-sse-polling: server-sse-disconnect-resume ServerDisconnectResume INFO
    server-sse-polling: server-sse-priming-event ServerSendsPrimingEvent WARNING
    server-sse-polling: server-sse-retry-field ServerSendsRetryField WARNING
    server-sse-polling: stream-closed StreamClosed INFO
    ");
    insta::assert_snapshot!(told(&client_checks(Legacy, &client())), @"
    5 scenarios: 20 checks passed, 0 failed, 0 warned
    initialize: server-info ServerInfo INFO
    ");
}

#[test]
#[ignore = "needs the suite that `cargo xtask test` installs"]
fn the_fixtures_of_the_modern_era_pass() {
    let (_server, url) = server(Modern);
    insta::assert_snapshot!(told(&server_checks(Modern, &url)), @"
    40 scenarios: 152 checks passed, 0 failed, 0 warned
    server-sse-multiple-streams: server-sse-streams-functional ServerSSEStreamsFunctional INFO
    ");
    insta::assert_snapshot!(told(&client_checks(Modern, &client())), @"
    8 scenarios: 64 checks passed, 0 failed, 0 warned
    http-standard-headers: sep-2243-client-includes-standard-headers ClientMcpMethodHeader_initialize SKIPPED
    http-standard-headers: sep-2243-client-includes-standard-headers ClientMcpMethodHeader_notifications_initialized SKIPPED
    ");
}
