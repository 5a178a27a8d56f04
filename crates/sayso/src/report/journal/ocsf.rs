//! Calls and refusals as events of the Open Cybersecurity Schema Framework, class API Activity.
//!
//! Version 1.3.0 (<https://schema.ocsf.io/1.3.0/classes/api_activity>). A member is there only where
//! it is known; what the schema has no place for is in `unmapped`.

use std::collections::HashMap;
use std::io;

use sayso_core::journal::{Call, Decision, Entry, Outcome, OutcomeKind, Record, Refused};
use serde_json::{Map, Value, json};

use super::super::safe_json;

/// The version of the schema.
const SCHEMA: &str = "1.3.0";

/// `activity_id` of what is none of create, read, update and delete: what a tool does is its own.
const OTHER: u32 = 99;

/// The class API Activity.
const CLASS: u32 = 6003;

/// How it ended: `status_id`, what that is called, and the journal's own word.
struct Status<'a> {
    id: u32,
    name: &'static str,
    code: &'a str,
    detail: Option<&'a str>,
}

/// Makes events of entries, in the order they were written.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Calls that went out and whose outcome has not come yet.
    open: HashMap<(String, u32), (Entry, Call)>,
}

impl Events {
    /// The event of an entry, on a line: of an outcome (with what is known of the call), of a
    /// refusal, of a request that is no call and was let through. Other entries are none.
    ///
    /// # Errors
    /// Never, as far as is known: when it cannot be written as JSON.
    pub(crate) fn of(&mut self, entry: Entry) -> io::Result<Option<String>> {
        let event = match &entry.record {
            Record::Outcome(outcome) => {
                let intent = self.open.remove(&(outcome.call.clone(), outcome.attempt));
                of_outcome(&entry, outcome, intent.as_ref())
            }
            Record::Intent(call) => {
                let call = Call::clone(call);
                let key = (call.call.clone(), call.attempt);
                self.open.insert(key, (entry, call));
                return Ok(None);
            }
            Record::Permitted(call) => event(&entry, call, &PERMITTED),
            Record::Refused(refused) => of_refused(&entry, refused),
            _ => return Ok(None),
        };
        line(&event).map(Some)
    }

    /// The events of the calls whose outcome did not come, each with its number.
    ///
    /// # Errors
    /// As [`Events::of`].
    pub(crate) fn unknown(self) -> io::Result<Vec<(u64, String)>> {
        let mut open: Vec<_> = self.open.into_values().collect();
        open.sort_by_key(|(entry, _)| entry.seq);
        let status = Status {
            id: 0,
            name: "Unknown",
            code: OutcomeKind::Unknown.as_str(),
            detail: None,
        };
        open.iter()
            .map(|(entry, call)| Ok((entry.seq, line(&event(entry, call, &status))?)))
            .collect()
    }
}

/// That a request was let through; what came of it is not written down.
const PERMITTED: Status<'static> = Status {
    id: OTHER,
    name: "Other",
    code: "permitted",
    detail: None,
};

fn of_outcome(entry: &Entry, outcome: &Outcome, intent: Option<&(Entry, Call)>) -> Value {
    let (id, name) = match outcome.outcome {
        OutcomeKind::Result => (1, "Success"),
        OutcomeKind::ToolError | OutcomeKind::Error | OutcomeKind::NotSent => (2, "Failure"),
        OutcomeKind::InputRequired => (OTHER, "Other"),
        OutcomeKind::TimedOut
        | OutcomeKind::ConnectionLost
        | OutcomeKind::Cancelled
        | OutcomeKind::Unknown => (0, "Unknown"),
    };
    let status = Status {
        id,
        name,
        code: outcome.outcome.as_str(),
        detail: outcome.said.as_deref(),
    };
    let known = Call {
        call: outcome.call.clone(),
        caller: outcome.caller.clone(),
        server: outcome.server.clone(),
        tool: outcome.tool.clone(),
        ..Call::default()
    };
    let call = intent.map_or(&known, |(_, call)| call);
    let mut event = event(entry, call, &status);
    put(&mut event, "duration", json!(outcome.duration_ms));
    put(&mut event, "end_time", json!(entry.at.0));
    if let Some((intent, _)) = intent {
        put(&mut event, "start_time", json!(intent.at.0));
    }
    if let Some(digest) = outcome.result {
        put_in(&mut event, "unmapped", "result_digest", json!(digest));
    }
    event
}

fn of_refused(entry: &Entry, refused: &Refused) -> Value {
    let status = Status {
        id: 2,
        name: "Failure",
        code: &refused.code,
        detail: Some(&refused.said),
    };
    let call = Call {
        decision: Some(refused.call.decision.unwrap_or(Decision::Deny)),
        ..refused.call.clone()
    };
    event(entry, &call, &status)
}

/// Puts a member into an object.
fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

/// Puts a member into an object that is a member itself.
fn put_in(object: &mut Value, outer: &str, key: &str, value: Value) {
    if let Some(inner) = object.get_mut(outer) {
        put(inner, key, value);
    }
}

/// The event on one line, with no character that hides.
fn line(event: &Value) -> io::Result<String> {
    Ok(safe_json::escape(&serde_json::to_string(event)?))
}

fn event(entry: &Entry, call: &Call, status: &Status<'_>) -> Value {
    let method = call.method.as_deref().unwrap_or("tools/call");
    let mut event = json!({
        "activity_id": OTHER,
        "activity_name": method,
        "category_uid": 6,
        "category_name": "Application Activity",
        "class_uid": CLASS,
        "class_name": "API Activity",
        "type_uid": CLASS * 100 + OTHER,
        "severity_id": 1,
        "severity": "Informational",
        "status_id": status.id,
        "status": status.name,
        "status_code": status.code,
        "time": entry.at.0,
        "metadata": {
            "version": SCHEMA,
            "product": {
                "name": "Sayso",
                "vendor_name": "Sayso",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "log_name": "journal",
            "sequence": entry.seq,
            "uid": entry.hash,
        },
        "actor": actor(call),
        "api": api(call, method),
        "src_endpoint": source(call),
        "unmapped": unmapped(call),
    });
    if let Some(detail) = status.detail {
        put(&mut event, "status_detail", json!(detail));
    }
    if !call.call.is_empty() {
        put_in(&mut event, "metadata", "correlation_uid", json!(call.call));
    }
    if let Some(server) = &call.server {
        put(&mut event, "dst_endpoint", json!({ "svc_name": server }));
    }
    if let Some(tool) = &call.tool {
        put(
            &mut event,
            "resources",
            json!([{ "type": "tool", "name": tool }]),
        );
    }
    event
}

/// The schema wants one of user, session and application.
fn actor(call: &Call) -> Value {
    let mut actor = json!({ "user": { "name": caller(call) } });
    if let Some(client) = &call.client {
        put(&mut actor, "app_name", json!(client));
    }
    if let Some(session) = &call.session {
        put(&mut actor, "session", json!({ "uid": session }));
    }
    if let Some(decision) = call.decision {
        let reasons = call.reasons.iter().map(|reason| {
            let mut policy = Map::new();
            policy.insert("name".to_owned(), json!(reason.id));
            if !reason.text.is_empty() {
                policy.insert("desc".to_owned(), json!(reason.text));
            }
            json!({ "decision": decision.as_str(), "policy": policy })
        });
        let reasons: Vec<Value> = reasons.collect();
        let authorizations = match reasons.is_empty() {
            true => json!([{ "decision": decision.as_str() }]),
            false => Value::Array(reasons),
        };
        put(&mut actor, "authorizations", authorizations);
    }
    actor
}

fn api(call: &Call, method: &str) -> Value {
    let mut api = json!({ "operation": method });
    if !call.call.is_empty() {
        put(&mut api, "request", json!({ "uid": call.call }));
    }
    if let Some(server) = &call.server {
        put(&mut api, "service", json!({ "name": server }));
    }
    api
}

/// Where it came from: the host's program where it says so, else the caller.
fn source(call: &Call) -> Value {
    match &call.client {
        Some(client) => json!({ "svc_name": client }),
        None => json!({ "name": caller(call) }),
    }
}

/// What is refused before it is known who calls has no caller.
fn caller(call: &Call) -> &str {
    match call.caller.as_str() {
        "" => "unknown",
        caller => caller,
    }
}

/// What the schema has no place for.
fn unmapped(call: &Call) -> Value {
    let mut unmapped = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            unmapped.insert(key.to_owned(), value);
        }
    };
    put("approval", call.approval.as_ref().map(|id| json!(id)));
    let arguments = call.arguments.as_ref();
    put(
        "arguments",
        arguments.and_then(|arguments| serde_json::to_value(arguments).ok()),
    );
    put("attempt", (call.attempt > 0).then(|| json!(call.attempt)));
    put(
        "definition_digest",
        call.definition.map(|digest| json!(digest)),
    );
    put("era", call.era.as_ref().map(|era| json!(era)));
    put("hints", call.hints.map(|hints| json!(hints)));
    put("pin", call.pin.as_ref().map(|pin| json!(pin)));
    put("policy_digest", call.policy.map(|digest| json!(digest)));
    put("served_as", call.served_as.as_ref().map(|name| json!(name)));
    put(
        "transport",
        call.transport.as_ref().map(|transport| json!(transport)),
    );
    Value::Object(unmapped)
}
