//! `cargo xtask generate`: the generated pages of the documentation, made by the program from what
//! it does and knows.

use std::process::{Command, ExitCode};

use crate::{TaskError, While, cargo, root};

/// Writes the pages, or with `check` only tells whether they are up to date.
pub(crate) fn run(check: bool) -> Result<ExitCode, TaskError> {
    let mut command = Command::new(cargo());
    command
        .current_dir(root())
        .args(["run", "--quiet", "--locked", "--package", "sayso", "--"])
        .args(["generate-reference", "docs"])
        .args(check.then_some("--check"));
    // What it has to say it says itself.
    let status = command.status().while_trying("starting cargo run")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
