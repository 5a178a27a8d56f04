//! What a call did or tried that a promise can be held against.

use crate::change::{Change, Class, Loss, What};
use crate::event::{Act, ChangeKind, Event};
use crate::judge::contact::is_foreign_service;
use crate::judge::{Standard, contact, paths, words};
use crate::observation::Effects;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    /// Whose it is done to.
    pub(super) class: Class,
    /// What kind.
    pub(super) kind: Kind,
    /// In words.
    pub(super) line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Files differ.
    Change {
        /// Something is gone for good.
        loses: bool,
        /// Nothing but times differ.
        times: bool,
    },
    /// Only the jail, or that there was nobody, kept it from happening.
    Attempt(Threat),
    /// What would have been done by it is not seen.
    Unseen,
}

/// What an attempt would have cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threat {
    /// Something that was there.
    Loss,
    /// Perhaps something that was there.
    PerhapsLoss,
    /// Nothing that is known of.
    NoLoss,
}

/// Everything of the kind in what a call did.
pub(super) fn deeds(effects: &Effects, standard: &Standard) -> Vec<Deed> {
    let listening = contact::listening(all(effects));
    let changes = effects.changes.iter().map(changed);
    let attempts = all(effects).filter_map(|event| attempted(event, &listening, standard));
    changes.chain(attempts).collect()
}

/// All events, those that came late last and none twice.
pub(super) fn all(effects: &Effects) -> impl Iterator<Item = &Event> {
    let late = effects
        .late
        .iter()
        .filter(|event| !effects.events.contains(event));
    effects.events.iter().chain(late)
}

fn changed(change: &Change) -> Deed {
    Deed {
        class: change.class,
        kind: Kind::Change {
            loses: change.lost.is_loss(),
            times: matches!(change.what, What::SavedAgain | What::Times),
        },
        line: words::change(change),
    }
}

/// A change that can be undone and still is no additive update.
pub(super) fn replaces_without_loss(change: &Change) -> bool {
    !change.lost.is_loss()
        && (matches!(change.lost, Loss::Recoverable(_))
            || matches!(
                change.what,
                What::Deleted | What::Renamed { .. } | What::Retyped
            ))
}

fn attempted(event: &Event, listening: &[u16], standard: &Standard) -> Option<Deed> {
    let refused = event.refused.is_some();
    let (class, kind) = match &event.act {
        // Another process's memory: where that is not to be seen, nothing had to be refused.
        Act::Open { path, .. } if paths::is_memory(path) => {
            (Class::UserData, Kind::Attempt(Threat::NoLoss))
        }
        // What only reads a file asks for writing too where it may, and goes on without.
        Act::Open {
            read: true,
            truncate: false,
            existed: true,
            ..
        } => return None,
        Act::Open {
            path,
            truncate,
            existed,
            ..
        } if refused => {
            let threat = match *existed && *truncate {
                true => Threat::Loss,
                false => Threat::NoLoss,
            };
            (paths::class(path, *existed), Kind::Attempt(threat))
        }
        Act::Change { kind, path, .. } if refused => {
            let makes = matches!(
                kind,
                ChangeKind::MakeFolder
                    | ChangeKind::MakeNode
                    | ChangeKind::Symlink
                    | ChangeKind::Link
            );
            let threat = match kind {
                ChangeKind::Remove | ChangeKind::Rename | ChangeKind::Truncate => {
                    Threat::PerhapsLoss
                }
                _ => Threat::NoLoss,
            };
            (paths::class(path, !makes), Kind::Attempt(threat))
        }
        // Signal 0 asks whether there is such a process.
        Act::Signal { signal, own, .. } if !own && *signal != 0 => {
            (Class::UserData, Kind::Attempt(Threat::NoLoss))
        }
        Act::Connect(connection)
            if is_foreign_service(connection, refused, listening, standard) =>
        {
            // What comes of one that was let out is up to who is there.
            let kind = match connection.live {
                true => Kind::Unseen,
                false => Kind::Attempt(Threat::NoLoss),
            };
            (Class::UserData, kind)
        }
        Act::Socket { family } if family == "AF_UNIX" && refused => {
            (Class::UserData, Kind::Attempt(Threat::NoLoss))
        }
        Act::Socket { .. } if refused => (Class::UserData, Kind::Unseen),
        Act::Other { call } => (Class::UserData, by_call(call)?),
        _ => return None,
    };
    Some(Deed {
        class,
        kind,
        line: words::act(&event.act, event.refused.as_deref()),
    })
}

/// What a system call that has no kind of its own stands for.
fn by_call(call: &str) -> Option<Kind> {
    // A ring's operations are read by the kernel itself, past every filter; a handle opens files
    // without their names.
    if call.starts_with("io_uring") || call == "open_by_handle_at" {
        return Some(Kind::Unseen);
    }
    // Handles faults of its own memory.
    (call != "userfaultfd").then_some(Kind::Attempt(Threat::NoLoss))
}
