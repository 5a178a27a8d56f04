//! What was measured, and the tables made of it.

use serde::Serialize;

use crate::Result;
use crate::load::Took;
use crate::target::Target;

/// One measurement: a scenario on a target in a round.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Cell {
    pub(crate) scenario: &'static str,
    pub(crate) target: &'static str,
    pub(crate) round: usize,
    /// Microseconds.
    pub(crate) p50: Option<f64>,
    /// Microseconds.
    pub(crate) p99: Option<f64>,
    pub(crate) calls_per_second: Option<f64>,
    /// Microseconds of processor time a call.
    pub(crate) cpu: Option<f64>,
    /// MiB.
    pub(crate) memory: Option<f64>,
    /// Milliseconds from the start to a listing.
    pub(crate) start: Option<f64>,
}

impl Cell {
    /// The figures of a load; `cpu` in microseconds, for all of its calls.
    pub(crate) fn calls(
        scenario: &'static str,
        target: &'static str,
        round: usize,
        mut took: Took,
        seconds: f64,
        cpu: Option<f64>,
    ) -> Self {
        took.micros.sort_by(f64::total_cmp);
        Self {
            scenario,
            target,
            round,
            p50: quantile(&took.micros, 50),
            p99: quantile(&took.micros, 99),
            calls_per_second: Some(count(took.micros.len()) / seconds),
            cpu: cpu.map(|cpu| cpu / count(took.all.max(1))),
            ..Self::default()
        }
    }

    /// How long a target took to be there.
    pub(crate) fn start(scenario: &'static str, round: usize, target: &Target) -> Self {
        Self {
            scenario,
            target: target.name,
            round,
            start: Some(target.started.as_secs_f64() * 1e3),
            ..Self::default()
        }
    }

    /// What a target holds.
    pub(crate) fn memory(scenario: &'static str, target: &Target) -> Self {
        Self {
            scenario,
            target: target.name,
            memory: target.memory(),
            ..Self::default()
        }
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

/// The value that so many hundredths of the sorted values are not above.
fn quantile(sorted: &[f64], hundredths: usize) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get(last * hundredths / 100).copied()
}

/// The median of what is there.
fn median(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut values: Vec<f64> = values.flatten().collect();
    values.sort_by(f64::total_cmp);
    quantile(&values, 50)
}

/// Prints tables, or each measurement as a line of JSON.
pub(crate) fn print(cells: &[Cell], json: bool) -> Result<()> {
    if json {
        for cell in cells {
            println!("{}", serde_json::to_string(cell)?);
        }
        return Ok(());
    }
    println!(
        "| scenario | target | p50 µs | added p50 | p99 µs | added p99 | calls/s | CPU µs/call | RSS MiB | start ms |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut done: Vec<(&str, &str)> = Vec::new();
    let mut ordered: Vec<&Cell> = cells.iter().collect();
    ordered.sort_by_key(|cell| (cell.scenario, cell.target));
    for cell in ordered {
        let row = (cell.scenario, cell.target);
        if !done.contains(&row) {
            done.push(row);
            println!("{}", line(cells, row.0, row.1));
        }
    }
    Ok(())
}

/// A row: medians over the rounds, and of what was added in the same round.
fn line(cells: &[Cell], scenario: &str, target: &str) -> String {
    let mine = || {
        let all = cells.iter();
        all.filter(|cell| cell.scenario == scenario && cell.target == target)
    };
    let added = |of: fn(&Cell) -> Option<f64>| {
        median(mine().map(|cell| {
            let direct = cells.iter().find(|other| {
                other.scenario == scenario && other.round == cell.round && other.target == "direct"
            });
            Some(of(cell)? - of(direct?)?)
        }))
    };
    let values = [
        (median(mine().map(|cell| cell.p50)), 0),
        (added(|cell| cell.p50).filter(|_| target != "direct"), 0),
        (median(mine().map(|cell| cell.p99)), 0),
        (added(|cell| cell.p99).filter(|_| target != "direct"), 0),
        (median(mine().map(|cell| cell.calls_per_second)), 0),
        (median(mine().map(|cell| cell.cpu)), 1),
        (median(mine().map(|cell| cell.memory)), 1),
        (median(mine().map(|cell| cell.start)), 1),
    ];
    let values = values.map(|(value, digits)| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
    });
    format!("| {scenario} | {target} | {} |", values.join(" | "))
}
