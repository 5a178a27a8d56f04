//! The keys of `_meta` that belong to one hop (MCP 2026-07-28, "Base protocol").

/// What all keys of the specification begin with.
pub(super) const PREFIX: &str = "io.modelcontextprotocol/";

/// The least severe log messages it wants.
pub(super) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Who the server is.
pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The request that a notification belongs to.
pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
