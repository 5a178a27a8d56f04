//! Whether a tool reaches beyond a closed domain.
//!
//! Few descriptions of a closed domain say that it is one. What can be looked at is every way
//! out there is: the verbs, each argument, each word. Where none of them leads out, the world
//! is closed as far as anybody can read.

use std::collections::HashSet;

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::Hint;

use super::Suggestion;
use super::hints::{Weighing, rank};
use crate::evidence::act::Act;
use crate::evidence::arguments::Argument;
use crate::evidence::verdicts::{Contested, Kind, Quote, Signal, Strength};
use crate::semantics::Reading;

pub(super) fn suggest(weighing: &Weighing<'_, '_>) -> Option<Suggestion> {
    match weighing.tool.evidence.verdict(Hint::OpenWorld) {
        Some(signal) => Some(signalled(weighing, signal)),
        None => ways_out(weighing),
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
        (None, strength, _) => (signal.value, rank(strength)),
    };
    weighing.suggestion(signal, value, confidence)
}

/// Parts of argument names that lead, or may lead, to somewhere or somebody else.
const OUTSIDE_ARGUMENTS: &[&str] = &[
    "url",
    "urls",
    "uri",
    "link",
    "links",
    "host",
    "hostname",
    "domain",
    "email",
    "mail",
    "address",
    "recipient",
    "recipients",
    "phone",
    "to",
    "iban",
    "site",
    "website",
    "feed",
    "endpoint",
    "webhook",
    "command",
    "cmd",
    "script",
    "code",
    "sql",
    "cypher",
    "ip",
    "symbol",
    "currency",
    "location",
    "city",
    "query",
    "q",
    "prompt",
    "package",
    "server",
];

/// Words that tell of somewhere or somebody else.
const OUTSIDE_WORDS: &[&str] = &[
    "web",
    "internet",
    "online",
    "network",
    "remote",
    "external",
    "public",
    "publicly",
    "http",
    "https",
    "url",
    "world",
    "carrier",
    "social",
    "weather",
    "news",
    "market",
    "mail",
    "mails",
    "email",
    "emails",
    "inbox",
    "mailbox",
    "browser",
    "invitation",
    "provider",
    "api",
    "abroad",
    "bank",
    "customer",
    "customers",
    "people",
    "person",
    "somebody",
    "someone",
    "outside",
    "third-party",
    "website",
    "websites",
    "download",
    "downloads",
    "upload",
    "uploads",
];

/// Words of an account at an online service, whose world is a matter of reading.
const TENANT_WORDS: &[&str] = &[
    "account",
    "accounts",
    "tenant",
    "workspace",
    "organisation",
    "organization",
    "cloud",
    "bucket",
    "token",
    "crm",
    "hosted",
    "saas",
    "team",
    "channel",
    "repository",
];

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
    let told = |list: &[&str]| list.iter().any(|word| words.contains(*word));
    let page = weighing.tool.tool.page();
    let leads_out = evidence
        .arguments
        .iter()
        .position(|argument| leads_out(argument));
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

fn leads_out(argument: &Argument<'_>) -> bool {
    argument
        .parts()
        .iter()
        .any(|part| OUTSIDE_ARGUMENTS.contains(&part.as_str()))
}

/// The words of the description, in lower case.
fn words(weighing: &Weighing<'_, '_>) -> HashSet<String> {
    let text = weighing.tool.tool.description().unwrap_or_default();
    text.split(|character: char| !(character.is_alphanumeric() || character == '-'))
        .map(str::to_lowercase)
        .collect()
}
