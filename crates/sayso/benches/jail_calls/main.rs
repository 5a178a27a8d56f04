//! Measures what it costs a server to be watched by `sayso verify`, and to be confined by the gate:
//! calls, starts and memory, beside the same server without a jail. See `docs/guides/benchmarks.md`.
//!
//! ```text
//! cargo xtask install
//! cargo bench -p sayso --bench jail_calls
//! cargo bench -p sayso --bench jail_calls -- --only write_file --rounds 50
//! ```

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark talks to the person who runs it"
)]

mod case;
mod figures;
mod kind;
mod run;
mod server;

use std::process::ExitCode;

use clap::Parser;

/// Anything that ends a run, in words.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures servers in the jails of `sayso verify` and of the gate's confinement, beside the same servers
/// without one.
///
/// The servers are the pinned ones of the tests: `cargo xtask install` installs them. Needs Linux.
#[derive(Debug, Parser)]
pub(crate) struct Settings {
    /// How often each call is measured everywhere, each time in another order.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// How many calls are made at a time.
    #[arg(long, default_value_t = 25)]
    calls: usize,
    /// How often servers are started to see how long that takes.
    #[arg(long, default_value_t = 5)]
    starts: usize,
    /// Measure only the calls that have this in their name.
    #[arg(long, default_value = "", hide_default_value = true)]
    only: String,
    /// A run of seconds, which shows that everything works and measures nothing well.
    #[arg(long)]
    quick: bool,
    /// Print every measurement as a line of JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// What `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let mut settings = Settings::parse();
    if settings.quick {
        (settings.rounds, settings.calls, settings.starts) = (2, 3, 1);
    }
    match run::run(&settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
