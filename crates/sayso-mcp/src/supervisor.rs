//! A small process between a client and a stdio server, so that nothing of the server is
//! left behind: not when it ignores its end, not when it starts daemons, not when the client
//! is killed.
//!
//! A client starts its own program again as a supervisor (see [`Supervisor`]). It becomes
//! the reaper of everything the server starts, also of a daemon that left its session
//! (`PR_SET_CHILD_SUBREAPER`), is told when the client dies (`PR_SET_PDEATHSIG`), and stays
//! until the last of those processes is gone. The pipes go straight from client to server.
//! Where that is asked for it isolates the server first.
//!
//! [`Supervisor`]: crate::Supervisor

#[cfg(target_os = "linux")]
mod isolation;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use isolation::{drop_capabilities, own_all_addresses, raise_loopback};

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What to supervise and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The client's process id: without that parent there is nothing to do.
    pub parent: Option<u32>,
    /// A file to write a [`Report`] to, for the client.
    pub report: Option<PathBuf>,
    /// Start the server without any network but a loopback of its own.
    pub no_network: bool,
    /// Start the server with a home that vanishes, at this empty directory, and everything
    /// else read-only.
    pub private_home: Option<PathBuf>,
    /// The server's program and its arguments.
    pub command: Vec<OsString>,
}

impl Options {
    /// The options as arguments that [`Options::from_args`] reads.
    #[must_use]
    pub fn to_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        if let Some(parent) = self.parent {
            args.extend(["--parent".into(), parent.to_string().into()]);
        }
        if let Some(report) = &self.report {
            args.extend(["--report".into(), report.into()]);
        }
        if self.no_network {
            args.push("--no-network".into());
        }
        if let Some(home) = &self.private_home {
            args.extend(["--private-home".into(), home.into()]);
        }
        args.push("--".into());
        args.extend(self.command.iter().cloned());
        args
    }

    /// Reads what [`Options::to_args`] wrote.
    ///
    /// # Errors
    /// When an argument is unknown or one is missing, in words.
    pub fn from_args(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next()
                    .ok_or(format!("`{}` needs a value", arg.display()))
            };
            match arg.to_str() {
                Some("--parent") => {
                    options.parent = value()?.to_str().and_then(|id| id.parse().ok())
                }
                Some("--report") => options.report = Some(value()?.into()),
                Some("--private-home") => options.private_home = Some(value()?.into()),
                Some("--no-network") => options.no_network = true,
                Some("--") => {
                    options.command = args.collect();
                    break;
                }
                _ => return Err(format!("`{}` is not known here", arg.display())),
            }
        }
        if options.command.is_empty() {
            return Err("the command to supervise is missing: put it behind `--`".to_owned());
        }
        Ok(options)
    }

    /// The directories below which the server, or what it was given, lives.
    #[cfg(target_os = "linux")]
    fn paths(&self) -> Vec<PathBuf> {
        let named = self
            .command
            .iter()
            .map(Path::new)
            .filter(|path| path.is_absolute());
        let existing = named.filter_map(|path| path.canonicalize().ok());
        existing.chain(std::env::current_dir()).collect()
    }
}

/// What a supervisor tells its client when it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How the server itself ended.
    pub exit: Option<Exit>,
    /// Processes that were still there after the server had ended, and were ended.
    pub leftovers: Vec<Process>,
    /// Processes that could not be ended.
    pub survivors: Vec<Process>,
    /// Why the server was never started.
    pub failure: Option<Failure>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub id: i32,
    /// Its command line.
    pub command: String,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// With this exit status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

impl fmt::Display for Exit {
    /// In words that continue "the server …".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "ended with exit status {status}"),
            Self::Signal(number) => {
                write!(f, "was ended by signal {number}")?;
                #[cfg(unix)]
                if let Ok(signal) = nix::sys::signal::Signal::try_from(*number) {
                    write!(f, " ({signal})")?;
                }
                Ok(())
            }
        }
    }
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Status(status.code().unwrap_or(-1))
    }
}

/// Why a server was not started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The system refused to start it.
    #[error("cannot start `{command}`: {reason}")]
    Start {
        /// The program.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// It cannot be isolated as asked.
    #[error("cannot isolate the server as asked, so it was not started: {reason}")]
    Isolation {
        /// What is missing.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Report {
    /// The report in a file; `None` if there is none yet.
    pub(crate) fn read(file: impl AsRef<Path>) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(file).ok()?).ok()
    }
}

/// The variables that lead programs to a person's files and session, and where they lead in a
/// private home. Those without a place are taken away.
#[cfg(any(target_os = "linux", test))]
const PRIVATE_VARIABLES: [(&str, Option<&str>); 17] = [
    ("HOME", Some("")),
    ("XDG_CONFIG_HOME", Some(".config")),
    ("XDG_CACHE_HOME", Some(".cache")),
    ("XDG_DATA_HOME", Some(".local/share")),
    ("XDG_STATE_HOME", Some(".local/state")),
    ("XDG_RUNTIME_DIR", Some(".run")),
    ("TMPDIR", Some("tmp")),
    ("TMP", Some("tmp")),
    ("TEMP", Some("tmp")),
    ("APPDATA", Some("AppData/Roaming")),
    ("LOCALAPPDATA", Some("AppData/Local")),
    ("USERPROFILE", Some("")),
    ("SSH_AUTH_SOCK", None),
    ("DBUS_SESSION_BUS_ADDRESS", None),
    ("DISPLAY", None),
    ("WAYLAND_DISPLAY", None),
    ("GPG_AGENT_INFO", None),
];

/// The environment of the server.
#[cfg(any(target_os = "linux", test))]
fn environment(
    own: impl Iterator<Item = (OsString, OsString)>,
    private_home: Option<&Path>,
) -> Vec<(OsString, OsString)> {
    let Some(home) = private_home else {
        return own.collect();
    };
    let is_private = |name: &std::ffi::OsStr| {
        PRIVATE_VARIABLES
            .iter()
            .any(|(private, _)| name == *private)
    };
    let kept = own.filter(|(name, _)| !is_private(name));
    let private = PRIVATE_VARIABLES.iter().filter_map(|(name, place)| {
        let place = place.as_ref()?;
        let path = if place.is_empty() {
            home.to_owned()
        } else {
            home.join(place)
        };
        Some((OsString::from(name), path.into_os_string()))
    });
    kept.chain(private).collect()
}

/// Supervises a server until it and everything it started has ended, then ends as it did:
/// with its exit status, or by its signal. Meant to be all that a program does.
///
/// What keeps the server from being started is told in the report, or on standard error if
/// there is none, and ends in status 125.
///
/// # Errors
/// Elsewhere than on Linux, in words.
pub fn supervise(options: &Options) -> Result<std::process::ExitCode, String> {
    #[cfg(target_os = "linux")]
    return Ok(linux::supervise(options));
    #[cfg(not(target_os = "linux"))]
    Err(format!(
        "cannot supervise `{}`: that takes Linux",
        options
            .command
            .first()
            .unwrap_or(&OsString::new())
            .display()
    ))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{Options, environment};

    #[test]
    fn options_survive_a_command_line() {
        let options = Options {
            parent: Some(17),
            report: Some("/tmp/a b".into()),
            no_network: true,
            private_home: Some("/tmp/home".into()),
            command: vec!["npx".into(), "--".into(), "--no-network".into()],
        };
        assert_eq!(Options::from_args(options.to_args()).unwrap(), options);
        let plain = Options {
            command: vec!["a".into()],
            ..Options::default()
        };
        assert_eq!(Options::from_args(plain.to_args()).unwrap(), plain);
        let refused =
            |args: &[&str]| Options::from_args(args.iter().map(OsString::from)).unwrap_err();
        insta::assert_snapshot!(refused(&["--no-net", "--", "a"]), @"`--no-net` is not known here");
        insta::assert_snapshot!(refused(&["--report"]), @"`--report` needs a value");
        insta::assert_snapshot!(refused(&["--"]), @"the command to supervise is missing: put it behind `--`");
    }

    #[test]
    fn a_private_home_leads_no_variable_to_the_real_one() {
        let own = [
            ("HOME", "/people/ann"),
            ("XDG_CACHE_HOME", "/people/ann/c"),
            ("SSH_AUTH_SOCK", "/s"),
            ("PATH", "/bin"),
        ];
        let own = own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let private = environment(own.clone().into_iter(), Some(Path::new("/p")));
        let get = |name: &str| {
            let found = private.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.to_str().unwrap().to_owned())
        };
        assert_eq!(get("HOME").as_deref(), Some("/p"));
        assert_eq!(get("XDG_CACHE_HOME").as_deref(), Some("/p/.cache"));
        assert_eq!(get("SSH_AUTH_SOCK"), None);
        assert_eq!(get("PATH").as_deref(), Some("/bin"));
        assert_eq!(environment(own.clone().into_iter(), None), own);
    }
}
