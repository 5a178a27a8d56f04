//! How much of a server's standard error goes into the log.

use std::time::{Duration, Instant};

/// Lines in a second; what goes past that is counted and left out.
const LINES: u32 = 200;

/// Counts the lines of each second.
#[derive(Debug, Default)]
pub(super) struct LineRate {
    second: Option<Instant>,
    lines: u32,
    dropped: u64,
}

impl LineRate {
    /// Whether a line goes into the log, and how many were left out since the last one that did.
    pub(super) fn admit(&mut self, now: Instant) -> Option<u64> {
        let over = |since: Instant| now.duration_since(since) >= Duration::from_secs(1);
        if self.second.is_none_or(over) {
            self.second = Some(now);
            self.lines = 0;
        }
        if self.lines >= LINES {
            self.dropped += 1;
            return None;
        }
        self.lines += 1;
        Some(std::mem::take(&mut self.dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, LineRate};

    #[test]
    fn a_flood_is_counted_and_left_out() {
        let mut rate = LineRate::default();
        let start = Instant::now();
        let admitted = (0..1000).filter(|_| rate.admit(start).is_some()).count();
        assert_eq!(admitted, 200);
        assert_eq!(rate.admit(start + Duration::from_secs(1)), Some(800));
        assert_eq!(rate.admit(start + Duration::from_secs(1)), Some(0));
    }
}
