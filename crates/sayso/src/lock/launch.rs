//! How a server is launched, as a lock has it, and how it is launched again from there.

use std::path::{Path, PathBuf};

use sayso_core::lock::{Configured, Launch, LaunchSource, PinnedServer};

use crate::audit_report::{TargetDescription, Unreadable};
use crate::redact::{Secrets, words};
use crate::targets::{PlannedTarget, Process, Source, read_configuration_file};

/// What stands for a value that is not shown.
const HIDDEN: char = '…';

/// What a lock keeps of a target: nothing that is secret, no value of a variable.
pub(crate) fn of(target: &PlannedTarget) -> Launch {
    let source = match &target.description {
        TargetDescription::Command(shown) => LaunchSource::Command(shown.clone()),
        TargetDescription::Url(shown) => LaunchSource::Url(shown.clone()),
        TargetDescription::File(path) => LaunchSource::File(path.clone()),
        TargetDescription::StandardInput | TargetDescription::Example { .. } => {
            LaunchSource::Elsewhere
        }
    };
    let directory = match &target.source {
        Source::Process(process) => process.directory.as_ref(),
        _ => None,
    };
    // An absolute one is this machine's own.
    let directory = directory.map(|directory| {
        if directory.is_relative() {
            directory.display().to_string()
        } else {
            HIDDEN.to_string()
        }
    });
    let mut environment: Vec<String> = match &target.source {
        Source::Process(process) => process
            .environment
            .iter()
            .map(|(name, _)| name.clone())
            .collect(),
        _ => Vec::new(),
    };
    environment.sort();
    environment.dedup();
    // A file somewhere in somebody's home is nobody else's.
    let place = target
        .configured_in
        .as_ref()
        .filter(|place| Path::new(&place.file).is_relative());
    let configuration = place.map(|place| Configured {
        file: place.file.clone(),
        server: target.name.clone(),
    });
    Launch {
        source,
        directory,
        environment,
        configuration,
    }
}

/// The target a pinned server was read from. What cannot be launched from the lock alone is a
/// target that says so.
pub(crate) fn again(name: &str, pinned: &PinnedServer) -> PlannedTarget {
    let launch = &pinned.launch;
    let nowhere = |why: String| nowhere(name, launch, why);
    if let Some(Configured { file, server }) = &launch.configuration {
        let found = read_configuration_file(Path::new(file), std::slice::from_ref(server));
        return match found.map(|mut found| found.targets.pop()) {
            Ok(Some(target)) => target,
            Ok(None) => nowhere(format!("`{server}` is no longer in `{file}`")),
            Err(failure) => nowhere(failure.to_string()),
        };
    }
    match &launch.source {
        LaunchSource::Command(line) => match process(line, launch) {
            Ok(process) => PlannedTarget::from_command(process),
            Err(why) => nowhere(why),
        },
        LaunchSource::Url(url) if url.contains(HIDDEN) => {
            nowhere("a part of its address is not in the lock, for it may be secret".to_owned())
        }
        LaunchSource::Url(place) | LaunchSource::File(place) => {
            PlannedTarget::from_argument(place, &[], None)
        }
        LaunchSource::Elsewhere => {
            nowhere("the lock does not say where it was read from".to_owned())
        }
    }
}

/// The process behind a command line that hides nothing, with the variables it had.
fn process(line: &str, launch: &Launch) -> Result<Process, String> {
    if line.contains(HIDDEN) {
        return Err("a part of its command is not in the lock, for it may be secret".to_owned());
    }
    let words = words(line).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else {
        return Err("its command cannot be read".to_owned());
    };
    let directory = launch.directory.as_deref();
    if directory.is_some_and(|directory| directory.contains(HIDDEN)) {
        return Err(
            "the directory it was started in is not in the lock, for it is one machine's own"
                .to_owned(),
        );
    }
    let environment = launch.environment.iter().map(|name| {
        let value = std::env::var(name)
            .map_err(|_| format!("it had the variable `{name}`, which is not set"))?;
        Ok((name.clone(), value))
    });
    Ok(Process {
        program: program.clone(),
        arguments: arguments.to_vec(),
        environment: environment.collect::<Result<_, String>>()?,
        directory: directory.map(PathBuf::from),
    })
}

fn nowhere(name: &str, launch: &Launch, why: String) -> PlannedTarget {
    let (description, hint) = match &launch.source {
        LaunchSource::Command(line) => (
            TargetDescription::Command(line.clone()),
            format!("name it: `sayso lock --check --as {name} -- COMMAND`"),
        ),
        LaunchSource::Url(url) => (
            TargetDescription::Url(url.clone()),
            format!("name it: `sayso lock --check --as {name} URL`"),
        ),
        LaunchSource::File(file) => (
            TargetDescription::File(file.clone()),
            format!("name it: `sayso lock --check --as {name} FILE`"),
        ),
        LaunchSource::Elsewhere => (
            TargetDescription::StandardInput,
            format!("name it: `sayso lock --check --as {name} TARGET`"),
        ),
    };
    PlannedTarget {
        name: name.to_owned(),
        description,
        configured_in: None,
        source: Source::Unreadable(Unreadable::new(why).hint(hint)),
        secrets: Secrets::default(),
    }
}
