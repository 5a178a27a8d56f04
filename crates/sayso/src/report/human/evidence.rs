//! The sentences findings rest on, with what matters underlined.

use sayso_core::finding::{Finding, Location};

use crate::audit_report::TargetReport;

use super::super::excerpt::{Underline, pictures};
use super::super::outline::{ToolOutline, path_below};
use super::super::positions::Positions;
use super::super::screen::{Screen, Style};

/// What stands left of a sentence.
const MARGIN: &str = "    | ";

/// What is needed to say where something stands.
pub(super) struct Place<'a> {
    target: &'a TargetReport,
    positions: &'a Positions<'a>,
    /// The pointer of the tool, which places are told relative to.
    base: String,
}

impl<'a> Place<'a> {
    pub(super) fn new(target: &'a TargetReport, positions: &'a Positions<'a>) -> Self {
        Self {
            target,
            positions,
            base: String::new(),
        }
    }

    /// Tells places relative to this tool from now on.
    pub(super) fn inside(&mut self, tool: &ToolOutline<'_>) {
        tool.tool
            .value()
            .pointer()
            .as_str()
            .clone_into(&mut self.base);
    }

    fn position(&self, location: &Location) -> Option<String> {
        self.positions.in_file(self.target, location)
    }
}

/// Writes what findings rest on that share their sentence, or have none.
pub(super) fn write(screen: &mut Screen, place: &Place<'_>, findings: &[&Finding]) {
    let Some(first) = findings.first() else {
        return;
    };
    if first.evidence.is_empty() {
        for finding in findings {
            whereabouts(screen, None, place.position(&finding.location));
        }
        return;
    }
    let width = screen.width().saturating_sub(MARGIN.len() + 2);
    for picture in pictures(findings, width) {
        let path = path_below(&place.base, &picture.evidence.location);
        whereabouts(
            screen,
            Some(path),
            place.position(&picture.evidence.location),
        );
        let margin = screen.faintly(MARGIN);
        screen.line(&format!("{margin}{}", picture.line));
        for sight in picture.sights {
            carets(
                screen,
                Style::from(sight.severity),
                sight.under,
                &sight.labels.join("; "),
            );
        }
    }
}

fn whereabouts(screen: &mut Screen, path: Option<String>, position: Option<String>) {
    let parts: Vec<String> = path
        .filter(|path| !path.is_empty())
        .into_iter()
        .chain(position)
        .collect();
    if !parts.is_empty() {
        screen.faint(&format!("    in {}", parts.join(", ")));
    }
}

fn carets(screen: &mut Screen, style: Style, under: Underline, label: &str) {
    let margin = screen.faintly(MARGIN);
    let indent = " ".repeat(under.indent);
    let carets = screen.paint(style, &"^".repeat(under.width));
    let end = MARGIN.len() + under.indent + under.width + 1;
    if end + textwrap::core::display_width(label) <= screen.width() {
        let label = screen.paint(style, label);
        screen.line(&format!("{margin}{indent}{carets} {label}"));
    } else {
        screen.line(&format!("{margin}{indent}{carets}"));
        screen.wrapped(MARGIN, MARGIN, label);
    }
}
