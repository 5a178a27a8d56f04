//! The program as people and other programs meet it: exit code, standard output, standard error.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod approvals;
mod bug_cases;
mod classify;
mod configured;
mod conformance;
mod doctor;
mod evidence;
mod example;
mod exit_codes;
mod fix;
mod fixtures;
mod gate;
mod gate_settings;
mod hosts;
mod inspect;
mod install;
#[cfg(target_os = "linux")]
mod jailed;
mod journal;
mod live;
mod lock;
#[cfg(feature = "otlp")]
mod otlp;
mod peers;
mod policy;
mod readme;
mod real_clients;
mod real_gate;
mod real_servers;
mod reference;
mod report;
mod saved;
mod sayso;
#[cfg(target_os = "linux")]
mod scenario;
mod scratch;
mod settings;
mod states;
mod stopping;
#[cfg(target_os = "linux")]
mod terminal;
mod trace;
mod usage;
#[cfg(target_os = "linux")]
mod verify;
