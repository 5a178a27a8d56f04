//! One server, alone or in a jail, and whoever calls it over its pipes.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sayso_verify::jail::{Jail, Mark};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Result;
use crate::case::Case;
use crate::kind::{self, Given, Kind};

/// How long one answer may take, in seconds.
const PATIENCE: u64 = 30;

#[derive(Deserialize)]
struct Answer<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called {
    #[serde(default, rename = "isError")]
    is_error: bool,
}

/// Memory that processes hold, in MiB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// The server's.
    pub(crate) server: f64,
    /// That of the processes that make the jail and wait for its end, without what they share.
    pub(crate) jail: f64,
}

/// A server that runs. It ends when this goes.
pub(crate) struct Server {
    /// From its start until it had answered the first request.
    pub(crate) started: Duration,
    /// How many calls it has answered.
    pub(crate) calls: u64,
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    workspace: PathBuf,
    jail: Option<Jail>,
    next: u64,
    line: Vec<u8>,
    /// Goes last.
    _scratch: Scratch,
}

impl Server {
    /// Starts the server of a case and greets it.
    pub(crate) fn start(case: &Case, kind: Kind, servers: &Path) -> Result<Self> {
        let scratch = Scratch(tempfile::Builder::new().prefix("sayso-").tempdir()?);
        let folder = scratch.0.path().canonicalize()?;
        let workspace = folder.join("workspace");
        crate::case::fill(&workspace)?;
        let words = case.command(servers, &workspace);
        let jail = match kind {
            Kind::Bare | Kind::BareAgain => None,
            Kind::Jailed(purpose, mode) => {
                let package = case.package(servers);
                let given = Given {
                    command: words.clone(),
                    workspace: &workspace,
                    package: &package,
                    writes: case.writes,
                    scratch: &folder,
                };
                Some(kind::jail(purpose, mode, given)?)
            }
        };
        let (program, arguments) = match (&jail, words.split_first()) {
            (Some(jail), _) => {
                let command = jail.command();
                (command.command, command.args)
            }
            (None, Some((program, arguments))) => (program.clone(), arguments.to_vec()),
            (None, None) => return Err("there is no command".into()),
        };
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(&workspace);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(fs::File::create(folder.join("log"))?);
        let begun = Instant::now();
        let mut process = command
            .spawn()
            .map_err(|error| format!("starting {}: {error}", program.display()))?;
        let mut server = Self {
            started: Duration::ZERO,
            calls: 0,
            input: process.stdin.take().ok_or("no input")?,
            output: BufReader::new(process.stdout.take().ok_or("no output")?),
            process,
            workspace,
            jail,
            next: 0,
            line: Vec::new(),
            _scratch: scratch,
        };
        let greeted = server.ask(
            "initialize",
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#,
        );
        server.started = begun.elapsed();
        if let Err(error) = greeted {
            let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
            let failed = server.jail.as_ref().and_then(Jail::failure);
            let failed = failed.map(|failed| failed.reason).unwrap_or_default();
            return Err(format!("it does not start: {error}\n{failed}\n{log}").into());
        }
        let initialized = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        server.input.write_all(initialized)?;
        Ok(server)
    }

    /// Sends a request; how long it took until the answer was read, which is in `line` then.
    fn ask(&mut self, method: &str, params: &str) -> Result<Duration> {
        self.next += 1;
        let id = self.next;
        let mut message =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        message.push('\n');
        let _watch = Watch::new();
        let begun = Instant::now();
        self.input.write_all(message.as_bytes())?;
        loop {
            self.line.clear();
            if self.output.read_until(b'\n', &mut self.line)? == 0 {
                return Err("the server ended".into());
            }
            let took = begun.elapsed();
            // Whatever else a server sends unasked is passed over.
            let answer: Answer<'_> = serde_json::from_slice(&self.line)?;
            if answer.id == Some(id) {
                return Ok(took);
            }
        }
    }

    /// Calls a tool once and says how long it took, in microseconds.
    pub(crate) fn call(&mut self, case: &Case) -> Result<f64> {
        let arguments = case.arguments(&self.workspace, self.calls);
        let params = format!(r#"{{"name":"{}","arguments":{arguments}}}"#, case.tool);
        let took = self.ask("tools/call", &params)?;
        self.calls += 1;
        let answer: Answer<'_> = serde_json::from_slice(&self.line)?;
        let result = answer.result.map_or("null", RawValue::get);
        let is_done = serde_json::from_str(result).is_ok_and(|called: Called| !called.is_error);
        if !is_done {
            let said = String::from_utf8_lossy(&self.line).into_owned();
            return Err(format!("the call failed: {said}").into());
        }
        Ok(took.as_secs_f64() * 1e6)
    }

    /// How many of the system calls that it made so far are recorded.
    pub(crate) fn events(&self) -> Option<usize> {
        Some(self.jail.as_ref()?.since(Mark::default()).len())
    }

    /// The memory it holds.
    pub(crate) fn memory(&self) -> Option<Memory> {
        let Some(jail) = &self.jail else {
            let server = held(self.process.id(), "Rss:")?;
            return Some(Memory { server, jail: 0.0 });
        };
        let ours = Path::new(env!("CARGO_BIN_EXE_sayso")).canonicalize().ok()?;
        let mut memory = Memory::default();
        for process in jail.processes().into_iter().chain([self.process.id()]) {
            let is_ours =
                fs::read_link(format!("/proc/{process}/exe")).is_ok_and(|exe| exe == ours);
            if is_ours {
                memory.jail += held(process, "Private_Clean:")? + held(process, "Private_Dirty:")?;
            } else {
                memory.server += held(process, "Rss:")?;
            }
        }
        Some(memory)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A line of a process's `smaps_rollup`, in MiB.
pub(crate) fn held(process: u32, what: &str) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(what))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// When the answer that is waited for has to be there, in seconds from the start; 0 when there is none.
static DUE: AtomicU64 = AtomicU64::new(0);

/// Ends this process, and with it all servers, when an answer is overdue.
pub(crate) fn lose_patience() {
    let begun = Instant::now();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let waits = DUE.load(Ordering::Relaxed);
            if waits != 0 && DUE.fetch_add(1, Ordering::Relaxed) > PATIENCE {
                eprintln!(
                    "error: no answer in {PATIENCE} seconds, {:?} after the start",
                    begun.elapsed()
                );
                std::process::exit(1);
            }
        }
    });
}

/// An answer is waited for as long as this is there.
struct Watch;

impl Watch {
    fn new() -> Self {
        DUE.store(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        DUE.store(0, Ordering::Relaxed);
    }
}

/// A folder in which the kernel may have left some that nobody may enter.
struct Scratch(tempfile::TempDir);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays, in a private folder.
        #[cfg(target_os = "linux")]
        let _ = sayso_verify::jail::remove(self.0.path());
    }
}
