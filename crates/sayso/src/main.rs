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

fn main() -> ExitCode {
    cli::main()
}
