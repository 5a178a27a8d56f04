//! The time that expiry is counted by: it goes on with the machine's clock, and never back.
//!
//! A clock that is set back would lengthen every approval there is. Set forward it only ends them
//! early, and what ended early is asked for again.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use sayso_core::journal::Timestamp;

/// A clock that does not go back while it lives, nor behind the time it began with.
#[derive(Debug)]
pub struct Clock(Mutex<Mark>);

/// What time it was, and when.
#[derive(Clone, Copy, Debug)]
struct Mark {
    time: Timestamp,
    at: Instant,
}

impl Clock {
    /// A clock that begins now, or at `not_before` where the machine's says that this is to come.
    #[must_use]
    pub fn new(not_before: Timestamp) -> Self {
        Self(Mutex::new(Mark {
            time: not_before,
            at: Instant::now(),
        }))
    }

    /// The time, by the machine's clock saying `machine`: that, or as long after the last one as has
    /// passed since, whichever is later. A machine that slept is the first, one that was set back
    /// the second.
    pub fn now(&self, machine: Timestamp) -> Timestamp {
        self.read(machine, Instant::now())
    }

    fn read(&self, machine: Timestamp, at: Instant) -> Timestamp {
        let mut mark = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = at.saturating_duration_since(mark.at).as_millis();
        let counted = mark
            .time
            .plus_millis(i64::try_from(passed).unwrap_or(i64::MAX));
        if machine > counted {
            *mark = Mark { time: machine, at };
        }
        machine.max(counted)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use sayso_core::journal::Timestamp;

    use super::Clock;

    const NOON: i64 = 1_900_000_000_000;

    #[test]
    fn a_machine_that_is_set_back_takes_no_time_back() {
        let clock = Clock::new(Timestamp(0));
        let begun = Instant::now();
        let read = |machine: i64, seconds: u64| {
            let at = begun + Duration::from_secs(seconds);
            (clock.read(Timestamp(machine), at).0 - NOON) / 1000
        };
        assert_eq!(read(NOON, 0), 0);
        assert_eq!(read(NOON + 9_000, 9), 9);
        // Set back by an hour: the time goes on as it passes.
        assert_eq!(read(NOON - 3_600_000, 10), 10);
        assert_eq!(read(NOON - 3_590_000, 20), 20);
        // Asleep for a minute, in which the counter stood still.
        assert_eq!(read(NOON + 90_000, 30), 90);
        assert_eq!(read(NOON + 90_000, 31), 91);
    }

    #[test]
    fn it_begins_no_earlier_than_told() {
        let clock = Clock::new(Timestamp(NOON));
        let now = clock.now(Timestamp(NOON - 60_000)).0;
        assert!((NOON..NOON + 60_000).contains(&now), "{now}");
    }
}
