//! What a jail prevents that would happen outside of it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::event::{Act, ChangeKind, Event};
use crate::plan::{Mode, Plan};

/// What an overlay keeps a server from, in words: that is not the tool's failure.
///
/// A folder of the lower side cannot be renamed (`EXDEV`) without `redirect_dir`, which overlays in user
/// namespaces do not have, and what belongs to somebody else cannot be copied up (`EOVERFLOW`).
pub(super) fn of(plan: &Plan, events: &[Event]) -> Vec<String> {
    let limits: BTreeSet<String> = events
        .iter()
        .filter_map(|event| limit(plan, event))
        .collect();
    limits.into_iter().collect()
}

fn limit(plan: &Plan, event: &Event) -> Option<String> {
    let path = match &event.act {
        Act::Open { path, .. } | Act::Change { path, .. } => path,
        _ => return None,
    };
    let lies_under = |path: &Path| {
        plan.overlays
            .iter()
            .any(|over| path.starts_with(&over.lower))
    };
    if plan.mode != Mode::Namespaces || !lies_under(path) {
        return None;
    }
    // The lower side, which the server never changes.
    let status = std::fs::symlink_metadata(path).ok()?;
    let renames = matches!(
        &event.act,
        Act::Change {
            kind: ChangeKind::Rename,
            ..
        }
    );
    if renames && status.is_dir() {
        return Some(format!(
            "the folder {} cannot be renamed under the jail's overlay (EXDEV)",
            path.display()
        ));
    }
    let is_foreign = is_foreign(&status);
    is_foreign.then(|| {
        format!(
            "{} belongs to somebody else and cannot be changed under the jail's overlay (EOVERFLOW)",
            path.display()
        )
    })
}

#[cfg(target_os = "linux")]
fn is_foreign(status: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    status.uid() != rustix::process::geteuid().as_raw()
}

#[cfg(not(target_os = "linux"))]
fn is_foreign(_status: &std::fs::Metadata) -> bool {
    false
}
