//! New text that the audit's rules flag: what was harmless when it was pinned says something
//! else now.

use std::collections::BTreeSet;

use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::semantics::Semantics;
use sayso_core::digest::Part;
use sayso_core::finding::{Finding, Severity};
use sayso_core::json::{Document, Limits, Value};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use sayso_core::lock::PinnedServer;

use super::change::{Change, Subject, flagged_text};

/// Rules about what a text says, or hides.
const TEXT: [&str; 13] = [
    "hidden-characters",
    "prose-says-additive",
    "prose-says-closed-world",
    "prose-says-contacts",
    "prose-says-costs",
    "prose-says-destroys",
    "prose-says-idempotent",
    "prose-says-no-approval",
    "prose-says-open-world",
    "prose-says-reads",
    "prose-says-repeats",
    "prose-says-writes",
    "verb-contradicts-hint",
];

/// Rules about what the arguments allow.
const ARGUMENTS: [&str; 3] = ["free-form-input", "mode-argument", "writing-argument"];

/// The rules that mean something for a server's instructions, which make no claims.
const INSTRUCTIONS: [&str; 2] = ["hidden-characters", "prose-says-no-approval"];

/// Adds what the rules find now and did not find before, about tools whose text or schemas
/// changed and about changed instructions.
pub(super) fn add(
    before: &PinnedServer,
    now: &PinnedServer,
    (old_listing, new_listing): (&Listing, &Listing),
    semantics: Semantics,
    changes: &mut Vec<Change>,
) {
    let moved: BTreeSet<&str> = now
        .tools
        .iter()
        .filter(|(name, tool)| {
            before.tools.get(*name).is_some_and(|old| {
                let parts = old.digest.parts.moved(&tool.digest.parts);
                parts.contains(&Part::Text) || parts.contains(&Part::Schemas)
            })
        })
        .map(|(name, _)| name.as_str())
        .collect();
    if !moved.is_empty() {
        let known: BTreeSet<Key> = found(old_listing, semantics)
            .iter()
            .map(|finding| key(old_listing, finding))
            .collect();
        for finding in found(new_listing, semantics) {
            let (rule, tool, message) = key(new_listing, &finding);
            let Some(name) = tool.clone().filter(|name| moved.contains(name.as_str())) else {
                continue;
            };
            if known.contains(&(rule, tool, message)) || !weighs(&finding) {
                continue;
            }
            let subject = if TEXT.contains(&rule) {
                Subject::Text
            } else if ARGUMENTS.contains(&rule) {
                Subject::Schema
            } else {
                continue;
            };
            changes.push(flagged_text(Some(&name), subject, rule, &finding.message));
        }
    }
    if before.instructions != now.instructions {
        let old: BTreeSet<&str> = of_instructions(before.instructions.as_deref())
            .iter()
            .map(|finding| finding.rule)
            .collect();
        for finding in of_instructions(now.instructions.as_deref()) {
            if !old.contains(finding.rule) {
                let message = finding.message.replace("description", "instructions");
                let subject = Subject::Instructions;
                changes.push(flagged_text(None, subject, finding.rule, &message));
            }
        }
    }
}

type Key = (&'static str, Option<String>, String);

fn key(listing: &Listing, finding: &Finding) -> Key {
    let tool = finding.tool.and_then(|position| listing.tool(position));
    let name = tool.map(|tool| tool.label().into_owned());
    (finding.rule, name, finding.message.clone())
}

fn found(listing: &Listing, semantics: Semantics) -> Vec<Finding> {
    let options = JudgeOptions {
        semantics,
        ..JudgeOptions::default()
    };
    judge(listing, &options)
}

/// What a rule itself calls mere information is no reason to fail, but that nobody is asked any
/// more is.
fn weighs(finding: &Finding) -> bool {
    finding.severity >= Severity::Warning || finding.rule == "prose-says-no-approval"
}

/// What the rules find in instructions, read as the description of a tool would be.
fn of_instructions(text: Option<&str>) -> Vec<Finding> {
    let Some(text) = text else { return Vec::new() };
    let tool = serde_json::json!({ "tools": [{
        "name": "instructions",
        "description": text,
        "inputSchema": { "type": "object" },
    }] });
    let Ok(document) = Document::parse(tool.to_string(), &Limits::default()) else {
        return Vec::new();
    };
    let Some(tools) = document.root().get("tools").map(Value::index) else {
        return Vec::new();
    };
    let mut listing = Listing::new(ServerIdentity::default());
    listing.push_page(
        Page {
            document,
            lines_before: 0,
        },
        tools,
    );
    let mut found = found(&listing, Semantics::default());
    found.retain(|finding| INSTRUCTIONS.contains(&finding.rule));
    found
}
