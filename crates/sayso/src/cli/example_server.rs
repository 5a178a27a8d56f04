//! `sayso example-server`: the embedded example on standard input and output. Hidden:
//! `sayso audit --example` starts it.

use std::io::ErrorKind;
use std::sync::Arc;

use clap::Args;
use sayso_core::reveal::reveal_line;
use sayso_mcp::server::{Answer, Call, CallResult, Changes, Identity, Peer, Service, serve_stdio};

use crate::error::{Failure, Outcome};
use crate::{example, exit};

/// Serve the embedded example over standard input and output
#[derive(Debug, Args)]
pub(super) struct ExampleServerArgs {
    /// With annotations
    #[arg(long)]
    annotated: bool,
}

impl ExampleServerArgs {
    pub(super) fn run(self) -> Outcome {
        let tools = example::tools(self.annotated)
            .map_err(|error| Failure::usage("the embedded example is broken").source(error))?;
        let example = Example {
            tools: tools.iter().map(ToString::to_string).collect(),
        };
        let done = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .and_then(|runtime| runtime.block_on(serve_stdio(Arc::new(example), Changes::new())));
        match done {
            // A client that goes away without a word is an ordinary end.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::usage("cannot serve the example").source(error))
            }
            _ => Ok(exit::CLEAN),
        }
    }
}

struct Example {
    tools: Vec<String>,
}

impl Service for Example {
    fn identity(&self) -> Identity {
        Identity {
            name: example::NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
        }
    }

    async fn list(&self, _: &Peer) -> Vec<String> {
        self.tools.clone()
    }

    async fn call(&self, _: &Peer, call: Call) -> Answer {
        Answer::Result(CallResult::failure(format!(
            "`{}` was not run: this server only shows what a listing looks like",
            reveal_line(&call.name)
        )))
    }
}
