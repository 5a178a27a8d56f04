//! What there is to know of a tool, with what a suggestion rests on marked in it.

use std::ops::Range;

use sayso_core::finding::Evidence;
use sayso_core::hint::Claim;
use sayso_core::json::Value;
use sayso_core::reveal::{reveal, reveal_line};
use sayso_core::tool::Tool;
use textwrap::core::display_width;

use crate::classify::question::Question;
use crate::classify::standing::moved_words;
use crate::classify::{Standing, Subject};

use super::super::super::excerpt::head;
use super::super::super::screen::{Screen, Style};
use super::super::super::wording::{client_behaviour, hosts_do, sent};
use super::question::evidence;

pub(super) fn write(screen: &mut Screen, subject: &Subject<'_>, question: Question) {
    let tool = subject.tool;
    let title = tool.title().or_else(|| tool.annotation_title());
    let title = title.map_or_else(String::new, |title| format!("  {}", reveal_line(&title)));
    let label = head(&reveal_line(&tool.label()), screen.width());
    let room = screen.width().saturating_sub(display_width(&label));
    let name = screen.paint(Style::Heading, &label);
    screen.line(&format!("{name}{}", head(&title, room)));
    if let Standing::Stale(changed) = &subject.standing {
        let changed = moved_words(changed);
        screen.labelled(Style::Warning, "ruled before, and changed since", &changed);
    }
    screen.wrapped("claims: ", "  ", &claims(subject));
    if let Some(hosts) = hosts_do(&subject.hosts, "it") {
        screen.wrapped("hosts:  ", "  ", &hosts);
    }
    screen.blank();
    let marked: Vec<&Evidence> = evidence(subject, question).collect();
    description(screen, tool, &marked);
    arguments(screen, tool, &marked);
}

fn claims(subject: &Subject<'_>) -> String {
    let states = subject.tool.claims().states();
    let said: Vec<String> = states
        .iter()
        .filter(|(_, claim)| **claim != Claim::Absent)
        .map(|(hint, claim)| match claim {
            Claim::True | Claim::False => format!("{hint} {claim}"),
            other => format!("{hint} unusable: {}", sent(*other)),
        })
        .collect();
    let said = match said.as_slice() {
        [] => "nothing".to_owned(),
        said => said.join(", "),
    };
    let effective = sayso_core::effective::Effective::from_claims(&states);
    format!("{said}; so {}", client_behaviour(&effective))
}

fn description(screen: &mut Screen, tool: Tool<'_>, evidence: &[&Evidence]) {
    let Some(text) = tool.description().filter(|text| !text.trim().is_empty()) else {
        screen.faint("it has no description");
        return;
    };
    let marks = marks(&text, evidence);
    let shown = reveal(&text).replace('\t', " ");
    let options =
        textwrap::Options::new(screen.width()).word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut from = 0;
    for line in textwrap::wrap(shown.trim_end(), options) {
        // Wrapping takes white space away, and adds nothing.
        let at = shown
            .get(from..)
            .and_then(|rest| rest.find(&*line))
            .map_or(from, |at| from + at);
        from = at + line.len();
        let painted = paint(screen, &line, at, &marks);
        screen.line(&painted);
    }
}

/// A line that begins at `at`, with what matters set apart.
fn paint(screen: &Screen, line: &str, at: usize, marks: &[Range<usize>]) -> String {
    let mut painted = String::new();
    let mut done = 0;
    for mark in marks {
        let start = mark.start.saturating_sub(at).clamp(done, line.len());
        let end = mark.end.saturating_sub(at).clamp(start, line.len());
        let (Some(plain), Some(marked)) = (line.get(done..start), line.get(start..end)) else {
            continue;
        };
        painted.push_str(plain);
        painted.push_str(&screen.paint(Style::Warning, marked));
        done = end;
    }
    painted.push_str(line.get(done..).unwrap_or_default());
    painted
}

/// Where in the text as it is shown the evidence stands.
fn marks(text: &str, evidence: &[&Evidence]) -> Vec<Range<usize>> {
    let shown = |end: usize| text.get(..end).map(|text| reveal(text).len());
    let mut marks: Vec<Range<usize>> = evidence
        .iter()
        .filter(|evidence| evidence.location.pointer.as_str().ends_with("/description"))
        .filter_map(|evidence| {
            let sentence = text.find(&evidence.text)?;
            let start = shown(sentence + evidence.mark.start)?;
            Some(start..shown(sentence + evidence.mark.end)?)
        })
        .collect();
    marks.sort_by_key(|mark| mark.start);
    marks
}

fn arguments(screen: &mut Screen, tool: Tool<'_>, evidence: &[&Evidence]) {
    let schema = tool.input_schema();
    let properties = schema.and_then(|schema| schema.get("properties"));
    let required: Vec<String> = schema
        .and_then(|schema| schema.get("required"))
        .into_iter()
        .flat_map(Value::elements)
        .filter_map(|name| Some(name.as_str()?.into_owned()))
        .collect();
    let mut any = false;
    for member in properties.into_iter().flat_map(Value::members) {
        if !any {
            screen.blank();
            screen.faint("arguments");
        }
        any = true;
        let pointer = member.value.pointer();
        let matters = evidence.iter().any(|evidence| {
            evidence
                .location
                .pointer
                .as_str()
                .starts_with(pointer.as_str())
        });
        let name = head(&reveal_line(&member.key), screen.width().saturating_sub(2));
        let painted = match matters {
            true => screen.paint(Style::Warning, &name),
            false => name.clone(),
        };
        let kind = kind(member.value);
        let needed = if required.iter().any(|name| *name == *member.key) {
            ", required"
        } else {
            ""
        };
        let described = member.value.get("description").and_then(Value::as_str);
        let described = described.map_or_else(String::new, |text| format!(": {text}"));
        let rest = format!(" ({kind}{needed}){described}");
        let room = screen.width().saturating_sub(display_width(&name) + 2);
        screen.line(&format!("  {painted}{}", head(&reveal_line(&rest), room)));
    }
    if !any {
        screen.blank();
        screen.faint("it takes no arguments");
    }
}

/// What an argument may be, in a word or a few.
fn kind(schema: Value<'_>) -> String {
    let values: Vec<String> = schema
        .get("enum")
        .into_iter()
        .flat_map(Value::elements)
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.raw().to_owned(), |text| text.into_owned())
        })
        .collect();
    if !values.is_empty() {
        return values.join(" | ");
    }
    let named = schema.get("type").map(|kind| match kind.as_str() {
        Some(name) => name.into_owned(),
        None => kind
            .elements()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" | "),
    });
    named
        .filter(|named| !named.is_empty())
        .unwrap_or_else(|| "anything".to_owned())
}
