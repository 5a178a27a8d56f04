//! `sayso example-server`: the embedded example on standard input and output. Hidden:
//! `sayso audit --example` starts it.

use std::io::ErrorKind;

use clap::Args;
use sayso_core::reveal::reveal_line;
use sayso_mcp::server::{CallResult, Served, serve_stdio};

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
        let served = Served {
            name: example::NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            tools: tools.iter().map(ToString::to_string).collect(),
        };
        let done = serve_stdio(&served, |call| CallResult {
            text: format!(
                "`{}` was not run: this server only shows what a listing looks like",
                reveal_line(call.name)
            ),
            is_error: true,
        });
        match done {
            // A client that goes away without a word is an ordinary end.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::usage("cannot serve the example").source(error))
            }
            _ => Ok(exit::CLEAN),
        }
    }
}
