//! `sayso install` and `sayso uninstall`: what they write, and that nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sayso::Sayso;

/// A host that keeps its servers in JSON, with comments.
const CURSOR: &str = r#"{
  // mine
  "mcpServers": {
    "notes": {
      "command": "notes-server",
      "args": ["--root", "/srv/notes"],
      "env": { "NOTES_TOKEN": "not-to-be-shown" }, // rotated in May
    },
    "tickets": {
      "url": "http://127.0.0.1:1/mcp",
      "headers": { "Authorization": "Bearer ${env:TICKETS_KEY}" }
    },
    "asks": { "command": "asks-server", "env": { "KEY": "${env:NOWHERE}" } },
    "old": { "command": "old-server" }
  },
  "other": [1, 2.50]
}
"#;

/// A host that keeps them in TOML.
const CODEX: &str = r#"# mine
model = "large"

[mcp_servers.notes] # the notes
command = "notes-server"

[mcp_servers.notes.env]
NOTES_TOKEN = "not-to-be-shown"

[mcp_servers.tickets]
url = "http://127.0.0.1:1/mcp"
bearer_token_env_var = "TICKETS_KEY"

[tui]
theme = "dark"
"#;

fn cursor(arguments: &str) -> Sayso {
    let sayso = Sayso::new(arguments).home_file(".cursor/mcp.json", CURSOR);
    sayso.env("TICKETS_KEY", "a-key-that-is-secret")
}

fn codex(arguments: &str) -> Sayso {
    let sayso = Sayso::new(arguments).home_file(".codex/config.toml", CODEX);
    sayso.env("TICKETS_KEY", "a-key-that-is-secret")
}

fn cursor_file(sayso: &Sayso) -> PathBuf {
    sayso.home().join(".cursor/mcp.json")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

/// With the paths of this run left out.
fn scrubbed(sayso: &Sayso, text: &str) -> String {
    text.replace(&sayso.home().display().to_string(), "[HOME]")
        .replace(env!("CARGO_BIN_EXE_sayso"), "[SAYSO]")
}

/// Every file below a folder, with its contents.
fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let text = read(&path);
            found.push((path, text));
        }
    }
    found.sort();
    found
}

#[test]
fn what_will_be_written_is_shown_and_nothing_is_written_unasked() {
    let sayso = cursor("install cursor");
    let before = files(&sayso.home());
    insta::assert_snapshot!(sayso.shown(), @r#"
    exit code: 2
    ----- stdout
    Cursor: 3 servers go behind the gate
      notes
        its values move to [HOME]/.config/sayso/gates/cursor/sayso.toml, which only you may read
      tickets
        `TICKETS_KEY` is handed to the gate, and with it to every server behind it
      old
      asks stays where it is: `${env:NOWHERE}` in `env.KEY` has no value

    --- [HOME]/.cursor/mcp.json
    +++ [HOME]/.cursor/mcp.json
    @@ -2,15 +2,13 @@
       // mine
       "mcpServers": {
    -    "notes": {
    -      "command": "notes-server",
    -      "args": ["--root", "/srv/notes"],
    -      "env": { "NOTES_TOKEN": "…" }, // rotated in May
    +    "sayso": {
    +      "type": "stdio",
    +      "command": "[SAYSO]",
    +      "args": ["gate", "--settings", "[HOME]/.config/sayso/gates/cursor/sayso.toml"],
    +      "env": {
    +        "TICKETS_KEY": "${env:TICKETS_KEY}"
    +      }
         },
    -    "tickets": {
    -      "url": "http://127.0.0.1:1/mcp",
    -      "headers": { "Authorization": "…${env:TICKETS_KEY}" }
    -    },
    -    "asks": { "command": "asks-server", "env": { "KEY": "${env:NOWHERE}" } },
    -    "old": { "command": "old-server" }
    +    "asks": { "command": "asks-server", "env": { "KEY": "${env:NOWHERE}" } }
       },
       "other": [1, 2.50]
    --- [HOME]/.config/sayso/gates/cursor/sayso.toml
    +++ [HOME]/.config/sayso/gates/cursor/sayso.toml
    @@ -0,0 +1,17 @@
    +# The gate in front of servers that a host ran by itself. `sayso install` wrote it, and adds
    +# to it; everything may be changed here.
    +
    +[gate.servers.notes]
    +command = "notes-server"
    +args = ["--root", "/srv/notes"]
    +env = { NOTES_TOKEN = "…" }
    +first-use = "trust-once"
    +
    +[gate.servers.tickets]
    +url = "http://127.0.0.1:1/mcp"
    +headers = { Authorization = "…${TICKETS_KEY}" }
    +first-use = "trust-once"
    +
    +[gate.servers.old]
    +command = "old-server"
    +first-use = "trust-once"
    ----- stderr
    error: nothing was written: there is nobody to ask
    hint: read the difference, then add `--yes`
    "#);
    assert_eq!(files(&sayso.home()), before);
    let dry = sayso.again("install cursor --dry-run");
    assert_eq!(dry.code, Some(0), "{dry}");
    assert_eq!(files(&sayso.home()), before);
}

#[test]
fn servers_move_behind_the_gate_and_come_back_byte_for_byte() {
    let sayso = cursor("install cursor --yes");
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    insta::assert_snapshot!(scrubbed(&sayso, &read(cursor_file(&sayso))), @r#"
    {
      // mine
      "mcpServers": {
        "sayso": {
          "type": "stdio",
          "command": "[SAYSO]",
          "args": ["gate", "--settings", "[HOME]/.config/sayso/gates/cursor/sayso.toml"],
          "env": {
            "TICKETS_KEY": "${env:TICKETS_KEY}"
          }
        },
        "asks": { "command": "asks-server", "env": { "KEY": "${env:NOWHERE}" } }
      },
      "other": [1, 2.50]
    }
    "#);
    let settings = sayso.home().join(".config/sayso/gates/cursor/sayso.toml");
    insta::assert_snapshot!(read(&settings), @r#"
    # The gate in front of servers that a host ran by itself. `sayso install` wrote it, and adds
    # to it; everything may be changed here.

    [gate.servers.notes]
    command = "notes-server"
    args = ["--root", "/srv/notes"]
    env = { NOTES_TOKEN = "not-to-be-shown" }
    first-use = "trust-once"

    [gate.servers.tickets]
    url = "http://127.0.0.1:1/mcp"
    headers = { Authorization = "Bearer ${TICKETS_KEY}" }
    first-use = "trust-once"

    [gate.servers.old]
    command = "old-server"
    first-use = "trust-once"
    "#);
    assert_eq!(
        read(sayso.home().join(".cursor/mcp.json.before-sayso")),
        CURSOR
    );

    // Once more changes nothing.
    let before = files(&sayso.home());
    let again = sayso.again("install cursor --yes");
    insta::assert_snapshot!(again.stdout, @"
    [HOME]/.cursor/mcp.json: every server that can be is behind the gate of [HOME]/.config/sayso/gates/cursor/sayso.toml
      asks stays where it is: `${env:NOWHERE}` in `env.KEY` has no value
    ");
    assert_eq!(files(&sayso.home()), before);

    let back = sayso.again("uninstall cursor --yes");
    assert_eq!(back.code, Some(0), "{back}");
    assert_eq!(read(cursor_file(&sayso)), CURSOR);
    assert!(!sayso.home().join(".cursor/mcp.json.before-sayso").exists());
    insta::assert_snapshot!(sayso.again("uninstall cursor --yes").stdout, @"[HOME]/.cursor/mcp.json: no entry runs the gate; there is nothing to undo");
    // And in again, with the settings that stayed.
    assert_eq!(sayso.again("install cursor --yes").code, Some(0));
}

#[cfg(unix)]
#[test]
fn values_that_may_be_secret_move_to_a_file_of_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sayso = cursor("install cursor --yes");
    let ran = sayso.run();
    assert!(!ran.to_string().contains("not-to-be-shown"), "{ran}");
    assert!(!ran.to_string().contains("a-key-that-is-secret"), "{ran}");
    let settings = sayso.home().join(".config/sayso/gates/cursor/sayso.toml");
    let mode = fs::metadata(&settings).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // What a variable holds is not written down anywhere.
    let written = files(&sayso.home());
    assert!(
        written
            .iter()
            .all(|(_, text)| !text.contains("a-key-that-is-secret"))
    );
}

#[test]
fn a_configuration_that_changed_since_keeps_the_change() {
    let sayso = cursor("install cursor --yes");
    sayso.run();
    let installed = read(cursor_file(&sayso));
    let changed = installed.replace("2.50]", "2.50, 3], // more");
    fs::write(cursor_file(&sayso), changed).unwrap();
    let back = sayso.again("uninstall cursor --yes");
    assert_eq!(back.code, Some(0), "{back}");
    insta::assert_snapshot!(read(cursor_file(&sayso)), @r#"
    {
      // mine
      "mcpServers": {
        "notes": {
          "command": "notes-server",
          "args": ["--root", "/srv/notes"],
          "env": {
            "NOTES_TOKEN": "not-to-be-shown"
          }
        },
        "tickets": {
          "url": "http://127.0.0.1:1/mcp",
          "headers": {
            "Authorization": "Bearer ${env:TICKETS_KEY}"
          }
        },
        "old": {
          "command": "old-server"
        },
        "asks": { "command": "asks-server", "env": { "KEY": "${env:NOWHERE}" } }
      },
      "other": [1, 2.50, 3], // more
    }
    "#);
    assert_eq!(
        read(sayso.home().join(".cursor/mcp.json.before-sayso")),
        CURSOR
    );
}

#[test]
fn servers_added_later_move_too_and_all_come_back() {
    let sayso = cursor("install cursor --yes");
    sayso.run();
    let added = read(cursor_file(&sayso)).replace(
        "\"asks\":",
        "\"new\": { \"command\": \"new-server\" },\n    \"asks\":",
    );
    fs::write(cursor_file(&sayso), added).unwrap();
    let again = sayso.again("install cursor --yes");
    assert_eq!(again.code, Some(0), "{again}");
    assert!(
        again.stdout.contains("1 server goes behind the gate"),
        "{again}"
    );
    let back = sayso.again("uninstall cursor --yes");
    assert_eq!(back.code, Some(0), "{back}");
    let text = read(cursor_file(&sayso));
    for name in ["notes", "tickets", "new", "asks", "old"] {
        assert!(text.contains(&format!("\"{name}\":")), "{name}: {text}");
    }
    assert!(!text.contains("\"sayso\""), "{text}");
}

#[test]
fn a_changed_entry_of_the_gate_is_left_to_the_person() {
    let sayso = cursor("install cursor --yes");
    sayso.run();
    let changed =
        read(cursor_file(&sayso)).replace("\"type\": \"stdio\"", "\"type\": \"stdio\", \"x\": 1");
    fs::write(cursor_file(&sayso), &changed).unwrap();
    insta::assert_snapshot!(sayso.again("uninstall cursor --yes").stderr, @"
    error: cannot edit `[HOME]/.cursor/mcp.json`: the entry `sayso` was changed since it was installed
    hint: the file as it was is `[HOME]/.cursor/mcp.json.before-sayso`
    ");
    assert_eq!(read(cursor_file(&sayso)), changed);
}

#[test]
fn toml_is_edited_in_place_and_comes_back() {
    let sayso = codex("install codex --yes");
    let ran = sayso.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let file = sayso.home().join(".codex/config.toml");
    insta::assert_snapshot!(scrubbed(&sayso, &read(&file)), @r#"
    # mine
    model = "large"

    [mcp_servers.sayso]
    command = "[SAYSO]"
    args = ["gate", "--settings", "[HOME]/.config/sayso/gates/codex/sayso.toml"]
    env_vars = ["TICKETS_KEY"]

    [tui]
    theme = "dark"
    "#);
    let settings = sayso.home().join(".config/sayso/gates/codex/sayso.toml");
    insta::assert_snapshot!(read(&settings), @r#"
    # The gate in front of servers that a host ran by itself. `sayso install` wrote it, and adds
    # to it; everything may be changed here.

    [gate.servers.notes]
    command = "notes-server"
    env = { NOTES_TOKEN = "not-to-be-shown" }
    first-use = "trust-once"

    [gate.servers.tickets]
    url = "http://127.0.0.1:1/mcp"
    headers = { Authorization = "Bearer ${TICKETS_KEY}" }
    first-use = "trust-once"
    "#);
    assert_eq!(sayso.again("uninstall codex --yes").code, Some(0));
    assert_eq!(read(&file), CODEX);
}

/// What is told of a configuration that is left as it is.
fn left_alone(host: &str, file: &str, text: &str) -> String {
    let sayso = Sayso::new(&format!("install {host} --yes")).home_file(file, text);
    let before = files(&sayso.home());
    let ran = sayso.run();
    assert_eq!(files(&sayso.home()), before, "{ran}");
    assert_eq!(ran.code, Some(2), "{ran}");
    format!("{}{}", ran.stdout, ran.stderr)
}

#[test]
fn what_cannot_be_read_or_edited_is_left_alone() {
    insta::assert_snapshot!(left_alone("cursor", ".cursor/mcp.json", r#"{"mcpServers": {"a": "#), @"
    error: [HOME]/.cursor/mcp.json:1: not JSON: expected value after colon in object property
    hint: the host cannot read the file either; mend it there
    ");
    // Which of the two the host takes is its own affair.
    let twice = r#"{"mcpServers": {"a": {"command": "one"}, "a": {"command": "two"}}}"#;
    insta::assert_snapshot!(left_alone("cursor", ".cursor/mcp.json", twice), @r#"
    1. Into [HOME]/.config/sayso/gates/cursor/sayso.toml:

    [gate.servers.a]
    command = "two"
    first-use = "trust-once"

    2. In [HOME]/.cursor/mcp.json, in the place of `a`, so that it reads:

    {
      "mcpServers": {
        "sayso": {
          "type": "stdio",
          "command": "[SAYSO]",
          "args": [
            "gate",
            "--settings",
            "[HOME]/.config/sayso/gates/cursor/sayso.toml"
          ]
        }
      }
    }

    error: cannot edit `[HOME]/.cursor/mcp.json`: it would have said something else afterwards, so nothing was done
    hint: write by hand what was printed
    "#);
    insta::assert_snapshot!(left_alone("curser", ".cursor/mcp.json", "{}"), @"
    error: no host is called `curser`, or it is not known where it keeps its servers
    hint: did you mean `cursor`?
    ");
}

#[test]
fn what_is_not_edited_is_printed_to_be_written_by_hand() {
    let yaml = "extensions:\n  notes:\n    type: stdio\n    cmd: notes-server\n    enabled: true\n";
    insta::assert_snapshot!(left_alone("goose", ".config/goose/config.yaml", yaml), @r#"
    1. Into [HOME]/.config/sayso/gates/goose/sayso.toml:

    [gate.servers.notes]
    command = "notes-server"
    first-use = "trust-once"

    2. In [HOME]/.config/goose/config.yaml, in the place of `notes`, so that it reads:

    extensions:
      sayso:
        type: "stdio"
        cmd: "[SAYSO]"
        args:
          - "gate"
          - "--settings"
          - "[HOME]/.config/sayso/gates/goose/sayso.toml"
        enabled: true

    error: cannot edit `[HOME]/.config/goose/config.yaml`: it is YAML, which is not edited
    hint: write by hand what was printed
    "#);
    let list = "mcpServers:\n  - name: notes\n    command: notes-server\n    env:\n      KEY: s3cr3t-value\n";
    insta::assert_snapshot!(left_alone("continue", ".continue/config.yaml", list), @r#"
    1. Into [HOME]/.config/sayso/gates/continue/sayso.toml:

    [gate.servers.notes]
    command = "notes-server"
    env = { KEY = "…" }
    first-use = "trust-once"

       What may be secret is not shown: take it from [HOME]/.continue/config.yaml.

    2. In [HOME]/.continue/config.yaml, in the place of `notes`, so that it reads:

    mcpServers:
      - name: "sayso"
        type: "stdio"
        command: "[SAYSO]"
        args:
          - "gate"
          - "--settings"
          - "[HOME]/.config/sayso/gates/continue/sayso.toml"

    error: cannot edit `[HOME]/.continue/config.yaml`: its servers are a list, which is not edited
    hint: write by hand what was printed
    "#);
}

/// What is printed to be pasted makes the host run the gate.
#[test]
fn what_is_to_be_written_by_hand_can_be_pasted() {
    for (host, file, text) in [
        (
            "goose",
            ".config/goose/config.yaml",
            "extensions:\n  notes:\n    type: stdio\n    cmd: notes-server\n    enabled: true\n",
        ),
        (
            "continue",
            ".continue/config.yaml",
            "mcpServers:\n  - name: notes\n    command: notes-server\n",
        ),
    ] {
        let sayso = Sayso::new(&format!("install {host} --yes")).home_file(file, text);
        // As it is, without what other tests hide of paths.
        let told = sayso.command().output().unwrap().stdout;
        let told = String::from_utf8(told).unwrap();
        let (settings, entry) = told.split_once("\n2. In ").unwrap();
        let settings = settings.split_once(":\n\n").unwrap().1;
        let path = sayso
            .home()
            .join(format!(".config/sayso/gates/{host}/sayso.toml"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, settings).unwrap();
        let entry = entry.split_once(":\n\n").unwrap().1;
        std::fs::write(sayso.home().join(file), entry).unwrap();
        let again = sayso.run();
        assert_eq!(again.code, Some(0), "{host}: {again}");
        assert!(
            again
                .stdout
                .contains("every server that can be is behind the gate"),
            "{host}: {again}\n{entry}"
        );
    }
}

#[test]
fn another_server_of_that_name_is_not_written_over() {
    let settings = "[gate.servers.notes]\ncommand = \"another-server\"\n";
    let sayso =
        cursor("install cursor --yes").home_file(".config/sayso/gates/cursor/sayso.toml", settings);
    let before = files(&sayso.home());
    insta::assert_snapshot!(sayso.run().stderr, @"
    error: cannot put servers into `[HOME]/.config/sayso/gates/cursor/sayso.toml`: it has another server called `notes`
    hint: rename the server in the host's configuration, or name another file with `--settings`
    ");
    assert_eq!(files(&sayso.home()), before);
}

#[test]
fn settings_keep_what_is_in_them() {
    let settings = "# ours\n[audit]\njobs = 2 # few\n\n[gate]\npolicy = [\"read-only\"] # strict\n";
    let sayso =
        cursor("install cursor --yes").home_file(".config/sayso/gates/cursor/sayso.toml", settings);
    assert_eq!(sayso.run().code, Some(0));
    let after = read(sayso.home().join(".config/sayso/gates/cursor/sayso.toml"));
    assert!(after.starts_with(settings), "{after}");
}

#[test]
fn several_configurations_are_not_chosen_between() {
    let other = ".config/Code - Insiders/User/mcp.json";
    let servers = r#"{"servers": {"notes": {"command": "notes-server"}}}"#;
    let sayso = Sayso::new("install vscode --yes")
        .home_file(".config/Code/User/mcp.json", servers)
        .home_file(other, servers);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: Visual Studio Code has several configurations: `[HOME]/.config/Code/User/mcp.json`, `[HOME]/.config/Code - Insiders/User/mcp.json`
    hint: name one with `--file`
    ");
    let file = sayso.home().join(other).display().to_string();
    let one = Sayso::new("install vscode --yes --file").argument(file);
    let ran = one.run();
    assert_eq!(ran.code, Some(0), "{ran}");
    let edited = read(sayso.home().join(other));
    assert!(edited.contains("\"gate\""), "{edited}");
    assert_eq!(
        read(sayso.home().join(".config/Code/User/mcp.json")),
        servers
    );
}
