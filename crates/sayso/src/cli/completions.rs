//! `sayso completions`.

use clap::Args;

use super::to_stdout;
use crate::error::Outcome;
use crate::exit;

/// Print a shell's completion script
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "sayso", &mut script);
        to_stdout(|out| out.write_all(&script))?;
        Ok(exit::CLEAN)
    }
}
