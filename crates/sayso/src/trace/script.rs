//! A script of calls: a TOML file.

use std::time::Duration;

use serde::Deserialize;

use crate::config::SettingsError;
use crate::error::Failure;

/// Calls to make, and what the scripted person says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Script {
    /// How long each call is waited for, such as `2s`.
    #[serde(default = "default_timeout", deserialize_with = "duration")]
    pub(crate) timeout: Duration,
    /// What the person says where a call has nothing of its own.
    #[serde(default)]
    pub(crate) person: Answer,
    /// The calls, in order.
    #[serde(rename = "call")]
    pub(crate) calls: Vec<ScriptedCall>,
}

/// One call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScriptedCall {
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments.
    #[serde(default)]
    arguments: toml::Table,
    /// What the person says about this call.
    pub(crate) person: Option<Answer>,
    /// How long this call is waited for.
    #[serde(default, deserialize_with = "some_duration")]
    pub(crate) timeout: Option<Duration>,
}

/// What a scripted person says when asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// Yes, this once
    #[default]
    Yes,
    /// No
    No,
    /// Nothing at all
    Nothing,
}

impl Answer {
    /// The word in scripts and reports.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Nothing => "nothing",
        }
    }
}

impl Script {
    /// Reads a script; `file` names it in errors.
    ///
    /// # Errors
    /// When it is not TOML, has an unknown key, or makes no call.
    pub(crate) fn parse(text: &str, file: &str) -> Result<Self, Failure> {
        let script: Self = toml::from_str(text).map_err(|error| {
            Failure::usage(SettingsError::from_toml(&error, text, file).to_string())
        })?;
        if script.calls.is_empty() {
            return Err(Failure::usage(format!("{file}: the script makes no call"))
                .hint("write `[[call]]` and below it `tool = \"NAME\"`"));
        }
        Ok(script)
    }
}

impl ScriptedCall {
    /// A call with arguments that are strings.
    pub(super) fn new<'a>(
        tool: &str,
        arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let arguments = arguments.into_iter();
        Self {
            tool: tool.to_owned(),
            arguments: arguments
                .map(|(name, value)| (name.to_owned(), value.into()))
                .collect(),
            person: None,
            timeout: None,
        }
    }

    /// The arguments as JSON.
    pub(crate) fn arguments(&self) -> String {
        json(&toml::Value::Table(self.arguments.clone())).to_string()
    }
}

/// A date or a time, which JSON does not have, is its text.
fn json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(elements) => elements.iter().map(json).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), json(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn default_timeout() -> Duration {
    Duration::from_secs(10)
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    crate::cli::duration(&text).map_err(serde::de::Error::custom)
}

fn some_duration<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::{Answer, Script};

    #[test]
    fn a_script_is_read_as_it_is_written() {
        let script = Script::parse(
            r#"
            timeout = "500ms"
            person = "no"

            [[call]]
            tool = "plan"
            person = "nothing"
            arguments = { day = 2026-03-01, seats = 4, tags = ["a", { b = true }], share = 0.5 }
            "#,
            "script.toml",
        )
        .unwrap();
        assert_eq!(script.timeout.as_millis(), 500);
        assert_eq!(script.person, Answer::No);
        let call = &script.calls[0];
        assert_eq!(call.person, Some(Answer::Nothing));
        insta::assert_snapshot!(call.arguments(), @r#"{"day":"2026-03-01","seats":4,"share":0.5,"tags":["a",{"b":true}]}"#);
    }

    #[test]
    fn what_cannot_be_used_is_said_with_its_place() {
        let errors = [
            "calls = 1",
            "call = []",
            "[[call]]\ntol = \"x\"",
            "timeout = \"soon\"\n[[call]]\ntool = \"x\"",
        ]
        .map(|text| Script::parse(text, "script.toml").unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n---\n"), @"
        script.toml:1:1: unknown key `calls`
        ---
        script.toml: the script makes no call
        ---
        script.toml:2:1: unknown key `tol`
        ---
        script.toml:1:11: write it as a number of seconds or with a unit, such as 500ms, 30s or 2m
        ");
    }
}
