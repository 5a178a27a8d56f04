//! What was worked out once for a caller, a tool and a session, and holds for all their calls.
//!
//! It holds nothing that could be another for the same key, so that it changes no decision.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use sayso_core::effective::Effective;
use sayso_mcp::server::Transport;

use super::decide::Hits;
use super::entities::Parties;
use super::question::SessionFacts;
use super::reading::Reads;
use super::verdict::Verdict;
use crate::caller::Caller;

/// How many callers are kept; one more, and all are forgotten.
const CALLERS: usize = 1_024;
/// How many cases are kept of a caller; one more, and all of that caller are forgotten.
const CASES: usize = 16_384;

/// Everything about a call that is not another each time, beside the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) tool: usize,
    pub(super) effective: Effective,
    pub(super) transport: Transport,
    pub(super) session: SessionFacts,
}

/// What the policies that do not vary say, and which are left to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) hits: Hits,
    pub(super) left: Vec<usize>,
}

/// What is known of one case.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) parties: Parties,
    /// As the call stands, and as if it were confirmed.
    pub(super) passes: [Pass; 2],
    /// What those that are left read.
    pub(super) reads: Reads,
    /// The verdicts, unconfirmed and confirmed, where nothing is left.
    pub(super) ready: Option<[Verdict; 2]>,
}

/// All that is kept.
#[derive(Debug, Default)]
pub(super) struct Memo {
    callers: RwLock<HashMap<String, Vec<Arc<OfCaller>>>>,
}

/// What is kept of one caller, in these groups.
#[derive(Debug)]
struct OfCaller {
    groups: Vec<String>,
    calls: RwLock<HashMap<Key, Arc<Entry>>>,
    lists: RwLock<HashMap<Key, Verdict>>,
}

impl Memo {
    pub(super) fn entry(&self, caller: &Caller, key: &Key) -> Option<Arc<Entry>> {
        let known = self.known(caller)?;
        let calls = known.calls.read().unwrap_or_else(PoisonError::into_inner);
        calls.get(key).cloned()
    }

    pub(super) fn keep(&self, caller: &Caller, key: Key, entry: &Arc<Entry>) {
        let known = self.known_or_new(caller);
        put(&known.calls, key, Arc::clone(entry));
    }

    pub(super) fn listed(&self, caller: &Caller, key: &Key) -> Option<Verdict> {
        let known = self.known(caller)?;
        let lists = known.lists.read().unwrap_or_else(PoisonError::into_inner);
        lists.get(key).cloned()
    }

    pub(super) fn keep_listed(&self, caller: &Caller, key: Key, verdict: &Verdict) {
        let known = self.known_or_new(caller);
        put(&known.lists, key, verdict.clone());
    }

    fn known(&self, caller: &Caller) -> Option<Arc<OfCaller>> {
        let callers = self.callers.read().unwrap_or_else(PoisonError::into_inner);
        let named = callers.get(&caller.name)?;
        let found = named.iter().find(|known| known.groups == caller.groups)?;
        Some(Arc::clone(found))
    }

    fn known_or_new(&self, caller: &Caller) -> Arc<OfCaller> {
        if let Some(known) = self.known(caller) {
            return known;
        }
        let new = Arc::new(OfCaller {
            groups: caller.groups.clone(),
            calls: RwLock::default(),
            lists: RwLock::default(),
        });
        let mut callers = self.callers.write().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS {
            callers.clear();
        }
        let named = callers.entry(caller.name.clone()).or_default();
        // Groups change when settings do, and then there are new policies, too.
        named.retain(|known| known.groups != caller.groups);
        named.truncate(CALLERS);
        named.push(Arc::clone(&new));
        new
    }
}

fn put<V>(kept: &RwLock<HashMap<Key, V>>, key: Key, value: V) {
    let mut kept = kept.write().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= CASES {
        kept.clear();
    }
    kept.insert(key, value);
}
