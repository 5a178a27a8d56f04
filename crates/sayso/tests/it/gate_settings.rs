//! `[gate]` of `sayso.toml`: what is wrong in it is told with its place and what to do.

use crate::sayso::Sayso;

const ONE_TOOL: &str =
    r#"[{"name": "list_files", "description": "Lists files.", "inputSchema": {"type": "object"}}]"#;

/// Any command that reads the settings checks all of them.
fn told(settings: &str) -> String {
    Sayso::new("audit tools.json --fail-on never")
        .file("tools.json", ONE_TOOL)
        .file("sayso.toml", settings)
        .run()
        .stderr
}

/// With one server that can be started.
fn told_of_server(settings: &str) -> String {
    told(&format!("[gate.servers.s]\ncommand = \"s\"\n{settings}\n"))
}

#[test]
fn good_settings_are_silent() {
    let settings = r#"
        [gate]
        listen = "localhost:8931"
        origins = ["https://app.example.com:8443", "http://[::1]:3000"]
        policy = ["read-only"]
        prefix = "always"
        groups.operators = ["local"]
        [gate.servers.a]
        command = "a"
        env = { TOKEN = "${NO_SUCH_VARIABLE_IS_SET}" }
        prefix = ""
        tools.anything.returns = ["untrusted"]
        [gate.servers."b.c-d_2"]
        url = "http://127.0.0.1:1/mcp"
        headers = { Authorization = "Bearer ${TOKEN}" }
    "#;
    let told = told(settings);
    assert!(!told.contains("sayso.toml"), "{told}");
}

#[test]
fn unknown_keys_and_values() {
    insta::assert_snapshot!(told("[gate]\nlisten-on = \"127.0.0.1:1\"\n"), @"
    error: sayso.toml:2:1: unknown key `listen-on`
    hint: did you mean `listen`?
    ");
    insta::assert_snapshot!(told("[gate]\nprefix = \"allways\"\n"), @"
    error: sayso.toml:2:10: unknown value `allways`
    hint: did you mean `always`?
    ");
    insta::assert_snapshot!(told_of_server("trust = \"yes\""), @"
    error: sayso.toml:3:9: unknown value `yes`
    hint: possible here: `trusted`, `untrusted`
    ");
    insta::assert_snapshot!(told_of_server("tools.t.unknown-arguments = \"refused\""), @"
    error: sayso.toml:3:29: unknown value `refused`
    hint: did you mean `refuse`?
    ");
    insta::assert_snapshot!(told_of_server("tools.t.arguments.a.one_of = [1]"), @"
    error: sayso.toml:3:21: unknown key `one_of`
    hint: did you mean `one-of`?
    ");
}

#[test]
fn where_it_listens() {
    insta::assert_snapshot!(told("[gate]\nlisten = \"8931\"\n"), @"
    error: sayso.toml:2:10: `8931` is no address with a port
    hint: write it as `127.0.0.1:8931`
    ");
    insta::assert_snapshot!(told("[gate]\nlisten = \"0.0.0.0:8931\"\n"), @"
    error: sayso.toml:2:10: `0.0.0.0:8931` can be reached from other machines, and identity is not configured
    hint: listen on `127.0.0.1` or `[::1]`, which only this machine reaches
    ");
    insta::assert_snapshot!(told("[gate]\norigins = [\"https://a.example.com\", \"app.example.com\"]\n"), @"
    error: sayso.toml:2:37: `app.example.com` is no origin
    hint: write scheme and host, and the port where it is not the usual one, such as `https://app.example.com`
    ");
    insta::assert_snapshot!(told("[gate]\nhosts = [\"https://gate.example.com/\"]\n"), @"
    error: sayso.toml:2:10: `https://gate.example.com/` is no name of a host
    hint: write the name alone, such as `gate.example.com`
    ");
}

#[test]
fn a_server_that_cannot_be_reached() {
    insta::assert_snapshot!(told("[gate.servers.search]\ntrust = \"trusted\"\n"), @r#"
    error: sayso.toml:1:15: server `search` has neither `command` nor `url`
    hint: say how it is started, `command = "…"`, or where it is, `url = "…"`
    "#);
    insta::assert_snapshot!(told_of_server("url = \"https://mcp.example.com/mcp\""), @"
    error: sayso.toml:3:1: server `s` has both `command` and `url`
    hint: keep the one by which the gate should reach it
    ");
    insta::assert_snapshot!(told_of_server("headers.X-Key = \"1\""), @"
    error: sayso.toml:3:1: `headers` are for a server with a `url`
    hint: hand settings to a program with `args` or `env`
    ");
    insta::assert_snapshot!(told("[gate.servers.s]\nurl = \"ftp://mcp.example.com\"\n"), @"
    error: sayso.toml:2:7: `ftp` is no scheme an MCP server is reached with
    hint: write it as `https://mcp.example.com/mcp`
    ");
    insta::assert_snapshot!(told("[gate.servers.s]\nurl = \"https://mcp.example.com\"\nargs = [\"x\"]\n"), @"
    error: sayso.toml:3:1: `args` is for a server with a `command`
    hint: take it out, or give the command instead of the `url`
    ");
    insta::assert_snapshot!(
        told("[gate.servers.s]\nurl = \"https://mcp.example.com\"\nheaders.Mcp-Session-Id = \"1\"\n"),
        @"
    error: sayso.toml:3:9: `mcp-session-id` is set by the protocol
    hint: take it out, or name another header
    "
    );
    insta::assert_snapshot!(told("[gate.servers.s]\ncommand = \"\"\n"), @"
    error: sayso.toml:2:11: the command is empty
    hint: name a program; its arguments go into `args`
    ");
    insta::assert_snapshot!(told("[gate.servers.\"a b\"]\ncommand = \"a\"\n"), @"
    error: sayso.toml:1:15: `a b` cannot be the name of a server
    hint: use up to 64 letters, digits, `_`, `.` and `-`
    ");
    insta::assert_snapshot!(told_of_server("env = { A = \"${HOME\" }"), @"
    error: sayso.toml:3:13: a `${` without the name of a variable and `}`
    hint: write `${NAME}` for a variable of the environment
    ");
}

#[test]
fn numbers_that_let_nothing_through() {
    insta::assert_snapshot!(told("[gate]\nwait = 0\n"), @"
    error: sayso.toml:2:8: `wait` is no time at all
    hint: allow a second at least, or leave it out
    ");
    insta::assert_snapshot!(told("[gate]\nwait = 1000\n"), @"
    error: sayso.toml:2:8: a call would wait 1000 seconds for an approval that expires after 900
    hint: let an approval live at least as long as a call waits for it
    ");
    insta::assert_snapshot!(told("[gate]\nmax-name = 7\n"), @"
    error: sayso.toml:2:12: names of 7 characters at most leave no room for any
    hint: allow 8 at least
    ");
    insta::assert_snapshot!(told("[gate.limits]\nsessions = 0\n"), @"
    error: sayso.toml:2:12: `sessions` of 0 lets nothing through
    hint: allow one at least, or leave it out
    ");
    insta::assert_snapshot!(told("[gate.limits]\ndepth = 1000\n"), @"
    error: sayso.toml:2:9: messages of 1000 levels at most cannot be worked with
    hint: allow between 8 and 128
    ");
    insta::assert_snapshot!(told_of_server("timeout = 18446744073709551615"), @"
    error: sayso.toml:3:11: `timeout` is longer than a year
    hint: the number is in seconds
    ");
    insta::assert_snapshot!(told_of_server("timeout = 9223372036854775807"), @"
    error: sayso.toml:3:11: `timeout` is longer than a year
    hint: the number is in seconds
    ");
    insta::assert_snapshot!(told_of_server("tools.t.retries = 99"), @"
    error: sayso.toml:3:19: 99 repeats of one call are too many
    hint: allow 10 at most
    ");
}

#[test]
fn names_and_restrictions() {
    insta::assert_snapshot!(told_of_server("prefix = \"a/b\""), @"
    error: sayso.toml:3:10: `a/b` cannot stand in the name of a tool
    hint: use up to 64 letters, digits, `_`, `.` and `-`, or nothing
    ");
    insta::assert_snapshot!(told("[gate.groups]\n\"the operators\" = []\n"), @"
    error: sayso.toml:2:1: `the operators` cannot be the name of a group
    hint: use up to 64 letters, digits, `_`, `.` and `-`
    ");
    insta::assert_snapshot!(told_of_server("tools.t.arguments.index = {}"), @r#"
    error: sayso.toml:3:19: nothing is said about `index`
    hint: say which values it may have, `one-of = […]`, or below which folder, `under = "…"`
    "#);
    insta::assert_snapshot!(told_of_server("[gate.servers.s.tools.t.arguments]\nindex.one-of = []"), @"
    error: sayso.toml:4:16: no value of `index` is allowed
    hint: name the values that are
    ");
    insta::assert_snapshot!(told_of_server("tools.t.exclusive = [\"\"]"), @"
    error: sayso.toml:3:22: `exclusive` has an empty entry
    hint: fill it in, or take it out
    ");
}

#[test]
fn the_first_in_the_file_is_told() {
    insta::assert_snapshot!(
        told("[gate.servers.z]\ntimeout = 0\ncommand = \"z\"\n[gate.servers.a]\n[gate.limits]\ncalls = 0\n"),
        @"
    error: sayso.toml:2:11: `timeout` is no time at all
    hint: allow a second at least, or leave it out
    "
    );
}

#[test]
fn a_variable_that_is_not_set_stops_the_gate_alone() {
    let settings =
        "[gate.servers.s]\ncommand = \"s\"\nenv = { A = \"a\", B = \"${SAYSO_TEST_NOT_SET}\" }\n";
    assert!(!told(settings).contains("SAYSO_TEST_NOT_SET"));
    let gate = |command: &str| Sayso::new(command).file("sayso.toml", settings).run();
    insta::assert_snapshot!(gate("gate").stderr, @"
    error: sayso.toml:3:22: the environment has no variable `SAYSO_TEST_NOT_SET`
    hint: set it before the gate is started
    ");
    insta::assert_snapshot!(gate("gate --check").stderr, @"
    warning: sayso.toml:3:22: the environment has no variable `SAYSO_TEST_NOT_SET`
    hint: set it before the gate is started
    ");
}
