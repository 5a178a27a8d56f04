//! The file as it is written, member by member.

use std::collections::BTreeMap;

use sayso_core::digest::Digest;
use sayso_core::hint::{Claim, Hints};
use serde::{Deserialize, Serialize};

use super::{EvidenceFile, FORMAT, Launched, ServerEvidence, ToolEvidence};
use crate::judge::{Counts, Verdict, Witness};
use crate::plan::Mode;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    format: u32,
    servers: BTreeMap<String, Server>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    launch: Launched,
    tools: BTreeMap<String, Vec<Tool>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Tool {
    definition: Digest,
    date: String,
    mode: Mode,
    fixture: Fixture,
    settle_milliseconds: u64,
    counts: Counts,
    claims: ByHint<Claim>,
    verdicts: ByHint<Verdict>,
    observed: ByHint<Option<bool>>,
    #[serde(default, skip_serializing_if = "ByHint::is_empty")]
    risks: ByHint<Option<Witness>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fixture {
    name: String,
    digest: Digest,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByHint<T> {
    #[serde(rename = "readOnlyHint")]
    read_only: T,
    #[serde(rename = "destructiveHint")]
    destructive: T,
    #[serde(rename = "idempotentHint")]
    idempotent: T,
    #[serde(rename = "openWorldHint")]
    open_world: T,
}

impl ByHint<Option<Witness>> {
    const fn is_empty(&self) -> bool {
        self.read_only.is_none()
            && self.destructive.is_none()
            && self.idempotent.is_none()
            && self.open_world.is_none()
    }
}

impl<T> From<Hints<T>> for ByHint<T> {
    fn from(hints: Hints<T>) -> Self {
        Self {
            read_only: hints.read_only,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
            open_world: hints.open_world,
        }
    }
}

impl<T> From<ByHint<T>> for Hints<T> {
    fn from(hints: ByHint<T>) -> Self {
        Self {
            read_only: hints.read_only,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
            open_world: hints.open_world,
        }
    }
}

impl File {
    pub(super) fn of(file: &EvidenceFile) -> Self {
        let servers = file.servers.iter().map(|(name, server)| {
            let tools = server.tools.iter().map(|(name, entries)| {
                let entries = entries.iter().cloned().map(Tool::from).collect();
                (name.clone(), entries)
            });
            let server = Server {
                launch: server.launch.clone(),
                tools: tools.collect(),
            };
            (name.clone(), server)
        });
        Self {
            format: FORMAT,
            servers: servers.collect(),
        }
    }
}

impl From<File> for EvidenceFile {
    fn from(file: File) -> Self {
        let servers = file.servers.into_iter().map(|(name, server)| {
            let tools = server.tools.into_iter().map(|(name, entries)| {
                let mut entries: Vec<_> = entries.into_iter().map(ToolEvidence::from).collect();
                entries.sort_by(|one, other| one.key().cmp(&other.key()));
                (name, entries)
            });
            let server = ServerEvidence {
                launch: server.launch,
                tools: tools.collect(),
            };
            (name, server)
        });
        Self {
            servers: servers.collect(),
        }
    }
}

impl From<ToolEvidence> for Tool {
    fn from(evidence: ToolEvidence) -> Self {
        Self {
            definition: evidence.definition,
            date: evidence.date,
            mode: evidence.mode,
            fixture: Fixture {
                name: evidence.fixture,
                digest: evidence.fixture_digest,
            },
            settle_milliseconds: evidence.settle_milliseconds,
            counts: evidence.counts,
            claims: evidence.claims.into(),
            verdicts: evidence.verdicts.into(),
            observed: evidence.observed.into(),
            risks: evidence.risks.into(),
            notes: evidence.notes,
        }
    }
}

impl From<Tool> for ToolEvidence {
    fn from(tool: Tool) -> Self {
        Self {
            definition: tool.definition,
            date: tool.date,
            mode: tool.mode,
            fixture: tool.fixture.name,
            fixture_digest: tool.fixture.digest,
            settle_milliseconds: tool.settle_milliseconds,
            counts: tool.counts,
            claims: tool.claims.into(),
            verdicts: tool.verdicts.into(),
            observed: tool.observed.into(),
            risks: tool.risks.into(),
            notes: tool.notes,
        }
    }
}
