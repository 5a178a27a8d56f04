//! `sayso doctor`: what a gate needs, looked at one thing after another. Nothing is started,
//! nothing reached beyond this machine, and nothing written.

mod hosts;
mod listening;
mod rules;
mod servers;

use std::path::Path;

pub(crate) use hosts::look_at as hosts;

use crate::error::Failure;
use crate::gate::rules::Place;

/// What was found about one thing.
#[derive(Debug)]
pub(crate) struct Finding {
    /// What was looked at, in a word, and which one.
    pub(crate) of: String,
    pub(crate) state: State,
    /// What was found.
    pub(crate) what: String,
}

/// Whether it will do.
#[derive(Debug)]
pub(crate) enum State {
    Fine,
    /// It will do, and there is something to know.
    Note,
    /// It will not do; with what to do about it.
    Problem(String),
}

impl Finding {
    fn fine(of: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(of, what, State::Fine)
    }

    fn note(of: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(of, what, State::Note)
    }

    fn problem(of: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(of, what, State::Problem(hint.into()))
    }

    fn new(of: impl Into<String>, what: impl Into<String>, state: State) -> Self {
        Self {
            of: of.into(),
            state,
            what: what.into(),
        }
    }

    /// What stops a command; `otherwise` is what to do where the failure does not say.
    pub(crate) fn failure(of: impl Into<String>, failure: &Failure, otherwise: &str) -> Self {
        let hint = failure.advice().unwrap_or(otherwise);
        Self::problem(of, failure.to_string(), hint)
    }

    /// That there is no settings file of this name from here on up.
    pub(crate) fn nothing_set(file: &str) -> Self {
        let what = format!("there is no `{file}` here; a gate would be the demonstration");
        Self::note("settings", what)
    }

    /// Whether something has to be done.
    pub(crate) fn is_problem(&self) -> bool {
        matches!(self.state, State::Problem(_))
    }
}

/// Everything about one gate, whose settings could be read.
pub(crate) fn gate(place: &Place, file: &Path) -> Vec<Finding> {
    let count = place.settings.servers.len();
    let file = file.display().to_string();
    let mut findings = vec![if count == 0 {
        Finding::note("settings", format!("{file}: no servers are set"))
    } else {
        let servers = if count == 1 { "server" } else { "servers" };
        Finding::fine("settings", format!("{file}: {count} {servers}"))
    }];
    findings.extend(servers::look_at(place));
    findings.extend(rules::look_at(place, &file));
    findings.extend(listening::look_at(place));
    findings
}
