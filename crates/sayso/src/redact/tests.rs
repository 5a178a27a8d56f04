use super::{Secrets, shown_command, shown_url, words};

fn show(line: &[&str]) -> String {
    shown_command(line[0], line[1..].iter().copied(), &mut Secrets::default())
}

#[test]
fn a_command_line_is_shown_without_secrets() {
    let shown = [
        show(&["npx", "-y", "@scope/server-files", "/tmp/a b"]),
        show(&["srv", "--api-key", "hush", "--port", "80"]),
        show(&["srv", "--api-key=hush", "--token", "--verbose"]),
        show(&[
            "docker",
            "run",
            "-e",
            "TOKEN=hush",
            "--env",
            "A",
            "image:1.2",
        ]),
        show(&[
            "npx",
            "mcp-remote",
            "https://ann:hush@host.test/mcp?key=hush",
            "--header",
            "X-Key: hush",
        ]),
        show(&["srv", "ghp_0123456789abcdef0123", "it's", ""]),
        show(&["srv", "postgres://user:hush@db.test/base"]),
        show(&["srv", "a\u{202e}b\u{1b}[31m"]),
    ];
    insta::assert_snapshot!(shown.join("\n"), @r"
    npx -y @scope/server-files '/tmp/a b'
    srv --api-key … --port 80
    srv --api-key=… --token --verbose
    docker run -e TOKEN=… --env … image:1.2
    npx mcp-remote 'https://…@host.test/mcp?…' --header X-Key:…
    srv … 'it'\''s' ''
    srv postgres://…@db.test/base
    srv 'a\u{202e}b\u{1b}[31m'
    ");
}

#[test]
fn a_secret_is_found_in_other_notations_and_a_name_is_none() {
    let shown = [
        show(&[
            "srv",
            "--api-key",
            "aHVzaA==",
            "--auth",
            "ann:hush",
            "--pass=a=b",
        ]),
        show(&[
            "srv",
            "token=hush",
            "Server=db;Password=hush;Port=1",
            "name=x",
        ]),
        show(&[
            "srv",
            "--config",
            r#"{"url":"https://a.test","apiKey":"hush"}"#,
        ]),
        show(&[
            "srv",
            "--db={\"password\":\"hush\"}",
            "-c",
            "password: hush",
        ]),
        show(&[
            "srv",
            "see https://ann:hush@a.test",
            "acme/auth:1.2",
            "C:\\keys\\a.pem",
        ]),
        show(&[
            "srv",
            "claude-3-5-sonnet-20241022",
            "my-long-server-name-20261130",
        ]),
        show(&[
            "srv",
            "c29tZS1sb25nLXNlY3JldC0xMjM=",
            "550e8400-e29b-41d4-a716-446655440000",
        ]),
        show(&["docker", "run", "-e", "aHVzaA", "-H", "Bearer hush: x"]),
    ];
    insta::assert_snapshot!(shown.join("\n"), @r"
    srv --api-key … --auth … --pass=…
    srv token=… 'Server=db;Password=…' name=x
    srv --config '{…}'
    srv '--db={…}' -c password:…
    srv … acme/auth:1.2 C:\keys\a.pem
    srv claude-3-5-sonnet-20241022 my-long-server-name-20261130
    srv … …
    docker run -e … -H …
    ");
}

#[test]
fn what_was_hidden_is_taken_out_of_other_text() {
    let mut secrets = Secrets::default();
    shown_url(
        "https://ann:passw0rd@host.test/a1b2c3d4e5f6a1b2c3d4e5f6/mcp?key=s3cr3t-value",
        &mut secrets,
    );
    secrets.add("Bearer abcdefgh");
    let said = "401 for ann:passw0rd key s3cr3t-value, header Bearer abcdefgh, token abcdefgh, at /a1b2c3d4e5f6a1b2c3d4e5f6";
    insta::assert_snapshot!(secrets.scrub(said), @"401 for ann:… key …, header …, token …, at /…");
    assert_eq!(format!("{secrets:?}"), "Secrets(5)");

    let mut secrets = Secrets::default();
    let settings = r#"{"server":{"apiKey":"hush-hush","seats":3},"note":"plain text"}"#;
    shown_command(
        "srv",
        ["--config", settings, "--auth", "ann:hush-more"],
        &mut secrets,
    );
    let said = "key hush-hush, login ann hush-more, plain text";
    insta::assert_snapshot!(secrets.scrub(said), @"key …, login ann …, plain text");
}

#[test]
fn what_is_shown_of_a_command_can_be_taken_apart_again() {
    for line in [
        &["node", "dist/server.js"] as &[&str],
        &["C:\\Program Files\\node.exe", "C:\\server.js", ""],
        &["sh", "-c", "it's a 'test' \"here\"", "'", "\\'", "a\\"],
    ] {
        assert_eq!(words(&show(line)).unwrap(), line);
    }
    assert_eq!(words("a 'b"), None);
    assert_eq!(words("").unwrap(), Vec::<String>::new());
}
