//! Rules that change while the gate runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sayso_audit::semantics::Semantics;
use sayso_core::journal::{self, Record};
use sayso_gateway::gate::{Gate, Rules};
use sayso_store::Store;

use super::rules::Place;
use super::run::journal;
use crate::config::Settings;
use crate::error::Failure;

/// How often the files are looked at.
const EVERY: Duration = Duration::from_secs(1);

/// What is read again when it changes.
#[derive(Debug)]
pub(crate) struct Reload {
    /// The settings file.
    pub(crate) file: PathBuf,
    /// Where the rules are now.
    pub(crate) place: Place,
    /// How the rules of the linter read what is contested.
    pub(crate) semantics: Semantics,
}

impl Reload {
    /// Reads everything again.
    fn read(&mut self) -> Result<Rules, Failure> {
        let settings = Settings::read(&self.file)
            .map_err(|error| Failure::usage(error.to_string()).hint_if_known(error.hint()))?;
        let place = Place {
            settings: settings.gate,
            folder: self.place.folder.clone(),
        };
        let rules = place.read(self.semantics)?;
        self.place = place;
        Ok(rules)
    }

    /// When each file was written last, and how long it is.
    fn stamps(&self) -> Vec<Option<(SystemTime, u64)>> {
        let files = self.place.files().into_iter().chain([self.file.clone()]);
        files
            .map(|file| {
                let metadata = std::fs::metadata(file).ok()?;
                Some((metadata.modified().ok()?, metadata.len()))
            })
            .collect()
    }
}

/// Takes up rules whenever they change. What cannot be read leaves those there are.
pub(super) async fn reload_on_change(gate: Arc<Gate>, mut reload: Reload, store: Arc<dyn Store>) {
    let mut before = reload.stamps();
    let mut hangup = Hangup::new();
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {
                if reload.stamps() == before {
                    continue;
                }
                // Who writes a file may not be done.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            () = hangup.received() => {}
        }
        let record = match reload.read() {
            Ok(rules) => {
                tracing::info!("the rules were read again");
                gate.reload(rules);
                journal::Settings {
                    taken_up: true,
                    ..journal::Settings::default()
                }
            }
            Err(failure) => {
                let said = failure.to_string();
                tracing::error!(
                    error = said,
                    "the rules changed and cannot be read: the old ones stay"
                );
                journal::Settings {
                    said: vec![said],
                    ..journal::Settings::default()
                }
            }
        };
        before = reload.stamps();
        journal(&*store, &gate, Record::Settings(Box::new(record))).await;
    }
}

/// The signal that asks for rules to be read again.
struct Hangup {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangup {
    fn new() -> Self {
        Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    async fn received(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal {
            signal.recv().await;
            return;
        }
        std::future::pending().await
    }
}
