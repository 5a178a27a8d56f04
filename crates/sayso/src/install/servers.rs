//! What of a host's servers can go behind the gate, and in which words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{
    ConfigurationProblem, ConfiguredValue, HttpKind, Launch, Reference, Scope, ServerSpec,
    Severity, read_configuration,
};

use super::edit::is_gate_command;
use super::place::HostFile;
use crate::error::Failure;
use crate::redact::{Secrets, shown_command, shown_url};

/// Around the name of a variable that a value refers to, while the value is read. No
/// configuration holds these private characters.
const BEFORE: char = '\u{e000}';
const AFTER: char = '\u{e001}';

/// One server that goes behind the gate.
#[derive(Debug)]
pub(crate) struct Taken {
    /// What the host calls it.
    pub(crate) name: String,
    /// What the gate calls it.
    pub(crate) gate_name: String,
    pub(crate) launch: Settings,
    /// Variables of the environment that its values refer to.
    pub(crate) variables: Vec<String>,
    /// Variables of which the value as it is now goes into the settings.
    pub(crate) filled_in: Vec<String>,
    /// Whether values of its environment or headers go into the settings.
    pub(crate) has_values: bool,
}

/// How the gate starts or reaches a server, as its settings have it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settings {
    Process {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<String>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
}

/// One that stays where it is.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) name: String,
    pub(crate) why: String,
}

/// The entry that runs the gate, where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnEntry {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) settings: PathBuf,
    /// Variables that it is handed by name.
    pub(crate) variables: Vec<String>,
}

/// A host's servers, sorted.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(crate) taken: Vec<Taken>,
    pub(crate) left: Vec<Left>,
    pub(crate) own: Option<OwnEntry>,
    /// What must not be shown.
    pub(crate) secrets: Secrets,
}

impl Servers {
    /// Reads them.
    ///
    /// # Errors
    /// When the file is not what the host reads.
    pub(crate) fn read(file: &HostFile) -> Result<Self, Failure> {
        let shown = file.shown();
        let (specs, problems) = read_configuration(&file.text, file.source, &shown, &marked);
        if let Some(problem) = problems.iter().find(|problem| is_of_the_file(problem)) {
            let (line, message) = (problem.line, &problem.message);
            let failure = Failure::usage(format!("{shown}:{line}: {message}"));
            return Err(failure.hint_if_known(problem.hint.clone()));
        }
        let mut servers = Self {
            taken: Vec::new(),
            left: Vec::new(),
            own: None,
            secrets: Secrets::default(),
        };
        servers.look_at_all(file);
        let unusable = problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        for problem in unusable {
            servers
                .left
                .extend(problem.server.as_ref().map(|name| Left {
                    name: name.clone(),
                    why: problem.message.clone(),
                }));
        }
        for spec in &specs {
            servers.sort_in(spec, file.source.file.scope);
        }
        if let Some(own) = &servers.own {
            servers.left.retain(|left| left.name != own.name);
        }
        Ok(servers)
    }

    /// Finds the gate's entry and every secret, whether or not what the values refer to is there.
    fn look_at_all(&mut self, file: &HostFile) {
        let anything = |_: Reference<'_>| Some(String::new());
        let (specs, _) = read_configuration(&file.text, file.source, &file.shown(), &anything);
        for spec in &specs {
            hide(&spec.launch, &mut self.secrets);
        }
        let mut of_all = specs.iter().filter(|spec| spec.project.is_none());
        self.own = of_all.find_map(own_entry);
    }

    fn sort_in(&mut self, spec: &ServerSpec, scope: Scope) {
        let own = self.own.as_ref();
        if own.is_some_and(|own| own.name == spec.name && spec.project.is_none()) {
            return;
        }
        match self.take(spec, scope) {
            Ok(taken) => self.taken.push(taken),
            Err(why) => self.left.push(Left {
                name: spec.name.clone(),
                why,
            }),
        }
    }

    fn take(&self, spec: &ServerSpec, scope: Scope) -> Result<Taken, String> {
        if spec.disabled {
            return Err("it is switched off".to_owned());
        }
        if let Some(project) = &spec.project {
            return Err(format!("it is of the project `{project}` alone"));
        }
        let mut carrier = Carrier::default();
        let launch = match &spec.launch {
            Launch::Stdio {
                command,
                args,
                env,
                cwd,
            } => {
                let cwd = cwd.as_ref().map(|cwd| carrier.filled_in(cwd)).transpose()?;
                Settings::Process {
                    command: carrier.command(command, scope)?,
                    args: args
                        .iter()
                        .map(|word| carrier.filled_in(word))
                        .collect::<Result<_, _>>()?,
                    env: carrier.table(env)?,
                    cwd: cwd.map(|cwd| folder(cwd, scope)).transpose()?,
                }
            }
            Launch::Http {
                kind: HttpKind::Sse,
                ..
            } => {
                return Err("its transport is SSE, which the gate does not speak".to_owned());
            }
            Launch::Http { url, headers, .. } => Settings::Http {
                url: carrier.filled_in(url)?,
                headers: carrier.table(headers)?,
            },
        };
        Ok(Taken {
            name: spec.name.clone(),
            gate_name: self.gate_name(&spec.name),
            launch,
            variables: carrier.variables,
            filled_in: carrier.filled_in,
            has_values: carrier.has_values,
        })
    }

    /// The name with nothing in it that a tool's name cannot have, and of no other server.
    fn gate_name(&self, name: &str) -> String {
        let plain = |character: char| {
            let is_plain = character.is_ascii_alphanumeric() || "_-".contains(character);
            if is_plain { character } else { '-' }
        };
        let plain: String = name.chars().map(plain).collect();
        let is_free = |name: &String| self.taken.iter().all(|taken| taken.gate_name != *name);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        names.find(is_free).unwrap_or_default()
    }
}

/// Whether it is about the whole file, so that nothing of it can be relied on.
fn is_of_the_file(problem: &ConfigurationProblem) -> bool {
    problem.severity == Severity::Error && problem.server.is_none()
}

/// A variable that is set is marked, so that it stays a reference.
fn marked(reference: Reference<'_>) -> Option<String> {
    match reference {
        Reference::Environment(name) => {
            std::env::var_os(name).map(|_| format!("{BEFORE}{name}{AFTER}"))
        }
        Reference::ProjectDirectory => {
            let directory = std::env::current_dir().ok()?;
            Some(directory.display().to_string())
        }
        Reference::HomeDirectory => Some(std::env::home_dir()?.display().to_string()),
        Reference::Elsewhere { .. } => None,
    }
}

/// Keeps what may be a secret from being shown.
fn hide(launch: &Launch, secrets: &mut Secrets) {
    let pairs = match launch {
        Launch::Stdio {
            command, args, env, ..
        } => {
            let args = args.iter().map(ConfiguredValue::expose);
            let _ = shown_command(command.expose(), args, secrets);
            env
        }
        Launch::Http { url, headers, .. } => {
            let _ = shown_url(url.expose(), secrets);
            headers
        }
    };
    for (_, value) in pairs {
        secrets.add(value.expose());
    }
}

/// Whether it is the entry that runs the gate.
fn own_entry(spec: &ServerSpec) -> Option<OwnEntry> {
    let Launch::Stdio {
        command, args, env, ..
    } = &spec.launch
    else {
        return None;
    };
    let words: Vec<&str> = args.iter().map(ConfiguredValue::expose).collect();
    let settings = is_gate_command(command.expose(), &words)?;
    Some(OwnEntry {
        name: spec.name.clone(),
        command: command.expose().to_owned(),
        settings: settings.into(),
        variables: env.iter().map(|(name, _)| name.clone()).collect(),
    })
}

/// A folder the server is started in. What is not whole is counted from the host's own folder,
/// which is known for a project only.
fn folder(cwd: String, scope: Scope) -> Result<String, String> {
    if Path::new(&cwd).is_absolute() {
        return Ok(cwd);
    }
    if scope != Scope::Project {
        return Err(format!("its folder `{cwd}` depends on where the host runs"));
    }
    std::path::absolute(&cwd)
        .map(|path| path.display().to_string())
        .map_err(|error| format!("its folder `{cwd}` cannot be found: {error}"))
}

/// Turns values into those of the gate's settings.
#[derive(Default)]
struct Carrier {
    variables: Vec<String>,
    filled_in: Vec<String>,
    has_values: bool,
}

impl Carrier {
    /// For what the gate fills variables into: `${NAME}` stays.
    fn table(
        &mut self,
        pairs: &[(String, ConfiguredValue)],
    ) -> Result<BTreeMap<String, String>, String> {
        let mut table = BTreeMap::new();
        for (name, value) in pairs {
            let value = value.expose();
            if value.contains("${") {
                return Err(format!(
                    "the value of `{name}` has `${{` in it, which the gate would take for a variable"
                ));
            }
            let written = value.replace(BEFORE, "${").replace(AFTER, "}");
            self.has_values |= written == value && !value.is_empty();
            remember(&mut self.variables, value);
            table.insert(name.clone(), written);
        }
        Ok(table)
    }

    /// For what the gate fills nothing into: variables get the values they have now.
    fn filled_in(&mut self, value: &ConfiguredValue) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = value.expose();
        while let Some((before, (name, after))) = rest
            .split_once(BEFORE)
            .and_then(|(before, rest)| Some((before, rest.split_once(AFTER)?)))
        {
            let value =
                std::env::var(name).map_err(|_| format!("the variable `{name}` is not text"))?;
            filled.push_str(before);
            filled.push_str(&value);
            rest = after;
        }
        filled.push_str(rest);
        remember(&mut self.filled_in, value.expose());
        Ok(filled)
    }

    /// The program: a path that is not whole is counted from the host's folder.
    fn command(&mut self, value: &ConfiguredValue, scope: Scope) -> Result<String, String> {
        let command = self.filled_in(value)?;
        let path = Path::new(&command);
        if path.is_absolute() || path.components().count() == 1 {
            return Ok(command);
        }
        folder(command, scope).map_err(|why| why.replacen("folder", "program", 1))
    }
}

/// The variables a value refers to.
fn remember(variables: &mut Vec<String>, value: &str) {
    let marked = value.split(BEFORE).skip(1);
    let names = marked.filter_map(|rest| Some(rest.split_once(AFTER)?.0));
    for name in names {
        if !variables.iter().any(|known| known == name) {
            variables.push(name.to_owned());
        }
    }
}
