//! Installing: first everything is worked out, then it is written, the host's file last.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sayso_core::digest::Digest;

use super::by_hand::ByHand;
use super::edit::{self, Change, GateEntry};
use super::gate_settings;
use super::place::HostFile;
use super::record::{Installed, Record, Step};
use super::servers::Servers;
use crate::error::Failure;
use crate::replace::replace_file;

/// What there is to do, if anything.
pub(crate) enum Installation {
    Nothing(Box<Nothing>),
    Planned(Box<Planned>),
    ByHand(Box<ByHand>),
}

/// That nothing is left to be put behind the gate.
pub(crate) struct Nothing {
    pub(crate) file: HostFile,
    pub(crate) servers: Servers,
}

/// Everything that is to be written.
pub(crate) struct Planned {
    pub(crate) file: HostFile,
    pub(crate) servers: Servers,
    pub(crate) settings: PathBuf,
    pub(crate) settings_before: Option<String>,
    pub(crate) settings_after: String,
    pub(crate) host_after: String,
    pub(crate) backup: PathBuf,
    record: Record,
}

impl Installation {
    /// Works it out. `settings` is the gate's settings file, a whole path.
    ///
    /// # Errors
    /// When the servers cannot go there.
    pub(crate) fn plan(
        file: HostFile,
        servers: Servers,
        settings: PathBuf,
        program: String,
    ) -> Result<Self, Failure> {
        if servers.taken.is_empty() {
            return Ok(Self::Nothing(Box::new(Nothing { file, servers })));
        }
        let shown = settings.display().to_string();
        let settings_before = read_if_there(&settings)?;
        let settings_after =
            gate_settings::with_servers(settings_before.as_deref(), &servers.taken).map_err(
                |refused| {
                    Failure::usage(format!(
                        "cannot put servers into `{shown}`: {}",
                        refused.message
                    ))
                    .hint(refused.hint)
                },
            )?;
        let entry = entry(&file, &servers, program, shown)?;
        let names = servers.taken.iter().map(|server| server.name.clone());
        let moved: Vec<String> = names.collect();
        let own = servers.own.iter().map(|own| own.name.clone());
        let edited = entry.value(file.source).and_then(|value| {
            let change = Change {
                remove: moved.iter().cloned().chain(own).collect(),
                insert: vec![(entry.name.clone(), value.clone())],
            };
            Ok((edit::edit(&file.text, file.source, &change)?, value))
        });
        let (host_after, value) = match edited {
            Ok(edited) => edited,
            Err(why) => {
                let by_hand = ByHand::new(file, servers, &entry, why)?;
                return Ok(Self::ByHand(Box::new(by_hand)));
            }
        };
        let backup = free_backup(&file.path);
        let before = Record::read(&settings)?;
        let earlier = before
            .of(&file.path)
            .map(|installed| installed.steps.clone());
        let mut steps = earlier.unwrap_or_default();
        steps.push(Step {
            backup: backup.clone(),
            moved,
        });
        let mut record = before.without(&file.path);
        record.installed.push(Installed {
            host: file.source.host.id.clone(),
            file: file.path.clone(),
            entry: entry.name.clone(),
            value,
            written: Digest::of_text(&host_after).to_string(),
            steps,
        });
        Ok(Self::Planned(Box::new(Planned {
            file,
            servers,
            settings,
            settings_before,
            settings_after,
            host_after,
            backup,
            record,
        })))
    }
}

/// The entry that is to run the gate, with a name that is free.
fn entry(
    file: &HostFile,
    servers: &Servers,
    command: String,
    settings: String,
) -> Result<GateEntry, Failure> {
    let own = servers.own.as_ref().map(|own| own.name.clone());
    let others = servers.left.iter().map(|left| left.name.as_str());
    let others: Vec<&str> = others.collect();
    let mut names = ["sayso", "sayso-gate"].into_iter();
    let free = names.find(|name| !others.contains(name)).map(str::to_owned);
    let name = own.or(free).ok_or_else(|| {
        Failure::usage(format!(
            "`{}` has other servers called `sayso`",
            file.shown()
        ))
        .hint("rename one of them")
    })?;
    let mut variables: Vec<String> = Vec::new();
    // What the gate hands on by name has to reach the gate; those of an earlier time too.
    for variable in servers.taken.iter().flat_map(|server| &server.variables) {
        if !variables.contains(variable) {
            variables.push(variable.clone());
        }
    }
    for variable in servers.own.iter().flat_map(|own| &own.variables) {
        if !variables.contains(variable) {
            variables.push(variable.clone());
        }
    }
    Ok(GateEntry {
        name,
        command,
        settings,
        variables,
    })
}

impl Planned {
    /// Whether a value that may be a secret goes into the settings.
    pub(crate) fn has_values(&self) -> bool {
        let mut taken = self.servers.taken.iter();
        taken.any(|server| server.has_values || !server.filled_in.is_empty())
    }

    /// Writes everything.
    ///
    /// # Errors
    /// When a file changed meanwhile or cannot be written; the host's file is then as it was.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        unchanged(&self.file)?;
        if read_if_there(&self.settings)? != self.settings_before {
            return Err(changed(&self.settings));
        }
        write_backup(&self.file, &self.backup)?;
        let failed = |error: io::Error| {
            Failure::usage(format!("cannot write `{}`", self.settings.display())).source(error)
        };
        write_settings(&self.settings, &self.settings_after, self.has_values()).map_err(failed)?;
        self.record.write(&self.settings)?;
        unchanged(&self.file)?;
        write_host(&self.file, &self.host_after)
    }
}

/// That a host's file still is as it was read.
///
/// # Errors
/// When it is not.
pub(super) fn unchanged(file: &HostFile) -> Result<(), Failure> {
    match read_if_there(&file.path)? {
        Some(text) if text == file.text => Ok(()),
        _ => Err(changed(&file.path)),
    }
}

fn changed(path: &Path) -> Failure {
    Failure::usage(format!(
        "`{}` changed meanwhile; nothing was done to it",
        path.display()
    ))
    .hint("close the host, then run this again")
}

/// Writes the host's file.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write_host(file: &HostFile, text: &str) -> Result<(), Failure> {
    replace_file(&file.path, text.as_bytes())
        .map_err(|error| Failure::usage(format!("cannot write `{}`", file.shown())).source(error))
}

fn read_if_there(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Failure::usage(format!("cannot read `{}`", path.display())).source(error))
        }
    }
}

/// Where the file as it is now is kept: beside it, under a name that no host reads.
fn free_backup(path: &Path) -> PathBuf {
    let named = |number: usize| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".before-sayso");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        path.with_file_name(name)
    };
    let mut names = (1..).map(named);
    names.find(|path| !path.exists()).unwrap_or_default()
}

/// A copy that nobody can read who cannot read the file.
fn write_backup(file: &HostFile, backup: &Path) -> Result<(), Failure> {
    let copy = || -> io::Result<()> {
        let mut copy = create_private(backup)?;
        copy.write_all(file.text.as_bytes())?;
        copy.set_permissions(std::fs::metadata(&file.path)?.permissions())?;
        copy.sync_all()
    };
    copy().map_err(|error| {
        Failure::usage(format!("cannot keep a copy as `{}`", backup.display())).source(error)
    })
}

/// A new file for its owner alone.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// Writes the gate's settings; with values that may be secrets for their owner alone.
fn write_settings(path: &Path, text: &str, is_private: bool) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    if !path.exists() {
        create_private(path)?;
    } else if is_private {
        make_private(path)?;
    }
    replace_file(path, text.as_bytes())
}

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

/// Elsewhere a file is for whom its folder is for.
#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}
