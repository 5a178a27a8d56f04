//! Listings made from text, and findings shown as text.

use std::fmt::Write as _;

use sayso_audit::example::Example;
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_core::finding::Finding;
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use sayso_core::reveal::reveal_line;

/// A listing from `{"tools": […]}`, an array of tools or one tool, as rules' examples have it.
pub(crate) fn listing(text: &str) -> Listing {
    Example::parse(text).unwrap().listing
}

/// A listing of several pages, each an array of tools.
pub(crate) fn pages(texts: &[&str]) -> Listing {
    let mut listing = Listing::new(ServerIdentity::default());
    for text in texts {
        let document = Document::parse((*text).to_owned(), &Limits::default()).unwrap();
        listing.push_page(
            Page {
                document,
                lines_before: 0,
            },
            0,
        );
    }
    listing
}

/// What the rules find in an example, titles aside.
pub(crate) fn found(text: &str) -> String {
    let example = Example::parse(text).unwrap();
    let found: Vec<Finding> = example
        .judge()
        .into_iter()
        .filter(|finding| finding.rule != "title-missing")
        .collect();
    shown(&example.listing, &found)
}

/// What one rule finds in an example.
pub(crate) fn found_by(rule: &str, text: &str) -> String {
    let example = Example::parse(text).unwrap();
    let found: Vec<Finding> = example
        .judge()
        .into_iter()
        .filter(|finding| finding.rule == rule)
        .collect();
    shown(&example.listing, &found)
}

/// Everything found in a listing with default options.
pub(crate) fn judged(listing: &Listing) -> Vec<Finding> {
    judge(listing, &JudgeOptions::default())
}

/// Findings as a person would want to read them in a test.
pub(crate) fn shown(listing: &Listing, findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let about = finding
            .tool
            .and_then(|position| listing.tool(position))
            .map(|tool| tool.label().into_owned());
        let about = about.unwrap_or_else(|| "the listing".to_owned());
        let about = reveal_line(&about);
        writeln!(
            text,
            "{about}: {} {}: {}",
            finding.severity, finding.rule, finding.message
        )
        .unwrap();
        if finding.tool.is_some() {
            writeln!(
                text,
                "  at {}",
                reveal_line(finding.location.pointer.as_str())
            )
            .unwrap();
        }
        for evidence in &finding.evidence {
            let marked = &evidence.text[evidence.mark.clone()];
            writeln!(
                text,
                "  | {} <- {} [{marked}]",
                evidence.text, evidence.label
            )
            .unwrap();
        }
        if let Some(help) = &finding.help {
            writeln!(text, "  help: {help}").unwrap();
        }
        let suggested: Vec<String> = finding
            .suggestion
            .iter()
            .filter_map(|(hint, value)| value.map(|value| format!("{hint}: {value}")))
            .collect();
        if !suggested.is_empty() {
            writeln!(text, "  suggests {}", suggested.join(", ")).unwrap();
        }
    }
    text
}
