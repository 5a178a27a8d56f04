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
    /// The last word of the object: the thing itself, in `issue comment`.
    pub(super) last: Option<String>,
}

/// More words of a name are not looked at.
const MOST: usize = 8;

/// Words between a verb and its object.
const SMALL: [&str; 16] = [
    "a", "an", "the", "to", "from", "of", "in", "on", "for", "by", "with", "as", "all", "batch",
    "bulk", "tool",
];

impl Named {
    /// Takes the name of a tool apart at its verb: at the likeliest first, where several words of
    /// it are verbs.
    pub(super) fn readings(tool: &ToolReading<'_>) -> Vec<Self> {
        let Some((leading, name)) = tool.evidence.name_verb.as_ref().zip(tool.tool.name()) else {
            return Vec::new();
        };
        let parts = names::parts(&name);
        let mut marks = vec![leading.bytes.clone()];
        marks.extend(
            parts
                .iter()
                .take(MOST)
                .filter(|part| {
                    **part != leading.bytes
                        && name
                            .get((*part).clone())
                            .is_some_and(|word| names::leading_verb(word).is_some())
                })
                .cloned(),
        );
        // `message_edit`, which replaces a message: the first verb is a noun here.
        let head = tool.evidence.heads().next();
        let noun = leading.noun && leading.leads && head.is_some_and(|head| head != leading.act);
        if noun && marks.last() == parts.last() {
            marks.rotate_right(1);
        }
        marks
            .into_iter()
            .filter_map(|mark| Self::at(&name, &parts, mark))
            .collect()
    }

    /// The likeliest reading.
    pub(super) fn read(tool: &ToolReading<'_>) -> Option<Self> {
        Self::readings(tool).into_iter().next()
    }

    fn at(name: &str, parts: &[Range<usize>], mark: Range<usize>) -> Option<Self> {
        let verb = name.get(mark.clone())?.to_ascii_lowercase();
        let words = |from: usize| -> Vec<String> {
            parts
                .iter()
                .filter(|part| **part != mark && part.start >= from)
                .filter_map(|part| name.get(part.clone()))
                .map(singular)
                .filter(|word| !SMALL.contains(&word.as_str()))
                .collect()
        };
        let (all, after) = (words(0), words(mark.start));
        let object = if after.is_empty() { &all } else { &after };
        Some(Self {
            verb,
            last: object.last().cloned(),
            object: object.iter().cloned().collect(),
            all: all.into_iter().collect(),
            mark,
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
