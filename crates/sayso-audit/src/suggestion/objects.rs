//! A tool's name as a verb and what it is done to.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::context::ToolReading;
use crate::evidence::names;

/// A name, taken apart.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// The verb, in lower case.
    pub(super) verb: String,
    /// Where the verb stands in the name.
    pub(super) mark: Range<usize>,
    /// Every other word, in the singular.
    pub(super) all: BTreeSet<String>,
    /// What the verb is done to: the words after it, or those before it where none come after.
    pub(super) object: BTreeSet<String>,
}

/// Words between a verb and its object.
const SMALL: [&str; 16] = [
    "a", "an", "the", "to", "from", "of", "in", "on", "for", "by", "with", "as", "all", "batch",
    "bulk", "tool",
];

impl Named {
    /// Takes the name of a tool apart at its verb.
    pub(super) fn read(tool: &ToolReading<'_>) -> Option<Self> {
        let leading = tool.evidence.name_verb.as_ref()?;
        let name = tool.tool.name()?;
        let parts = names::parts(&name);
        // `message_edit`, which replaces a message: both are verbs, and the first one is a noun here.
        let last = parts.last().filter(|last| {
            leading.noun
                && leading.leads
                && tool.evidence.act() != Some(leading.act)
                && name
                    .get((*last).clone())
                    .is_some_and(|word| names::leading_verb(word).is_some())
        });
        let mark = last.unwrap_or(&leading.bytes).clone();
        let verb = name.get(mark.clone())?.to_ascii_lowercase();
        let words = |wanted: &dyn Fn(&Range<usize>) -> bool| -> BTreeSet<String> {
            parts
                .iter()
                .filter(|part| wanted(part))
                .filter_map(|part| name.get((*part).clone()))
                .map(singular)
                .filter(|word| !SMALL.contains(&word.as_str()))
                .collect()
        };
        let all = words(&|part| *part != mark);
        let after = words(&|part| part.start > mark.start);
        let object = if after.is_empty() { all.clone() } else { after };
        Some(Self {
            verb,
            mark,
            all,
            object,
        })
    }

    /// Whether a word is one of those it is about.
    pub(super) fn has(&self, word: &str) -> bool {
        self.all.contains(word)
    }

    /// Whether a second call switches back.
    pub(super) fn toggles(&self) -> bool {
        matches!(self.verb.as_str(), "toggle" | "flip" | "invert" | "switch")
    }
}

/// A word in lower case and the singular, as far as its letters tell.
pub(super) fn singular(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some(stem) = lower.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if lower.ends_with(ending) {
            return lower.strip_suffix("es").unwrap_or(&lower).to_owned();
        }
    }
    let plural = lower.len() > 3 && !lower.ends_with("ss") && !lower.ends_with("us");
    match lower.strip_suffix('s').filter(|_| plural) {
        Some(stem) => stem.to_owned(),
        None => lower,
    }
}
