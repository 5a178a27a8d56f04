//! `scenario.toml`: calls that a person writes down, with what they expect of them.
//!
//! ```toml
//! fixture = "git"                 # or `folder = "…"`, a folder that is copied
//!
//! [[step]]
//! tool = "git_checkout"
//! arguments = { repo_path = "{workspace}", branch_name = "with-log" }
//! expect = { destructiveHint = "contradicted", lost = ["build.log"] }
//! ```

use std::path::{Path, PathBuf};

use sayso_core::hint::Hint;
use serde::{Deserialize, Serialize};

use crate::drive::Call;
use crate::fixture::{Built, UnknownPlaceholder, fill};

/// A scenario, as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// The fixture in the box that the server works on. `workspace` when left out.
    #[serde(default)]
    pub fixture: Option<String>,
    /// A folder that is copied for the server to work on, counted from the scenario's file, instead of a
    /// fixture.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// How long a call is watched at least, in milliseconds.
    #[serde(default)]
    pub settle: Option<u64>,
    /// The calls, one after the other, on one server.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// What the step is called; its number when left out.
    #[serde(default)]
    pub name: Option<String>,
    /// The arguments. In texts `{workspace}` stands for the fixture's folder and `{pages}` for the address
    /// of its pages.
    #[serde(default)]
    pub arguments: toml::Table,
    /// What is expected.
    #[serde(default)]
    pub expect: Option<Expectation>,
}

/// What is expected of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The verdict on a hint: `contradicted`, `consistent`, `own state only`, `cache only`, `not
    /// exercised`, `can't tell`.
    #[serde(
        rename = "readOnlyHint",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub read_only: Option<String>,
    /// The same of `destructiveHint`.
    #[serde(
        rename = "destructiveHint",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub destructive: Option<String>,
    /// The same of `idempotentHint`.
    #[serde(
        rename = "idempotentHint",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub idempotent: Option<String>,
    /// The same of `openWorldHint`.
    #[serde(
        rename = "openWorldHint",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub open_world: Option<String>,
    /// Files of the workspace that are changed, and no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<String>>,
    /// Files of the workspace of which something is lost, and no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Vec<String>>,
    /// Whether the tool says that it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

impl Expectation {
    /// The verdict that is expected on a hint.
    #[must_use]
    pub fn verdict(&self, hint: Hint) -> Option<&str> {
        match hint {
            Hint::ReadOnly => &self.read_only,
            Hint::Destructive => &self.destructive,
            Hint::Idempotent => &self.idempotent,
            Hint::OpenWorld => &self.open_world,
        }
        .as_deref()
    }
}

/// Why a scenario cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// It is not what a scenario has to be; the text names line and column.
    #[error("{}: {said}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        said: String,
    },
    /// A step's arguments cannot be made.
    #[error("step {step}: {source}")]
    Placeholder {
        /// Which, from 1.
        step: usize,
        /// What stands for nothing.
        source: UnknownPlaceholder,
    },
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// When it is no TOML, has a key that is not known, or names both a fixture and a folder.
    pub fn read(text: &str, file: &Path) -> Result<Self, ScenarioError> {
        let wrong = |said: String| ScenarioError::Read {
            file: file.to_owned(),
            said,
        };
        let scenario: Self = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if scenario.fixture.is_some() && scenario.folder.is_some() {
            return Err(wrong(
                "it has both `fixture` and `folder`: keep one".to_owned(),
            ));
        }
        if scenario.steps.is_empty() {
            return Err(wrong(
                "it has no `[[step]]`, so there is nothing to call".to_owned(),
            ));
        }
        Ok(scenario)
    }

    /// The calls, for a fixture that was made.
    ///
    /// # Errors
    /// When a placeholder stands for nothing.
    pub fn calls(&self, built: &Built) -> Result<Vec<Call>, ScenarioError> {
        let steps = self.steps.iter().enumerate().map(|(place, step)| {
            let mut arguments = serde_json::to_value(&step.arguments).unwrap_or_default();
            fill_all(&mut arguments, built).map_err(|source| ScenarioError::Placeholder {
                step: place + 1,
                source,
            })?;
            Ok(Call {
                tool: step.tool.clone(),
                step: step
                    .name
                    .clone()
                    .unwrap_or_else(|| format!("step {}", place + 1)),
                arguments: arguments.to_string(),
            })
        });
        steps.collect()
    }
}

fn fill_all(value: &mut serde_json::Value, built: &Built) -> Result<(), UnknownPlaceholder> {
    match value {
        serde_json::Value::String(text) => *text = fill(text, built)?,
        serde_json::Value::Array(items) => {
            for item in items {
                fill_all(item, built)?;
            }
        }
        serde_json::Value::Object(members) => {
            for member in members.values_mut() {
                fill_all(member, built)?;
            }
        }
        _ => {}
    }
    Ok(())
}
