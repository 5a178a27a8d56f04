//! From settings to a server that can be started or reached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sayso_mcp::upstream::{Introduction, UpstreamOptions};
use sayso_mcp::{EraChoice, HttpTarget, StdioCommand, Target};
use tokio::sync::mpsc::UnboundedSender;

use super::Launcher;
use crate::confine::{Confiner, Record, Report, View};
use crate::settings::{ServerEra, ServerSettings};

/// What a conversation is begun with.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) target: Target,
    pub(super) introduction: Introduction,
    pub(super) options: UpstreamOptions,
    /// How each process is confined, if it is.
    pub(super) confinement: Option<Confining>,
}

/// How the processes of a confined instance are started.
#[derive(Clone)]
pub(super) struct Confining {
    pub(super) confiner: Arc<dyn Confiner>,
    pub(super) view: View,
    pub(super) reports: UnboundedSender<Report>,
}

impl fmt::Debug for Confining {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confining")
            .field("view", &self.view)
            .finish_non_exhaustive()
    }
}

impl Launch {
    /// From the settings, without any capabilities yet.
    ///
    /// # Errors
    /// When they name no server that could be started or reached, in words.
    pub(super) fn of(settings: &ServerSettings, launcher: &Launcher) -> Result<Self, String> {
        let environment = |name: &str| std::env::var(name).ok();
        let era = match settings.era {
            ServerEra::Auto => EraChoice::Auto,
            ServerEra::Legacy => EraChoice::Legacy,
            ServerEra::Modern => EraChoice::Modern,
        };
        Ok(Self {
            target: target(settings, launcher, &environment)?,
            introduction: Introduction {
                era,
                client: launcher.client.clone(),
                ..Introduction::default()
            },
            options: UpstreamOptions {
                start_timeout: settings.start_timeout.map(Duration::from_secs),
                message_bytes: launcher.message_bytes.unwrap_or(16 << 20),
                ..UpstreamOptions::default()
            },
            confinement: None,
        })
    }

    /// What one process is started with; what it tries is in the record, where it is confined.
    ///
    /// # Errors
    /// When it should be confined and cannot be.
    pub(super) fn prepare(&self) -> Result<(Target, Option<Arc<Record>>), String> {
        let Some(confining) = &self.confinement else {
            return Ok((self.target.clone(), None));
        };
        let Target::Stdio(command) = &self.target else {
            return Err("only a server that the gate starts can be confined".to_owned());
        };
        let confined = confining.confiner.confine(command, &confining.view)?;
        let mut command = confined.command();
        command.supervisor = command.supervisor.or_else(|| self.supervisor());
        let record = Record::new(confined, confining.reports.clone());
        Ok((Target::Stdio(command), Some(Arc::new(record))))
    }

    fn supervisor(&self) -> Option<sayso_mcp::Supervisor> {
        match &self.target {
            Target::Stdio(command) => command.supervisor.clone(),
            Target::Http(_) => None,
        }
    }

    /// The same with these capabilities, a JSON object.
    pub(super) fn with_capabilities(&self, capabilities: &str) -> Self {
        let mut launch = self.clone();
        capabilities.clone_into(&mut launch.introduction.capabilities);
        launch
    }

    /// How long the server may take to start.
    pub(super) fn start_timeout(&self) -> Duration {
        let default = match &self.target {
            Target::Stdio(command) if command.downloads_first() => 120,
            Target::Stdio(_) | Target::Http(_) => 60,
        };
        let set = self.options.start_timeout;
        set.unwrap_or(Duration::from_secs(default))
    }
}

fn target(
    settings: &ServerSettings,
    launcher: &Launcher,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Target, String> {
    match (&settings.command, &settings.url) {
        (Some(command), None) => {
            let mut stdio = StdioCommand::new(command, &settings.args);
            for (name, value) in &settings.env {
                let value = filled_in(value, environment)
                    .map_err(|missing| format!("environment variable `{name}`: {missing}"))?;
                stdio.env.push((name.into(), value.into()));
            }
            stdio.cwd = settings.cwd.as_ref().map(|cwd| launcher.folder.join(cwd));
            stdio.supervisor.clone_from(&launcher.supervisor);
            Ok(Target::Stdio(stdio))
        }
        (None, Some(url)) => {
            let mut http = HttpTarget::new(url).map_err(|error| error.to_string())?;
            for (name, value) in &settings.headers {
                let value = filled_in(value, environment)
                    .map_err(|missing| format!("header `{name}`: {missing}"))?;
                http = http
                    .with_header(name, &value)
                    .map_err(|error| error.to_string())?;
            }
            Ok(Target::Http(http))
        }
        (Some(_), Some(_)) => Err("the settings have both `command` and `url`".to_owned()),
        (None, None) => Err("the settings have neither `command` nor `url`".to_owned()),
    }
}

/// A value with `${NAME}` replaced by variables of the gate's own environment.
///
/// # Errors
/// When one of them is not set, with its name.
pub fn filled_in(
    value: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let mut filled = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((name, behind)) = behind.split_once('}') else {
            break;
        };
        filled.push_str(before);
        let value = environment(name).ok_or_else(|| format!("`{name}` is not set"))?;
        filled.push_str(&value);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::filled_in;

    #[test]
    fn variables_are_filled_in() {
        let environment = |name: &str| (name == "TOKEN").then(|| "a${TOKEN}b".to_owned());
        let filled = |value| filled_in(value, &environment);
        assert_eq!(filled("Bearer ${TOKEN}!"), Ok("Bearer a${TOKEN}b!".into()));
        assert_eq!(filled("$TOKEN ${TOKEN"), Ok("$TOKEN ${TOKEN".into()));
        assert_eq!(filled("${OTHER}"), Err("`OTHER` is not set".into()));
    }
}
