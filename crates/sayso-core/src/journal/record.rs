//! What an entry of the journal says.
//!
//! Members of every struct here stand in the order of their names: that makes what `serde_json`
//! writes of them canonical JSON without sorting anything (a test holds it to that).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Arguments, Timestamp};
use crate::approval::{Binding, Verdict};
use crate::digest::Digest;
use crate::effective::{Effective, EffectiveHint, Provenance};
use crate::hint::Hint;

/// A word of a closed set that is told in another place, such as a reason code or an era.
pub type Word = Cow<'static, str>;

/// The kind of [`Record::Intent`].
const INTENT: &str = "intent";

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "record", rename_all = "kebab-case")]
pub enum Record {
    /// The gate began.
    Started(Started),
    /// The gate ended in order.
    Stopped(Stopped),
    /// A call is about to go out.
    Intent(Box<Call>),
    /// What became of a call that went out.
    Outcome(Box<Outcome>),
    /// A request that is no call was let through: a read, a prompt, a completion, a task.
    Permitted(Box<Call>),
    /// A request was refused.
    Refused(Box<Refused>),
    /// A person is to be asked.
    ApprovalOpened(Box<ApprovalOpened>),
    /// A person answered.
    ApprovalDecided(Box<ApprovalDecided>),
    /// An approval was used up.
    ApprovalSpent(Box<ApprovalSpent>),
    /// A server's listing is not what was pinned.
    Drift(Box<Drift>),
    /// A conversation with a server began.
    ServerUp(Box<ServerUp>),
    /// A conversation with a server ended.
    ServerDown(Box<ServerDown>),
    /// A server's listing was read.
    Listing(Box<Listing>),
    /// Settings were read again.
    Settings(Box<Settings>),
    /// Something was observed that speaks against a hint.
    Evidence(Box<Evidence>),
}

impl Record {
    /// The kind as it is written.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Stopped(_) => "stopped",
            Self::Intent(_) => INTENT,
            Self::Outcome(_) => "outcome",
            Self::Permitted(_) => "permitted",
            Self::Refused(_) => "refused",
            Self::ApprovalOpened(_) => "approval-opened",
            Self::ApprovalDecided(_) => "approval-decided",
            Self::ApprovalSpent(_) => "approval-spent",
            Self::Drift(_) => "drift",
            Self::ServerUp(_) => "server-up",
            Self::ServerDown(_) => "server-down",
            Self::Listing(_) => "listing",
            Self::Settings(_) => "settings",
            Self::Evidence(_) => "evidence",
        }
    }

    /// The record as it is written down.
    #[must_use]
    pub fn written(&self) -> WrittenRecord {
        WrittenRecord {
            kind: self.kind(),
            text: self.text(),
        }
    }

    /// Its members, in canonical JSON.
    #[must_use]
    pub fn text(&self) -> String {
        let text = match self {
            Self::Started(members) => serde_json::to_string(members),
            Self::Stopped(members) => serde_json::to_string(members),
            Self::Intent(members) => serde_json::to_string(members),
            Self::Outcome(members) => serde_json::to_string(members),
            Self::Permitted(members) => serde_json::to_string(members),
            Self::Refused(members) => serde_json::to_string(members),
            Self::ApprovalOpened(members) => serde_json::to_string(members),
            Self::ApprovalDecided(members) => serde_json::to_string(members),
            Self::ApprovalSpent(members) => serde_json::to_string(members),
            Self::Drift(members) => serde_json::to_string(members),
            Self::ServerUp(members) => serde_json::to_string(members),
            Self::ServerDown(members) => serde_json::to_string(members),
            Self::Listing(members) => serde_json::to_string(members),
            Self::Settings(members) => serde_json::to_string(members),
            Self::Evidence(members) => serde_json::to_string(members),
        };
        // Nothing in a record can fail: no map, no float, nothing that fails by itself.
        text.unwrap_or_default()
    }

    /// The id of the call it is about.
    #[must_use]
    pub fn call(&self) -> Option<&str> {
        let id = match self {
            Self::Intent(call) | Self::Permitted(call) => &call.call,
            Self::Outcome(outcome) => &outcome.call,
            Self::Refused(refused) => &refused.call.call,
            Self::ApprovalOpened(opened) => opened.call.as_ref()?,
            Self::Evidence(evidence) => evidence.call.as_ref()?,
            _ => return None,
        };
        (!id.is_empty()).then_some(id)
    }

    /// Who called.
    #[must_use]
    pub fn caller(&self) -> Option<&str> {
        let caller = match self {
            Self::Intent(call) | Self::Permitted(call) => &call.caller,
            Self::Outcome(outcome) => &outcome.caller,
            Self::Refused(refused) => &refused.call.caller,
            Self::ApprovalOpened(opened) => &opened.binding.caller,
            Self::ApprovalDecided(decided) => &decided.binding.caller,
            Self::ApprovalSpent(spent) => &spent.binding.caller,
            _ => return None,
        };
        (!caller.is_empty()).then_some(caller)
    }

    /// The server it is about.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        match self {
            Self::Intent(call) | Self::Permitted(call) => call.server.as_deref(),
            Self::Outcome(outcome) => outcome.server.as_deref(),
            Self::Refused(refused) => refused.call.server.as_deref(),
            Self::ApprovalOpened(opened) => Some(&opened.binding.server),
            Self::ApprovalDecided(decided) => Some(&decided.binding.server),
            Self::ApprovalSpent(spent) => Some(&spent.binding.server),
            Self::Drift(drift) => Some(&drift.server),
            Self::ServerUp(up) => Some(&up.server),
            Self::ServerDown(down) => Some(&down.server),
            Self::Listing(listing) => Some(&listing.server),
            Self::Evidence(evidence) => Some(&evidence.server),
            Self::Started(_) | Self::Stopped(_) | Self::Settings(_) => None,
        }
    }

    /// The tool it is about, by its name at the server.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Intent(call) | Self::Permitted(call) => call.tool.as_deref(),
            Self::Outcome(outcome) => outcome.tool.as_deref(),
            Self::Refused(refused) => refused.call.tool.as_deref(),
            Self::ApprovalOpened(opened) => Some(&opened.binding.tool),
            Self::ApprovalDecided(decided) => Some(&decided.binding.tool),
            Self::ApprovalSpent(spent) => Some(&spent.binding.tool),
            Self::Drift(drift) => drift.tool.as_deref(),
            Self::Evidence(evidence) => Some(&evidence.tool),
            _ => None,
        }
    }

    /// What was decided of a call.
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        match self {
            Self::Intent(call) | Self::Permitted(call) => call.decision,
            Self::Refused(refused) => Some(refused.call.decision.unwrap_or(Decision::Deny)),
            Self::ApprovalOpened(_) => Some(Decision::Ask),
            _ => None,
        }
    }
}

/// A record as it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenRecord {
    /// The kind, as [`Record::kind`] has it.
    pub kind: &'static str,
    /// The members, in canonical JSON.
    pub text: String,
}

impl WrittenRecord {
    /// That a call is about to go out: [`Record::Intent`], of a call that is needed further on.
    #[must_use]
    pub fn intent(call: &Call) -> Self {
        Self {
            kind: INTENT,
            // As in `Record::text`.
            text: serde_json::to_string(call).unwrap_or_default(),
        }
    }
}

/// What a policy says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It goes out.
    Allow,
    /// It goes out once a person approved it.
    Ask,
    /// It does not go out.
    Deny,
}

impl Decision {
    /// The decision as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Why something was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The policy, or the code of a stage.
    pub id: String,
    /// What it says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The value of a hint that was decided by, and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintValue {
    /// Where it came from.
    pub provenance: Provenance,
    /// The value.
    pub value: bool,
}

/// The values of the four hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintValues {
    /// `destructiveHint`.
    pub destructive: HintValue,
    /// `idempotentHint`.
    pub idempotent: HintValue,
    /// `openWorldHint`.
    pub open_world: HintValue,
    /// `readOnlyHint`.
    pub read_only: HintValue,
}

impl From<&Effective> for HintValues {
    fn from(effective: &Effective) -> Self {
        let of = |hint: EffectiveHint| HintValue {
            provenance: hint.provenance,
            value: hint.value,
        };
        Self {
            destructive: of(effective.hints.destructive),
            idempotent: of(effective.hints.idempotent),
            open_world: of(effective.hints.open_world),
            read_only: of(effective.hints.read_only),
        }
    }
}

impl HintValues {
    /// Each with its hint, in the specification's order.
    pub fn iter(&self) -> impl Iterator<Item = (Hint, HintValue)> + use<> {
        let values = *self;
        Hint::ALL.into_iter().map(move |hint| {
            let value = match hint {
                Hint::ReadOnly => values.read_only,
                Hint::Destructive => values.destructive,
                Hint::Idempotent => values.idempotent,
                Hint::OpenWorld => values.open_world,
            };
            (hint, value)
        })
    }
}

/// A call, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The approval it goes out with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
    /// Which attempt it is, from 1; 0 where it does not go out.
    #[serde(default)]
    pub attempt: u32,
    /// Its id.
    #[serde(default)]
    pub call: String,
    /// Who calls.
    #[serde(default)]
    pub caller: String,
    /// The host's name and version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// How it is confined, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined: Option<Word>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The digest of the tool's definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Digest>,
    /// Which era the host speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<Word>,
    /// The values of the hints for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<HintValues>,
    /// The method, where it is not `tools/call`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// How the tool stands to its pin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Word>,
    /// The digest of the policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
    /// Why it was decided so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The name the tool has at the gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_as: Option<String>,
    /// The server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The host's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The name the tool has at the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How the host is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Word>,
}

/// How a call that went out ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// With a result.
    Result,
    /// With a result that says the tool failed (`isError`).
    ToolError,
    /// With a JSON-RPC error.
    Error,
    /// No answer came in time; it may have had its effect.
    TimedOut,
    /// The connection ended before the answer; it may have had its effect.
    ConnectionLost,
    /// The host cancelled it; it may have had its effect.
    Cancelled,
    /// Nobody knows.
    Unknown,
    /// It certainly never reached the server.
    NotSent,
    /// The server asks for something first (`input_required`).
    InputRequired,
}

impl OutcomeKind {
    /// The outcome as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::ToolError => "tool-error",
            Self::Error => "error",
            Self::TimedOut => "timed-out",
            Self::ConnectionLost => "connection-lost",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
            Self::NotSent => "not-sent",
            Self::InputRequired => "input-required",
        }
    }
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which attempt it was, from 1.
    pub attempt: u32,
    /// The call's id.
    pub call: String,
    /// Who called.
    #[serde(default)]
    pub caller: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// `isError` of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// The digest of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Digest>,
    /// The length of the result, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<u64>,
    /// What is known of why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The name the tool has at the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// A request that was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What is known of it.
    pub call: Call,
    /// The reason's code.
    pub code: Word,
    /// What the caller can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// What was wrong.
    pub said: String,
}

/// A person is to be asked. The store writes it with the approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalOpened {
    /// The approval's id.
    pub approval: String,
    /// What it is bound to.
    pub binding: Binding,
    /// The call that needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Until when it can be given and used.
    pub expires_at: Timestamp,
    /// Why somebody is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// A person answered. The store writes it with the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalDecided {
    /// The approval's id.
    pub approval: String,
    /// What it is bound to.
    pub binding: Binding,
    /// Who answered.
    pub by: String,
    /// The answer.
    pub verdict: Verdict,
}

/// An approval was used up. The store writes it with that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalSpent {
    /// The approval's id.
    pub approval: String,
    /// What it is bound to.
    pub binding: Binding,
}

/// A server's listing is not what was pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// Whether the tool is held back.
    pub blocked: bool,
    /// What changed, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The digest of the definition as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Digest>,
    /// Which way: relaxing, tightening, neutral, or new.
    pub direction: Word,
    /// The server.
    pub server: String,
    /// The tool; none where it is the server itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// A conversation with a server began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerUp {
    /// Which era it speaks.
    pub era: Word,
    /// Its name and version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// The version of the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The server.
    pub server: String,
}

/// A conversation with a server ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerDown {
    /// Why.
    pub reason: String,
    /// When the next is tried, in milliseconds from then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
    /// The server.
    pub server: String,
}

/// A server's listing was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Whether it was read to the end.
    pub complete: bool,
    /// Its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// How many tools are held back.
    pub held: u64,
    /// The server.
    pub server: String,
    /// How many tools there are.
    pub tools: u64,
}

/// Settings were read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Their digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The digest of the policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
    /// What was wrong, or what is told about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
    /// Whether the gate works by them now.
    pub taken_up: bool,
}

/// The gate began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Where hosts reach it: `stdio`, or addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listens: Vec<String>,
    /// The digest of the policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
    /// The digest of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Digest>,
    /// The version of Sayso.
    pub version: String,
}

/// The gate ended in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Why.
    pub reason: String,
    /// How many calls were still running.
    pub running: u64,
}

/// Something was observed that speaks against a hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The call that it was seen of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The hint.
    pub hint: Hint,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What was seen.
    pub witness: String,
}
