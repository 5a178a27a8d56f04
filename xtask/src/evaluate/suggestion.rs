//! Measures suggestions: how often each hint gets one, how sure it is, and how often it is right.
//!
//! Each case is suggested for as a listing of one tool with default settings, its annotations
//! unread. What is counted, hint by hint:
//!
//! - **cases with a truth**: those whose right value the case gives. `destructiveHint` and
//!   `idempotentHint` mean nothing for a tool that only reads: such a case is none, unless a
//!   suggestion is made all the same, which then counts as wrong.
//! - **accuracy** at each confidence, over the suggestions made there.
//! - **contested** hints, where people disagree, apart: there is no right answer to hold a
//!   suggestion against, so the figure is how often it is the answer the case prefers.

use std::path::Path;
use std::process::ExitCode;

use sayso_audit::context::Context;
use sayso_audit::semantics::Semantics;
use sayso_audit::suggestion::{Suggestion, suggest};
use sayso_core::finding::Confidence;
use sayso_core::hint::{Hint, Hints};

use super::case::{self, Case};
use super::report::share;
use crate::TaskError;

/// From sure to unsure.
const CONFIDENCES: [Confidence; 3] = [Confidence::High, Confidence::Medium, Confidence::Low];

/// Suggests for every case of a file and prints the figures.
pub(crate) fn run(file: &Path, verbose: bool) -> Result<ExitCode, TaskError> {
    let outcomes = evaluate(file)?;
    if verbose {
        for outcome in &outcomes {
            details(outcome);
        }
    }
    for line in figures(&outcomes) {
        println!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What was suggested for one case.
pub(crate) struct Outcome {
    case: Case,
    suggested: Hints<Option<Suggestion>>,
}

/// Suggests for every case of a file.
pub(crate) fn evaluate(file: &Path) -> Result<Vec<Outcome>, TaskError> {
    let cases = case::read(file)?.into_iter();
    Ok(cases
        .map(|case| {
            let listing = case.listing();
            let semantics = Semantics::default();
            let mut suggested = suggest(&Context::new(&listing, &semantics, None, None));
            Outcome {
                suggested: suggested.pop().unwrap_or_default().hints,
                case,
            }
        })
        .collect())
}

impl Outcome {
    /// Whether the suggestion for a hint is right; `None` where there is none or no truth.
    fn is_right(&self, hint: Hint) -> Option<bool> {
        let right = (*self.case.right.get(hint))?;
        let suggestion = self.suggested.get(hint).as_ref()?;
        Some(suggestion.value == right && !self.is_moot(hint))
    }

    /// Whether a hint means nothing for what the tool truly is.
    fn is_moot(&self, hint: Hint) -> bool {
        matches!(hint, Hint::Destructive | Hint::Idempotent)
            && self.case.right.read_only == Some(true)
    }

    fn counts(&self, hint: Hint) -> bool {
        self.case.right.get(hint).is_some()
            && (!self.is_moot(hint) || self.suggested.get(hint).is_some())
    }
}

/// Suggestions made at one confidence, and those of them that are right.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    right: usize,
    made: usize,
}

impl Tally {
    /// The share that is right.
    pub(crate) fn accuracy(self) -> f64 {
        share(self.right, self.made)
    }

    fn add(&mut self, right: bool) {
        self.made += 1;
        self.right += usize::from(right);
    }
}

/// The figures of one hint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HintFigures {
    /// Uncontested cases with a truth.
    cases: usize,
    by_confidence: [Tally; 3],
    contested: [Tally; 3],
}

impl HintFigures {
    /// Counts.
    pub(crate) fn new(outcomes: &[Outcome], hint: Hint) -> Self {
        let mut figures = Self::default();
        for outcome in outcomes.iter().filter(|outcome| outcome.counts(hint)) {
            let contested = outcome.case.is_contested(hint);
            figures.cases += usize::from(!contested);
            let (Some(suggestion), Some(right)) =
                (outcome.suggested.get(hint), outcome.is_right(hint))
            else {
                continue;
            };
            let tallies = if contested {
                &mut figures.contested
            } else {
                &mut figures.by_confidence
            };
            for (confidence, tally) in CONFIDENCES.iter().zip(tallies) {
                if *confidence == suggestion.confidence {
                    tally.add(right);
                }
            }
        }
        figures
    }

    /// Of the suggestions made with high confidence, the share that is right.
    pub(crate) fn accuracy_when_sure(&self) -> f64 {
        let [high, ..] = self.by_confidence;
        high.accuracy()
    }

    /// Of all uncontested cases, the share with a suggestion made with high confidence.
    pub(crate) fn sure(&self) -> f64 {
        let [high, ..] = self.by_confidence;
        share(high.made, self.cases)
    }
}

/// A table of what was suggested, one of the contested, and in the last line the two figures
/// that matter: of suggestions made with high confidence the share that is right, and of all
/// uncontested cases the share that gets one.
pub(crate) fn figures(outcomes: &[Outcome]) -> Vec<String> {
    let all: Vec<(Hint, HintFigures)> = Hint::ALL
        .into_iter()
        .map(|hint| (hint, HintFigures::new(outcomes, hint)))
        .collect();
    let mut lines = vec![format!(
        "{:<16} {:>5}  {:<17} {:<17} {:<17} {:>4}  {:>12}",
        "hint", "cases", "high", "medium", "low", "none", "high covers"
    )];
    for (hint, figures) in &all {
        let made: usize = figures.by_confidence.iter().map(|tally| tally.made).sum();
        lines.push(format!(
            "{hint:<16} {:>5}  {} {:>4}  {:>12.3}",
            figures.cases,
            row(&figures.by_confidence),
            figures.cases - made,
            figures.sure()
        ));
    }
    lines.push(String::new());
    lines.push(format!(
        "{:<16} {:>5}  {:<17} {:<17} {:<17}",
        "contested", "cases", "high", "medium", "low"
    ));
    for (hint, figures) in &all {
        let cases = outcomes
            .iter()
            .filter(|outcome| outcome.counts(*hint) && outcome.case.is_contested(*hint))
            .count();
        lines.push(format!(
            "{hint:<16} {cases:>5}  {}",
            row(&figures.contested)
        ));
    }
    let sums: Vec<String> = all
        .iter()
        .map(|(hint, figures)| {
            let (right, sure) = (figures.accuracy_when_sure(), figures.sure());
            format!("{hint} {right:.3}/{sure:.3}")
        })
        .collect();
    lines.push(String::new());
    lines.push(format!(
        "high confidence, accuracy/coverage: {}",
        sums.join(", ")
    ));
    lines
}

/// `0.992 (257/259)` for each confidence.
fn row(tallies: &[Tally; 3]) -> String {
    let cells: Vec<String> = tallies
        .iter()
        .map(|tally| match tally.made {
            0 => format!("{:<17}", "-"),
            made => format!(
                "{:<17}",
                format!("{:.3} ({}/{made})", tally.accuracy(), tally.right)
            ),
        })
        .collect();
    cells.join(" ")
}

/// What was suggested wrongly for a case, and what got no suggestion.
fn details(outcome: &Outcome) {
    let case = &outcome.case;
    let mut lines = Vec::new();
    for hint in Hint::ALL {
        if !outcome.counts(hint) || outcome.is_right(hint) == Some(true) {
            continue;
        }
        let contested = if case.is_contested(hint) {
            ", contested"
        } else {
            ""
        };
        let right = match (outcome.is_moot(hint), case.right.get(hint)) {
            (true, _) => "meaningless".to_owned(),
            (false, value) => value.unwrap_or_default().to_string(),
        };
        lines.push(match outcome.suggested.get(hint) {
            Some(suggestion) => format!(
                "  {hint} is {right}{contested}; suggested {} with {} confidence: {}",
                suggestion.value, suggestion.confidence, suggestion.because
            ),
            None => format!("  {hint} is {right}{contested}; no suggestion"),
        });
    }
    if !lines.is_empty() {
        println!("{} {}\n{}\n", case.id, case.tool, lines.join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is reached on a file of cases in the repository, in the order of the hints: of
    /// suggestions made with high confidence the share that is right, and of all uncontested
    /// cases the share that gets one. A change may raise them, not lower them.
    #[track_caller]
    fn suggests(file: &str, least: [(f64, f64); 4]) {
        let outcomes = evaluate(&crate::root().join("fixtures").join(file)).unwrap();
        let shown = figures(&outcomes).join("\n");
        for (hint, (accuracy, sure)) in Hint::ALL.into_iter().zip(least) {
            let reached = HintFigures::new(&outcomes, hint);
            assert!(
                reached.accuracy_when_sure() >= accuracy && reached.sure() >= sure,
                "{hint}, wanted {accuracy} and {sure}:\n{shown}"
            );
        }
    }

    #[test]
    fn cases_from_the_field_get_suggestions_as_good_as_before() {
        suggests(
            "labelled-cases.jsonl",
            [(0.97, 0.95), (0.97, 0.86), (0.95, 0.76), (0.95, 0.73)],
        );
    }

    #[test]
    fn cases_of_our_own_get_suggestions_as_good_as_before() {
        suggests(
            "further-cases.jsonl",
            [(0.99, 0.93), (0.97, 0.81), (0.97, 0.70), (0.98, 0.71)],
        );
    }
}
