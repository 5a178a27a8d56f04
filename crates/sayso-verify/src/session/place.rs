//! Where a watched server works: the folders it may write to, where what it writes lands, and the plan.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Options, Subject};
use crate::change::Place;
use crate::plan::{Mode, Network, Overlay, Plan, Purpose};
use crate::tree::{Folder, Location};

/// What stands for the fixture's folder in a server's arguments and variables.
pub const NAME_OF_WORKSPACE: &str = "{workspace}";

/// Folders for temporary files.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// A private folder for what a jail writes, which goes when this does.
#[derive(Debug)]
pub struct Scratch(Option<TempDir>);

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When none can be made.
    pub fn new() -> io::Result<Self> {
        Ok(Self(Some(
            tempfile::Builder::new().prefix("sayso-").tempdir()?,
        )))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.as_ref().map_or_else(|| Path::new(""), TempDir::path)
    }

    fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Some(folder) = self.0.take() else { return };
        #[cfg(unix)]
        open_up(folder.path());
        // What cannot be removed stays, in a private folder.
        let _ = folder.close();
    }
}

/// Makes folders that nobody may enter ones that can be removed: the kernel and servers leave such.
#[cfg(unix)]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// The folders of one server, and its plan.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) plan: Plan,
    pub(super) folders: Vec<Folder>,
    pub(super) contents: PathBuf,
}

impl Site {
    pub(super) fn new(
        scratch: &Scratch,
        workspace: &Path,
        loopback: &BTreeSet<u16>,
        subject: &Subject,
        options: &Options,
    ) -> io::Result<Self> {
        let command = command(subject, workspace, options.workspace.as_deref())?;
        let cwd = match &subject.directory {
            Some(directory) => directory.canonicalize()?,
            None => workspace.to_owned(),
        };
        let mut folders = vec![Folder {
            path: workspace.to_owned(),
            place: Place::Workspace,
            location: Location::Plain(workspace.to_owned()),
        }];
        let mut writable = vec![workspace.to_owned()];
        let mut overlays = Vec::new();
        let mut env = environment(subject, workspace, options.workspace.as_deref());
        if options.mode == Mode::Namespaces {
            for (number, (lower, place)) in covered(&command, &env).into_iter().enumerate() {
                let overlay = Overlay {
                    upper: scratch.folder(&format!("over-{number}/upper"))?,
                    work: scratch.folder(&format!("over-{number}/work"))?,
                    lower: lower.clone(),
                };
                folders.push(Folder {
                    path: lower.clone(),
                    place,
                    location: Location::Overlay {
                        lower,
                        upper: overlay.upper.clone(),
                    },
                });
                overlays.push(overlay);
            }
        } else {
            let (home, temporary) = (scratch.folder("home")?, scratch.folder("temporary")?);
            for (path, place) in [(&home, Place::Home), (&temporary, Place::Temporary)] {
                folders.push(Folder {
                    path: path.clone(),
                    place,
                    location: Location::Plain(path.clone()),
                });
                writable.push(path.clone());
            }
            redirect(&mut env, &home, &temporary);
        }
        let empty: Vec<PathBuf> = match options.mode {
            Mode::Namespaces => TEMPORARY.iter().map(PathBuf::from).collect(),
            Mode::Landlock => Vec::new(),
        };
        Ok(Self {
            folders,
            contents: scratch.folder("contents")?,
            plan: Plan {
                mode: options.mode,
                purpose: Purpose::Observe,
                read_only: kept(&command, &env, &cwd, &writable, &overlays, &empty),
                command,
                env,
                cwd,
                writable,
                overlays,
                empty,
                network: Network::Recorded {
                    meets: options.meets,
                    live: options.live.clone(),
                    loopback: loopback.iter().copied().collect(),
                },
            },
        })
    }
}

/// The command line: what names a file of the current folder goes on naming it, and the person's
/// workspace becomes its copy.
fn command(
    subject: &Subject,
    workspace: &Path,
    original: Option<&Path>,
) -> io::Result<Vec<OsString>> {
    let here = std::env::current_dir()?;
    let words = std::iter::once(&subject.program).chain(&subject.arguments);
    let placed = words.map(|word| {
        let is_program_name =
            std::ptr::eq(word, &subject.program) && Path::new(word).components().count() < 2;
        let file = here.join(word);
        if !is_program_name
            && subject.directory.is_none()
            && Path::new(word).is_relative()
            && file.is_file()
        {
            return file.into_os_string();
        }
        in_workspace(word, workspace, original)
    });
    Ok(placed.collect())
}

/// A word with the workspace in it where it is meant.
fn in_workspace(word: &OsStr, workspace: &Path, original: Option<&Path>) -> OsString {
    if let Some(original) = original {
        let whole = original.canonicalize();
        for from in [Some(original.to_owned()), whole.ok()]
            .into_iter()
            .flatten()
        {
            if let Ok(rest) = Path::new(word).strip_prefix(&from) {
                return match rest.as_os_str().is_empty() {
                    true => workspace.to_owned().into(),
                    false => workspace.join(rest).into(),
                };
            }
        }
    }
    match (word.to_str(), workspace.to_str()) {
        (Some(word), Some(workspace)) => word.replace(NAME_OF_WORKSPACE, workspace).into(),
        _ => word.to_owned(),
    }
}

/// What every program needs, and what is said for this one; nothing else of ours.
fn environment(
    subject: &Subject,
    workspace: &Path,
    original: Option<&Path>,
) -> Vec<(OsString, OsString)> {
    let mut env: Vec<(OsString, OsString)> = ["PATH", "HOME"]
        .into_iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    let fixed = [
        ("LANG", "C.UTF-8"),
        ("TMPDIR", "/tmp"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("npm_config_update_notifier", "false"),
        ("RES_OPTIONS", "use-vc"),
    ];
    env.extend(fixed.map(|(name, value)| (name.into(), value.into())));
    for (name, value) in &subject.env {
        env.retain(|(known, _)| known != name);
        env.push((name.clone(), in_workspace(value, workspace, original)));
    }
    env
}

/// Without overlays the server has to be told of its folders.
fn redirect(env: &mut Vec<(OsString, OsString)>, home: &Path, temporary: &Path) {
    let folders = [
        ("HOME", home.to_owned()),
        ("TMPDIR", temporary.to_owned()),
        ("XDG_CACHE_HOME", home.join(".cache")),
        ("XDG_CONFIG_HOME", home.join(".config")),
        ("XDG_DATA_HOME", home.join(".local/share")),
        ("XDG_STATE_HOME", home.join(".local/state")),
    ];
    for (name, folder) in folders {
        env.retain(|(known, _)| *known != *name);
        env.push((name.into(), folder.into()));
    }
}

/// What gets an overlay: the home, and the folder the server's own package is in.
fn covered(command: &[OsString], env: &[(OsString, OsString)]) -> Vec<(PathBuf, Place)> {
    let home = env
        .iter()
        .find(|(name, _)| name == "HOME")
        .and_then(|(_, home)| Path::new(home).canonicalize().ok())
        .filter(|home| home.is_dir() && home.parent().is_some());
    let mut covered: Vec<(PathBuf, Place)> = Vec::new();
    covered.extend(home.map(|home| (home, Place::Home)));
    let path = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, path)| path.as_os_str());
    for folder in command.iter().filter_map(|word| package(word, path)) {
        let is_covered = covered
            .iter()
            .any(|(over, _)| folder.starts_with(over) || over.starts_with(&folder));
        if !is_covered {
            covered.push((folder, Place::Elsewhere));
        }
    }
    covered
}

/// The folder of the package that a word of a command line names a file of, where that is not the
/// system's.
fn package(word: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let named = Path::new(word);
    let file = if named.is_absolute() {
        named.to_owned()
    } else {
        let mut folders = path.into_iter().flat_map(std::env::split_paths);
        folders.find_map(|folder| Some(folder.join(named)).filter(|file| file.is_file()))?
    };
    if !file.is_file() {
        return None;
    }
    // An environment's program is a link out of it: look from where it is named.
    let parent = file.parent()?.canonicalize().ok()?;
    if let Some(environment) = parent.parent().filter(|up| up.join("pyvenv.cfg").is_file()) {
        return Some(environment.to_owned());
    }
    let real = file.canonicalize().ok()?;
    const SYSTEM: [&str; 8] = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/etc",
        "/nix",
        "/opt/homebrew",
    ];
    if SYSTEM.iter().any(|system| real.starts_with(system)) {
        return None;
    }
    let modules = real.ancestors().filter(|folder| {
        folder
            .file_name()
            .is_some_and(|name| name == "node_modules")
    });
    if let Some(outermost) = modules.last() {
        return Some(outermost.to_owned());
    }
    const MANIFESTS: [&str; 3] = ["package.json", "pyproject.toml", "setup.py"];
    let is_root = |folder: &&Path| MANIFESTS.iter().any(|name| folder.join(name).is_file());
    let root = real.ancestors().skip(1).take(4).find(is_root)?;
    root.parent().map(|_| root.to_owned())
}

/// What the server is started with that lies where an empty folder will be: that stays the machine's.
fn kept(
    command: &[OsString],
    env: &[(OsString, OsString)],
    cwd: &Path,
    writable: &[PathBuf],
    overlays: &[Overlay],
    empty: &[PathBuf],
) -> Vec<PathBuf> {
    let values = env
        .iter()
        .filter(|(name, _)| name != "HOME" && name != "TMPDIR");
    let words = command.iter().chain(values.map(|(_, value)| value));
    let parts = words.flat_map(|word| {
        let whole = std::iter::once(PathBuf::from(word));
        let split: Vec<PathBuf> = std::env::split_paths(word).collect();
        whole.chain(split)
    });
    let of_program = command.iter().filter_map(|word| {
        // The file itself, and what a link or a package leads to.
        let real = Path::new(word).canonicalize().ok()?;
        real.is_file().then(|| real.parent().map(Path::to_owned))?
    });
    let mut kept: Vec<PathBuf> = parts
        .chain(of_program)
        .chain([cwd.to_owned()])
        .filter(|path| path.is_absolute() && path.exists())
        .collect();
    let lowers = overlays.iter().map(|overlay| &overlay.lower);
    let others: Vec<&PathBuf> = writable.iter().chain(lowers).collect();
    let touches = |path: &Path| {
        let mut others = others.iter();
        others.any(|other| path.starts_with(other) || other.starts_with(path))
    };
    kept.retain(|path| {
        let is_below = empty.iter().any(|folder| path.starts_with(folder));
        is_below && !empty.contains(path) && !touches(path)
    });
    kept.sort();
    kept.dedup();
    let all = kept.clone();
    kept.retain(|path| {
        !all.iter()
            .any(|other| path != other && path.starts_with(other))
    });
    kept
}
