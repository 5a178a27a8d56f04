//! What the store promises at its boundary.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod approvals;
mod faults;
mod files;
mod group;
mod journal;
mod kept;

use std::path::Path;

use sayso_core::approval::{Binding, Shown};
use sayso_core::digest::Digest;
use sayso_core::journal::{Call, Json, Record, Timestamp};
use sayso_store::NewApproval;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

/// A time to begin with.
const NOW: Timestamp = Timestamp(1_790_000_000_000);

fn open(path: &Path, role: Role) -> SqliteStore {
    SqliteStore::open(&options(path, role)).unwrap()
}

fn options(path: &Path, role: Role) -> Options {
    Options {
        path: path.to_owned(),
        role,
        durability: Durability::Process,
    }
}

fn intent(call: &str) -> Record {
    Record::Intent(Box::new(Call {
        attempt: 1,
        call: call.to_owned(),
        caller: "local".to_owned(),
        server: Some("search".to_owned()),
        tool: Some("wipe_index".to_owned()),
        ..Call::default()
    }))
}

fn binding(arguments: &str) -> Binding {
    Binding {
        arguments: Digest::of_text(arguments),
        caller: "local".to_owned(),
        definition: Digest::of_text("definition"),
        policy: Digest::of_text("policy"),
        server: "search".to_owned(),
        tool: "wipe_index".to_owned(),
    }
}

/// An approval of this binding, for a minute.
fn asked(binding: Binding, now: Timestamp) -> NewApproval {
    NewApproval {
        binding,
        shown: Shown {
            arguments: Json::parse(r#"{"index":"docs"}"#).unwrap(),
            call: Some("c1".to_owned()),
            client: None,
            description: None,
            hints: None,
            reasons: Vec::new(),
            served_as: None,
            undo: None,
        },
        now,
        expires_at: now.plus_millis(60_000),
    }
}
