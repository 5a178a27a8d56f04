//! Which entries are meant.

use clap::{Args, ValueEnum};
use sayso_core::journal::{Decision, Record, Timestamp};
use sayso_store::EntryQuery;

use crate::cli::store_arguments::now;

/// Which entries are meant.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Those of this call
    #[arg(long, value_name = "ID")]
    call: Option<String>,

    /// Those of this tool, by its name at the server or at the gate
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// Those of this server
    #[arg(long, value_name = "NAME")]
    server: Option<String>,

    /// Those of this caller
    #[arg(long, value_name = "NAME")]
    caller: Option<String>,

    /// Those where this was decided
    #[arg(long, value_enum, value_name = "DECISION")]
    decision: Option<DecisionChoice>,

    /// Those from then on: `30m`, `2h` or `3d` ago, a day, or a time
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Timestamp>,
}

/// [`Decision`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DecisionChoice {
    /// The call went out
    Allow,
    /// A person was asked
    Ask,
    /// It was refused
    Deny,
}

impl Filter {
    /// What the store looks for itself.
    pub(super) fn query(&self) -> EntryQuery {
        EntryQuery {
            call: self.call.clone(),
            since: self.since,
            ..EntryQuery::default()
        }
    }

    /// Whether an entry that the store found fits the rest.
    pub(super) fn fits(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let decision = self.decision.map(|choice| match choice {
            DecisionChoice::Allow => Decision::Allow,
            DecisionChoice::Ask => Decision::Ask,
            DecisionChoice::Deny => Decision::Deny,
        });
        is(&self.call, record.call())
            && (is(&self.tool, record.tool()) || is(&self.tool, served_as(record)))
            && is(&self.server, record.server())
            && is(&self.caller, record.caller())
            && decision.is_none_or(|decision| record.decision() == Some(decision))
    }
}

/// The tool's name at the gate.
fn served_as(record: &Record) -> Option<&str> {
    match record {
        Record::Intent(call) | Record::Permitted(call) => call.served_as.as_deref(),
        Record::Refused(refused) => refused.call.served_as.as_deref(),
        _ => None,
    }
}

/// A time: so long ago, a day or an instant.
fn since(text: &str) -> Result<Timestamp, String> {
    if let Ok(ago) = text.parse::<jiff::SignedDuration>() {
        let millis = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
        return Ok(now().plus_millis(-millis.abs()));
    }
    if let Some(days) = text
        .strip_suffix('d')
        .and_then(|days| days.parse::<u32>().ok())
    {
        return Ok(now().plus_millis(-i64::from(days) * 86_400_000));
    }
    let instant = text.parse::<jiff::Timestamp>().or_else(|_| {
        let day = text.parse::<jiff::civil::Date>()?;
        jiff::tz::TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0))
    });
    match instant {
        Ok(instant) => Ok(Timestamp(instant.as_millisecond())),
        Err(_) => Err(
            "write how long ago, as `30m`, `2h` or `3d`, or a time, as `2026-03-01` or `2026-03-01T12:00:00Z` (UTC)"
                .to_owned(),
        ),
    }
}
