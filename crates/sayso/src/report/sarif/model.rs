//! The part of SARIF 2.1.0 that Sayso writes, named as the standard names it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

/// §3.13, the root.
#[derive(Debug, Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

impl Log {
    pub(super) fn new(run: Run) -> Self {
        Self {
            schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            version: "2.1.0",
            runs: [run],
        }
    }
}

/// §3.14.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) tool: Tool,
    pub(super) invocations: Vec<Invocation>,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) results: Vec<ResultObject>,
    pub(super) column_kind: &'static str,
}

/// §3.18.
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

/// §3.19.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) full_name: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<ReportingDescriptor>,
}

/// §3.49.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportingDescriptor {
    pub(super) id: &'static str,
    pub(super) name: String,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    pub(super) help: MultiformatMessage,
    pub(super) default_configuration: Configuration,
    pub(super) properties: Properties,
}

/// §3.50.
#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

/// §3.8, with the names code scanning on GitHub reads.
#[derive(Debug, Serialize)]
pub(super) struct Properties {
    pub(super) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(super) problem_severity: &'static str,
    pub(super) since: &'static str,
    pub(super) tags: Vec<&'static str>,
}

/// §3.11.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

/// §3.12.
#[derive(Debug, Serialize)]
pub(super) struct MultiformatMessage {
    pub(super) text: String,
    pub(super) markdown: String,
}

/// §3.20.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

/// §3.58.
#[derive(Debug, Serialize)]
pub(super) struct Notification {
    level: &'static str,
    message: Message,
}

impl Notification {
    pub(super) fn new(level: &'static str, text: String) -> Self {
        Self {
            level,
            message: Message { text },
        }
    }
}

/// §3.24.
#[derive(Debug, Serialize)]
pub(super) struct Artifact {
    pub(super) location: ArtifactLocation,
    pub(super) roles: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contents: Option<ArtifactContent>,
}

/// §3.3.
#[derive(Debug, Serialize)]
pub(super) struct ArtifactContent {
    pub(super) text: String,
}

/// §3.4.
#[derive(Debug, Serialize)]
pub(super) struct ArtifactLocation {
    uri: String,
}

impl ArtifactLocation {
    /// The URI of a path: relative where the path is, percent-encoded (RFC 3986).
    pub(super) fn new(path: &str) -> Self {
        let path = path.replace('\\', "/");
        let path = path.strip_prefix("./").unwrap_or(&path);
        let mut uri = String::with_capacity(path.len() + 8);
        if path.starts_with('/') {
            uri.push_str("file://");
        } else if path.as_bytes().get(1) == Some(&b':') {
            uri.push_str("file:///");
        }
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
        Self { uri }
    }
}

/// §3.27.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultObject {
    pub(super) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Message,
    pub(super) locations: Vec<SarifLocation>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
}

/// §3.28.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    pub(super) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
}

/// §3.29.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

/// §3.33.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

/// §3.30. Columns count characters, as `columnKind` says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_length: Option<usize>,
}

impl Region {
    /// A whole line.
    pub(super) fn line(line: usize) -> Self {
        Self {
            start_line: line.max(1),
            start_column: None,
            end_line: None,
            end_column: None,
            byte_offset: None,
            byte_length: None,
        }
    }
}
