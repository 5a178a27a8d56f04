//! What every format for people needs: the findings of a listing by tool, the ones that many
//! tools share folded into one, the values to paste, and the counts beyond the summary.

use std::collections::HashMap;

use sayso_audit::proposal::proposal;
use sayso_core::effective::{Effective, Provenance};
use sayso_core::finding::{Evidence, Finding, Location, Severity};
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::reveal::reveal_line;
use sayso_core::tool::{AnnotationsShape, Tool};
use serde_json::{Map, Value};

use crate::audit_report::Audited;
use crate::hosts::HostCounts;

use super::positions::Positions;
use super::safe_json;
use super::wording::{hosts_do, plural};

/// From how many tools on a finding they share is told once.
const FOLD_FROM: usize = 3;

/// One listing, laid out to be told.
pub(super) struct Outline<'a> {
    /// The listing and what was found.
    pub(super) audited: &'a Audited,
    /// Findings about the listing as a whole.
    pub(super) whole: Vec<&'a Finding>,
    /// Findings that several tools share word for word, gravest first.
    pub(super) shared: Vec<Shared<'a>>,
    /// Every tool, in the listing's order.
    pub(super) tools: Vec<ToolOutline<'a>>,
    /// What a client has to assume, counted.
    pub(super) assumed: Assumed,
    /// What real hosts do with each tool, where that is the same for all.
    pub(super) hosts: Option<HostCounts>,
    /// Where everything stands.
    pub(super) positions: Positions<'a>,
}

/// A finding that several tools share.
pub(super) struct Shared<'a> {
    /// The first of them, to stand for all.
    pub(super) finding: &'a Finding,
    /// The tools, by position.
    pub(super) tools: Vec<usize>,
}

/// A finding a tool shares with others.
#[derive(Clone, Copy)]
pub(super) struct SharedOf<'a> {
    /// Its own finding.
    pub(super) finding: &'a Finding,
    /// How many tools share it.
    pub(super) tools: usize,
}

/// One tool and what there is to tell about it.
pub(super) struct ToolOutline<'a> {
    /// The tool.
    pub(super) tool: Tool<'a>,
    /// What to call it, safe to show.
    pub(super) label: String,
    /// What stands under `annotations`.
    pub(super) shape: AnnotationsShape,
    /// What it claims.
    pub(super) claims: Hints<Claim>,
    /// What a client acts on.
    pub(super) effective: Effective,
    /// What real hosts do with it, where that is known.
    pub(super) hosts: Option<HostCounts>,
    /// The findings that are its own, gravest first.
    pub(super) own: Vec<&'a Finding>,
    /// The findings it shares with others.
    pub(super) shared: Vec<SharedOf<'a>>,
}

/// How many tools, and how many of them only because a default says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AssumedCount {
    /// All of them.
    pub(super) tools: usize,
    /// Those that are so only by default.
    pub(super) by_default: usize,
}

impl AssumedCount {
    fn count(&mut self, holds: bool, provenance: Provenance) {
        self.tools += usize::from(holds);
        self.by_default += usize::from(holds && provenance == Provenance::Default);
    }
}

/// What a client has to assume of the tools of a listing, and the classes of effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Assumed {
    /// Not read-only.
    pub(super) may_write: AssumedCount,
    /// May remove or overwrite.
    pub(super) may_destroy: AssumedCount,
    /// Not safe to repeat.
    pub(super) not_repeatable: AssumedCount,
    /// May reach an open world.
    pub(super) open_world: AssumedCount,
    /// Only adds, and is safe to repeat.
    pub(super) adds_repeatable: usize,
    /// May destroy, and is safe to repeat.
    pub(super) destroys_repeatable: usize,
}

/// What has to be the same for two findings to be told as one.
#[derive(PartialEq, Eq, Hash)]
struct FoldKey<'a> {
    rule: &'static str,
    severity: Severity,
    hint: Option<Hint>,
    message: &'a str,
    help: Option<&'a str>,
    suggestion: Hints<Option<bool>>,
    evidence: Vec<(&'a str, usize, &'a str)>,
}

impl<'a> FoldKey<'a> {
    fn new(finding: &'a Finding) -> Self {
        Self {
            rule: finding.rule,
            severity: finding.severity,
            hint: finding.hint,
            message: &finding.message,
            help: finding.help.as_deref(),
            suggestion: finding.suggestion,
            evidence: finding
                .evidence
                .iter()
                .map(
                    |Evidence {
                         text, mark, label, ..
                     }| (text.as_str(), mark.start, label.as_str()),
                )
                .collect(),
        }
    }
}

impl<'a> Outline<'a> {
    /// Lays out a listing; `show` says which findings are told at all.
    pub(super) fn new(audited: &'a Audited, show: impl Fn(&Finding) -> bool) -> Self {
        let findings: Vec<&Finding> = audited
            .admitted
            .findings
            .iter()
            .filter(|finding| show(finding))
            .collect();
        let shared = fold(&findings);
        let mut tools: Vec<ToolOutline<'a>> =
            audited.listing.tools().map(ToolOutline::new).collect();
        for (tool, hosts) in tools.iter_mut().zip(&audited.hosts) {
            tool.hosts = Some(*hosts);
        }
        let mut whole = Vec::new();
        for finding in findings {
            let Some(tool) = finding.tool.and_then(|position| tools.get_mut(position)) else {
                whole.push(finding);
                continue;
            };
            match shared.get(&FoldKey::new(finding)) {
                Some(group) => tool.shared.push(SharedOf {
                    finding,
                    tools: group.tools.len(),
                }),
                None => tool.own.push(finding),
            }
        }
        let mut shared: Vec<Shared<'a>> = shared.into_values().collect();
        shared.sort_by_key(|shared| {
            (
                std::cmp::Reverse(shared.finding.severity),
                shared.tools.first().copied(),
                shared.finding.rule,
            )
        });
        for tool in &mut tools {
            tool.own
                .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        }
        let assumed = Assumed::of(&tools);
        let mut counts = tools.iter().map(|tool| tool.hosts);
        let first = counts.next().flatten();
        let hosts = first.filter(|first| counts.all(|counts| counts == Some(*first)));
        Self {
            audited,
            whole,
            shared,
            tools,
            assumed,
            hosts,
            positions: Positions::new(audited),
        }
    }

    /// What real hosts do with a tool, where they do not do the same with all of several.
    pub(super) fn hosts_of(&self, tool: &ToolOutline<'_>) -> Option<String> {
        if self.hosts.is_some() && self.tools.len() > 1 {
            return None;
        }
        hosts_do(tool.hosts.as_ref()?, "it")
    }

    /// What real hosts do with every tool of several, and where to read on.
    pub(super) fn hosts_of_all(&self) -> Option<String> {
        let first = self.tools.first()?.hosts?;
        if self.tools.len() == 1 {
            return None;
        }
        match &self.hosts {
            Some(counts) => {
                let they_do = hosts_do(counts, "each tool")?;
                Some(format!("{they_do}; `sayso hosts` says which, and why"))
            }
            None => (first.hosts > 0).then(|| {
                let hosts = plural(first.hosts, "host");
                format!("`sayso hosts` says what each of {hosts} does with each tool, and why")
            }),
        }
    }

    /// The tools that have findings of their own.
    pub(super) fn with_own(&self) -> impl Iterator<Item = &ToolOutline<'a>> {
        self.tools.iter().filter(|tool| !tool.own.is_empty())
    }

    /// The tools of a shared finding.
    pub(super) fn tools_of<'s>(
        &'s self,
        shared: &'s Shared<'a>,
    ) -> impl Iterator<Item = &'s ToolOutline<'a>> {
        shared
            .tools
            .iter()
            .filter_map(|position| self.tools.get(*position))
    }
}

/// The findings that enough tools share. Keyed, so that a finding can be asked for.
fn fold<'a>(findings: &[&'a Finding]) -> HashMap<FoldKey<'a>, Shared<'a>> {
    let mut groups: HashMap<FoldKey<'a>, Shared<'a>> = HashMap::new();
    for finding in findings {
        let Some(position) = finding.tool else {
            continue;
        };
        let group = groups.entry(FoldKey::new(finding)).or_insert(Shared {
            finding,
            tools: Vec::new(),
        });
        if group.tools.last() != Some(&position) {
            group.tools.push(position);
        }
    }
    groups.retain(|_, shared| shared.tools.len() >= FOLD_FROM);
    groups
}

impl<'a> ToolOutline<'a> {
    fn new(tool: Tool<'a>) -> Self {
        let claims = tool.claims();
        let states = claims.states();
        Self {
            label: reveal_line(&tool.label()).into_owned(),
            tool,
            shape: claims.shape,
            claims: states,
            effective: Effective::from_claims(&states),
            hosts: None,
            own: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// All its findings.
    pub(super) fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        self.shared
            .iter()
            .map(|shared| shared.finding)
            .chain(self.own.iter().copied())
    }

    /// The object to paste: the title and the boolean claims as they are, with what the findings
    /// propose over them. `None` where that changes nothing.
    pub(super) fn suggested(&self) -> Option<Map<String, Value>> {
        let suggestion = proposal(&self.claims, self.findings());
        let changes = |(hint, value): (Hint, &Option<bool>)| {
            value.is_some() && *value != self.claims.get(hint).boolean()
        };
        if !suggestion.iter().any(changes) {
            return None;
        }
        let mut object = Map::new();
        if let Some(title) = self.tool.annotation_title() {
            object.insert("title".to_owned(), title.into_owned().into());
        }
        for (hint, value) in suggestion.iter() {
            if let Some(value) = value.or(self.claims.get(hint).boolean()) {
                object.insert(hint.key().to_owned(), value.into());
            }
        }
        Some(object)
    }
}

/// Findings that rest on the same sentence, together, in the order of the first of each.
pub(super) fn by_sentence<'a>(findings: &[&'a Finding]) -> Vec<Vec<&'a Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let same = groups.iter_mut().find(|group| {
            group
                .first()
                .is_some_and(|first| same_sentence(&first.evidence, &finding.evidence))
        });
        match same {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

fn same_sentence(one: &[Evidence], other: &[Evidence]) -> bool {
    matches!((one, other), ([one], [other]) if one.location == other.location && one.text == other.text)
}

/// What a finding's help says beyond its suggestion: nothing, where it only says to set it.
pub(super) fn help_beyond_suggestion(finding: &Finding) -> Option<&str> {
    let help = finding.help.as_deref()?;
    let mut suggested = finding.suggestion.iter();
    let said = suggested
        .any(|(hint, value)| value.is_some_and(|value| help == format!("set {hint} to {value}")));
    (!said).then_some(help)
}

/// Where a location stands below a pointer, as the path a person would write:
/// `inputSchema.properties.action`; safe to show.
pub(super) fn path_below(base: &str, location: &Location) -> String {
    let steps: Vec<String> = match location.pointer.as_str().strip_prefix(base) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => location
            .pointer
            .steps()
            .skip(base.matches('/').count())
            .collect(),
        _ => location.pointer.steps().collect(),
    };
    reveal_line(&steps.join(".")).into_owned()
}

/// The `annotations` member to paste, as indented JSON.
pub(super) fn paste(object: &Map<String, Value>) -> String {
    let text = safe_json::to_string_pretty(object).unwrap_or_default();
    format!("\"annotations\": {}", text.trim_end())
}

/// The same on one line.
pub(super) fn paste_line(object: &Map<String, Value>) -> String {
    let lines = paste(object);
    lines.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

impl Assumed {
    /// What formats for people tell, each with its name.
    pub(super) fn rows(&self) -> [(&'static str, AssumedCount); 4] {
        [
            ("may write", self.may_write),
            ("may destroy", self.may_destroy),
            ("not repeatable", self.not_repeatable),
            ("open world", self.open_world),
        ]
    }

    fn of(tools: &[ToolOutline<'_>]) -> Self {
        let mut assumed = Self::default();
        for ToolOutline { effective, .. } in tools {
            let hints = &effective.hints;
            assumed
                .may_write
                .count(!effective.read_only(), hints.read_only.provenance);
            assumed
                .may_destroy
                .count(effective.may_destroy(), hints.destructive.provenance);
            assumed
                .not_repeatable
                .count(!effective.repeatable(), hints.idempotent.provenance);
            assumed
                .open_world
                .count(effective.open_world(), hints.open_world.provenance);
            if !effective.read_only() && effective.repeatable() {
                if effective.may_destroy() {
                    assumed.destroys_repeatable += 1;
                } else {
                    assumed.adds_repeatable += 1;
                }
            }
        }
        assumed
    }
}
