//! Signals from the facts that prose states.

use sayso_core::hint::Hint::{self, Destructive, Idempotent, OpenWorld, ReadOnly};

use super::Strength::{self, Certain, Fair, Strong, Weak};
use super::{CANNOT_BE_UNDONE, Contested, Kind, Scale, quote_of};
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

/// Facts that mean the same whatever else the tool does.
#[rustfmt::skip]
const PLAIN: &[(Fact, Hint, bool, Strength, Kind, &str)] = &[
    (Fact::Idempotent, Idempotent, true, Strong, Kind::SaysIdempotent, "says that a repeat is harmless"),
    (Fact::Guarded, Idempotent, true, Fair, Kind::SaysIdempotent, "says that what is done already is not done again"),
    (Fact::NotIdempotent, Idempotent, false, Certain, Kind::SaysRepeats, "says that it must not be repeated"),
    (Fact::Repeats, Idempotent, false, Strong, Kind::SaysRepeats, "says that each call acts again"),
    (Fact::Costs, Idempotent, false, Fair, Kind::SaysRepeats, "says that a call costs something"),
    (Fact::ReadsOnly, ReadOnly, true, Strong, Kind::SaysReads, "says that nothing is changed"),
    (Fact::SinceLast, ReadOnly, false, Weak, Kind::SaysWrites, "depends on what was read before"),
    (Fact::Consumes, ReadOnly, false, Strong, Kind::SaysWrites, "says that items are marked or taken off"),
    (Fact::WritesFile, ReadOnly, false, Strong, Kind::SaysWrites, "says that something is stored"),
    (Fact::Writes, ReadOnly, false, Fair, Kind::SaysWrites, "says that something is written or changed"),
    (Fact::Public, OpenWorld, true, Fair, Kind::SaysContacts, "says that the public can see it"),
    (Fact::OwnData, OpenWorld, false, Weak, Kind::SaysClosedWorld, "stays inside the server's own data"),
    (Fact::ClosedWorld, OpenWorld, false, Fair, Kind::SaysClosedWorld, "stays inside a closed domain"),
];

fn description(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    if let Some((_, hint, value, strength, kind, label)) =
        PLAIN.iter().find(|(plain, ..)| *plain == fact)
    {
        scale
            .on(*kind, label, quote_of(statement))
            .put(*hint, *value, *strength);
        return;
    }
    match fact {
        Fact::AddsOnly => adds_only(scale, statement),
        Fact::LosesRest if !scale.reads_by_verb() => destroys(scale, fact, statement),
        Fact::MayLose if scale.has_head(|act| act.writes() || act == Act::Run) => {
            let label = "says that something may be lost";
            scale
                .on(Kind::SaysDestroys, label, quote_of(statement))
                .put(Destructive, true, Fair);
        }
        Fact::Local => local(scale, statement),
        Fact::Cursor => {
            let label = "says that a read position moves";
            scale
                .on(Kind::SaysWrites, label, quote_of(statement))
                .put(ReadOnly, false, Strong);
            scale
                .on(Kind::SaysRepeats, label, quote_of(statement))
                .put(Idempotent, false, Fair);
        }
        Fact::Irreversible | Fact::Loses | Fact::Drops => destroys(scale, fact, statement),
        Fact::Random if by_chance(scale) => {
            let label = "works out something by chance";
            scale
                .on(Kind::SaysReads, label, quote_of(statement))
                .put(ReadOnly, true, Strong);
        }
        Fact::Becomes => {
            let strength = if scale.has_head(Act::writes) {
                Fair
            } else {
                Weak
            };
            let label = "says that something is written or changed";
            scale
                .on(Kind::SaysWrites, label, quote_of(statement))
                .put(ReadOnly, false, strength);
        }
        Fact::LaterCalls | Fact::Current => later_calls(scale, fact, statement),
        Fact::MovingTarget => moving_target(scale, statement),
        Fact::Contacts => contacts(scale, statement),
        Fact::OpenWorld | Fact::Outsiders => open_world(scale, fact, statement),
        _ => {}
    }
}

/// Whether everything the tool does is to make something up.
fn by_chance(scale: &Scale<'_, '_>) -> bool {
    scale
        .heads
        .iter()
        .all(|act| matches!(act, Act::Make | Act::Compute | Act::Read))
}

fn adds_only(scale: &mut Scale<'_, '_>, statement: &Statement) {
    let adds = |act| {
        matches!(
            act,
            Act::Add | Act::Make | Act::Save | Act::Bring | Act::Publish
        )
    };
    let keeps = !scale.has_head(Act::destroys) && scale.has_head(adds);
    let label = "says that what was there stays";
    let strength = if keeps { Fair } else { Weak };
    scale
        .on(Kind::SaysAdditive, label, quote_of(statement))
        .put(Destructive, false, strength);
}

fn destroys(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let changing =
        scale.has_head(|act| act.destroys() || matches!(act, Act::End | Act::Save | Act::Move));
    let (strength, label) = match fact {
        Fact::Irreversible if changing => (Certain, CANNOT_BE_UNDONE),
        Fact::Irreversible => (Strong, CANNOT_BE_UNDONE),
        _ => (Strong, "says that something is lost or replaced"),
    };
    // What is sent cannot be called back either, and yet nothing is destroyed.
    let sends = !changing
        && scale.has_head(|act| matches!(act, Act::Send | Act::Publish))
        && !scale.has_head(|act| act == Act::Pay);
    let signals = scale.on(Kind::SaysDestroys, label, quote_of(statement));
    let signals = signals.put(Destructive, true, strength);
    if sends && fact == Fact::Irreversible {
        signals.contested(Contested::SendDestructive);
    }
    // `columns are dropped` from the answer of a reader, as often as from the world.
    let writes = match (scale.reads_by_verb(), fact) {
        (true, Fact::Drops) => Weak,
        (true, _) => Fair,
        _ => Strong,
    };
    scale
        .on(Kind::SaysWrites, label, quote_of(statement))
        .put(ReadOnly, false, writes);
}

/// `for all later calls`, `as default`: what that means depends on the verb.
fn later_calls(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let selects = |act| matches!(act, Act::Select | Act::Update | Act::Adjust);
    let switches = |act| {
        selects(act)
            || matches!(act, Act::Connect | Act::Control | Act::Interact)
            || matches!(act, Act::Manage | Act::Run | Act::Make)
    };
    let means_it = if fact == Fact::Current {
        statement.first && scale.heads.first().is_some_and(|act| selects(*act))
    } else {
        scale.has_head(switches)
    };
    if means_it {
        let label = "changes what later calls act on";
        scale
            .on(Kind::SaysWrites, label, quote_of(statement))
            .put(ReadOnly, false, Strong);
    }
}

fn moving_target(scale: &mut Scale<'_, '_>, statement: &Statement) {
    let follows = |act| {
        matches!(act, Act::Replace | Act::Bring | Act::Remove)
            || matches!(act, Act::Mark | Act::Move | Act::Claim)
    };
    if scale.has_head(follows) {
        let label = "follows a source that moves on between calls";
        scale
            .on(Kind::SaysRepeats, label, quote_of(statement))
            .put(Idempotent, false, Strong);
    }
}

fn contacts(scale: &mut Scale<'_, '_>, statement: &Statement) {
    let reads = scale.reads_by_verb();
    let label = "reaches a person or another party";
    let signals = scale.on(Kind::SaysContacts, label, quote_of(statement));
    if reads {
        signals.put(OpenWorld, true, Weak);
    } else {
        let signals = signals.put(OpenWorld, true, Strong);
        signals
            .put(ReadOnly, false, Fair)
            .put(Idempotent, false, Fair);
    }
}

fn open_world(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let reads = scale.reads_by_verb();
    if fact == Fact::OpenWorld {
        let strength = if reads || scale.heads.is_empty() {
            Strong
        } else {
            Fair
        };
        let label = "reaches beyond a closed domain";
        scale
            .on(Kind::SaysOpenWorld, label, quote_of(statement))
            .put(OpenWorld, true, strength);
    } else if reads {
        let label = "returns what outsiders wrote";
        let signals = scale.on(Kind::SaysOpenWorld, label, quote_of(statement));
        signals
            .put(OpenWorld, true, Weak)
            .contested(Contested::OwnTenant);
    }
}

/// Words that tell of somewhere else.
const ELSEWHERE: [&str; 16] = [
    "http", "url", "remote", "upload", "download", "api", "online", "cloud", "mail", "web",
    "internet", "network", "clone", "server", "push", "publish",
];

/// One machine is a closed domain, unless something is carried to or from it.
fn local(scale: &mut Scale<'_, '_>, statement: &Statement) {
    let stays = |act| {
        matches!(
            act,
            Act::Read
                | Act::Compute
                | Act::Save
                | Act::Update
                | Act::Add
                | Act::Remove
                | Act::Replace
        )
    };
    let elsewhere = scale.tells(&ELSEWHERE) && !scale.tells(&["no network", "offline"]);
    let within = statement.first
        && !scale.heads.is_empty()
        && scale.heads.iter().all(|act| stays(*act))
        && !elsewhere;
    let strength = if within { Strong } else { Fair };
    scale
        .on(
            Kind::SaysClosedWorld,
            "stays inside a closed domain",
            quote_of(statement),
        )
        .put(OpenWorld, false, strength);
}

fn also(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    let label = "says that something is written or changed";
    scale
        .on(Kind::SaysWrites, label, quote_of(statement))
        .put(ReadOnly, false, Fair);
    if matches!(act, Act::Remove | Act::Replace) {
        let label = "says that something is lost or replaced";
        scale
            .on(Kind::SaysDestroys, label, quote_of(statement))
            .put(Destructive, true, Strong);
    }
    if act == Act::Pay {
        let label = "says that money is moved";
        scale
            .on(Kind::SaysDestroys, label, quote_of(statement))
            .put(Destructive, true, Fair);
    }
    if matches!(act, Act::Send | Act::Pay) {
        let label = "says that each call acts again";
        scale
            .on(Kind::SaysRepeats, label, quote_of(statement))
            .put(Idempotent, false, Fair);
    }
}

fn by_argument(scale: &mut Scale<'_, '_>, act: Act, statement: &Statement) {
    let label = "writes when an argument asks for it";
    let signals = scale.on(Kind::WritingArgument, label, quote_of(statement));
    let signals = signals.put(ReadOnly, false, Strong);
    if act == Act::Replace {
        signals.put(Destructive, true, Strong);
    }
}

/// Facts in the description of an argument: what a caller can make happen.
fn argument(scale: &mut Scale<'_, '_>, fact: Fact, statement: &Statement) {
    let (hint, value, strength, kind, label) = match fact {
        Fact::Loses if marked(scale, statement, &["overwr", "replac"]) => {
            let label = "replaces something when an argument asks for it";
            (Destructive, true, Strong, Kind::WritingArgument, label)
        }
        Fact::Consumes | Fact::WritesFile | Fact::NamesFile => {
            let label = "writes when an argument asks for it";
            (ReadOnly, false, Strong, Kind::WritingArgument, label)
        }
        Fact::NotIdempotent => (
            Idempotent,
            false,
            Fair,
            Kind::SaysRepeats,
            "says that it must not be repeated",
        ),
        _ => return,
    };
    scale
        .on(kind, label, quote_of(statement))
        .put(hint, value, strength);
}

/// Whether what a statement marks holds one of these.
fn marked(scale: &Scale<'_, '_>, statement: &Statement, parts: &[&str]) -> bool {
    let text = scale.evidence.texts.get(statement.text);
    text.and_then(|text| text.decoded.get(statement.mark.clone()))
        .is_some_and(|text| {
            let lower = text.to_ascii_lowercase();
            parts.iter().any(|part| lower.contains(part))
        })
}
