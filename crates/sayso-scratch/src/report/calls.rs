//! What was called, how often, and how it ended.

mod relate;
mod tools;

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::clients::ObservedClient;
use super::timeline::{TimedEvent, Timeline, thousandths};
use crate::journal::{AsideEffect, Json, Record, WithheldAnswer};
use crate::listing::{Declared, DeclaredByTool};

pub(super) use tools::tools;
pub use tools::{Counts, ObservedTool};

/// Two calls within this time were made at once: no time-out is that short.
const AT_ONCE_MS: f64 = 50.0;

/// One call.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ObservedCall {
    /// Which client made it.
    pub client: usize,
    /// The request's id, as JSON.
    pub request_id: String,
    /// When it came.
    pub at_ms: f64,
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Option<Value>,
    /// What the tool declared when it came; none if it was not listed.
    pub declared: Option<Declared>,
    /// What the tool declared in the listing that the client fetched last; none if it fetched
    /// none.
    pub seen: Option<Declared>,
    /// The call this one repeats: the same tool and arguments, by the same program, after there
    /// was no answer.
    pub repeats: Option<Repeat>,
    /// The call this one goes on with: sent again with what the person said (modern era).
    pub continues: Option<usize>,
    /// The last equal call, if that one was answered.
    pub same_as_answered: Option<usize>,
    /// The calls of the same client that were not answered yet when it came; the latest 32, if
    /// there are more.
    pub during: Vec<usize>,
    /// How the answer was kept from the client.
    pub withheld: Option<WithheldAnswer>,
    /// Whether the tool did its work; none if it never got to it.
    pub done: Option<bool>,
    /// What the tool said.
    pub text: Option<String>,
    /// What it did besides.
    pub aside: Option<AsideEffect>,
    /// What the person was asked.
    pub asked: Vec<AskedPerson>,
    /// How it ended.
    pub end: CallEnd,
    /// How long after it came it ended; none if it did not.
    pub ended_after_ms: Option<f64>,
}

/// A call made again.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Repeat {
    /// Which call.
    pub of: usize,
    /// How long after that one.
    pub after_ms: f64,
    /// Whether with the same request id.
    pub same_id: bool,
}

/// How a call ended for its client.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum CallEnd {
    /// With the result of a tool that did its work.
    Result,
    /// With the result of a tool that failed.
    Failure,
    /// With a protocol error.
    Refusal,
    /// With a question to the person.
    InputRequired,
    /// The client cancelled it.
    Cancelled {
        /// What the client said about it.
        reason: Option<String>,
    },
    /// The connection was broken in place of an answer.
    Broken,
    /// There was an answer, but the client no longer listened for it.
    Undelivered,
    /// The connection ended first.
    Disconnected,
    /// Not at all.
    None,
}

/// What a person was asked about a call.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AskedPerson {
    /// What they were shown.
    pub message: String,
    /// `accepted`, `declined`, `cancelled`, `failed`; none if there was no answer.
    pub answer: Option<String>,
}

impl ObservedCall {
    /// A call of which nothing is known but that it came.
    fn new(client: usize, at_ms: f64, tool: &str) -> Self {
        Self {
            client,
            request_id: String::new(),
            at_ms,
            tool: tool.to_owned(),
            arguments: None,
            declared: None,
            seen: None,
            repeats: None,
            continues: None,
            same_as_answered: None,
            during: Vec::new(),
            withheld: None,
            done: None,
            text: None,
            aside: None,
            asked: Vec::new(),
            end: CallEnd::None,
            ended_after_ms: None,
        }
    }

    /// The tool and its arguments as one text, the same for equal calls.
    fn what(&self) -> String {
        let mut text = format!("{} ", self.tool);
        // No arguments are the same as `null`.
        canonical(self.arguments.as_ref().unwrap_or(&Value::Null), &mut text);
        text
    }

    /// Whether there is no answer to it yet at a time, and there need not come one.
    fn is_left_without_answer(&self, at_ms: f64) -> bool {
        let ended = self.ended_after_ms.map(|after| self.at_ms + after);
        let has_ended = ended.is_some_and(|ended| ended <= at_ms);
        match self.end {
            CallEnd::Cancelled { .. }
            | CallEnd::Broken
            | CallEnd::Undelivered
            | CallEnd::Disconnected => has_ended || self.withheld.is_some(),
            CallEnd::None => true,
            CallEnd::Result | CallEnd::Failure | CallEnd::Refusal | CallEnd::InputRequired => {
                !has_ended && self.withheld.is_some()
            }
        }
    }

    /// Whether its client still waits for an answer at a time. Where no answer came and the
    /// client did not say when it gave up, that is known for a moment only.
    fn is_under_way(&self, at_ms: f64) -> bool {
        match (&self.end, self.ended_after_ms) {
            (CallEnd::Disconnected | CallEnd::None, _) | (_, None) => {
                at_ms - self.at_ms < AT_ONCE_MS
            }
            (_, Some(after)) => self.at_ms + after > at_ms,
        }
    }
}

/// JSON with the members of objects in order of their keys.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<&String, &Value> = members.iter().collect();
            text.push('{');
            for (key, value) in members {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                canonical(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                canonical(element, text);
                text.push(',');
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Every call, in order.
pub(super) fn calls(timeline: &Timeline<'_>, clients: &[ObservedClient]) -> Vec<ObservedCall> {
    let mut gathered = Gathered::default();
    for event in timeline.events() {
        gathered.take(event);
    }
    relate::relate(&mut gathered.calls, clients);
    gathered.calls
}

/// The calls so far, and what is needed to know to which of them a line belongs.
#[derive(Default)]
struct Gathered<'e> {
    calls: Vec<ObservedCall>,
    /// The last call with an id; an id may come again.
    by_id: HashMap<(usize, &'e str), usize>,
    /// Each run's listings by number.
    listings: HashMap<(usize, u64), &'e DeclaredByTool>,
    /// The listing that each client fetched last.
    seen: HashMap<usize, &'e DeclaredByTool>,
    /// Calls that ended with a question, by client and what was called.
    questions: HashMap<(usize, String), usize>,
}

impl<'e> Gathered<'e> {
    fn take(&mut self, event: TimedEvent<'e>) {
        if let Record::Listing {
            revision, declared, ..
        } = event.record
        {
            self.listings.insert((event.run, *revision), declared);
        }
        let Some(client) = event.client else { return };
        match event.record {
            Record::Listed { revision, .. }
            | Record::Connected {
                has_listing: Some(revision),
                ..
            } => {
                let listing = self.listings.get(&(event.run, *revision));
                self.seen.extend(listing.map(|listing| (client, *listing)));
            }
            Record::Called {
                request_id,
                tool,
                arguments,
                declared,
            } => {
                self.by_id.insert((client, request_id), self.calls.len());
                let seen = self.seen.get(&client);
                self.calls.push(ObservedCall {
                    request_id: request_id.clone(),
                    arguments: arguments.as_ref().map(Json::value),
                    declared: *declared,
                    seen: seen.and_then(|seen| seen.get(tool)).copied(),
                    ..ObservedCall::new(client, event.at_ms, tool)
                });
            }
            Record::Disconnected { .. } => {
                let left = self
                    .calls
                    .iter_mut()
                    .filter(|call| call.client == client && call.ended_after_ms.is_none());
                for call in left {
                    call.end = CallEnd::Disconnected;
                    call.ended_after_ms = Some(thousandths(event.at_ms - call.at_ms));
                }
            }
            record => {
                let id = request_id(record).and_then(|id| self.by_id.get(&(client, id)));
                if let Some(index) = id.copied() {
                    self.take_about(index, event);
                }
            }
        }
    }

    /// What happened to a call.
    fn take_about(&mut self, index: usize, event: TimedEvent<'_>) {
        if let Record::PersonAnswered { answer, .. } = event.record {
            self.person_answered(index, answer);
        } else if let Some(call) = self.calls.get_mut(index) {
            take_one(call, event);
            if call.end == CallEnd::InputRequired {
                self.questions.insert((call.client, call.what()), index);
            }
        }
    }

    /// In the legacy era the call that was asked about gets the answer, in the modern one a new
    /// call brings it.
    fn person_answered(&mut self, index: usize, answer: &str) {
        let Some(call) = self.calls.get_mut(index) else {
            return;
        };
        let asked = if call.asked.is_empty() {
            let asked = self.questions.remove(&(call.client, call.what()));
            call.continues = asked.filter(|asked| *asked < index);
            call.continues
        } else {
            Some(index)
        };
        let asked = asked.and_then(|asked| self.calls.get_mut(asked));
        if let Some(question) = asked.and_then(|call| call.asked.last_mut()) {
            question.answer = Some(answer.to_owned());
        }
    }
}

/// The request a line is about, if it is about a call after it came.
fn request_id(record: &Record) -> Option<&str> {
    match record {
        Record::Worked { request_id, .. }
        | Record::Answered { request_id, .. }
        | Record::Cancelled { request_id, .. }
        | Record::Asked { request_id, .. }
        | Record::PersonAnswered { request_id, .. } => Some(request_id),
        _ => None,
    }
}

fn take_one(call: &mut ObservedCall, event: TimedEvent<'_>) {
    let ended = match event.record {
        Record::Worked {
            done,
            text,
            aside,
            withheld,
            ..
        } => {
            call.done = Some(*done);
            call.text = Some(text.clone());
            call.aside.clone_from(aside);
            call.withheld = *withheld;
            return;
        }
        Record::Asked { message, .. } => {
            call.asked.push(AskedPerson {
                message: message.clone(),
                answer: None,
            });
            return;
        }
        Record::Answered { how, .. } => match how.as_str() {
            "result" => CallEnd::Result,
            "failure" => CallEnd::Failure,
            "input required" => CallEnd::InputRequired,
            "disconnect" => CallEnd::Broken,
            "undelivered" => CallEnd::Undelivered,
            _ => CallEnd::Refusal,
        },
        Record::Cancelled { reason, .. } => CallEnd::Cancelled {
            reason: reason.clone(),
        },
        _ => return,
    };
    if call.ended_after_ms.is_none() {
        call.end = ended;
        call.ended_after_ms = Some(thousandths(event.at_ms - call.at_ms));
    }
}
