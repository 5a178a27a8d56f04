//! Words that several formats share.

use std::fmt::Write as _;

use sayso_core::effective::Effective;
use sayso_core::hint::{Claim, Hint};
use sayso_core::listing::{Completeness, Era, Listing, ObservationKind};

use crate::audit_report::{AuditReport, ConfiguredIn, FailOn, TargetDescription};
use crate::hosts::HostCounts;

use super::tally::Tally;

/// What a client that acts on the effective values will do with a call.
pub(super) fn client_behaviour(effective: &Effective) -> &'static str {
    match (
        effective.read_only(),
        effective.must_confirm(),
        effective.repeatable(),
    ) {
        (true, ..) => "clients may run it without asking, and may repeat it after a time-out",
        (_, true, false) => "clients will ask before every call, and not retry after a time-out",
        (_, true, true) => "clients will ask before every call, and may retry after a time-out",
        (_, false, false) => "clients may run it without asking, but not retry after a time-out",
        (_, false, true) => "clients may run it without asking, and may retry after a time-out",
    }
}

/// What real hosts do with a tool, or with each of several: `it` says which. `None` without hosts.
pub(super) fn hosts_do(counts: &HostCounts, it: &str) -> Option<String> {
    let HostCounts {
        hosts,
        silent,
        asks,
        refuses,
        lost,
        other,
    } = *counts;
    let verb = |count: usize, one: &str, many: &str| {
        let verb = if count == 1 { one } else { many };
        (count > 0).then(|| format!("{count} {verb}"))
    };
    let parts = [
        verb(
            silent,
            &format!("calls {it} silently"),
            &format!("call {it} silently"),
        ),
        verb(asks, "asks", "ask"),
        verb(refuses, "refuses", "refuse"),
        verb(lost, "loses the whole listing", "lose the whole listing"),
        (other > 0).then(|| format!("with {other} it is open")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (hosts > 0).then(|| {
        format!(
            "of {} as they come, {}",
            plural(hosts, "host"),
            parts.join(", ")
        )
    })
}

/// Where an effective value comes from, in a word or a few.
pub(super) fn origin(claim: Claim) -> String {
    match claim {
        Claim::True | Claim::False => "claimed".to_owned(),
        Claim::Absent => "default".to_owned(),
        Claim::Null | Claim::Malformed | Claim::Duplicated => format!("default, {}", sent(claim)),
    }
}

/// What was sent for a hint.
pub(super) fn sent(claim: Claim) -> &'static str {
    match claim {
        Claim::True => "true was sent",
        Claim::False => "false was sent",
        Claim::Absent => "nothing was sent",
        Claim::Null => "null was sent",
        Claim::Malformed => "no boolean was sent",
        Claim::Duplicated => "it was sent more than once",
    }
}

/// Whether a hint's value means something beside the others: two of them do only for a
/// tool that is not read-only (MCP schema, `ToolAnnotations`).
pub(super) fn means_something(hint: Hint, effective: &Effective) -> bool {
    !effective.read_only() || matches!(hint, Hint::ReadOnly | Hint::OpenWorld)
}

/// `1 tool`, `2 tools`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A share as a whole percentage; 0 of 0 is 0.
pub(super) fn percent(part: usize, whole: usize) -> usize {
    (part * 100 + whole / 2).checked_div(whole).unwrap_or(0)
}

/// `3 errors, 40 warnings, 1 info`.
pub(super) fn tally(tally: &Tally) -> String {
    format!(
        "{}, {}, {}",
        plural(tally.errors, "error"),
        plural(tally.warnings, "warning"),
        plural(tally.infos, "info"),
    )
}

/// `; 2 hidden by suppressions, 1 by rules switched off`, or nothing.
pub(super) fn hidden(tally: &Tally) -> String {
    let mut parts = Vec::new();
    if tally.suppressed > 0 {
        parts.push(format!("{} hidden by suppressions", tally.suppressed));
    }
    if tally.off > 0 {
        parts.push(format!("{} by rules switched off", tally.off));
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!("; {}", parts.join(", "))
    }
}

/// Who answered, in its own words, if it said anything.
pub(super) fn identity(listing: &Listing) -> Option<String> {
    let server = &listing.server;
    let name = server.name.as_deref()?;
    Some(
        server
            .version
            .as_deref()
            .map_or_else(|| name.to_owned(), |version| format!("{name} {version}")),
    )
}

/// The protocol a listing was taken with, if it is known.
pub(super) fn protocol(listing: &Listing) -> Option<String> {
    let server = &listing.server;
    let era = server.era.map(|era| match era {
        Era::Legacy => "legacy era",
        Era::Modern => "modern era",
    });
    match (server.protocol_version.as_deref(), era) {
        (Some(version), Some(era)) => Some(format!("MCP {version}, {era}")),
        (Some(version), None) => Some(format!("MCP {version}")),
        (None, Some(era)) => Some(format!("MCP, {era}")),
        (None, None) => None,
    }
}

/// How a target was read.
pub(super) fn source(target: &TargetDescription, configured_in: Option<&ConfiguredIn>) -> String {
    let mut text = match target {
        TargetDescription::Command(command) => format!("command: {command}"),
        TargetDescription::Url(url) => format!("address: {url}"),
        TargetDescription::File(path) => format!("saved listing: {path}"),
        TargetDescription::StandardInput => "saved listing on standard input".to_owned(),
        TargetDescription::Example { annotated: false } => "embedded example server".to_owned(),
        TargetDescription::Example { annotated: true } => {
            "embedded example server, annotated".to_owned()
        }
    };
    if let Some(place) = configured_in {
        let _ = write!(
            text,
            ", configured for {} in {}:{}",
            place.host, place.file, place.line
        );
    }
    text
}

/// Who answered, with which protocol, and how it was reached: a line's parts.
pub(super) fn about(
    listing: Option<&Listing>,
    target: &TargetDescription,
    configured_in: Option<&ConfiguredIn>,
) -> Vec<String> {
    let server = listing
        .and_then(identity)
        .map(|identity| format!("server: {identity}"));
    let parts = server.into_iter().chain(listing.and_then(protocol));
    parts.chain([source(target, configured_in)]).collect()
}

/// Why a listing is not whole, if it is not.
pub(super) fn incomplete(listing: &Listing) -> Option<&str> {
    match &listing.completeness {
        Completeness::Complete => None,
        Completeness::Incomplete(why) => Some(why),
    }
}

/// A part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    /// What stood between two backticks.
    Code(&'a str),
    /// Everything else.
    Plain(&'a str),
}

/// A sentence in parts, for the formats that set code apart. A backtick without its like is text.
pub(super) fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('`') {
        let Some((code, after)) = behind.split_once('`') else {
            break;
        };
        segments.push(Segment::Plain(before));
        segments.push(Segment::Code(code));
        rest = after;
    }
    segments.push(Segment::Plain(rest));
    segments.retain(|segment| *segment != Segment::Plain(""));
    segments
}

/// Something odd on the way, for people.
pub(super) fn observation(kind: ObservationKind) -> &'static str {
    match kind {
        ObservationKind::NotJson => "lines on standard output that are not JSON",
        ObservationKind::NotJsonRpc => "lines on standard output that are JSON but no message",
        ObservationKind::GluedMessage => "messages glued behind other text",
        ObservationKind::ByteOrderMark => "a byte order mark before the first message",
        ObservationKind::UnknownId => "answers with an id nobody asked with",
        ObservationKind::DuplicateKey => "keys repeated in a message outside its tools",
        ObservationKind::CursorRepeated => "a cursor that came a second time",
        ObservationKind::ListingDiffers => "a second reading gave other tools than the first",
        ObservationKind::ErasDiffer => "the two protocol eras list different tools",
        ObservationKind::ListChanged => {
            "list_changed notifications while nothing was asked to change"
        }
        ObservationKind::VersionNegotiated => {
            "answered with another protocol version than it was asked with"
        }
        ObservationKind::LeftoverProcess => "processes left behind, which were ended",
        ObservationKind::SignalledToStop => {
            "did not end when its input closed and had to be signalled"
        }
    }
}

/// Something odd on the way, as one word for programs.
pub(super) fn observation_id(kind: ObservationKind) -> String {
    // A unit variant's name is all there is to write.
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(id)) => id,
        _ => format!("{kind:?}"),
    }
}

/// The verdict on a run in a word, and why.
pub(super) fn verdict(report: &AuditReport) -> (&'static str, String) {
    let option = format!("`--fail-on {}`", fail_on(report.settings.fail_on));
    let failing = |severity| report.settings.fail_on.fails(severity);
    if report.fails() {
        let in_targets = report
            .targets
            .iter()
            .filter_map(|target| target.outcome.as_ref().ok());
        let severities = in_targets
            .flat_map(|audited| {
                audited
                    .admitted
                    .findings
                    .iter()
                    .map(|finding| finding.severity)
            })
            .chain(
                report
                    .settings_findings
                    .iter()
                    .map(|finding| finding.severity),
            );
        let count = severities.filter(|severity| failing(*severity)).count();
        let reach = if count == 1 { "reaches" } else { "reach" };
        (
            "failed",
            format!("{} {reach} {option}", plural(count, "finding")),
        )
    } else if !report.whole() {
        ("incomplete", not_read(report))
    } else {
        ("passed", format!("no finding reaches {option}"))
    }
}

/// How many targets could not be read, or not to the end.
pub(super) fn not_read(report: &AuditReport) -> String {
    let all = report.targets.len();
    match (report.unreadable(), report.incomplete()) {
        (0, _) if all == 1 => "the listing could not be read to its end".to_owned(),
        (0, cut) => format!("{cut} of {all} listings could not be read to the end"),
        _ if all == 1 => "the target could not be read".to_owned(),
        (none, 0) => format!("{none} of {all} targets could not be read"),
        (none, cut) => {
            format!("{none} of {all} targets could not be read, and {cut} not to the end")
        }
    }
}

/// The severity that makes the run fail, as the option spells it.
pub(super) fn fail_on(fail_on: FailOn) -> &'static str {
    match fail_on {
        FailOn::Info => "info",
        FailOn::Warning => "warning",
        FailOn::Error => "error",
        FailOn::Never => "never",
    }
}
