//! `sayso trace`: the same calls through a bare client, which asks nobody, through a host with a
//! policy, and through the gate, each over a real connection; what a changed listing does to the
//! host; and what only a gate stops.
//!
//! Everything here is plain data and the running of it; [`crate::report::trace`] tells it.

mod conversation;
mod experiment;
mod gateway;
mod host;
mod leg;
mod passage;
mod script;
mod subject;
mod trials;

use sayso_audit::hosts::{Column, OnListChange, Outcome};
use sayso_core::effective::Trust;
use sayso_core::hint::{Claim, Hints};
use sayso_core::journal::Decision;
use sayso_core::listing::ServerIdentity;
use sayso_scratch::store::Change;

pub(crate) use experiment::run;
pub(crate) use gateway::GatePlan;
pub(crate) use script::{Answer, Script};
pub(crate) use subject::Subject;

/// Everything one run of `sayso trace` has to tell.
#[derive(Debug)]
pub(crate) struct Trace<'p> {
    /// Who answered.
    pub(crate) server: ServerIdentity,
    /// How it was reached, with everything secret left out.
    pub(crate) target: String,
    /// Whether it is the scratch server, whose store can be looked into.
    pub(crate) is_scratch: bool,
    /// The listing as a client sees it.
    pub(crate) listing: Vec<ListedTool>,
    /// The host that was played, and its mode.
    pub(crate) host: Column<'p>,
    /// The day the profile was read, when that is longer ago than the settings allow.
    pub(crate) stale_since: Option<String>,
    /// The calls through a bare client.
    pub(crate) bare: Leg,
    /// The same calls through the host.
    pub(crate) gated: Leg,
    /// The same calls through the gate, where that was asked for.
    pub(crate) gateway: Option<GateLeg>,
    /// What only a gate stops; only for the scratch server.
    pub(crate) trials: Vec<Trial>,
    /// What a change of the listing does; only for the scratch server.
    pub(crate) revisions: Vec<Revision>,
    /// What else a person should know.
    pub(crate) notes: Vec<String>,
}

/// A tool as a client sees it.
#[derive(Debug)]
pub(crate) struct ListedTool {
    /// Its name, or its position where it has none.
    pub(crate) name: String,
    /// What it declares.
    pub(crate) claims: Hints<Claim>,
    /// The title this host shows, if that is known.
    pub(crate) title: Option<String>,
}

/// All calls of the script by one client.
#[derive(Debug, Default)]
pub(crate) struct Leg {
    /// A row a call, in the script's order.
    pub(crate) rows: Vec<Row>,
    /// All that is not as it was in the store, from the first call to the last; `None` where the
    /// store cannot be looked into.
    pub(crate) effects: Option<Vec<Change>>,
}

/// All calls of the script through the gate.
#[derive(Debug)]
pub(crate) struct GateLeg {
    /// The names of its policies.
    pub(crate) policies: Vec<String>,
    /// Whether it believes what the server claims.
    pub(crate) trust: Trust,
    /// The calls.
    pub(crate) leg: Leg,
}

/// One call of the script and what came of it.
#[derive(Debug)]
pub(crate) struct Row {
    /// The tool.
    pub(crate) tool: String,
    /// The arguments, as JSON.
    pub(crate) arguments: String,
    /// What the tool declared in the listing the client acts on; `None` where it is not listed.
    pub(crate) declares: Option<Hints<Claim>>,
    /// What kept the call back, if anything.
    pub(crate) gate: Gate,
    /// The rule that decided, in words.
    pub(crate) because: Option<String>,
    /// How often a person was asked.
    pub(crate) asked: u32,
    /// What the person said.
    pub(crate) answer: Option<Answer>,
    /// How often the call was sent.
    pub(crate) sent: u32,
    /// How often there was no answer in time, or the connection was lost before one.
    pub(crate) unanswered: u32,
    /// How it ended.
    pub(crate) end: End,
    /// How many calls arrived at the server meanwhile, by its own journal; `None` where that cannot
    /// be seen.
    pub(crate) arrived: Option<usize>,
    /// What is not as it was in the store before the call; `None` where the store cannot be
    /// looked into.
    pub(crate) effects: Option<Vec<Change>>,
    /// How the gate confined it, if it did.
    pub(crate) confined: Option<String>,
}

impl Row {
    /// How often the call was sent again.
    pub(crate) fn retried(&self) -> u32 {
        self.sent.saturating_sub(1)
    }
}

/// What stands between a call and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Nothing: it is a bare client.
    None,
    /// The host has decided so.
    Host(Outcome),
    /// A person was asked earlier, and the answer still counts.
    Remembered,
    /// The gate of this program has decided so.
    Sayso(Decision),
    /// The host lost the whole listing.
    Lost,
    /// No tool of this name is listed.
    NotListed,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The tool answered.
    Answered(String),
    /// The tool answered that it failed.
    ToolError(String),
    /// The server refused, with an error of the protocol.
    Refused(String),
    /// The server wants to be told something by a person first.
    InputRequired,
    /// No answer came; whether there was an effect the client cannot know.
    NoAnswer,
    /// The connection was lost; whether there was an effect the client cannot know.
    ConnectionLost(String),
    /// What came is no answer.
    Malformed(String),
    /// The person said no.
    PersonRefused,
    /// The person said nothing.
    PersonSilent,
    /// The host did not let it through.
    HostRefused,
    /// The gate did not let it through.
    GateRefused {
        /// The code of the reason.
        code: String,
        /// What the caller is told.
        said: String,
    },
    /// It was not sent, since nobody here can decide what the host would.
    Undecided,
    /// It was not sent, and why.
    NotSent(String),
}

/// What a host does before and after its server changes what a tool declares.
#[derive(Debug)]
pub(crate) struct Revision {
    /// Whether the server told of the change.
    pub(crate) told: bool,
    /// The tool.
    pub(crate) tool: &'static str,
    /// What it declared when the host read the listing.
    pub(crate) declared_before: Hints<Claim>,
    /// What it declares to whoever lists it after the change.
    pub(crate) declared_after: Hints<Claim>,
    /// Whether the host heard of the change.
    pub(crate) heard: bool,
    /// Whether it read the listing again.
    pub(crate) listed_again: bool,
    /// What the host does on a change, by its profile.
    pub(crate) profile: OnListChange,
    /// The call before the change.
    pub(crate) before: Row,
    /// The same call, for something else, after it.
    pub(crate) after: Row,
}

/// What a server does that only a gate stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialKind {
    /// A tool says that it only reads, and destroys besides.
    Lies,
    /// A tool that destroys says later that it only reads; nobody is told.
    ChangesSilently,
    /// The same, and everybody is told.
    ChangesAndTells,
    /// A tool takes a value that the operator does not allow.
    IgnoresAuthority,
}

impl TrialKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [
        Self::Lies,
        Self::ChangesSilently,
        Self::ChangesAndTells,
        Self::IgnoresAuthority,
    ];
}

/// What becomes of one call of such a server.
#[derive(Debug)]
pub(crate) struct Trial {
    /// What the server does.
    pub(crate) kind: TrialKind,
    /// The call by a bare client.
    pub(crate) bare: Row,
    /// By the host.
    pub(crate) host: Row,
    /// Through the gate.
    pub(crate) gate: GateTrial,
    /// Through a gate that holds the server to what it claims, where that makes a difference.
    pub(crate) confined: Option<GateTrial>,
}

/// What the gate makes of it.
#[derive(Debug)]
pub(crate) struct GateTrial {
    /// Whether it believes what the server claims.
    pub(crate) trust: Trust,
    /// The call.
    pub(crate) row: Row,
    /// A call of another tool afterwards.
    pub(crate) goes_on: Option<Row>,
}
