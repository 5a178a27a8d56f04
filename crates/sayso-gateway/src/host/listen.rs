//! `subscriptions/listen` (MCP 2026-07-28, "Subscriptions"): what a modern host wants to hear of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sayso_core::json::{Splice, Value};
use sayso_mcp::downstream::{self, Reply};
use sayso_mcp::jsonrpc::{Id, code};
use serde_json::{Map, json};

use super::adapt;
use super::exchange::Exchange;
use super::meta::SUBSCRIPTION_ID;
use super::session::ListKind;
use super::{Inner, Judge};

/// Streams of this kind that are open at once.
const MAX_OPEN: usize = 10_000;

/// Notifications that may wait for one of them.
const MAX_WAITING: usize = 256;

/// How long a host may take for one.
const SEND_PATIENCE: Duration = Duration::from_secs(30);

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The open streams.
#[derive(Debug, Default)]
pub(super) struct Listens(Mutex<HashMap<u64, Arc<Listen>>>);

/// One stream of notifications.
#[derive(Debug)]
pub(super) struct Listen {
    pub(super) exchange: Exchange,
    /// The request's id, which every notification carries.
    id: Id,
    /// The lists whose changes are told, and a hash of what the host may see of each.
    told: Mutex<HashMap<ListKind, u64>>,
    /// Resources, with the server that has each.
    resources: Vec<(String, String)>,
    /// Notifications that wait for a host that is slow to take them.
    waiting: AtomicUsize,
}

/// Closes the stream when it is dropped.
struct Guard<J: Judge> {
    hosts: Arc<Inner<J>>,
    number: u64,
}

impl<J: Judge> Drop for Guard<J> {
    fn drop(&mut self) {
        let closed = self.hosts.listens.lock().remove(&self.number);
        if let Some(closed) = closed {
            let resources = closed.resources.clone();
            self.hosts.forget_resources(&closed.exchange, resources);
        }
    }
}

impl Listens {
    pub(super) fn all(&self) -> Vec<Arc<Listen>> {
        self.lock().values().cloned().collect()
    }

    /// Whether some stream of a session tells of this resource.
    pub(super) fn watches(&self, session: u64, server: &str, uri: &str) -> bool {
        self.lock().values().any(|listen| {
            listen.exchange.session().id() == session && listen.has_resource(server, uri)
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Listen>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listen {
    pub(super) fn has_resource(&self, server: &str, uri: &str) -> bool {
        let mut resources = self.resources.iter();
        resources.any(|(owner, watched)| owner == server && watched == uri)
    }

    /// The hash of what the host knows of a list, where it wants to hear of it.
    pub(super) fn told(&self, kind: ListKind) -> Option<u64> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(&kind).copied()
    }

    pub(super) fn tell(&self, kind: ListKind, view: u64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(kind, view);
    }

    /// Sends a notification on this stream, with its id in it. `params` is raw JSON.
    async fn notify(&self, method: &str, params: Option<&str>) {
        let params = tagged(params, &self.id);
        // A stream that is gone is closed by its own request.
        let _ = self.exchange.notify(method, Some(&params)).await;
    }

    /// The same, without waiting: a host that is slow holds nobody up, and misses what comes
    /// while too much waits for it.
    pub(super) fn send(self: &Arc<Self>, method: &'static str, params: Option<&str>) {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let (listen, params) = (Arc::clone(self), params.map(str::to_owned));
        tokio::spawn(async move {
            let sent = listen.notify(method, params.as_deref());
            // One that takes that long takes nothing.
            let _ = tokio::time::timeout(SEND_PATIENCE, sent).await;
            listen.waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// Parameters with the id of the subscription in their `_meta`.
fn tagged(params: Option<&str>, id: &Id) -> String {
    let params = params.and_then(|params| adapt::parse(params.to_owned()));
    let root = params
        .as_ref()
        .map(sayso_core::json::Document::root)
        .filter(|root| root.is_object());
    let id = id.to_json();
    let Some(root) = root else {
        return format!(r#"{{"_meta":{{"{SUBSCRIPTION_ID}":{id}}}}}"#);
    };
    let mut splice = Splice::new(root);
    match root.get("_meta").filter(|meta| meta.is_object()) {
        Some(meta) => splice.set(meta, SUBSCRIPTION_ID, id),
        None => splice.set(root, "_meta", format!(r#"{{"{SUBSCRIPTION_ID}":{id}}}"#)),
    };
    splice.finish()
}

impl<J: Judge> Inner<J> {
    /// `subscriptions/listen`: lasts until the host ends it.
    pub(super) async fn listen(self: &Arc<Self>, request: downstream::Request) -> Reply {
        let exchange = self.exchange(&request, None, None);
        let params = request.message.params();
        let filter = params.and_then(|params| params.get("notifications"));
        let Some(filter) = filter.filter(|filter| filter.is_object()) else {
            let reason = "`notifications` is missing or no object";
            return Reply::error(code::INVALID_PARAMS, reason);
        };
        if self.listens.lock().len() >= MAX_OPEN {
            return Reply::error(code::INTERNAL_ERROR, "there are too many subscriptions");
        }
        let mut told = HashMap::new();
        let mut granted = Map::new();
        for kind in ListKind::ALL {
            if filter.get(kind.filter()).and_then(Value::as_bool) == Some(true) {
                granted.insert(kind.filter().to_owned(), true.into());
                told.insert(kind, self.view(&exchange, kind).await);
            }
        }
        let mut resources = Vec::new();
        if let Some(wanted) = filter.get("resourceSubscriptions") {
            let wanted = wanted.elements().filter_map(Value::as_str);
            for uri in wanted.take(self.options.subscriptions) {
                if let Some(server) = self.watch_for(&exchange, &uri).await {
                    resources.push((server, uri.into_owned()));
                }
            }
            let uris: Vec<&str> = resources.iter().map(|(_, uri)| uri.as_str()).collect();
            granted.insert("resourceSubscriptions".to_owned(), json!(uris));
        }
        let listen = Arc::new(Listen {
            exchange: exchange.clone(),
            id: request.exchange.id().clone(),
            told: Mutex::new(told),
            resources,
            waiting: AtomicUsize::new(0),
        });
        let number = exchange.number();
        // First this, so that nothing is told before.
        let granted = json!({ "notifications": granted }).to_string();
        listen.notify(ACKNOWLEDGED, Some(&granted)).await;
        self.listens.lock().insert(number, listen);
        let _guard = Guard {
            hosts: Arc::clone(self),
            number,
        };
        tokio::select! {
            () = exchange.closed() => {}
            () = self.stopping.stopped() => {}
        }
        Reply::Result(self.own_result("{}".to_owned(), adapt::Kind::Plain, &exchange))
    }
}

#[cfg(test)]
mod tests {
    use super::tagged;
    use sayso_mcp::jsonrpc::Id;

    #[test]
    fn the_id_is_put_in_and_the_rest_is_kept() {
        let id = Id::from(7);
        insta::assert_snapshot!(tagged(None, &id), @r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#);
        insta::assert_snapshot!(tagged(Some(r#"{"uri": "a://b"}"#), &id), @r#"{"uri": "a://b","_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#);
        let other = r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":1, "x":2},"uri":"a"}"#;
        insta::assert_snapshot!(tagged(Some(other), &id), @r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":7, "x":2},"uri":"a"}"#);
    }
}
