//! Measures the rules over labelled cases.
//!
//! A case is one tool with what it claimed and what is true of it, one JSON object a line.
//! Each is judged as a listing of one complete tool with default settings, and so without
//! anything that compares tools. What is counted:
//!
//! - **found, wrong**: a finding of warning or worse names a hint whose effective value is not
//!   the right one, and does not suggest the wrong value. Where every wrong hint of a case is
//!   contested, the product holds back by design (a contested meaning is a setting), and an
//!   information that names the hint with the right value counts.
//! - **found, missing**: a finding of any severity names a hint that was not claimed, among
//!   those the source is about, and suggests the right value. Findings that name no value
//!   (no annotations, half declared) never count.
//! - **false alarm, control**: any finding of warning or worse, whichever rule raised it.
//!   Controls declare what their source is about and often nothing more, so a rule that warns
//!   about what is not declared shows here.
//! - **false alarm, correct hint**: in a case of any class, a finding of warning or worse that
//!   names a claimed hint whose value is right and not contested.
//!
//! Recall is over wrong and missing cases whose trace is in the description or the arguments
//! (`visible_in`); a trace in the name alone, or in the source only, is counted apart.

mod arguments;
mod case;
mod report;
pub(crate) mod suggestion;

use std::path::Path;
use std::process::ExitCode;

use sayso_audit::judge::{JudgeOptions, judge};
use sayso_core::finding::{Finding, Severity};
use sayso_core::hint::Hint;

use crate::TaskError;
use case::{Case, Class};

/// How the rules did on one case.
pub(crate) struct Outcome {
    pub(crate) case: Case,
    pub(crate) findings: Vec<Finding>,
    /// Whether what is wrong or missing was found; `None` for controls and contested cases.
    pub(crate) found: Option<bool>,
    /// Rules that found it.
    pub(crate) by: Vec<&'static str>,
    /// Correct, uncontested, claimed hints that a warning names, with the rule.
    pub(crate) alarms: Vec<(&'static str, Hint)>,
}

impl Outcome {
    /// Whether anything at warning or worse was raised.
    pub(crate) fn warned(&self) -> bool {
        self.findings.iter().any(is_warning)
    }
}

/// Judges every case of a file and prints the figures.
pub(crate) fn run(file: &Path, verbose: bool) -> Result<ExitCode, TaskError> {
    let outcomes = evaluate(file)?;
    report::print(&outcomes, verbose);
    Ok(ExitCode::SUCCESS)
}

/// Judges every case of a file.
pub(crate) fn evaluate(file: &Path) -> Result<Vec<Outcome>, TaskError> {
    Ok(case::read(file)?.into_iter().map(judge_case).collect())
}

pub(crate) fn is_warning(finding: &Finding) -> bool {
    finding.severity >= Severity::Warning
}

fn judge_case(case: Case) -> Outcome {
    let findings = judge(&case.listing(), &JudgeOptions::default());
    let by: Vec<&'static str> = findings
        .iter()
        .filter(|finding| finds(&case, finding))
        .map(|finding| finding.rule)
        .collect();
    let found = match case.class {
        Class::Wrong | Class::Missing => Some(!by.is_empty()),
        Class::Control | Class::Contested => None,
    };
    let alarms = findings
        .iter()
        .filter(|finding| is_warning(finding))
        .filter_map(|finding| Some((finding.rule, finding.hint?)))
        .filter(|(_, hint)| case.claims_rightly(*hint))
        .collect();
    Outcome {
        found,
        by,
        alarms,
        findings,
        case,
    }
}

/// Whether a finding tells what is wrong or missing in a case.
fn finds(case: &Case, finding: &Finding) -> bool {
    let Some(hint) = finding.hint else {
        return false;
    };
    let right = *case.right.get(hint);
    let suggested = *finding.suggestion.get(hint);
    match case.class {
        Class::Wrong => {
            let held_back = case.wrong_hints().all(|hint| case.is_contested(hint));
            case.wrong_hints().any(|wrong| wrong == hint)
                && suggested.is_none_or(|value| Some(value) == right)
                && (is_warning(finding) || held_back && suggested.is_some())
        }
        Class::Missing => {
            case.missing_hints().any(|missing| missing == hint)
                && suggested.is_some()
                && suggested == right
        }
        Class::Control | Class::Contested => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures reached on a file of cases in the repository; a change may raise them, not lower them.
    #[track_caller]
    fn judges(file: &str, least: f64) {
        let outcomes = evaluate(&crate::root().join("fixtures").join(file)).unwrap();
        let figures = report::Figures::new(&outcomes);
        let missed: Vec<&str> = report::scored(&outcomes)
            .filter(|outcome| outcome.found == Some(false))
            .map(|outcome| outcome.case.id.as_str())
            .collect();
        assert!(
            figures.recall() >= least,
            "{:.3}, missed: {missed:?}",
            figures.recall()
        );
        let alarmed: Vec<&str> = outcomes
            .iter()
            .filter(|outcome| {
                outcome.case.class == Class::Control && outcome.warned()
                    || !outcome.alarms.is_empty()
            })
            .map(|outcome| outcome.case.id.as_str())
            .collect();
        assert_eq!(alarmed, Vec::<&str>::new());
    }

    #[test]
    fn cases_from_the_field_are_judged_as_well_as_before() {
        judges("labelled-cases.jsonl", 0.97);
    }

    #[test]
    fn cases_of_our_own_are_judged_as_well_as_before() {
        judges("further-cases.jsonl", 0.98);
    }
}
