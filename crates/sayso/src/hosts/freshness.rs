//! How old what is known of a host may get before it is shown as old.

use jiff::civil::Date;
use sayso_audit::hosts::Behaviour;

/// After how many days a profile is shown as old, unless set.
pub(crate) const STALE_AFTER_DAYS: u32 = 180;

/// How old a profile may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Freshness {
    /// The day to count from; `None` where the clock gives no day a calendar has.
    today: Option<Date>,
    /// The most days a profile is fresh for.
    pub(crate) stale_after_days: u32,
}

impl Freshness {
    /// Counted from today.
    pub(crate) fn new(stale_after_days: u32) -> Self {
        Self {
            today: crate::today::today().and_then(|today| today.to_string().parse().ok()),
            stale_after_days,
        }
    }

    /// Whether what is known of a host was read longer ago than that.
    pub(crate) fn is_stale(&self, behaviour: &Behaviour) -> bool {
        let read: Option<Date> = behaviour.date_read.parse().ok();
        let (Some(today), Some(read)) = (self.today, read) else {
            return false;
        };
        // Between two days of the calendar there are fewer days than an i64 can count.
        let age = today.duration_since(read).as_hours() / 24;
        age > i64::from(self.stale_after_days)
    }
}

#[cfg(test)]
mod tests {
    use sayso_audit::hosts::HostProfile;

    use super::Freshness;

    #[test]
    fn a_profile_is_old_from_the_day_after_its_last_fresh_one() {
        let host = HostProfile::find("documented-defaults").unwrap();
        let mut behaviour = host.behaviour.clone().unwrap();
        behaviour.date_read = "2026-01-01".to_owned();
        for (today, stale) in [
            ("2025-12-31", false),
            ("2026-01-01", false),
            ("2026-06-30", false),
            ("2026-07-01", true),
            ("2031-01-01", true),
        ] {
            let freshness = Freshness {
                today: Some(today.parse().unwrap()),
                stale_after_days: 180,
            };
            assert_eq!(freshness.is_stale(&behaviour), stale, "{today}");
        }
    }
}
