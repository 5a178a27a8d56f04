//! Words about hosts that several formats share.

use sayso_audit::hosts::{
    Cell, Column, Confidence, HostKind, Mode, Outcome, Parser, ParserEvidence, Seen, SeenTool,
    TitleSource,
};
use sayso_core::hint::Hint;
use sayso_core::reveal::reveal_line;

use super::super::wording::{client_behaviour, means_something, origin, plural};
use super::outline::{Group, GroupKind, Outline, Pair};
use super::sections::Titles;
use crate::hosts_report::HostsReport;

/// A host and mode as it is named on the command line, and whether what is known is old.
pub(super) fn label(report: &HostsReport<'_>, column: &Column<'_>) -> String {
    let stale = if report.is_stale(column.behaviour) {
        " (old)"
    } else {
        ""
    };
    format!("{}{stale}", column.label())
}

/// Columns by name, the first `limit` of them.
pub(super) fn names(report: &HostsReport<'_>, columns: &[usize], limit: usize) -> String {
    let columns: Vec<String> = columns
        .iter()
        .filter_map(|column| Some(label(report, report.columns.get(*column)?)))
        .collect();
    some_of(&columns, limit)
}

/// The first `limit` of a list, and how many there are besides. One more is never left out alone.
pub(super) fn some_of(all: &[String], limit: usize) -> String {
    let shown = if all.len() <= limit.saturating_add(1) {
        all.len()
    } else {
        limit
    };
    let mut text = all
        .iter()
        .take(shown)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if all.len() > shown {
        text.push_str(&format!(" and {} more", all.len() - shown));
    }
    text
}

/// `44 hosts`, or with several modes of a host `127 hosts and modes`.
pub(super) fn how_many(report: &HostsReport<'_>, columns: usize) -> String {
    let has_modes = report.columns.iter().any(|column| !column.mode.default);
    match (has_modes, columns) {
        (false, _) => plural(columns, "host"),
        (true, 1) => "1 host and mode".to_owned(),
        (true, many) => format!("{many} hosts and modes"),
    }
}

/// What the columns of a group are.
pub(super) fn who(report: &HostsReport<'_>, group: &Group) -> String {
    match group.kind {
        GroupKind::Model => {
            "no real host: the documented defaults, acted on to the letter".to_owned()
        }
        GroupKind::Hosts => how_many(report, group.columns.len()),
        GroupKind::Directory => "a check before publication, no host that calls".to_owned(),
    }
}

/// What a word in a cell means, in words that follow "the host".
pub(super) fn meaning(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or(
        "cannot read the listing: no tool of it is there",
        Outcome::meaning,
    )
}

/// The rule that decides, in words; `None` where no rule does.
pub(super) fn rule(column: &Column<'_>, cell: Cell<'_>) -> Option<String> {
    let decision = cell.decision()?;
    let Some((number, rule)) = decision.rule else {
        return Some(
            "a hint its rules look at was sent in a way nobody knows the reading of".to_owned(),
        );
    };
    let rules = column.mode.rules.len();
    let what = match (rules, rule.when.is_empty()) {
        (1, true) => "its one rule, whatever the hints are".to_owned(),
        (_, true) => format!("rule {number} of {rules}, for anything else"),
        (_, false) => format!("rule {number} of {rules}: {}", rule.when),
    };
    Some(what)
}

/// What the host sees of a tool's hints behind its parser, or why it loses the listing.
pub(super) fn reading(column: &Column<'_>, tool: sayso_core::tool::Tool<'_>) -> String {
    let Some(parser) = column.behaviour.parser.as_deref().and_then(Parser::find) else {
        return "how it reads a listing is not known".to_owned();
    };
    let known = match column.behaviour.parser_evidence {
        ParserEvidence::Seen => "",
        ParserEvidence::Inferred => " (as far as is known)",
    };
    let with = format!("parser {}{known}", parser.name);
    match parser.read(tool) {
        Ok(seen) => format!("{with}: sees {}", seen_words(&seen)),
        Err(rejection) => format!(
            "{with}: refuses the listing, for {}",
            reveal_line(&rejection.reason)
        ),
    }
}

fn seen_words(seen: &SeenTool) -> String {
    let said: Vec<String> = Hint::ALL
        .into_iter()
        .filter_map(|hint| {
            if *seen.unclear.get(hint) {
                return Some(format!("{hint} unclear"));
            }
            match seen.hints.get(hint) {
                Seen::Absent => None,
                value => Some(format!("{hint} {}", value.as_str())),
            }
        })
        .collect();
    if said.is_empty() {
        "no hint".to_owned()
    } else {
        said.join(", ")
    }
}

/// How sure it is what is known of a host.
pub(super) const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Source => "from its source",
        Confidence::Secondary => "from what others write of it",
        Confidence::Docs => "from its documentation",
        Confidence::Hearsay => "from threads and forum posts",
    }
}

/// What kind of thing a host is.
pub(super) const fn kind(kind: HostKind) -> &'static str {
    match kind {
        HostKind::Application => "application",
        HostKind::Library => "library or service",
        HostKind::Directory => "directory",
        HostKind::Former => "former build",
        HostKind::Model => "no real host",
    }
}

/// Where a title stands.
pub(super) const fn title_source(source: TitleSource) -> &'static str {
    match source {
        TitleSource::Title => "`title`",
        TitleSource::AnnotationTitle => "`annotations.title`",
        TitleSource::Name => "the name",
    }
}

/// The hosts shown of which only old facts are known, with their days.
pub(super) fn stale(report: &HostsReport<'_>) -> Vec<String> {
    report
        .host_columns()
        .into_iter()
        .filter(|column| report.is_stale(column.behaviour))
        .map(|column| format!("{} ({})", column.host.id, column.behaviour.date_read))
        .collect()
}

/// A title people see, and where it stands.
pub(super) fn title_shown(group: &Titles) -> String {
    let sources = group.sources.iter().map(|source| title_source(*source));
    let sources: Vec<&str> = sources.collect();
    let shown = match group.example.as_str() {
        "" => "nothing".to_owned(),
        title => format!("`{title}`"),
    };
    match sources.as_slice() {
        [] => shown,
        sources => format!("{shown} (from {})", sources.join(" or ")),
    }
}

/// What a client has to assume of a tool, a line each.
pub(super) fn assumed(outline: &Outline<'_, '_>, position: usize) -> Vec<String> {
    let (Some(tool), Some(effective)) = (outline.last_tool(position), outline.effective(position))
    else {
        return Vec::new();
    };
    let claims = tool.claims().states();
    let values: Vec<String> = effective
        .hints
        .iter()
        .filter(|(hint, _)| means_something(*hint, effective))
        .map(|(hint, value)| format!("{hint} {} ({})", value.value, origin(*claims.get(hint))))
        .collect();
    vec![
        values.join(", "),
        format!("by the documented defaults {}", client_behaviour(effective)),
    ]
}

/// The rules that decide, before and after where that differs, each with its note.
pub(super) fn because(column: &Column<'_>, pair: Pair<'_>) -> Vec<String> {
    let cells = [Some(pair.before), pair.after.filter(|_| pair.changes())];
    let because = |cell: Cell<'_>| {
        let rule = rule(column, cell)?;
        let note = cell
            .decision()
            .and_then(|decision| decision.rule?.1.note.as_deref());
        let note = note.map_or_else(String::new, |note| format!(". {note}"));
        Some(format!("{} by {rule}{note}", cell.as_str()))
    };
    cells.into_iter().flatten().filter_map(because).collect()
}

/// How sure it is what a host does, since when and of which version.
pub(super) fn known(column: &Column<'_>) -> String {
    let behaviour = column.behaviour;
    format!(
        "known {}, read {}, version {}",
        confidence(column.mode.confidence.unwrap_or(behaviour.confidence)),
        behaviour.date_read,
        behaviour.version
    )
}

/// A mode's id, and whether it is the one a new user has.
pub(super) fn mode_id(mode: &Mode) -> String {
    match mode.default {
        true => format!("{} (default)", mode.id),
        false => mode.id.clone(),
    }
}

/// The text as a sentence begins.
pub(super) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
