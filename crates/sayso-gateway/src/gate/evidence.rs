//! What confined calls tried and were refused: it raises the values of their tools at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use sayso_core::effective::Evidence;
use sayso_core::hint::Hint;
use sayso_core::journal::{self, Record};
use sayso_store::Raised;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::Gate;
use crate::confine::{Attempt, Label, Report};

/// Attempts that are told of one call.
const TOLD: usize = 8;

/// How long a call waits until what it has shown counts for the next one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Takes up what is found of calls that nobody waits for any more, until server or gate is gone.
pub(super) async fn listen(
    gate: Weak<Gate>,
    server: String,
    mut reports: UnboundedReceiver<Report>,
) {
    while let Some(report) = reports.recv().await {
        let Some(gate) = gate.upgrade() else { return };
        gate.tried(&server, &report.label, &report.attempts).await;
    }
}

impl Gate {
    /// A confined call tried something and was refused. Where that breaks what the tool promised,
    /// it is written down and counts from now on.
    pub(crate) async fn tried(&self, server: &str, label: &Label, attempts: &[Attempt]) {
        self.metrics
            .refused_acts(server, &label.tool, attempts.len());
        let mut broken: BTreeMap<Hint, Vec<&Attempt>> = BTreeMap::new();
        for attempt in attempts {
            tracing::warn!(
                server,
                tool = label.tool,
                call = label.call,
                "refused in confinement: {attempt}"
            );
            if let Some(hint) = attempt.breaks(label.read_only, label.open_world) {
                broken.entry(hint).or_default().push(attempt);
            }
        }
        for (hint, attempts) in broken {
            self.contradicted(server, label, hint, witness(label, &attempts))
                .await;
        }
    }

    async fn contradicted(&self, server: &str, label: &Label, hint: Hint, witness: String) {
        let raised = Raised {
            server: server.to_owned(),
            tool: label.tool.clone(),
            hint,
            witness: witness.clone(),
            at: self.now(),
        };
        let record = Record::Evidence(Box::new(journal::Evidence {
            call: Some(label.call.clone()),
            hint,
            server: server.to_owned(),
            tool: label.tool.clone(),
            witness,
        }));
        self.memory().raise(&raised);
        if let Err(error) = self.store.append(self.now(), record).await {
            self.metrics.record_lost();
            tracing::error!(%error, "an entry was not written to the journal");
        }
        if let Err(error) = self.store.raise_evidence(raised).await {
            tracing::error!(%error, "what was observed is forgotten when the gate ends");
        }
        self.taken_up(server, &label.tool, hint).await;
    }

    /// Waits until the values that are decided by know of it.
    async fn taken_up(&self, server: &str, tool: &str, hint: Hint) {
        let mut views = self.views();
        let known = async {
            loop {
                views.borrow_and_update();
                if self.knows(server, tool, hint) || views.changed().await.is_err() {
                    return;
                }
            }
        };
        self.stale.notify_one();
        if timeout(PATIENCE, known).await.is_err() {
            tracing::warn!(server, tool, "what was observed does not count yet");
        }
    }

    /// Whether the tool is gone, or its values have this hint contradicted.
    fn knows(&self, server: &str, tool: &str, hint: Hint) -> bool {
        let picture = Arc::clone(&self.picture());
        let Ok(catalogue) = picture.catalogue() else {
            return true;
        };
        let found = catalogue
            .tools()
            .find(|known| known.key.server == server && known.key.tool == tool);
        found.is_none_or(|tool| *tool.evidence.get(hint) == Evidence::Contradicted)
    }
}

fn witness(label: &Label, attempts: &[&Attempt]) -> String {
    let mut told: Vec<String> = attempts
        .iter()
        .take(TOLD)
        .map(ToString::to_string)
        .collect();
    if attempts.len() > TOLD {
        told.push(format!("{} more", attempts.len() - TOLD));
    }
    format!(
        "call {}, in confinement, was refused: {}",
        label.call,
        told.join("; ")
    )
}
