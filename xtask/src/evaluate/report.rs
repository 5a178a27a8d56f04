//! The figures, rule by rule and in all.

use std::collections::BTreeMap;

use super::case::{Class, VisibleIn};
use super::{Outcome, is_warning};

/// The cases recall is over.
pub(crate) fn scored(outcomes: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    outcomes.iter().filter(|outcome| {
        outcome.found.is_some()
            && matches!(
                outcome.case.visible_in,
                VisibleIn::Args | VisibleIn::Description
            )
    })
}

/// Counts over all cases.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    found: usize,
    scored: usize,
    alarmed: usize,
    controls: usize,
    alarms: usize,
    correct: usize,
}

impl Figures {
    /// Counts.
    pub(crate) fn new(outcomes: &[Outcome]) -> Self {
        let controls = || {
            outcomes
                .iter()
                .filter(|outcome| outcome.case.class == Class::Control)
        };
        Self {
            found: scored(outcomes)
                .filter(|outcome| outcome.found == Some(true))
                .count(),
            scored: scored(outcomes).count(),
            alarmed: controls().filter(|outcome| outcome.warned()).count(),
            controls: controls().count(),
            alarms: outcomes.iter().map(|outcome| outcome.alarms.len()).sum(),
            correct: outcomes
                .iter()
                .map(|outcome| {
                    outcome
                        .case
                        .declared
                        .iter()
                        .filter(|(hint, _)| outcome.case.claims_rightly(*hint))
                        .count()
                })
                .sum(),
        }
    }

    /// The share of wrong and missing cases found.
    pub(crate) fn recall(&self) -> f64 {
        share(self.found, self.scored)
    }
}

/// Prints the figures; the last line is `recall R (n/m) false_alarms F (n/m)`.
pub(crate) fn print(outcomes: &[Outcome], verbose: bool) {
    if verbose {
        details(outcomes);
    }
    by_rule(outcomes);
    println!();
    by_place(outcomes);
    let figures = Figures::new(outcomes);
    println!(
        "correct hints with a warning: {:.3} ({}/{})",
        share(figures.alarms, figures.correct),
        figures.alarms,
        figures.correct
    );
    println!(
        "recall {:.3} ({}/{}) false_alarms {:.3} ({}/{})",
        figures.recall(),
        figures.found,
        figures.scored,
        share(figures.alarmed, figures.controls),
        figures.alarmed,
        figures.controls
    );
}

/// What was missed and what was raised wrongly, case by case.
fn details(outcomes: &[Outcome]) {
    for outcome in outcomes {
        let alarmed =
            outcome.case.class == Class::Control && outcome.warned() || !outcome.alarms.is_empty();
        if outcome.found != Some(false) && !alarmed {
            continue;
        }
        let what = if outcome.found == Some(false) {
            "missed"
        } else {
            "false alarm"
        };
        println!(
            "{} {what} ({:?}, {:?})",
            outcome.case.id, outcome.case.class, outcome.case.visible_in
        );
        println!("  {}", outcome.case.tool);
        let right: Vec<String> = outcome
            .case
            .right
            .iter()
            .map(|(hint, value)| format!("{hint}={}", value.unwrap_or_default()))
            .collect();
        println!("  right: {}", right.join(" "));
        for finding in &outcome.findings {
            println!(
                "  {} {}: {}",
                finding.severity, finding.rule, finding.message
            );
        }
        println!();
    }
}

/// How often a rule found what is wrong, and how often it was wrong itself.
#[derive(Default)]
struct RuleCounts {
    found: usize,
    controls: usize,
    correct_hints: usize,
}

fn by_rule(outcomes: &[Outcome]) {
    let mut rules: BTreeMap<&str, RuleCounts> = BTreeMap::new();
    for outcome in outcomes {
        let mut by = outcome.by.clone();
        by.dedup();
        for rule in by {
            rules.entry(rule).or_default().found += 1;
        }
        if outcome.case.class == Class::Control {
            for finding in outcome
                .findings
                .iter()
                .filter(|finding| is_warning(finding))
            {
                rules.entry(finding.rule).or_default().controls += 1;
            }
        }
        for (rule, _) in &outcome.alarms {
            rules.entry(rule).or_default().correct_hints += 1;
        }
    }
    println!(
        "{:<28} {:>6} {:>9} {:>13}",
        "rule", "found", "controls", "correct hints"
    );
    for (
        rule,
        RuleCounts {
            found,
            controls,
            correct_hints,
        },
    ) in rules
    {
        println!("{rule:<28} {found:>6} {controls:>9} {correct_hints:>13}");
    }
}

fn by_place(outcomes: &[Outcome]) {
    for class in [Class::Wrong, Class::Missing] {
        for place in [
            VisibleIn::Args,
            VisibleIn::Description,
            VisibleIn::Name,
            VisibleIn::SourceOnly,
        ] {
            let cases = || {
                outcomes.iter().filter(|outcome| {
                    outcome.case.class == class && outcome.case.visible_in == place
                })
            };
            let found = cases()
                .filter(|outcome| outcome.found == Some(true))
                .count();
            println!(
                "{:<8} trace in {:<12} {found}/{}",
                format!("{class:?}"),
                format!("{place:?}"),
                cases().count()
            );
        }
    }
}

/// One count as a share of another.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    let float = |count: usize| u32::try_from(count).map_or(f64::INFINITY, f64::from);
    if whole == 0 {
        0.0
    } else {
        float(part) / float(whole)
    }
}
