//! From what was asked to the targets of the run.

use super::{Example, TargetArgs, Verb};
use crate::audit_report::Unreadable;
use crate::error::Failure;
use crate::example;
use crate::run;
use crate::targets::{self, Found, HttpServer, PlannedTarget, Process};

/// The targets of the run and what was left out.
#[derive(Debug, Default)]
pub(in crate::cli) struct Plan {
    pub(in crate::cli) targets: Vec<PlannedTarget>,
    pub(in crate::cli) notes: Vec<String>,
}

/// See [`TargetArgs::plan`].
pub(super) fn plan(arguments: &TargetArgs, verb: &Verb) -> Result<Plan, Failure> {
    let mut found = from_configurations(arguments)?;
    if let Some(which) = arguments.example {
        found
            .targets
            .push(example::target(which == Example::Annotated)?);
    }
    let (headers, bearer) = (arguments.headers()?, bearer(arguments)?);
    let has_url = arguments
        .targets
        .iter()
        .any(|target| targets::is_url(target));
    if !has_url && (bearer.is_some() || !headers.is_empty()) {
        return Err(Failure::usage("there is no URL to send a header to").hint(
            "name one as a target; for a configured server write the header in its configuration",
        ));
    }
    check_headers(&headers, bearer.as_deref())?;
    if arguments
        .targets
        .iter()
        .filter(|target| *target == "-")
        .count()
        > 1
    {
        return Err(Failure::usage("standard input can be read only once"));
    }
    let named = arguments.targets.iter();
    found.targets.extend(
        named.map(|target| PlannedTarget::from_argument(target, &headers, bearer.as_deref())),
    );
    found.targets.extend(from_command(arguments)?);
    let asked_for_none =
        arguments.config.is_none() && !arguments.discover && found.targets.is_empty();
    if asked_for_none {
        return Err(Failure::usage(format!("there is nothing to {}", verb.does)).hint(format!(
            "name a URL or a saved listing, or put a server's command behind `--`; `{}` shows what comes of it",
            verb.example
        )));
    }
    Ok(Plan {
        targets: found.targets,
        notes: found.notes,
    })
}

fn from_configurations(arguments: &TargetArgs) -> Result<Found, Failure> {
    let found = match (&arguments.config, arguments.discover) {
        (Some(path), _) => targets::read_configuration_file(path, &arguments.server)?,
        (None, true) => targets::discover(&arguments.server),
        (None, false) if arguments.server.is_empty() => return Ok(Found::default()),
        (None, false) => {
            return Err(Failure::usage(
                "`--server` chooses among configured servers, and there is no configuration",
            )
            .hint("add `--config FILE` or `--discover`"));
        }
    };
    found.check_names(&arguments.server)?;
    Ok(found)
}

fn from_command(arguments: &TargetArgs) -> Result<Option<PlannedTarget>, Failure> {
    let words: Result<Vec<String>, _> = arguments
        .command
        .iter()
        .map(|word| word.clone().into_string())
        .collect();
    let words = words.map_err(|word| {
        Failure::usage(format!(
            "the argument `{}` is not Unicode",
            word.to_string_lossy()
        ))
    })?;
    let Some((program, rest)) = words.split_first() else {
        return Ok(None);
    };
    Ok(Some(PlannedTarget::from_command(Process {
        program: program.clone(),
        arguments: rest.to_vec(),
        environment: arguments.env()?,
        directory: arguments.cwd.clone(),
    })))
}

/// That the headers can be sent, whatever becomes of the address.
fn check_headers(headers: &[(String, String)], bearer: Option<&str>) -> Result<(), Failure> {
    let server = HttpServer {
        url: "http://localhost/".to_owned(),
        headers: headers.to_vec(),
        bearer: bearer.map(str::to_owned),
        sse: false,
    };
    match run::http(&server) {
        Ok(_) => Ok(()),
        Err(Unreadable { message, hint, .. }) => Err(Failure::usage(message).hint_if_known(hint)),
    }
}

fn bearer(arguments: &TargetArgs) -> Result<Option<String>, Failure> {
    let Some(name) = &arguments.bearer_env else {
        return Ok(None);
    };
    match std::env::var(name) {
        Ok(token) if !token.trim().is_empty() => Ok(Some(token)),
        Ok(_) => Err(Failure::usage(format!("the environment variable `{name}` is empty"))),
        Err(_) => Err(Failure::usage(format!("the environment variable `{name}` is not set"))
            .hint(format!("`--bearer-env` takes the name of a variable that holds the token: set `{name}` first"))),
    }
}
