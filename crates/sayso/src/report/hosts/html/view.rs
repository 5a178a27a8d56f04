//! From a report to what the page shows.

mod below;
mod known;

use std::collections::BTreeSet;

use sayso_audit::hosts::{Cell as HostCell, Outcome};
use sayso_core::reveal::reveal_line;

use super::super::super::wording::{self, plural};
use super::super::outline::{self, GroupKind, Outline, Pair};
use super::super::sections::Risk;
use super::super::{figures, words};
use super::page::{Cell, Failure, Group, Head, Host, Listing, Report, Row, Target, Why, Word};
use crate::audit_report::Unreadable;
use crate::hosts::is_real;
use crate::hosts_report::{HostsReport, HostsTarget, Treated};

impl Report {
    pub(super) fn new(report: &HostsReport<'_>) -> Self {
        let real = report.host_columns().len();
        let stale = words::stale(report);
        let days = report.settings.freshness.stale_after_days;
        let known = report.known.behaving().filter(|(known, _)| {
            let mut columns = report.columns.iter();
            report.settings.list || columns.any(|column| column.host.id == known.profile.id)
        });
        Self {
            version: report.version,
            title: match report.targets.is_empty() {
                true => "the hosts that are known".to_owned(),
                false => format!("what {} do", plural(real, "host")),
            },
            targets: report
                .targets
                .iter()
                .map(|target| Target::new(report, target))
                .collect(),
            hosts: known
                .map(|(known, behaviour)| Host::new(report, known, behaviour))
                .collect(),
            stale: (!stale.is_empty() && !report.targets.is_empty()).then(|| {
                format!(
                    "Old, read more than {days} days ago: {}.",
                    safe(&stale.join(", "))
                )
            }),
            notes: report.notes.iter().map(|note| safe(note)).collect(),
        }
    }
}

impl Target {
    fn new(report: &HostsReport<'_>, target: &HostsTarget<'_>) -> Self {
        let treated = target.outcome.as_ref().ok();
        let listing = treated.map(|treated| treated.listing);
        let about = wording::about(listing, target.target, target.configured_in);
        Self {
            name: safe(target.name),
            about: about.iter().map(|part| safe(part)).collect(),
            error: target
                .outcome
                .as_ref()
                .err()
                .map(|error| Failure::new(error)),
            listing: treated.map(|treated| Listing::new(report, treated)),
        }
    }
}

impl Failure {
    fn new(unreadable: &Unreadable) -> Self {
        Self {
            message: safe(&unreadable.message),
            hint: unreadable.hint.as_deref().map(safe),
            details: unreadable.details.iter().map(|line| safe(line)).collect(),
        }
    }
}

impl Listing {
    fn new(report: &HostsReport<'_>, treated: &Treated<'_>) -> Self {
        let outline = Outline::new(report, treated, true);
        let sum = match report.settings.tool {
            Some(_) => outline
                .tools
                .iter()
                .flat_map(|tool| words::assumed(&outline, *tool))
                .collect(),
            None => figures::sum(&outline),
        };
        Self {
            incomplete: wording::incomplete(treated.listing).map(safe),
            sum: sum.iter().map(|line| safe(&words::capital(line))).collect(),
            groups: outline
                .groups
                .iter()
                .map(|group| Group::new(&outline, group))
                .collect(),
            rows: outline
                .rows
                .iter()
                .map(|row| Row::folded(&outline, row))
                .collect(),
            heads: report
                .columns
                .iter()
                .map(|column| Head {
                    label: safe(&words::label(report, column)),
                    counted: is_real(column.host),
                })
                .collect(),
            tools: every_tool(&outline),
            outcomes: words_there(&outline),
            why: why(&outline),
            sections: below::sections(&outline),
            gating: below::gating(&outline),
        }
    }
}

impl Group {
    fn new(outline: &Outline<'_, '_>, group: &outline::Group) -> Self {
        let columns = group.columns.iter();
        let columns = columns.filter_map(|column| outline.report.columns.get(*column));
        Self {
            name: safe(&group.name),
            who: words::who(outline.report, group),
            hosts: columns
                .map(|column| safe(&words::label(outline.report, column)))
                .collect(),
            figures: figures::of_group(outline, group)
                .iter()
                .map(|sentence| safe(sentence))
                .collect(),
        }
    }
}

impl Row {
    fn folded(outline: &Outline<'_, '_>, row: &outline::Row) -> Self {
        let count = row.tools.len();
        let names: Vec<String> = row.tools.iter().map(|tool| outline.label(*tool)).collect();
        let label = match names.first() {
            Some(_) if count > 1 && count == outline.tools.len() => {
                format!("all {}", plural(count, "tool"))
            }
            Some(first) if count > 1 => format!("{count} like {first}"),
            Some(first) => first.clone(),
            None => String::new(),
        };
        let risk = row.tools.first().map(|tool| outline.risk(*tool));
        let cells = outline.groups.iter().map(|group| {
            let calls = group.kind != GroupKind::Directory;
            let pair = outline.shared_pair(row, group);
            pair.map_or_else(Cell::empty, |pair| Cell::new(pair, risk, calls))
        });
        Self {
            label,
            names: if count > 1 { names } else { Vec::new() },
            risk: risk.map_or("", Risk::words),
            repeats: false,
            cells: cells.collect(),
        }
    }
}

/// A row for every tool, with every host in a column of its own.
fn every_tool(outline: &Outline<'_, '_>) -> Vec<Row> {
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let rows = outline.tools.iter().map(|tool| {
        let risk = Some(outline.risk(*tool));
        let columns = outline.report.columns.iter().enumerate();
        let cells: Vec<Cell> = columns
            .filter_map(|(position, column)| {
                let calls = column.host.kind.calls_tools();
                Some(Cell::new(outline.pair(*tool, position)?, risk, calls))
            })
            .collect();
        let words = cells.iter().map(|cell| cell.word.clone()).collect();
        Row {
            label: outline.label(*tool),
            names: Vec::new(),
            risk: risk.map_or("", Risk::words),
            repeats: !seen.insert(words),
            cells,
        }
    });
    rows.collect()
}

impl Cell {
    /// `calls` says whether it is of a host that calls tools.
    fn new(pair: Pair<'_>, risk: Option<Risk>, calls: bool) -> Self {
        let last = pair.after.unwrap_or(pair.before);
        let destroys = matches!(risk, Some(Risk::Destroys | Risk::DestroysOutside)) && calls;
        Self {
            word: pair.word(),
            outcome: last.as_str(),
            danger: last.is_silent() && destroys,
            changed: pair.changes(),
        }
    }

    fn empty() -> Self {
        Self {
            word: String::new(),
            outcome: "",
            danger: false,
            changed: false,
        }
    }
}

/// The words in the cells, each that is there.
fn words_there(outline: &Outline<'_, '_>) -> Vec<Word> {
    let after = outline.treated.overlaid.iter();
    let after = after.flat_map(|overlaid| &overlaid.matrix.columns);
    let columns = outline.treated.matrix.columns.iter().chain(after);
    let there: BTreeSet<Option<Outcome>> = columns
        .flat_map(|column| column.cells.iter().map(HostCell::outcome))
        .collect();
    let all = Outcome::ALL.map(Some).into_iter().chain([None]);
    all.filter(|outcome| there.contains(outcome))
        .map(|outcome| Word {
            word: outcome.map_or("lost", Outcome::as_str),
            meaning: words::meaning(outcome),
        })
        .collect()
}

/// Why each host does with the tool asked about what it does.
fn why(outline: &Outline<'_, '_>) -> Vec<Why> {
    if outline.report.settings.tool.is_none() {
        return Vec::new();
    }
    let columns = outline.groups.iter().flat_map(|group| &group.columns);
    let cells = columns.flat_map(|column| outline.tools.iter().map(|tool| (*tool, *column)));
    cells
        .filter_map(|(tool, position)| {
            let column = outline.report.columns.get(position)?;
            let pair = outline.pair(tool, position)?;
            let reading = outline
                .last_tool(tool)
                .map(|tool| words::reading(column, tool));
            Some(Why {
                host: safe(&words::label(outline.report, column)),
                tool: outline.label(tool),
                outcome: Cell::new(
                    pair,
                    Some(outline.risk(tool)),
                    column.host.kind.calls_tools(),
                ),
                because: words::because(column, pair)
                    .iter()
                    .map(|line| safe(line))
                    .collect(),
                reading: safe(&reading.unwrap_or_default()),
            })
        })
        .collect()
}

/// As text on one line.
fn safe(text: &str) -> String {
    reveal_line(text).into_owned()
}
