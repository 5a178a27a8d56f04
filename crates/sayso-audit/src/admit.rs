//! From everything found to what is shown: levels, confidence, suppressions. One place, and it counts what it hides.

use std::collections::BTreeMap;

use sayso_core::finding::{Finding, Severity};
use sayso_core::hint::Hint;

/// What configuration makes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Its findings are dropped, and counted.
    Off,
    /// Its findings have this severity.
    Info,
    /// Its findings have this severity.
    Warning,
    /// Its findings have this severity.
    Error,
}

/// A calendar date, compared as written: year, month, day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day, 1 to 31.
    pub day: u8,
}

/// A finding somebody decided to live with.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The rule.
    pub rule: String,
    /// The tool, by name; every tool when `None`.
    pub tool: Option<String>,
    /// The server, by its name in the report; every server when `None`.
    pub server: Option<String>,
    /// The hint; every hint when `None`.
    pub hint: Option<Hint>,
    /// Why; never empty.
    pub reason: String,
    /// The last day it holds.
    pub expires: Option<Date>,
    /// The line of the configuration file it stands in, for the finding when it is unused.
    pub line: usize,
}

/// How findings are admitted.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// Levels by rule id.
    pub levels: BTreeMap<String, Level>,
    /// What somebody decided to live with.
    pub suppressions: Vec<Suppression>,
    /// Today, for expiry; suppressions never expire without it.
    pub today: Option<Date>,
}

/// What was kept back, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct HiddenCounts {
    /// By a rule switched off.
    pub off: usize,
    /// By a suppression.
    pub suppressed: usize,
}

/// What is shown.
#[derive(Clone, Debug, Default)]
pub struct Admitted {
    /// The findings, with the severities configuration gives them.
    pub findings: Vec<Finding>,
    /// How many were kept back.
    pub hidden: HiddenCounts,
    /// Which suppressions did something, by their place in [`Admission::suppressions`].
    pub used: Vec<bool>,
}

impl Admitted {
    /// The gravest severity shown.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}
