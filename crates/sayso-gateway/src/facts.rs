//! What each session has seen so far, as policies ask it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::host::Session;
use crate::policy::SessionFacts;
use crate::settings::Returns;

/// What sessions have seen. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Facts(Arc<Mutex<HashMap<u64, SessionFacts>>>);

impl Facts {
    /// What a session has seen.
    #[must_use]
    pub fn of(&self, session: &Session) -> SessionFacts {
        self.table().get(&session.id()).copied().unwrap_or_default()
    }

    /// Notes what a session has seen with the result of a call: what is set about the tool or,
    /// where nothing is set, that what comes from an open world may have been written by anybody.
    pub fn learn(&self, session: &Session, returns: &[Returns], open_world: bool) {
        let untrusted = match returns {
            [] => open_world,
            set => set.contains(&Returns::Untrusted),
        };
        let private = returns.contains(&Returns::Private);
        if !untrusted && !private || session.is_ended() {
            return;
        }
        let is_new = {
            let mut table = self.table();
            let is_new = !table.contains_key(&session.id());
            let facts = table.entry(session.id()).or_default();
            facts.read_untrusted |= untrusted;
            facts.read_private |= private;
            is_new
        };
        if is_new {
            let (all, id, ended) = (self.clone(), session.id(), session.ended());
            tokio::spawn(async move {
                ended.await;
                all.table().remove(&id);
            });
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<u64, SessionFacts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
