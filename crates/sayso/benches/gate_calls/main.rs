//! Whole calls through the gate, beside none, a copy of bytes, and a peer, in turn in each round:
//!
//! ```text
//! cargo bench -p sayso --bench gate_calls -- --one-core
//! cargo bench -p sayso --bench gate_calls -- --peer ./mcp-proxy --rounds 5
//! ```
//!
//! Shared machines drift: what counts is the difference to the direct way of the same round, and its
//! median over rounds. The gate has journal, pins and validation on, and 1 or 200 policies.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark ends where something is wrong, and talks to whoever runs it"
)]

mod load;
mod proxies;
mod relay;
mod server;

use std::time::Duration;

use clap::Parser;
use load::{Measured, What};
use proxies::{Proxy, Way};

/// Measures whole calls.
#[derive(Debug, Parser)]
struct Arguments {
    /// How long each measurement takes, in seconds.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// How often all ways are gone.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// How many call at once.
    #[arg(long, value_delimiter = ',', default_value = "1,16,64")]
    callers: Vec<usize>,
    /// Let everything run on one core: the length of the path, without wake-ups of cores.
    #[arg(long)]
    one_core: bool,
    /// The program to measure; the one that was built with this benchmark unless set.
    #[arg(long)]
    program: Option<std::path::PathBuf>,
    /// A peer: the Rust program `mcp-proxy`.
    #[arg(long)]
    peer: Option<std::path::PathBuf>,
    /// What `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
    /// A part of the benchmark, which it starts itself.
    #[arg(long, hide = true, num_args = 2..=3)]
    part: Option<Vec<String>>,
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(part) = &arguments.part {
        return run_part(part);
    }
    if arguments.one_core {
        let mut cores = rustix::thread::CpuSet::new();
        cores.set(0);
        rustix::thread::sched_setaffinity(None, &cores).unwrap();
    }
    let program = arguments
        .program
        .clone()
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_sayso").into());
    let mut ways = vec![
        Way::Direct,
        Way::Copy,
        Way::Gate { policies: 1 },
        Way::Gate { policies: 200 },
    ];
    ways.extend(arguments.peer.clone().map(Way::Peer));
    calls(&arguments, &program, &ways);
    starts(&program, &ways);
}

fn run_part(part: &[String]) {
    let number = |place: usize| part[place].parse().unwrap();
    match part[0].as_str() {
        "server" => server::serve(number(1)),
        "relay" => relay::serve(part[1].parse().unwrap()),
        other => panic!("there is no part {other}"),
    }
}

fn calls(arguments: &Arguments, program: &std::path::Path, ways: &[Way]) {
    println!("| what | way | p50 µs | added | p99 µs | added | calls/s | CPU µs/call | RSS MiB |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let whats = arguments
        .callers
        .iter()
        .map(|callers| (What::Echo, *callers, 40))
        .chain([
            (What::Blob, 1, 40),
            (What::List, 1, 40),
            (What::List, 1, 1000),
        ]);
    for (what, callers, tools) in whats {
        let server = proxies::server(tools);
        let proxies: Vec<Proxy> = ways
            .iter()
            .map(|way| Proxy::start(way, program, &server))
            .collect();
        let mut rounds: Vec<Vec<Measured>> = vec![Vec::new(); ways.len()];
        for round in 0..arguments.rounds {
            // Another one first each time.
            for place in 0..ways.len() {
                let place = (place + round) % ways.len();
                let time = Duration::from_secs_f64(arguments.seconds);
                rounds[place].push(load::measure(&proxies[place], what, callers, tools, time));
            }
        }
        for (way, measured) in ways.iter().zip(&rounds) {
            let of = |pick: fn(&Measured) -> f64| median(measured.iter().map(pick));
            let added = |pick: fn(&Measured) -> f64| {
                let pairs = measured.iter().zip(&rounds[0]);
                median(pairs.map(|(one, direct)| pick(one) - pick(direct)))
            };
            println!(
                "| {what} of {tools} tools, {callers} callers | {way} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} |",
                of(|one| one.p50),
                added(|one| one.p50),
                of(|one| one.p99),
                added(|one| one.p99),
                of(|one| one.rate),
                of(|one| one.processor),
                of(|one| one.memory),
            );
        }
    }
}

/// From the start of a program to its first listing.
fn starts(program: &std::path::Path, ways: &[Way]) {
    println!("\n| start to first listing, ms | 40 tools | 1,000 tools |\n|---|---:|---:|");
    for way in ways
        .iter()
        .filter(|way| !matches!(way, Way::Direct | Way::Copy))
    {
        let times = [40, 1000].map(|tools| {
            let server = proxies::server(tools);
            // A first listing is pinned once.
            let folder = tempfile::tempdir().unwrap();
            median((0..5).map(|_| {
                let begun = std::time::Instant::now();
                let proxy = Proxy::start_in(way, program, &server, folder.path());
                load::first_listing(&proxy, tools);
                begun.elapsed().as_secs_f64() * 1000.0
            }))
        });
        println!("| {way} | {:.0} | {:.0} |", times[0], times[1]);
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
