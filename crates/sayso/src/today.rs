//! The one place that asks the clock for the day.

use sayso_audit::admit::Date;

/// Today, in UTC.
pub(crate) fn today() -> Option<Date> {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%d")
        .to_string()
        .parse()
        .ok()
}

/// Today, in UTC, as the calendar counts.
pub(crate) fn civil() -> jiff::civil::Date {
    jiff::tz::TimeZone::UTC
        .to_datetime(jiff::Timestamp::now())
        .date()
}
