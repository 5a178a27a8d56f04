//! Supervising on Linux: one thread, safe system calls only.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal, kill, killpg, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};
use rustix::process::{
    DumpableBehavior, set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal,
};

use super::{Exit, Failure, Options, Process, Report, environment, isolation};

/// The status when there was nothing to supervise.
const FAILED: u8 = 125;

/// How long processes may outlive the server before they count as left behind: its helpers
/// see the end of its pipes at the same moment.
const GRACE: Duration = Duration::from_secs(1);

/// How long the server may take to end once it is asked to.
const SERVER_PATIENCE: Duration = Duration::from_millis(1500);

/// How long what is left may take.
const LEFTOVER_PATIENCE: Duration = Duration::from_millis(700);

/// How long killing goes on. Only a process that hangs in the kernel takes longer than an instant.
const KILL_PATIENCE: Duration = Duration::from_secs(3);

/// Between two looks at who is still there.
const TICK: Duration = Duration::from_millis(20);

pub(super) fn supervise(options: &Options) -> ExitCode {
    let report_file = options
        .report
        .as_ref()
        .and_then(|path| File::options().write(true).open(path).ok());
    // Both are opened before the server's view of the files, which is ours too, changes.
    let traces = isolation::Traces::open(options);
    let (report, orphaned) = match Supervision::start(options) {
        Ok(supervision) => supervision.run(),
        Err(failure) => {
            if report_file.is_none() {
                // Nobody may be reading.
                let _ = writeln!(io::stderr(), "{failure}");
            }
            (
                Report {
                    failure: Some(failure),
                    ..Report::default()
                },
                false,
            )
        }
    };
    if let Some(mut file) = report_file
        && let Ok(text) = serde_json::to_vec(&report)
    {
        let _ = file.write_all(&text);
    }
    if orphaned {
        traces.remove();
    }
    end_as(report.exit)
}

/// Ends as the server did, so that a shell sees the same.
fn end_as(exit: Option<Exit>) -> ExitCode {
    match exit {
        Some(Exit::Status(status)) => ExitCode::from(u8::try_from(status & 0xFF).unwrap_or(FAILED)),
        Some(Exit::Signal(number)) => {
            // The server's core, if any, is enough.
            let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
            let _ = SigSet::all().thread_unblock();
            if let Ok(signal) = Signal::try_from(number) {
                let _ = raise(signal);
            }
            ExitCode::from(u8::try_from(128 + number).unwrap_or(FAILED))
        }
        None => ExitCode::from(FAILED),
    }
}

/// A server and everything it started.
struct Supervision {
    server: Pid,
    signals: SignalFd,
    parent: Pid,
    report: Report,
    phase: Phase,
}

/// How far the end is. Every phase but the first has a time at which the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The server runs.
    Running,
    /// The server was asked to end.
    Asked(Instant),
    /// The server has ended; what it started may follow.
    Following(Instant),
    /// What is left was asked to end.
    Leftovers(Instant),
    /// Everything is killed.
    Killing(Instant),
}

impl Supervision {
    fn start(options: &Options) -> Result<Self, Failure> {
        let command = options.command.first().cloned().unwrap_or_default();
        let failed = |reason: String| Failure::Start {
            command: command.to_string_lossy().into_owned(),
            reason,
        };
        let watching = |error: io::Error| failed(format!("cannot watch over it: {error}"));
        // Blocked from here on, so that none is missed; the server gets an empty mask.
        let mut mask = SigSet::empty();
        for signal in [
            Signal::SIGCHLD,
            Signal::SIGTERM,
            Signal::SIGINT,
            Signal::SIGHUP,
        ] {
            mask.add(signal);
        }
        mask.thread_block()
            .map_err(|error| watching(error.into()))?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let signals = SignalFd::with_flags(&mask, flags).map_err(|error| watching(error.into()))?;
        let own = rustix::process::getpid();
        set_child_subreaper(Some(own)).map_err(|error| watching(error.into()))?;
        set_parent_process_death_signal(Some(rustix::process::Signal::TERM))
            .map_err(|error| watching(error.into()))?;
        let parent = getppid();
        // It may have died before it could have been noticed.
        if options
            .parent
            .is_some_and(|expected| i64::from(expected) != i64::from(parent.as_raw()))
        {
            return Err(failed("the client that wanted it is gone".to_owned()));
        }
        isolation::apply(options)?;
        let server = spawn(options).map_err(|error| failed(start_error(error)))?;
        let_go_of_pipes().map_err(watching)?;
        Ok(Self {
            server,
            signals,
            parent,
            report: Report::default(),
            phase: Phase::Running,
        })
    }

    /// Stays until nobody is left. Also tells whether the client is gone.
    fn run(mut self) -> (Report, bool) {
        loop {
            if self.reap() == Left::Nobody {
                break;
            }
            if self.step() == Left::Nobody {
                self.report.survivors = children().into_iter().map(describe).collect();
                break;
            }
            self.wait();
        }
        let orphaned = getppid() != self.parent;
        (self.report, orphaned)
    }

    /// Takes every ended process off the kernel's hands. Without children nobody is left at
    /// all: as their reaper we are the parent of every process the server ever started,
    /// directly or in the end.
    fn reap(&mut self) -> Left {
        loop {
            let exit = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(id, status)) => Some((id, Exit::Status(status))),
                Ok(WaitStatus::Signaled(id, signal, _)) => Some((id, Exit::Signal(signal as i32))),
                Ok(WaitStatus::StillAlive) => return Left::Some,
                Ok(_) | Err(Errno::EINTR) => None,
                Err(_) => return Left::Nobody,
            };
            if let Some((id, exit)) = exit
                && id == self.server
            {
                self.report.exit = Some(exit);
                if !matches!(self.phase, Phase::Killing(_)) {
                    self.phase = Phase::Following(Instant::now() + GRACE);
                }
            }
        }
    }

    /// Goes on to the next phase when it is time.
    fn step(&mut self) -> Left {
        let now = Instant::now();
        match self.phase {
            Phase::Following(until) if now >= until => {
                let leftovers = children();
                for id in &leftovers {
                    self.report.leftovers.push(describe(*id));
                    let _ = kill(*id, Signal::SIGTERM);
                }
                self.phase = Phase::Leftovers(now + LEFTOVER_PATIENCE);
            }
            Phase::Asked(until) | Phase::Leftovers(until) if now >= until => {
                self.phase = Phase::Killing(now + KILL_PATIENCE);
                self.kill_all();
            }
            Phase::Killing(until) if now >= until => return Left::Nobody,
            Phase::Killing(_) => self.kill_all(),
            Phase::Running | Phase::Asked(_) | Phase::Following(_) | Phase::Leftovers(_) => {}
        }
        Left::Some
    }

    /// Kills our children, and again in each round: theirs become ours when they die. Only
    /// children are signalled one by one, since nobody else can have taken their ids.
    fn kill_all(&self) {
        if self.report.exit.is_none() {
            let _ = killpg(self.server, Signal::SIGKILL);
        }
        for id in children() {
            let _ = kill(id, Signal::SIGKILL);
        }
    }

    /// Waits for a signal or for the time of the next phase.
    fn wait(&mut self) {
        let timeout = match self.phase {
            Phase::Running => None,
            Phase::Killing(_) => Some(TICK),
            Phase::Asked(until) | Phase::Following(until) | Phase::Leftovers(until) => {
                Some(until.saturating_duration_since(Instant::now()))
            }
        };
        // One millisecond more than asked for, so that the time has come for certain.
        let timeout = timeout.map_or(PollTimeout::NONE, |timeout| {
            PollTimeout::try_from(timeout.as_millis() + 1).unwrap_or(PollTimeout::MAX)
        });
        let mut fds = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut fds, timeout);
        while let Ok(Some(signal)) = self.signals.read_signal() {
            let asked = i32::try_from(signal.ssi_signo) != Ok(Signal::SIGCHLD as i32);
            if asked && self.phase == Phase::Running {
                let _ = killpg(self.server, Signal::SIGTERM);
                self.phase = Phase::Asked(Instant::now() + SERVER_PATIENCE);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Some,
    Nobody,
}

/// Starts the server in a process group of its own, with our three pipes and default signals.
fn spawn(options: &Options) -> Result<Pid, Errno> {
    let c_string = |text: OsString| CString::new(text.into_vec()).map_err(|_| Errno::EINVAL);
    let args = options
        .command
        .iter()
        .cloned()
        .map(c_string)
        .collect::<Result<Vec<_>, _>>()?;
    let environment = environment(std::env::vars_os(), options.private_home.as_deref());
    let pairs = environment.into_iter().map(|(mut pair, value)| {
        pair.push("=");
        pair.push(value);
        c_string(pair)
    });
    let environment = pairs.collect::<Result<Vec<_>, _>>()?;
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(
        PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
    )?;
    attributes.set_pgroup(Pid::from_raw(0))?;
    attributes.set_sigmask(&SigSet::empty())?;
    attributes.set_sigdefault(&SigSet::all())?;
    let program = program(options).ok_or(Errno::ENOENT)?;
    posix_spawn(
        program.as_path(),
        &PosixSpawnFileActions::init()?,
        &attributes,
        &args,
        &environment,
    )
}

fn program(options: &Options) -> Option<std::path::PathBuf> {
    which::which(options.command.first()?).ok()
}

fn start_error(error: Errno) -> String {
    match error {
        Errno::ENOEXEC => {
            "it is neither a program for this machine nor a script with a `#!` line".to_owned()
        }
        Errno::ENOENT => {
            "it does not exist, or the interpreter in its first line does not".to_owned()
        }
        other => other.desc().to_owned(),
    }
}

/// Holds none of the server's pipes, so that each end sees when the other is gone.
fn let_go_of_pipes() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// The processes whose parent we are.
fn children() -> Vec<Pid> {
    let own = std::process::id();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let ids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| parent_of(*id) == Some(own))
        .map(Pid::from_raw)
        .collect()
}

/// The fourth field of `/proc/ID/stat`; the second holds any characters, in parentheses.
fn parent_of(id: i32) -> Option<u32> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    // One that has ended is no longer to be ended.
    if state == "Z" {
        None
    } else {
        fields.next()?.parse().ok()
    }
}

fn describe(id: Pid) -> Process {
    let read = |name: &str| std::fs::read(Path::new("/proc").join(id.to_string()).join(name));
    let line = read("cmdline").unwrap_or_default();
    let words: Vec<_> = line
        .split(|byte| *byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    let mut command = words.join(" ").trim().to_owned();
    if command.is_empty() {
        let name = read("comm").unwrap_or_default();
        command = String::from_utf8_lossy(name.trim_ascii()).into_owned();
    }
    Process {
        id: id.as_raw(),
        command,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::parent_id;

    use super::parent_of;

    #[test]
    fn a_parent_is_found() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(parent_of(own), Some(parent_id()));
        assert_eq!(parent_of(-1), None);
    }
}
