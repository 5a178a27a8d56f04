//! The program as people and other programs meet it: exit code, standard output, standard error.

mod configured;
mod example;
mod exit_codes;
mod inspect;
mod live;
mod reference;
mod report;
mod saved;
mod sayso;
mod settings;
mod stopping;
mod usage;
