//! Everything one run of `sayso audit` has to tell, as plain data: what the formats in
//! [`crate::report`] are made from. Nothing in here is secret: values of environment
//! variables and headers, passwords and queries of addresses never get this far.
//!
//! [`crate::report::write`] writes it: `write(report: &AuditReport, format: Format,
//! presentation: &Presentation, out: &mut dyn io::Write) -> io::Result<()>`.

use std::time::Duration;

use sayso_audit::admit::Admitted;
use sayso_audit::profile::Profile;
use sayso_audit::semantics::Semantics;
use sayso_audit::summary::Summary;
use sayso_core::finding::Severity;
use sayso_core::listing::{Completeness, Listing};

use crate::hosts::HostCounts;

/// One run over any number of targets.
#[derive(Debug)]
pub(crate) struct AuditReport {
    /// Sayso's own version.
    pub(crate) version: &'static str,
    /// What the run was asked to do, as far as it explains the result.
    pub(crate) settings: ReportSettings,
    /// Every target in the order it was named or found, readable or not.
    pub(crate) targets: Vec<TargetReport>,
    /// What is wrong with the settings file itself without stopping the run.
    pub(crate) settings_findings: Vec<SettingsFinding>,
    /// What was left out and why: a disabled server, a launch that two hosts share. A line each.
    pub(crate) notes: Vec<String>,
    /// From the first target's start to the last one's end.
    pub(crate) duration: Duration,
}

/// The choices that bear on the result.
#[derive(Debug)]
pub(crate) struct ReportSettings {
    /// The directory or specification the listings were held against.
    pub(crate) profile: Option<&'static Profile>,
    /// The accepted listing they were compared with, as named on the command line.
    pub(crate) baseline: Option<String>,
    /// The mildest severity that makes the run fail.
    pub(crate) fail_on: FailOn,
    /// How contested meanings are read.
    pub(crate) semantics: Semantics,
    /// The settings file in use, as it was named or found.
    pub(crate) settings_file: Option<String>,
}

/// The mildest severity that makes a run fail.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Deserialize,
    serde::Serialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailOn {
    /// Any finding.
    Info,
    /// A warning or an error.
    Warning,
    /// An error.
    #[default]
    Error,
    /// No finding.
    Never,
}

impl FailOn {
    /// Whether a finding of this severity makes the run fail.
    pub(crate) fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Info => true,
            Self::Warning => severity >= Severity::Warning,
            Self::Error => severity >= Severity::Error,
            Self::Never => false,
        }
    }
}

/// Something about the settings file, such as a suppression that suppresses nothing.
#[derive(Debug)]
pub(crate) struct SettingsFinding {
    /// Its id, in the manner of a rule's.
    pub(crate) rule: &'static str,
    /// How much it matters.
    pub(crate) severity: Severity,
    /// What is wrong, in one lower-case sentence without a full stop.
    pub(crate) message: String,
    /// The settings file.
    pub(crate) file: String,
    /// The line in it, from 1.
    pub(crate) line: usize,
    /// What to do about it.
    pub(crate) help: String,
}

/// One target and what came of it.
#[derive(Debug)]
pub(crate) struct TargetReport {
    /// What it is called in the report: a configured server's name, a program, a host, a file.
    pub(crate) name: String,
    /// What kind of target it is and how it was reached.
    pub(crate) target: TargetDescription,
    /// The host configuration that names it, if it comes from one.
    pub(crate) configured_in: Option<ConfiguredIn>,
    /// What came of it.
    pub(crate) outcome: Result<Audited, Unreadable>,
}

/// How a target was reached, with everything secret left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TargetDescription {
    /// A process: the command line as it can be shown.
    Command(String),
    /// An HTTP server: the address without user, password and query.
    Url(String),
    /// A saved listing: its path as given. Its text is in the pages of the listing.
    File(String),
    /// A saved listing on standard input.
    StandardInput,
    /// The embedded example server.
    Example {
        /// Whether it is the one with annotations.
        annotated: bool,
    },
}

/// Where a configured target is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredIn {
    /// The id of the host whose configuration it is.
    pub(crate) host: String,
    /// The file.
    pub(crate) file: String,
    /// The line of the entry, from 1.
    pub(crate) line: usize,
}

/// A target whose listing was read and judged.
#[derive(Debug)]
pub(crate) struct Audited {
    /// The listing.
    pub(crate) listing: Listing,
    /// The counts over it.
    pub(crate) summary: Summary,
    /// What is shown, and how much was kept back.
    pub(crate) admitted: Admitted,
    /// What real hosts do with each tool, in the listing's order; empty where that was not asked.
    pub(crate) hosts: Vec<HostCounts>,
    /// Where each tool is registered in source, in the listing's order; empty where that was not
    /// asked.
    pub(crate) registered: Vec<Option<RegisteredAt>>,
    /// The last lines the server wrote to standard error.
    pub(crate) stderr_tail: Vec<String>,
    /// From start to the last page.
    pub(crate) duration: Duration,
}

impl Audited {
    /// Where a tool is registered, by its position.
    pub(crate) fn registered_at(&self, tool: Option<usize>) -> Option<&RegisteredAt> {
        self.registered.get(tool?)?.as_ref()
    }
}

/// Where a tool is registered in source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegisteredAt {
    /// The file.
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
}

/// A target whose listing could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// What happened, and why, lower-case; causes behind colons.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// What the server last said on standard error, its exit status, and the like: a line each.
    pub(crate) details: Vec<String>,
}

impl Unreadable {
    /// What happened, with nothing further known.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            details: Vec::new(),
        }
    }

    /// With what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl TargetReport {
    /// The file a location can be shown in: the saved listing, where there is one.
    pub(crate) fn source_file(&self) -> Option<&str> {
        match &self.target {
            TargetDescription::File(path) => Some(path),
            _ => None,
        }
    }
}

impl AuditReport {
    /// The gravest severity of all findings shown.
    pub(crate) fn worst(&self) -> Option<Severity> {
        let in_targets = self
            .targets
            .iter()
            .filter_map(|target| target.outcome.as_ref().ok()?.admitted.worst());
        in_targets
            .chain(
                self.settings_findings
                    .iter()
                    .map(|finding| finding.severity),
            )
            .max()
    }

    /// How many targets could not be read.
    pub(crate) fn unreadable(&self) -> usize {
        self.targets
            .iter()
            .filter(|target| target.outcome.is_err())
            .count()
    }

    /// How many listings could not be read to their ends.
    pub(crate) fn incomplete(&self) -> usize {
        let read = self
            .targets
            .iter()
            .filter_map(|target| target.outcome.as_ref().ok());
        read.filter(|audited| audited.listing.completeness != Completeness::Complete)
            .count()
    }

    /// Whether every target was read, each to its end.
    pub(crate) fn whole(&self) -> bool {
        self.unreadable() + self.incomplete() == 0
    }

    /// Whether a finding reaches the severity that makes the run fail.
    pub(crate) fn fails(&self) -> bool {
        self.worst()
            .is_some_and(|severity| self.settings.fail_on.fails(severity))
    }
}

/// The formats a report can be written in. Each is a module of [`crate::report`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people: grouped by tool, evidence underlined, the JSON to paste
    #[default]
    Human,
    /// A versioned JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit XML: a test suite a target, a test case a tool
    Junit,
    /// Workflow commands that GitHub shows as annotations
    Github,
    /// Markdown that fits a pull-request comment
    Markdown,
    /// One self-contained page with charts
    Html,
}

/// How a report is to look, for the formats people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Presentation {
    /// With colour: standard output is a terminal that takes it, or it was asked for.
    pub(crate) color: bool,
    /// Columns to fill; 100 where there is no terminal.
    pub(crate) width: usize,
    /// How much to say.
    pub(crate) detail: Detail,
}

/// How much a report for people says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The counts and what fails the run.
    Quiet,
    /// The findings too.
    #[default]
    Normal,
    /// Everything: what the server wrote to standard error, tools without a finding.
    Verbose,
}
