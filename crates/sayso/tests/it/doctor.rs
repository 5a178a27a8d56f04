//! `sayso doctor`: what it says of gates that are well and of gates that are not.

use std::net::TcpListener;

use crate::sayso::Sayso;

const SETTINGS: &str = r#"
[gate.servers.own]
command = "cat"
first-use = "trust-once"
"#;

#[test]
fn a_gate_that_is_well() {
    let sayso = Sayso::new("doctor").file("sayso.toml", SETTINGS);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    ok       settings: [DIR]/sayso.toml: 1 server
    ok       server own: is started with /usr/bin/cat
    note     lock: sayso.lock is not there: what is listed first is taken or asked about
    note     rulings: sayso.rulings.toml is not there: what servers claim can only raise the risk
    ok       policy: spec-default: 3 policies
    note     store: sayso.db is not there yet: the gate makes it
    nothing has to be mended
    ");
}

#[test]
fn programs_are_told_the_same() {
    let settings =
        format!("{SETTINGS}\n[gate.servers.gone]\ncommand = \"a-program-that-is-not-there\"\n");
    let sayso = Sayso::new("doctor --format json").file("sayso.toml", settings);
    let ran = sayso.run();
    assert_eq!(ran.code, Some(1), "{ran}");
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told["version"], 1);
    let findings = told["findings"].as_array().unwrap();
    let problems = findings.iter().filter(|one| one["state"] == "problem");
    let problems: Vec<_> = problems.collect();
    assert_eq!(told["problems"], problems.len());
    insta::assert_snapshot!(serde_json::to_string_pretty(&problems[0]).unwrap(), @r#"
    {
      "of": "server gone",
      "state": "problem",
      "what": "the program `a-program-that-is-not-there` is not found",
      "hint": "install it, or write its whole path into `command`"
    }
    "#);
    let written = sayso.again("doctor --format json --output told.json");
    assert_eq!(written.stdout, "", "{written}");
    let kept = std::fs::read_to_string(sayso.directory().join("told.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["problems"], told["problems"]);
}

#[test]
fn evidence_that_the_gate_does_not_take_up_is_noted() {
    let evidence = r#"{"format": 1, "servers": {
      "own": {"launch": {"command": "dog"}, "tools": {}},
      "other": {"launch": {"command": "cat"}, "tools": {}}}}"#;
    let sayso = Sayso::new("doctor")
        .file("sayso.toml", SETTINGS)
        .file("sayso.evidence.json", evidence);
    let ran = sayso.run();
    let lines = ran.stdout.lines().filter(|line| line.contains("evidence"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    ok       evidence: sayso.evidence.json: 0 tools were observed
    note     evidence: the evidence about `other` counts for nothing: the servers of the gate are `own`
    note     evidence: `own`: the evidence counts for nothing: it is of `dog`, and this is `cat`; `sayso verify` watches this one
    ");
}

#[test]
fn without_settings() {
    insta::assert_snapshot!(Sayso::new("doctor").shown(), @"
    exit code: 0
    ----- stdout
    note     settings: there is no `sayso.toml` here; a gate would be the demonstration
    nothing has to be mended
    ");
}

#[test]
fn everything_that_is_wrong_is_told_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let settings = format!(
        r#"
[gate]
listen = "127.0.0.1:{port}"
policy = ["own.cedar"]

[gate.servers.gone]
command = "a-program-that-is-not-there"

[gate.servers.elsewhere]
command = "cat"
cwd = "no-folder"

[gate.servers.unset]
command = "cat"
env = {{ KEY = "${{NOWHERE_TO_BE_FOUND}}" }}
"#
    );
    let sayso = Sayso::new("doctor")
        .file("sayso.toml", settings)
        .file(
            "own.cedar",
            "permit (principal, action, resource) when { nothing };",
        )
        .file("sayso.rulings.toml", "version = ")
        .file("sayso.db", "no database");
    let shown = sayso.shown().replace(&port.to_string(), "[PORT]");
    // Nobody answers there.
    drop(listener);
    insta::assert_snapshot!(shown, @"
    exit code: 1
    ----- stdout
    ok       settings: [DIR]/sayso.toml: 3 servers
    problem  server elsewhere: its folder `no-folder` is not there
             hint: make the folder, or change `cwd`
    problem  server gone: the program `a-program-that-is-not-there` is not found
             hint: install it, or write its whole path into `command`
    problem  server unset: `NOWHERE_TO_BE_FOUND` is not set
             hint: set the variable in the environment of the gate: for a host's gate, in `env` of its entry
    problem  lock: every tool of `elsewhere` and of 2 more servers is held back: sayso.lock has no pin of it
             hint: look at the tools, then pin them: `sayso lock --config [DIR]/sayso.toml`
    problem  rulings: sayso.rulings.toml:1:11: string values must be quoted, expected literal string
             hint: mend the file
    problem  policy: own.cedar:1:45: invalid variable: nothing
             hint: the valid Cedar variables are `principal`, `action`, `resource`, and `context`; did you mean to enclose `nothing` in quotes to make a string?
    problem  store: `sayso.db` is no store of the gate
             hint: name another file
    problem  listen: something else listens on 127.0.0.1:[PORT]
             hint: set another port for `listen`, or end what is there
    8 problems to be mended
    ");
}

#[test]
fn settings_that_cannot_be_read() {
    let sayso = Sayso::new("doctor").file("sayso.toml", "[gate]\nlissten = \"127.0.0.1:1\"\n");
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 1
    ----- stdout
    problem  settings: sayso.toml:2:1: unknown key `lissten`
             hint: did you mean `listen`?
    1 problem to be mended
    ");
}

#[test]
fn entries_of_hosts_lead_to_a_gate() {
    let mcp = r#"{"mcpServers": {"notes": {"command": "cat"}}}"#;
    let sayso = Sayso::new("install cursor --yes").home_file(".cursor/mcp.json", mcp);
    assert_eq!(sayso.run().code, Some(0));
    insta::assert_snapshot!(sayso.again("doctor").stdout, @"
    note     settings: there is no `sayso.toml` here; a gate would be the demonstration
    ok       host cursor: [HOME]/.cursor/mcp.json: runs the gate of [HOME]/.config/sayso/gates/cursor/sayso.toml
    nothing has to be mended
    ");
    std::fs::remove_file(sayso.home().join(".config/sayso/gates/cursor/sayso.toml")).unwrap();
    insta::assert_snapshot!(sayso.again("doctor").stdout, @"
    note     settings: there is no `sayso.toml` here; a gate would be the demonstration
    problem  host cursor: [HOME]/.cursor/mcp.json: `sayso` runs the gate of `[HOME]/.config/sayso/gates/cursor/sayso.toml`, which is not there
             hint: put the file back, or put the servers back from the copy beside the configuration
    1 problem to be mended
    ");
}
