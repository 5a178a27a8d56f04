//! The counts a person asks for first, and what they mean.

use super::super::outline::{AssumedCount, Outline};
use super::super::screen::{Screen, Style};
use super::super::wording::{percent, plural};

/// Writes the counts; up to the count of annotations objects in the exact shape of the
/// probe that everybody begins with, so that the two can be laid side by side.
pub(super) fn write(screen: &mut Screen, outline: &Outline<'_>) {
    let summary = &outline.audited.summary;
    let tools = summary.tools;
    screen.line(&format!("tools returned: {tools}"));
    screen.blank();
    for (hint, count) in summary.with_hint.iter() {
        screen.line(&format!("  with annotations.{hint:<15} {count} / {tools}"));
    }
    screen.blank();
    screen.line(&format!(
        "tools with any annotations object at all: {} / {tools}",
        summary.with_annotations
    ));
    screen.line(&format!(
        "tools with a title: {} / {tools} (in annotations: {} / {tools})",
        summary.with_title, summary.with_annotation_title
    ));
    screen.blank();
    if tools > 0 {
        assumed(screen, outline);
        gate(screen, outline);
    }
}

fn assumed(screen: &mut Screen, outline: &Outline<'_>) {
    let tools = outline.audited.summary.tools;
    screen.sentence(
        Style::Strong,
        "what a client has to assume, with the specification's defaults filled in",
    );
    screen.blank();
    let width = tools.to_string().len();
    for (what, assumed) in outline.assumed.rows() {
        let AssumedCount {
            tools: count,
            by_default,
        } = assumed;
        let because = match by_default {
            0 => String::new(),
            all if all == count && count > 1 => "all of them only by default".to_owned(),
            some => format!("{some} only by default"),
        };
        let because = screen.faintly(&because);
        screen.line(&format!(
            "  {what:<15} {count:>width$} / {tools}  {because}"
        ));
    }
    screen.blank();
}

fn gate(screen: &mut Screen, outline: &Outline<'_>) {
    let summary = &outline.audited.summary;
    let (tools, now, fixed) = (summary.tools, summary.gate.now, summary.gate.if_fixed);
    let share = |part: usize| format!("{part} / {tools} ({} %)", percent(part, tools));
    let style = if now == 0 { Style::Good } else { Style::Strong };
    let rates = format!(
        "{} now, {} if every finding were fixed as suggested",
        share(now),
        share(fixed)
    );
    screen.labelled(style, "gate rate", &rates);
    let meaning = match now {
        0 => "  no tool has to be confirmed by a client that follows the documented defaults"
            .to_owned(),
        _ => format!(
            "  a client that follows the documented defaults has to ask a person before each call to {}",
            if now == tools && tools > 1 {
                format!("all {}", plural(tools, "tool"))
            } else {
                plural(now, "tool")
            }
        ),
    };
    screen.faint(&meaning);
    if let Some(hosts) = outline.hosts_of_all() {
        screen.faint(&format!("  {hosts}"));
    }
    screen.blank();
}
