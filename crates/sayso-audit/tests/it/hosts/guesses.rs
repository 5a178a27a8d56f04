//! Configurations of unknown origin.

use sayso_audit::hosts::{guess_format, read_configuration};

use super::machine;

fn guess(text: &str, file: &str) -> String {
    match guess_format(text, file) {
        Ok(source) => {
            let (servers, _) = read_configuration(text, source, file, &machine);
            format!("{}: {} servers", source.host.id, servers.len())
        }
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn the_name_of_the_file_tells_the_host() {
    let text = r#"{ "mcpServers": { "a": { "command": "x" } } }"#;
    let guesses = [
        "/people/ada/.cursor/mcp.json",
        "C:\\Users\\ada\\.kiro\\settings\\mcp.json",
        "claude_desktop_config.json",
        "servers.json",
        "-",
    ]
    .map(|file| format!("{file}: {}", guess(text, file)));
    insta::assert_snapshot!(guesses.join("\n"), @r"
    /people/ada/.cursor/mcp.json: cursor: 1 servers
    C:\Users\ada\.kiro\settings\mcp.json: kiro: 1 servers
    claude_desktop_config.json: claude-desktop: 1 servers
    servers.json: claude-code: 1 servers
    -: claude-code: 1 servers
    ");
}

#[test]
fn the_shape_and_the_keys_tell_the_host() {
    let guesses = [
        r#"{ "mcpServers": { "a": { "httpUrl": "https://x.example.com" } } }"#,
        r#"{ "mcpServers": { "a": { "serverUrl": "https://x.example.com" } } }"#,
        r#"{ "mcpServers": { "a": { "url": "https://x.example.com/${env:TOKEN}" } } }"#,
        r#"{ "mcpServers": {} }"#,
        r#"{ "servers": { "a": { "command": "x" } } }"#,
        r#"{ "context_servers": { "a": { "command": "x" } } }"#,
        r#"{ "mcp": { "servers": { "a": { "command": "x" } } } }"#,
        r#"{ "mcp": { "a": { "type": "local", "command": ["x"] } } }"#,
        r#"{ "mcp": { "a": { "type": "stdio", "command": "x" } } }"#,
        r#"{ "amp.mcpServers": { "a": { "command": "x" } } }"#,
        r#"{ "projects": { "/p": { "mcpServers": { "a": { "command": "x" } } } } }"#,
        "mcp_servers.a.command = \"x\"",
        "extensions: { a: { type: stdio, cmd: x } }",
        "mcpServers: [{ name: a, command: x }]",
    ]
    .map(|text| format!("{text}: {}", guess(text, "unnamed")));
    insta::assert_snapshot!(guesses.join("\n"), @r#"
    { "mcpServers": { "a": { "httpUrl": "https://x.example.com" } } }: gemini-cli: 1 servers
    { "mcpServers": { "a": { "serverUrl": "https://x.example.com" } } }: windsurf-devin: 1 servers
    { "mcpServers": { "a": { "url": "https://x.example.com/${env:TOKEN}" } } }: cursor: 1 servers
    { "mcpServers": {} }: claude-code: 0 servers
    { "servers": { "a": { "command": "x" } } }: vscode: 1 servers
    { "context_servers": { "a": { "command": "x" } } }: zed: 1 servers
    { "mcp": { "servers": { "a": { "command": "x" } } } }: vscode: 1 servers
    { "mcp": { "a": { "type": "local", "command": ["x"] } } }: opencode: 1 servers
    { "mcp": { "a": { "type": "stdio", "command": "x" } } }: crush: 1 servers
    { "amp.mcpServers": { "a": { "command": "x" } } }: amp: 1 servers
    { "projects": { "/p": { "mcpServers": { "a": { "command": "x" } } } } }: claude-code: 1 servers
    mcp_servers.a.command = "x": codex: 1 servers
    extensions: { a: { type: stdio, cmd: x } }: goose: 1 servers
    mcpServers: [{ name: a, command: x }]: continue: 1 servers
    "#);
}

#[test]
fn what_fits_no_host_is_told_with_the_known_shapes() {
    insta::assert_snapshot!(guess(r#"{ "tools": [] }"#, "a.json"), @r"
    a.json:1:1: no known host keeps its servers the way this file does
    hint: servers are looked for in `amp.mcpServers` (a table in JSON), `context_servers` (a table in JSON), `extensions` (a table in YAML), `mcp.servers` (a table in JSON), `mcpServers` (a list in YAML), `mcpServers` (a table in JSON), `mcp_servers` (a table in TOML), `mcp` (a table in JSON), `projects.*.mcpServers` (a table in JSON), `servers` (a table in JSON)
    ");
    insta::assert_snapshot!(guess(r#"{ "mcpServers": { "#, "a.json"), @r"
    a.json:1:17: not JSON: unterminated object
    hint: the host cannot read the file either; mend it there
    ");
}
