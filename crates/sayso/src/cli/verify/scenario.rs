//! The scenario of a run, and whether what it expects came about.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sayso_core::finding::Severity;
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_verify::change::{Change, Class, Place};
use sayso_verify::judge::{Standard, judge};
use sayso_verify::observation::{Observation, Reply};
use sayso_verify::scenario::{Expectation, Scenario};
use sayso_verify::session::Watched;

use crate::audit_report::SettingsFinding;
use crate::error::Failure;

/// A scenario and the file it is from.
pub(super) struct Script {
    pub(super) scenario: Scenario,
    file: PathBuf,
    /// Where each step begins, from 1.
    lines: Vec<usize>,
}

impl Script {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("cannot read the scenario `{}`", file.display())).source(error)
        })?;
        let scenario = Scenario::read(&text, file).map_err(|error| {
            let hint = error.next().map(str::to_owned);
            Failure::usage(error.to_string()).hint_if_known(hint)
        })?;
        let steps = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.trim_start().starts_with("[[step]]"));
        Ok(Self {
            lines: steps.map(|(index, _)| index + 1).collect(),
            scenario,
            file: file.to_owned(),
        })
    }

    /// The folder to copy, counted from the scenario's file.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let folder = self.scenario.folder.as_ref()?;
        Some(self.file.parent().unwrap_or(Path::new("")).join(folder))
    }

    /// What came otherwise than a step expects.
    pub(super) fn unmet(&self, watched: &Watched, standard: &Standard) -> Vec<SettingsFinding> {
        let mut unmet = Vec::new();
        for (index, step) in self.scenario.steps.iter().enumerate() {
            let Some(expected) = &step.expect else {
                continue;
            };
            if step.skipped().is_some() {
                continue;
            }
            let name = step.label(index);
            let seen: Vec<Observation> = watched
                .observations
                .iter()
                .filter(|one| one.tool == step.tool && one.step == name)
                .cloned()
                .collect();
            for said in differences(expected, &step.tool, &seen, watched, standard) {
                unmet.push(SettingsFinding {
                    rule: "unmet-expectation",
                    severity: Severity::Error,
                    message: format!("step `{name}`, a call of `{}`: {said}", step.tool),
                    file: self.file.display().to_string(),
                    line: self.lines.get(index).copied().unwrap_or(1),
                    help: "mend the tool, or what the scenario expects of it".to_owned(),
                });
            }
        }
        unmet
    }
}

fn differences(
    expected: &Expectation,
    tool: &str,
    seen: &[Observation],
    watched: &Watched,
    standard: &Standard,
) -> Vec<String> {
    let Some(call) = seen.first() else {
        return vec!["it was not made".to_owned()];
    };
    let mut said = Vec::new();
    let verdict = judge(
        tool,
        &claims(watched, tool),
        seen,
        &watched.setting,
        standard,
    );
    for hint in Hint::ALL {
        let made = verdict.verdicts.get(hint).as_str();
        if let Some(wanted) = expected.verdict(hint).filter(|wanted| *wanted != made) {
            said.push(format!("{hint} is expected to be {wanted}, and is {made}"));
        }
    }
    let files = [
        ("changed", &expected.changed, paths(call, watched, |_| true)),
        (
            "lost from",
            &expected.lost,
            paths(call, watched, |change| change.lost.is_loss()),
        ),
    ];
    for (what, wanted, found) in files {
        let Some(wanted) = wanted else { continue };
        let wanted: BTreeSet<String> = wanted.iter().cloned().collect();
        if wanted != found {
            let (wanted, found) = (listed(&wanted), listed(&found));
            said.push(format!(
                "{wanted} was expected to be {what}, and it was {found}"
            ));
        }
    }
    if let Some(wanted) = expected.is_error {
        let is_error = !matches!(
            call.reply,
            Reply::Answered {
                is_error: false,
                ..
            }
        );
        if wanted != is_error {
            let words = |error: bool| if error { "fails" } else { "does not fail" };
            said.push(format!(
                "it is expected that it {}, and it {}",
                words(wanted),
                words(is_error)
            ));
        }
    }
    said
}

fn claims(watched: &Watched, tool: &str) -> Hints<Claim> {
    let mut tools = watched.listing.tools();
    let found = tools.find(|one| one.name().is_some_and(|name| name == tool));
    found.map_or_else(
        || Hints::from_fn(|_| Claim::Absent),
        |tool| tool.claims().states(),
    )
}

/// The user's files in the workspace that a call changed, counted from there.
fn paths(call: &Observation, watched: &Watched, keep: fn(&Change) -> bool) -> BTreeSet<String> {
    let roots: Vec<&PathBuf> = watched
        .places
        .iter()
        .filter(|(_, name)| *name == sayso_verify::session::NAME_OF_WORKSPACE)
        .map(|(path, _)| path)
        .collect();
    let changes = call.effects.changes.iter();
    let of_user = changes
        .filter(|change| change.place == Place::Workspace && change.class == Class::UserData);
    of_user
        .filter(|change| keep(change))
        .map(|change| {
            let below = roots
                .iter()
                .find_map(|root| change.path.strip_prefix(root).ok());
            below.unwrap_or(&change.path).display().to_string()
        })
        .collect()
}

fn listed(files: &BTreeSet<String>) -> String {
    match files.is_empty() {
        true => "nothing".to_owned(),
        false => crate::error::quoted(files.iter().map(String::as_str)),
    }
}
