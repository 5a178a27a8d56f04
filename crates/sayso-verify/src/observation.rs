//! What was seen of one call.

use std::time::Duration;

use sayso_core::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::event::Event;
use crate::plan::Mode;

/// One call that was made under watch, with everything it did until it was quiet again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The tool.
    pub tool: String,
    /// Which step of the scenario, or which variant of made-up arguments.
    pub step: String,
    /// The arguments, as JSON text that was sent.
    pub arguments: String,
    /// What came back.
    pub reply: Reply,
    /// What the call did.
    pub effects: Effects,
    /// The same call made a second time at once, where it was.
    pub again: Option<Repeat>,
}

/// The second, identical call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// What came back.
    pub reply: Reply,
    /// What it did beyond the first.
    pub effects: Effects,
}

/// What a call did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    /// Between the files before and after, noise and bookkeeping among it, by class.
    pub changes: Vec<Change>,
    /// What the supervisor saw from the call until it was quiet.
    pub events: Vec<Event>,
    /// Those of the events that came only after the reply.
    pub late: Vec<Event>,
    /// What the jail itself prevented, in words; such an effect is not the tool's failure.
    pub limits: Vec<String>,
}

/// What came back from a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reply {
    /// The tool answered.
    Answered {
        /// The whole result, as it came.
        result: String,
        /// Whether the tool says that it failed (`isError`).
        is_error: bool,
    },
    /// Anything else, in words: a protocol error, no answer in time, a lost connection.
    Failed {
        /// What happened.
        said: String,
    },
}

impl Reply {
    /// How the call failed, where it did.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Answered {
                is_error: false, ..
            } => None,
            Self::Answered { result, .. } => {
                let parsed: serde_json::Value = serde_json::from_str(result).unwrap_or_default();
                let content = parsed.get("content").and_then(serde_json::Value::as_array);
                let texts = content.into_iter().flatten();
                let texts: Vec<&str> = texts
                    .filter_map(|part| part.get("text")?.as_str())
                    .collect();
                let said = match texts.is_empty() {
                    true => result.clone(),
                    false => texts.join(" "),
                };
                let said = sayso_core::reveal::reveal_line(&said);
                Some(said.chars().take(300).collect())
            }
            Self::Failed { said } => Some(said.clone()),
        }
    }
}

/// What an observation was made in: evidence holds for this and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// How the server was kept from the machine.
    pub mode: Mode,
    /// The digest of the fixture: its name and its files at the start.
    pub fixture: Digest,
    /// The settle time.
    pub settle: Duration,
}
