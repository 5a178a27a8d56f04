//! What is suggested, for a person to review in an editor: rulings that are marked as not reviewed.

use jiff::civil::Date;
use sayso_audit::suggestion::{Suggestion, Undo};
use sayso_core::hint::Hint;
use sayso_core::ruling::{self, Reasoned, Ruling};
use sayso_core::rulings::Rulings;
use toml_edit::{DocumentMut, Item, Table, value};

use super::Subject;
use super::ruled::{quote, quotes};

/// What stands above the suggestions.
const ABOVE: &str = "\
# Suggestions, not reviewed. None of them is a ruling.
#
# Look at each tool. Correct what is wrong, give your own reasons where these are not, add what is not
# suggested, and write the day of your review, or `true` for today, in place of `reviewed = false`.
# Then: sayso classify --answers THIS-FILE TARGET
";

/// Suggestions for tools of a server as a file that is one of answers once it is reviewed.
pub(crate) fn toml<'s, 'a: 's>(
    asked: impl IntoIterator<Item = (&'s str, &'s Subject<'a>)>,
    reviewer: Option<&str>,
) -> String {
    let mut text = ABOVE.to_owned();
    for (server, subject) in asked {
        text.push('\n');
        text.push_str(&block(server, subject, reviewer.unwrap_or_default()));
    }
    text
}

fn block(server: &str, subject: &Subject<'_>, reviewer: &str) -> String {
    let suggestions = &subject.suggestions;
    let block = Rulings::from_iter([Ruling {
        server: server.to_owned(),
        tool: subject.tool.label().into_owned(),
        reviewer: reviewer.to_owned(),
        // Anything: it is replaced.
        reviewed: Date::constant(1970, 1, 1),
        undo: suggestions
            .undo
            .as_ref()
            .and_then(|undo| match &undo.value {
                Undo::Nothing => Some(ruling::Undo::Nothing),
                Undo::Tool { name, .. } if *name == subject.tool.label() => None,
                Undo::Tool { name, .. } => Some(ruling::Undo::Tool(name.clone())),
            }),
        reversibility: None,
        cost: None,
        hints: suggestions.hints.map(|_, suggestion| {
            let suggestion = suggestion.as_ref()?;
            Some(Reasoned {
                value: suggestion.value,
                why: sentence(&suggestion.because),
                evidence: quotes(subject.tool, suggestion),
            })
        }),
        cases: Vec::new(),
        definition: subject.digest.into(),
    }])
    .to_toml();
    let Ok(mut document) = block.parse::<DocumentMut>() else {
        return block;
    };
    let tool = document
        .get_mut("tool")
        .and_then(Item::as_array_of_tables_mut)
        .and_then(|tools| tools.get_mut(0));
    if let Some(tool) = tool {
        tool.insert("reviewed", value(false));
        comments(tool, subject);
    }
    document.to_string()
}

/// Puts how sure each suggestion is above it, and what is not suggested above all of them.
fn comments(tool: &mut Table, subject: &Subject<'_>) {
    let suggestions = &subject.suggestions;
    for (hint, suggestion) in suggestions.hints.iter() {
        let table = tool.get_mut(hint.key()).and_then(Item::as_table_mut);
        if let (Some(table), Some(suggestion)) = (table, suggestion) {
            let mut above = format!("\n# {} confidence\n", suggestion.confidence);
            for evidence in &suggestion.against {
                above.push_str(&format!(
                    "# against it: {}\n",
                    quote(subject.tool, evidence)
                ));
            }
            table.decor_mut().set_prefix(above);
        }
    }
    if let Some(undo) = &suggestions.undo
        && let Some(mut key) = tool.key_mut("undo")
    {
        let above = format!("# {} confidence: {}\n", undo.confidence, undo.because);
        key.leaf_decor_mut().set_prefix(above);
    }
    let open: Vec<&str> = open(subject).map(Hint::key).collect();
    if !open.is_empty() {
        let above = format!("# nothing is suggested for {}\n", open.join(", "));
        tool.decor_mut().set_prefix(above);
    }
}

/// The hints that mean something, as far as is suggested, and have no suggestion.
fn open(subject: &Subject<'_>) -> impl Iterator<Item = Hint> {
    let hints = &subject.suggestions.hints;
    let reads = hints.read_only.as_ref().is_some_and(|reads| reads.value);
    Hint::ALL.into_iter().filter(move |hint| {
        let moot = reads && matches!(hint, Hint::Destructive | Hint::Idempotent);
        !moot && hints.get(*hint).is_none()
    })
}

/// A reason as a sentence.
fn sentence(because: &str) -> String {
    let mut characters = because.chars();
    match characters.next() {
        Some(first) => first
            .to_uppercase()
            .chain(characters)
            .chain(['.'])
            .collect(),
        None => "?".to_owned(),
    }
}

/// Suggestions for tools of servers as JSON.
pub(crate) fn json<'s, 'a: 's>(
    asked: impl IntoIterator<Item = (&'s str, &'s Subject<'a>)>,
) -> serde_json::Value {
    let tools = asked.into_iter().map(|(server, subject)| {
        let suggestions = &subject.suggestions;
        let hints = suggestions.hints.iter().map(|(hint, suggestion)| {
            let value = suggestion
                .as_ref()
                .map(|suggestion| told(subject, suggestion, suggestion.value.into()));
            (hint.key().to_owned(), value.into())
        });
        let undo = suggestions.undo.as_ref().map(|undo| {
            let by = match &undo.value {
                Undo::Tool { name, .. } => name.as_str(),
                Undo::Nothing => "none",
            };
            told(subject, undo, by.into())
        });
        serde_json::json!({
            "server": server,
            "name": subject.tool.label(),
            "digest": subject.digest.whole.to_string(),
            "reviewed": false,
            "hints": hints.collect::<serde_json::Map<_, _>>(),
            "undo": undo,
        })
    });
    serde_json::json!({
        "version": 1,
        "sayso": env!("CARGO_PKG_VERSION"),
        "tools": tools.collect::<Vec<_>>(),
    })
}

fn told<T>(
    subject: &Subject<'_>,
    suggestion: &Suggestion<T>,
    value: serde_json::Value,
) -> serde_json::Value {
    let pieces = |evidence: &[sayso_core::finding::Evidence]| {
        let pieces = evidence.iter().map(|evidence| {
            let marked = evidence.text.get(evidence.mark.clone()).unwrap_or_default();
            serde_json::json!({
                "where": evidence.location.pointer.as_str(),
                "text": evidence.text,
                "marked": marked,
                "says": evidence.label,
                "quote": quote(subject.tool, evidence),
            })
        });
        pieces.collect::<Vec<_>>()
    };
    serde_json::json!({
        "value": value,
        "confidence": suggestion.confidence.as_str(),
        "because": suggestion.because,
        "evidence": pieces(&suggestion.evidence),
        "against": pieces(&suggestion.against),
    })
}
