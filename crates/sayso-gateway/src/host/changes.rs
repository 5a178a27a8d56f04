//! What changes by itself, and which hosts hear of it.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use sayso_core::json::{Document, Limits};
use sayso_mcp::downstream::{Era, Reply, Transport};
use tokio::sync::broadcast::error::RecvError;

use super::exchange::Exchange;
use super::session::ListKind;
use super::{Behind, Inner, Judge, lists};
use crate::server::{Asked, Event};

/// Whose view of a list it is.
type Viewer = (String, Vec<String>, Era, Transport, ListKind);

/// Tells hosts of changes for as long as there is somebody to tell.
pub(super) async fn watch<J: Judge>(hosts: Weak<Inner<J>>) {
    let Some(mut views) = hosts.upgrade().map(|hosts| hosts.judge.views()) else {
        return;
    };
    // Which servers are listened to, by their place in memory: after a reload there are others.
    let mut heard: HashMap<String, Weak<J::Server>> = HashMap::new();
    loop {
        {
            let Some(hosts) = hosts.upgrade() else { return };
            for server in hosts.judge.servers() {
                let known = heard.get(server.name()).and_then(Weak::upgrade);
                if !known.is_some_and(|known| Arc::ptr_eq(&known, &server)) {
                    heard.insert(server.name().to_owned(), Arc::downgrade(&server));
                    tokio::spawn(hear(
                        Arc::downgrade(&hosts),
                        server.name().to_owned(),
                        server.events(),
                    ));
                }
            }
            hosts.tell_changes().await;
        }
        if views.changed().await.is_err() {
            return;
        }
    }
}

/// Passes on what a server says by itself.
async fn hear<J: Judge>(
    hosts: Weak<Inner<J>>,
    server: String,
    mut events: tokio::sync::broadcast::Receiver<Event>,
) {
    loop {
        let event = match events.recv().await {
            Ok(event) => event,
            Err(RecvError::Lagged(lost)) => {
                tracing::warn!(server, lost, "too much at once: notifications were lost");
                continue;
            }
            Err(RecvError::Closed) => return,
        };
        let Some(hosts) = hosts.upgrade() else { return };
        hosts.pass_event(&server, &event).await;
    }
}

impl<J: Judge> Inner<J> {
    /// A hash of what a host may see of a list.
    pub(super) async fn view(&self, exchange: &Exchange, kind: ListKind) -> u64 {
        match kind {
            ListKind::Tools => match self.judge.list(exchange).await {
                Reply::Result(list) => lists::hash(&list),
                _ => 0,
            },
            ListKind::Prompts | ListKind::Resources => self.view_of_items(exchange, kind),
        }
    }

    /// Tells every host whose view of a list is another than what it knows.
    async fn tell_changes(&self) {
        let mut views: HashMap<Viewer, u64> = HashMap::new();
        for open in self.sessions.all() {
            let is_legacy = open.introduction.era == Era::Legacy;
            let known = ListKind::ALL.map(|kind| Some((kind, open.session.told(kind)?)));
            for (kind, told) in known.into_iter().flatten().filter(|_| is_legacy) {
                let exchange = self.exchange_of(&open);
                let view = self.viewed(&mut views, &exchange, kind).await;
                if view != told {
                    open.session.tell(kind, view);
                    open.peer.notify(kind.notification(), None);
                }
            }
        }
        for listen in self.listens.all() {
            let known = ListKind::ALL.map(|kind| Some((kind, listen.told(kind)?)));
            for (kind, told) in known.into_iter().flatten() {
                let view = self.viewed(&mut views, &listen.exchange, kind).await;
                if view != told {
                    listen.tell(kind, view);
                    listen.send(kind.notification(), None);
                }
            }
        }
    }

    /// [`Self::view`], once for all who see the same.
    async fn viewed(
        &self,
        views: &mut HashMap<Viewer, u64>,
        exchange: &Exchange,
        kind: ListKind,
    ) -> u64 {
        let caller = exchange.caller();
        let viewer = (
            caller.name.clone(),
            caller.groups.clone(),
            exchange.era(),
            exchange.transport(),
            kind,
        );
        if let Some(view) = views.get(&viewer) {
            return *view;
        }
        let view = self.view(exchange, kind).await;
        views.insert(viewer, view);
        view
    }

    /// Passes on what a server said by itself, to those it is meant for.
    pub(super) async fn pass_event(&self, server: &str, event: &Event) {
        match event {
            Event::ResourceUpdated {
                session,
                uri,
                params,
            } => self.pass_update(server, *session, uri, params).await,
            Event::Log { session, params } => {
                let method = "notifications/message";
                self.tell_sessions(*session, method, Some(params), |_| true)
                    .await;
            }
            Event::ElicitationComplete { session, params } => {
                let method = "notifications/elicitation/complete";
                let read = Document::parse(params.clone(), &Limits::default()).ok();
                let id = read
                    .as_ref()
                    .and_then(|read| read.root().get("elicitationId")?.as_str());
                let knows = |exchange: &Exchange| {
                    let session = exchange.session();
                    id.as_ref().is_some_and(|id| session.knows_elicitation(id))
                };
                self.tell_sessions(*session, method, Some(params), knows)
                    .await;
            }
            Event::Other {
                session,
                method,
                params,
            } => {
                let task = params.as_deref().filter(|_| method.contains("tasks/"));
                let read =
                    task.and_then(|task| Document::parse(task.to_owned(), &Limits::default()).ok());
                let id = read
                    .as_ref()
                    .and_then(|read| read.root().get("taskId")?.as_str());
                // Of a task that cannot be told nobody is told.
                let is_of_task = method.contains("tasks/");
                let owns = |exchange: &Exchange| match &id {
                    Some(id) => self.owns_task(exchange, id, server),
                    None => !is_of_task,
                };
                self.tell_sessions(*session, method, params.as_deref(), owns)
                    .await;
            }
        }
    }

    async fn pass_update(&self, server: &str, session: Option<u64>, uri: &str, params: &str) {
        let method = "notifications/resources/updated";
        self.tell_sessions(session, method, Some(params), |exchange| {
            exchange.session().is_subscribed(server, uri)
        })
        .await;
        for listen in self.listens.all() {
            let is_meant = session.is_none_or(|session| session == listen.exchange.session().id());
            if is_meant && listen.has_resource(server, uri) {
                listen.send(method, Some(params));
            }
        }
    }

    /// Tells legacy hosts something that belongs to no request: the one session it is meant for,
    /// or all, where `is_meant`.
    async fn tell_sessions(
        &self,
        session: Option<u64>,
        method: &str,
        params: Option<&str>,
        is_meant: impl Fn(&Exchange) -> bool,
    ) {
        let open = match session {
            Some(session) => self.sessions.get(session).into_iter().collect(),
            None => self.sessions.all(),
        };
        for open in open {
            if open.introduction.era != Era::Legacy {
                continue;
            }
            let exchange = self.exchange_of(&open);
            if is_meant(&exchange) {
                // Whoever takes nothing gets nothing.
                let _ = exchange.notify(method, params).await;
            }
        }
    }

    /// Ends what a host watched, where nothing else of its session does. What other sessions watch
    /// the server knows.
    pub(super) fn forget_resources(
        self: &Arc<Self>,
        exchange: &Exchange,
        resources: Vec<(String, String)>,
    ) {
        let session = exchange.session();
        for (name, uri) in resources {
            let is_watched = session.is_subscribed(&name, &uri)
                || self.listens.watches(session.id(), &name, &uri);
            let Some(server) = self.server(&name).filter(|_| !is_watched) else {
                continue;
            };
            let exchange = exchange.clone();
            let timeout = self.options.list_timeout;
            tokio::spawn(async move {
                let params = format!(r#"{{"uri":{}}}"#, super::adapt::quoted(&uri));
                let asked = Asked {
                    method: "resources/unsubscribe",
                    params: Some(&params),
                    name: None,
                    input_schema: None,
                    kept: None,
                    timeout: Some(timeout),
                };
                // A server that is gone watches nothing.
                drop(server.request(asked, &exchange).await);
            });
        }
    }
}
