//! The matrix laid out to be told: columns that are alike under one name, rows that are alike
//! as one.

use std::collections::BTreeMap;

use sayso_audit::hosts::{Cell, Column, HostKind, HostProfile, MatrixColumn, Outcome};
use sayso_core::effective::Effective;
use sayso_core::reveal::reveal_line;
use sayso_core::tool::Tool;

use crate::hosts::is_real;
use crate::hosts_report::{HostsReport, Treated};

/// From how many tools on that are treated alike they are told as one.
const FOLD_FROM: usize = 3;

/// The matrix of one listing.
pub(super) struct Outline<'r, 'a> {
    /// The report.
    pub(super) report: &'r HostsReport<'a>,
    /// The listing and what happens to it.
    pub(super) treated: &'r Treated<'a>,
    /// The first column of each real host.
    pub(super) hosts: Vec<&'r Column<'a>>,
    /// The tools that are told of, by position: all, or the one asked about.
    pub(super) tools: Vec<usize>,
    /// Columns that are alike, those of most hosts first.
    pub(super) groups: Vec<Group>,
    /// Tools that are alike, in the order of the first of each.
    pub(super) rows: Vec<Row>,
}

/// Columns that are alike in every cell.
pub(super) struct Group {
    /// What stands over the column: a letter, or the host's name where hosts were named.
    pub(super) name: String,
    /// The columns, by position.
    pub(super) columns: Vec<usize>,
    /// What kind of thing its hosts are.
    pub(super) kind: GroupKind,
}

/// What kind of thing the hosts of a group are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupKind {
    /// No host: the documented defaults, to compare with.
    Model,
    /// Hosts that call tools.
    Hosts,
    /// Checks before a listing is published.
    Directory,
}

impl GroupKind {
    fn of(host: &HostProfile) -> Self {
        match host.kind {
            HostKind::Model => Self::Model,
            HostKind::Directory => Self::Directory,
            HostKind::Application | HostKind::Library | HostKind::Former => Self::Hosts,
        }
    }
}

/// Tools that are treated alike in every column.
pub(super) struct Row {
    /// The tools, by position.
    pub(super) tools: Vec<usize>,
}

/// One tool in one column, and there with other hints.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    /// As the listing is.
    pub(super) before: Cell<'a>,
    /// With the other hints, where there are some.
    pub(super) after: Option<Cell<'a>>,
}

/// What makes two cells alike: the outcome before, and after where there is one.
type CellKey = (Option<Outcome>, Option<Option<Outcome>>);

/// What makes two columns alike: every cell, and why a listing is lost.
type ColumnKey<'k> = (Vec<CellKey>, [Option<&'k str>; 2]);

impl<'r, 'a> Outline<'r, 'a> {
    pub(super) fn new(report: &'r HostsReport<'a>, treated: &'r Treated<'a>, folds: bool) -> Self {
        let asked = report.settings.tool;
        let tools = treated.matrix.tools.iter().enumerate();
        let tools = tools
            .filter(|(_, tool)| asked.is_none_or(|name| tool.name().as_deref() == Some(name)))
            .map(|(position, _)| position)
            .collect();
        let mut outline = Self {
            report,
            treated,
            hosts: report.host_columns(),
            tools,
            groups: Vec::new(),
            rows: Vec::new(),
        };
        outline.groups = outline.group_columns();
        outline.rows = outline.group_rows(folds);
        outline
    }

    fn group_columns(&self) -> Vec<Group> {
        let columns = &self.treated.matrix.columns;
        if self.report.settings.named {
            let named = columns.iter().enumerate().map(|(position, column)| Group {
                name: column.column.label().into_owned(),
                columns: vec![position],
                kind: GroupKind::of(column.column.host),
            });
            return named.collect();
        }
        let mut groups: BTreeMap<(GroupKind, ColumnKey<'_>), Vec<usize>> = BTreeMap::new();
        for (position, column) in columns.iter().enumerate() {
            let kind = GroupKind::of(column.column.host);
            let key = (kind, self.key(position, column));
            groups.entry(key).or_default().push(position);
        }
        let mut groups: Vec<Group> = groups
            .into_iter()
            .map(|((kind, _), columns)| Group {
                name: String::new(),
                columns,
                kind,
            })
            .collect();
        groups.sort_by_key(|group| {
            let first = group.columns.first().copied();
            (group.kind, std::cmp::Reverse(group.columns.len()), first)
        });
        let mut numbers = [0; 3];
        for group in &mut groups {
            let number = match group.kind {
                GroupKind::Model => &mut numbers[0],
                GroupKind::Hosts => &mut numbers[1],
                GroupKind::Directory => &mut numbers[2],
            };
            group.name = group.kind.name(*number);
            *number += 1;
        }
        groups
    }

    fn key<'k>(&'k self, position: usize, column: &'k MatrixColumn<'a>) -> ColumnKey<'k> {
        let outcomes = |tool: usize| {
            let pair = self.pair(tool, position)?;
            Some((
                pair.before.outcome(),
                pair.after.map(|after| after.outcome()),
            ))
        };
        let cells = self.tools.iter().filter_map(|tool| outcomes(*tool));
        let reason =
            |column: &'k MatrixColumn<'a>| Some(column.rejection.as_ref()?.reason.as_str());
        let overlaid = self.treated.overlaid.as_ref();
        let after = overlaid.and_then(|overlaid| overlaid.matrix.columns.get(position));
        (cells.collect(), [reason(column), after.and_then(reason)])
    }

    fn group_rows(&self, folds: bool) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut known: BTreeMap<Vec<CellKey>, usize> = BTreeMap::new();
        for tool in &self.tools {
            let columns = 0..self.treated.matrix.columns.len();
            let key = columns
                .filter_map(|column| self.pair(*tool, column))
                .map(|pair| {
                    (
                        pair.before.outcome(),
                        pair.after.map(|after| after.outcome()),
                    )
                });
            let position = *known.entry(key.collect()).or_insert(rows.len());
            match rows.get_mut(position) {
                Some(row) => row.tools.push(*tool),
                None => rows.push(Row { tools: vec![*tool] }),
            }
        }
        let mut told: Vec<Row> = Vec::new();
        for row in rows {
            if folds && row.tools.len() >= FOLD_FROM {
                told.push(row);
            } else {
                told.extend(row.tools.into_iter().map(|tool| Row { tools: vec![tool] }));
            }
        }
        told.sort_by_key(|row| row.tools.first().copied());
        told
    }

    /// One tool in one column.
    pub(super) fn pair(&self, tool: usize, column: usize) -> Option<Pair<'a>> {
        let cell = |columns: &[MatrixColumn<'a>]| columns.get(column)?.cells.get(tool).copied();
        let overlaid = self.treated.overlaid.as_ref();
        Some(Pair {
            before: cell(&self.treated.matrix.columns)?,
            after: overlaid.and_then(|overlaid| cell(&overlaid.matrix.columns)),
        })
    }

    /// A row in a group: the same for all of both.
    pub(super) fn shared_pair(&self, row: &Row, group: &Group) -> Option<Pair<'a>> {
        self.pair(*row.tools.first()?, *group.columns.first()?)
    }

    /// The tool at a position.
    pub(super) fn tool(&self, position: usize) -> Option<Tool<'a>> {
        self.treated.matrix.tools.get(position).copied()
    }

    /// The tool at a position, with the other hints where there are some.
    pub(super) fn last_tool(&self, position: usize) -> Option<Tool<'a>> {
        let overlaid = self.treated.overlaid.as_ref();
        let matrix = overlaid.map_or(&self.treated.matrix, |overlaid| &overlaid.matrix);
        matrix.tools.get(position).copied()
    }

    /// What to call a tool, safe to show.
    pub(super) fn label(&self, position: usize) -> String {
        self.tool(position)
            .map(|tool| reveal_line(&tool.label()).into_owned())
            .unwrap_or_default()
    }

    /// What a client has to assume of a tool, with the other hints where there are some.
    pub(super) fn effective(&self, position: usize) -> Option<&'r Effective> {
        let overlaid = self.treated.overlaid.as_ref();
        let matrix = overlaid.map_or(&self.treated.matrix, |overlaid| &overlaid.matrix);
        matrix.effective.get(position)
    }

    /// A group's first column, to stand for all.
    pub(super) fn first<'s>(&'s self, group: &Group) -> Option<&'s MatrixColumn<'a>> {
        self.treated.matrix.columns.get(*group.columns.first()?)
    }

    /// The same column with the other hints.
    pub(super) fn first_after<'s>(&'s self, group: &Group) -> Option<&'s MatrixColumn<'a>> {
        let overlaid = self.treated.overlaid.as_ref()?;
        overlaid.matrix.columns.get(*group.columns.first()?)
    }

    /// The columns of real hosts, by position.
    pub(super) fn real_columns(&self) -> impl Iterator<Item = usize> {
        let columns = self.report.columns.iter().enumerate();
        columns
            .filter(|(_, column)| is_real(column.host))
            .map(|(position, _)| position)
    }

    /// Whether a column is a real host's.
    pub(super) fn is_real(&self, column: usize) -> bool {
        let column = self.report.columns.get(column);
        column.is_some_and(|column| is_real(column.host))
    }
}

impl Pair<'_> {
    /// Whether the other hints change what happens.
    pub(super) fn changes(&self) -> bool {
        self.after
            .is_some_and(|after| after.outcome() != self.before.outcome())
    }

    /// In a word, or two with an arrow where it changes.
    pub(super) fn word(&self) -> String {
        match self.after {
            Some(after) if self.changes() => {
                format!("{} → {}", self.before.as_str(), after.as_str())
            }
            _ => self.before.as_str().to_owned(),
        }
    }
}

impl GroupKind {
    /// What stands over the column of the group with this number, from 0.
    fn name(self, number: usize) -> String {
        let numbered = |name: &str| match number {
            0 => name.to_owned(),
            more => format!("{name}{}", more + 1),
        };
        match self {
            Self::Model => numbered("spec"),
            Self::Hosts => letters(number),
            Self::Directory => numbered("check"),
        }
    }
}

/// A, B, … Z, AA, AB, …
fn letters(position: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(position % 26).unwrap_or(0));
    match position / 26 {
        0 => letter.to_string(),
        rest => format!("{}{letter}", letters(rest - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn there_is_a_name_for_every_column() {
        let names: Vec<String> = [0, 1, 25, 26, 51, 52, 701, 702].map(letters).into();
        assert_eq!(names, ["A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
