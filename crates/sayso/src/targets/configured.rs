//! Targets from one host configuration.

use std::path::{Path, PathBuf};

use sayso_audit::hosts::{
    self, ConfigurationProblem, ConfigurationSource, ConfiguredValue, HttpKind, Launch, Reference,
    ServerSpec, Severity,
};

use super::{Found, HttpServer, PlannedTarget, Process, Source, name};
use crate::audit_report::{ConfiguredIn, TargetDescription, Unreadable};
use crate::config::{self, Settings};
use crate::error::Failure;
use crate::redact::{Secrets, shown_command, shown_url};

/// The servers of the configuration file named on the command line.
pub(crate) fn read_configuration_file(path: &Path, asked: &[String]) -> Result<Found, Failure> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read the configuration `{file}`")).source(error)
    })?;
    if let Some(found) = gate(path, &text, &file, asked)? {
        return Ok(found);
    }
    let absolute =
        std::path::absolute(path).map_or_else(|_| file.clone(), |path| path.display().to_string());
    let source = hosts::guess_format(&text, &absolute).map_err(|problem| {
        let ConfigurationProblem {
            line,
            column,
            message,
            hint,
            ..
        } = problem;
        Failure::usage(format!("{file}:{line}:{column}: {message}")).hint_if_known(hint)
    })?;
    let mut found = Found::default();
    add_servers(&text, source, &file, asked, &mut found);
    Ok(found)
}

/// The servers of the gate, where the file is Sayso's own settings.
fn gate(path: &Path, text: &str, file: &str, asked: &[String]) -> Result<Option<Found>, Failure> {
    if path.file_name() != Some(config::FILE_NAME.as_ref()) {
        return Ok(None);
    }
    let settings = Settings::parse(text, file)
        .map_err(|error| Failure::usage(error.to_string()).hint_if_known(error.hint()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let targets = crate::gate::targets::configured(&settings.gate, folder, file, text);
    let mut found = Found {
        names: targets.iter().map(|target| target.name.clone()).collect(),
        ..Found::default()
    };
    let wanted = |target: &PlannedTarget| asked.is_empty() || asked.contains(&target.name);
    found.targets.extend(targets.into_iter().filter(wanted));
    Ok(Some(found))
}

/// Adds the servers of a configuration's text. Servers that cannot be started as they are
/// written become unreadable targets, so that the others go on.
pub(super) fn add_servers(
    text: &str,
    source: ConfigurationSource<'_>,
    file: &str,
    asked: &[String],
    found: &mut Found,
) {
    let (servers, problems) = hosts::read_configuration(text, source, file, &resolve);
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    for server in servers {
        found.names.push(server.name.clone());
        if !wanted(&server.name) {
            continue;
        }
        if server.disabled && asked.is_empty() {
            found.notes.push(format!(
                "`{}` in {file}:{} is switched off there and was left out; `--server {}` audits it",
                server.name, server.line, server.name
            ));
            continue;
        }
        found.targets.push(planned(&server, file));
    }
    for problem in problems {
        match (problem.severity, &problem.server) {
            (Severity::Note, _) => found
                .notes
                .push(problem.to_string().replace("\nhint: ", "; ")),
            (Severity::Error, Some(name)) => {
                if !found.names.contains(name) {
                    found.names.push(name.clone());
                }
                if wanted(name) {
                    found
                        .targets
                        .push(broken(name.clone(), &problem, &source.host.id));
                }
            }
            (Severity::Error, None) => {
                found
                    .targets
                    .push(broken(file.to_owned(), &problem, &source.host.id))
            }
        }
    }
}

/// A target for what a configuration says wrong.
fn broken(name: String, problem: &ConfigurationProblem, host: &str) -> PlannedTarget {
    let ConfigurationProblem {
        file,
        line,
        column,
        message,
        hint,
        ..
    } = problem;
    let unreadable = Unreadable {
        message: format!("{file}:{line}:{column}: {message}"),
        hint: hint.clone(),
        details: Vec::new(),
    };
    let configured_in = ConfiguredIn {
        host: host.to_owned(),
        file: file.clone(),
        line: *line,
    };
    PlannedTarget {
        configured_in: Some(configured_in),
        ..PlannedTarget::new(
            name,
            TargetDescription::File(file.clone()),
            Source::Unreadable(unreadable),
        )
    }
}

fn planned(server: &ServerSpec, file: &str) -> PlannedTarget {
    let configured_in = ConfiguredIn {
        host: server.host.clone(),
        file: file.to_owned(),
        line: server.line,
    };
    let mut secrets = Secrets::default();
    let (description, source) = match &server.launch {
        Launch::Stdio {
            command,
            args,
            env,
            cwd,
        } => {
            env.iter()
                .for_each(|(_, value)| secrets.add(value.expose()));
            let shown = shown_launch(command, args, &mut secrets);
            let process = Process {
                program: command.expose().to_owned(),
                arguments: args
                    .iter()
                    .map(|argument| argument.expose().to_owned())
                    .collect(),
                environment: exposed(env),
                directory: cwd.as_ref().map(|cwd| PathBuf::from(cwd.expose())),
            };
            (TargetDescription::Command(shown), Source::Process(process))
        }
        Launch::Http { url, headers, kind } => {
            headers
                .iter()
                .for_each(|(_, value)| secrets.add(value.expose()));
            shown_url(url.expose(), &mut secrets);
            let shown = shown_url(&url.to_string(), &mut secrets);
            let server = HttpServer {
                url: url.expose().to_owned(),
                headers: exposed(headers),
                bearer: None,
                sse: *kind == HttpKind::Sse,
            };
            (TargetDescription::Url(shown), Source::Http(server))
        }
    };
    let name = if server.name.is_empty() {
        fallback_name(&description)
    } else {
        server.name.clone()
    };
    PlannedTarget {
        name,
        description,
        configured_in: Some(configured_in),
        source,
        secrets,
    }
}

/// A command line as the configuration has it, references and all; what they stand for is
/// searched for secrets too.
fn shown_launch(
    command: &ConfiguredValue,
    args: &[ConfiguredValue],
    secrets: &mut Secrets,
) -> String {
    for argument in args {
        // What a reference stands for is not shown, so a server must not show it either. A
        // path is no secret.
        if argument.expose() != argument.to_string() && !argument.expose().contains('/') {
            secrets.add(argument.expose());
        }
    }
    shown_command(
        command.expose(),
        args.iter().map(ConfiguredValue::expose),
        secrets,
    );
    let written: Vec<String> = args.iter().map(ConfiguredValue::to_string).collect();
    shown_command(
        &command.to_string(),
        written.iter().map(String::as_str),
        secrets,
    )
}

/// Names with their values, for use.
fn exposed(values: &[(String, ConfiguredValue)]) -> Vec<(String, String)> {
    values
        .iter()
        .map(|(name, value)| (name.clone(), value.expose().to_owned()))
        .collect()
}

fn fallback_name(description: &TargetDescription) -> String {
    match description {
        TargetDescription::Url(shown) => name::of_url(shown),
        TargetDescription::Command(shown) => shown.split(' ').next().unwrap_or(shown).to_owned(),
        _ => String::new(),
    }
}

/// What values in a configuration refer to, on this machine.
fn resolve(reference: Reference<'_>) -> Option<String> {
    match reference {
        Reference::Environment(name) => std::env::var(name).ok(),
        Reference::ProjectDirectory => std::env::current_dir()
            .ok()
            .map(|directory| directory.display().to_string()),
        Reference::HomeDirectory => std::env::home_dir().map(|home| home.display().to_string()),
        Reference::Elsewhere { .. } => None,
    }
}
