//! The program. The only crate that prints: standard output is data, standard error is talk.

mod audit_report;
mod classify;
mod cli;
mod config;
mod error;
mod example;
mod exit;
mod fix;
mod hosts;
mod hosts_report;
mod lock;
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

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
