//! `sayso verify --probe`: what this machine allows.

use sayso_verify::jail::{Launcher, Refused, probe};

use crate::cli::{JAIL, to_stdout};
use crate::error::{Failure, Outcome};
use crate::exit;

/// How the jail is made: this program makes it.
pub(super) fn launcher() -> Result<Launcher, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
    Ok(Launcher {
        program,
        args: vec![JAIL.into()],
    })
}

/// Tells each mode, and which one would be chosen.
pub(super) fn run() -> Outcome {
    let found = probe(&launcher()?);
    let chosen = found.choose(None);
    to_stdout(|out| {
        for (name, tried) in [
            ("namespaces", &found.namespaces),
            ("landlock", &found.landlock),
        ] {
            match tried {
                Ok(()) => writeln!(out, "{name}: can be used")?,
                Err(Refused { reason, hint }) => {
                    writeln!(out, "{name}: cannot be used: {reason}")?;
                    if !hint.is_empty() {
                        writeln!(out, "  hint: {hint}")?;
                    }
                }
            }
        }
        match &chosen {
            Ok(mode) => writeln!(out, "servers are verified in a jail made with {mode}"),
            Err(_) => writeln!(out, "no server can be verified on this machine"),
        }
    })?;
    Ok(match chosen {
        Ok(_) => exit::CLEAN,
        Err(_) => exit::USAGE,
    })
}
