//! What a confined server tried and was refused: in words, and against which hint it speaks.

use sayso_core::hint::Hint;

use crate::change::Class;
use crate::event::{Act, Event, Scope};
use crate::judge::{paths, words};

/// Something that was refused in confinement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was tried, in words.
    pub line: String,
    /// The promise that is broken by trying; none where programs that keep it try so, too: caches,
    /// a socket to whoever knows the names of users.
    pub against: Option<Hint>,
}

/// What an event of a confined server is; `None` where nothing was refused, or nothing worth a word.
#[must_use]
pub fn refused(event: &Event) -> Option<Refusal> {
    event.refused.as_ref()?;
    let against = match &event.act {
        Act::Open { path, .. } if paths::is_memory(path) => Some(Hint::ReadOnly),
        // What only reads a file asks for writing too where it may, and goes on without.
        Act::Open {
            read: true,
            truncate: false,
            existed: true,
            ..
        } => return None,
        Act::Open { path, existed, .. } => written(path, *existed),
        Act::Change { path, to, .. } => written(path, true).or_else(|| written(to.as_ref()?, true)),
        // Signal 0 asks whether there is such a process.
        Act::Signal { signal, own, .. } if *own || *signal == 0 => return None,
        Act::Signal { .. } => Some(Hint::ReadOnly),
        Act::Connect(connection) if connection.scope == Scope::Local => {
            let is_plumbing = paths::is_plumbing(&connection.address);
            (!is_plumbing).then_some(Hint::ReadOnly)
        }
        Act::Connect(_) | Act::Resolve { .. } => Some(Hint::OpenWorld),
        Act::Listen { .. } | Act::Execute { .. } => None,
        // Where names of users come from, C libraries ask a service of this machine first.
        Act::Socket { family } if family == "AF_UNIX" => None,
        Act::Socket { family } if matches!(family.as_str(), "AF_INET" | "AF_INET6") => {
            Some(Hint::OpenWorld)
        }
        Act::Socket { .. } => Some(Hint::ReadOnly),
        Act::Other { call } if call.starts_with("io_uring") || call == "userfaultfd" => None,
        Act::Other { .. } => Some(Hint::ReadOnly),
    };
    Some(Refusal {
        line: words::act(&event.act, None),
        against,
    })
}

fn written(path: &std::path::Path, existed: bool) -> Option<Hint> {
    // Git refreshes its index where it may.
    let is_index = path.ends_with(".git/index.lock");
    (paths::class(path, existed) == Class::UserData && !is_index).then_some(Hint::ReadOnly)
}
