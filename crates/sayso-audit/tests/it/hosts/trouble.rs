//! Configurations with something wrong in them.

use sayso_audit::hosts::{HostProfile, Launch, Reference, Severity, read_configuration};

use super::{machine, tell};

/// Reads text as the first file of a host.
fn read(id: &str, text: &str) -> String {
    let source = HostProfile::find(id).unwrap().sources().next().unwrap();
    let (servers, problems) = read_configuration(text, source, "file", &machine);
    tell(&servers, &problems)
}

#[test]
fn one_bad_entry_never_hides_the_others() {
    let text = r#"{
  "mcpServers": {
    "text": "npx server",
    "nothing": {},
    "misspelt": { "comand": "npx" },
    "foreign": { "serverUrl": "https://mcp.example.com" },
    "numbers": { "command": 7 },
    "list": { "command": ["npx", "server"] },
    "empty": { "command": " " },
    "args": { "command": "npx", "args": "server" },
    "arg": { "command": "npx", "args": ["a", {"b": 1}] },
    "env": { "command": "npx", "env": ["A=1"] },
    "unset": { "command": "npx", "env": { "KEY": "${NOT_SET}${ALSO_NOT}" } },
    "address": { "type": "http", "url": "mcp.example.com" },
    "no-address": { "type": "http", "command": "npx" },
    "odd-transport": { "type": "websocket", "url": "https://mcp.example.com" },
    "both": { "command": "npx", "url": "https://mcp.example.com" },
    "good": { "command": "good" },
    "good": { "command": "better" },
    "new\nline": { "command": 1 }
  }
}"#;
    insta::assert_snapshot!(read("claude-code", text), @r"
    16: odd-transport
        Unknown https://mcp.example.com
    17: both
        npx []
    19: good
        better []
    Note file:19:5: server `good`: its name is given twice; the later entry counts
    hint: rename or remove one of them
    Error file:3:13: server `text`: the entry is a string, not a table
    hint: see https://code.claude.com/docs/en/mcp
    Error file:4:5: server `nothing`: has neither a command nor an address
    hint: see https://code.claude.com/docs/en/mcp
    Error file:5:5: server `misspelt`: has neither a command nor an address
    hint: Claude Code calls it `command`, not `comand`
    Error file:6:5: server `foreign`: has neither a command nor an address
    hint: Claude Code calls it `url`, not `serverUrl`
    Error file:7:29: server `numbers`: `command` is a number, not a string
    hint: see https://code.claude.com/docs/en/mcp
    Error file:8:26: server `list`: `command` is a list, not a string
    hint: see https://code.claude.com/docs/en/mcp
    Error file:9:27: server `empty`: `command` is empty
    hint: name the program to start
    Error file:10:41: server `args`: `args` is a string, not a list
    hint: see https://code.claude.com/docs/en/mcp
    Error file:11:46: server `arg`: `args[1]` is a table, not a string
    hint: see https://code.claude.com/docs/en/mcp
    Error file:12:39: server `env`: `env` is a list, not a table
    hint: see https://code.claude.com/docs/en/mcp
    Error file:13:50: server `unset`: `${NOT_SET}` in `env.KEY` has no value
    hint: set the environment variable `NOT_SET`
    Error file:13:50: server `unset`: `${ALSO_NOT}` in `env.KEY` has no value
    hint: set the environment variable `ALSO_NOT`
    Error file:14:41: server `address`: `url` is not an http or https address
    hint: give the whole address, with `https://`
    Error file:15:5: server `no-address`: its transport is that of an HTTP server, but it has no `url`
    hint: see https://code.claude.com/docs/en/mcp
    Note file:16:32: server `odd-transport`: Claude Code is not known to have a transport `websocket`
    hint: known are `stdio`, `http`, `streamable-http`, `sse`
    Note file:17:5: server `both`: has both `command` and `url`; `command` counts
    hint: remove the other
    Error file:20:31: server `new\nline`: `command` is a number, not a string
    hint: see https://code.claude.com/docs/en/mcp
    ");
}

#[test]
fn a_server_that_is_off_does_not_fail() {
    let text = r#"{ "mcpServers": { "off": { "command": "x", "env": { "K": "${NOT_SET}" }, "disabled": true } } }"#;
    insta::assert_snapshot!(read("kiro", text), @r"
    Note file:1:58: server `off`: `${NOT_SET}` in `env.K` has no value
    hint: set the environment variable `NOT_SET`
    ");
}

#[test]
fn a_flag_of_another_kind_is_noted_and_ignored() {
    let text = r#"{ "mcpServers": { "x": { "command": "x", "disabled": "yes" } } }"#;
    insta::assert_snapshot!(read("kiro", text), @r"
    1: x
        x []
    Note file:1:54: server `x`: `disabled` is a string, not true or false
    hint: it is taken as not being there
    ");
}

#[test]
fn broken_files_say_where() {
    insta::assert_snapshot!(
        [
            read("cursor", "{\n  \"mcpServers\": {\n    \"a\": { \"command\": \"ä\" \"args\": [] }\n  }\n}"),
            read("cursor", "{ \"mcpServers\": {"),
            read("cursor", "{ mcpServers: {} }"),
            read("codex", "[mcp_servers.a]\ncommand = \"x\"\ncommand = \"y\"\n"),
            read("codex", "[mcp_servers.a\n"),
            read("goose", "extensions:\n  a:\n    cmd: x\n    cmd: y\n"),
            read("goose", "extensions:\n  - [\n"),
            read("goose", "extensions: *nowhere\n"),
            read("goose", "extensions: {}\n---\nextensions: {}\n"),
            read("cursor", "{ \"mcpServers\": [] }"),
            read("continue", "mcpServers:\n  a: 1\n"),
        ]
        .join("\n"),
        @r"
    Error file:3:26: not JSON: expected comma
    hint: the host cannot read the file either; mend it there
    Error file:1:17: not JSON: unterminated object
    hint: the host cannot read the file either; mend it there
    Error file:1:3: not JSON: expected string for object property
    hint: the host cannot read the file either; mend it there
    Error file:3:1: not TOML: duplicate key
    hint: the host cannot read the file either; mend it there
    Error file:1:15: not TOML: unclosed table, expected `]`
    hint: the host cannot read the file either; mend it there
    Error file:4:5: not YAML: a key stands twice in a table
    hint: the host cannot read the file either; mend it there
    Error file:2:5: not YAML: its syntax is wrong here
    hint: the host cannot read the file either; mend it there
    Error file:1:13: not YAML: its syntax is wrong here
    hint: the host cannot read the file either; mend it there
    Error file:3:1: not YAML: it has more than one document
    hint: the host cannot read the file either; mend it there
    Error file:1:17: `mcpServers` is a list, not a table of servers by name
    hint: see https://cursor.com/docs/mcp
    Error file:2:3: `mcpServers` is a table, not a list of servers
    hint: see https://docs.continue.dev/customize/deep-dives/mcp
    "
    );
}

#[test]
fn what_people_and_windows_do_to_files_is_forgiven() {
    let text = "\u{feff}{\r\n  // mine\r\n  \"mcpServers\": {\r\n    \"a\": { \"command\": \"x\", },\r\n  },\r\n}\r\n";
    insta::assert_snapshot!(read("claude-desktop", text), @r"
    4: a
        x []
    Note file:1:1: the file begins with a byte order mark
    hint: save it as UTF-8 without one: some hosts refuse the file or lose its servers
    Note file:2:3: comments or trailing commas in plain JSON
    hint: read all the same; this host is not known to allow them
    ");
    for nothing in [
        "",
        "\u{feff}",
        "  \n",
        "{}",
        "{ \"mcpServers\": null }",
        "{ \"mcpServers\": {} }",
    ] {
        let told = read("claude-desktop", nothing);
        assert!(!told.contains("Error"), "{nothing:?}: {told}");
    }
    assert_eq!(read("goose", "extensions:\n"), "");
    assert_eq!(read("codex", "model = \"x\"\r\n"), "");
}

#[test]
fn servers_kept_where_another_host_reads_them_are_noticed() {
    let text = r#"{ "mcpServers": { "a": { "command": "x" } } }"#;
    insta::assert_snapshot!(read("vscode", text), @r"
    Note file:1:17: there are servers under `mcpServers`, but Visual Studio Code reads `servers`
    hint: move them to `servers` if Visual Studio Code is to see them
    ");
    let settings = r#"{ "mcp": { "allowed": ["a"] }, "extensions": { "autoUpdate": true } }"#;
    assert_eq!(read("gemini-cli", settings), "");
}

#[test]
fn references_the_host_does_not_know_are_left_and_noted() {
    let text = r#"{ "mcpServers": { "a": { "command": "x", "env": { "K": "${TOKEN}", "L": "{env:TOKEN}" } } } }"#;
    insta::assert_snapshot!(read("cursor", text), @r"
    1: a
        x []
        K=${TOKEN}
        L={env:TOKEN}
    Note file:1:56: server `a`: `${TOKEN}` in `env.K` is passed on as it stands
    hint: Cursor is not known to read such references
    ");
}

#[test]
fn secrets_stay_out_of_debug_and_problems() {
    let text = r#"{ "mcpServers": {
        "a": {
            "command": "run",
            "args": ["--key", "${env:TOKEN}"],
            "env": { "KEY": "secret-1", "OTHER": "${env:TOKEN}", "LEFT": "${A:-secret-2}" }
        },
        "b": {
            "url": "https://user:secret-3@mcp.example.com/mcp?key=secret-4",
            "headers": { "Authorization": "Bearer secret-5", "X": "${env:TOKEN}" }
        },
        "c": { "command": "run", "env": { "KEY": ["secret-6"], "X": "secret-7 ${env:NOT_SET}" } },
        "d": { "url": "secret-8", "headers": { "X": {} } }
    } }"#;
    let source = HostProfile::find("cursor")
        .unwrap()
        .sources()
        .next()
        .unwrap();
    let (servers, problems) = read_configuration(text, source, "file", &machine);
    let mut told = format!("{servers:#?}\n{problems:#?}");
    for problem in &problems {
        told += &problem.to_string();
    }
    for server in &servers {
        match &server.launch {
            Launch::Stdio {
                command, args, env, ..
            } => told += &format!("{command} {args:?} {env:?}"),
            Launch::Http { url, headers, .. } => told += &format!("{url} {headers:?}"),
        }
    }
    assert_eq!(servers.len(), 2);
    assert!(
        !told.contains("secret-") && !told.contains("t0ken"),
        "{told}"
    );
    insta::assert_debug_snapshot!(servers[1], @r#"
    ServerSpec {
        name: "b",
        host: "cursor",
        project: None,
        launch: Http {
            url: "https://…@mcp.example.com/mcp?…",
            headers: [
                (
                    "Authorization",
                    "…",
                ),
                (
                    "X",
                    "…",
                ),
            ],
            kind: Unknown,
        },
        disabled: false,
        line: 7,
    }
    "#);
}

#[test]
fn the_text_of_a_broken_file_stays_out_of_the_problem() {
    for (id, text) in [
        (
            "cursor",
            "{ \"mcpServers\": { \"a\": { \"env\": { \"K\": \"secret-1\" 'secret-2' secret-3",
        ),
        (
            "codex",
            "[mcp_servers.a]\nenv = { K = \"secret-1\", secret-2 secret-3 }\n",
        ),
        (
            "goose",
            "extensions:\n  a:\n    envs:\n      K: \"secret-1\n   secret-2: *secret-3\n",
        ),
    ] {
        let told = read(id, text);
        assert!(
            told.contains("Error") && !told.contains("secret-"),
            "{told}"
        );
    }
}

#[test]
fn the_caller_answers_for_references() {
    let text = r#"{ "servers": { "a": { "command": "x", "env": { "K": "${input:key}" } } } }"#;
    let source = HostProfile::find("vscode")
        .unwrap()
        .sources()
        .next()
        .unwrap();
    let asked = |reference: Reference<'_>| match reference {
        Reference::Elsewhere {
            source: "input",
            name: "key",
        } => Some("given".to_owned()),
        _ => None,
    };
    let (servers, problems) = read_configuration(text, source, "file", &asked);
    assert_eq!(problems, []);
    let Launch::Stdio { env, .. } = &servers[0].launch else {
        panic!("not a process")
    };
    assert_eq!(env[0].1.expose(), "given");
    let (servers, problems) = read_configuration(text, source, "file", &machine);
    assert_eq!(servers, []);
    assert_eq!(problems[0].severity, Severity::Error);
    insta::assert_snapshot!(problems[0], @r"
    file:1:53: server `a`: `${input:key}` in `env.K` has no value
    hint: only the host can look that up; start the server by its own command, with the value filled in
    ");
}
