//! A server that lists two tools and has nothing behind them.

use sayso_mcp::server::{CallResult, Served, serve_stdio};

fn main() -> std::io::Result<()> {
    let served = Served {
        name: "served".to_owned(),
        version: "1".to_owned(),
        instructions: None,
        tools: vec![
            r#"{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#.to_owned(),
            r#"{"name":"touch","inputSchema":{"type":"object"}}"#.to_owned(),
        ],
    };
    serve_stdio(&served, |call| CallResult {
        text: format!("`{}` has nothing behind it", call.name),
        is_error: true,
    })
}
