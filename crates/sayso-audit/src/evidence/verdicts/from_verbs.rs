//! Signals from the verbs a description is built on.

use sayso_core::hint::Hint::{Destructive, Idempotent, OpenWorld, ReadOnly};

use super::Strength::{Fair, Strong, Weak};
use super::{Contested, Kind, Quote, Scale, quote_of};
use crate::evidence::act::Act;
use crate::evidence::arguments::Takes;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::{Says, Statement};

pub(super) fn weigh(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    for statement in &evidence.statements {
        if let Says::Head(act) = statement.says {
            head(scale, act, statement);
        }
    }
    if scale.heads.is_empty() {
        by_name(scale);
    }
    steps(scale);
    together(scale);
}

/// What one verb says by itself.
fn head(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    if rehearsed(scale, statement) {
        return;
    }
    let quote = || quote_of(statement);
    let agreed = scale.named(|named| named == act || named.writes() == act.writes());
    let writing = match act {
        Act::Read | Act::Compute | Act::Make | Act::Run => None,
        Act::Job => Some(Fair),
        Act::Connect | Act::Manage | Act::Claim | Act::Interact if !agreed => Some(Fair),
        _ => Some(Strong),
    };
    if let Some(strength) = writing {
        scale
            .on(Kind::Verb, writes_label(act), quote())
            .put(ReadOnly, false, strength);
    }
    let destroys = match act {
        // What can be got back is not lost.
        Act::Remove
            if scale.has_fact(Fact::Recoverable)
                && !scale.has_fact(Fact::Irreversible)
                && !scale.has_fact(Fact::Loses) =>
        {
            Some(Weak)
        }
        Act::Remove | Act::Replace => Some(Strong),
        // Money that has gone out, a button that was pressed: whatever follows has happened.
        Act::Pay if spends(scale, statement) => Some(Weak),
        Act::Pay | Act::Interact => Some(Fair),
        // `Creates a project. Optionally sets it as default.`
        Act::Update if !statement.first && scale.heads.first() == Some(&Act::Add) => Some(Weak),
        Act::Update => Some(Fair),
        Act::End if calls_off(scale, statement) => Some(Fair),
        Act::Save | Act::Bring | Act::Move | Act::End | Act::Step | Act::Adjust => Some(Weak),
        _ => None,
    };
    if let Some(strength) = destroys {
        let signals =
            scale
                .on(Kind::Verb, destroys_label(act), quote())
                .put(Destructive, true, strength);
        if act == Act::Update {
            signals.contested(Contested::UpdateDestructive);
        }
    }
    repeats(scale, act, quote());
    if act == Act::Send {
        let label = "sends something to another party";
        scale
            .on(Kind::SaysContacts, label, quote())
            .put(OpenWorld, true, Weak);
        let label = "sends what cannot be called back";
        let signals = scale
            .on(Kind::SaysContacts, label, quote())
            .put(Destructive, true, Weak);
        signals.contested(Contested::SendDestructive);
    }
}

/// The sentence a statement stands in, in lower case.
fn sentence_of(scale: &Scale<'_, '_>, statement: &Statement) -> String {
    let text = scale.evidence.texts.get(statement.text);
    text.and_then(|text| text.decoded.get(statement.sentence.clone()))
        .map(str::to_ascii_lowercase)
        .unwrap_or_default()
}

/// `Applies a manifest as a dry run`, where no argument makes it a real one.
fn rehearsed(scale: &Scale<'_, '_>, statement: &Statement) -> bool {
    let sentence = sentence_of(scale, statement);
    let holds = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    let dry = [
        "as a dry run",
        "as a dry-run",
        "in dry-run mode",
        "in dry run mode",
    ];
    let chosen = [
        " can ", " may ", "option", " if ", " when ", "default", " or ",
    ];
    holds(&dry)
        && !holds(&chosen)
        && !scale.evidence.arguments.iter().any(|argument| {
            argument.takes == Takes::Boolean || argument.parts().iter().any(|part| part == "mode")
        })
}

/// An order, a booking, a subscription that is cancelled is gone.
fn calls_off(scale: &Scale<'_, '_>, statement: &Statement) -> bool {
    const CALLED_OFF: [&str; 5] = [
        "order",
        "booking",
        "reservation",
        "subscription",
        "appointment",
    ];
    let sentence = sentence_of(scale, statement);
    sentence
        .split_once("cancel")
        .and_then(|(_, rest)| rest.split([',', ';', '.']).next())
        .is_some_and(|rest| {
            rest.split_ascii_whitespace()
                .take(5)
                .any(|word| CALLED_OFF.contains(&word))
        })
}

fn repeats(scale: &mut Scale<'_, '_>, act: Act, quote: Quote) {
    // Several writes in one tool: which of them is repeated is anybody's guess. And adding to
    // a set is not adding to a list.
    let writes = scale.heads.iter().filter(|act| act.writes()).count();
    let mixed = writes > 1;
    let (value, strength, label) = match act {
        // A tag put on twice is on once.
        Act::Add if says_set(scale) || scale.has_fact(Fact::Loses) => return,
        Act::Add if mixed => (false, Weak, "adds one more on each call"),
        Act::Add => (false, Fair, "adds one more on each call"),
        Act::Send => (false, Strong, "sends again on each call"),
        Act::Pay => (false, Strong, "moves money again on each call"),
        Act::Step => (false, Strong, "changes the state again on each call"),
        Act::Interact | Act::Claim | Act::Trigger => (false, Fair, "acts again on each call"),
        Act::Control => (false, Weak, "starts it again on each call"),
        Act::Publish | Act::Run | Act::Job => (false, Weak, "runs again on each call"),
        Act::Update | Act::Replace | Act::Adjust => {
            (true, Fair, "sets the same values again when repeated")
        }
        Act::Select | Act::Mark | Act::Disconnect | Act::End | Act::Save => {
            (true, Fair, "leads to the same state when repeated")
        }
        Act::Remove => (true, Fair, "removes nothing further when repeated"),
        Act::Read
        | Act::Compute
        | Act::Make
        | Act::Bring
        | Act::Move
        | Act::Connect
        | Act::Manage => return,
    };
    let signals = scale
        .on(Kind::Verb, label, quote)
        .put(Idempotent, value, strength);
    if act == Act::Remove {
        signals.contested(Contested::DeleteIdempotent);
    }
}

/// An order placed, an amount added: something more is there, as opposed to a payment made.
fn spends(scale: &Scale<'_, '_>, statement: &Statement) -> bool {
    const SPENDING: [&str; 13] = [
        "add", "order", "buy", "purchas", "invoic", "bill", "rent", "credit", "redeem", "top",
        "deposit", "plac", "bid",
    ];
    let text = scale.evidence.texts.get(statement.text);
    text.and_then(|text| text.decoded.get(statement.mark.clone()))
        .is_some_and(|word| {
            let lower = word.to_ascii_lowercase();
            SPENDING.iter().any(|stem| lower.starts_with(stem))
        })
}

/// Whether the description speaks of membership in a set: a tag put on, a member taken in.
/// Adding to a set twice is adding once; adding a note or a line twice is not.
fn says_set(scale: &Scale<'_, '_>) -> bool {
    const LISTS: [&str; 24] = [
        "credit",
        "funds",
        "money",
        "minutes",
        "points",
        "time",
        "note",
        "comment",
        "line",
        "row",
        "rows",
        "entry",
        "item",
        "items",
        "message",
        "remark",
        "expense",
        "record",
        "event",
        "point",
        "reading",
        "paragraph",
        "block",
        "reply",
    ];
    let text = scale
        .evidence
        .texts
        .first()
        .map(|text| text.decoded.as_ref())
        .unwrap_or_default();
    let first = text.split(['.', '\n']).next().unwrap_or_default();
    let mut words = first
        .split(|character: char| !character.is_alphanumeric())
        .map(str::to_ascii_lowercase);
    let verb = words.next().unwrap_or_default();
    let joins = [
        "add",
        "subscribe",
        "attach",
        "follow",
        "grant",
        "link",
        "star",
        "put",
    ]
    .iter()
    .any(|base| {
        verb == *base
            || verb.strip_suffix('s') == Some(*base)
            || verb.strip_suffix("es") == Some(*base)
    });
    let words: Vec<String> = words.collect();
    // `Adds one replica to …`: one more of them.
    let more = words
        .first()
        .is_some_and(|word| matches!(word.as_str(), "one" | "two" | "another" | "more" | "some"));
    let to = words
        .iter()
        .position(|word| matches!(word.as_str(), "to" | "as" | "on" | "onto"));
    joins
        && !more
        && to.is_some_and(|to| {
            !words
                .iter()
                .take(to)
                .any(|word| LISTS.contains(&word.as_str()))
        })
}

/// Whether what is worked on is a value in the call rather than a thing somewhere.
fn speaks_of_values(scale: &Scale<'_, '_>) -> bool {
    const VALUES: [&str; 24] = [
        "number",
        "numbers",
        "text",
        "string",
        "strings",
        "value",
        "values",
        "unit",
        "units",
        "date",
        "dates",
        "expression",
        "total",
        "distance",
        "checksum",
        "average",
        "percentage",
        "amount",
        "currency",
        "currencies",
        "cost",
        "costs",
        "price",
        "sum",
    ];
    let text = scale
        .evidence
        .texts
        .first()
        .map(|text| text.decoded.as_ref())
        .unwrap_or_default();
    let first = text.split(['.', '\n']).next().unwrap_or_default();
    first
        .split(|character: char| !character.is_alphanumeric())
        .any(|word| VALUES.iter().any(|value| word.eq_ignore_ascii_case(value)))
}

/// Verbs that work something out whatever they are given, unlike `format` or `render`.
fn plainly_computes(scale: &Scale<'_, '_>, first: &Statement) -> bool {
    const PLAIN: [&str; 11] = [
        "comput", "calculat", "simulat", "evaluat", "classif", "solve", "hash", "decod", "encod",
        "build", "mak",
    ];
    let text = scale.evidence.texts.get(first.text);
    text.and_then(|text| text.decoded.get(first.mark.clone()))
        .is_some_and(|word| {
            let lower = word.to_ascii_lowercase();
            PLAIN.iter().any(|stem| lower.starts_with(stem))
        })
}

/// Values worked on within the call: nothing outside is reached.
fn pure(scale: &mut Scale<'_, '_>, first: &Statement) {
    const OUTSIDE: [&str; 12] = [
        "url", "uri", "id", "path", "file", "query", "q", "search", "currency", "location", "city",
        "symbol",
    ];
    let counting = scale
        .heads
        .iter()
        .all(|act| matches!(act, Act::Compute | Act::Read))
        && (scale.has_head(|act| act == Act::Compute) || scale.lower().starts_with("count"));
    if !counting || scale.evidence.arguments.is_empty() || !speaks_of_values(scale) {
        return;
    }
    let outside = scale.evidence.arguments.iter().any(|argument| {
        argument
            .parts()
            .iter()
            .any(|part| OUTSIDE.contains(&part.as_str()))
    });
    let told = scale.tells(&[
        "currenc", "exchange", "price", "live", "latest", "translat", "web", "online",
    ]);
    if !outside && !told {
        let label = "works on what it is given";
        scale
            .on(Kind::SaysClosedWorld, label, quote_of(first))
            .put(OpenWorld, false, Strong);
    }
}

/// What all verbs say together.
fn together(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    let Some(first) = evidence
        .statements
        .iter()
        .find(|statement| matches!(statement.says, Says::Head(_)))
    else {
        return;
    };
    pure(scale, first);
    let all = |wanted: fn(Act) -> bool| scale.heads.iter().all(|act| wanted(*act));
    let harmless = |act: Act| {
        act.adds_only()
            || matches!(
                act,
                Act::Select | Act::Disconnect | Act::Claim | Act::Control | Act::Trigger
            )
            || matches!(act, Act::Publish | Act::Send | Act::Mark)
    };
    let (hint, value, strength, kind, label) = if all(|act| act == Act::Read) {
        let name = evidence.name_verb.as_ref();
        let disagrees = name.is_some_and(|verb| verb.act.writes() && !verb.noun);
        // `The former one stops working at once`: a later sentence tells of an effect.
        let effect = evidence.statements.iter().any(|statement| {
            let fact = matches!(
                statement.says,
                Says::Fact(Fact::Drops | Fact::Loses | Fact::Writes)
            );
            statement.text == first.text && fact && !statement.first
        });
        let strength = if disagrees || effect || !first.first {
            Weak
        } else {
            Strong
        };
        (ReadOnly, true, strength, Kind::SaysReads, "only reads")
    } else if all(|act| matches!(act, Act::Read | Act::Compute)) {
        let strength = if speaks_of_values(scale) || plainly_computes(scale, first) {
            Fair
        } else {
            Weak
        };
        (
            ReadOnly,
            true,
            strength,
            Kind::SaysReads,
            "only works something out",
        )
    } else if all(Act::adds_only) {
        (Destructive, false, Strong, Kind::SaysAdditive, "only adds")
    } else if all(harmless) {
        (Destructive, false, Weak, Kind::Verb, "takes nothing away")
    } else {
        addressed(scale, first);
        return;
    };
    scale
        .on(kind, label, quote_of(first))
        .put(hint, value, strength);
    addressed(scale, first);
}

/// What is stored under a key the caller chooses may replace what is there: `put(key, content)`.
fn addressed(scale: &mut Scale<'_, '_>, first: &Statement) {
    let storing = scale.has_head(|act| matches!(act, Act::Save | Act::Bring));
    let argument = |names: &[&str]| {
        scale.evidence.arguments.iter().any(|argument| {
            argument.top
                && matches!(
                    argument.takes,
                    Takes::Text | Takes::Anything | Takes::Object
                )
                && names.contains(&argument.name.to_ascii_lowercase().as_str())
        })
    };
    let keyed = argument(&[
        "key",
        "path",
        "name",
        "file_path",
        "filepath",
        "filename",
        "object_key",
        "file",
        "slug",
    ]) && argument(&[
        "content",
        "contents",
        "body",
        "data",
        "value",
        "bytes",
        "text",
        "file_content",
    ]);
    let derived = scale.heads.len() > 1
        && scale
            .heads
            .first()
            .is_some_and(|act| matches!(act, Act::Read | Act::Compute | Act::Make))
        && scale.heads.contains(&Act::Save);
    let imports = scale.named_plainly(&["import", "ingest", "load"]);
    if storing && (keyed && !imports || derived) && !scale.has_fact(Fact::AddsOnly) {
        let label = "may replace what is stored there already";
        scale
            .on(Kind::Verb, label, quote_of(first))
            .put(Destructive, true, Fair);
    }
}

/// Verbs that in front of a name hardly ever mean more than reading.
const PLAIN_READS: [&str; 12] = [
    "get", "list", "search", "find", "read", "fetch", "show", "describe", "count", "query", "view",
    "lookup",
];

/// `toggle_light` that `turns the light on if it is off`: the name tells what kind of change it is.
fn steps(scale: &mut Scale<'_, '_>) {
    let Some(verb) = scale.evidence.name_verb.clone() else {
        return;
    };
    if verb.act == Act::Step
        && verb.leads
        && scale.has_head(|act| matches!(act, Act::Adjust | Act::Update | Act::End | Act::Control))
    {
        let quote = Quote::Name { mark: verb.bytes };
        scale
            .on(Kind::Verb, "changes the state again on each call", quote)
            .put(Idempotent, false, Fair);
    }
}

/// A name alone is right one time in ten: weak.
fn by_name(scale: &mut Scale<'_, '_>) {
    let Some(verb) = scale.evidence.name_verb.clone() else {
        return;
    };
    let quote = || Quote::Name {
        mark: verb.bytes.clone(),
    };
    if verb.act.writes() {
        scale
            .on(Kind::Verb, "seems to write", quote())
            .put(ReadOnly, false, Weak);
    } else if verb.act == Act::Read && verb.leads && scale.named_plainly(&PLAIN_READS) {
        scale
            .on(Kind::Verb, "seems to read", quote())
            .put(ReadOnly, true, Fair);
    }
    if verb.act.destroys() {
        // A description that says something else, if nothing plain, leaves only a hunch.
        let strength = if verb.act == Act::Remove && verb.leads && !scale.evidence.is_described() {
            Fair
        } else {
            Weak
        };
        scale
            .on(Kind::Verb, "seems to remove or overwrite", quote())
            .put(Destructive, true, strength);
    }
}

fn writes_label(act: Act) -> &'static str {
    match act {
        Act::Add => "creates or adds something",
        Act::Send => "sends something",
        Act::Publish => "publishes something",
        Act::Pay => "moves money",
        Act::Update | Act::Adjust => "changes something",
        Act::Replace => "replaces something",
        Act::Move => "moves something",
        Act::Remove => "removes something",
        Act::Job => "runs what has effects of its own",
        Act::End | Act::Control | Act::Trigger => "starts, stops or retires something",
        Act::Select => "changes what later calls act on",
        Act::Connect => "opens a session",
        Act::Disconnect => "closes a session",
        Act::Claim => "takes an item for itself",
        Act::Mark => "changes the state of an item",
        Act::Save | Act::Bring => "stores something",
        Act::Manage => "manages something",
        Act::Step | Act::Interact => "acts on something",
        Act::Read | Act::Compute | Act::Make | Act::Run => "does something",
    }
}

fn destroys_label(act: Act) -> &'static str {
    match act {
        Act::Remove => "removes something",
        Act::Replace => "replaces what was there",
        Act::Update => "overwrites the old values",
        Act::Pay => "moves money",
        Act::Interact => "acts on a page or device as a person would",
        _ => "may displace what was there",
    }
}
