//! From answers to a ruling, and from a ruling to the hints a tool should claim.

use jiff::civil::Date;
use sayso_audit::suggestion::{Suggestion, ToolSuggestions};
use sayso_core::finding::Evidence;
use sayso_core::hint::{Hint, Hints};
use sayso_core::reveal::reveal_line;
use sayso_core::ruling::{Reasoned, Ruling, Undo};
use sayso_core::tool::Tool;

use super::Subject;
use super::question::{Answers, UndoneBy};

/// How much of a sentence is kept as evidence, in characters.
const MAX_QUOTE: usize = 160;

/// The ruling that a person's answers make, on the tool as it is listed. A suggestion's evidence is
/// taken over where the answer is what it suggests.
pub(crate) fn ruling(
    server: &str,
    subject: &Subject<'_>,
    answers: &Answers,
    today: Date,
) -> Ruling {
    let reasoned = |hint: Hint, value: bool| Reasoned {
        value,
        why: answers.why.clone(),
        evidence: agreeing(subject.tool, &subject.suggestions, hint, value),
    };
    let values = Hints {
        read_only: Some(answers.read_only),
        destructive: answers.destructive,
        idempotent: answers.idempotent,
        open_world: Some(answers.open_world),
    };
    Ruling {
        server: server.to_owned(),
        tool: subject.tool.label().into_owned(),
        reviewer: answers.reviewer.clone(),
        reviewed: today,
        undo: answers.undo.as_ref().map(|undo| match undo {
            UndoneBy::Tool(name) => Undo::Tool(name.clone()),
            UndoneBy::Nothing => Undo::Nothing,
        }),
        reversibility: None,
        cost: None,
        hints: values.map(|hint, value| value.map(|value| reasoned(hint, value))),
        cases: Vec::new(),
        definition: subject.digest.into(),
    }
}

/// A ruling with the notes of the one it takes the place of, and with its cases where they still fit.
pub(crate) fn keeping(ruling: Ruling, before: &Ruling) -> Ruling {
    let mut kept = Ruling {
        reversibility: before.reversibility.clone(),
        cost: before.cost.clone(),
        cases: before.cases.clone(),
        ..ruling
    };
    if kept.check().is_err() {
        kept.cases.clear();
    }
    kept
}

fn agreeing(tool: Tool<'_>, suggestions: &ToolSuggestions, hint: Hint, value: bool) -> Vec<String> {
    let suggestion = suggestions.hints.get(hint).as_ref();
    let agreeing = suggestion.filter(|suggestion| suggestion.value == value);
    agreeing.map_or_else(Vec::new, |suggestion| quotes(tool, suggestion))
}

/// What a suggestion rests on, a line each.
pub(crate) fn quotes<T>(tool: Tool<'_>, suggestion: &Suggestion<T>) -> Vec<String> {
    let mut quotes: Vec<String> = Vec::new();
    for evidence in &suggestion.evidence {
        let quote = quote(tool, evidence);
        if !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    quotes
}

/// Where a piece of evidence stands in its tool, and what it says.
pub(crate) fn quote(tool: Tool<'_>, evidence: &Evidence) -> String {
    let own = tool.value().pointer();
    let pointer = &evidence.location.pointer;
    let path: Vec<String> = match pointer.as_str().strip_prefix(own.as_str()) {
        Some(_) => pointer.steps().skip(own.steps().count()).collect(),
        None => pointer.steps().collect(),
    };
    let text = reveal_line(&evidence.text);
    let mut shown: String = text.chars().take(MAX_QUOTE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    if path.is_empty() {
        // Of the tool as a whole: what was seen of it, and no text of its own.
        return format!("{}: {shown}", reveal_line(&evidence.label));
    }
    format!("{}: {shown}", reveal_line(&path.join(".")))
}

/// The hints that a tool should claim by a ruling that decides them: a tool that only reads removes
/// nothing, and changes nothing at a repeat. `None` while one of them is not decided.
pub(crate) fn claims(ruling: &Ruling) -> Option<Hints<bool>> {
    let values = ruling.values();
    let reads = values.read_only?;
    Some(Hints {
        read_only: reads,
        destructive: values.destructive.or(reads.then_some(false))?,
        idempotent: values.idempotent.or(reads.then_some(true))?,
        open_world: values.open_world?,
    })
}
