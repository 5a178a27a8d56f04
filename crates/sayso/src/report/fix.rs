//! What `sayso fix` tells, one module per format.

mod human;
pub(crate) mod json;

use std::io;

use sayso_source::{Place, Refusal, Relay, Step};

use super::wording::plural;
use crate::audit_report::Presentation;
use crate::error::quoted;
use crate::fix::FixReport;
use crate::source::SourceTree;

/// The formats a report on a source can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
}

/// Writes what one run has to tell.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    report: &FixReport,
    format: Format,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let text = match format {
        Format::Human => human::render(report, presentation),
        Format::Json => json::render(report)?,
    };
    out.write_all(text.as_bytes())
}

/// What is to be written, as a patch that `git apply` takes where sayso was started.
pub(crate) fn patch(report: &FixReport) -> String {
    let Some(planned) = &report.planned else {
        return String::new();
    };
    let mut patch = String::new();
    for file in planned.plan.files() {
        let Some(source) = report.tree.files.get(file) else {
            continue;
        };
        let after = planned.plan.apply(file, &source.text);
        let path = source.path.trim_start_matches("./").trim_start_matches('/');
        let diff = similar::TextDiff::from_lines(&source.text, &after);
        let mut diff = diff.unified_diff();
        let diff = diff
            .context_radius(3)
            .header(&format!("a/{path}"), &format!("b/{path}"));
        patch.push_str(&diff.to_string());
    }
    patch
}

/// `file:line`.
fn at(tree: &SourceTree, place: &Place) -> String {
    format!("{}:{}", tree.path(place.file), place.line)
}

/// What a relay hands on, in words.
fn hands_on(relay: &Relay) -> String {
    match relay.keys.as_slice() {
        [] => "hands the tool on without annotations".to_owned(),
        keys => {
            let keys = quoted(keys.iter().map(String::as_str));
            format!("hands on {keys}, and no annotations")
        }
    }
}

/// Everything to be added so that annotations get through, each once: in the order in which a
/// person would do it.
fn steps(report: &FixReport) -> Vec<&Step> {
    let relays = report.tree.survey.relays.iter();
    let mut steps: Vec<&Step> = relays.flat_map(|relay| &relay.steps).collect();
    let order = |step: &&Step| {
        let place = &step.place;
        (step.kind, place.file, place.span.start, step.add.clone())
    };
    steps.sort_by_key(order);
    steps.dedup_by_key(|step| order(step));
    steps
}

/// Why a registration is not edited, in words.
fn refusal(report: &FixReport, refusal: &Refusal) -> String {
    let tree = &report.tree;
    match refusal {
        Refusal::Dropped(relays) => {
            let relays = relays
                .iter()
                .filter_map(|relay| tree.survey.relays.get(*relay));
            let places: Vec<String> = relays.map(|relay| at(tree, &relay.place)).collect();
            let places = places.join(" and ");
            format!("annotations would be dropped on the way, at {places}")
        }
        Refusal::Repeated(places) => {
            let places: Vec<String> = places.iter().map(|place| at(tree, place)).collect();
            let places = places.join(", ");
            format!("it is also registered at {places}; name a narrower `--source`")
        }
        Refusal::Expression(expression) => {
            format!("what stands for its annotations is an expression, `{expression}`")
        }
        Refusal::Computed(hint) => format!("the value of `{hint}` is an expression"),
        Refusal::Shared(others) => {
            let count = plural(others.len(), "other tool");
            let names = quoted(others.iter().map(String::as_str));
            format!(
                "its annotations are those of {count} too, of which something else is ruled or nothing: {names}"
            )
        }
        Refusal::NoPointer(hint) => format!(
            "the value of `{hint}` is a pointer, and nothing in its package makes one; add `func ptr[T any](value T) *T {{ return &value }}`"
        ),
        Refusal::NoPlace => {
            "the function that registers it takes annotations behind arguments that are left out"
                .to_owned()
        }
    }
}
