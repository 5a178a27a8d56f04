//! How a gate ends: by itself, when it is asked to, and when it is asked a second time.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use sayso_gateway::gate::Gate;
use sayso_mcp::downstream::Stop;
use tokio::time::{Instant, timeout_at};

use super::run::PATIENCE;
use crate::error::Failure;
use crate::exit;

/// How a gate ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Why, for the journal.
    pub(super) reason: String,
    /// How many calls were running then.
    pub(super) running: usize,
    /// The program's exit code.
    pub(super) code: u8,
    /// How long the journal may take for what is left to write.
    pub(super) patience: Duration,
}

/// How long the journal may take at the end.
const WRITING: Duration = Duration::from_secs(10);

/// How long it may take where everything has to end at once.
const WRITING_AT_ONCE: Duration = Duration::from_millis(500);

/// Waits for the end of what is served or for a signal, and ends the gate. Calls may go on for as
/// long as [`PATIENCE`] has it from then; a signal during that ends it at once.
pub(super) async fn end(
    mut served: Pin<Box<impl Future<Output = Result<String, Failure>>>>,
    gate: &Gate,
    stop: &Stop,
) -> Result<Ended, Failure> {
    let mut signals = Signals::new();
    let (due, reason) = tokio::select! {
        ended = &mut served => (Instant::now() + PATIENCE, ended?),
        signal = signals.next() => {
            tracing::info!(signal = signal.verb, "ending: no new calls, running ones may end");
            let due = Instant::now() + PATIENCE;
            gate.wind_down();
            stop.stop();
            tokio::select! {
                _ = timeout_at(due, &mut served) => {}
                again = signals.next() => return Ok(at_once(&again, gate, served)),
            }
            (due, signal.verb.to_owned())
        }
    };
    tokio::select! {
        running = gate.stop(due.saturating_duration_since(Instant::now())) => Ok(Ended {
            reason,
            running,
            code: exit::CLEAN,
            patience: WRITING,
        }),
        again = signals.next() => Ok(at_once(&again, gate, served)),
    }
}

/// The servers end with what watches over them, which ends with this program. Nor is what is served
/// dropped: every call in it would be written down as one that its host has cancelled.
fn at_once<S>(signal: &Signal, gate: &Gate, served: S) -> Ended {
    std::mem::forget(served);
    tracing::warn!(signal = signal.verb, "ending at once");
    Ended {
        reason: format!("{} while it was ending", signal.verb),
        running: gate.running(),
        code: signal.code,
        patience: WRITING_AT_ONCE,
    }
}

/// What asks a gate to end.
#[derive(Clone, Copy, Debug)]
struct Signal {
    /// What it did to the gate.
    verb: &'static str,
    /// The exit code where it ended it at once.
    code: u8,
}

const INTERRUPTED: Signal = Signal {
    verb: "interrupted",
    code: exit::INTERRUPTED,
};

/// The signals, one after another.
#[derive(Debug)]
struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn new() -> Self {
        Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
                .ok(),
        }
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Signal {
        const TERMINATED: Signal = Signal {
            verb: "terminated",
            code: exit::TERMINATED,
        };
        let terminated = async {
            match &mut self.terminate {
                Some(terminate) => terminate.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => INTERRUPTED,
            _ = terminated => TERMINATED,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        INTERRUPTED
    }
}
