//! Confinement of servers behind the gate, by the jail of `sayso verify`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sayso_gateway::confine::{Attempt, Confined, Confiner, Reach, View};
use sayso_mcp::StdioCommand;
use sayso_verify::jail::{Jail, Launcher, Mark, Refused, probe};
use sayso_verify::judge;
use sayso_verify::plan::{Meets, Mode, Network, Overlay, Plan, Purpose};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::cli::JAIL;
use crate::error::Failure;

/// Folders below the home that programs keep things of their own in.
const OWN: [&str; 4] = [".cache", ".config", ".local", ".npm"];

/// Folders for temporary files.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Confines servers with what the kernel gives this user.
pub(crate) struct Jails {
    launcher: Launcher,
    mode: OnceLock<Result<Mode, String>>,
}

/// What confines servers of this gate.
///
/// # Errors
/// When this program's own file cannot be found.
pub(crate) fn confiner() -> Result<Arc<dyn Confiner>, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
    Ok(Arc::new(Jails {
        launcher: Launcher {
            program,
            args: vec![JAIL.into()],
        },
        mode: OnceLock::new(),
    }))
}

impl Jails {
    fn mode(&self) -> Result<Mode, String> {
        let probed = || {
            probe(&self.launcher)
                .choose(None)
                .map_err(|refused| said(&refused))
        };
        self.mode.get_or_init(probed).clone()
    }
}

fn said(refused: &Refused) -> String {
    match refused.hint.as_str() {
        "" => refused.reason.clone(),
        hint => format!("{}; {hint}", refused.reason),
    }
}

impl Confiner for Jails {
    fn possible(&self) -> Result<&'static str, String> {
        self.mode().map(Mode::as_str)
    }

    fn confine(&self, command: &StdioCommand, view: &View) -> Result<Box<dyn Confined>, String> {
        let mode = self.mode()?;
        let scratch = tempfile::Builder::new()
            .prefix("sayso-")
            .tempdir()
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let plan = plan(mode, command, view, scratch.path())?;
        let jail = Jail::prepare(&plan, &self.launcher).map_err(|refused| said(&refused))?;
        Ok(Box::new(Held {
            seen: Mutex::new(jail.mark()),
            jail,
            mode,
            _scratch: Scratch(scratch),
        }))
    }
}

/// What the process may see and touch.
fn plan(mode: Mode, command: &StdioCommand, view: &View, scratch: &Path) -> Result<Plan, String> {
    let env = environment(mode, command, scratch)?;
    let cwd = match &command.cwd {
        Some(cwd) => cwd.clone(),
        None => std::env::current_dir()
            .map_err(|error| format!("there is no current folder: {error}"))?,
    };
    let (overlays, empty) = match mode {
        Mode::Namespaces => (
            overlays(&env, view, scratch)?,
            TEMPORARY.iter().map(PathBuf::from).collect(),
        ),
        Mode::Landlock => (Vec::new(), Vec::new()),
    };
    let mut writable = view.write.clone();
    // Without overlays a folder of the server's own cannot be given to it for a while only.
    if mode == Mode::Landlock {
        writable.push(temporary(scratch));
    }
    let mut program = vec![command.command.clone()];
    program.extend(command.args.iter().cloned());
    Ok(Plan {
        mode,
        purpose: Purpose::Confine,
        read_only: named(&program, &env, &cwd, &overlays, &empty),
        command: program,
        env: env.into_iter().collect(),
        cwd,
        writable,
        overlays,
        empty,
        network: match &view.reach {
            Reach::Nothing => Network::None,
            Reach::Hosts(hosts) => live(hosts.clone()),
            Reach::Anything => live(vec!["*".to_owned()]),
        },
    })
}

fn live(hosts: Vec<String>) -> Network {
    Network::Recorded {
        meets: Meets::Refusal,
        live: hosts,
        loopback: Vec::new(),
    }
}

/// The environment that the server has outside of confinement, too. Where nothing can be put over a
/// folder, programs are told of another place for what they throw away.
fn environment(
    mode: Mode,
    command: &StdioCommand,
    scratch: &Path,
) -> Result<BTreeMap<OsString, OsString>, String> {
    let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    env.extend(command.env.iter().cloned());
    env.entry("PYTHONDONTWRITEBYTECODE".into())
        .or_insert_with(|| "1".into());
    if mode == Mode::Landlock {
        let folder = temporary(scratch);
        std::fs::create_dir(&folder)
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        for name in [
            "TMPDIR",
            "XDG_CACHE_HOME",
            "XDG_STATE_HOME",
            "npm_config_cache",
        ] {
            env.insert(name.into(), folder.clone().into());
        }
    }
    Ok(env)
}

fn temporary(scratch: &Path) -> PathBuf {
    scratch.join("temporary")
}

/// Overlays over what the server may write to without leaving anything behind.
fn overlays(
    env: &BTreeMap<OsString, OsString>,
    view: &View,
    scratch: &Path,
) -> Result<Vec<Overlay>, String> {
    let home = env.get(&OsString::from("HOME")).map(PathBuf::from);
    let home = home.or_else(dirs::home_dir);
    let own = home.iter().flat_map(|home| OWN.map(|name| home.join(name)));
    let mut lowers: Vec<PathBuf> = own.chain(view.state.iter().cloned()).collect();
    // Through links, since mounts are made where they lead.
    lowers = lowers
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    lowers.retain(|path| path.is_dir() && path.parent().is_some());
    lowers.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for lower in lowers {
        if !kept.iter().any(|kept| lower.starts_with(kept)) {
            kept.push(lower);
        }
    }
    let overlay = |(number, lower): (usize, PathBuf)| {
        let folder = scratch.join(number.to_string());
        let overlay = Overlay {
            lower,
            upper: folder.join("upper"),
            work: folder.join("work"),
        };
        for made in [&overlay.upper, &overlay.work] {
            std::fs::create_dir_all(made)
                .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        }
        Ok(overlay)
    };
    kept.into_iter().enumerate().map(overlay).collect()
}

/// What the server is started with that lies where it would see a folder of its own: that stays the
/// machine's, read-only.
fn named(
    command: &[OsString],
    env: &BTreeMap<OsString, OsString>,
    cwd: &Path,
    overlays: &[Overlay],
    empty: &[PathBuf],
) -> Vec<PathBuf> {
    let words = command.iter().chain(env.values());
    let words = words.flat_map(|word| {
        let text = word.to_string_lossy().into_owned();
        let parts: Vec<PathBuf> = text.split(['=', ':', ',']).map(PathBuf::from).collect();
        parts.into_iter().chain([PathBuf::from(word)])
    });
    let mut named: Vec<PathBuf> = words
        .chain([cwd.to_owned()])
        .filter(|path| path.is_absolute())
        .collect();
    named.sort();
    named.dedup();
    let covers: Vec<&PathBuf> = overlays
        .iter()
        .map(|overlay| &overlay.lower)
        .chain(empty)
        .collect();
    let is_below = |path: &PathBuf| {
        covers
            .iter()
            .any(|over| path.starts_with(over) && path != *over)
    };
    named.retain(|path| is_below(path) && path.exists());
    // What lies below another comes with it.
    let all = named.clone();
    named.retain(|path| {
        !all.iter()
            .any(|other| path != other && path.starts_with(other))
    });
    named
}

/// One confined process.
struct Held {
    jail: Jail,
    mode: Mode,
    seen: Mutex<Mark>,
    /// Goes after the jail, which may write to it.
    _scratch: Scratch,
}

impl Confined for Held {
    fn command(&self) -> StdioCommand {
        self.jail.command()
    }

    fn attempts(&self) -> Vec<Attempt> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.jail.mark();
        let events = self.jail.since(*seen);
        *seen = now;
        drop(seen);
        let refused = |event: &sayso_verify::event::Event| {
            let refusal = judge::refused(event)?;
            Some(Attempt {
                what: refusal.line,
                program: event.program.clone(),
                against: refusal.against,
            })
        };
        events.iter().filter_map(refused).collect()
    }

    fn changed(&self) -> watch::Receiver<u64> {
        self.jail.count()
    }

    fn mode(&self) -> &'static str {
        self.mode.as_str()
    }

    fn failure(&self) -> Option<String> {
        self.jail.failure().as_ref().map(said)
    }
}

/// A temporary folder in which the kernel may have left some that nobody may enter: those that
/// overlays work in.
struct Scratch(TempDir);

impl Drop for Scratch {
    fn drop(&mut self) {
        let entries = std::fs::read_dir(self.0.path()).into_iter().flatten();
        for entry in entries.flatten() {
            open_up(&entry.path().join("work").join("work"));
        }
    }
}

#[cfg(unix)]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    // Most often there is none.
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}
