//! Following what servers list: each change makes a new picture.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use sayso_core::digest::{Digest, ToolDigest};
use sayso_core::effective::Evidence;
use sayso_core::hint::Hints;
use sayso_core::journal::{self, Record};
use sayso_core::listing::Listing;
use sayso_core::lock::{Lock, PinnedServer};
use sayso_store::{Raised, Store, StoreError};

use super::evidence;
use super::{Gate, Memory, Picture, Rules, Running};
use crate::catalogue::{Catalogue, Contribution};
use crate::pins::{Pin, Standing, Weight};
use crate::policy::{PinState, PolicyError};
use crate::server::{Phase, Server};

impl Memory {
    pub(super) async fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let mut memory = Self::default();
        for pin in store.pins().await? {
            match Lock::from_text(&pin.lock) {
                Ok(mut lock) => {
                    let pinned = lock.servers.remove(&pin.server);
                    memory
                        .first_pins
                        .extend(pinned.map(|pinned| (pin.server, pinned)));
                }
                // Without a pin its tools are as good as new, and are held.
                Err(error) => tracing::error!(server = pin.server, %error, "a pin cannot be read"),
            }
        }
        for raised in store.evidence().await? {
            memory.raise(&raised);
        }
        Ok(memory)
    }

    pub(super) fn raise(&mut self, raised: &Raised) {
        let tools = self.evidence.entry(raised.server.clone()).or_default();
        let hints = tools.entry(raised.tool.clone()).or_default();
        *hints = Hints::from_fn(|hint| {
            if hint == raised.hint {
                Evidence::Contradicted
            } else {
                *hints.get(hint)
            }
        });
    }
}

/// Makes a new picture whenever the old one is stale, until the gate is gone.
pub(super) async fn follow(gate: Weak<Gate>) {
    loop {
        let Some(alive) = gate.upgrade() else { return };
        alive.renew().await;
        let stale = alive.stale.notified();
        tokio::pin!(stale);
        // The gate may go while nobody waits for anything.
        while tokio::time::timeout(Duration::from_secs(1), &mut stale)
            .await
            .is_err()
        {
            if Arc::strong_count(&alive) == 1 {
                return;
            }
        }
    }
}

/// Forgets outcomes that no caller will come back for, until the gate is gone.
pub(super) async fn forget(gate: Weak<Gate>) {
    /// How long the outcome of a call with an idempotency key is kept, in milliseconds: a day.
    const KEPT: i64 = 24 * 60 * 60 * 1000;
    const EVERY: Duration = Duration::from_secs(60 * 60);
    while let Some(gate) = gate.upgrade() {
        let before = gate.now().plus_millis(-KEPT);
        if let Err(error) = gate.store.forget_outcomes(before).await {
            tracing::error!(%error, "old outcomes were not forgotten");
        }
        drop(gate);
        tokio::time::sleep(EVERY).await;
    }
}

/// What one server brings to a picture.
struct Brought {
    running: Running,
    listing: Arc<Listing>,
    standing: Standing,
    accepted: Option<PinnedServer>,
    evidence: BTreeMap<String, Hints<Evidence>>,
}

impl Gate {
    /// Starts servers that are new or set otherwise, and ends those that are no longer set.
    pub(super) fn start_servers(self: &Arc<Self>) {
        let rules = self.rules.load_full();
        let before = self.servers.load_full();
        let mut now = BTreeMap::new();
        for (name, settings) in &rules.settings.servers {
            let same = before
                .get(name)
                .filter(|running| *running.settings == *settings);
            let running = match same {
                Some(running) => running.clone(),
                None => self.start_server(name, settings),
            };
            now.insert(name.clone(), running);
        }
        for (name, running) in before.iter() {
            let goes_on = now
                .get(name)
                .is_some_and(|now| Arc::ptr_eq(&now.server, &running.server));
            if !goes_on {
                let server = Arc::clone(&running.server);
                // Its calls may end first.
                let patience = running.settings.timeout();
                tokio::spawn(async move { server.stop(patience).await });
            }
        }
        self.servers.store(Arc::new(now));
    }

    fn start_server(
        self: &Arc<Self>,
        name: &str,
        settings: &crate::settings::ServerSettings,
    ) -> Running {
        let server = Server::start(name, settings, self.launcher.clone(), self.host);
        if let Some(reports) = server.reports() {
            let gate = Arc::downgrade(self);
            tokio::spawn(evidence::listen(gate, name.to_owned(), reports));
        }
        let (gate, mut changes) = (Arc::downgrade(self), server.changes());
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                let Some(gate) = gate.upgrade() else { return };
                gate.stale.notify_one();
            }
        });
        Running {
            server,
            settings: Arc::new(settings.clone()),
        }
    }

    async fn renew(&self) {
        let rules = self.rules.load_full();
        let servers = self.servers.load_full();
        let mut brought = Vec::new();
        let mut is_starting = false;
        for (name, running) in servers.iter() {
            let state = running.server.state();
            self.tell_phase(name, &running.server, &state.phase).await;
            if let Some(listing) = &state.listing {
                brought.push(self.bring(name, running, Arc::clone(listing), &rules).await);
            } else {
                is_starting |= state.phase == Phase::Starting;
            }
        }
        let contributions: Vec<Contribution<'_>> = brought
            .iter()
            .map(|brought| Contribution {
                server: &brought.running.server,
                settings: &brought.running.settings,
                listing: &brought.listing,
                standing: &brought.standing,
                accepted: brought.accepted.as_ref(),
                evidence: &brought.evidence,
            })
            .collect();
        let mut picture = Picture::new(rules, &contributions);
        picture.is_starting = is_starting;
        for (server, reason) in &picture.left_out {
            tracing::error!(server, reason, "the server's tools are left out");
        }
        match picture.catalogue() {
            Ok(catalogue) => {
                self.tell_notes(catalogue.policies.notes());
                self.tell_not_enforced(catalogue);
            }
            Err(refusal) => {
                let reason = refusal.kept_back.unwrap_or(refusal.message);
                tracing::error!(reason, "every call is refused");
            }
        }
        self.picture.store(Arc::new(picture));
        self.views.send_modify(|count| *count += 1);
    }

    /// Tells which tools are not held to what their servers say, where that is new.
    fn tell_not_enforced(&self, catalogue: &Catalogue) {
        let mut now: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for tool in catalogue.tools() {
            let of_server = now.entry(tool.key.server.clone()).or_default();
            if let Some(why) = tool.confinement.not_enforced() {
                of_server.insert(tool.key.tool.clone(), why.to_owned());
            }
        }
        for (server, tools) in &now {
            self.metrics.not_enforced(server, tools.len());
        }
        let before = std::mem::replace(&mut self.memory().not_enforced, now.clone());
        for (server, tools) in now {
            for (tool, why) in tools {
                let told = before.get(&server).and_then(|before| before.get(&tool));
                if told != Some(&why) {
                    tracing::warn!(server, tool, why, "the tool is not confined: not enforced");
                }
            }
        }
    }

    /// Tells the log what in the policies does not fit the tools there are, where that is new.
    fn tell_notes(&self, notes: &[PolicyError]) {
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        if self.memory().policy_notes == notes {
            return;
        }
        for note in &notes {
            tracing::warn!(note, "a policy does not fit the tools there are");
        }
        self.memory().policy_notes = notes;
    }

    /// Holds a server's listing against what was accepted of it.
    async fn bring(
        &self,
        name: &str,
        running: &Running,
        listing: Arc<Listing>,
        rules: &Rules,
    ) -> Brought {
        let launch = rules.launches.get(name).cloned().unwrap_or_default();
        let first_pin = self.memory().first_pins.get(name).cloned();
        let (accepted, state) = match rules.lock.servers.get(name) {
            Some(pinned) => (Some(pinned.clone()), PinState::Pinned),
            None => (first_pin, PinState::TrustedOnce),
        };
        let pin = accepted.as_ref().map(|accepted| Pin { accepted, state });
        let first_use = running.settings.first_use;
        let mut standing = Standing::of(&listing, &launch, pin, first_use, &rules.compare);
        let mut accepted = accepted;
        if let Some(first) = standing.accepted.take() {
            match self.keep_first(name, &first).await {
                Ok(()) => accepted = Some(first),
                Err(error) => {
                    tracing::error!(server = name, %error, "what the server lists cannot be pinned");
                    standing = Standing {
                        refused: Some(error.to_string()),
                        ..Standing::default()
                    };
                }
            }
        }
        self.tell_standing(name, &listing, &standing).await;
        let mut evidence = self
            .memory()
            .evidence
            .get(name)
            .cloned()
            .unwrap_or_default();
        if let Some(observed) = rules.evidence.get(name) {
            self.add_observed(name, &listing, observed, &mut evidence);
        }
        Brought {
            running: running.clone(),
            listing,
            standing,
            accepted,
            evidence,
        }
    }

    /// Adds what was observed before the gate, where a tool is still the same. What is contradicted
    /// stays so, whatever else was seen.
    fn add_observed(
        &self,
        server: &str,
        listing: &Listing,
        observed: &BTreeMap<String, Vec<(Digest, Hints<Evidence>)>>,
        evidence: &mut BTreeMap<String, Hints<Evidence>>,
    ) {
        for tool in listing.tools() {
            let Some((name, entries)) = tool.name().and_then(|name| observed.get_key_value(&*name))
            else {
                continue;
            };
            let now = ToolDigest::of(tool).whole;
            let mut current = entries.iter().filter(|(of, _)| *of == now).peekable();
            if current.peek().is_none() {
                tracing::warn!(
                    server,
                    tool = name,
                    "the evidence is of another definition and counts for nothing"
                );
            }
            for (_, seen) in current {
                let known = evidence.entry(name.clone()).or_default();
                *known = known.map(|hint, known| graver(*known, *seen.get(hint)));
            }
        }
    }

    /// Keeps what the first use of a server pinned.
    async fn keep_first(&self, name: &str, pinned: &PinnedServer) -> Result<(), StoreError> {
        let mut lock = Lock::default();
        lock.servers.insert(name.to_owned(), pinned.clone());
        self.store.pin(name, &lock.to_text(), self.now()).await?;
        self.memory()
            .first_pins
            .insert(name.to_owned(), pinned.clone());
        Ok(())
    }

    /// Tells the journal how a listing stands, where that is not what it was told last.
    async fn tell_standing(&self, name: &str, listing: &Listing, standing: &Standing) {
        let told = format!(
            "{:?} {:?} {}",
            standing.moved,
            standing.refused,
            listing.len()
        );
        let before = self.memory().told.insert(name.to_owned(), told.clone());
        if before.as_ref() == Some(&told) {
            return;
        }
        let held = standing.tools.values();
        let held = held.filter(|admission| admission.is_withheld()).count();
        let is_complete = matches!(
            listing.completeness,
            sayso_core::listing::Completeness::Complete
        );
        let mut records = vec![Record::Listing(Box::new(journal::Listing {
            complete: is_complete,
            digest: None,
            held: held as u64,
            server: name.to_owned(),
            tools: listing.len() as u64,
        }))];
        let mut by_tool: BTreeMap<Option<&str>, (Weight, Vec<String>)> = BTreeMap::new();
        for moved in &standing.moved {
            let entry = by_tool
                .entry(moved.tool.as_deref())
                .or_insert((Weight::Neutral, Vec::new()));
            entry.0 = entry.0.max(moved.weight);
            entry.1.push(moved.message.clone());
        }
        records.extend(by_tool.into_iter().map(|(tool, (weight, changes))| {
            Record::Drift(Box::new(journal::Drift {
                blocked: weight >= Weight::Held,
                changes,
                definition: None,
                direction: weight.as_str().into(),
                server: name.to_owned(),
                tool: tool.map(str::to_owned),
            }))
        }));
        if let Some(reason) = &standing.refused {
            tracing::error!(server = name, reason, "nothing of the server can be used");
        }
        for record in records {
            if let Record::Drift(drift) = &record {
                tracing::warn!(
                    server = name,
                    tool = drift.tool,
                    direction = %drift.direction,
                    changes = drift.changes.join("; "),
                    "the listing is not what was accepted"
                );
            }
            if let Err(error) = self.store.append(self.now(), record).await {
                self.metrics.record_lost();
                tracing::error!(%error, "an entry was not written to the journal");
            }
        }
    }

    /// Tells the journal that a server answers, or does not any more.
    async fn tell_phase(&self, name: &str, server: &Server, phase: &Phase) {
        let is_up = match phase {
            Phase::Starting => return,
            Phase::Ready => true,
            Phase::Down { .. } => false,
        };
        self.metrics.server(name, is_up);
        if self.memory().up.insert(name.to_owned(), is_up) == Some(is_up) {
            return;
        }
        let state = server.state();
        let record = match phase {
            Phase::Down {
                reason, retry_in, ..
            } => Record::ServerDown(Box::new(journal::ServerDown {
                reason: reason.clone(),
                retry_in_ms: retry_in
                    .map(|retry_in| u64::try_from(retry_in.as_millis()).unwrap_or(u64::MAX)),
                server: name.to_owned(),
            })),
            Phase::Starting | Phase::Ready => {
                let identity = state.listing.as_ref().map(|listing| &listing.server);
                Record::ServerUp(Box::new(journal::ServerUp {
                    era: match state.era {
                        Some(sayso_core::listing::Era::Modern) => "modern".into(),
                        _ => "legacy".into(),
                    },
                    implementation: identity.and_then(|identity| {
                        let version = identity.version.as_deref().unwrap_or_default();
                        Some(format!("{} {version}", identity.name.as_ref()?))
                    }),
                    protocol_version: identity
                        .and_then(|identity| identity.protocol_version.clone()),
                    server: name.to_owned(),
                }))
            }
        };
        if let Err(error) = self.store.append(self.now(), record).await {
            self.metrics.record_lost();
            tracing::error!(%error, "an entry was not written to the journal");
        }
    }
}

/// Of two pieces of evidence the one that weighs more.
const fn graver(one: Evidence, other: Evidence) -> Evidence {
    match (one, other) {
        (Evidence::Contradicted, _) | (_, Evidence::Contradicted) => Evidence::Contradicted,
        (Evidence::Consistent(one), Evidence::Consistent(other)) => {
            Evidence::Consistent(if one > other { one } else { other })
        }
        (Evidence::Untested, other) => other,
        (one, Evidence::Untested) => one,
    }
}
