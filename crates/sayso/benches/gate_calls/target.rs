//! What is measured, each started as a process of its own on free ports of the loopback.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::load::Caller;
use crate::{Result, block_on};

/// How long a target may take to be there.
const START: Duration = Duration::from_secs(20);

/// What stands between the callers and the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Nothing.
    Direct,
    /// A copy of the bytes.
    Copy,
    /// The gate, with a policy that permits everything and so many that forbid something else.
    Gate {
        /// The program.
        program: PathBuf,
        /// How many policies beside the one that permits.
        policies: usize,
    },
    /// The Rust `mcp-proxy`.
    Peer(PathBuf),
}

impl Kind {
    /// What the tables call it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Copy => "raw copy",
            Self::Gate { policies: 0, .. } => "gate, 1 policy",
            Self::Gate { .. } => "gate, 200 policies",
            Self::Peer(_) => "mcp-proxy (Rust)",
        }
    }

    /// Starts it in front of the server at port `upstream` and waits for a listing through it.
    pub(crate) fn start(&self, upstream: u16) -> Result<Target> {
        let start = Instant::now();
        let mut target = self.spawn(upstream)?;
        let ready = block_on(async {
            loop {
                match Caller::connect(target.port, target.path).await {
                    Ok(_) => return Ok(()),
                    Err(error) if start.elapsed() > START => return Err(error),
                    Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
                }
            }
        });
        target.started = start.elapsed();
        match ready {
            Ok(()) => Ok(target),
            Err(error) => {
                let log = fs::read_to_string(target.folder.path().join("log")).unwrap_or_default();
                Err(format!("{} gives no listing: {error}\n{log}", self.name()).into())
            }
        }
    }

    fn spawn(&self, upstream: u16) -> Result<Target> {
        let folder = tempfile::tempdir()?;
        let (process, port, path) = match self {
            Self::Direct => (None, upstream, "/mcp"),
            Self::Copy => {
                let (process, port) = part(&["copy", &upstream.to_string()])?;
                (Some(process), port, "/mcp")
            }
            Self::Gate { program, policies } => {
                let port = free_port()?;
                let server = format!("url = \"http://127.0.0.1:{upstream}/mcp\"");
                gate_settings(folder.path(), Some(port), *policies, &server)?;
                let mut command = Command::new(program);
                command.args(["gate", "--settings", "sayso.toml"]);
                (Some(logged(&mut command, folder.path())?), port, "/mcp")
            }
            Self::Peer(program) => {
                let port = free_port()?;
                let settings = format!(
                    "[proxy]\nname = \"bench\"\nversion = \"1\"\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\
                     [[backends]]\nname = \"up\"\ntransport = \"http\"\nurl = \"http://127.0.0.1:{upstream}/mcp\"\n"
                );
                fs::write(folder.path().join("proxy.toml"), settings)?;
                let mut command = Command::new(program);
                command.args(["--config", "proxy.toml"]);
                (Some(logged(&mut command, folder.path())?), port, "/")
            }
        };
        Ok(Target {
            name: self.name(),
            port,
            path,
            started: Duration::ZERO,
            process,
            folder,
        })
    }
}

/// Something to call over HTTP. Its process ends when this goes.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) port: u16,
    pub(crate) path: &'static str,
    /// The time from its start until a listing came through it.
    pub(crate) started: Duration,
    process: Option<Process>,
    folder: tempfile::TempDir,
}

impl Target {
    /// The processor time it has used, in microseconds; nothing where it has no process.
    pub(crate) fn cpu(&self) -> Option<f64> {
        cpu(self.process.as_ref()?.0.id())
    }

    /// The memory it holds, in MiB.
    pub(crate) fn memory(&self) -> Option<f64> {
        memory(self.process.as_ref()?.0.id())
    }
}

/// A process that ends when this goes.
#[derive(Debug)]
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts another part of this program and reads the port that it prints.
pub(crate) fn part(arguments: &[&str]) -> Result<(Process, u16)> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut process = Process(command.spawn()?);
    let output = process.0.stdout.take().ok_or("no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let port = line.trim().parse()?;
    Ok((process, port))
}

fn logged(command: &mut Command, folder: &Path) -> Result<Process> {
    let log = File::create(folder.join("log"))?;
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(log.try_clone()?).stderr(log);
    let named = format!("starting {}", command.get_program().display());
    Ok(Process(
        command
            .spawn()
            .map_err(|error| format!("{named}: {error}"))?,
    ))
}

/// A port that is free now, and in all likelihood when the target takes it.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Writes settings with journal, pins and validation as they are unless set otherwise.
pub(crate) fn gate_settings(
    folder: &Path,
    port: Option<u16>,
    policies: usize,
    server: &str,
) -> Result<()> {
    let mut text = "@id(\"all\") permit(principal, action, resource);\n".to_owned();
    for number in 0..policies {
        writeln!(
            text,
            "@id(\"no-{number}\") forbid(principal in Group::\"team-{}\", action == Action::\"call\", resource) \
             when {{ resource.effective.destructive && context.session.readPrivate && \
             resource.labels.contains(\"label-{number}\") }};",
            number % 7
        )?;
    }
    fs::write(folder.join("bench.cedar"), text)?;
    let listen = port.map(|port| format!("listen = \"127.0.0.1:{port}\"\n"));
    let settings = format!(
        "[gate]\npolicy = [\"bench.cedar\"]\n{}[gate.servers.up]\n{server}\ntrust = \"trusted\"\nfirst-use = \"trust-once\"\n",
        listen.unwrap_or_default()
    );
    fs::write(folder.join("sayso.toml"), settings)?;
    Ok(())
}

/// The user and system time of a process and those below it, without a server of ours below it.
pub(crate) fn cpu(process: u32) -> Option<f64> {
    let ticks = tree(process).into_iter().filter_map(|process| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (_, after) = stat.rsplit_once(')')?;
        let mut fields = after.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        Some(user + system)
    });
    // A tick is 10 ms on every Linux there is.
    let ticks: Vec<f64> = ticks.collect();
    (!ticks.is_empty()).then(|| ticks.iter().sum::<f64>() * 10_000.0)
}

/// The memory of a process and those below it, without a server of ours below it.
pub(crate) fn memory(process: u32) -> Option<f64> {
    let each = tree(process).into_iter().filter_map(|process| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().trim_end_matches(" kB").parse::<f64>().ok()
    });
    let each: Vec<f64> = each.collect();
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / 1024.0)
}

fn tree(root: u32) -> Vec<u32> {
    let ours = std::env::current_exe().ok();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        next += 1;
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
            continue;
        };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children
                .split_whitespace()
                .filter_map(|child| child.parse().ok());
            found
                .extend(children.filter(|child: &u32| {
                    fs::read_link(format!("/proc/{child}/exe")).ok() != ours
                }));
        }
    }
    found
}
