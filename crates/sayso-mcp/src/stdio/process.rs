//! A server's process: started in a group of its own, watched over, and ended with everything
//! it started.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tempfile::{TempDir, TempPath};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::error::ReadErrorKind;
use crate::supervisor::{self, Report};
use crate::target::StdioCommand;

/// A running server. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    #[cfg(unix)]
    id: Option<u32>,
    ended: Option<ExitStatus>,
    report: Option<TempPath>,
    /// An empty directory; what a server writes there is gone with its own view of it.
    _home: Option<TempDir>,
}

/// The three pipes of a server.
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

impl Process {
    /// Starts a server.
    pub(super) fn start(command: &StdioCommand) -> Result<(Self, Pipes), ReadErrorKind> {
        let shown = command.command.to_string_lossy().into_owned();
        let failed = |error: &io::Error| ReadErrorKind::Spawn {
            command: shown.clone(),
            reason: error.to_string(),
        };
        if let Some(cwd) = command.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            let reason = format!("its directory `{}` does not exist", cwd.display());
            return Err(ReadErrorKind::Spawn {
                command: shown,
                reason,
            });
        }
        let program = find_program(command)?;
        let supervision = Supervision::prepare(command, program).map_err(|error| failed(&error))?;
        if supervision.report.is_none() && command.isolation.any() {
            return Err(ReadErrorKind::Isolation {
                reason: "that takes Linux and a supervisor".to_owned(),
                hint: Some("read it in a container or a virtual machine instead".to_owned()),
            });
        }
        let mut child = Command::new(&supervision.program);
        child
            .args(&supervision.args)
            .envs(command.env.iter().map(|(name, value)| (name, value)));
        child
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cwd) = &command.cwd {
            child.current_dir(cwd);
        }
        // Ctrl-C in a terminal is for us alone: we end the server in good order.
        #[cfg(unix)]
        child.process_group(0);
        #[cfg(not(unix))]
        child.kill_on_drop(true);
        let mut child = child.spawn().map_err(|error| failed(&error))?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        let process = Self {
            #[cfg(unix)]
            id: child.id(),
            child,
            ended: None,
            report: supervision.report,
            _home: supervision.home,
        };
        Ok((process, pipes))
    }

    /// Waits until the process has ended. Can be dropped and called again.
    pub(super) async fn wait(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.child.wait().await.ok();
            // Whoever is left of its group. A supervisor leaves nobody.
            if self.report.is_none() {
                self.signal_group(Signal::Kill);
            }
        }
        self.ended
    }

    /// How it ended, if it has.
    pub(super) fn exit_status(&self) -> Option<ExitStatus> {
        self.ended
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Asks it to end.
    pub(super) fn terminate(&self) {
        self.signal(Signal::Terminate);
    }

    /// Ends it.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::Kill);
        // For systems without signals.
        let _ = self.child.start_kill();
    }

    fn signal(&self, signal: Signal) {
        if self.ended.is_some() {
            return;
        }
        if self.report.is_some() {
            self.signal_one(signal);
        } else {
            self.signal_group(signal);
        }
    }

    /// What the supervisor has to say; `None` without one, and before it has ended.
    pub(super) fn report(&self) -> Option<Report> {
        Report::read(self.report.as_ref()?)
    }

    #[cfg(unix)]
    fn signal_one(&self, signal: Signal) {
        if let Some(id) = self.pid() {
            // It may have ended in the meantime: until it is waited for, its id is its own.
            let _ = nix::sys::signal::kill(id, signal.to_nix());
        }
    }

    #[cfg(unix)]
    fn signal_group(&self, signal: Signal) {
        if let Some(id) = self.pid() {
            let _ = nix::sys::signal::killpg(id, signal.to_nix());
        }
    }

    #[cfg(unix)]
    fn pid(&self) -> Option<nix::unistd::Pid> {
        self.id
            .and_then(|id| i32::try_from(id).ok())
            .map(nix::unistd::Pid::from_raw)
    }

    #[cfg(not(unix))]
    fn signal_one(&self, _: Signal) {}

    #[cfg(not(unix))]
    fn signal_group(&self, _: Signal) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        // A supervisor ends the server and everything else in its own time.
        if self.report.is_some() {
            self.terminate()
        } else {
            self.kill()
        }
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

#[cfg(unix)]
impl Signal {
    fn to_nix(self) -> nix::sys::signal::Signal {
        match self {
            Self::Terminate => nix::sys::signal::Signal::SIGTERM,
            Self::Kill => nix::sys::signal::Signal::SIGKILL,
        }
    }
}

/// What is really started, and what it needs.
struct Supervision {
    program: PathBuf,
    args: Vec<OsString>,
    report: Option<TempPath>,
    home: Option<TempDir>,
}

impl Supervision {
    fn prepare(command: &StdioCommand, program: PathBuf) -> io::Result<Self> {
        let Some(own) = command
            .supervisor
            .as_ref()
            .filter(|_| cfg!(target_os = "linux"))
        else {
            return Ok(Self {
                program,
                args: command.args.clone(),
                report: None,
                home: None,
            });
        };
        let report = tempfile::Builder::new()
            .prefix("sayso-")
            .tempfile()?
            .into_temp_path();
        let home = if command.isolation.private_home {
            Some(tempfile::Builder::new().prefix("sayso-home-").tempdir()?)
        } else {
            None
        };
        let options = supervisor::Options {
            parent: Some(std::process::id()),
            report: Some(report.to_path_buf()),
            no_network: command.isolation.no_network,
            private_home: home.as_ref().map(|home| home.path().to_owned()),
            command: std::iter::once(program.into_os_string())
                .chain(command.args.iter().cloned())
                .collect(),
        };
        let args = own.args.iter().cloned().chain(options.to_args()).collect();
        Ok(Self {
            program: own.program.clone(),
            args,
            report: Some(report),
            home,
        })
    }
}

/// The program's path: names are looked for in the `PATH` the server will see.
fn find_program(command: &StdioCommand) -> Result<PathBuf, ReadErrorKind> {
    let shown = || command.command.to_string_lossy().into_owned();
    let not_found = || ReadErrorKind::CommandNotFound { command: shown() };
    let own_path = command
        .env
        .iter()
        .rev()
        .find(|(name, _)| name == "PATH" || cfg!(windows) && name.eq_ignore_ascii_case("PATH"))
        .map(|(_, value)| value.clone());
    let path = own_path.or_else(|| std::env::var_os("PATH"));
    let cwd = match &command.cwd {
        Some(cwd) => std::path::absolute(cwd),
        None => std::env::current_dir(),
    };
    let cwd = cwd.map_err(|_| not_found())?;
    which::which_in(&command.command, path, &cwd).map_err(|_| {
        let named = Path::new(&command.command);
        let place = cwd.join(named);
        // A name without a directory is looked for in `PATH` alone.
        let reason = if named.components().count() < 2 || !place.exists() {
            return not_found();
        } else if place.is_dir() {
            "it is a directory"
        } else {
            "it is not executable"
        };
        ReadErrorKind::Spawn {
            command: shown(),
            reason: reason.to_owned(),
        }
    })
}
