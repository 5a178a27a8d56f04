//! What was observed of tools at work, as rules see it, and what is found in it.
//!
//! Plain data: whoever watched says what broke a claim, in words. `sayso verify` makes it from what it
//! has just seen, `sayso audit --evidence` from a file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sayso_core::finding::{Evidence, Finding};
use sayso_core::hint::Hint;
use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, RuleMeta};
use crate::rules;
use crate::semantics::Semantics;

/// What was observed of the tools of one listing.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Observed {
    /// By tool and by the hint it speaks against, or that would have to tell of it where it is not
    /// claimed. Of a tool that two entries have the name of, to both.
    pub tools: BTreeMap<String, BTreeMap<Hint, Seen>>,
    /// By tool and hint, what the hint would be by what was observed, whether it is claimed or not.
    pub noted: BTreeMap<String, BTreeMap<Hint, Noted>>,
    /// Tools whose definition is another than the one that was observed: nothing is known of them.
    pub stale: Vec<String>,
}

/// What was seen that speaks against a hint.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Whose it was done to.
    pub to: SeenTo,
    /// The arguments of the call, as JSON text.
    pub arguments: String,
    /// What it did, a line each, what matters most first.
    pub what: Vec<String>,
    /// How many other calls did as much.
    #[serde(default)]
    pub others: u32,
    /// What it was seen in: the kind of jail, the fixture.
    pub setting: String,
}

/// What was observed of one hint.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// What the hint would be by that. Of a promise it means only that nothing spoke against it.
    pub value: bool,
    /// In words, such as `nothing changed in 3 calls`.
    pub words: String,
}

/// Whose something is that a call changed, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeenTo {
    /// The user's, or somebody else's: the claim is contradicted.
    User,
    /// The server's own.
    OwnState,
    /// Nobody's: a cache is made again.
    Cache,
}

/// What the rules about observations find in a listing, and no other rule.
#[must_use]
pub fn findings(listing: &Listing, observed: &Observed) -> Vec<Finding> {
    let semantics = Semantics::default();
    let mut context = Context::new(listing, &semantics, None, None);
    context.observed = Some(observed);
    let mut findings = Findings::default();
    for rule in rules::ALL.iter().filter(|rule| is_about(rule.meta().id)) {
        rule.listing(&context, &mut findings);
        for tool in &context.tools {
            rule.tool(&context, tool, &mut findings);
        }
    }
    findings.into_sorted()
}

/// Whether a rule is about observations.
#[must_use]
pub fn is_about(rule: &str) -> bool {
    const ABOUT: [&str; 8] = [
        "cache-changed",
        "destructive-contradicted",
        "idempotent-contradicted",
        "open-world-contradicted",
        "own-state-changed",
        "read-only-contradicted",
        "stale-evidence",
        "unclaimed-risk",
    ];
    ABOUT.contains(&rule)
}

/// How many lines of what was seen are shown.
const LINES: usize = 6;

/// Reports what was seen done to somebody's things against claims of a hint.
pub(crate) fn report(
    meta: &'static RuleMeta,
    hints: &[Hint],
    to: SeenTo,
    context: &Context<'_>,
    tool: &ToolReading<'_>,
    findings: &mut Findings,
) {
    let seen = context
        .observed
        .zip(tool.tool.name())
        .and_then(|(observed, name)| observed.tools.get(&*name));
    let Some(seen) = seen else { return };
    let against = seen
        .iter()
        .filter(|(hint, seen)| hints.contains(hint) && seen.to == to);
    for (hint, seen) in against {
        about_one(meta, *hint, seen, tool, findings);
    }
}

fn about_one(
    meta: &'static RuleMeta,
    hint: Hint,
    seen: &Seen,
    tool: &ToolReading<'_>,
    findings: &mut Findings,
) {
    // What is not claimed cannot be contradicted.
    let Some(claimed) = tool.states.get(hint).boolean() else {
        return;
    };
    let did = seen.did();
    let message = match seen.to {
        SeenTo::User => format!("watched at work, a call {did}, but {hint} is {claimed}"),
        SeenTo::OwnState => {
            format!("{hint} is {claimed}, and a call changed the server's own state: it {did}")
        }
        SeenTo::Cache => format!("{hint} is {claimed}, and a call changed a cache: it {did}"),
    };
    let mut draft = findings.about(meta, tool, message).hint(hint);
    let page = tool.tool.page();
    let claim = tool.claims.hints.get(hint).values.first();
    if let Some(value) = claim {
        draft = draft.at(page, *value);
    }
    for evidence in witness(hint, seen, tool) {
        draft = draft.evidence(evidence);
    }
    if seen.to == SeenTo::User {
        draft = draft.suggest(hint, hint.default_value()).help(format!(
            "set {hint} to {}, or have the tool do what it says",
            hint.default_value()
        ));
    } else {
        draft = draft.help("say so in the description, so that nobody is surprised");
    }
    draft.report();
}

/// Reports what was seen done where a hint that would have to tell of it is not claimed.
pub(crate) fn report_unclaimed(
    meta: &'static RuleMeta,
    context: &Context<'_>,
    tool: &ToolReading<'_>,
    findings: &mut Findings,
) {
    let seen = context
        .observed
        .zip(tool.tool.name())
        .and_then(|(observed, name)| observed.tools.get(&*name));
    let unclaimed = seen.into_iter().flatten().filter(|(hint, seen)| {
        seen.to == SeenTo::User && tool.states.get(**hint).boolean().is_none()
    });
    for (hint, seen) in unclaimed {
        let (did, default) = (seen.did(), hint.default_value());
        let message = format!(
            "watched at work, a call {did}; {hint} is not claimed, and clients assume {default}"
        );
        let mut draft = findings.about(meta, tool, message).hint(*hint);
        for evidence in witness(*hint, seen, tool) {
            draft = draft.evidence(evidence);
        }
        draft
            .suggest(*hint, default)
            .help(format!(
                "set {hint} to {default}: what is claimed holds in clients that assume otherwise, too"
            ))
            .report();
    }
}

impl Seen {
    /// What matters most of what it did.
    fn did(&self) -> Cow<'_, str> {
        reveal_line(self.what.first().map_or("something", String::as_str))
    }
}

/// What it did, line by line, at the claim where there is one.
fn witness(hint: Hint, seen: &Seen, tool: &ToolReading<'_>) -> Vec<Evidence> {
    let page = tool.tool.page();
    let claim = tool.claims.hints.get(hint).values.first();
    let at = claim.copied().unwrap_or(tool.tool.value());
    let others = match seen.others {
        0 => String::new(),
        others => format!(" and in {others} more"),
    };
    let call = format!(
        "seen in a call with {}{others} ({})",
        seen.arguments, seen.setting
    );
    let lines = seen.what.iter().take(LINES).enumerate();
    let lines = lines.map(|(index, line)| {
        let text = reveal_line(line).into_owned();
        Evidence {
            location: excerpt::place(page, at),
            mark: 0..text.len(),
            text,
            label: match index {
                0 => reveal_line(&call).into_owned(),
                _ => "and".to_owned(),
            },
        }
    });
    lines.collect()
}
