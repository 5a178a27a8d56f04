//! Appends to a journal until it is killed, for tests. Takes the file and how many callers append
//! at once; writes each number that was acknowledged to standard output, a line each.

#![expect(clippy::unwrap_used, reason = "it serves tests only")]

use std::io::Write as _;
use std::sync::Arc;

use sayso_core::journal::{Call, Outcome, OutcomeKind, Record, Timestamp};
use sayso_store::Store as _;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap().into();
    let callers: usize = arguments.next().unwrap().parse().unwrap();
    let run = std::process::id();
    let store = Arc::new(
        SqliteStore::open(&Options {
            path,
            role: Role::Gate,
            durability: Durability::Process,
        })
        .unwrap(),
    );
    let callers: Vec<_> = (0..callers)
        .map(|caller| tokio::spawn(calls(Arc::clone(&store), format!("{run}-{caller}"))))
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

/// Intent and outcome, again and again.
async fn calls(store: Arc<SqliteStore>, name: String) {
    for number in 0u32.. {
        let at = Timestamp(i64::from(number));
        let call = format!("{name}-{number}");
        let intent = Call {
            attempt: 1,
            call: call.clone(),
            caller: "local".to_owned(),
            tool: Some("wipe_index".to_owned()),
            ..Call::default()
        };
        let receipt = store.append(at, Record::Intent(Box::new(intent))).await;
        say(receipt.unwrap().seq);
        let outcome = Outcome {
            attempt: 1,
            call,
            caller: "local".to_owned(),
            duration_ms: 1,
            is_error: Some(false),
            outcome: OutcomeKind::Result,
            result: None,
            result_bytes: Some(2),
            said: None,
            server: None,
            tool: Some("wipe_index".to_owned()),
        };
        let receipt = store.append(at, Record::Outcome(Box::new(outcome))).await;
        say(receipt.unwrap().seq);
    }
}

/// A line at once: standard output is line by line.
fn say(seq: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{seq}").unwrap();
}
