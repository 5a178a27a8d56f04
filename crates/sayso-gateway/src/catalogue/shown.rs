//! The listing as one caller is shown it.

use std::sync::{Arc, PoisonError};

use sayso_core::hint::Hint;
use sayso_core::json::{Splice, Value};
use sayso_mcp::server::Transport;

use super::{Catalogue, Tool, as_hints};
use crate::caller::Caller;
use crate::confine::Confinement;
use crate::pins::Admission;
use crate::policy::{Action, Decision, Question, SessionFacts, Subject};
use crate::settings::HintsShown;

/// The key in a tool's `_meta` under which its server's own annotations are kept.
pub const CLAIMED_KEY: &str = "dev.sayso/claimed";

/// The key in a tool's `_meta` that says where each value comes from.
pub const PROVENANCE_KEY: &str = "dev.sayso/provenance";

/// The key in a tool's `_meta` that says whether the kernel holds the server to its word.
pub const CONFINEMENT_KEY: &str = "dev.sayso/confinement";

/// The extension by which hints are asked for by argument.
pub const RESOLUTION: &str = "io.modelcontextprotocol/tool-resolution";

/// Views that are kept.
const MAX_VIEWS: usize = 256;

/// What a view depends on.
pub(super) type ViewKey = (Caller, bool);

impl Catalogue {
    /// What `tools/list` answers one caller: on one page, in the words of the legacy era.
    pub fn result(&self, caller: &Caller, transport: Transport, now: i64) -> String {
        let view = self.view(caller, transport, now);
        let Some(only) = &self.only else {
            return format!("{{\"tools\":{}}}", view.text);
        };
        let root = only.root();
        let mut splice = Splice::new(root);
        if let Some(tools) = root.get("tools")
            && !self.is_as_listed(&view.text)
        {
            splice.replace(tools, view.text.as_str());
        }
        for key in ["nextCursor", "resultType", "ttlMs", "cacheScope"] {
            if let Some(value) = root.get(key) {
                splice.remove(value);
            }
        }
        splice.finish()
    }

    /// Whether a view holds every tool of the only server, byte for byte.
    fn is_as_listed(&self, view: &str) -> bool {
        let whole: Vec<&str> = self
            .tools
            .iter()
            .map(|tool| tool.definition.root().raw())
            .collect();
        view.get(1..view.len().saturating_sub(1)) == Some(whole.join(",").as_str())
    }

    /// What one caller is shown. It does not depend on the session, since modern listings must not
    /// (MCP 2026-07-28, "Transports").
    pub fn view(&self, caller: &Caller, transport: Transport, now: i64) -> Arc<View> {
        let key = (caller.clone(), transport == Transport::Stdio);
        let views = || self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = views().get(&key).filter(|view| view.is_fresh(now)) {
            return Arc::clone(view);
        }
        let visible: Vec<bool> = self
            .tools
            .iter()
            .map(|tool| self.shows(tool, caller, transport, now))
            .collect();
        let mut text = String::from("[");
        for (tool, _) in self.tools.iter().zip(&visible).filter(|(_, shown)| **shown) {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&tool.shown(self.hints));
        }
        text.push(']');
        let view = Arc::new(View {
            text,
            visible,
            made: now,
        });
        let mut views = views();
        if views.len() >= MAX_VIEWS {
            views.clear();
        }
        views.insert(key, Arc::clone(&view));
        view
    }

    /// Whether a caller is shown a tool: where a call of it could be allowed, or asked about.
    pub fn is_visible(&self, tool: &Tool, caller: &Caller, transport: Transport, now: i64) -> bool {
        let view = self.view(caller, transport, now);
        view.visible.get(tool.position).copied().unwrap_or(false)
    }

    fn shows(&self, tool: &Tool, caller: &Caller, transport: Transport, now: i64) -> bool {
        if tool.admission == Admission::Held {
            return false;
        }
        let question = Question {
            caller,
            action: Action::List,
            subject: Subject::Tool {
                key: &tool.key,
                effective: &tool.effective.effective,
            },
            arguments: None,
            confirmed: false,
            now,
            transport,
            session: SessionFacts::default(),
        };
        self.policies.decide(&question).decision != Decision::Deny
    }
}

/// What one caller is shown.
#[derive(Debug)]
pub struct View {
    /// The array of tools, as JSON.
    pub text: String,
    /// By the position of each tool, whether it is shown.
    visible: Vec<bool>,
    /// When it was made, in milliseconds since the epoch.
    made: i64,
}

impl View {
    /// Whether policies that look at the time need not be asked again yet.
    fn is_fresh(&self, now: i64) -> bool {
        const LASTS: i64 = 60_000;
        (self.made..self.made.saturating_add(LASTS)).contains(&now)
    }
}

impl Tool {
    /// The definition as hosts are shown it.
    pub(super) fn shown(&self, hints: HintsShown) -> String {
        let root = self.definition.root();
        let mut splice = Splice::new(root);
        if let Some(name) = root.get("name")
            && self.served_as != self.key.tool
        {
            splice.replace(name, json_string(&self.served_as));
        }
        if hints == HintsShown::Effective {
            self.show_effective(root, &mut splice);
        }
        splice.finish()
    }

    /// Whether hints can be asked for by argument.
    pub(crate) fn is_resolvable(&self) -> bool {
        self.ruling
            .as_ref()
            .is_some_and(|ruling| !ruling.cases.is_empty())
    }

    fn confinement_shown(&self) -> Option<String> {
        match &self.confinement {
            Confinement::Off => None,
            Confinement::Claims | Confinement::All => {
                let view = self.view(&self.effective.effective)?;
                Some(format!("in confinement {}", view.describe()))
            }
            Confinement::NotEnforced(why) => Some(format!("not enforced: {why}")),
        }
    }

    fn show_effective<'a>(&self, root: Value<'a>, splice: &mut Splice<'a>) {
        let values = as_hints(&self.effective.effective);
        let annotations = root.get("annotations");
        match annotations.filter(|annotations| annotations.is_object()) {
            Some(annotations) => {
                for hint in Hint::ALL {
                    splice.set(annotations, hint.key(), values.get(hint).to_string());
                }
            }
            None => {
                let all: serde_json::Map<_, _> = Hint::ALL
                    .iter()
                    .map(|hint| (hint.key().to_owned(), (*values.get(*hint)).into()))
                    .collect();
                let all = serde_json::Value::Object(all).to_string();
                splice.set(root, "annotations", all);
            }
        }
        let claimed = annotations.map_or("null", Value::raw).to_owned();
        let provenance: serde_json::Map<_, _> = self
            .effective
            .effective
            .hints
            .iter()
            .map(|(hint, value)| (hint.key().to_owned(), value.provenance.as_str().into()))
            .collect();
        let provenance = serde_json::Value::Object(provenance).to_string();
        let mut members = vec![(CLAIMED_KEY, claimed), (PROVENANCE_KEY, provenance)];
        if self.is_resolvable() {
            members.push((RESOLUTION, r#"{"resolvable":true}"#.to_owned()));
        }
        if let Some(confinement) = self.confinement_shown() {
            members.push((CONFINEMENT_KEY, json_string(&confinement)));
        }
        match root.get("_meta").filter(|meta| meta.is_object()) {
            Some(meta) => {
                for (key, raw) in members {
                    splice.set(meta, key, raw);
                }
            }
            None => {
                let members = members
                    .iter()
                    .map(|(key, raw)| format!("{}:{raw}", json_string(key)));
                let meta = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
                splice.set(root, "_meta", meta);
            }
        }
    }
}

pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
