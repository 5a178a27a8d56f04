//! What was measured, and the tables made of it.

use serde::Serialize;

use crate::Result;

/// The calls of one case in one place in one round.
#[derive(Debug, Serialize)]
pub(crate) struct Round {
    pub(crate) call: &'static str,
    pub(crate) place: &'static str,
    pub(crate) round: usize,
    /// How long each took, in microseconds.
    pub(crate) micros: Vec<f64>,
}

/// One start of a server.
#[derive(Debug, Serialize)]
pub(crate) struct Start {
    pub(crate) server: &'static str,
    pub(crate) place: &'static str,
    /// Milliseconds until the first request was answered.
    pub(crate) start: f64,
}

/// What a server holds after its calls, and what was recorded of it.
#[derive(Debug, Serialize)]
pub(crate) struct Kept {
    pub(crate) call: &'static str,
    pub(crate) place: &'static str,
    /// MiB that the server holds.
    pub(crate) server: Option<f64>,
    /// MiB that nobody shares with the processes of the jail.
    pub(crate) jail: Option<f64>,
    /// Recorded system calls of each call.
    pub(crate) recorded: Option<f64>,
}

/// Everything.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) rounds: Vec<Round>,
    pub(crate) starts: Vec<Start>,
    pub(crate) kept: Vec<Kept>,
    /// MiB that this process holds for each jail it watches, before any call.
    pub(crate) watcher: Option<f64>,
}

/// The place that others are compared with.
const BARE: &str = "bare";

/// The value that so many hundredths are not above.
fn quantile(mut values: Vec<f64>, hundredths: usize) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get(last * hundredths / 100).copied()
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(
        || "–".to_owned(),
        |value| format!("{:+.1} %", value * 100.0),
    )
}

/// What is there, once each, in order.
fn once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut kept, one| {
        if !kept.contains(&one) {
            kept.push(one);
        }
        kept
    })
}

impl Figures {
    /// Prints tables, or each measurement as a line of JSON.
    pub(crate) fn print(&self, json: bool) -> Result<()> {
        if json {
            return self.lines();
        }
        println!(
            "| call | where | p50 µs | p99 µs | p50 against bare | of the rounds half within | recorded | server MiB | jail MiB |"
        );
        println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
        for row in once(self.kept.iter().map(|kept| (kept.call, kept.place))) {
            println!("{}", self.call(row.0, row.1));
        }
        if let Some(watcher) = self.watcher {
            println!("\nwatching takes {:.0} KiB a jail\n", watcher * 1024.0);
        }
        println!("| server | where | start ms | against bare |");
        println!("|---|---|---:|---:|");
        for (server, place) in once(self.starts.iter().map(|start| (start.server, start.place))) {
            let of = |place: &str| {
                let all = self.starts.iter();
                let mine = all.filter(|start| start.server == server && start.place == place);
                quantile(mine.map(|start| start.start).collect(), 50)
            };
            let (mine, bare) = (of(place), of(BARE));
            let more = mine.zip(bare).map(|(mine, bare)| mine - bare);
            let more = shown(more.filter(|_| place != BARE), 0);
            println!("| {server} | {place} | {} | {more} |", shown(mine, 0));
        }
        Ok(())
    }

    fn lines(&self) -> Result<()> {
        for round in &self.rounds {
            println!("{}", serde_json::to_string(round)?);
        }
        for start in &self.starts {
            println!("{}", serde_json::to_string(start)?);
        }
        for kept in &self.kept {
            println!("{}", serde_json::to_string(kept)?);
        }
        if let Some(watcher) = self.watcher {
            println!("{}", serde_json::json!({ "watcher": watcher }));
        }
        Ok(())
    }

    fn rounds<'a>(&'a self, call: &'a str, place: &'a str) -> impl Iterator<Item = &'a Round> {
        let all = self.rounds.iter();
        all.filter(move |round| round.call == call && round.place == place)
    }

    /// A row: over all calls, and compared with what stands beside it in the same round.
    fn call(&self, call: &str, place: &str) -> String {
        let all: Vec<f64> = self
            .rounds(call, place)
            .flat_map(|round| round.micros.iter().copied())
            .collect();
        let more: Vec<f64> = self
            .rounds(call, place)
            .filter_map(|round| {
                let bare = self
                    .rounds(call, BARE)
                    .find(|bare| bare.round == round.round)?;
                let bare = quantile(bare.micros.clone(), 50)?;
                Some(quantile(round.micros.clone(), 50)? / bare - 1.0)
            })
            .collect();
        let of = |hundredths| quantile(more.clone(), hundredths).filter(|_| place != BARE);
        let mut kept = self.kept.iter();
        let kept = kept.rfind(|kept| kept.call == call && kept.place == place);
        format!(
            "| {call} | {place} | {} | {} | {} | {} … {} | {} | {} | {} |",
            shown(quantile(all.clone(), 50), 0),
            shown(quantile(all, 99), 0),
            percent(of(50)),
            percent(of(25)),
            percent(of(75)),
            shown(kept.and_then(|kept| kept.recorded), 1),
            shown(kept.and_then(|kept| kept.server), 0),
            shown(kept.and_then(|kept| kept.jail), 1),
        )
    }
}
