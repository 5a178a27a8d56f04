//! `sayso journal verify`.

use std::collections::HashSet;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use clap::Args;
use sayso_core::journal::{
    Broken, Entry, Hash, Record, Verified, Verifier, WhyBroken, WrittenEntry,
};
use sayso_store::sqlite::Role;

use crate::cli::store_arguments::{StoreArgs, failure};
use crate::cli::to_stdout;
use crate::error::{Failure, Outcome};
use crate::exit;

const EXAMPLES: &str = "\
The chain tells when an entry was changed, moved or left out between others. It cannot tell that
entries are missing at its end: note the last number and hash elsewhere from time to time, and ask
for them with --holds.

Examples:
  sayso journal verify
  sayso journal verify --holds 812:4be1…       what was noted must still be there
  sayso journal verify --exported journal.jsonl

Exit codes: 0 it holds; 1 it does not; 2 it cannot be read";

/// Check that no entry was changed, moved or left out
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyArgs {
    /// An entry that was noted earlier and must be there, as verify wrote it; may be repeated
    #[arg(long, value_name = "NUMBER:HASH", value_parser = noted)]
    holds: Vec<(u64, Hash)>,

    /// Check an exported journal instead of the store
    #[arg(long, value_name = "FILE", conflicts_with = "store")]
    exported: Option<PathBuf>,

    #[command(flatten)]
    store: StoreArgs,
}

/// What was seen on the way.
#[derive(Default)]
struct Seen {
    /// Noted entries that were found.
    noted: Vec<(u64, Hash)>,
    /// Calls that went out and have no outcome yet.
    open: HashSet<(String, u32)>,
}

impl Seen {
    fn see(&mut self, entry: &Entry) {
        match &entry.record {
            Record::Intent(call) => drop(self.open.insert((call.call.clone(), call.attempt))),
            Record::Outcome(outcome) => {
                self.open.remove(&(outcome.call.clone(), outcome.attempt));
            }
            _ => {}
        }
    }
}

impl VerifyArgs {
    pub(super) fn run(self) -> Outcome {
        let mut seen = Seen::default();
        let mut see = |entry: &Entry| {
            let mark = (entry.seq, entry.hash);
            if self.holds.contains(&mark) {
                seen.noted.push(mark);
            }
            seen.see(entry);
        };
        let (file, verified) = match &self.exported {
            Some(file) => (file.clone(), exported(file, &mut see)?),
            None => {
                let store = self.store.open(Role::Reader)?;
                let file = store.path().to_owned();
                (file, store.verify(&mut see).map_err(failure)?)
            }
        };
        let missing = self.holds.iter().find(|mark| !seen.noted.contains(mark));
        let file = file.display();
        match (verified, missing) {
            (Err(broken), _) => Err(does_not_hold(format!(
                "the journal in `{file}` does not hold: {broken}"
            ))
            .hint("everything before that entry holds; keep the file as it is")),
            (Ok(_), Some((seq, _))) => Err(does_not_hold(format!(
                "the journal in `{file}` holds, but entry {seq} is not the one that was noted"
            ))
            .hint("entries are missing at its end, or it was written anew")),
            (Ok(verified), None) => {
                tell(&file.to_string(), &verified, seen.open.len())?;
                Ok(exit::CLEAN)
            }
        }
    }
}

fn does_not_hold(message: String) -> Failure {
    Failure::usage(message).code_of(exit::FINDINGS)
}

fn tell(file: &str, verified: &Verified, open: usize) -> Result<(), Failure> {
    to_stdout(|out| {
        let Verified {
            entries,
            last,
            head,
        } = verified;
        let plural = if *entries == 1 { "entry" } else { "entries" };
        writeln!(out, "the journal in `{file}` holds: {entries} {plural}")?;
        if *entries > 0 {
            writeln!(out, "the last: {last}:{head}")?;
        }
        if open > 0 {
            let calls = if open == 1 { "call" } else { "calls" };
            writeln!(out, "without an outcome: {open} {calls}")?;
        }
        Ok(())
    })
}

/// Goes along an exported journal. It may begin anywhere; from there on nothing may be missing.
fn exported(path: &Path, see: &mut dyn FnMut(&Entry)) -> Result<Result<Verified, Broken>, Failure> {
    let unread = |error: std::io::Error| {
        Failure::usage(format!("cannot read `{}`", path.display())).source(error)
    };
    let file = std::fs::File::open(path).map_err(unread)?;
    let mut verifier: Option<Verifier> = None;
    for line in std::io::BufReader::new(file).lines() {
        let line = line.map_err(unread)?;
        let next = verifier.map_or(1, |verifier| verifier.verified().last + 1);
        let written = match WrittenEntry::from_line(&line) {
            Ok(written) => written,
            Err(why) => return Ok(Err(Broken { seq: next, why })),
        };
        if written.line() != line {
            let (seq, why) = (
                written.seq,
                WhyBroken::Unreadable("the line is not canonical".to_owned()),
            );
            return Ok(Err(Broken { seq, why }));
        }
        let verifier = verifier.get_or_insert_with(|| {
            Verifier::behind(written.seq.saturating_sub(1), written.previous)
        });
        match verifier.check(&written) {
            Ok(entry) => see(&entry),
            Err(broken) => return Ok(Err(broken)),
        }
    }
    Ok(Ok(verifier.unwrap_or_default().verified()))
}

/// `812:4be1…`.
fn noted(text: &str) -> Result<(u64, Hash), String> {
    let (seq, hash) = text
        .split_once(':')
        .ok_or("write it as `sayso journal verify` does: a number, a colon, a hash")?;
    let seq = seq
        .parse()
        .map_err(|_| format!("`{seq}` is no number of an entry"))?;
    let hash = hash.parse().map_err(|error| format!("{error}"))?;
    Ok((seq, hash))
}
