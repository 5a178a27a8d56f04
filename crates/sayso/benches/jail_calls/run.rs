//! A run: starts, then every call in every place, in another order in each round.

use std::path::{Path, PathBuf};

use crate::case::{self, Case};
use crate::figures::{Figures, Kept, Round, Start};
use crate::kind::{KINDS, Kind};
use crate::server::{self, Server};
use crate::{Result, Settings};

/// So many calls are made before the first round.
const WARM: usize = 200;

/// A server that is kept for all rounds.
struct Running {
    kind: Kind,
    server: Server,
    /// What was recorded of it before its calls were measured, and how many it had answered.
    before: (usize, u64),
}

/// Measures everything and prints it.
pub(crate) fn run(settings: &Settings) -> Result<()> {
    let servers = servers()?;
    server::lose_patience();
    let mut figures = Figures::default();
    let mut cases = case::cases();
    cases.retain(|case| case.name.contains(&settings.only));
    if cases.is_empty() {
        return Err(format!("no call has `{}` in its name", settings.only).into());
    }
    for round in 0..settings.starts {
        starts(&cases, round, &servers, &mut figures)?;
    }
    let mut running = keep(&cases, settings, &servers, &mut figures)?;
    for round in 0..settings.rounds {
        for (case, places) in cases.iter().zip(&mut running) {
            let calls = (settings.calls / case.one_of).max(1);
            // Each place is the first, the second and so on in turn.
            let count = places.len();
            for place in turned(count, round) {
                let Some(place) = places.get_mut(place) else {
                    continue;
                };
                let micros = (0..calls).map(|_| place.server.call(case));
                figures.rounds.push(Round {
                    call: case.name,
                    place: place.kind.name(),
                    round,
                    micros: micros.collect::<Result<_>>().map_err(|error| {
                        format!("{}, {}: {error}", case.name, place.kind.name())
                    })?,
                });
            }
        }
    }
    for (case, places) in cases.iter().zip(&running) {
        figures
            .kept
            .extend(places.iter().map(|place| kept(case, place)));
    }
    figures.print(settings.json)
}

/// Where the servers are that `cargo xtask install` installs.
fn servers() -> Result<PathBuf> {
    let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.servers");
    let found = servers.canonicalize().ok();
    let found =
        found.filter(|servers| servers.join("npm").exists() && servers.join("python").exists());
    let missing = "the servers are not installed\nhint: `cargo xtask install` installs them";
    Ok(found.ok_or(missing)?)
}

/// Numbers below `count`, from another one on each time, every second time backwards.
fn turned(count: usize, round: usize) -> Vec<usize> {
    let mut turned: Vec<usize> = (0..count)
        .map(|place| (place + round / 2) % count)
        .collect();
    if round % 2 == 1 {
        turned.reverse();
    }
    turned
}

fn starts(cases: &[Case], round: usize, servers: &Path, figures: &mut Figures) -> Result<()> {
    for case in cases {
        let Some(name) = case.starts else { continue };
        for place in turned(KINDS.len(), round) {
            let Some(kind) = KINDS.get(place).copied() else {
                continue;
            };
            let started = start(case, kind, servers)?;
            figures.starts.push(Start {
                server: name,
                place: kind.name(),
                start: started.started.as_secs_f64() * 1e3,
            });
        }
    }
    Ok(())
}

fn start(case: &Case, kind: Kind, servers: &Path) -> Result<Server> {
    Server::start(case, kind, servers)
        .map_err(|error| format!("{}, {}: {error}", case.name, kind.name()).into())
}

/// Starts everything and lets it warm up.
fn keep(
    cases: &[Case],
    settings: &Settings,
    servers: &Path,
    figures: &mut Figures,
) -> Result<Vec<Vec<Running>>> {
    let ours = || server::held(std::process::id(), "Rss:");
    let (before, mut jails) = (ours(), 0_u32);
    let mut running = Vec::new();
    for case in cases {
        let mut places = Vec::new();
        for kind in KINDS {
            let server = start(case, kind, servers)?;
            jails += u32::from(matches!(kind, Kind::Jailed(..)));
            places.push(Running {
                kind,
                server,
                before: (0, 0),
            });
        }
        running.push(places);
    }
    let held = before.zip(ours()).map(|(before, after)| after - before);
    figures.watcher = held.map(|held| held / f64::from(jails));
    let warm = if settings.quick { 2 } else { WARM };
    for (case, places) in cases.iter().zip(&mut running) {
        for place in places {
            for _ in 0..(warm / case.one_of).max(1) {
                place.server.call(case)?;
            }
            place.before = (place.server.events().unwrap_or(0), place.server.calls);
        }
    }
    Ok(running)
}

fn kept(case: &Case, place: &Running) -> Kept {
    let (events, calls) = place.before;
    let memory = place.server.memory();
    let number = |count: usize| u32::try_from(count).map_or(f64::NAN, f64::from);
    let calls = usize::try_from(place.server.calls - calls).unwrap_or_default();
    Kept {
        call: case.name,
        place: place.kind.name(),
        server: memory.map(|memory| memory.server),
        jail: memory.map(|memory| memory.jail),
        recorded: place
            .server
            .events()
            .map(|now| number(now - events) / number(calls.max(1))),
    }
}
