//! From everything found to what is shown: levels, confidence, suppressions. One place, and it counts what it hides.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use sayso_core::finding::{Finding, Severity};
use sayso_core::hint::Hint;
use sayso_core::listing::Listing;

use crate::profile::Profile;
use crate::rule::{Findings, RuleMeta};
use crate::rules;

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

impl Level {
    /// The severity it gives, or none for a rule switched off.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
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

/// A date that is not written `YYYY-MM-DD`, or that no calendar has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a date such as 2026-07-28")]
pub struct DateError;

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let mut parts = text.split('-');
        let mut part = |digits: usize| -> Result<u16, DateError> {
            let part = parts.next().ok_or(DateError)?;
            if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(DateError);
            }
            part.parse().map_err(|_| DateError)
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u16::from(leap),
            _ => return Err(DateError),
        };
        if parts.next().is_some() || day == 0 || day > days {
            return Err(DateError);
        }
        let narrow = |number: u16| u8::try_from(number).map_err(|_| DateError);
        Ok(Self {
            year,
            month: narrow(month)?,
            day: narrow(day)?,
        })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
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

impl Suppression {
    /// Whether it no longer holds on `today`; its last day is still a day it holds.
    #[must_use]
    pub fn expired(&self, today: Option<Date>) -> bool {
        matches!((self.expires, today), (Some(last), Some(today)) if today > last)
    }

    /// Whether it is about this finding on this server.
    fn covers(&self, finding: &Finding, tool: Option<&str>, server: Option<&str>) -> bool {
        self.rule == finding.rule
            && self.hint.is_none_or(|hint| finding.hint == Some(hint))
            && self.tool.as_deref().is_none_or(|name| tool == Some(name))
            && self
                .server
                .as_deref()
                .is_none_or(|name| server == Some(name))
    }

    /// What it suppresses, in words.
    fn describe(&self) -> String {
        let mut words = format!("`{}`", self.rule);
        let mut add = |what: &str, value: Option<&str>| {
            if let Some(value) = value {
                words.push_str(&format!(" for {what} `{value}`"));
            }
        };
        add("hint", self.hint.map(Hint::key));
        add("tool", self.tool.as_deref());
        add("server", self.server.as_deref());
        words
    }
}

/// How findings are admitted.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// Levels by rule id. [`Admission::add_profile`] fills in what a profile asks for.
    pub levels: BTreeMap<String, Level>,
    /// What somebody decided to live with.
    pub suppressions: Vec<Suppression>,
    /// Today, for expiry; suppressions never expire without it.
    pub today: Option<Date>,
}

impl Admission {
    /// Takes a profile's levels for the rules that have none yet: configuration wins over a profile.
    pub fn add_profile(&mut self, profile: &Profile) {
        for (rule, level) in &profile.levels {
            self.levels.entry(rule.clone()).or_insert(*level);
        }
    }

    /// The severity a rule's finding has after configuration; `None` for a rule switched off.
    fn severity(&self, rule: &str, severity: Severity) -> Option<Severity> {
        self.levels
            .get(rule)
            .map_or(Some(severity), |level| level.severity())
    }
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

/// Sorts what was found on one server into what is shown and what is kept back.
///
/// `server_name` is the server's name in the report. A suppression that has expired hides
/// nothing; each finding it would have hidden is shown with what happened.
#[must_use]
pub fn admit(
    findings: Vec<Finding>,
    listing: &Listing,
    server_name: Option<&str>,
    admission: &Admission,
) -> Admitted {
    let mut admitted = Admitted {
        used: vec![false; admission.suppressions.len()],
        ..Admitted::default()
    };
    // Suppressions by rule, so that no finding is held against all of them.
    let mut by_rule: BTreeMap<&str, Vec<(usize, &Suppression)>> = BTreeMap::new();
    for (index, suppression) in admission.suppressions.iter().enumerate() {
        by_rule
            .entry(&suppression.rule)
            .or_default()
            .push((index, suppression));
    }
    for mut finding in findings {
        let Some(severity) = admission.severity(finding.rule, finding.severity) else {
            admitted.hidden.off += 1;
            continue;
        };
        finding.severity = severity;
        let name = finding
            .tool
            .and_then(|position| listing.tool(position))
            .and_then(|tool| tool.name());
        let mut hidden = false;
        for (index, suppression) in by_rule.get(finding.rule).into_iter().flatten() {
            if suppression.covers(&finding, name.as_deref(), server_name) {
                if let Some(used) = admitted.used.get_mut(*index) {
                    *used = true;
                }
                hidden |= !suppression.expired(admission.today);
            }
        }
        if hidden {
            admitted.hidden.suppressed += 1;
        } else {
            admitted.findings.push(finding);
        }
    }
    admitted
}

/// A suppression that should not stand as it does.
#[derive(Clone, Debug)]
pub struct StaleSuppression {
    /// Its place in [`Admission::suppressions`].
    pub index: usize,
    /// The line of the configuration file it stands in.
    pub line: usize,
    /// What is to be said about it.
    pub finding: Finding,
}

/// The suppressions that did nothing on any server, and those that have expired.
///
/// `used` holds [`Admitted::used`] of every server of the run: whether a suppression is
/// unused can only be said over all of them. Only call it when every server could be read.
#[must_use]
pub fn stale_suppressions(admission: &Admission, used: &[Vec<bool>]) -> Vec<StaleSuppression> {
    let mut stale = Vec::new();
    for (index, suppression) in admission.suppressions.iter().enumerate() {
        let did_something = used
            .iter()
            .any(|used| used.get(index).copied().unwrap_or(false));
        let (meta, message, help) = if suppression.expired(admission.today) {
            (
                rules::EXPIRED_SUPPRESSION,
                format!(
                    "the suppression of {} expired{}: it hides nothing any more",
                    suppression.describe(),
                    suppression
                        .expires
                        .map(|date| format!(" on {date}"))
                        .unwrap_or_default(),
                ),
                if did_something {
                    "fix what it hid, or decide again and give it a new date"
                } else {
                    "what it hid is gone; remove it"
                },
            )
        } else if did_something {
            continue;
        } else {
            (
                rules::UNUSED_SUPPRESSION,
                format!(
                    "the suppression of {} hides nothing",
                    suppression.describe()
                ),
                "remove it, or correct the rule, tool or server it names",
            )
        };
        if let Some(finding) = configured(admission, meta, message, help) {
            stale.push(StaleSuppression {
                index,
                line: suppression.line,
                finding,
            });
        }
    }
    stale
}

fn configured(
    admission: &Admission,
    meta: &'static RuleMeta,
    message: String,
    help: &str,
) -> Option<Finding> {
    let severity = admission.severity(meta.id, meta.severity)?;
    let mut findings = Findings::default();
    findings
        .about_listing(meta, message)
        .severity(severity)
        .help(help)
        .report();
    findings.into_sorted().pop()
}
