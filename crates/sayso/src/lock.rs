//! Listings pinned, and held against what was pinned: what `sayso lock` works with.
//!
//! [`pin`] reads servers, [`file`] the lock; [`change`] holds one against the other and weighs
//! each difference. [`LockReport`] is everything a report format needs.

pub(crate) mod change;
pub(crate) mod file;
mod flagged;
pub(crate) mod launch;
pub(crate) mod pin;

use sayso_core::lock::{PinError, PinnedServer};

use crate::audit_report::{ConfiguredIn, TargetDescription, Unreadable};

pub(crate) use change::{Change, Weight};

/// The mildest change that makes a run fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailOn {
    /// Any change
    Neutral,
    /// More risk is claimed, less is reached, or a tool is gone
    Tightening,
    /// Less risk is claimed, more is reached, or something is new
    #[default]
    Relaxing,
    /// No change
    Never,
}

impl FailOn {
    /// Whether a change of this weight makes the run fail.
    pub(crate) fn fails(self, weight: Weight) -> bool {
        match self {
            Self::Neutral => true,
            Self::Tightening => weight >= Weight::Tightening,
            Self::Relaxing => weight >= Weight::Held,
            Self::Never => false,
        }
    }
}

/// What a run was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Pin what is not pinned, compare what is.
    Pin,
    /// Compare.
    Check,
    /// Compare, and take over.
    Accept,
}

/// What one run has to tell.
#[derive(Debug)]
pub(crate) struct LockReport {
    /// Sayso's own version.
    pub(crate) version: &'static str,
    /// The lock, as it was named.
    pub(crate) file: String,
    /// What was asked.
    pub(crate) action: Action,
    /// Whether a person is about to be asked: what is marked as accepted is so only then.
    pub(crate) asks: bool,
    /// The mildest change that fails.
    pub(crate) fail_on: FailOn,
    /// Every target in the order it was named or found.
    pub(crate) servers: Vec<LockedServer>,
    /// What was left out and why. A line each.
    pub(crate) notes: Vec<String>,
}

/// One target and what came of it.
#[derive(Debug)]
pub(crate) struct LockedServer {
    /// What it is called in the lock.
    pub(crate) name: String,
    /// How it was reached.
    pub(crate) target: TargetDescription,
    /// The configuration that names it.
    pub(crate) configured_in: Option<ConfiguredIn>,
    /// What came of it.
    pub(crate) state: State,
}

/// What came of one target.
#[derive(Debug)]
pub(crate) enum State {
    /// There is no listing.
    Unreadable(Unreadable),
    /// The listing cannot be pinned, and so not be compared.
    Unpinnable(PinError),
    /// There is no pin to compare it with.
    Unpinned {
        /// What it lists.
        now: PinnedServer,
        /// Whether it was pinned by this run.
        pinned: bool,
    },
    /// It was compared.
    Compared {
        /// What was pinned.
        before: Box<PinnedServer>,
        /// What it lists.
        now: Box<PinnedServer>,
        /// Everything that differs, by tool; empty when nothing does.
        changes: Vec<Change>,
    },
}

impl LockedServer {
    /// The changes, where it was compared.
    pub(crate) fn changes(&self) -> &[Change] {
        match &self.state {
            State::Compared { changes, .. } => changes,
            _ => &[],
        }
    }

    /// Whether this is a reason to fail.
    pub(crate) fn fails(&self, report: &LockReport) -> bool {
        match &self.state {
            State::Unreadable(_) => false,
            State::Unpinnable(_) => true,
            State::Unpinned { pinned, .. } => !pinned && report.fail_on.fails(Weight::Held),
            State::Compared { changes, .. } => changes
                .iter()
                .any(|change| !change.accepted && report.fail_on.fails(change.weight)),
        }
    }
}

impl LockReport {
    /// Whether every target was read to its end.
    pub(crate) fn whole(&self) -> bool {
        !self.servers.iter().any(|server| {
            matches!(
                server.state,
                State::Unreadable(_) | State::Unpinnable(PinError::Incomplete(_))
            )
        })
    }

    /// Whether anything fails the run.
    pub(crate) fn fails(&self) -> bool {
        self.servers.iter().any(|server| server.fails(self))
    }
}
