//! A rule's documentation, taken apart for the terminal, the reference pages and the tests.

use crate::rule::RuleMeta;
use crate::rules;
use crate::suggest::nearest;

/// The sections every rule's documentation has, in this order.
pub const SECTIONS: [&str; 5] = [
    "What it checks",
    "Why it matters",
    "Fails",
    "Passes",
    "Limits",
];

/// Why there is nothing to explain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule is called `{id}`{}", suggestion.map(|near| format!("; hint: did you mean `{near}`?")).unwrap_or_default())]
pub struct UnknownRule {
    /// What was asked for.
    pub id: String,
    /// The nearest id there is.
    pub suggestion: Option<&'static str>,
}

/// A rule by its id.
///
/// # Errors
/// When there is none; the error has the nearest id.
pub fn lookup(id: &str) -> Result<&'static RuleMeta, UnknownRule> {
    match rules::find(id) {
        Some(rule) => Ok(rule.meta()),
        None => Err(UnknownRule {
            id: id.to_owned(),
            suggestion: nearest(id, rules::ids()),
        }),
    }
}

/// The documentation as Markdown, without the blank that every doc comment begins with.
#[must_use]
pub fn markdown(meta: &RuleMeta) -> String {
    let mut text = String::with_capacity(meta.documentation.len());
    for line in meta.documentation.lines() {
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
    }
    text
}

/// One section's text; `None` where the documentation has no such section.
#[must_use]
pub fn section(meta: &RuleMeta, title: &str) -> Option<String> {
    let text = markdown(meta);
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            if inside {
                break;
            }
            inside = heading == title;
        } else if inside {
            found.push_str(line);
            found.push('\n');
        }
    }
    (!found.trim().is_empty()).then(|| found.trim().to_owned())
}

/// The JSON blocks of a section.
#[must_use]
pub fn examples(meta: &RuleMeta, title: &str) -> Vec<String> {
    let Some(section) = section(meta, title) else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in section.lines() {
        match (&mut block, line) {
            (None, "```json") => block = Some(String::new()),
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}

/// What `sayso explain RULE` prints: one line about the rule, then its documentation.
#[must_use]
pub fn explain(meta: &RuleMeta) -> String {
    let RuleMeta {
        id,
        summary,
        severity,
        confidence,
        since,
        ..
    } = meta;
    let mut text = format!("{id}: {summary}\n{severity}, confidence {confidence}, since {since}\n");
    for title in SECTIONS {
        if let Some(section) = section(meta, title) {
            text.push_str(&format!("\n{title}\n"));
            for line in section.lines().filter(|line| !line.starts_with("```")) {
                text.push_str(&if line.is_empty() {
                    "\n".to_owned()
                } else {
                    format!("  {line}\n")
                });
            }
        }
    }
    text
}
