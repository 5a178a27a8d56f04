//! Uninstalling: the servers go back to where they stood.

use std::path::PathBuf;

use sayso_core::digest::Digest;

use super::edit::{self, Change};
use super::place::HostFile;
use super::record::{Installed, Record};
use super::servers::{OwnEntry, Servers};
use super::steps::{unchanged, write_host};
use crate::error::Failure;
use crate::redact::Secrets;

/// Everything that is to be written.
pub(crate) struct Removal {
    pub(crate) file: HostFile,
    pub(crate) own: OwnEntry,
    pub(crate) host_after: String,
    /// The copies of the file as it was.
    pub(crate) backups: Vec<PathBuf>,
    /// Whether the file gets back every byte it had.
    pub(crate) is_exact: bool,
    /// Servers that stay out, for there is another of that name now.
    pub(crate) skipped: Vec<String>,
    record: Record,
}

impl Removal {
    /// Works it out.
    ///
    /// # Errors
    /// When it is not known what stood there, or the file cannot be edited.
    pub(crate) fn plan(file: HostFile, own: OwnEntry) -> Result<Self, Failure> {
        let before = Record::read(&own.settings)?;
        let installed = before
            .of(&file.path)
            .ok_or_else(|| no_record(&file, &own))?;
        let backups: Vec<PathBuf> = installed
            .steps
            .iter()
            .map(|step| step.backup.clone())
            .collect();
        let record = before.without(&file.path);
        let is_as_written = Digest::of_text(&file.text).to_string() == installed.written;
        if let (true, [backup]) = (is_as_written, backups.as_slice()) {
            return Ok(Self {
                host_after: read(backup)?,
                own,
                backups,
                is_exact: true,
                skipped: Vec::new(),
                record,
                file,
            });
        }
        let (host_after, skipped) = edited(&file, &own, installed)?;
        Ok(Self {
            host_after,
            own,
            backups,
            is_exact: false,
            skipped,
            record,
            file,
        })
    }

    /// What must not be shown of the file, before and after.
    pub(crate) fn secrets(&self, known: &Secrets) -> Secrets {
        let after = HostFile {
            path: self.file.path.clone(),
            text: self.host_after.clone(),
            source: self.file.source,
        };
        let mut secrets =
            Servers::read(&after).map_or_else(|_| Secrets::default(), |read| read.secrets);
        secrets.extend(known);
        secrets
    }

    /// Writes everything.
    ///
    /// # Errors
    /// When the file changed meanwhile or cannot be written.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        unchanged(&self.file)?;
        write_host(&self.file, &self.host_after)?;
        self.record.write(&self.own.settings)?;
        if self.is_exact {
            // The file is the same now.
            for backup in &self.backups {
                let _ = std::fs::remove_file(backup);
            }
        }
        Ok(())
    }
}

/// The file without the gate and with the servers, where it changed since.
fn edited(
    file: &HostFile,
    own: &OwnEntry,
    installed: &Installed,
) -> Result<(String, Vec<String>), Failure> {
    let cannot = |why: String| {
        let copies = installed
            .steps
            .iter()
            .map(|step| step.backup.display().to_string());
        let copies = copies.collect::<Vec<_>>().join("`, `");
        Failure::usage(format!("cannot edit `{}`: {why}", file.shown()))
            .hint(format!("the file as it was is `{copies}`"))
    };
    let now = edit::entries(&file.text, file.source, std::slice::from_ref(&own.name));
    if now.map_err(cannot)? != [(own.name.clone(), installed.value.clone())] {
        return Err(cannot(format!(
            "the entry `{}` was changed since it was installed",
            own.name
        )));
    }
    let mut insert: Vec<(String, serde_json::Value)> = Vec::new();
    let mut skipped: Vec<String> = Vec::new();
    for step in &installed.steps {
        let text = read(&step.backup)?;
        let moved = edit::entries(&text, file.source, &step.moved).map_err(cannot)?;
        for (name, value) in moved {
            if insert.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let there = edit::entries(&file.text, file.source, std::slice::from_ref(&name));
            if there.map_err(cannot)?.is_empty() {
                insert.push((name, value));
            } else {
                skipped.push(name);
            }
        }
    }
    let change = Change {
        remove: vec![own.name.clone()],
        insert,
    };
    let after = edit::edit(&file.text, file.source, &change).map_err(cannot)?;
    Ok((after, skipped))
}

fn read(backup: &PathBuf) -> Result<String, Failure> {
    std::fs::read_to_string(backup).map_err(|error| {
        Failure::usage(format!("cannot read the copy `{}`", backup.display())).source(error)
    })
}

fn no_record(file: &HostFile, own: &OwnEntry) -> Failure {
    let record = Record::path(&own.settings);
    Failure::usage(format!(
        "it is not known what stood in `{}` before: `{}` does not tell",
        file.shown(),
        record.display()
    ))
    .hint(format!(
        "put the servers of `{}` back by hand, then remove the entry `{}`",
        own.settings.display(),
        own.name
    ))
}
