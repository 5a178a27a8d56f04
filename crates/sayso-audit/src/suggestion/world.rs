//! Whether a tool reaches beyond a closed domain.
//!
//! Few descriptions of a closed domain say that it is one. What can be looked at is every way
//! out there is: the verbs, each argument, each word. Where none of them leads out, the world
//! is closed as far as anybody can read.

use std::collections::{BTreeSet, HashMap, HashSet};

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::{Hint, Hints};

use super::Suggestion;
use super::objects::Named;
use super::weighing::{Weighing, rank};
use crate::context::{Context, ToolReading};
use crate::evidence::act::Act;
use crate::evidence::arguments::Argument;
use crate::evidence::names;
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
use crate::semantics::Reading;

pub(super) fn suggest(weighing: &Weighing<'_, '_>) -> Option<Suggestion> {
    match weighing.tool.evidence.verdict(Hint::OpenWorld) {
        Some(signal) => Some(signalled(weighing, signal)),
        None => elsewhere(weighing).or_else(|| ways_out(weighing)),
    }
}

/// `from the network`, `on the web`: said of what is reached, though of no act of its own.
fn elsewhere(weighing: &Weighing<'_, '_>) -> Option<Suggestion> {
    const BEFORE: &str = "from on over across via search searches in of through";
    const PLACES: &str = "network web internet";
    const NOT: &str = "not no never without nothing neither";
    let evidence = &weighing.tool.evidence;
    let text = weighing.tool.tool.description()?;
    let one_of = |list: &str, word: &str| list.split(' ').any(|one| one == word);
    let mut start = 0;
    for sentence in text.split_inclusive(['.', ';']) {
        let words: Vec<(usize, String)> = words_at(sentence);
        let place = words.windows(3).find_map(|three| match three {
            [(_, before), (_, the), (at, place)]
                if the == "the" && one_of(BEFORE, before) && one_of(PLACES, place) =>
            {
                Some(*at..at + place.len())
            }
            _ => None,
        });
        let place = place.filter(|place| {
            let mut before = words.iter().take_while(|(at, _)| *at < place.start);
            !before.any(|(_, word)| one_of(NOT, word))
        });
        if let Some(place) = place {
            let mark = start + place.start..start + place.end;
            let quote = Quote::Text {
                text: 0,
                sentence: start..start + sentence.trim_end().len(),
                mark,
            };
            let page = weighing.tool.tool.page();
            return Some(Suggestion {
                value: true,
                confidence: Confidence::Medium,
                evidence: evidence
                    .shown(&quote, "lies outside", page)
                    .into_iter()
                    .collect(),
                against: Vec::new(),
                because: "by its description it deals with what lies outside".to_owned(),
            });
        }
        start += sentence.len();
    }
    None
}

/// The words of a text in lower case, each with the byte it begins at.
pub(super) fn words_at(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        if !word.is_empty() {
            found.push((at, word.to_lowercase()));
        }
        // What parts words is one character of any width.
        let rest = text.get(at + word.len()..).unwrap_or_default();
        at += word.len() + rest.chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// What another tool of the listing sends out lies outside: editing or deleting it reaches there.
pub(super) fn follow_what_is_sent(context: &Context<'_>, hints: &mut [Hints<Option<Suggestion>>]) {
    let mut senders: HashMap<BTreeSet<String>, (&ToolReading<'_>, Named)> = HashMap::new();
    for tool in &context.tools {
        if tool.evidence.heads().any(|act| act == Act::Send)
            && let Some(named) = Named::read(tool).filter(|named| !named.all.is_empty())
        {
            senders.entry(named.all.clone()).or_insert((tool, named));
        }
    }
    if senders.is_empty() {
        return;
    }
    for (tool, suggested) in context.tools.iter().zip(hints) {
        let changes = suggested
            .read_only
            .as_ref()
            .is_some_and(|reads| !reads.value);
        let sender = Named::read(tool)
            .filter(|_| changes)
            .and_then(|own| senders.get(&own.all))
            .filter(|(sender, _)| sender.tool.position() != tool.tool.position());
        let (Some((sender, other)), Some(open_world)) = (sender, &mut suggested.open_world) else {
            continue;
        };
        if open_world.value {
            continue;
        }
        let quote = Quote::Name {
            mark: other.mark.clone(),
        };
        let page = sender.tool.page();
        *open_world = Suggestion {
            value: true,
            confidence: Confidence::Low,
            evidence: sender
                .evidence
                .shown(&quote, "sends it out", page)
                .into_iter()
                .collect(),
            against: std::mem::take(&mut open_world.evidence),
            because: format!("{} sends out what this changes", sender.tool.label()),
        };
    }
}

fn signalled(weighing: &Weighing<'_, '_>, signal: &Signal) -> Suggestion {
    let opposed = weighing
        .signals(Hint::OpenWorld, !signal.value)
        .any(|other| other.strength >= Strength::Fair);
    let reading = weighing.semantics.reading(Contested::OwnTenant);
    let (value, confidence) = match (signal.contested, signal.strength, reading) {
        (Some(_), strength, Reading::Yes) => (true, rank(strength).max(Confidence::Medium)),
        (Some(_), _, Reading::No) => (false, Confidence::Medium),
        (Some(_), _, Reading::Either) => (false, Confidence::Low),
        // `Sends …` and what runs within the server: as often to one's own as to others.
        (None, Strength::Weak, _) => (
            signal.value && signal.kind != Kind::FreeForm,
            Confidence::Low,
        ),
        (None, ..) if opposed => (signal.value, Confidence::Low),
        // Said to be closed, and nothing leads out.
        (None, Strength::Fair, _) if !signal.value => {
            let inside =
                ways_out(weighing).is_some_and(|inside| inside.confidence == Confidence::High);
            let confidence = if inside {
                Confidence::High
            } else {
                Confidence::Medium
            };
            (false, confidence)
        }
        // What runs is a matter of the argument alone until the name says it runs things.
        (None, Strength::Fair, _) if signal.kind == Kind::FreeForm => {
            let verb = weighing.tool.evidence.name_verb.as_ref();
            let runs = verb.is_some_and(|verb| verb.act == Act::Run);
            let confidence = if runs {
                Confidence::High
            } else {
                Confidence::Medium
            };
            (true, confidence)
        }
        (None, strength, _) => (signal.value, rank(strength)),
    };
    weighing.suggestion(signal, value, confidence)
}

/// Parts of argument names that lead, or may lead, to somewhere or somebody else.
const OUTSIDE_ARGUMENTS: &str = "url urls uri link links host hostname domain email mail address recipient \
    recipients phone iban site website feed endpoint webhook command cmd script code \
    ip symbol currency location city prompt package server";

/// Parts of argument names that search: in the tool's own data, if nothing says otherwise.
const SEARCHING_ARGUMENTS: &str = "query q search keywords term";

/// Words that tell of somewhere or somebody else.
const OUTSIDE_WORDS: &str = "web internet online network remote external public publicly http https url world \
    carrier social weather news market mail mails email emails inbox mailbox browser \
    invitation provider api abroad bank customer customers people person somebody \
    someone outside third-party website websites download downloads upload uploads";

/// Words of an account at an online service, whose world is a matter of reading.
const TENANT_WORDS: &str = "account accounts tenant workspace organisation organization cloud bucket token crm \
    hosted saas team channel repository";

/// Acts that stay where they are unless something says otherwise.
const fn stays(act: Act) -> bool {
    !matches!(
        act,
        Act::Send
            | Act::Publish
            | Act::Pay
            | Act::Trigger
            | Act::Run
            | Act::Job
            | Act::Connect
            | Act::Interact
            | Act::Bring
    )
}

fn ways_out(weighing: &Weighing<'_, '_>) -> Option<Suggestion> {
    let evidence = &weighing.tool.evidence;
    let mut acts: Vec<Act> = weighing.heads().collect();
    if acts.is_empty() {
        acts.extend(evidence.name_verb.as_ref().map(|verb| verb.act));
    }
    if acts.is_empty() || weighing.semantics.reading(Contested::OwnTenant) == Reading::Yes {
        return None;
    }
    let words = words(weighing);
    let told = |list: &str| list.split(' ').any(|word| words.contains(word));
    let page = weighing.tool.tool.page();
    // The ends of a range, or a place beside another: `from`, `to`.
    let ranges = names_one(&evidence.arguments, "from since start");
    let leads_out = evidence.arguments.iter().position(|argument| {
        named(argument, OUTSIDE_ARGUMENTS) || argument.name == "to" && !ranges
    });
    let (confidence, because) = if let Some(number) = leads_out {
        let quote = Quote::Argument { argument: number };
        let against = evidence.shown(&quote, "may lead somewhere else", page);
        return Some(closed(
            Confidence::Low,
            Vec::new(),
            against.into_iter().collect(),
            "little speaks of anything outside",
        ));
    } else if !acts.iter().all(|act| stays(*act)) {
        (Confidence::Low, "nothing speaks of anything outside")
    } else if told(OUTSIDE_WORDS) {
        (Confidence::Low, "little speaks of anything outside")
    } else if names_one(&evidence.arguments, SEARCHING_ARGUMENTS) {
        let because = "nothing speaks of anything outside, but it searches for anything";
        (Confidence::Medium, because)
    } else if told(TENANT_WORDS) {
        let because = "nothing leads out of the service's own data; whether that counts is a matter of reading";
        (Confidence::Medium, because)
    } else {
        let because = "nothing leads out: neither what it does, nor an argument, nor a word";
        (Confidence::High, because)
    };
    let shown = evidence
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| argument.top && argument.required)
        .filter_map(|(argument, _)| {
            let quote = Quote::Argument { argument };
            evidence.shown(&quote, "names something of its own", page)
        })
        .take(2)
        .collect();
    Some(closed(confidence, shown, Vec::new(), because))
}

fn closed(
    confidence: Confidence,
    evidence: Vec<Evidence>,
    against: Vec<Evidence>,
    because: &str,
) -> Suggestion {
    Suggestion {
        value: false,
        confidence,
        evidence,
        against,
        because: because.to_owned(),
    }
}

fn named(argument: &Argument<'_>, list: &str) -> bool {
    argument
        .parts()
        .iter()
        .any(|part| list.split(' ').any(|word| word == part))
}

fn names_one(arguments: &[Argument<'_>], list: &str) -> bool {
    arguments.iter().any(|argument| named(argument, list))
}

/// The words of the description and the name, in lower case.
fn words(weighing: &Weighing<'_, '_>) -> HashSet<String> {
    let tool = weighing.tool.tool;
    let name = tool.name().unwrap_or_default();
    let in_name = names::parts(&name);
    let in_name = in_name.into_iter().filter_map(|part| name.get(part));
    let text = tool.description().unwrap_or_default();
    text.split(|character: char| !(character.is_alphanumeric() || character == '-'))
        .chain(in_name)
        .map(str::to_lowercase)
        .collect()
}
