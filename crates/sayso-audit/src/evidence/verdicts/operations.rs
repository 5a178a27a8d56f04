//! Operations that prose lists instead of an enum: `Operations: products.list, orders.cancel`.

use std::ops::Range;

use sayso_core::hint::Hint::{Destructive, ReadOnly};

use super::Strength::Strong;
use super::{Kind, Quote, Scale, modes};
use crate::evidence::act::Act;
use crate::evidence::arguments::Argument;

pub(super) fn weigh(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    let chooses = |argument: &&Argument<'_>| {
        argument.top
            && argument.members.is_empty()
            && scale.lexicon.is_telling(&argument.name)
            && modes::chooses(argument)
    };
    let Some(argument) = evidence.arguments.iter().find(chooses) else {
        return;
    };
    // What a reader's argument mentions is what it asks about.
    if scale.reads_by_verb() {
        return;
    }
    let description = evidence.is_described().then_some(0);
    for (place, bare) in description
        .map(|text| (text, false))
        .into_iter()
        .chain(argument.description.map(|text| (text, true)))
    {
        let listed = listed(scale, place, bare);
        let reads = listed.iter().any(|(act, _)| !act.writes());
        if listed.len() < 2 || !reads && !bare {
            continue;
        }
        for (act, span) in listed {
            let sentence = around(scale, place, &span);
            let quote = || Quote::Text {
                text: place,
                sentence: sentence.clone(),
                mark: span.clone(),
            };
            if act.writes() {
                let label = "offers an operation that writes";
                scale
                    .on(Kind::Mode, label, quote())
                    .put(ReadOnly, false, Strong);
            }
            if matches!(act, Act::Remove | Act::Replace) {
                let label = "offers an operation that removes";
                scale
                    .on(Kind::Mode, label, quote())
                    .put(Destructive, true, Strong);
            }
        }
    }
}

/// The operations a text lists, each with its bytes: compound names (`orders.cancel`), and
/// with `bare` also single verbs between separators (`one of: list, get, set`).
fn listed(scale: &Scale<'_, '_>, place: usize, bare: bool) -> Vec<(Act, Range<usize>)> {
    let Some(text) = scale.evidence.texts.get(place) else {
        return Vec::new();
    };
    let text = text.decoded.as_ref();
    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '-');
    let separates = |character: char| {
        matches!(
            character,
            ',' | '|' | '/' | '\'' | '"' | '`' | '(' | ')' | ':'
        )
    };
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|character: char| !is_part(character)) {
        let end = at + word.len();
        let before = text
            .get(..at)
            .and_then(|before| before.trim_end().chars().next_back());
        let after = text
            .get(end..)
            .and_then(|after| after.trim_start().chars().next());
        let width = text
            .get(end..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        let name = word.trim_end_matches('.');
        let span = at..at + name.len();
        at = end + width;
        let compound = name.bytes().any(|byte| matches!(byte, b'.' | b'_'));
        let alone = bare && before.is_some_and(separates) && after.is_none_or(separates);
        if !(compound || alone)
            || scale
                .evidence
                .arguments
                .iter()
                .any(|argument| argument.name == name)
        {
            continue;
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        if let Some(act) = modes::member_act(last, scale.lexicon) {
            found.push((act, span));
        }
    }
    found
}

/// The line a span stands in.
fn around(scale: &Scale<'_, '_>, place: usize, span: &Range<usize>) -> Range<usize> {
    let text = scale
        .evidence
        .texts
        .get(place)
        .map(|text| text.decoded.as_ref())
        .unwrap_or_default();
    let start = text
        .get(..span.start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |newline| newline + 1);
    let end = text
        .get(span.end..)
        .and_then(|after| after.find('\n'))
        .map_or(text.len(), |newline| span.end + newline);
    start..end
}
