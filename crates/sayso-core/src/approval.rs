//! A person's answer: what it is bound to, and what can become of it.
//!
//! An approval is pending until a person approves or denies it, or it expires, which denies. An
//! approved one can be spent once, by a call of exactly its [`Binding`], until it expires.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::journal::{HintValues, Json, Reason, Timestamp};

/// What an answer holds for: this and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The digest of the arguments that will be sent.
    pub arguments: Digest,
    /// Who calls.
    pub caller: String,
    /// The digest of the tool's definition.
    pub definition: Digest,
    /// The digest of the policies that were asked.
    pub policy: Digest,
    /// The server.
    pub server: String,
    /// The name the tool has at the server.
    pub tool: String,
}

impl Binding {
    /// The binding as one text: equal for equal bindings and for no others.
    #[must_use]
    pub fn key(&self) -> String {
        // Nothing in it can fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What a person is shown, besides the binding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The arguments that will be sent, whole.
    pub arguments: Json,
    /// The call that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The host's name and version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The tool's description, as the server wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values of the hints for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<HintValues>,
    /// Why somebody is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The name the tool has at the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_as: Option<String>,
    /// How it can be undone, as the operator wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Yes, once.
    Approve,
    /// No.
    Deny,
}

/// An answer, who gave it and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// What.
    pub verdict: Verdict,
}

/// How an approval stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nobody answered yet.
    Pending,
    /// It was given and can be spent.
    Approved,
    /// It was refused.
    Denied,
    /// It was given and spent.
    Spent,
    /// Its time is over; that denies.
    Expired,
}

impl State {
    /// The state as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Spent => "spent",
            Self::Expired => "expired",
        }
    }
}

/// One question to a person and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What it is bound to.
    pub binding: Binding,
    /// Until when it can be given and spent.
    pub expires_at: Timestamp,
    /// Its id.
    pub id: String,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// What the person is shown.
    pub shown: Shown,
    /// When it was spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_at: Option<Timestamp>,
}

/// Why an answer is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDecided {
    /// Its time is over.
    #[error("its time was over at {0}")]
    Expired(Timestamp),
    /// There is an answer already.
    #[error("it is {} already", .0.as_str())]
    Already(State),
}

impl Approval {
    /// How it stands at this time. One whose time is over stays denied or spent if it was.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> State {
        let over = now >= self.expires_at;
        match (&self.answer, self.spent_at) {
            (_, Some(_)) => State::Spent,
            (Some(answer), None) if answer.verdict == Verdict::Deny => State::Denied,
            _ if over => State::Expired,
            (Some(_), None) => State::Approved,
            (None, None) => State::Pending,
        }
    }

    /// Takes an answer.
    ///
    /// # Errors
    /// When it is not pending: an answer is given once and in time.
    pub fn decide(&mut self, verdict: Verdict, by: &str, now: Timestamp) -> Result<(), NotDecided> {
        match self.state(now) {
            State::Pending => {}
            State::Expired => return Err(NotDecided::Expired(self.expires_at)),
            other => return Err(NotDecided::Already(other)),
        }
        self.answer = Some(Answer {
            at: now,
            by: by.to_owned(),
            verdict,
        });
        Ok(())
    }

    /// Spends it for a call of this binding; whether it was.
    #[must_use]
    pub fn spend(&mut self, binding: &Binding, now: Timestamp) -> bool {
        let fits = self.binding == *binding && self.state(now) == State::Approved;
        if fits {
            self.spent_at = Some(now);
        }
        fits
    }
}
