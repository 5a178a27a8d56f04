//! Targets from hosts' configurations.

use serde_json::json;

use crate::sayso::Sayso;

/// An entry that starts the embedded example.
fn example() -> serde_json::Value {
    json!({"command": env!("CARGO_BIN_EXE_sayso"), "args": ["example-server"], "env": {"API_TOKEN": "hush-hush-hush"}})
}

#[test]
fn every_server_of_a_file_is_audited_and_one_bad_entry_hides_no_other() {
    let configuration = json!({"mcpServers": {
        "good": example(),
        "needs": {"command": "server", "env": {"KEY": "${SAYSO_TEST_UNSET}"}},
        "gone": {"command": "no-such-program-at-all"},
    }});
    let text = configuration.to_string();
    let sayso = Sayso::new("audit --names --config .mcp.json").file(".mcp.json", &text);
    let ran = sayso.run();
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.stdout.lines().count(), 40, "{ran}");
    // The program's own path stands before it in the file, so the column is not always the same.
    let column = text.find("\"${SAYSO_TEST_UNSET}").unwrap() + 1;
    let stderr = ran.stderr.replace(&format!(":1:{column}:"), ":1:[COLUMN]:");
    assert!(ran.stdout.starts_with("good\tprofile_fetch\n"), "{ran}");
    insta::assert_snapshot!(stderr, @r"
    error: `gone`: the command `no-such-program-at-all` was not found
    hint: check its spelling and that it is in PATH, or give the program's full path
    error: `needs`: .mcp.json:1:[COLUMN]: `${SAYSO_TEST_UNSET}` in `env.KEY` has no value
    hint: set the environment variable `SAYSO_TEST_UNSET`
    ");
}

#[test]
fn one_server_can_be_chosen() {
    let configuration =
        json!({"mcpServers": {"files": example(), "gone": {"command": "no-such-program-at-all"}}});
    let run = |name: &str| {
        Sayso::new("audit --names --config .mcp.json --server")
            .argument(name)
            .file(".mcp.json", configuration.to_string())
            .run()
    };
    let ran = run("files");
    assert_eq!(
        (ran.code, ran.stdout.lines().count()),
        (Some(0), 40),
        "{ran}"
    );
    insta::assert_snapshot!(run("flies"), @r"
    exit code: 2
    ----- stderr
    error: no server is called `flies` there
    hint: did you mean `files`?
    ");
    insta::assert_snapshot!(run("zzz"), @r"
    exit code: 2
    ----- stderr
    error: no server is called `zzz` there
    hint: there are `files`, `gone`
    ");
}

#[test]
fn a_file_that_is_no_configuration() {
    insta::assert_snapshot!(Sayso::new("audit --config none.json").shown(), @r"
    exit code: 2
    ----- stderr
    error: cannot read the configuration `none.json`: No such file or directory (os error 2)
    ");
    let ran = Sayso::new("audit --config some.json")
        .file("some.json", "{\"a\": 1}")
        .run();
    assert_eq!(ran.code, Some(2));
    insta::assert_snapshot!(ran.stderr.lines().next().unwrap_or_default(), @"error: some.json:1:1: no known host keeps its servers the way this file does");
}

#[test]
fn what_is_installed_is_found_once_and_what_is_off_is_left_out() {
    let kiro = json!({"mcpServers": {"example": example(), "off": {"command": "server", "disabled": true}}});
    let claude = json!({"mcpServers": {"same": example()}});
    let sayso = Sayso::new("audit --discover")
        .home_file(".kiro/settings/mcp.json", kiro.to_string())
        .home_file(".claude.json", claude.to_string());
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.stdout.matches("tools returned: 40").count(), 1, "{ran}");
    let notes =
        serde_json::from_str::<serde_json::Value>(&sayso.argument("--format=json").run().stdout)
            .unwrap();
    insta::assert_snapshot!(notes["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect::<Vec<_>>().join("\n"), @r"
    `off` in [HOME]/.kiro/settings/mcp.json:1 is switched off there and was left out; `--server off` audits it
    `example` in [HOME]/.kiro/settings/mcp.json:1 is started in the same way as `same` in [HOME]/.claude.json:1 and was audited once
    ");
}

#[test]
fn a_machine_without_configurations_is_clean() {
    let ran = Sayso::new("audit --discover").run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(
        ran.stdout
            .contains("no known host has a configuration here"),
        "{ran}"
    );
}

#[test]
fn secrets_are_in_no_output() {
    let server = "echo \"token is $API_TOKEN and key is $1\" >&2; exit 3";
    let configuration = json!({"mcpServers": {
        "talker": {"command": "sh", "args": ["-c", server, "sh", "sk-0123456789abcdefghij"], "env": {"API_TOKEN": "hush-hush-hush"}},
        "remote": {"type": "http", "url": "http://ann:hush-hush-hush@127.0.0.1:9/mcp?key=hush-hush-hush", "headers": {"X-Key": "hush-hush-hush"}},
    }});
    for format in [
        "human", "json", "sarif", "junit", "github", "markdown", "html",
    ] {
        let ran = Sayso::new("audit --verbose --config .mcp.json --format")
            .argument(format)
            .file(".mcp.json", configuration.to_string())
            .run();
        assert_eq!(ran.code, Some(3), "{ran}");
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            all.contains("talker") && all.contains("remote"),
            "{format}: {all}"
        );
        for secret in ["hush-hush", "0123456789"] {
            assert!(!all.contains(secret), "{format}: {all}");
        }
    }
}
