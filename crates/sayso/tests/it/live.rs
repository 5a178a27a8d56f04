//! Live servers: what is sent to them, and what is made of what they do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use crate::sayso::Sayso;

/// A server in the shell: tools of its own for each era, and a word on standard error.
#[cfg(unix)]
const SHELL_SERVER: &str = r#"
echo "starting with $GREETING" >&2
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([^,}]*\).*/\1/')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"server/discover"'*) answer '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*2026-07-28*) answer '{"resultType":"complete","tools":[{"name":"same","inputSchema":{"type":"object"}},{"name":"new","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"same","inputSchema":{"type":"object"}},{"name":"old","inputSchema":{"type":"object"}}]}' ;;
  esac
done
"#;

#[cfg(unix)]
fn shell(arguments: &str) -> Sayso {
    Sayso::new(arguments)
        .argument("--")
        .argument("sh")
        .argument("server.sh")
        .file("server.sh", SHELL_SERVER)
}

#[cfg(unix)]
#[test]
fn each_era_is_read_by_itself_and_both_are_compared() {
    assert_eq!(
        shell("audit --names --era legacy").run().stdout,
        "same\nold\n"
    );
    assert_eq!(
        shell("audit --names --era modern").run().stdout,
        "same\nnew\n"
    );
    let ran = shell("audit --format json --era both").run();
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = report.to_string();
    assert!(text.contains("eras-differ"), "{ran}");
    assert!(
        text.contains("`old` is listed only up to 2025-11-25"),
        "{ran}"
    );
}

#[cfg(unix)]
#[test]
fn an_era_that_cannot_be_read_is_told_and_the_other_is_kept() {
    let without = |method: &str| {
        let refusal = r#"{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}"#;
        let refusing = format!(
            r#"case "$line" in *'"{method}"'*) printf '{refusal}\n' "$id"; continue ;; esac"#
        );
        let server = SHELL_SERVER.replace("  case", &format!("  {refusing}\n  case"));
        Sayso::new("audit --names --era both -- sh server.sh").file("server.sh", server)
    };
    insta::assert_snapshot!(without("server/discover").shown(), @"
    exit code: 0
    ----- stdout
    same
    old
    ----- stderr
    note: `sh`: there is no listing of the protocol from 2026-07-28 on to compare with: the server does not speak protocol version 2026-07-28: it refused `server/discover`: no (-32601)
    ");
    insta::assert_snapshot!(without("initialize").shown(), @"
    exit code: 0
    ----- stdout
    same
    new
    ----- stderr
    note: `sh`: there is no listing of the protocol up to 2025-11-25 to compare with: the server refused `initialize`: no (-32601)
    ");
}

#[cfg(unix)]
#[test]
fn the_command_gets_its_environment_and_directory() {
    let ran = shell("audit --verbose --env GREETING=good-day --cwd .").run();
    assert_eq!(ran.code, Some(0), "{ran}");
    // The value is not shown, also where the server itself prints it.
    assert!(ran.stdout.contains("starting with …"), "{ran}");
    let ran = shell("audit --names --cwd deep/down")
        .file("deep/down/server.sh", SHELL_SERVER)
        .run();
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[cfg(unix)]
#[test]
fn a_saved_listing_is_its_own_baseline() {
    let sayso = shell("audit --save saved.json");
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let saved = std::fs::read_to_string(sayso.directory().join("saved.json")).unwrap();
    assert_eq!(
        saved,
        "{\"tools\": [\n{\"name\":\"same\",\"inputSchema\":{\"type\":\"object\"}},\n{\"name\":\"old\",\"inputSchema\":{\"type\":\"object\"}}\n]}\n"
    );
    let ran = shell("audit --baseline saved.json --era modern --format json")
        .file("saved.json", &saved)
        .run();
    assert!(
        ran.stdout.contains("tool-added") && ran.stdout.contains("tool-removed"),
        "{ran}"
    );
    let ran = shell("audit --baseline saved.json --format json")
        .file("saved.json", &saved)
        .run();
    assert!(!ran.stdout.contains("tool-"), "{ran}");
}

#[test]
fn an_http_server_gets_the_headers_and_nobody_sees_them() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "http://{}/mcp?key=hush-hush",
        listener.local_addr().unwrap()
    );
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        for line in BufReader::new(stream.try_clone().unwrap()).lines() {
            let line = line.unwrap();
            if line.is_empty() {
                break;
            }
            head.push(line.to_ascii_lowercase());
        }
        stream
            .write_all(
                b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            )
            .unwrap();
        head
    });
    let ran = Sayso::new("audit --bearer-env TOKEN")
        .argument("--header=X-Team: hush-team")
        .argument(&url)
        .env("TOKEN", "hush-token")
        .run();
    let head = server.join().unwrap();
    assert!(
        head.iter()
            .any(|line| line.starts_with("post /mcp?key=hush-hush ")),
        "{head:?}"
    );
    assert!(
        head.contains(&"authorization: bearer hush-token".to_owned()),
        "{head:?}"
    );
    assert!(head.contains(&"x-team: hush-team".to_owned()), "{head:?}");
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(ran.stdout.contains("401"), "{ran}");
    assert!(!format!("{ran}").contains("hush"), "{ran}");
}

#[test]
fn one_failing_target_hides_no_other() {
    let ran = Sayso::new("audit --quiet tools.json none.json --example -- no-such-program-at-all")
        .file(
            "tools.json",
            r#"[{"name": "a", "inputSchema": {"type": "object"}}]"#,
        )
        .run();
    assert_eq!(ran.code, Some(3), "{ran}");
    for told in [
        "tools returned: 40",
        "tools returned: 1\n",
        "none.json",
        "no-such-program-at-all",
    ] {
        assert!(ran.stdout.contains(told), "{told}: {ran}");
    }
}

#[test]
fn the_submission_file_has_every_tool_and_hint() {
    let sayso = Sayso::new(
        "audit --example --quiet --profile openai-apps --fail-on never --emit-submission app.json",
    );
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let submission = std::fs::read_to_string(sayso.directory().join("app.json")).unwrap();
    let submission: serde_json::Value = serde_json::from_str(&submission).unwrap();
    let tools = submission["tools"].as_object().unwrap();
    assert_eq!(tools.len(), 40);
    for (name, tool) in tools {
        for key in [
            "read_only_justification",
            "open_world_justification",
            "destructive_justification",
        ] {
            assert!(
                tool["justifications"][key]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{name}: {key}"
            );
        }
    }
    let ran =
        Sayso::new("audit --example --profile anthropic-mcpb --emit-submission app.json").run();
    insta::assert_snapshot!(ran, @r"
    exit code: 2
    ----- stderr
    error: only one profile has a submission file
    hint: add `--profile openai-apps`
    ");
}
