//! The report on a lock for programs, version 1. Its types are apart from the ones Sayso works
//! with; `docs/reference/lock-report-v1.schema.json` is made from them.

use std::io;
use std::path::Path;

use sayso_core::listing::ServerIdentity;
use sayso_core::lock::{Lock, PinnedServer};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::shared::{Claim, ConfiguredIn, Error, PerHint, Server, Source};
use super::super::{json, safe_json};
use super::human::why_not;
use crate::lock::change::{Subject, Weight};
use crate::lock::{Action, FailOn, LockReport, LockedServer, State};

/// One run of `sayso lock`. Within a version members may be added; none goes away and none
/// changes its meaning.
#[derive(Debug, Serialize, JsonSchema)]
struct Report {
    /// The version of this format: 1.
    version: u32,
    /// The version of sayso.
    sayso: String,
    /// The lock, as it was named.
    file: String,
    /// What was asked.
    action: ActionV1,
    /// The mildest change that fails the run.
    fail_on: FailOnV1,
    /// Whether a change or a listing fails the run.
    fails: bool,
    /// Every target; what is pinned, with `--list`.
    servers: Vec<ServerV1>,
    /// What was left out and why.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ActionV1 {
    /// Pin what is not pinned, compare what is.
    Pin,
    /// Compare.
    Check,
    /// Compare, and take over.
    Accept,
    /// Show what is pinned.
    List,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FailOnV1 {
    /// Any change.
    Neutral,
    /// A tightening, a held or a relaxing one.
    Tightening,
    /// A held or a relaxing one.
    Relaxing,
    /// None.
    Never,
}

/// One server.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerV1 {
    /// What it is called in the lock.
    name: String,
    /// How it was reached; null with `--list`.
    source: Option<Source>,
    /// The configuration that names it.
    configured_in: Option<ConfiguredIn>,
    /// What came of it.
    state: StateV1,
    /// Whether it is a reason to fail.
    fails: bool,
    /// Why it could not be read, or cannot be pinned.
    error: Option<Error>,
    /// Who answered; with `--list` who answered when it was pinned.
    server: Option<Server>,
    /// The digest of the instructions.
    instructions: Option<String>,
    /// Everything that differs from the pin.
    changes: Vec<ChangeV1>,
    /// The tools that are listed; with `--list` those that are pinned.
    tools: Vec<ToolV1>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateV1 {
    /// It could not be read.
    Unreadable,
    /// It has a listing that cannot be pinned.
    Unpinnable,
    /// It is not in the lock.
    Unpinned,
    /// It is in the lock: by this run, or with `--list`.
    Pinned,
    /// It is as it was pinned.
    Same,
    /// It is in the lock and differs.
    Changed,
}

/// One difference.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangeV1 {
    /// The tool; null for the server as a whole.
    tool: Option<String>,
    /// What of it changed.
    subject: Subject,
    /// The hint, where it is one.
    hint: Option<String>,
    /// Which way.
    direction: DirectionV1,
    /// What changed.
    message: String,
    /// The rule of the audit that flags the new text.
    rule: Option<String>,
    /// Whether it was taken over into the lock.
    accepted: bool,
    /// Whether it is a reason to fail.
    fails: bool,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DirectionV1 {
    /// Nothing a client acts on.
    Neutral,
    /// More risk is claimed, or less is reached.
    Tightening,
    /// New: nobody has looked at it.
    Held,
    /// Less risk is claimed, or more is reached.
    Relaxing,
}

/// One tool.
#[derive(Debug, Serialize, JsonSchema)]
struct ToolV1 {
    /// Its name.
    name: String,
    /// What it claims.
    claims: PerHint<Claim>,
    /// The digests of its definition.
    digest: DigestV1,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DigestV1 {
    /// Of the whole definition.
    whole: String,
    /// Of titles and description.
    text: String,
    /// Of the schemas.
    schemas: String,
    /// Of the hints.
    annotations: String,
    /// Of everything else.
    rest: String,
}

/// The JSON schema of this format, as published in `docs/reference/`.
pub(crate) fn schema() -> String {
    json::schema_of::<Report>()
}

/// What one run has to tell.
pub(super) fn render(report: &LockReport) -> io::Result<String> {
    safe_json::to_string_pretty(&Report {
        version: 1,
        sayso: report.version.to_owned(),
        file: report.file.clone(),
        action: match report.action {
            Action::Pin => ActionV1::Pin,
            Action::Check => ActionV1::Check,
            Action::Accept => ActionV1::Accept,
        },
        fail_on: match report.fail_on {
            FailOn::Neutral => FailOnV1::Neutral,
            FailOn::Tightening => FailOnV1::Tightening,
            FailOn::Relaxing => FailOnV1::Relaxing,
            FailOn::Never => FailOnV1::Never,
        },
        fails: report.fails(),
        servers: report
            .servers
            .iter()
            .map(|server| locked(report, server))
            .collect(),
        notes: report.notes.clone(),
    })
}

/// What is pinned.
pub(super) fn render_pinned(lock: &Lock, file: &Path) -> io::Result<String> {
    safe_json::to_string_pretty(&Report {
        version: 1,
        sayso: env!("CARGO_PKG_VERSION").to_owned(),
        file: file.display().to_string(),
        action: ActionV1::List,
        fail_on: FailOnV1::Never,
        fails: false,
        servers: lock
            .servers
            .iter()
            .map(|(name, pinned)| of_pin(name, StateV1::Pinned, Some(pinned)))
            .collect(),
        notes: Vec::new(),
    })
}

fn locked(report: &LockReport, locked: &LockedServer) -> ServerV1 {
    let (state, now, failure) = match &locked.state {
        State::Unreadable(unreadable) => (StateV1::Unreadable, None, Some(json::error(unreadable))),
        State::Unpinnable(error) => {
            let failure = Error {
                message: error.to_string(),
                hint: Some(why_not(error).to_owned()),
                details: Vec::new(),
            };
            (StateV1::Unpinnable, None, Some(failure))
        }
        State::Unpinned { now, pinned: true } => (StateV1::Pinned, Some(now), None),
        State::Unpinned { now, .. } => (StateV1::Unpinned, Some(now), None),
        State::Compared { now, changes, .. } if changes.is_empty() => {
            (StateV1::Same, Some(&**now), None)
        }
        State::Compared { now, .. } => (StateV1::Changed, Some(&**now), None),
    };
    ServerV1 {
        source: Some(json::source(&locked.target)),
        configured_in: locked.configured_in.as_ref().map(json::configured_in),
        fails: locked.fails(report),
        error: failure,
        changes: locked
            .changes()
            .iter()
            .map(|change| ChangeV1 {
                tool: change.tool.clone(),
                subject: change.subject,
                hint: change.hint.map(|hint| hint.key().to_owned()),
                direction: match change.weight {
                    Weight::Neutral => DirectionV1::Neutral,
                    Weight::Tightening => DirectionV1::Tightening,
                    Weight::Held => DirectionV1::Held,
                    Weight::Relaxing => DirectionV1::Relaxing,
                },
                message: change.message.clone(),
                rule: change.rule.map(str::to_owned),
                accepted: change.accepted,
                fails: !change.accepted && report.fail_on.fails(change.weight),
            })
            .collect(),
        ..of_pin(&locked.name, state, now)
    }
}

fn of_pin(name: &str, state: StateV1, pinned: Option<&PinnedServer>) -> ServerV1 {
    let tools = pinned.into_iter().flat_map(|pinned| &pinned.tools);
    ServerV1 {
        name: name.to_owned(),
        source: None,
        configured_in: None,
        state,
        fails: false,
        error: None,
        server: pinned.map(|pinned| {
            json::server(&ServerIdentity {
                name: pinned.identity.clone(),
                version: pinned.version.clone(),
                protocol_version: pinned.protocol.clone(),
                era: pinned.era,
                instructions: None,
            })
        }),
        instructions: pinned
            .and_then(PinnedServer::instructions_digest)
            .map(|digest| digest.to_string()),
        changes: Vec::new(),
        tools: tools
            .map(|(name, tool)| ToolV1 {
                name: name.clone(),
                claims: json::per_hint(&tool.claims, |claim| json::claim_v1(*claim)),
                digest: DigestV1 {
                    whole: tool.digest.whole.to_string(),
                    text: tool.digest.parts.text.to_string(),
                    schemas: tool.digest.parts.schemas.to_string(),
                    annotations: tool.digest.parts.annotations.to_string(),
                    rest: tool.digest.parts.rest.to_string(),
                },
            })
            .collect(),
    }
}
