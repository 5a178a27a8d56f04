//! A server built with the official SDK, as a peer for the tests.
//!
//! `rmcp_server stdio|http legacy|modern|both`: lists one tool for each of the 81 ways in
//! which four hints can be absent, true or false. Over HTTP it prints its URL first.

#![expect(
    clippy::print_stdout,
    reason = "the URL is what standard output is for"
)]

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

#[derive(Clone, Copy)]
struct Combinations {
    versions: &'static [ProtocolVersion],
}

const LEGACY: &[ProtocolVersion] = &[
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
];
const MODERN: &[ProtocolVersion] = &[ProtocolVersion::V_2026_07_28];

/// `tool_` and a letter for each hint: a(bsent), t(rue), f(alse).
fn tool(number: usize) -> Tool {
    let state = |hint: u32| match number / 3usize.pow(hint) % 3 {
        0 => None,
        digit => Some(digit == 1),
    };
    let hints = [state(0), state(1), state(2), state(3)];
    let letters: String = hints
        .iter()
        .map(|hint| hint.map_or('a', |value| if value { 't' } else { 'f' }))
        .collect();
    let mut annotations = ToolAnnotations::default();
    annotations.read_only_hint = hints[0];
    annotations.destructive_hint = hints[1];
    annotations.idempotent_hint = hints[2];
    annotations.open_world_hint = hints[3];
    let schema = serde_json::json!({"type": "object"});
    let schema = Arc::new(schema.as_object().cloned().unwrap_or_default());
    Tool::new(
        format!("tool_{letters}"),
        "One combination of hints.",
        schema,
    )
    .with_annotations(annotations)
}

impl ServerHandler for Combinations {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.versions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        Ok(ListToolsResult::with_all_items((0..81).map(tool).collect()))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let versions = match arguments.get(1).map(String::as_str) {
        Some("legacy") => LEGACY,
        Some("modern") => MODERN,
        _ => ProtocolVersion::KNOWN_VERSIONS,
    };
    let server = Combinations { versions };
    if arguments
        .first()
        .is_some_and(|transport| transport == "http")
    {
        let service: StreamableHttpService<Combinations, LocalSessionManager> =
            StreamableHttpService::new(
                move || Ok(server),
                Arc::default(),
                StreamableHttpServerConfig::default(),
            );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}/mcp", listener.local_addr()?);
        axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    } else {
        server
            .serve(rmcp::transport::stdio())
            .await?
            .waiting()
            .await?;
    }
    Ok(())
}
