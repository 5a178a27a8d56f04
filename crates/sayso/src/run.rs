//! Reads the listings of all targets, side by side.

mod eras;
mod live;
mod progress;
mod stop;

pub(crate) use live::{http, mcp_target, to_the_end};
pub(crate) use stop::Stop;

use std::time::{Duration, Instant};

use sayso_core::listing::Listing;

use crate::audit_report::Unreadable;
use crate::cli::EraChoice;
use crate::error::Failure;
use crate::saved;
use crate::targets::{PlannedTarget, Source};

/// How targets are read.
#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    /// How many at the same time.
    pub(crate) jobs: usize,
    /// Which protocol.
    pub(crate) era: EraChoice,
    /// How long to wait for each answer.
    pub(crate) timeout: Duration,
    /// How long to wait for the first answer; by the kind of target if not set.
    pub(crate) start_timeout: Option<Duration>,
    /// Whether to read each listing twice and compare.
    pub(crate) read_twice: bool,
    /// Whether a server gets a home directory of its own.
    pub(crate) private_home: bool,
    /// Whether a server is started without a network.
    pub(crate) no_network: bool,
    /// Whether progress is shown where there is a terminal for it.
    pub(crate) progress: bool,
}

/// A target and what was read from it.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The target.
    pub(crate) target: PlannedTarget,
    /// What came of it.
    pub(crate) outcome: Result<Read, Unreadable>,
}

/// A listing that was read.
#[derive(Debug)]
pub(crate) struct Read {
    /// The listing.
    pub(crate) listing: Listing,
    /// What a person should know besides.
    pub(crate) notes: Vec<String>,
    /// The last lines on standard error.
    pub(crate) stderr_tail: Vec<String>,
    /// From start to the last page.
    pub(crate) duration: Duration,
}

/// Reads every target; the readings stand in the order of the targets. A target that cannot be
/// read is a reading too. Saved listings need no runtime and are read on the spot.
///
/// # Errors
/// When the run is stopped from outside; every server that was started is being stopped by then.
pub(crate) fn read_all(
    targets: Vec<PlannedTarget>,
    options: &RunOptions,
) -> Result<Vec<Reading>, Failure> {
    let mut outcomes: Vec<Option<Result<Read, Unreadable>>> = targets.iter().map(at_once).collect();
    if targets.iter().any(PlannedTarget::is_live) {
        for (index, outcome) in live::read(&targets, options)? {
            if let Some(slot) = outcomes.get_mut(index) {
                *slot = Some(outcome);
            }
        }
    }
    let readings = targets
        .into_iter()
        .zip(outcomes)
        .map(|(target, outcome)| Reading {
            target,
            outcome: outcome.unwrap_or_else(|| Err(Unreadable::new("it was not read"))),
        });
    Ok(readings.collect())
}

/// What can be told of a target without a runtime.
fn at_once(target: &PlannedTarget) -> Option<Result<Read, Unreadable>> {
    let started = Instant::now();
    let listing = match &target.source {
        Source::Saved(path) => saved::read_file(path),
        Source::StandardInput => saved::read_standard_input(),
        Source::Unreadable(unreadable) => Err(unreadable.clone()),
        Source::Process(_) | Source::Http(_) => return None,
    };
    Some(listing.map(|listing| Read {
        listing,
        notes: Vec::new(),
        stderr_tail: Vec::new(),
        duration: started.elapsed(),
    }))
}
