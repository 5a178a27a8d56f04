//! What a server does by itself, taken off what its calls do.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::server::Window;
use crate::change::{Change, Class};
use crate::event::{Act, Event};

/// What was seen while nothing was asked.
#[derive(Debug, Default)]
pub(super) struct Noise {
    paths: BTreeSet<PathBuf>,
    acts: BTreeSet<String>,
}

impl Noise {
    pub(super) fn of(window: &Window) -> Self {
        let quiet = window
            .changes
            .iter()
            .filter(|change| !Self::is_grave(change));
        Self {
            paths: quiet.map(|change| change.path.clone()).collect(),
            acts: window.events.iter().filter_map(key).collect(),
        }
    }

    /// Whether a change is one that no server may hide behind its own noise.
    pub(super) fn is_grave(change: &Change) -> bool {
        change.class == Class::UserData
    }

    /// What is left of a window.
    pub(super) fn taken_off(&self, mut window: Window) -> Window {
        window
            .changes
            .retain(|change| Self::is_grave(change) || !self.paths.contains(&change.path));
        for events in [&mut window.events, &mut window.late] {
            events.retain(|event| key(event).is_none_or(|key| !self.acts.contains(&key)));
        }
        window
    }
}

/// What makes two events the same; none for those that are never noise.
fn key(event: &Event) -> Option<String> {
    match &event.act {
        Act::Open { path, .. } => Some(format!("open {}", path.display())),
        Act::Resolve { name } => Some(format!("resolve {name}")),
        Act::Connect(connection) => {
            let whom = connection.host.as_ref().unwrap_or(&connection.address);
            Some(format!("connect {whom} {:?}", connection.port))
        }
        Act::Execute { arguments, .. } => Some(format!("execute {arguments:?}")),
        Act::Change { .. }
        | Act::Listen { .. }
        | Act::Signal { .. }
        | Act::Socket { .. }
        | Act::Other { .. } => None,
    }
}
