//! The program. The only crate that prints: standard output is data, standard error is talk.

mod audit_report;
mod classify;
mod cli;
mod config;
mod doctor;
mod error;
mod evidence;
mod example;
mod exit;
mod fix;
mod gate;
mod hosts;
mod hosts_report;
mod install;
mod lock;
mod policy;
mod profile_check;
mod redact;
mod reference;
mod replace;
mod report;
mod run;
mod saved;
mod source;
mod targets;
mod today;
mod trace;
mod verify;

use std::process::ExitCode;

#[cfg(not(windows))]
fn main() -> ExitCode {
    cli::main()
}

/// The first thread has 1 MiB of stack on Windows, which a whole run does not fit in; elsewhere it
/// has 8.
#[cfg(windows)]
fn main() -> ExitCode {
    let run = std::thread::Builder::new()
        .stack_size(8 << 20)
        .spawn(cli::main);
    match run.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) | Err(_) => ExitCode::from(exit::USAGE),
    }
}
