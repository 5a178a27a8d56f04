//! The report on hosts for programs, version 1. Its types are apart from the ones Sayso works
//! with; `docs/reference/hosts-report-v1.schema.json` is made from them.

mod v1;

use std::io;

use sayso_audit::hosts::{
    self, Behaviour, ChangeKind, HostProfile, MatrixColumn, ParserEvidence, ReadKey, SeenTool,
};
use sayso_core::hint::Hints;
use sayso_core::listing::Completeness;

use super::super::{json, safe_json, wording};
use super::outline::Outline;
use crate::hosts::{KnownHost, is_real};
use crate::hosts_report::{Gated, HostsReport, HostsTarget, Overlaid, Treated};

/// The JSON schema of this format, as published in `docs/reference/`.
pub(crate) fn schema() -> String {
    json::schema_of::<v1::Report>()
}

/// The whole report.
///
/// # Errors
/// None in practice: every map has string keys.
pub(super) fn render(report: &HostsReport<'_>) -> io::Result<String> {
    let settings = &report.settings;
    let known = report.known.behaving().filter(|(known, _)| {
        settings.list
            || report
                .columns
                .iter()
                .any(|column| column.host.id == known.profile.id)
    });
    let columns = report.columns.iter().filter(|_| !report.targets.is_empty());
    safe_json::to_string_pretty(&v1::Report {
        version: 1,
        sayso: report.version.to_owned(),
        settings: v1::Settings {
            mode: settings.mode.clone(),
            named: settings.named,
            tool: settings.tool.map(str::to_owned),
            with: settings.with.clone(),
            ruling: settings.ruling.clone(),
            stale_after_days: settings.freshness.stale_after_days,
            settings_file: settings.settings_file.clone(),
        },
        hosts: known
            .map(|(known, behaviour)| host(report, known, behaviour))
            .collect(),
        columns: columns
            .map(|column| v1::Column {
                label: column.label().into_owned(),
                host: column.host.id.clone(),
                mode: column.mode.id.clone(),
                counted: is_real(column.host),
            })
            .collect(),
        targets: report
            .targets
            .iter()
            .map(|one| target(report, one))
            .collect(),
        notes: report.notes.clone(),
    })
}

fn host(report: &HostsReport<'_>, known: &KnownHost, behaviour: &Behaviour) -> v1::Host {
    let profile: &HostProfile = &known.profile;
    v1::Host {
        id: profile.id.clone(),
        name: profile.name.clone(),
        kind: word(&profile.kind),
        counted: is_real(profile),
        added_by: known.file.as_ref().map(|file| file.display().to_string()),
        documentation: profile.documentation.clone(),
        version: behaviour.version.clone(),
        date_read: behaviour.date_read.clone(),
        old: report.is_stale(behaviour),
        confidence: behaviour.confidence.as_str().to_owned(),
        sources: behaviour.sources.clone(),
        reads: behaviour
            .reads
            .iter()
            .map(|key: &ReadKey| key.key().to_owned())
            .collect(),
        absent: behaviour.absent.clone(),
        parser: behaviour.parser.clone(),
        parser_seen: behaviour.parser_evidence == ParserEvidence::Seen,
        title: behaviour.title.iter().map(word).collect(),
        modes: behaviour.modes.iter().map(mode).collect(),
        notes: behaviour.notes.clone(),
        bugs: behaviour.bugs.clone(),
    }
}

fn mode(mode: &hosts::Mode) -> v1::Mode {
    let rule = |rule: &hosts::Rule<hosts::Outcome>| v1::Rule {
        when: rule.when.to_string(),
        then: rule.then.into(),
        note: rule.note.clone(),
    };
    v1::Mode {
        id: mode.id.clone(),
        name: mode.name.clone(),
        default: mode.default,
        needs: mode.needs.clone(),
        note: mode.note.clone(),
        rules: mode.rules.iter().map(rule).collect(),
    }
}

fn target(report: &HostsReport<'_>, target: &HostsTarget<'_>) -> v1::Target {
    v1::Target {
        name: target.name.to_owned(),
        source: json::source(target.target),
        configured_in: target.configured_in.map(json::configured_in),
        error: target
            .outcome
            .as_ref()
            .err()
            .map(|error| json::error(error)),
        listing: target
            .outcome
            .as_ref()
            .ok()
            .map(|treated| listing(report, treated)),
    }
}

fn listing(report: &HostsReport<'_>, treated: &Treated<'_>) -> v1::Listing {
    let outline = Outline::new(report, treated, false);
    let columns = treated.matrix.columns.iter().enumerate();
    v1::Listing {
        server: json::server(&treated.listing.server),
        complete: treated.listing.completeness == Completeness::Complete,
        incomplete_because: wording::incomplete(treated.listing).map(ToOwned::to_owned),
        columns: columns
            .map(|(position, column)| counted(treated, position, column))
            .collect(),
        tools: outline
            .tools
            .iter()
            .filter_map(|position| tool(&outline, *position))
            .collect(),
        splits: outline
            .splits()
            .iter()
            .map(|split| self::split(report, split))
            .collect(),
    }
}

fn split(report: &HostsReport<'_>, split: &super::sections::Split) -> v1::Split {
    let labels = |columns: &[usize]| {
        let columns = columns
            .iter()
            .filter_map(|column| report.columns.get(*column));
        columns.map(|column| column.label().into_owned()).collect()
    };
    v1::Split {
        tools: split.tools.clone(),
        risk: split.risk.words().to_owned(),
        silent: labels(&split.silent),
        asked: labels(&split.asked),
        refused: labels(&split.refused),
    }
}

fn counted(treated: &Treated<'_>, position: usize, column: &MatrixColumn<'_>) -> v1::Counted {
    let gated = treated.gating.as_ref();
    let gating = gated.and_then(|gated| gated.before.get(position));
    v1::Counted {
        column: column.column.label().into_owned(),
        figures: figures(&column.figures),
        lost: lost(column),
        after: treated
            .overlaid
            .as_ref()
            .and_then(|overlaid| after(overlaid, gated, position)),
        gating: gating.map(|gating| gating_counts(gating.counts)),
    }
}

fn after(overlaid: &Overlaid<'_>, gated: Option<&Gated<'_>>, position: usize) -> Option<v1::After> {
    let column = overlaid.matrix.columns.get(position)?;
    let difference = overlaid.difference.hosts.get(position)?;
    let gating = gated.and_then(|gated| gated.after.as_ref()?.get(position));
    Some(v1::After {
        figures: figures(&column.figures),
        lost: lost(column),
        prompts_gone: difference.prompts_gone,
        new_prompts: difference.new_prompts,
        new_silent: difference.new_silent,
        new_silent_may_destroy: difference.new_silent_may_destroy,
        gating: gating.map(|gating| gating_counts(gating.counts)),
    })
}

const fn figures(figures: &hosts::Figures) -> v1::Figures {
    v1::Figures {
        tools: figures.tools,
        silent: figures.silent,
        silent_may_destroy: figures.silent_may_destroy,
        asked: figures.asked,
        refused: figures.refused,
        judged: figures.judged,
        unknown: figures.unknown,
        lost: figures.lost,
    }
}

fn lost(column: &MatrixColumn<'_>) -> Option<v1::Lost> {
    column.rejection.as_ref().map(|rejection| v1::Lost {
        tool: rejection.tool,
        reason: rejection.reason.clone(),
    })
}

const fn gating_counts(counts: hosts::GatingCounts) -> v1::GatingCounts {
    v1::GatingCounts {
        under: counts.under,
        over: counts.over,
        right: counts.right,
        open: counts.open,
    }
}

fn tool(outline: &Outline<'_, '_>, position: usize) -> Option<v1::Tool> {
    let tool = outline.tool(position)?;
    let effective = outline.treated.matrix.effective.get(position)?;
    let columns = 0..outline.report.columns.len();
    Some(v1::Tool {
        position: tool.position(),
        name: tool.name().map(std::borrow::Cow::into_owned),
        claims: json::per_hint(&tool.claims().states(), |claim| json::claim_v1(*claim)),
        read_only: effective.read_only(),
        may_destroy: effective.may_destroy(),
        open_world: effective.open_world(),
        readings: readings(outline, tool),
        titles: titles(outline, tool),
        cells: columns
            .filter_map(|column| cell(outline, position, column))
            .collect(),
    })
}

/// What each parser of the hosts that have a column makes of a tool.
fn readings(outline: &Outline<'_, '_>, tool: sayso_core::tool::Tool<'_>) -> Vec<v1::Reading> {
    let mut readings: Vec<v1::Reading> = Vec::new();
    for column in &outline.report.columns {
        let Some(parser) = &column.behaviour.parser else {
            continue;
        };
        if readings.iter().any(|reading| reading.parser == *parser) {
            continue;
        }
        let (sees, refused) = match column.behaviour.read(tool) {
            Ok(seen) => (Some(sees(&seen)), None),
            Err(rejection) => (None, Some(rejection.reason)),
        };
        readings.push(v1::Reading {
            parser: parser.clone(),
            sees,
            refused,
        });
    }
    readings
}

fn sees(seen: &SeenTool) -> v1::PerHint<v1::Seen> {
    let each = Hints::from_fn(
        |hint| match (*seen.unclear.get(hint), *seen.hints.get(hint)) {
            (true, _) => v1::Seen::Unclear,
            (false, hosts::Seen::True) => v1::Seen::True,
            (false, hosts::Seen::False) => v1::Seen::False,
            (false, hosts::Seen::Absent) => v1::Seen::Absent,
        },
    );
    json::per_hint(&each, |seen| *seen)
}

fn titles(outline: &Outline<'_, '_>, tool: sayso_core::tool::Tool<'_>) -> Vec<v1::Title> {
    let title = |column: &&hosts::Column<'_>| {
        let (source, text) = column.title(tool)?;
        Some(v1::Title {
            host: column.host.id.clone(),
            text: text.into_owned(),
            source: word(&source),
        })
    };
    outline.hosts.iter().filter_map(title).collect()
}

fn cell(outline: &Outline<'_, '_>, tool: usize, column: usize) -> Option<v1::Cell> {
    let treated = outline.treated;
    let pair = outline.pair(tool, column)?;
    let gating = |hosts: Option<&Vec<hosts::HostGating<'_>>>| {
        let gating = hosts?.get(column)?.tools.get(tool)?;
        gating.map(v1::Gating::from)
    };
    let gated = treated.gating.as_ref();
    let change = treated.overlaid.as_ref().and_then(|overlaid| {
        // They are sorted by tool, then by column.
        let changes = &overlaid.difference.changes;
        let place = |change: &hosts::Change<'_>| (change.tool, change.column);
        let found = changes.binary_search_by_key(&(tool, column), place).ok()?;
        changes.get(found)
    });
    Some(v1::Cell {
        column: outline.report.columns.get(column)?.label().into_owned(),
        outcome: pair.before.into(),
        rule: rule(pair.before),
        after: pair.after.map(|after| v1::CellAfter {
            outcome: after.into(),
            rule: rule(after),
            change: change.map(|change| change.kind.into()),
            gating: gating(gated.and_then(|gated| gated.after.as_ref())),
        }),
        gating: gating(gated.map(|gated| &gated.before)),
    })
}

fn rule(cell: hosts::Cell<'_>) -> Option<usize> {
    let (number, _) = cell.decision()?.rule?;
    Some(number)
}

/// The word a unit variant is written as.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

impl From<hosts::Outcome> for v1::Outcome {
    fn from(outcome: hosts::Outcome) -> Self {
        match outcome {
            hosts::Outcome::Allow => Self::Allow,
            hosts::Outcome::Ask => Self::Ask,
            hosts::Outcome::AskOnce => Self::AskOnce,
            hosts::Outcome::AskEvery => Self::AskEvery,
            hosts::Outcome::Deny => Self::Deny,
            hosts::Outcome::Hide => Self::Hide,
            hosts::Outcome::Judge => Self::Judge,
            hosts::Outcome::ByName => Self::ByName,
            hosts::Outcome::Unknown => Self::Unknown,
        }
    }
}

impl From<hosts::Cell<'_>> for v1::Outcome {
    fn from(cell: hosts::Cell<'_>) -> Self {
        cell.outcome().map_or(Self::Lost, Self::from)
    }
}

impl From<ChangeKind> for v1::Change {
    fn from(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::PromptGone => Self::PromptGone,
            ChangeKind::NewSilentRun => Self::NewSilentRun,
            ChangeKind::NewPrompt => Self::NewPrompt,
            ChangeKind::NowUsable => Self::NowUsable,
            ChangeKind::NoLongerUsable => Self::NoLongerUsable,
            ChangeKind::Other => Self::Other,
        }
    }
}

impl From<hosts::Gating> for v1::Gating {
    fn from(gating: hosts::Gating) -> Self {
        match gating {
            hosts::Gating::Under => Self::Under,
            hosts::Gating::Over => Self::Over,
            hosts::Gating::Right => Self::Right,
            hosts::Gating::Open => Self::Open,
        }
    }
}
