//! Signals from the facts that prose states.

use sayso_core::hint::Hint;

use super::{Contested, Kind, Scale, Strength, quote_of};
use crate::evidence::act::Act;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::{Says, Statement};

pub(super) fn weigh(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    for statement in &evidence.statements {
        let own = evidence.is_described() && statement.text == 0;
        match statement.says {
            Says::Fact(fact) if own => description(scale, fact, statement),
            Says::Fact(fact) => argument(scale, fact, statement),
            Says::Also(act) => also(scale, act, statement),
            Says::ByArgument(act) => by_argument(scale, act, statement),
            Says::Head(_) => {}
        }
    }
}

fn description(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let mut put = |hint, value, strength, kind, label| {
        scale.put(hint, value, strength, kind, label, quote_of(statement))
    };
    match fact {
        Fact::Idempotent => {
            put(
                Hint::Idempotent,
                true,
                Strength::Strong,
                Kind::SaysIdempotent,
                "says that a repeat is harmless",
            );
        }
        Fact::Guarded => {
            put(
                Hint::Idempotent,
                true,
                Strength::Fair,
                Kind::SaysIdempotent,
                "says that what is done already is not done again",
            );
        }
        Fact::NotIdempotent => {
            put(
                Hint::Idempotent,
                false,
                Strength::Certain,
                Kind::SaysRepeats,
                "says that it must not be repeated",
            );
        }
        Fact::Repeats => put(
            Hint::Idempotent,
            false,
            Strength::Strong,
            Kind::SaysRepeats,
            "says that each call acts again",
        ),
        Fact::Costs => put(
            Hint::Idempotent,
            false,
            Strength::Fair,
            Kind::SaysRepeats,
            "says that a call costs something",
        ),
        Fact::ReadsOnly => put(
            Hint::ReadOnly,
            true,
            Strength::Strong,
            Kind::SaysReads,
            "says that nothing is changed",
        ),
        Fact::AddsOnly => adds_only(scale, statement),
        Fact::Public => {
            put(
                Hint::OpenWorld,
                true,
                Strength::Fair,
                Kind::SaysContacts,
                "says that the public can see it",
            );
        }
        Fact::SinceLast => {
            put(
                Hint::ReadOnly,
                false,
                Strength::Weak,
                Kind::SaysWrites,
                "depends on what was read before",
            );
        }
        Fact::Cursor | Fact::Consumes => consumes(scale, fact, statement),
        Fact::Irreversible | Fact::Loses | Fact::Drops => destroys(scale, fact, statement),
        Fact::Random => {
            if scale
                .heads
                .iter()
                .all(|act| matches!(act, Act::Make | Act::Compute | Act::Read))
            {
                let label = "works out something by chance";
                scale.put(
                    Hint::ReadOnly,
                    true,
                    Strength::Strong,
                    Kind::SaysReads,
                    label,
                    quote_of(statement),
                );
            }
        }
        Fact::Writes
        | Fact::Becomes
        | Fact::WritesFile
        | Fact::LaterCalls
        | Fact::Current
        | Fact::MovingTarget => changes(scale, fact, statement),
        Fact::Contacts | Fact::OpenWorld | Fact::Outsiders | Fact::ClosedWorld => {
            domain(scale, fact, statement)
        }
        Fact::Recoverable | Fact::NoApproval | Fact::ExecutesCode | Fact::Anything => {}
    }
}

fn adds_only(scale: &mut Scale<'_, '_>, statement: &Statement) {
    let keeps = !scale.has_head(Act::destroys)
        && scale.has_head(|act| {
            matches!(
                act,
                Act::Add | Act::Make | Act::Save | Act::Bring | Act::Publish
            )
        });
    let strength = if keeps {
        Strength::Fair
    } else {
        Strength::Weak
    };
    let label = "says that what was there stays";
    scale.put(
        Hint::Destructive,
        false,
        strength,
        Kind::SaysAdditive,
        label,
        quote_of(statement),
    );
}

fn consumes(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let label = if fact == Fact::Cursor {
        "says that a read position moves"
    } else {
        "says that items are marked or taken off"
    };
    scale.put(
        Hint::ReadOnly,
        false,
        Strength::Strong,
        Kind::SaysWrites,
        label,
        quote_of(statement),
    );
    if fact == Fact::Cursor {
        scale.put(
            Hint::Idempotent,
            false,
            Strength::Fair,
            Kind::SaysRepeats,
            label,
            quote_of(statement),
        );
    }
}

fn destroys(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let changing =
        scale.has_head(|act| act.destroys() || matches!(act, Act::End | Act::Save | Act::Move));
    let (strength, label) = match fact {
        Fact::Irreversible if changing => (Strength::Certain, "says that it cannot be undone"),
        Fact::Irreversible => (Strength::Strong, "says that it cannot be undone"),
        _ => (Strength::Strong, "says that something is lost or replaced"),
    };
    // What is sent cannot be called back either, and yet nothing is destroyed.
    let sends =
        scale.has_head(|act| matches!(act, Act::Send | Act::Pay | Act::Publish)) && !changing;
    scale.put(
        Hint::Destructive,
        true,
        strength,
        Kind::SaysDestroys,
        label,
        quote_of(statement),
    );
    if sends && fact == Fact::Irreversible {
        scale.contested(Contested::SendDestructive);
    }
    // `columns are dropped` from the answer of a reader, as often as from the world.
    let writes = match (scale.reads_by_verb(), fact) {
        (true, Fact::Drops) => Strength::Weak,
        (true, _) => Strength::Fair,
        _ => Strength::Strong,
    };
    scale.put(
        Hint::ReadOnly,
        false,
        writes,
        Kind::SaysWrites,
        label,
        quote_of(statement),
    );
}

fn changes(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    match fact {
        Fact::Becomes => {
            let strength = if scale.reads_by_verb() {
                Strength::Weak
            } else {
                Strength::Fair
            };
            let label = "says that something is written or changed";
            scale.put(
                Hint::ReadOnly,
                false,
                strength,
                Kind::SaysWrites,
                label,
                quote_of(statement),
            );
        }
        Fact::WritesFile => {
            let label = "says that something is stored";
            scale.put(
                Hint::ReadOnly,
                false,
                Strength::Strong,
                Kind::SaysWrites,
                label,
                quote_of(statement),
            );
        }
        Fact::Current => {
            let switches = |act: &&Act| matches!(act, Act::Select | Act::Update | Act::Adjust);
            if statement.first && scale.heads.first().filter(switches).is_some() {
                let label = "changes what later calls act on";
                scale.put(
                    Hint::ReadOnly,
                    false,
                    Strength::Strong,
                    Kind::SaysWrites,
                    label,
                    quote_of(statement),
                );
            }
        }
        Fact::Writes => {
            let label = "says that something is written or changed";
            scale.put(
                Hint::ReadOnly,
                false,
                Strength::Fair,
                Kind::SaysWrites,
                label,
                quote_of(statement),
            );
        }
        Fact::LaterCalls => {
            let switches = |act| {
                matches!(
                    act,
                    Act::Select
                        | Act::Update
                        | Act::Adjust
                        | Act::Connect
                        | Act::Control
                        | Act::Interact
                        | Act::Manage
                        | Act::Run
                        | Act::Make
                )
            };
            if scale.has_head(switches) {
                let label = "changes what later calls act on";
                scale.put(
                    Hint::ReadOnly,
                    false,
                    Strength::Strong,
                    Kind::SaysWrites,
                    label,
                    quote_of(statement),
                );
            }
        }
        _ => {
            if scale.has_head(|act| {
                matches!(
                    act,
                    Act::Replace | Act::Bring | Act::Remove | Act::Mark | Act::Move | Act::Claim
                )
            }) {
                let label = "follows a source that moves on between calls";
                scale.put(
                    Hint::Idempotent,
                    false,
                    Strength::Strong,
                    Kind::SaysRepeats,
                    label,
                    quote_of(statement),
                );
            }
        }
    }
}

fn domain(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let reads = scale.reads_by_verb();
    match fact {
        Fact::Contacts => {
            let label = "reaches a person or another party";
            let strength = if reads {
                Strength::Weak
            } else {
                Strength::Strong
            };
            scale.put(
                Hint::OpenWorld,
                true,
                strength,
                Kind::SaysContacts,
                label,
                quote_of(statement),
            );
            if !reads {
                scale.put(
                    Hint::ReadOnly,
                    false,
                    Strength::Fair,
                    Kind::SaysContacts,
                    label,
                    quote_of(statement),
                );
                scale.put(
                    Hint::Idempotent,
                    false,
                    Strength::Fair,
                    Kind::SaysContacts,
                    label,
                    quote_of(statement),
                );
            }
        }
        Fact::OpenWorld => {
            let strength = if reads || scale.heads.is_empty() {
                Strength::Strong
            } else {
                Strength::Fair
            };
            let label = "reaches beyond a closed domain";
            scale.put(
                Hint::OpenWorld,
                true,
                strength,
                Kind::SaysOpenWorld,
                label,
                quote_of(statement),
            );
        }
        Fact::Outsiders => {
            let label = "returns what outsiders wrote";
            if reads {
                scale.put(
                    Hint::OpenWorld,
                    true,
                    Strength::Weak,
                    Kind::SaysOpenWorld,
                    label,
                    quote_of(statement),
                );
                scale.contested(Contested::OwnTenant);
            }
        }
        _ => {
            let label = "stays inside a closed domain";
            scale.put(
                Hint::OpenWorld,
                false,
                Strength::Fair,
                Kind::SaysClosedWorld,
                label,
                quote_of(statement),
            );
        }
    }
}

fn also(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    let label = "says that something is written or changed";
    scale.put(
        Hint::ReadOnly,
        false,
        Strength::Fair,
        Kind::SaysWrites,
        label,
        quote_of(statement),
    );
    if matches!(act, Act::Remove | Act::Replace) {
        scale.put(
            Hint::Destructive,
            true,
            Strength::Strong,
            Kind::SaysDestroys,
            "says that something is lost or replaced",
            quote_of(statement),
        );
    }
    if matches!(act, Act::Send | Act::Pay) {
        scale.put(
            Hint::Idempotent,
            false,
            Strength::Fair,
            Kind::SaysRepeats,
            "says that each call acts again",
            quote_of(statement),
        );
    }
}

fn by_argument(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    let label = "lets an argument change something";
    scale.put(
        Hint::ReadOnly,
        false,
        Strength::Strong,
        Kind::WritingArgument,
        label,
        quote_of(statement),
    );
    if matches!(act, Act::Replace) {
        scale.put(
            Hint::Destructive,
            true,
            Strength::Strong,
            Kind::WritingArgument,
            label,
            quote_of(statement),
        );
    }
}

/// Facts in the description of an argument: what a caller can make happen.
fn argument(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let kind = Kind::WritingArgument;
    let label = "lets an argument change something";
    let quote = || quote_of(statement);
    match fact {
        Fact::Loses if marked(scale, statement, &["overwr", "replac"]) => {
            let label = "lets an argument replace something";
            scale.put(
                Hint::Destructive,
                true,
                Strength::Strong,
                kind,
                label,
                quote(),
            );
        }
        Fact::Consumes => scale.put(
            Hint::ReadOnly,
            false,
            Strength::Strong,
            kind,
            label,
            quote(),
        ),
        Fact::WritesFile => scale.put(
            Hint::ReadOnly,
            false,
            Strength::Strong,
            kind,
            label,
            quote(),
        ),
        Fact::NotIdempotent => {
            scale.put(
                Hint::Idempotent,
                false,
                Strength::Fair,
                Kind::SaysRepeats,
                "says that it must not be repeated",
                quote(),
            );
        }
        _ => {}
    }
}

/// Whether what a statement marks holds one of these.
fn marked(scale: &Scale<'_, '_>, statement: &Statement, parts: &[&str]) -> bool {
    let text = scale
        .evidence
        .texts
        .get(statement.text)
        .and_then(|text| text.decoded.get(statement.mark.clone()));
    text.is_some_and(|text| {
        let lower = text.to_ascii_lowercase();
        parts.iter().any(|part| lower.contains(part))
    })
}
