//! `sayso verify` where the network, the machine or the person is not as it is used to.

mod machines;
mod network;
mod stopping;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sayso::Sayso;

/// A server in Python whose tools are the functions of a script, each claiming to read only, and a closed
/// world.
fn server(tools: &str) -> String {
    format!(
        r#"
import json, os, socket, ssl, subprocess, sys, time

{tools}

TOOLS = {{name: act for name, act in list(globals().items()) if getattr(act, "__module__", "") == "__main__"}}
CLAIMS = {{"readOnlyHint": True, "openWorldHint": False}}
SCHEMAS = globals().get("SCHEMAS", {{}})

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    result = {{}}
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        result = {{"protocolVersion": version, "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "s", "version": "1"}}}}
    elif method == "tools/list":
        result = {{"tools": [
            {{"name": name, "inputSchema": SCHEMAS.get(name, {{"type": "object"}}), "annotations": CLAIMS}} for name in TOOLS
        ]}}
    elif method == "tools/call":
        params = message["params"]
        try:
            text = str(TOOLS[params["name"]](**params.get("arguments", {{}})))
        except OSError as error:
            text = f"failed: {{error.strerror or error}}"
        result = {{"content": [{{"type": "text", "text": text}}]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"#
    )
}

/// The modes that this machine allows whoever runs the tests.
fn modes() -> Vec<&'static str> {
    let told = Sayso::new("verify --probe").run();
    let modes = ["namespaces", "landlock"];
    let found: Vec<_> = modes
        .into_iter()
        .filter(|mode| told.stdout.contains(&format!("{mode}: can be used")))
        .collect();
    assert!(!found.is_empty(), "{told}");
    found
}

/// The same command, started by another program.
fn started_by(program: &[&str], sayso: &Sayso) -> Command {
    let inner = sayso.command();
    let (first, rest) = program.split_first().unwrap();
    let mut outer = Command::new(first);
    outer
        .args(rest)
        .arg(inner.get_program())
        .args(inner.get_args());
    outer.env_clear().current_dir(sayso.directory());
    for (name, value) in inner.get_envs() {
        outer.env(name, value.unwrap());
    }
    outer
}

/// The observations of a tool, as they were kept in the folder `seen`.
fn observations(directory: &Path, tool: &str) -> Vec<Value> {
    let files = std::fs::read_dir(directory.join("seen")).unwrap();
    let mut found = Vec::new();
    for file in files {
        let path = file.unwrap().path();
        if path.to_str().unwrap().ends_with(&format!(".{tool}.jsonl")) {
            let text = std::fs::read_to_string(path).unwrap();
            found.extend(
                text.lines()
                    .map(|line| serde_json::from_str::<Value>(line).unwrap()),
            );
        }
    }
    assert!(!found.is_empty(), "{tool}");
    found
}

/// What evidence says of a hint of a tool.
fn verdict(directory: &Path, tool: &str, hint: &str) -> String {
    let text = std::fs::read(directory.join("sayso.evidence.json")).unwrap();
    let evidence: Value = serde_json::from_slice(&text).unwrap();
    let servers = evidence["servers"].as_object().unwrap();
    let entry = &servers.values().next().unwrap()["tools"][tool][0];
    entry["verdicts"][hint]["verdict"]
        .as_str()
        .unwrap()
        .to_owned()
}
