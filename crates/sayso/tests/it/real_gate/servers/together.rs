//! Several servers behind one gate.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Server, open_place};
use crate::gate::support::{Host, eventually, reason};
use crate::real_servers::{npm, python};

/// A server that writes down its process before it begins.
fn that_can_be_killed(pid: &Path, server: &str) -> Server {
    let script = r#"echo $$ > "$0"; exec node "$1""#;
    let program = npm(server);
    let arguments = [
        "-c",
        script,
        pid.to_str().unwrap(),
        program.to_str().unwrap(),
    ];
    Server::new("sh", &arguments)
}

fn kill(pid: &Path) {
    let process = std::fs::read_to_string(pid).unwrap();
    let mut kill = Command::new("kill");
    assert!(
        kill.args(["-KILL", process.trim()])
            .status()
            .unwrap()
            .success()
    );
}

#[track_caller]
fn works(host: &mut Host, tool: &str, arguments: &Value) {
    let answer = host.call(tool, &arguments.to_string());
    let result = &answer["result"];
    assert!(result["content"].is_array(), "{answer}");
    assert_ne!(result["isError"], true, "{answer}");
}

#[test]
#[ignore = "needs the servers that `cargo xtask test` installs"]
fn one_that_is_killed_takes_no_other_down() {
    let mut place = open_place();
    let (folder, pid) = (place.directory(), place.directory().join("pid"));
    let folder = folder.canonicalize().unwrap();
    let memory = folder.join("memory.jsonl");
    let servers = [
        (
            "files",
            Server::node("filesystem", &[folder.to_str().unwrap()]),
        ),
        (
            "memory",
            Server::node("memory", &[]).env("MEMORY_FILE_PATH", memory.to_str().unwrap()),
        ),
        (
            "time",
            Server::new(python("python", "mcp-server-time"), &[]).env("TZ", "Etc/UTC"),
        ),
        ("everything", that_can_be_killed(&pid, "everything")),
    ];
    for (name, server) in &servers {
        place.any_server(name, &server.settings());
    }
    place.pin();
    let mut host = place.host();
    let all = |names: &[String]| -> Vec<usize> {
        let of = |server: &str| {
            let prefix = format!("{server}_");
            names
                .iter()
                .filter(|name| name.starts_with(&prefix))
                .count()
        };
        servers.iter().map(|(name, _)| of(name)).collect()
    };
    assert_eq!(all(&host.names()), [14, 9, 2, 13]);

    let arguments = json!({ "name": "everything_trigger-long-running-operation", "arguments": { "duration": 60, "steps": 2 } });
    let running = host.begin("tools/call", &arguments.to_string());
    place.records("intent", 1);
    kill(&pid);
    let lost = host.answer(running);
    assert_eq!(reason(&lost), "outcome-unknown", "{lost}");
    let others = |host: &mut Host| {
        works(host, "files_list_directory", &json!({ "path": folder }));
        works(host, "memory_read_graph", &json!({}));
        works(
            host,
            "time_get_current_time",
            &json!({ "timezone": "Etc/UTC" }),
        );
    };
    others(&mut host);
    eventually("the server starts again", || {
        others(&mut host);
        let answer = host.call("everything_echo", r#"{"message":"here"}"#);
        let is_back = answer["result"]["content"][0]["text"] == "Echo: here";
        assert!(is_back || reason(&answer) == "server-down", "{answer}");
        is_back
    });
    assert_eq!(all(&host.names()), [14, 9, 2, 13]);
    host.leave();
    place.verify();
}
