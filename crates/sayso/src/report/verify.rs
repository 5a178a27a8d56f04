//! What `sayso verify` tells people: each tool's claims beside what was made of them.

use std::io;

use sayso_core::hint::{Claim, Hint};
use sayso_core::reveal::reveal_line;
use sayso_verify::judge::{ToolVerdict, Verdict, Witness};

use super::screen::{Screen, Style};
use super::wording;
use crate::audit_report::{Detail, Presentation, TargetReport, Unreadable};
use crate::verify::{Verified, VerifiedServer};

/// How many lines of a witness are shown.
const LINES: usize = 6;

/// Writes the report.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write(
    report: &Verified,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut screen = Screen::new(presentation);
    for (target, server) in report.audit.targets.iter().zip(&report.servers) {
        heading(&mut screen, report, target, server.as_ref());
        match (server, &target.outcome) {
            (Some(server), _) => tools(&mut screen, server, presentation.detail),
            (None, Err(unreadable)) => failure(&mut screen, unreadable),
            (None, Ok(_)) => {}
        }
    }
    super::human::settings(&mut screen, &report.audit);
    for note in &report.audit.notes {
        screen.wrapped("note: ", "      ", note);
    }
    end(&mut screen, report);
    out.write_all(screen.into_text().as_bytes())
}

fn heading(
    screen: &mut Screen,
    report: &Verified,
    target: &TargetReport,
    server: Option<&VerifiedServer>,
) {
    screen.styled(Style::Heading, &target.name);
    let audited = target.outcome.as_ref().ok();
    let listing = audited.map(|audited| &audited.listing);
    let about = wording::about(listing, &target.target, target.configured_in.as_ref());
    screen.faint(&about.join(" · "));
    let took = server.map(|server| format!("{:.0} s", server.duration.as_secs_f64()));
    let how = [
        format!("jail: {}", report.mode),
        format!("fixture: {}", report.fixture),
    ];
    let how: Vec<String> = how.into_iter().chain(took).collect();
    screen.faint(&how.join(" · "));
    if let Some(refused) = &report.why_not_better {
        screen.wrapped(
            "note: ",
            "      ",
            &format!("not in namespaces: {}", refused.reason),
        );
        screen.labelled(Style::Help, "hint", &refused.hint);
    }
    screen.blank();
}

fn failure(screen: &mut Screen, unreadable: &Unreadable) {
    screen.labelled(Style::Error, "could not be verified", &unreadable.message);
    if let Some(hint) = &unreadable.hint {
        screen.labelled(Style::Help, "hint", hint);
    }
    for line in &unreadable.details {
        let line = reveal_line(line);
        screen.line(&format!("  {}", screen.faintly(&line)));
    }
    screen.blank();
}

fn tools(screen: &mut Screen, server: &VerifiedServer, detail: Detail) {
    for verdict in &server.verdicts {
        if detail > Detail::Quiet || verdict.is_contradicted() {
            tool(screen, server, verdict, detail);
        }
    }
    for note in &server.notes {
        screen.wrapped("note: ", "      ", note);
    }
    if !server.notes.is_empty() {
        screen.blank();
    }
}

fn tool(screen: &mut Screen, server: &VerifiedServer, verdict: &ToolVerdict, detail: Detail) {
    let calls = match verdict.counts.calls {
        0 => "not called".to_owned(),
        calls => wording::plural(calls as usize, "call"),
    };
    let name = screen.paint(Style::Strong, &verdict.tool);
    let calls = screen.faintly(&calls);
    screen.line(&format!("{name}  {calls}"));
    let mut shown: Vec<&Witness> = Vec::new();
    for (hint, made) in verdict.verdicts.iter() {
        let claim = *verdict.claims.get(hint);
        let is_accepted = server
            .accepted
            .iter()
            .any(|(tool, of)| *tool == verdict.tool && *of == hint);
        line(screen, verdict, hint, claim, made, is_accepted);
        let risk = verdict.risks.get(hint).as_ref();
        if let Some(seen) = made.witness().or(risk) {
            if shown.contains(&seen) {
                screen.faint("      as above");
            } else {
                witness(screen, seen, detail);
                shown.push(seen);
            }
        }
    }
    for note in &verdict.notes {
        screen.wrapped("  note: ", "        ", note);
    }
    screen.blank();
}

fn line(
    screen: &mut Screen,
    verdict: &ToolVerdict,
    hint: Hint,
    claim: Claim,
    made: &Verdict,
    is_accepted: bool,
) {
    let observed = verdict.observed_in_words(hint);
    let (style, words) = match made {
        Verdict::Contradicted(_) if is_accepted => (
            Style::Warning,
            "contradicted, as the baseline says".to_owned(),
        ),
        Verdict::Contradicted(_) => (Style::Error, "contradicted".to_owned()),
        Verdict::OwnStateOnly(_) => (
            Style::Warning,
            "contradicted in the server's own state only".to_owned(),
        ),
        Verdict::CacheOnly(_) => (Style::Info, "contradicted in caches only".to_owned()),
        Verdict::Consistent { observations } => (
            Style::Good,
            format!(
                "consistent ({})",
                wording::plural(*observations as usize, "observation")
            ),
        ),
        Verdict::NotExercised { why } => (Style::Faint, format!("not exercised: {why}")),
        Verdict::CannotTell { why } => (Style::Warning, format!("can't tell: {why}")),
        Verdict::NothingPromised => (Style::Faint, nothing_promised(hint, claim, observed)),
    };
    let label = format!("{:<16} {:<8}", hint.to_string(), stated(claim));
    for (index, part) in textwrap::wrap(&reveal_line(&words), screen.width().saturating_sub(30))
        .iter()
        .enumerate()
    {
        let label = if index == 0 { label.as_str() } else { "" };
        let part = screen.paint(style, part);
        screen.line(&format!("  {label:<25} {part}"));
    }
}

/// A claim in a word.
fn stated(claim: Claim) -> &'static str {
    match claim.boolean() {
        Some(true) => "true",
        Some(false) => "false",
        None => "-",
    }
}

fn nothing_promised(hint: Hint, claim: Claim, observed: Option<String>) -> String {
    let promised = match claim.boolean() {
        Some(_) => "nothing promised".to_owned(),
        None => format!("not claimed, clients assume {}", hint.default_value()),
    };
    match observed {
        Some(observed) => format!("{promised}; {observed}"),
        None => promised,
    }
}

fn witness(screen: &mut Screen, witness: &Witness, detail: Detail) {
    let step = match witness.step.as_str() {
        "" => String::new(),
        step => format!(" ({step})"),
    };
    let call = format!("called with {}{step}", witness.arguments);
    screen.wrapped("      ", "        ", &reveal_line(&call));
    let most = match detail {
        Detail::Verbose => usize::MAX,
        _ => LINES,
    };
    for line in witness.what.iter().take(most) {
        screen.wrapped("      - ", "        ", &reveal_line(line));
    }
    if witness.what.len() > most {
        let more = witness.what.len() - most;
        screen.faint(&format!("      and {more} more; `--verbose` shows them"));
    }
    if !witness.reply.is_empty() {
        let reply = format!("it replied: {}", witness.reply);
        screen.wrapped("      ", "        ", &reveal_line(&reply));
    }
    if witness.others > 0 {
        let others = wording::plural(witness.others as usize, "other call");
        screen.faint(&format!("      {others} did as much"));
    }
}

fn end(screen: &mut Screen, report: &Verified) {
    if report.servers.iter().all(Option::is_none) {
        return;
    }
    let verdicts: Vec<&ToolVerdict> = report
        .servers
        .iter()
        .flatten()
        .flat_map(|server| &server.verdicts)
        .collect();
    let count = |keep: fn(&ToolVerdict) -> bool| verdicts.iter().filter(|one| keep(one)).count();
    let contradicted = count(ToolVerdict::is_contradicted);
    let not_called = count(|verdict| verdict.counts.calls == 0);
    let sum = |count: fn(&ToolVerdict) -> u32| -> usize {
        verdicts.iter().map(|one| count(one) as usize).sum()
    };
    let calls = sum(|verdict| verdict.counts.calls);
    let twice = match sum(|verdict| verdict.counts.repeated) {
        _ if calls == 0 => "",
        repeated if repeated == calls => ", each made twice",
        repeated => &format!(", {repeated} of them made twice"),
    };
    let style = if contradicted > 0 {
        Style::Error
    } else {
        Style::Good
    };
    let counted = screen.paint(
        style,
        &format!(
            "{contradicted} of {} contradicted",
            wording::plural(verdicts.len(), "tool")
        ),
    );
    let calls = wording::plural(calls, "call");
    screen.line(&format!(
        "{counted} in {calls}{twice}; {not_called} not called"
    ));
    screen.faint("Consistent means that nothing was seen against a claim, and proves nothing.");
    if let Some(file) = &report.evidence {
        screen.faint(&format!("What was seen is in {file}."));
    }
}
