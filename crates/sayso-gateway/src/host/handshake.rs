//! `initialize` and `server/discover`: what all servers together have to offer.

use std::sync::Arc;

use sayso_core::json::{Document, Splice, Value};
use sayso_core::listing::Era as ServerEra;
use sayso_mcp::downstream::{Era, Reply};
use serde_json::{Map, json};

use super::adapt::{self, quoted};
use super::exchange::Exchange;
use super::parked::broken;
use super::{Behind, Inner, Judge};
use crate::server::{Phase, State};

/// The versions with a handshake, newest first.
const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// All versions, newest first.
const ALL_VERSIONS: [&str; 5] = [
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// The extension that tasks are in the modern era; the legacy era has a capability of its own.
const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What one server offers.
struct Offer {
    name: String,
    state: Arc<State>,
}

impl<J: Judge> Inner<J> {
    /// `initialize` (legacy era).
    pub(super) async fn initialize(&self, asked: Option<&str>) -> Reply {
        let version = LEGACY_VERSIONS
            .into_iter()
            .find(|known| asked == Some(*known))
            .unwrap_or("2025-11-25");
        let offers = self.offers().await;
        let Some(base) = base(&offers) else {
            return broken();
        };
        let root = base.root();
        let mut splice = Splice::new(root);
        for key in ["resultType", "supportedVersions", "ttlMs", "cacheScope"] {
            for member in root.get_all(key) {
                splice.remove(member);
            }
        }
        splice.set(root, "protocolVersion", quoted(version));
        splice.set(root, "serverInfo", self.own_info());
        self.offer(&mut splice, root, &offers, Era::Legacy);
        Reply::Result(splice.finish())
    }

    /// `server/discover` (modern era).
    pub(super) async fn discover(&self, exchange: &Exchange) -> Reply {
        let offers = self.offers().await;
        let Some(base) = base(&offers) else {
            return broken();
        };
        let root = base.root();
        let mut splice = Splice::new(root);
        for key in ["protocolVersion", "serverInfo", "_meta"] {
            for member in root.get_all(key) {
                splice.remove(member);
            }
        }
        splice.set(root, "resultType", r#""complete""#);
        splice.set(root, "supportedVersions", json!(ALL_VERSIONS).to_string());
        splice.set(root, "ttlMs", "0");
        splice.set(root, "cacheScope", r#""private""#);
        self.offer(&mut splice, root, &offers, Era::Modern);
        let without_meta = splice.finish();
        // What a server says in `_meta` is kept, but for who it is.
        let meta = root.get("_meta").filter(|meta| meta.is_object());
        let meta = match meta {
            None => self.own_meta(),
            Some(meta) => {
                let mut splice = Splice::new(meta);
                for member in meta.members() {
                    let is_declared = exchange.capability(&["extensions", &member.key]).is_some();
                    if member.key.starts_with(super::meta::PREFIX) && !is_declared {
                        splice.remove(member.value);
                    }
                }
                let kept = adapt::parse(splice.finish());
                match &kept {
                    None => self.own_meta(),
                    Some(kept) => {
                        let mut splice = Splice::new(kept.root());
                        splice.set(kept.root(), super::meta::SERVER_INFO, self.own_info());
                        splice.finish()
                    }
                }
            }
        };
        match without_meta.trim_end().strip_suffix('}') {
            Some(open) => Reply::Result(format!(r#"{open},"_meta":{meta}}}"#)),
            None => broken(),
        }
    }

    /// Capabilities and instructions of all.
    fn offer<'a>(&self, splice: &mut Splice<'a>, root: Value<'a>, offers: &[Offer], era: Era) {
        let capabilities = self.capabilities(offers, era);
        splice.set(root, "capabilities", capabilities.to_string());
        match self.instructions(offers) {
            Some(instructions) => {
                splice.set(root, "instructions", quoted(&instructions));
            }
            None => {
                for member in root.get_all("instructions") {
                    splice.remove(member);
                }
            }
        }
    }

    /// What every server has to offer, once it is there; those that take too long say it later.
    async fn offers(&self) -> Vec<Offer> {
        let servers = self.judge.servers();
        let ready = async {
            for server in &servers {
                let mut changes = server.changes();
                while server.state().phase == Phase::Starting {
                    if changes.changed().await.is_err() {
                        break;
                    }
                }
            }
        };
        // Late ones are told of as a change.
        let _ = tokio::time::timeout(self.options.start_patience, ready).await;
        servers
            .iter()
            .map(|server| Offer {
                name: server.name().to_owned(),
                state: server.state(),
            })
            .collect()
    }

    /// The instructions of all: as they are of one, under their names of several.
    fn instructions(&self, offers: &[Offer]) -> Option<String> {
        let mut given = offers.iter().filter_map(|offer| {
            let hello = offer.state.hello.as_ref()?;
            let text = hello.root().get("instructions")?.as_str()?;
            let is_accepted = self.judge.accepts_instructions(&offer.name, &text);
            is_accepted.then(|| (offer.name.as_str(), text.into_owned()))
        });
        if let [_] = offers {
            return given.next().map(|(_, text)| text);
        }
        let all: Vec<String> = given
            .map(|(name, text)| format!("{name}:\n{text}"))
            .collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }

    fn capabilities(&self, offers: &[Offer], era: Era) -> serde_json::Value {
        let mut all = Map::new();
        for offer in offers {
            let declared = offer.state.hello.as_ref().and_then(|hello| {
                let capabilities = hello.root().get("capabilities")?;
                capabilities.to_serde()
            });
            if let Some(serde_json::Value::Object(mut declared)) = declared {
                translate(&mut declared, offer.state.era, era);
                merge(&mut all, declared);
            }
        }
        // What a server that is not there yet will have is not known.
        if offers.iter().any(|offer| offer.state.hello.is_none()) {
            for key in ["tools", "prompts", "resources"] {
                all.entry(key).or_insert_with(|| json!({}));
            }
        }
        if let serde_json::Value::Object(own) = self.judge.capabilities(era) {
            merge(&mut all, own);
        }
        // Lists here may always change: with a server, a pin, a policy.
        for key in ["tools", "prompts", "resources"] {
            if let Some(serde_json::Value::Object(declared)) = all.get_mut(key) {
                declared.insert("listChanged".to_owned(), true.into());
            }
        }
        all.into()
    }
}

/// What a single server said; nothing where there are several.
fn base(offers: &[Offer]) -> Option<Document> {
    let only = match offers {
        [offer] => offer.state.hello.clone(),
        _ => None,
    };
    only.filter(|hello| hello.root().is_object())
        .or_else(|| adapt::parse("{}".to_owned()))
}

/// Leaves out what cannot be had across the eras: tasks are two different things in them.
fn translate(declared: &mut Map<String, serde_json::Value>, server: Option<ServerEra>, host: Era) {
    match (server, host) {
        (Some(ServerEra::Legacy), Era::Modern) => {
            declared.remove("tasks");
        }
        (Some(ServerEra::Modern), Era::Legacy) => {
            let extensions = declared.get_mut("extensions");
            if let Some(serde_json::Value::Object(extensions)) = extensions {
                extensions.remove(TASKS_EXTENSION);
            }
        }
        _ => {}
    }
}

/// What either has: objects are put together, and `true` wins.
fn merge(into: &mut Map<String, serde_json::Value>, other: Map<String, serde_json::Value>) {
    use serde_json::Value::{Bool, Object};
    for (key, value) in other {
        match (into.get_mut(&key), value) {
            (Some(Object(mine)), Object(theirs)) => merge(mine, theirs),
            (Some(Bool(mine)), Bool(theirs)) => *mine |= theirs,
            (Some(_), _) => {}
            (None, value) => {
                into.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    fn merged(one: Value, other: Value) -> Value {
        let (Value::Object(mut one), Value::Object(other)) = (one, other) else {
            return Map::new().into();
        };
        super::merge(&mut one, other);
        one.into()
    }

    #[test]
    fn all_of_both_is_offered() {
        let merged = merged(
            json!({ "tools": {}, "resources": { "subscribe": false }, "x": { "a": 1 } }),
            json!({ "prompts": {}, "resources": { "subscribe": true }, "x": { "b": 2 } }),
        );
        insta::assert_snapshot!(merged.to_string(), @r#"{"tools":{},"resources":{"subscribe":true},"x":{"a":1,"b":2},"prompts":{}}"#);
    }
}
