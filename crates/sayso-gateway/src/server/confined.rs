//! The confined instances of a server: one for each view that calls have had so far.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::digest::ToolDigest;
use sayso_core::listing::Listing;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::core::Core;
use super::launch::Confining;
use super::{Answer, Asked, Lost, Phase, Server, supervise};
use crate::confine::{Attempt, Confinement, Confiner, Label, Report, View};
use crate::host::Exchange;
use crate::settings::{Confine, ServerSettings};

/// How long the listing of an instance that has just begun to answer is waited for.
const LISTING: Duration = Duration::from_secs(30);

/// The confined instances of a server.
pub(super) struct Instances {
    /// What confines them, and how; or why nothing can.
    confiner: Result<(Arc<dyn Confiner>, &'static str), String>,
    started: Mutex<BTreeMap<View, Instance>>,
    reports: UnboundedSender<Report>,
    /// Until somebody listens.
    heard: Mutex<Option<UnboundedReceiver<Report>>>,
}

struct Instance {
    core: Arc<Core>,
    task: JoinHandle<()>,
}

/// What came of a call on a confined instance.
pub(crate) struct Held {
    /// The answer.
    pub(crate) answer: Result<Answer, Lost>,
    /// What it tried and was refused.
    pub(crate) tried: Vec<Attempt>,
}

impl Instances {
    pub(super) fn new(settings: &ServerSettings, confiner: Option<&Arc<dyn Confiner>>) -> Self {
        let (reports, heard) = mpsc::unbounded_channel();
        let confiner = match (settings.confine, confiner) {
            (Confine::Off, _) => Err("it is not to be confined".to_owned()),
            (_, None) => Err("this program confines nothing".to_owned()),
            (_, Some(confiner)) => confiner.possible().map(|mode| (Arc::clone(confiner), mode)),
        };
        Self {
            confiner,
            started: Mutex::default(),
            reports,
            heard: Mutex::new(Some(heard)),
        }
    }

    fn started(&self) -> MutexGuard<'_, BTreeMap<View, Instance>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn cores(&self) -> Vec<Arc<Core>> {
        let started = self.started();
        let instances = started.values();
        instances
            .map(|instance| Arc::clone(&instance.core))
            .collect()
    }

    /// The instance with this view, started where there is none yet; and how it is confined.
    fn get(&self, first: &Core, view: &View) -> Result<(Arc<Core>, &'static str), String> {
        let (confiner, mode) = self.confiner.as_ref().map_err(Clone::clone)?;
        let mut started = self.started();
        if let Some(instance) = started.get(view) {
            return Ok((Arc::clone(&instance.core), mode));
        }
        tracing::info!(
            server = &*first.name,
            mode,
            view = view.describe(),
            "a confined instance is started"
        );
        let core = Arc::new(Core::confined(
            first,
            Confining {
                confiner: Arc::clone(confiner),
                view: view.clone(),
                reports: self.reports.clone(),
            },
        ));
        let task = tokio::spawn(supervise::run(Arc::clone(&core)));
        let instance = Instance {
            core: Arc::clone(&core),
            task,
        };
        started.insert(view.clone(), instance);
        Ok((core, mode))
    }

    /// Waits for the end of all of them, which have been told.
    pub(super) async fn ended(&self, patience: Duration) {
        let started = std::mem::take(&mut *self.started());
        let end = Instant::now() + patience;
        for instance in started.into_values() {
            let _ = timeout_at(end, instance.task).await;
        }
    }
}

impl Server {
    /// How the calls of a tool stand to confinement; `view` is what they may do there.
    #[must_use]
    pub fn confinement(&self, tool: &str, digest: &ToolDigest, view: &View) -> Confinement {
        let enforced = match self.core.settings.confine_of(tool) {
            Confine::Off => return Confinement::Off,
            Confine::ReadOnlyClaims => Confinement::Claims,
            Confine::All => Confinement::All,
        };
        if let Err(why) = &self.confined.confiner {
            return Confinement::NotEnforced(why.clone());
        }
        let started = self.confined.started();
        let Some(instance) = started.get(view) else {
            // It is started by the first call that needs it.
            return enforced;
        };
        match differs(&instance.core, tool, digest) {
            Some(why) => Confinement::NotEnforced(why),
            None => enforced,
        }
    }

    /// Makes sure that a call of a tool can be made in confinement, and says how that is done.
    ///
    /// # Errors
    /// When it cannot, and why.
    pub(crate) async fn hold(
        &self,
        tool: &str,
        digest: &ToolDigest,
        view: &View,
    ) -> Result<&'static str, String> {
        let (core, mode) = self.confined.get(&self.core, view)?;
        let down = |lost: Lost| format!("its confined instance does not answer: {lost}");
        core.ready().await.map_err(down)?;
        let mut changes = core.changes.subscribe();
        let listed = async {
            while core.state.load().listing.is_none() {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = timeout(LISTING, listed).await;
        match differs(&core, tool, digest) {
            Some(why) => Err(why),
            None => Ok(mode),
        }
    }

    /// Sends a call to the confined instance that holds it to this view. There is one, since
    /// [`Server::hold`] said so; where it has gone since, the call is lost, and made nowhere else.
    pub(crate) async fn request_confined(
        &self,
        asked: Asked<'_>,
        exchange: &Exchange,
        view: &View,
        label: &Label,
    ) -> Held {
        let core = match self.confined.get(&self.core, view) {
            Ok((core, _)) => core,
            Err(why) => {
                return Held {
                    answer: Err(Lost::NotSent(why)),
                    tried: Vec::new(),
                };
            }
        };
        let mut tried = Vec::new();
        let answer = core
            .watched(&asked, exchange, Some(label), &mut tried)
            .await;
        Held { answer, tried }
    }

    /// What is found of confined calls that nobody waits for any more. For one listener.
    pub(crate) fn reports(&self) -> Option<UnboundedReceiver<Report>> {
        let mut heard = self
            .confined
            .heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        heard.take()
    }
}

/// Why a tool of this instance is not the one of the other, if it is not.
fn differs(core: &Core, tool: &str, digest: &ToolDigest) -> Option<String> {
    let state = core.state.load();
    if let Phase::Down { reason, .. } = &state.phase {
        return Some(format!("its confined instance does not answer: {reason}"));
    }
    let listing = state.listing.as_ref()?;
    match digest_of(listing, tool) {
        None => Some("its confined instance does not list the tool".to_owned()),
        Some(other) if other.whole != digest.whole => {
            Some("its confined instance lists the tool otherwise".to_owned())
        }
        Some(_) => None,
    }
}

fn digest_of(listing: &Listing, tool: &str) -> Option<ToolDigest> {
    let found = listing
        .tools()
        .find(|listed| listed.name().as_deref() == Some(tool))?;
    Some(ToolDigest::of(found))
}
