//! How servers are spoken with and their listings read: the arguments that every command which does
//! that takes.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::run::RunOptions;

/// How the listings of any number of servers are read.
#[derive(Debug, Args)]
pub(in crate::cli) struct ReadingArgs {
    #[command(flatten)]
    connection: ConnectionArgs,

    /// How many targets to read side by side; one per processor, at least two, unless set
    #[arg(long, short, value_name = "N", help_heading = READING)]
    jobs: Option<NonZeroUsize>,
}

/// How a server is spoken with.
#[derive(Debug, Args)]
pub(in crate::cli) struct ConnectionArgs {
    /// Which protocol to speak; `both` compares what a server lists in each
    #[arg(long, value_enum, default_value_t, help_heading = READING)]
    era: EraChoice,

    #[command(flatten)]
    timeouts: TimeoutArgs,

    /// Give each started server an empty home of its own, and make every other file read-only (Linux)
    #[arg(long, help_heading = READING)]
    private_home: bool,

    /// Start servers without a network (Linux)
    #[arg(long, help_heading = READING)]
    no_network: bool,
}

/// How long a server is waited for.
#[derive(Clone, Copy, Debug, Args)]
pub(in crate::cli) struct TimeoutArgs {
    /// How long to wait for each answer, such as 500ms, 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration, help_heading = READING)]
    pub(in crate::cli) timeout: Duration,

    /// How long to wait for the first answer; 60s unless set, or 120s for a command that fetches a package first
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = READING)]
    pub(in crate::cli) start_timeout: Option<Duration>,
}

/// The heading of options about how a listing is read.
pub(in crate::cli) const READING: &str = "Reading";

/// Which protocol is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraChoice {
    /// `initialize` first, the modern protocol when the server asks for it
    #[default]
    Auto,
    /// Up to 2025-11-25
    Legacy,
    /// From 2026-07-28
    Modern,
    /// One reading in each, compared
    Both,
}

impl ReadingArgs {
    /// How the targets are read; `jobs` is what the settings say.
    pub(in crate::cli) fn run_options(
        &self,
        jobs: Option<NonZeroUsize>,
        progress: bool,
    ) -> RunOptions {
        let processors = std::thread::available_parallelism()
            .map_or(2, usize::from)
            .max(2);
        RunOptions {
            jobs: self.jobs.or(jobs).map_or(processors, usize::from),
            progress,
            ..self.connection.run_options()
        }
    }
}

impl ConnectionArgs {
    /// How a single target is read, without telling of it.
    pub(in crate::cli) fn run_options(&self) -> RunOptions {
        RunOptions {
            jobs: 1,
            era: self.era,
            timeout: self.timeouts.timeout,
            start_timeout: self.timeouts.start_timeout,
            read_twice: false,
            private_home: self.private_home,
            no_network: self.no_network,
            progress: false,
        }
    }
}

/// A number of seconds, or a number with a unit: `30`, `1.5s`, `500ms`, `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let bare = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let with_unit = if bare {
        format!("{text}s")
    } else {
        text.to_owned()
    };
    with_unit
        .parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            "write it as a number of seconds or with a unit, such as 500ms, 30s or 2m".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn a_duration_is_read_as_people_write_it() {
        for (text, millis) in [
            ("30", 30_000),
            ("1.5", 1500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1m 30s", 90_000),
        ] {
            assert_eq!(duration(text).unwrap().as_millis(), millis, "{text}");
        }
        for text in ["", "0", "-3s", "soon", "5 parsecs", "999999999999999999999"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
