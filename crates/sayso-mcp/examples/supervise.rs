//! A supervisor and nothing else, as the program has it under `sayso supervise`.

use std::io::Write as _;
use std::process::ExitCode;

use sayso_mcp::supervisor::{Options, supervise};

fn main() -> ExitCode {
    let options = Options::from_args(std::env::args_os().skip(1));
    options
        .and_then(|options| supervise(&options))
        .unwrap_or_else(|reason| {
            let _ = writeln!(std::io::stderr(), "{reason}");
            ExitCode::from(125)
        })
}
