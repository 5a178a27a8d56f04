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

mod arguments;
mod error;
mod expectation;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

pub use error::ScenarioError;
pub use expectation::{Expectation, ExpectedVerdict};

use crate::drive::Call;
use crate::fixture::{Built, Fixture};

/// A scenario, as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "scenario.toml")]
pub struct Scenario {
    /// The fixture in the box that the server works on; `workspace` when left out.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = fixtures()))]
    fixture: Option<Spanned<String>>,
    /// A folder that is copied for the server to work on, counted from the scenario's file, instead of a
    /// fixture.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// How long each call is watched at least, in milliseconds; 1500 when left out.
    #[serde(default)]
    pub settle: Option<u64>,
    /// The calls, one after the other, on one server.
    #[serde(default, rename = "step")]
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// The tool.
    pub tool: String,
    /// What the step is called; its number when left out.
    #[serde(default)]
    pub name: Option<String>,
    /// The arguments: a table, or a text of JSON that is sent as it stands. In texts `{workspace}` stands
    /// for the fixture's folder, `{home}` for the server's home and `{pages}` for the address of the
    /// fixture's pages.
    #[serde(default)]
    #[schemars(with = "Option<arguments::Schema>")]
    arguments: Option<Spanned<toml::Value>>,
    /// Whether it only prepares what comes after it: it is made once and not judged, and where it fails
    /// nothing after it is made.
    #[serde(default)]
    #[schemars(with = "bool")]
    setup: Option<Spanned<bool>>,
    /// Whether the call is made a second time, to see whether that changes something further; `true` when
    /// left out.
    #[serde(default)]
    pub repeat: Option<bool>,
    /// Why it is not made.
    #[serde(default)]
    #[schemars(with = "Option<Reason>")]
    skip: Option<Spanned<String>>,
    /// What is expected.
    #[serde(default)]
    pub expect: Option<Expectation>,
}

/// A text that says something.
#[derive(JsonSchema)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for its schema")]
struct Reason(#[schemars(length(min = 1))] String);

fn fixtures() -> Vec<&'static str> {
    Fixture::names().map(|(name, _)| name).collect()
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// When it is no TOML, has a key or a value that is not known, or says what cannot be: with the place,
    /// and with what was probably meant.
    pub fn read(text: &str, file: &Path) -> Result<Self, ScenarioError> {
        let scenario: Self =
            toml::from_str(text).map_err(|error| ScenarioError::of_toml(&error, text, file))?;
        let wrong = |range, said: &str| ScenarioError::at(text, file, range, said.to_owned());
        if let Some(fixture) = &scenario.fixture {
            if scenario.folder.is_some() {
                return Err(
                    wrong(fixture.span(), "both `fixture` and `folder` are there")
                        .hint("keep one of them"),
                );
            }
            if let Err(error) = Fixture::named(fixture.get_ref()) {
                return Err(wrong(fixture.span(), &error.to_string())
                    .suggest(fixture.get_ref(), fixtures()));
            }
        }
        if scenario.steps.is_empty() {
            return Err(
                wrong(0..0, "it has no `[[step]]`, so there is nothing to call")
                    .hint("write `[[step]]` and below it `tool = \"…\"`"),
            );
        }
        for step in &scenario.steps {
            step.check(&wrong)?;
        }
        Ok(scenario)
    }

    /// The fixture that the server works on, where one is named.
    #[must_use]
    pub fn fixture(&self) -> Option<&str> {
        self.fixture.as_ref().map(|name| name.get_ref().as_str())
    }

    /// The calls, for a fixture that was made; what is skipped is not among them.
    ///
    /// # Errors
    /// When a placeholder stands for nothing.
    pub fn calls(&self, built: &Built) -> Result<Vec<Call>, ScenarioError> {
        let steps = self.steps.iter().enumerate();
        let made = steps.filter(|(_, step)| step.skip.is_none());
        made.map(|(place, step)| {
            let arguments = step.arguments.as_ref().map(Spanned::get_ref);
            let arguments = arguments::filled(arguments, built).map_err(|source| {
                ScenarioError::Placeholder {
                    step: step.label(place),
                    source,
                }
            })?;
            Ok(Call {
                tool: step.tool.clone(),
                step: step.label(place),
                arguments,
                repeat: step.repeat.unwrap_or(!step.is_setup()),
                is_setup: step.is_setup(),
            })
        })
        .collect()
    }

    /// The tools of the steps that are skipped, and why.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        let steps = self.steps.iter();
        steps.filter_map(|step| Some((step.tool.as_str(), step.skipped()?)))
    }
}

impl Step {
    /// What the step is called; `place` is its own, from 0.
    #[must_use]
    pub fn label(&self, place: usize) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| format!("step {}", place + 1))
    }

    /// Whether it only prepares what comes after it.
    #[must_use]
    pub fn is_setup(&self) -> bool {
        self.setup.as_ref().is_some_and(|setup| *setup.get_ref())
    }

    /// Why it is not made.
    #[must_use]
    pub fn skipped(&self) -> Option<&str> {
        self.skip.as_ref().map(|why| why.get_ref().as_str())
    }

    fn check(
        &self,
        wrong: &dyn Fn(std::ops::Range<usize>, &str) -> ScenarioError,
    ) -> Result<(), ScenarioError> {
        if let Some(why) = &self.skip
            && why.get_ref().trim().is_empty()
        {
            return Err(wrong(why.span(), "`skip` gives no reason").hint("say why, in a sentence"));
        }
        if let Some(setup) = &self.setup
            && *setup.get_ref()
            && (self.expect.is_some() || self.repeat.is_some())
        {
            return Err(wrong(
                setup.span(),
                "a step with `setup = true` is made once and not judged",
            )
            .hint("take out `setup`, or `expect` and `repeat`"));
        }
        match &self.arguments {
            Some(arguments) => arguments::check(arguments.get_ref())
                .map_err(|said| wrong(arguments.span(), &said).hint(arguments::HINT)),
            None => Ok(()),
        }
    }
}
