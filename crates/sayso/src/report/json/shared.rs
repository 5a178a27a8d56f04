//! The types that the reports of several commands have in common. Within a version members may
//! be added; none goes away and none changes its meaning.

use schemars::JsonSchema;
use serde::Serialize;

/// How a target was reached, without anything secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct Source {
    /// What kind of target it is.
    pub(in crate::report) kind: SourceKind,
    /// The command line, the address without user, password and query, or the path.
    pub(in crate::report) location: Option<String>,
}

/// What kind of target it is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::report) enum SourceKind {
    /// A process, spoken to over standard input and output.
    Command,
    /// An HTTP server.
    Url,
    /// A saved listing.
    File,
    /// A saved listing on standard input.
    StandardInput,
    /// The embedded example server.
    Example,
    /// The embedded example server with its annotations.
    AnnotatedExample,
}

/// Where a configured target is written down.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct ConfiguredIn {
    /// The id of the host.
    pub(in crate::report) host: String,
    /// The file.
    pub(in crate::report) file: String,
    /// The line of the entry, from 1.
    pub(in crate::report) line: usize,
}

/// Why a target could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct Error {
    /// What happened, and why.
    pub(in crate::report) message: String,
    /// What to do next.
    pub(in crate::report) hint: Option<String>,
    /// The last lines on standard error, the exit status and the like.
    pub(in crate::report) details: Vec<String>,
}

/// Who answered, in its own words.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct Server {
    /// `serverInfo.name`
    pub(in crate::report) name: Option<String>,
    /// `serverInfo.version`
    pub(in crate::report) version: Option<String>,
    /// The protocol version both sides agreed on.
    pub(in crate::report) protocol_version: Option<String>,
    /// The protocol era; null for a saved listing.
    pub(in crate::report) era: Option<Era>,
}

/// A protocol era.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::report) enum Era {
    /// Up to 2025-11-25.
    Legacy,
    /// From 2026-07-28.
    Modern,
}

/// A value for each of the four hints.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::report) struct PerHint<T> {
    /// For `readOnlyHint`.
    #[serde(rename = "readOnlyHint")]
    pub(in crate::report) read_only: T,
    /// For `destructiveHint`.
    #[serde(rename = "destructiveHint")]
    pub(in crate::report) destructive: T,
    /// For `idempotentHint`.
    #[serde(rename = "idempotentHint")]
    pub(in crate::report) idempotent: T,
    /// For `openWorldHint`.
    #[serde(rename = "openWorldHint")]
    pub(in crate::report) open_world: T,
}

/// What was sent for one hint.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::report) enum Claim {
    /// No such key.
    Absent,
    /// The key with `null`.
    Null,
    /// The key with `true`.
    True,
    /// The key with `false`.
    False,
    /// The key with something else.
    Malformed,
    /// The key more than once.
    Duplicated,
}
