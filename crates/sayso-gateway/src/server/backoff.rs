//! How long is waited before something is tried again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);

/// Waiting times: half a second, doubled each time up to a minute, each up to a fifth longer or
/// shorter by chance, so that servers that went down together do not come back together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The next waiting time.
    pub(super) fn next(&mut self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(7));
        self.failures = self.failures.saturating_add(1);
        let chance = f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX);
        doubled.min(LONGEST).mul_f64(0.8 + 0.4 * chance)
    }

    /// Begins again: it has worked.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, Duration};

    #[test]
    fn waiting_times_grow_up_to_a_minute() {
        let mut backoff = Backoff::default();
        let mut waits = || backoff.next();
        assert!((400..=600).contains(&waits().as_millis()));
        assert!((800..=1200).contains(&waits().as_millis()));
        for _ in 0..100 {
            assert!(waits() <= Duration::from_secs(72));
        }
        assert!(waits() >= Duration::from_secs(48));
        backoff.reset();
        assert!(backoff.next() < Duration::from_secs(1));
    }
}
