//! A run: every scenario, on every target, in another order in each round.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::figures::{self, Cell};
use crate::load::{self, Ask, Load, Took};
use crate::target::{self, Kind, Process, Target};
use crate::{Result, Settings, block_on};

const FEW: usize = 40;
const MANY: usize = 1000;
const POLICIES: usize = 200;

/// A load over HTTP with its name; so many tools the server has.
struct Scenario {
    name: &'static str,
    tools: usize,
    load: Load,
}

fn scenarios(seconds: f64) -> Vec<Scenario> {
    let scenario = |name, tools, ask, callers, rate| Scenario {
        name,
        tools,
        load: Load {
            ask,
            callers,
            seconds,
            rate,
        },
    };
    vec![
        scenario("echo, 1 caller", FEW, Ask::Echo, 1, None),
        scenario("echo, 16 callers", FEW, Ask::Echo, 16, None),
        scenario("echo, 64 callers", FEW, Ask::Echo, 64, None),
        scenario("64 KiB answer, 1 caller", FEW, Ask::Blob, 1, None),
        scenario(
            "listing of 40 tools, 1 caller",
            FEW,
            Ask::List(FEW),
            1,
            None,
        ),
        scenario(
            "listing of 1,000 tools, 1 caller",
            MANY,
            Ask::List(MANY),
            1,
            None,
        ),
        scenario(
            "echo, 4,000 calls/s by 16 callers",
            FEW,
            Ask::Echo,
            16,
            Some(4000.0),
        ),
    ]
}

/// Measures everything and prints it.
pub(crate) fn run(settings: &Settings) -> Result<()> {
    let kinds = kinds(settings)?;
    let (_few, few_port) = target::part(&["upstream", &FEW.to_string()])?;
    let (_many, many_port) = target::part(&["upstream", &MANY.to_string()])?;
    let few = start(&kinds, few_port)?;
    let many = start(&kinds, many_port)?;
    let mut cells: Vec<Cell> = few
        .iter()
        .map(|target| Cell::memory("memory, idle", target))
        .collect();
    let mut order = Order::new();
    for round in 0..settings.rounds {
        for scenario in order.shuffled(scenarios(settings.seconds).iter()) {
            let targets = if scenario.tools == FEW { &few } else { &many };
            for target in order.shuffled(targets.iter()) {
                let cell = measure(scenario, target, round).map_err(|error| {
                    format!("{} through {}: {error}", scenario.name, target.name)
                })?;
                cells.push(cell);
            }
        }
        for kind in order.shuffled(kinds.iter()) {
            if matches!(kind, Kind::Direct) {
                continue;
            }
            for (name, port) in [
                ("start, 40 tools", few_port),
                ("start, 1,000 tools", many_port),
            ] {
                let started = kind.start(port)?;
                cells.push(Cell::start(name, round, &started));
            }
        }
        for kind in order.shuffled(kinds.iter()) {
            cells.extend(stdio(kind, round, settings.seconds)?);
        }
        eprintln!("round {} of {} done", round + 1, settings.rounds);
    }
    figures::print(&cells, settings.json)
}

fn kinds(settings: &Settings) -> Result<Vec<Kind>> {
    let mut kinds = vec![Kind::Direct, Kind::Copy];
    let program = settings.program.canonicalize().map_err(|error| {
        let program = settings.program.display();
        format!("{program}: {error}\nhint: build it with `cargo build --release`")
    })?;
    for policies in [0, POLICIES] {
        let program = program.clone();
        kinds.push(Kind::Gate { program, policies });
    }
    if let Some(peer) = &settings.peer {
        let peer = peer
            .canonicalize()
            .map_err(|error| format!("{}: {error}", peer.display()))?;
        kinds.push(Kind::Peer(peer));
    }
    Ok(kinds)
}

fn start(kinds: &[Kind], upstream: u16) -> Result<Vec<Target>> {
    kinds.iter().map(|kind| kind.start(upstream)).collect()
}

fn measure(scenario: &Scenario, target: &Target, round: usize) -> Result<Cell> {
    let before = target.cpu();
    let took = block_on(load::http(target.port, target.path, scenario.load))?;
    let cpu = before
        .zip(target.cpu())
        .map(|(before, after)| after - before);
    let seconds = scenario.load.seconds;
    let mut cell = Cell::calls(scenario.name, target.name, round, took, seconds, cpu);
    cell.memory = target.memory();
    Ok(cell)
}

/// Measures a server on standard input and output, alone or behind the gate.
fn stdio(kind: &Kind, round: usize, seconds: f64) -> Result<Option<Cell>> {
    let ours = std::env::current_exe()?;
    let folder = tempfile::tempdir()?;
    let mut command = match kind {
        Kind::Direct => {
            let mut command = Command::new(&ours);
            command.args(["upstream-stdio", &FEW.to_string()]);
            command
        }
        Kind::Gate { program, policies } => {
            let server = format!("command = {ours:?}\nargs = [\"upstream-stdio\", \"{FEW}\"]");
            target::gate_settings(folder.path(), None, *policies, &server)?;
            let mut command = Command::new(program);
            command.args(["gate", "--settings", "sayso.toml"]);
            command
        }
        Kind::Copy | Kind::Peer(_) => return Ok(None),
    };
    command.current_dir(folder.path()).stderr(Stdio::null());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process(command.spawn()?);
    let id = process.0.id();
    let mut input = process.0.stdin.take().ok_or("no input")?;
    let output = process.0.stdout.take().ok_or("no output")?;
    let load = Load {
        ask: Ask::Echo,
        callers: 1,
        seconds,
        rate: None,
    };
    // The exchange blocks, so it runs beside: where no answer comes, the process is ended here.
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let took = load::stdio(&mut input, output, load);
        // Nobody listens any more after the time is over.
        let _ = send.send((took, target::cpu(id)));
    });
    let patience = Duration::from_secs_f64(seconds * 2.0 + 20.0);
    let name = "stdio to stdio, echo, 1 caller";
    let (took, cpu) = receive
        .recv_timeout(patience)
        .map_err(|_| format!("{name} through {}: no answer", kind.name()))?;
    let took: Took = took.map_err(|error| format!("{name} through {}: {error}", kind.name()))?;
    let cpu = cpu.filter(|_| *kind != Kind::Direct);
    Ok(Some(Cell::calls(
        name,
        kind.name(),
        round,
        took,
        seconds,
        cpu,
    )))
}

/// Orders that nobody chose.
struct Order(u64);

impl Order {
    fn new() -> Self {
        Self(RandomState::new().hash_one(Instant::now()) | 1)
    }

    fn shuffled<T>(&mut self, all: impl Iterator<Item = T>) -> Vec<T> {
        let mut keyed: Vec<(u64, T)> = all
            .map(|one| {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                (self.0, one)
            })
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, one)| one).collect()
    }
}
