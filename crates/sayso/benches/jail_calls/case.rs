//! What is called: tools of real servers, and one of ours where those have none that writes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::Result;

/// A call that is made again and again.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) writes: bool,
    /// Whether its server also stands for others like it when starts are measured.
    pub(crate) starts: Option<&'static str>,
    /// Of so many calls only one is made: it takes long.
    pub(crate) one_of: usize,
    command: fn(servers: &Path, workspace: &Path) -> Vec<OsString>,
    arguments: fn(workspace: &Path, number: u64) -> Value,
}

impl Case {
    /// The command line.
    pub(crate) fn command(&self, servers: &Path, workspace: &Path) -> Vec<OsString> {
        (self.command)(servers, workspace)
    }

    /// The arguments of one call.
    pub(crate) fn arguments(&self, workspace: &Path, number: u64) -> Value {
        (self.arguments)(workspace, number)
    }

    /// The folder that the server's package is in.
    pub(crate) fn package(&self, servers: &Path) -> PathBuf {
        let is_node = self.name.starts_with("node");
        servers.join(if is_node {
            "npm/node_modules"
        } else {
            "python"
        })
    }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "node: read_text_file",
            tool: "read_text_file",
            writes: false,
            starts: Some("node: server-filesystem"),
            one_of: 1,
            command: filesystem,
            arguments: |workspace, _| json!({"path": workspace.join("read.txt")}),
        },
        Case {
            name: "node: write_file",
            tool: "write_file",
            writes: true,
            starts: None,
            one_of: 1,
            command: filesystem,
            arguments: |workspace, number| json!({"path": workspace.join("written.txt"), "content": text(number)}),
        },
        Case {
            name: "python: get_current_time",
            tool: "get_current_time",
            writes: false,
            starts: Some("python: mcp-server-time"),
            one_of: 1,
            command: |servers, _| vec![servers.join("python/bin/mcp-server-time").into()],
            arguments: |_, _| json!({"timezone": "Etc/UTC"}),
        },
        Case {
            name: "python: write_note",
            tool: "write_note",
            writes: true,
            starts: None,
            one_of: 1,
            command: |servers, workspace| {
                vec![
                    servers.join("python/bin/python").into(),
                    workspace.join("notes.py").into(),
                    workspace.into(),
                ]
            },
            arguments: |_, number| json!({"name": "note.txt", "text": text(number)}),
        },
        Case {
            name: "python: git_status",
            tool: "git_status",
            writes: false,
            starts: None,
            one_of: 5,
            command: |servers, _| vec![servers.join("python/bin/mcp-server-git").into()],
            arguments: |workspace, _| json!({"repo_path": workspace}),
        },
    ]
}

fn filesystem(servers: &Path, workspace: &Path) -> Vec<OsString> {
    let program = "npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
    vec![
        "node".into(),
        servers.join(program).into(),
        workspace.into(),
    ]
}

/// Two kilobytes that are never the same.
fn text(number: u64) -> String {
    format!("line {number:>10}\n").repeat(125)
}

/// Makes what the calls read.
pub(crate) fn fill(workspace: &Path) -> Result<()> {
    fs::create_dir_all(workspace)?;
    fs::write(workspace.join("read.txt"), text(0))?;
    fs::write(workspace.join("written.txt"), text(0))?;
    fs::write(workspace.join("notes.py"), include_str!("notes.py"))?;
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["commit", "--quiet", "--message", "first"],
    ] {
        let mut git = Command::new("git");
        let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        git.arg("-C").arg(workspace).args(who).args(arguments);
        let status = git.status().map_err(|error| format!("git: {error}"))?;
        if !status.success() {
            return Err(format!("git {}: {status}", arguments.join(" ")).into());
        }
    }
    Ok(())
}
