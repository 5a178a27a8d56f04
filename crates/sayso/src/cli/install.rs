//! `sayso install` and `sayso uninstall`.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use sayso_audit::hosts::{HostProfile, Scope};

use super::ask::{ask, somebody_is_there};
use super::to_stdout;
use crate::error::{Failure, Outcome, quoted};
use crate::install::{
    HostFile, Installation, Removal, Servers, find_host, host_files, read_host_file,
};
use crate::{exit, report};

/// Let a host run its servers behind the gate
///
/// The host's servers go into the settings of a gate, and in their place its configuration gets one
/// entry that runs `sayso gate`. The difference is shown before anything is written, the file as it
/// was stays beside it, and `sayso uninstall` puts everything back.
#[derive(Debug, Args)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// The gate's settings file; one for this host in your own configuration folder, or the
    /// project's `sayso.toml`, when left out
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,

    #[command(flatten)]
    consent: ConsentArgs,
}

/// Let a host run its servers by itself again
///
/// Undoes what `sayso install` did: a configuration that is as it was left gets back every byte it
/// had, and one that changed since gets its servers back and loses the gate's entry. The gate's
/// settings stay.
#[derive(Debug, Args)]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    place: PlaceArgs,

    #[command(flatten)]
    consent: ConsentArgs,
}

/// Which configuration.
#[derive(Debug, Args)]
struct PlaceArgs {
    /// The host, by its id in `sayso hosts --list`
    host: String,

    /// The host's configuration file; needed when it has several with servers in them
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Take the configuration of the project here, not your own
    #[arg(long)]
    project: bool,
}

/// Whether to ask.
#[derive(Debug, Args)]
struct ConsentArgs {
    /// Write without asking
    #[arg(long, short)]
    yes: bool,

    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

impl InstallArgs {
    pub(super) fn run(self) -> Outcome {
        let host = find_host(&self.place.host)?;
        let (file, servers) = self.place.choose(host, |servers| {
            !servers.taken.is_empty() || servers.own.is_some()
        })?;
        let settings = self.settings_file(host, &servers)?;
        let program = std::env::current_exe()
            .map_err(|error| Failure::usage("cannot tell where sayso itself is").source(error))?;
        let program = program.display().to_string();
        let undo = self.place.undo(host);
        let planned = match Installation::plan(file, servers, settings, program)? {
            Installation::Nothing(nothing) => {
                to_stdout(|out| report::install::nothing(&nothing, out))?;
                return Ok(exit::CLEAN);
            }
            Installation::ByHand(by_hand) => {
                to_stdout(|out| report::install::by_hand(&by_hand, out))?;
                return Err(by_hand.failure());
            }
            Installation::Planned(planned) => planned,
        };
        to_stdout(|out| report::install::planned(&planned, out))?;
        let question = format!("Write this to {}?", planned.file.shown());
        if !self.consent.given(&question)? {
            return Ok(exit::CLEAN);
        }
        planned.write()?;
        to_stdout(|out| report::install::installed(&planned, &undo, out))?;
        Ok(exit::CLEAN)
    }

    /// The gate's settings, as a whole path.
    fn settings_file(&self, host: &HostProfile, servers: &Servers) -> Result<PathBuf, Failure> {
        let named = match (&self.settings, &servers.own) {
            (Some(named), Some(own)) if !same(named, &own.settings) => {
                return Err(Failure::usage(format!(
                    "the host runs the gate of `{}` already",
                    own.settings.display()
                ))
                .hint("leave out `--settings`, or `sayso uninstall` first"));
            }
            (Some(named), _) => named.clone(),
            (None, Some(own)) => own.settings.clone(),
            (None, None) if self.place.project => PathBuf::from(crate::config::FILE_NAME),
            (None, None) => {
                let folder = dirs::config_dir().ok_or_else(|| {
                    Failure::usage("it is not known where your configuration folder is")
                        .hint("name the gate's settings file with `--settings`")
                })?;
                folder
                    .join("sayso/gates")
                    .join(&host.id)
                    .join(crate::config::FILE_NAME)
            }
        };
        std::path::absolute(&named).map_err(|error| {
            Failure::usage(format!("`{}` is no path", named.display())).source(error)
        })
    }
}

fn same(one: &std::path::Path, other: &std::path::Path) -> bool {
    std::path::absolute(one).is_ok_and(|one| one == other)
}

impl UninstallArgs {
    pub(super) fn run(self) -> Outcome {
        let host = find_host(&self.place.host)?;
        let (file, servers) = self.place.choose(host, |servers| servers.own.is_some())?;
        let Some(own) = servers.own else {
            to_stdout(|out| report::install::not_installed(&file, out))?;
            return Ok(exit::CLEAN);
        };
        let removal = Removal::plan(file, own)?;
        to_stdout(|out| report::install::removal(&removal, &servers.secrets, out))?;
        let question = format!("Write this to {}?", removal.file.shown());
        if !self.consent.given(&question)? {
            return Ok(exit::CLEAN);
        }
        removal.write()?;
        to_stdout(|out| report::install::removed(&removal, out))?;
        Ok(exit::CLEAN)
    }
}

impl PlaceArgs {
    fn scope(&self) -> Scope {
        if self.project {
            Scope::Project
        } else {
            Scope::User
        }
    }

    /// The one configuration that is meant: among several the only one that `fits`.
    fn choose(
        &self,
        host: &'static HostProfile,
        fits: impl Fn(&Servers) -> bool,
    ) -> Result<(HostFile, Servers), Failure> {
        let files = match &self.file {
            Some(path) => vec![read_host_file(host, self.scope(), path)?],
            None => host_files(host, self.scope())?,
        };
        let mut read = Vec::new();
        for file in files {
            let servers = Servers::read(&file)?;
            read.push((file, servers));
        }
        let fitting = read.iter().filter(|(_, servers)| fits(servers));
        let shown: Vec<String> = fitting.map(|(file, _)| file.shown()).collect();
        if shown.len() > 1 {
            return Err(Failure::usage(format!(
                "{} has several configurations: {}",
                host.name,
                quoted(shown.iter().map(String::as_str))
            ))
            .hint("name one with `--file`"));
        }
        let place = read
            .iter()
            .position(|(_, servers)| fits(servers))
            .unwrap_or(0);
        if read.is_empty() {
            let of = if self.project {
                "here"
            } else {
                "on this machine"
            };
            return Err(
                Failure::usage(format!("{} has no configuration {of}", host.name))
                    .hint("name its file with `--file`"),
            );
        }
        Ok(read.swap_remove(place))
    }

    /// The line that undoes it.
    fn undo(&self, host: &HostProfile) -> String {
        let mut line = format!("sayso uninstall {}", host.id);
        if self.project {
            line.push_str(" --project");
        }
        if let Some(file) = &self.file {
            line.push_str(&format!(" --file '{}'", file.display()));
        }
        line
    }
}

impl ConsentArgs {
    /// Whether it is to be written; the person is asked unless that was said.
    fn given(&self, question: &str) -> Result<bool, Failure> {
        if self.yes || self.dry_run {
            return Ok(self.yes);
        }
        if !somebody_is_there() {
            return Err(
                Failure::usage("nothing was written: there is nobody to ask")
                    .hint("read the difference, then add `--yes`"),
            );
        }
        if ask(question)? {
            return Ok(true);
        }
        writeln!(anstream::stderr(), "nothing was written")?;
        Ok(false)
    }
}
