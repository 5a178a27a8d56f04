//! From a report to what the page shows.

use sayso_core::finding::{Evidence, Severity};
use sayso_core::hint::Claim;
use sayso_core::reveal::{reveal, reveal_line};

use crate::audit_report::{AuditReport, Audited, SettingsFinding, TargetReport, Unreadable};

use super::super::excerpt::Excerpt;
use super::super::outline::{AssumedCount, Outline, Shared, ToolOutline, paste, path_below};
use super::super::positions::Positions;
use super::super::tally::Tally;
use super::super::wording::{
    self, Segment, client_behaviour, means_something, origin, percent, plural, segments,
};

use super::page::{
    AssumedRow, Bar, Block, Effect, EvidenceView, Failure, Finding, Gate, HintValue, Listing,
    Piece, Report, Target, ToolRow,
};

/// How much of a sentence is shown around what matters, in columns.
const EXCERPT: usize = 600;

impl Report {
    pub(super) fn new(report: &AuditReport) -> Self {
        let (verdict, why) = wording::verdict(report);
        let tally = Tally::of_run(report);
        Self {
            version: report.version,
            verdict,
            verdict_text: pieces(&why),
            tally: format!("{}{}", wording::tally(&tally), wording::hidden(&tally)),
            targets: report.targets.iter().map(Target::new).collect(),
            settings: report
                .settings_findings
                .iter()
                .map(settings_finding)
                .collect(),
            notes: report.notes.iter().map(|note| safe(note)).collect(),
        }
    }
}

impl Target {
    fn new(target: &TargetReport) -> Self {
        let audited = target.outcome.as_ref().ok();
        let listing = audited.map(|audited| &audited.listing);
        let about = wording::about(listing, &target.target, target.configured_in.as_ref());
        Self {
            name: safe(&target.name),
            about: about.iter().map(|part| safe(part)).collect(),
            error: target.outcome.as_ref().err().map(Failure::new),
            listing: audited.map(|audited| Listing::new(target, audited)),
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
    fn new(target: &TargetReport, audited: &Audited) -> Self {
        let outline = Outline::new(audited, |_| true);
        let summary = &audited.summary;
        let total = summary.tools;
        let hints = summary
            .with_hint
            .iter()
            .map(|(hint, count)| bar(hint.key(), *count, total));
        let others = [
            bar("any annotations object", summary.with_annotations, total),
            bar("title", summary.with_title, total),
            bar("title in annotations", summary.with_annotation_title, total),
        ];
        let observations = audited.listing.observations.iter().map(|observation| {
            let what = wording::observation(observation.kind);
            safe(&format!(
                "{what} ({}): {}",
                plural(observation.count, "time"),
                observation.detail
            ))
        });
        Self {
            incomplete: wording::incomplete(&audited.listing).map(safe),
            total,
            coverage: hints.chain(others).collect(),
            gate: Gate {
                now: bar("now", summary.gate.now, total),
                fixed: bar("if every finding were fixed", summary.gate.if_fixed, total),
            },
            hosts: pieces(&outline.hosts_of_all().unwrap_or_default()),
            effects: effects(&outline),
            assumed: assumed(&outline),
            blocks: blocks(target, &outline),
            tools: outline.tools.iter().map(tool_row).collect(),
            observations: observations.collect(),
            stderr: audited.stderr_tail.iter().map(|line| safe(line)).collect(),
        }
    }
}

fn bar(name: &str, count: usize, total: usize) -> Bar {
    Bar {
        name: name.to_owned(),
        count,
        percent: percent(count, total),
    }
}

fn effects(outline: &Outline<'_>) -> Vec<Effect> {
    let total = outline.tools.len();
    let effect = |name, class, all: usize, repeatable: usize| {
        let once = all.saturating_sub(repeatable);
        Effect {
            name,
            class,
            total: all,
            repeatable,
            repeatable_percent: percent(repeatable, total),
            once,
            once_percent: percent(once, total),
        }
    };
    let counts = &outline.audited.summary.effective;
    let assumed = &outline.assumed;
    vec![
        effect("only reads", "reads", counts.read_only, counts.read_only),
        effect(
            "only adds",
            "adds",
            counts.additive,
            assumed.adds_repeatable,
        ),
        effect(
            "may destroy",
            "destroys",
            counts.may_destroy,
            assumed.destroys_repeatable,
        ),
    ]
}

fn assumed(outline: &Outline<'_>) -> Vec<AssumedRow> {
    let row = |(name, count): (&'static str, AssumedCount)| AssumedRow {
        name,
        count: count.tools,
        by_default: count.by_default,
    };
    outline.assumed.rows().into_iter().map(row).collect()
}

fn blocks(target: &TargetReport, outline: &Outline<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !outline.whole.is_empty() {
        let findings: Vec<Finding> = outline
            .whole
            .iter()
            .map(|found| finding(target, &outline.positions, found, ""))
            .collect();
        blocks.push(Block::new("the listing as a whole".to_owned(), findings));
    }
    blocks.extend(
        outline
            .shared
            .iter()
            .map(|shared| shared_block(target, outline, shared)),
    );
    blocks.extend(
        outline
            .with_own()
            .map(|tool| tool_block(target, outline, tool)),
    );
    blocks
}

impl Block {
    fn new(heading: String, findings: Vec<Finding>) -> Self {
        let severity = ["error", "warning"]
            .into_iter()
            .find(|severity| findings.iter().any(|finding| finding.severity == *severity))
            .unwrap_or("info");
        Self {
            search: heading.clone(),
            count: count(&findings),
            heading,
            names: Vec::new(),
            severity,
            open: severity == "error",
            values: Vec::new(),
            behaviour: None,
            hosts: None,
            findings,
            paste: None,
        }
    }
}

/// `1 error, 2 infos`.
fn count(findings: &[Finding]) -> String {
    let counts = ["error", "warning", "info"]
        .into_iter()
        .filter_map(|severity| {
            let count = findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count();
            (count > 0).then(|| plural(count, severity))
        });
    counts.collect::<Vec<_>>().join(", ")
}

fn shared_block(target: &TargetReport, outline: &Outline<'_>, shared: &Shared<'_>) -> Block {
    let all = outline.tools.len();
    let count = shared.tools.len();
    let heading = if count == all {
        format!("all {}", plural(all, "tool"))
    } else {
        format!("{count} of {}", plural(all, "tool"))
    };
    let names: Vec<String> = outline
        .tools_of(shared)
        .map(|tool| tool.label.clone())
        .collect();
    let base = outline
        .tools_of(shared)
        .next()
        .map(|tool| tool.tool.value().pointer().to_string())
        .unwrap_or_default();
    let mut block = Block::new(
        heading,
        vec![finding(target, &outline.positions, shared.finding, &base)],
    );
    block.search = names.join(" ");
    block.names = names;
    block.open = true;
    block
}

fn tool_block(target: &TargetReport, outline: &Outline<'_>, tool: &ToolOutline<'_>) -> Block {
    let base = tool.tool.value().pointer().to_string();
    let findings = tool
        .own
        .iter()
        .map(|found| finding(target, &outline.positions, found, &base))
        .collect();
    let mut block = Block::new(tool.label.clone(), findings);
    block.values = values(tool);
    block.behaviour = Some(client_behaviour(&tool.effective));
    block.hosts = outline.hosts_of(tool);
    block.paste = tool.suggested().map(|object| paste(&object));
    block
}

fn values(tool: &ToolOutline<'_>) -> Vec<HintValue> {
    tool.effective
        .hints
        .iter()
        .map(|(hint, effective)| HintValue {
            hint: hint.key(),
            value: effective.value,
            meaningful: means_something(hint, &tool.effective),
            claimed: matches!(tool.claims.get(hint), Claim::True | Claim::False),
            origin: origin(*tool.claims.get(hint)),
        })
        .collect()
}

fn finding(
    target: &TargetReport,
    positions: &Positions<'_>,
    finding: &sayso_core::finding::Finding,
    base: &str,
) -> Finding {
    let place = finding
        .evidence
        .first()
        .map_or(&finding.location, |evidence| &evidence.location);
    Finding {
        severity: finding.severity.as_str(),
        rule: finding.rule.to_owned(),
        message: pieces(&finding.message),
        place: positions.in_file(target, place).as_deref().map(safe),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| EvidenceView::new(evidence, base))
            .collect(),
        help: finding.help.as_deref().map(pieces).unwrap_or_default(),
    }
}

fn settings_finding(finding: &SettingsFinding) -> Finding {
    Finding {
        severity: finding.severity.as_str(),
        rule: finding.rule.to_owned(),
        message: pieces(&finding.message),
        place: Some(safe(&format!("{}:{}", finding.file, finding.line))),
        evidence: Vec::new(),
        help: pieces(&finding.help),
    }
}

impl EvidenceView {
    fn new(evidence: &Evidence, base: &str) -> Self {
        Self {
            place: path_below(base, &evidence.location),
            excerpt: Excerpt::new(evidence, EXCERPT),
            label: safe(&evidence.label),
        }
    }
}

fn tool_row(tool: &ToolOutline<'_>) -> ToolRow {
    let worst = tool.findings().map(|finding| finding.severity).max();
    ToolRow {
        name: tool.label.clone(),
        values: values(tool),
        confirm: tool.effective.must_confirm(),
        findings: tool.findings().count(),
        severity: worst.map_or("none", Severity::as_str),
    }
}

fn pieces(sentence: &str) -> Vec<Piece> {
    segments(sentence)
        .into_iter()
        .map(|segment| match segment {
            Segment::Code(text) => Piece {
                code: true,
                text: safe(text),
            },
            Segment::Plain(text) => Piece {
                code: false,
                text: reveal(text).into_owned(),
            },
        })
        .collect()
}

fn safe(text: &str) -> String {
    reveal_line(text).into_owned()
}
