//! Measures whole calls through `sayso gate` from outside, beside no proxy, a raw copy of the bytes
//! and a peer, all in one run. See `docs/guides/benchmarks.md`.
//!
//! ```text
//! cargo bench -p sayso --bench gate_calls -- --one-core
//! cargo bench -p sayso --bench gate_calls -- --peer ./mcp-proxy --rounds 5
//! ```

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark talks to the person who runs it"
)]

mod copy;
mod figures;
mod load;
mod run;
mod target;
mod upstream;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Anything that ends a run, in words.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures whole calls through `sayso gate`, beside no proxy, a raw copy and a peer.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    run: Settings,
}

/// What to measure, and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Settings {
    /// The gate's program; unless set, the one that was built with this benchmark.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_sayso"), hide_default_value = true)]
    program: PathBuf,
    /// The program of the Rust `mcp-proxy` to measure beside the gate.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// How long each measurement lasts.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// How often everything is measured, each time in another order.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Keep callers, proxies and servers on one core.
    #[arg(long)]
    one_core: bool,
    /// Print every measurement as a line of JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// What `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The other parts of a run, which are processes of their own.
#[derive(Debug, Subcommand)]
enum Part {
    /// Serves MCP over HTTP on a free port of the loopback, which is printed.
    #[command(hide = true)]
    Upstream { tools: usize },
    /// Serves MCP on standard input and output.
    #[command(hide = true)]
    UpstreamStdio { tools: usize },
    /// Copies bytes between a free port, which is printed, and another.
    #[command(hide = true)]
    Copy { to: u16 },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.part {
        Some(Part::Upstream { tools }) => block_on(upstream::serve(tools)),
        Some(Part::UpstreamStdio { tools }) => upstream::serve_stdio(tools),
        Some(Part::Copy { to }) => block_on(copy::serve(to)),
        None => one_core(arguments.run.one_core).and_then(|()| run::run(&arguments.run)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a future on a runtime of one thread.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(future)
}

/// Pins this process, and with it all that it starts, to the first core it may use.
fn one_core(wanted: bool) -> Result<()> {
    #[cfg(target_os = "linux")]
    if wanted {
        let may = rustix::thread::sched_getaffinity(None)?;
        let mut first = rustix::thread::CpuSet::new();
        let core = (0..rustix::thread::CpuSet::MAX_CPU).find(|core| may.is_set(*core));
        first.set(core.unwrap_or_default());
        rustix::thread::sched_setaffinity(None, &first)?;
    }
    #[cfg(not(target_os = "linux"))]
    if wanted {
        return Err("--one-core works on Linux only".into());
    }
    Ok(())
}
