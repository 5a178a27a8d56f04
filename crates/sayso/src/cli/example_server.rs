//! `sayso example-server`: the embedded example on standard input and output. Hidden:
//! `sayso audit --example` starts it.

use clap::Args;

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
        let _ = (tools, example::NAME);
        Ok(exit::CLEAN)
    }
}
