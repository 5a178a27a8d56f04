//! Where a server runs: by itself, or in a jail as `sayso verify` and the gate make them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sayso_verify::jail::{Jail, Launcher};
use sayso_verify::plan::{Meets, Mode, Network, Overlay, Plan, Purpose};

use crate::Result;

/// Where a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Without a jail.
    Bare,
    /// The same once more: what differs between the two is noise.
    BareAgain,
    /// In a jail.
    Jailed(Purpose, Mode),
}

/// All of them, those without a jail first.
pub(crate) const KINDS: [Kind; 6] = [
    Kind::Bare,
    Kind::BareAgain,
    Kind::Jailed(Purpose::Observe, Mode::Namespaces),
    Kind::Jailed(Purpose::Observe, Mode::Landlock),
    Kind::Jailed(Purpose::Confine, Mode::Namespaces),
    Kind::Jailed(Purpose::Confine, Mode::Landlock),
];

impl Kind {
    /// What the tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::BareAgain => "bare, again",
            Self::Jailed(Purpose::Observe, Mode::Namespaces) => "recorded, namespaces",
            Self::Jailed(Purpose::Observe, Mode::Landlock) => "recorded, landlock",
            Self::Jailed(Purpose::Confine, Mode::Namespaces) => "confined, namespaces",
            Self::Jailed(Purpose::Confine, Mode::Landlock) => "confined, landlock",
        }
    }
}

/// What a server in a jail is given.
pub(crate) struct Given<'a> {
    pub(crate) command: Vec<OsString>,
    pub(crate) workspace: &'a Path,
    /// The folder of its package.
    pub(crate) package: &'a Path,
    /// Whether it may write to the workspace also where it is confined.
    pub(crate) writes: bool,
    /// A private folder.
    pub(crate) scratch: &'a Path,
}

/// Prepares a jail.
pub(crate) fn jail(purpose: Purpose, mode: Mode, given: Given<'_>) -> Result<Jail> {
    let launcher = Launcher {
        program: env!("CARGO_BIN_EXE_sayso").into(),
        args: vec!["jail".into()],
    };
    let plan = plan(purpose, mode, given)?;
    let jail = Jail::prepare(&plan, &launcher);
    Ok(jail.map_err(|refused| format!("{refused}\nhint: {}", refused.hint))?)
}

fn plan(purpose: Purpose, mode: Mode, given: Given<'_>) -> Result<Plan> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.and_then(|home| home.canonicalize().ok());
    let is_given = purpose == Purpose::Observe || given.writes;
    let mut plan = Plan {
        mode,
        purpose,
        env: environment(purpose),
        cwd: given.workspace.to_owned(),
        writable: Vec::new(),
        overlays: Vec::new(),
        read_only: Vec::new(),
        empty: Vec::new(),
        network: match purpose {
            Purpose::Confine => Network::None,
            Purpose::Observe => Network::Recorded {
                meets: Meets::Refusal,
                live: Vec::new(),
                loopback: Vec::new(),
            },
        },
        command: given.command,
    };
    if is_given {
        plan.writable.push(given.workspace.to_owned());
    } else if mode == Mode::Namespaces {
        plan.read_only.push(given.workspace.to_owned());
    }
    match mode {
        Mode::Namespaces => {
            plan.empty.extend(["/tmp", "/var/tmp"].map(PathBuf::from));
            let lowers: Vec<PathBuf> = match purpose {
                Purpose::Observe => home.into_iter().chain([given.package.to_owned()]).collect(),
                Purpose::Confine => {
                    let own = [".cache", ".config", ".local", ".npm"];
                    let own = home.iter().flat_map(|home| own.map(|own| home.join(own)));
                    own.filter(|own| own.is_dir()).collect()
                }
            };
            let is_hidden = plan
                .empty
                .iter()
                .any(|empty| given.package.starts_with(empty));
            if is_hidden && purpose == Purpose::Confine {
                plan.read_only.push(given.package.to_owned());
            }
            for (number, lower) in lowers.into_iter().enumerate() {
                plan.overlays.push(overlay(lower, number, given.scratch)?);
            }
        }
        Mode::Landlock => {
            let folder = given.scratch.join("own");
            std::fs::create_dir_all(&folder)?;
            let names: &[&str] = match purpose {
                Purpose::Observe => &["HOME", "TMPDIR"],
                Purpose::Confine => &["TMPDIR"],
            };
            for name in names {
                plan.env.retain(|(known, _)| known != name);
                plan.env.push((name.into(), folder.clone().into()));
            }
            plan.writable.push(folder);
        }
    }
    Ok(plan)
}

/// Recorded is what has little around it, confined what works as it does otherwise.
fn environment(purpose: Purpose) -> Vec<(OsString, OsString)> {
    let mut env: Vec<(OsString, OsString)> = match purpose {
        Purpose::Confine => std::env::vars_os().collect(),
        Purpose::Observe => ["PATH", "HOME"]
            .into_iter()
            .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
            .chain([("LANG".into(), "C.UTF-8".into())])
            .collect(),
    };
    let python = "PYTHONDONTWRITEBYTECODE";
    env.retain(|(name, _)| name != python);
    env.push((python.into(), "1".into()));
    env
}

fn overlay(lower: PathBuf, number: usize, scratch: &Path) -> Result<Overlay> {
    let folder = scratch.join(format!("over-{number}"));
    let overlay = Overlay {
        lower,
        upper: folder.join("upper"),
        work: folder.join("work"),
    };
    std::fs::create_dir_all(&overlay.upper)?;
    std::fs::create_dir_all(&overlay.work)?;
    Ok(overlay)
}
