//! What stands between caller and server.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a call goes through.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    Direct,
    Copy,
    Gate { policies: usize },
    Peer(PathBuf),
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Direct => f.write_str("direct"),
            Self::Copy => f.write_str("copy of bytes"),
            Self::Gate { policies: 1 } => f.write_str("gate"),
            Self::Gate { policies } => write!(f, "gate, {policies} policies"),
            Self::Peer(_) => f.write_str("mcp-proxy"),
        }
    }
}

/// A process that ends with this.
#[derive(Debug)]
pub(crate) struct Running {
    process: Child,
    pub(crate) port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server behind all ways.
pub(crate) fn server(tools: usize) -> Running {
    part(&["server", &tools.to_string()])
}

/// Starts a part of this benchmark, which prints its port.
fn part(arguments: &[&str]) -> Running {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--part").args(arguments).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port = line.trim().parse().unwrap();
    Running { process, port }
}

/// A way that can be gone.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) port: u16,
    pub(crate) path: &'static str,
    running: Option<Running>,
    _folder: Option<tempfile::TempDir>,
}

impl Proxy {
    pub(crate) fn start(way: &Way, program: &Path, server: &Running) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut proxy = Self::start_in(way, program, server, folder.path());
        proxy._folder = Some(folder);
        proxy
    }

    /// Starts it with its files in this folder.
    pub(crate) fn start_in(way: &Way, program: &Path, server: &Running, folder: &Path) -> Self {
        let running = match way {
            Way::Direct => None,
            Way::Copy => Some(part(&["relay", &server.port.to_string()])),
            Way::Gate { policies } => Some(gate(*policies, program, server, folder)),
            Way::Peer(peer) => Some(self::peer(peer, server, folder)),
        };
        Self {
            port: running.as_ref().map_or(server.port, |running| running.port),
            path: if matches!(way, Way::Peer(_)) {
                "/"
            } else {
                "/mcp"
            },
            running,
            _folder: None,
        }
    }

    /// Seconds of processor time so far, and mebibytes of memory, of the process in between.
    pub(crate) fn costs(&self) -> (f64, f64) {
        let Some(running) = &self.running else {
            return (0.0, 0.0);
        };
        let process = running.process.id();
        let read = |what: &str| std::fs::read_to_string(format!("/proc/{process}/{what}")).unwrap();
        let status = read("stat");
        let fields: Vec<&str> = status
            .rsplit_once(')')
            .unwrap()
            .1
            .split_ascii_whitespace()
            .collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        let memory = read("status");
        let memory = memory
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .unwrap();
        let kibibytes: f64 = memory.trim().trim_end_matches(" kB").parse().unwrap();
        // `USER_HZ` is 100 on every Linux this runs on.
        (ticks / 100.0, kibibytes / 1024.0)
    }
}

fn gate(policies: usize, program: &Path, server: &Running, folder: &Path) -> Running {
    let mut text = String::from("permit(principal, action, resource);\n");
    for number in 1..policies {
        text.push_str(&format!(
            "@id(\"no-{number}\")\nforbid(principal, action == Action::\"call\", resource == Tool::\"up/tool_{number}\")\nwhen {{ resource.destructive }};\n"
        ));
    }
    std::fs::write(folder.join("rules.cedar"), text).unwrap();
    let port = free_port();
    let settings = format!(
        "[gate]\npolicy = [\"rules.cedar\"]\nlisten = \"127.0.0.1:{port}\"\n\n[gate.servers.up]\nurl = \"http://127.0.0.1:{}/mcp\"\ntrust = \"trusted\"\nfirst-use = \"trust-once\"\n",
        server.port
    );
    let file = folder.join("sayso.toml");
    std::fs::write(&file, settings).unwrap();
    let mut command = Command::new(program);
    command.args(["gate", "--settings"]).arg(file);
    ready(command, port)
}

fn peer(program: &Path, server: &Running, folder: &Path) -> Running {
    let port = free_port();
    let settings = format!(
        "[proxy]\nname = \"bench\"\nseparator = \"_\"\n\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\n[[backends]]\nname = \"up\"\ntransport = \"http\"\nurl = \"http://127.0.0.1:{}/mcp\"\n",
        server.port
    );
    let file = folder.join("proxy.toml");
    std::fs::write(&file, settings).unwrap();
    let mut command = Command::new(program);
    command.arg("--config").arg(file);
    ready(command, port)
}

/// Starts a program and waits until it listens.
fn ready(mut command: Command, port: u16) -> Running {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let running = Running {
        process: command.spawn().unwrap(),
        port,
    };
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{command:?} does not listen"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    running
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
