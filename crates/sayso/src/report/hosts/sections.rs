//! What stands below a matrix: where hosts split, what other hints change, where hosts ask too
//! little or too much, which titles people see. Tools of which the same is to be told are one
//! item.

use sayso_audit::hosts::{ChangeKind, Gating, HostGating, TitleSource};
use sayso_core::effective::Effective;
use sayso_core::reveal::reveal_line;

use super::outline::Outline;
use crate::hosts_report::Gated;

/// Tools on which hosts that look at hints split.
pub(super) struct Split {
    /// How risky they are.
    pub(super) risk: Risk,
    /// The tools, by position.
    pub(super) tools: Vec<usize>,
    /// The columns that call them silently.
    pub(super) silent: Vec<usize>,
    /// The columns that ask.
    pub(super) asked: Vec<usize>,
    /// The columns that refuse or hide them.
    pub(super) refused: Vec<usize>,
}

/// Tools, and the columns that something is so in.
pub(super) struct Among {
    /// How risky they are.
    pub(super) risk: Risk,
    /// The tools, by position.
    pub(super) tools: Vec<usize>,
    /// The columns, by position.
    pub(super) columns: Vec<usize>,
}

/// Hosts in which a person sees the same titles.
pub(super) struct Titles {
    /// The hosts, by id.
    pub(super) hosts: Vec<String>,
    /// Where the titles stand that they show.
    pub(super) sources: Vec<TitleSource>,
    /// What a person sees of the tool the hosts differ on first; safe to show.
    pub(super) example: String,
}

/// The tool on which hosts show different titles, and what each shows.
pub(super) struct TitleSplit {
    /// The first such tool, by position.
    pub(super) tool: usize,
    /// How many such tools there are.
    pub(super) tools: usize,
    /// The hosts, those with most of them first.
    pub(super) groups: Vec<Titles>,
}

/// How much harm a call can do, by what a client has to assume: the first is the riskiest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Risk {
    /// May destroy, and reach an open world.
    DestroysOutside,
    /// May destroy.
    Destroys,
    /// Only adds, and may reach an open world.
    AddsOutside,
    /// Only adds.
    Adds,
    /// Only reads.
    Reads,
}

impl Risk {
    pub(super) fn of(effective: &Effective) -> Self {
        match (
            effective.read_only(),
            effective.may_destroy(),
            effective.open_world(),
        ) {
            (true, ..) => Self::Reads,
            (_, true, true) => Self::DestroysOutside,
            (_, true, false) => Self::Destroys,
            (_, false, true) => Self::AddsOutside,
            (_, false, false) => Self::Adds,
        }
    }

    /// In words that follow a tool's name.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::DestroysOutside => "may destroy, may reach an open world",
            Self::Destroys => "may destroy",
            Self::AddsOutside => "only adds, may reach an open world",
            Self::Adds => "only adds",
            Self::Reads => "only reads",
        }
    }
}

impl Outline<'_, '_> {
    /// How much harm a tool can do.
    pub(super) fn risk(&self, tool: usize) -> Risk {
        self.effective(tool).map_or(Risk::DestroysOutside, Risk::of)
    }

    /// The tools on which real hosts that look at hints split, the riskiest first.
    pub(super) fn splits(&self) -> Vec<Split> {
        let overlaid = self.treated.overlaid.as_ref();
        let matrix = overlaid.map_or(&self.treated.matrix, |overlaid| &overlaid.matrix);
        let mut splits: Vec<Split> = Vec::new();
        for one in matrix.disagreements() {
            let real = |columns: &[usize]| -> Vec<usize> {
                let columns = columns.iter().copied();
                columns.filter(|column| self.is_real(*column)).collect()
            };
            let (silent, asked, refused) =
                (real(&one.silent), real(&one.asked), real(&one.refused));
            let is_split = !silent.is_empty() && asked.len() + refused.len() > 0;
            if !is_split || !self.tools.contains(&one.tool) {
                continue;
            }
            let risk = self.risk(one.tool);
            let same = splits.iter_mut().find(|other| {
                let alike = (other.risk, &other.silent, &other.asked, &other.refused);
                alike == (risk, &silent, &asked, &refused)
            });
            match same {
                Some(other) => other.tools.push(one.tool),
                None => splits.push(Split {
                    risk,
                    tools: vec![one.tool],
                    silent,
                    asked,
                    refused,
                }),
            }
        }
        splits
    }

    /// The tools that real hosts call silently with the other hints and did not before, the
    /// riskiest first.
    pub(super) fn newly_silent(&self) -> Vec<Among> {
        let changes = self.treated.overlaid.iter().flat_map(|overlaid| {
            overlaid.difference.changes.iter().filter(|change| {
                matches!(
                    change.kind,
                    ChangeKind::PromptGone | ChangeKind::NewSilentRun
                )
            })
        });
        self.by_risk(
            changes.map(|change| (change.tool, change.column)),
            &|tool| self.risk(tool),
        )
    }

    /// The tools that real hosts treat so, measured by what is true: those of most hosts first.
    pub(super) fn gated(
        &self,
        gated: &Gated<'_>,
        hosts: &[HostGating<'_>],
        wanted: Gating,
    ) -> Vec<Among> {
        let cells = hosts.iter().enumerate().flat_map(|(column, host)| {
            let tools = host.tools.iter().enumerate();
            let so = tools.filter(move |(_, gating)| **gating == Some(wanted));
            so.map(move |(tool, _)| (tool, column))
        });
        let truth = |tool: usize| gated.truths.get(tool)?.as_ref().map(Risk::of);
        let mut among = self.by_risk(cells, &|tool| truth(tool).unwrap_or(self.risk(tool)));
        among.sort_by_key(|among| std::cmp::Reverse(among.columns.len()));
        among
    }

    /// Cells of real hosts by tool, the riskiest tools first, those of the same columns together.
    fn by_risk(
        &self,
        cells: impl Iterator<Item = (usize, usize)>,
        risk: &dyn Fn(usize) -> Risk,
    ) -> Vec<Among> {
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); self.treated.matrix.tools.len()];
        for (tool, column) in cells.filter(|(_, column)| self.is_real(*column)) {
            if let Some(columns) = columns.get_mut(tool) {
                columns.push(column);
            }
        }
        let mut among: Vec<Among> = Vec::new();
        for tool in &self.tools {
            let Some(columns) = columns.get_mut(*tool).map(std::mem::take) else {
                continue;
            };
            let risk = risk(*tool);
            let same = among
                .iter_mut()
                .find(|other| other.risk == risk && other.columns == columns);
            match same {
                Some(other) => other.tools.push(*tool),
                None => among.push(Among {
                    risk,
                    tools: vec![*tool],
                    columns,
                }),
            }
        }
        among.retain(|among| !among.columns.is_empty());
        among.sort_by_key(|among| (among.risk, std::cmp::Reverse(among.columns.len())));
        among
    }

    /// What people see as the tools' titles, where hosts show different ones.
    pub(super) fn titles(&self) -> Option<TitleSplit> {
        let overlaid = self.treated.overlaid.as_ref();
        let matrix = overlaid.map_or(&self.treated.matrix, |overlaid| &overlaid.matrix);
        let mut shown: Vec<(Vec<Option<String>>, Titles)> = Vec::new();
        let told = self.hosts.iter();
        for column in told.filter(|column| !column.behaviour.title.is_empty()) {
            let tools = self.tools.iter().filter_map(|tool| matrix.tools.get(*tool));
            let titles: Vec<_> = tools.map(|tool| column.title(*tool)).collect();
            let mut sources = Vec::new();
            for (source, _) in titles.iter().flatten() {
                if !sources.contains(source) {
                    sources.push(*source);
                }
            }
            let texts: Vec<Option<String>> = titles
                .into_iter()
                .map(|title| title.map(|(_, text)| text.into_owned()))
                .collect();
            match shown.iter_mut().find(|(other, _)| *other == texts) {
                Some((_, group)) => group.hosts.push(column.host.id.clone()),
                None => shown.push((
                    texts,
                    Titles {
                        hosts: vec![column.host.id.clone()],
                        sources,
                        example: String::new(),
                    },
                )),
            }
        }
        let differs = |index: usize| {
            let mut texts = shown.iter().map(|(texts, _)| texts.get(index));
            let first = texts.next();
            texts.any(|text| Some(text) != first)
        };
        let differing: Vec<usize> = (0..self.tools.len())
            .filter(|index| differs(*index))
            .collect();
        let first = *differing.first()?;
        let tool = *self.tools.get(first)?;
        let mut groups: Vec<Titles> = shown
            .into_iter()
            .map(|(texts, group)| {
                let text = texts.into_iter().nth(first).flatten().unwrap_or_default();
                Titles {
                    example: reveal_line(&text).into_owned(),
                    ..group
                }
            })
            .collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.hosts.len()));
        Some(TitleSplit {
            tool,
            tools: differing.len(),
            groups,
        })
    }
}
