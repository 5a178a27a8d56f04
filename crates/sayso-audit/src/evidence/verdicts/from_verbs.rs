//! Signals from the verbs a description is built on.

use sayso_core::hint::Hint;

use super::{Contested, Kind, Quote, Scale, Strength, quote_of};
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
    together(scale);
}

/// What one verb says by itself.
fn head(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    let quote = || quote_of(statement);
    let agreed = scale.named(|named| named == act || named.writes() == act.writes());
    let writing = match act {
        Act::Read | Act::Compute | Act::Make | Act::Run => None,
        Act::Connect | Act::Manage | Act::Claim | Act::Interact if !agreed => Some(Strength::Fair),
        _ => Some(Strength::Strong),
    };
    if let Some(strength) = writing {
        scale.put(
            Hint::ReadOnly,
            false,
            strength,
            Kind::Verb,
            writes_label(act),
            quote(),
        );
    }
    let destroys = match act {
        Act::Remove | Act::Replace => Some(Strength::Strong),
        Act::Update => Some(Strength::Fair),
        Act::Save | Act::Bring | Act::Move | Act::End | Act::Step => Some(Strength::Weak),
        _ => None,
    };
    if let Some(strength) = destroys {
        scale.put(
            Hint::Destructive,
            true,
            strength,
            Kind::Verb,
            destroys_label(act),
            quote(),
        );
    }
    repeats(scale, act, quote());
    if act == Act::Send {
        scale.put(
            Hint::OpenWorld,
            true,
            Strength::Weak,
            Kind::SaysContacts,
            "sends something to another party",
            quote(),
        );
        scale.put(
            Hint::Destructive,
            true,
            Strength::Weak,
            Kind::SaysContacts,
            "sends what cannot be called back",
            quote(),
        );
        scale.contested(Contested::SendDestructive);
    }
}

fn repeats(scale: &mut Scale<'_, '_>, act: Act, quote: Quote) {
    // Several writes in one tool: which of them is repeated is anybody's guess. And adding to
    // a set is not adding to a list.
    let writes = scale.heads.iter().filter(|act| act.writes()).count();
    let mixed = writes > 1 || scale.has_fact(Fact::Loses) || says_set(scale);
    let (value, strength, label) = match act {
        Act::Add if mixed => (false, Strength::Weak, "adds one more on each call"),
        Act::Add => (false, Strength::Fair, "adds one more on each call"),
        Act::Send => (false, Strength::Strong, "sends again on each call"),
        Act::Pay => (false, Strength::Strong, "moves money again on each call"),
        Act::Step => (
            false,
            Strength::Strong,
            "changes the state again on each call",
        ),
        Act::Interact | Act::Claim | Act::Trigger => {
            (false, Strength::Fair, "acts again on each call")
        }
        Act::Control => (false, Strength::Weak, "starts it again on each call"),
        Act::Publish | Act::Run => (false, Strength::Weak, "runs again on each call"),
        Act::Update | Act::Replace => (
            true,
            Strength::Fair,
            "sets the same values again when repeated",
        ),
        Act::Select | Act::Mark | Act::Disconnect | Act::End | Act::Save => (
            true,
            Strength::Fair,
            "leads to the same state when repeated",
        ),
        Act::Remove => (
            true,
            Strength::Fair,
            "removes nothing further when repeated",
        ),
        Act::Read
        | Act::Compute
        | Act::Make
        | Act::Bring
        | Act::Move
        | Act::Connect
        | Act::Manage => return,
    };
    scale.put(Hint::Idempotent, value, strength, Kind::Verb, label, quote);
    if act == Act::Remove {
        scale.contested(Contested::DeleteIdempotent);
    }
}

/// Whether the description speaks of membership in a set: a tag, a role, a star.
fn says_set(scale: &Scale<'_, '_>) -> bool {
    const SETS: [&str; 14] = [
        "tag",
        "tags",
        "label",
        "labels",
        "member",
        "members",
        "role",
        "roles",
        "star",
        "permission",
        "permissions",
        "watcher",
        "reaction",
        "favourites",
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
        .any(|word| SETS.iter().any(|set| word.eq_ignore_ascii_case(set)))
        && first.contains(" to ")
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
    let all = |wanted: fn(Act) -> bool| scale.heads.iter().all(|act| wanted(*act));
    if all(|act| act == Act::Read) {
        let strength = if scale.named(Act::writes) {
            Strength::Fair
        } else {
            Strength::Strong
        };
        scale.put(
            Hint::ReadOnly,
            true,
            strength,
            Kind::SaysReads,
            "only reads",
            quote_of(first),
        );
    } else if all(|act| matches!(act, Act::Read | Act::Compute)) {
        scale.put(
            Hint::ReadOnly,
            true,
            Strength::Fair,
            Kind::SaysReads,
            "only works something out",
            quote_of(first),
        );
    } else if all(Act::adds_only) {
        scale.put(
            Hint::Destructive,
            false,
            Strength::Strong,
            Kind::SaysAdditive,
            "only adds",
            quote_of(first),
        );
    } else if all(|act| {
        act.adds_only()
            || matches!(
                act,
                Act::Select
                    | Act::Disconnect
                    | Act::Claim
                    | Act::Control
                    | Act::Trigger
                    | Act::Publish
            )
    }) {
        scale.put(
            Hint::Destructive,
            false,
            Strength::Fair,
            Kind::Verb,
            "takes nothing away",
            quote_of(first),
        );
    } else if all(|act| {
        act.adds_only() || matches!(act, Act::Send | Act::Mark | Act::Pay | Act::Interact)
    }) {
        scale.put(
            Hint::Destructive,
            false,
            Strength::Weak,
            Kind::Verb,
            "takes nothing away",
            quote_of(first),
        );
    }
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
    if storing && (keyed || derived) && !scale.has_fact(Fact::AddsOnly) {
        let label = "may replace what is stored there already";
        scale.put(
            Hint::Destructive,
            true,
            Strength::Fair,
            Kind::Verb,
            label,
            quote_of(first),
        );
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
        scale.put(
            Hint::ReadOnly,
            false,
            Strength::Weak,
            Kind::Verb,
            "sounds like a write",
            quote(),
        );
    } else if verb.act == Act::Read && verb.leads {
        scale.put(
            Hint::ReadOnly,
            true,
            Strength::Fair,
            Kind::Verb,
            "sounds like a read",
            quote(),
        );
    }
    if verb.act.destroys() {
        let strength = if verb.act == Act::Remove && verb.leads {
            Strength::Fair
        } else {
            Strength::Weak
        };
        scale.put(
            Hint::Destructive,
            true,
            strength,
            Kind::Verb,
            "sounds like a removal or an overwrite",
            quote(),
        );
    }
}

fn writes_label(act: Act) -> &'static str {
    match act {
        Act::Add => "creates or adds something",
        Act::Send => "sends something",
        Act::Publish => "publishes something",
        Act::Pay => "moves money",
        Act::Update => "changes something",
        Act::Replace => "replaces something",
        Act::Move => "moves something",
        Act::Remove => "removes something",
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
        _ => "may displace what was there",
    }
}
