//! Reads servers to be pinned, or to be held against a pin.

use sayso_core::listing::{Completeness, ObservationKind};
use sayso_core::lock::{PinError, PinnedServer};

use super::launch;
use crate::audit_report::Unreadable;
use crate::error::Failure;
use crate::run::{self, Read, Reading, RunOptions};
use crate::targets::PlannedTarget;

/// A target and what it lists.
#[derive(Debug)]
pub(crate) struct Pinning {
    /// The target.
    pub(crate) target: PlannedTarget,
    /// What it lists, or why that is no ground for a pin.
    pub(crate) outcome: Result<PinnedServer, NoPin>,
    /// What a person should know besides.
    pub(crate) notes: Vec<String>,
}

/// Why there is no pin.
#[derive(Debug)]
pub(crate) enum NoPin {
    /// There is no listing.
    Unreadable(Unreadable),
    /// There is one, and it cannot be pinned.
    Refused(PinError),
}

/// Reads every target once.
///
/// # Errors
/// When the run is stopped from outside.
pub(crate) fn read(
    targets: Vec<PlannedTarget>,
    options: &RunOptions,
) -> Result<Vec<Pinning>, Failure> {
    let readings = run::read_all(targets, options)?;
    Ok(readings.into_iter().map(pinned).collect())
}

/// Reads every live target twice over one connection, and once more from a new start: what is
/// drawn by chance when a server starts stays the same until it starts again. A listing that is
/// not the same each time is no ground for a pin.
///
/// # Errors
/// When the run is stopped from outside.
pub(crate) fn read_twice(
    targets: Vec<PlannedTarget>,
    options: &RunOptions,
) -> Result<Vec<Pinning>, Failure> {
    let twice = RunOptions {
        read_twice: true,
        ..options.clone()
    };
    let mut first = read(targets, &twice)?;
    // The targets are lent to the second reading and come back from it in their order.
    let mut lent = Vec::new();
    let mut places = Vec::new();
    let mut kept = Vec::new();
    for (place, pinning) in first.drain(..).enumerate() {
        if pinning.target.is_live() && pinning.outcome.is_ok() {
            places.push((place, pinning.outcome, pinning.notes));
            lent.push(pinning.target);
        } else {
            kept.push((place, pinning));
        }
    }
    let second = read(lent, options)?;
    for ((place, outcome, notes), again) in places.into_iter().zip(second) {
        let outcome = match (outcome, again.outcome) {
            (Ok(first), Ok(second)) => match first.difference(&second) {
                None => Ok(first),
                Some(differs) => Err(NoPin::Refused(PinError::Differs(differs))),
            },
            (Err(no_pin), _) => Err(no_pin),
            (_, Err(NoPin::Unreadable(unreadable))) => {
                let why = format!("the second reading failed: {}", unreadable.message);
                Err(NoPin::Unreadable(Unreadable {
                    message: why,
                    ..unreadable
                }))
            }
            (_, Err(no_pin)) => Err(no_pin),
        };
        let pinning = Pinning {
            target: again.target,
            outcome,
            notes,
        };
        kept.push((place, pinning));
    }
    kept.sort_by_key(|(place, _)| *place);
    Ok(kept.into_iter().map(|(_, pinning)| pinning).collect())
}

fn pinned(reading: Reading) -> Pinning {
    let Reading { target, outcome } = reading;
    match outcome {
        Err(unreadable) => Pinning {
            target,
            outcome: Err(NoPin::Unreadable(unreadable)),
            notes: Vec::new(),
        },
        Ok(read) => {
            let launch = launch::of(&target);
            let (differs, eras) = (
                observed(&read, ObservationKind::ListingDiffers),
                observed(&read, ObservationKind::ErasDiffer),
            );
            let mut notes = read.notes;
            notes.extend(eras.map(|differ| {
                format!("the two protocol eras list different tools, and one of them is pinned: {differ}")
            }));
            let outcome = match differs {
                Some(differs) => Err(PinError::Differs(differs)),
                None => PinnedServer::of(&read.listing, launch),
            };
            Pinning {
                target,
                outcome: outcome.map_err(NoPin::Refused),
                notes,
            }
        }
    }
}

/// What was noticed of one kind while a complete listing was read.
fn observed(read: &Read, kind: ObservationKind) -> Option<String> {
    let listing =
        Some(&read.listing).filter(|listing| listing.completeness == Completeness::Complete)?;
    let mut observations = listing.observations.iter();
    let observation = observations.find(|observation| observation.kind == kind)?;
    Some(observation.detail.clone())
}
