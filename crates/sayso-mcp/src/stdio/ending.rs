//! The end of a conversation with a process, and of the process.

use std::time::Duration;

use sayso_core::listing::ObservationKind;
use tokio::time::Instant;

use super::{AFTERMATH, StdioConnection, Turn};
use crate::connection::{Closing, Transport as _};
use crate::error::ReadErrorKind;
use crate::options::deadline;
use crate::supervisor;

/// How long a server may take to end after it was asked to; a supervisor's own patience is shorter.
const TERMINATE_TIMEOUT: Duration = Duration::from_secs(12);

impl StdioConnection {
    /// Ends the conversation and everything that was started for it.
    pub(super) async fn end(mut self) -> Closing {
        let exit = self.exit();
        self.end_process().await;
        let report = self.process.report();
        let mut failure = None;
        if let Some(report) = &report {
            failure = Self::failure(report);
            for leftover in report.leftovers.iter().chain(&report.survivors) {
                self.inbox
                    .observe(ObservationKind::LeftoverProcess, &leftover.command);
            }
        }
        Closing {
            inbox: self.inbox,
            stderr_tail: self.tail.into_lines(),
            exit,
            failure,
        }
    }

    /// Reads on until the process has ended or the time is over.
    async fn drain(&mut self, deadline: Instant) {
        while self.turn(deadline).await == Turn::More {
            while let Some(frame) = self.arrived.pop_front() {
                // Without a question nothing is an answer.
                let _ = self.take(frame, None);
            }
        }
    }

    /// Ends the process with growing insistence.
    async fn end_process(&mut self) {
        self.outlet.close();
        self.drain_until_ended(deadline(Instant::now(), self.options.close_timeout))
            .await;
        if self.process.has_ended() {
            return;
        }
        let detail = format!(
            "it was still running {} after its input closed",
            crate::error::seconds(self.options.close_timeout)
        );
        self.inbox
            .observe(ObservationKind::SignalledToStop, &detail);
        self.process.terminate();
        self.drain_until_ended(Instant::now() + TERMINATE_TIMEOUT)
            .await;
        if !self.process.has_ended() {
            self.process.kill();
            self.drain_until_ended(Instant::now() + AFTERMATH).await;
        }
    }

    async fn drain_until_ended(&mut self, deadline: Instant) {
        while Instant::now() < deadline {
            self.over_at = None;
            self.drain(deadline).await;
            if self.process.has_ended() {
                return;
            }
        }
    }

    fn failure(report: &supervisor::Report) -> Option<ReadErrorKind> {
        report.failure.clone().map(|failure| match failure {
            supervisor::Failure::Start { command, reason } => {
                ReadErrorKind::Spawn { command, reason }
            }
            supervisor::Failure::Isolation { reason, hint } => {
                ReadErrorKind::Isolation { reason, hint }
            }
        })
    }
}

/// How a process ended, in words that continue "the server …".
pub(super) fn describe(status: std::process::ExitStatus) -> String {
    supervisor::Exit::from(status).to_string()
}
