//! A server that lists two tools and has nothing behind them.

use std::sync::Arc;

use sayso_mcp::server::{Answer, Call, CallResult, Changes, Identity, Peer, Service, serve_stdio};

struct Nothing;

impl Service for Nothing {
    fn identity(&self) -> Identity {
        Identity {
            name: "served".to_owned(),
            version: "1".to_owned(),
            instructions: None,
        }
    }

    async fn list(&self, _: &Peer) -> Vec<String> {
        vec![
            r#"{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#.to_owned(),
            r#"{"name":"touch","inputSchema":{"type":"object"}}"#.to_owned(),
        ]
    }

    async fn call(&self, _: &Peer, call: Call) -> Answer {
        Answer::Result(CallResult::failure(format!(
            "`{}` has nothing behind it",
            call.name
        )))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    serve_stdio(Arc::new(Nothing), Changes::new()).await
}
