//! `exit-codes.md`.

use std::fmt::Write as _;

use super::made_from;
use crate::exit;

pub(super) fn page() -> String {
    let mut page = format!(
        "# Exit codes\n\n{}\n| code | meaning |\n|---|---|\n",
        made_from("crates/sayso/src/exit.rs")
    );
    for exit::ExitCode { code, meaning } in exit::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {code} | {meaning} |");
    }
    let _ = writeln!(page, "\n{}", exit::PRECEDENCE);
    page
}
