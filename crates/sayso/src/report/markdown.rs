//! Markdown for a comment on a pull request: the counts, the gate rate, the findings folded
//! away by tool, and never longer than GitHub takes.
//!
//! Server text must not do anything there: it stands in code spans and blocks, or with its
//! punctuation escaped and its mentions, references and links broken.

use std::fmt::Write as _;

use sayso_core::finding::{Finding, Severity};

use crate::audit_report::{AuditReport, Audited, TargetReport, Unreadable};

use super::comment::Comment;
use super::escape::{self, code, fenced, text};
use super::excerpt::{Picture, pictures};
use super::outline::{
    Outline, Shared, ToolOutline, by_sentence, help_beyond_suggestion, paste, path_below,
};
use super::tally::Tally;
use super::wording::{self, client_behaviour, means_something, origin, percent, plural};

/// How many tools a shared finding names.
const NAMES: usize = 60;

/// The comment, cut to what GitHub takes behind a whole block, with a line that says what was left out.
pub(super) fn render(report: &AuditReport) -> String {
    let mut comment = begin(report);
    for target in &report.targets {
        match &target.outcome {
            Ok(audited) => listing(&mut comment, target, audited),
            Err(error) => comment.push(unreadable(target, error)),
        }
    }
    for finding in &report.settings_findings {
        comment.push(format!(
            "{} **{}** {} in {}: {}. {}.\n\n",
            mark(finding.severity),
            finding.severity,
            code(finding.rule),
            code(&format!("{}:{}", finding.file, finding.line)),
            text(&finding.message),
            text(&finding.help),
        ));
    }
    for note in &report.notes {
        comment.push(format!("> {}\n\n", text(note)));
    }
    comment.finish()
}

/// The comment with its head and foot.
fn begin(report: &AuditReport) -> Comment {
    let tally = Tally::of_run(report);
    let (verdict, why) = wording::verdict(report);
    let mut text = format!(
        "## sayso audit: {verdict}\n\n{}{}. {}.\n\n",
        wording::tally(&tally),
        wording::hidden(&tally),
        escape::text(&why)
    );
    if !report.whole() && verdict == "failed" {
        let _ = writeln!(
            text,
            "{}.
",
            wording::not_read(report)
        );
    }
    let footer = format!(
        "<sub>sayso {}, `--fail-on {}`. `sayso explain RULE` says what a rule checks and why.</sub>\n",
        report.version,
        wording::fail_on(report.settings.fail_on)
    );
    Comment::new(text, "sayso audit", footer)
}

fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "🔴",
        Severity::Warning => "🟡",
        Severity::Info => "🔵",
    }
}

fn unreadable(target: &TargetReport, error: &Unreadable) -> String {
    let mut block = format!(
        "### {}\n\n{} **could not be read:** {}\n\n",
        text(&target.name),
        mark(Severity::Error),
        text(&error.message)
    );
    if let Some(hint) = &error.hint {
        let _ = writeln!(block, "hint: {}\n", text(hint));
    }
    if !error.details.is_empty() {
        let _ = writeln!(block, "{}", fenced("text", &error.details.join("\n")));
    }
    block
}

fn listing(comment: &mut Comment, target: &TargetReport, audited: &Audited) {
    let outline = Outline::new(audited, |_| true);
    comment.push(head(target, &outline));
    for finding in &outline.whole {
        comment.push(finding_blocks(&[finding], ""));
    }
    for shared in &outline.shared {
        comment.push(shared_block(&outline, shared));
    }
    for tool in outline.with_own() {
        comment.push(tool_block(&outline, tool));
    }
    let observations = &audited.listing.observations;
    if !observations.is_empty() {
        let lines: String = observations
            .iter()
            .map(|observation| {
                let detail = match observation.detail.as_str() {
                    "" => String::new(),
                    detail => format!(": {}", code(detail)),
                };
                format!("- {}{detail}\n", wording::observation(observation.kind))
            })
            .collect();
        comment.push(format!("Seen while reading:\n\n{lines}\n"));
    }
}

fn head(target: &TargetReport, outline: &Outline<'_>) -> String {
    let audited = outline.audited;
    let summary = &audited.summary;
    let tools = summary.tools;
    let mut block = format!("### {}\n\n", text(&target.name));
    let about: Vec<String> = wording::identity(&audited.listing)
        .into_iter()
        .chain(wording::protocol(&audited.listing))
        .chain([wording::source(
            &target.target,
            target.configured_in.as_ref(),
        )])
        .map(|part| text(&part))
        .collect();
    let _ = writeln!(block, "{}\n", about.join(" · "));
    if let Some(why) = wording::incomplete(&audited.listing) {
        let _ = writeln!(
            block,
            "{} **incomplete listing:** {}\n",
            mark(Severity::Error),
            text(why)
        );
    }
    let _ = writeln!(
        block,
        "| | tools | only by default |\n|---|--:|--:|\n| returned | {tools} | |"
    );
    for (hint, count) in summary.with_hint.iter() {
        let _ = writeln!(block, "| with `{hint}` | {count} / {tools} | |");
    }
    let _ = writeln!(
        block,
        "| with any annotations object | {} / {tools} | |",
        summary.with_annotations
    );
    let _ = writeln!(
        block,
        "| with a title | {} / {tools} | |",
        summary.with_title
    );
    for (what, assumed) in outline.assumed.rows() {
        let _ = writeln!(
            block,
            "| assumed: {what} | {} / {tools} | {} |",
            assumed.tools, assumed.by_default
        );
    }
    let (now, fixed) = (summary.gate.now, summary.gate.if_fixed);
    let _ = writeln!(
        block,
        "\n**Gate rate:** {now} / {tools} ({} %) now, {fixed} / {tools} ({} %) if every finding were fixed. \
         It is the share of tools a client that follows the documented defaults has to confirm.\n",
        percent(now, tools),
        percent(fixed, tools),
    );
    if let Some(hosts) = outline.hosts_of_all() {
        let _ = writeln!(block, "Really, {}.\n", text(&hosts));
    }
    block
}

fn shared_block(outline: &Outline<'_>, shared: &Shared<'_>) -> String {
    let all = outline.tools.len();
    let count = shared.tools.len();
    let mut names: Vec<String> = outline
        .tools_of(shared)
        .take(NAMES)
        .map(|tool| code(&tool.label))
        .collect();
    if count > NAMES {
        names.push(format!("and {} more", count - NAMES));
    }
    let base = outline
        .tools_of(shared)
        .next()
        .map(|tool| tool.tool.value().pointer().to_string())
        .unwrap_or_default();
    let who = if count == all {
        format!("all {}", plural(all, "tool"))
    } else {
        format!("{count} of {}", plural(all, "tool"))
    };
    format!(
        "<details><summary>{} {who}: {}</summary>\n\n{}{}\n\n</details>\n\n",
        mark(shared.finding.severity),
        escape::html(&shared.finding.message),
        finding_blocks(&[shared.finding], &base),
        names.join(", "),
    )
}

fn tool_block(outline: &Outline<'_>, tool: &ToolOutline<'_>) -> String {
    let gravest = tool
        .own
        .first()
        .map_or(Severity::Info, |finding| finding.severity);
    let mut block = format!(
        "<details><summary>{} <code>{}</code>: {}</summary>\n\n",
        mark(gravest),
        escape::html(&tool.label),
        plural(tool.own.len(), "finding"),
    );
    let values: Vec<String> = tool
        .effective
        .hints
        .iter()
        .filter(|(hint, _)| means_something(*hint, &tool.effective))
        .map(|(hint, effective)| {
            format!(
                "`{hint}` {} ({})",
                effective.value,
                origin(*tool.claims.get(hint))
            )
        })
        .collect();
    let _ = writeln!(
        block,
        "{}  \n{}",
        values.join(" · "),
        client_behaviour(&tool.effective)
    );
    match outline.hosts_of(tool) {
        Some(hosts) => {
            // The line before it ends here (`CommonMark` §6.7).
            block.truncate(block.trim_end().len());
            let _ = writeln!(block, "  \n{}\n", text(&hosts));
        }
        None => block.push('\n'),
    }
    let base = tool.tool.value().pointer().to_string();
    block.push_str(&finding_blocks(&tool.own, &base));
    if let Some(object) = tool.suggested() {
        let _ = writeln!(
            block,
            "To paste into the tool:\n\n{}",
            fenced("json", &paste(&object))
        );
    }
    block.push_str("</details>\n\n");
    block
}

/// Findings, those that rest on one sentence together.
fn finding_blocks(findings: &[&Finding], base: &str) -> String {
    let mut block = String::new();
    for group in by_sentence(findings) {
        for finding in &group {
            let _ = writeln!(
                block,
                "{} **{}** {}: {}\n",
                mark(finding.severity),
                finding.severity,
                code(finding.rule),
                text(&finding.message)
            );
        }
        for picture in pictures(&group, 100) {
            let path = path_below(base, &picture.evidence.location);
            if !path.is_empty() {
                let _ = writeln!(block, "in {}\n", code(&path));
            }
            let _ = writeln!(block, "{}", fenced("text", &drawn(&picture)));
        }
        for help in group
            .iter()
            .filter_map(|finding| help_beyond_suggestion(finding))
        {
            let _ = writeln!(block, "help: {}\n", text(help));
        }
    }
    block
}

fn drawn(picture: &Picture<'_>) -> String {
    let mut drawn = picture.line.clone();
    for sight in &picture.sights {
        let (indent, carets) = (
            " ".repeat(sight.under.indent),
            "^".repeat(sight.under.width),
        );
        let _ = write!(drawn, "\n{indent}{carets} {}", sight.labels.join("; "));
    }
    drawn
}
