//! From the command line to the targets of a run.

mod configured;
mod discover;
mod name;

use std::path::PathBuf;

use sayso_core::suggest::nearest;

use crate::audit_report::{ConfiguredIn, TargetDescription, Unreadable};
use crate::error::Failure;
use crate::redact::{Secrets, shown_command, shown_url};

pub(crate) use configured::read_configuration_file;
pub(crate) use discover::discover;

/// A target that is about to be read.
#[derive(Clone, Debug)]
pub(crate) struct PlannedTarget {
    /// What it is called in the report.
    pub(crate) name: String,
    /// What it is, as it can be shown.
    pub(crate) description: TargetDescription,
    /// Where it is written down, if it is.
    pub(crate) configured_in: Option<ConfiguredIn>,
    /// Where its listing comes from.
    pub(crate) source: Source,
    /// What must not appear in anything that is shown.
    pub(crate) secrets: Secrets,
}

/// Where a listing comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A saved listing.
    Saved(PathBuf),
    /// A saved listing on standard input.
    StandardInput,
    /// A server to be started.
    Process(Process),
    /// A server to be reached.
    Http(HttpServer),
    /// Nowhere: the configuration already says why.
    Unreadable(Unreadable),
}

/// A server to be started.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// The program.
    pub(crate) program: String,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Variables set for it besides those of our own environment.
    pub(crate) environment: Vec<(String, String)>,
    /// The directory it is started in; ours if none.
    pub(crate) directory: Option<PathBuf>,
}

/// A server to be reached over HTTP.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct HttpServer {
    /// The address.
    pub(crate) url: String,
    /// Headers sent with every request.
    pub(crate) headers: Vec<(String, String)>,
    /// A token for `Authorization: Bearer`.
    pub(crate) bearer: Option<String>,
    /// Whether only the transport of 2024-11-05 is asked for.
    pub(crate) sse: bool,
}

// Arguments, variables, headers and tokens may be secrets.
impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer").finish_non_exhaustive()
    }
}

impl PlannedTarget {
    /// What `TARGET` on the command line means: `-`, an address, or a file.
    pub(crate) fn from_argument(
        argument: &str,
        headers: &[(String, String)],
        bearer: Option<&str>,
    ) -> Self {
        if argument == "-" {
            return Self::new(
                "standard input".to_owned(),
                TargetDescription::StandardInput,
                Source::StandardInput,
            );
        }
        if is_url(argument) {
            let mut secrets = Secrets::default();
            let shown = shown_url(argument, &mut secrets);
            headers.iter().for_each(|(_, value)| secrets.add(value));
            bearer.iter().for_each(|token| secrets.add(token));
            let server = HttpServer {
                url: argument.to_owned(),
                headers: headers.to_vec(),
                bearer: bearer.map(str::to_owned),
                sse: false,
            };
            let name = name::of_url(&shown);
            return Self {
                secrets,
                ..Self::new(name, TargetDescription::Url(shown), Source::Http(server))
            };
        }
        let name = argument.to_owned();
        Self::new(
            name.clone(),
            TargetDescription::File(name),
            Source::Saved(PathBuf::from(argument)),
        )
    }

    /// The command behind `--`.
    pub(crate) fn from_command(process: Process) -> Self {
        let mut secrets = Secrets::default();
        let arguments = process.arguments.iter().map(String::as_str);
        let shown = shown_command(&process.program, arguments, &mut secrets);
        process
            .environment
            .iter()
            .for_each(|(_, value)| secrets.add(value));
        let name = name::of_command(&process.program, &process.arguments);
        let source = Source::Process(process);
        Self {
            secrets,
            ..Self::new(name, TargetDescription::Command(shown), source)
        }
    }

    fn new(name: String, description: TargetDescription, source: Source) -> Self {
        Self {
            name,
            description,
            configured_in: None,
            source,
            secrets: Secrets::default(),
        }
    }

    /// Whether a server has to be started or reached.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.source, Source::Process(_) | Source::Http(_))
    }
}

/// Whether an argument is an address.
pub(crate) fn is_url(argument: &str) -> bool {
    let scheme = argument
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// What was found in configurations: targets, and what was left out and why.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The targets, in the order of the files.
    pub(crate) targets: Vec<PlannedTarget>,
    /// A line each.
    pub(crate) notes: Vec<String>,
    /// Every server's name, the disabled ones' too, for suggestions.
    pub(crate) names: Vec<String>,
}

impl Found {
    /// That every server asked for by name is there.
    pub(crate) fn check_names(&self, asked: &[String]) -> Result<(), Failure> {
        for name in asked {
            if self.names.iter().any(|known| known == name) {
                continue;
            }
            let failure = Failure::usage(format!("no server is called `{name}` there"));
            let known = self.names.iter().map(String::as_str);
            return Err(match nearest(name, known.clone()) {
                Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                None if self.names.is_empty() => failure.hint("there are no servers in it at all"),
                None => failure.hint(format!("there are {}", crate::error::quoted(known))),
            });
        }
        Ok(())
    }
}
