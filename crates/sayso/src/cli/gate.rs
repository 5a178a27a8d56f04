//! `sayso gate`.

use std::cell::LazyCell;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sayso_core::effective::Trust;
use sayso_core::json::{Document, Limits, Value};
use sayso_core::lock::{PinnedServer, PinnedTool};
use sayso_gateway::gate::Rules;
use sayso_gateway::settings::{Confine, KnownTool, ServerSettings, SettingProblem};

use super::settings_arguments::{ReadSettings, SettingsArgs, wrong};
use super::to_stdout;
use crate::error::{Failure, Outcome};
use crate::gate::rules::Place;
use crate::gate::{self, Demonstration, Plan, Reload};
use crate::{config, exit, policy};

/// Stand between hosts and servers, and make only the calls that the rules allow
///
/// The servers, and what is set about them, are in `[gate]` of `sayso.toml`. Without any, a
/// demonstration is served: the scratch server, whose reading runs and whose writing is asked about,
/// and of whose indexes one may be wiped.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct GateArgs {
    /// Serve over Streamable HTTP at this address of this machine; port 0 takes a free one
    ///
    /// Standard input and output are served unless this or the settings say where to listen.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,

    /// Read settings, lock, rulings and policies, say what is wrong with them, and serve nothing
    #[arg(long, conflicts_with = "listen")]
    check: bool,

    #[command(flatten)]
    settings: SettingsArgs,

    /// The least that is logged on standard error
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    log: LogLevel,

    /// How each line of the log is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    log_format: LogFormat,

    /// Send traces of calls to an OpenTelemetry collector at this URL, by OTLP over HTTP
    ///
    /// Needs a build with the feature `otlp`. `OTEL_EXPORTER_OTLP_ENDPOINT` does the same, and the
    /// other variables of OpenTelemetry hold too.
    #[arg(long, value_name = "URL")]
    otlp: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  sayso gate --listen 127.0.0.1:8931               the demonstration, at http://127.0.0.1:8931/mcp
  sayso gate --settings gate/sayso.toml            as a host starts it
  sayso gate --check                               what is wrong, if anything is

Settings, lock, rulings and policies are read again when they change, and on SIGHUP. On SIGTERM and
Ctrl-C no new calls are taken. Those that wait for a person are answered at once, as still pending;
those that a server has may take 30 seconds more; then the servers end. A second SIGTERM or Ctrl-C
ends everything at once, and the journal has no outcome of the calls that were running.

Exit codes: 0 done, 2 wrong usage, settings or policies";

/// The least that is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    /// What went wrong in the gate
    Error,
    /// What an operator has to look at
    #[default]
    Warn,
    /// What the gate does
    Info,
    /// What servers write on standard error, too
    Debug,
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people
    #[default]
    Text,
    /// A JSON object a line
    Json,
}

impl GateArgs {
    pub(super) fn run(self) -> Outcome {
        let _traces = self.log()?;
        let read = self.settings.read()?;
        if read.settings.gate.servers.is_empty() {
            return self.demonstrate(&read);
        }
        let place = place(&read);
        if self.check {
            return check(&place, &read);
        }
        let missing = missing_variables(&read);
        if let Some(problem) = missing.first() {
            return Err(wrong(read.settings.located(problem)));
        }
        let listen = self.listen.or(read.settings.gate.listen.clone());
        let semantics = read.settings.audit.semantics;
        let reload = read.path.clone().map(|file| Reload {
            file,
            place: place.clone(),
            semantics,
        });
        gate::run(Plan {
            place,
            semantics,
            listen,
            reload,
        })
    }

    fn demonstrate(&self, read: &ReadSettings) -> Outcome {
        use std::io::IsTerminal as _;
        if self.check || read.settings.gate != sayso_gateway::settings::GateSettings::default() {
            return Err(Failure::usage(
                "no server is set, so there is nothing to stand in front of",
            )
            .hint("add `[gate.servers.NAME]` with a `command` or a `url` to `sayso.toml`"));
        }
        let demonstration = Demonstration::new()?;
        gate::tell("no servers are set: this is the demonstration");
        gate::tell(
            "  list_indexes runs, wipe_index of `scratch-1` is asked about, of any other refused",
        );
        gate::tell(&format!(
            "  its journal: sayso journal show --store {}",
            demonstration.folder().join("sayso.db").display()
        ));
        if self.listen.is_none() && std::io::stdin().is_terminal() {
            gate::tell("serving on standard input and output, for a host that starts this command");
            gate::tell("hint: `--listen 127.0.0.1:8931` serves at a URL");
        }
        gate::run(Plan {
            place: demonstration.place()?,
            semantics: read.settings.audit.semantics,
            listen: self.listen.clone(),
            reload: None,
        })
    }

    /// Standard output is the protocol's, so the log goes to standard error. Traces are sent for as
    /// long as what comes back lives.
    fn log(&self) -> Result<impl Sized + use<>, Failure> {
        use tracing_subscriber::filter::{LevelFilter, Targets};
        use tracing_subscriber::util::SubscriberInitExt as _;
        use tracing_subscriber::{Layer as _, layer::SubscriberExt as _};
        let level = match self.log {
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        let log = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_ansi(false);
        let log = match self.log_format {
            LogFormat::Text => log.boxed(),
            LogFormat::Json => log.json().boxed(),
        };
        // Every line of the log would begin with the spans of calls, which are for traces.
        let lines = Targets::new()
            .with_default(level)
            .with_target(sayso_gateway::spans::TARGET, LevelFilter::OFF);
        let traces = match self.check {
            true => None,
            false => traces(self.otlp.as_deref())?,
        };
        let (traces, export) = traces.unzip();
        let subscriber = tracing_subscriber::registry()
            .with(traces)
            .with(log.with_filter(lines));
        // Fails where there is one already, which then goes on.
        let _ = subscriber.try_init();
        Ok(export)
    }
}

#[cfg(feature = "otlp")]
fn traces(url: Option<&str>) -> Result<Option<(gate::otlp::Traces, impl Sized + use<>)>, Failure> {
    gate::otlp::start(url)
}

#[cfg(not(feature = "otlp"))]
fn traces(
    url: Option<&str>,
) -> Result<Option<(tracing_subscriber::layer::Identity, impl Sized + use<>)>, Failure> {
    match url {
        None => Ok(None::<(_, ())>),
        Some(_) => Err(Failure::usage("this `sayso` was built without traces")
            .hint("build it with `--features otlp`")),
    }
}

/// Where the rules are that settings name.
pub(in crate::cli) fn place(read: &ReadSettings) -> Place {
    let file = read
        .path
        .clone()
        .unwrap_or(PathBuf::from(config::FILE_NAME));
    Place {
        settings: read.settings.gate.clone(),
        folder: file.parent().map(PathBuf::from).unwrap_or_default(),
    }
}

fn missing_variables(read: &ReadSettings) -> Vec<SettingProblem> {
    let settings = &read.settings.gate;
    settings.missing_variables(|name| std::env::var_os(name).is_some())
}

/// The tools of a pinned server, as far as settings speak of them.
fn known_tools(server: &PinnedServer) -> Vec<KnownTool> {
    let arguments = |tool: &PinnedTool| {
        let definition = Document::parse(tool.definition().to_owned(), &Limits::default());
        let names = definition.ok().map(|definition| {
            let properties = definition.root().at(&["inputSchema", "properties"]);
            let members = properties.into_iter().flat_map(Value::members);
            members.map(|member| member.key.into_owned()).collect()
        });
        names.unwrap_or_default()
    };
    let tools = server.tools.iter();
    tools
        .map(|(name, tool)| KnownTool {
            name: name.clone(),
            arguments: arguments(tool),
        })
        .collect()
}

/// What the settings say of what is not there: told, and nothing to fail for.
fn warn_of_missing(rules: &Rules, read: &ReadSettings) {
    let pinned = rules.lock.servers.iter();
    let unknown = pinned.flat_map(|(name, server)| {
        let known = known_tools(server);
        rules.settings.unknown_tools(name, &known)
    });
    for problem in missing_variables(read).into_iter().chain(unknown) {
        let located = read.settings.located(&problem);
        gate::tell(&format!("warning: {located}"));
        if let Some(hint) = located.hint() {
            gate::tell(&format!("hint: {hint}"));
        }
    }
}

/// What confinement cannot do for a server: told, and nothing to fail for.
fn warn_of_confinement(rules: &Rules) {
    for (name, server) in &rules.settings.servers {
        let is_moot = server.confine == Confine::ReadOnlyClaims && server.trust == Trust::Untrusted;
        if is_moot {
            gate::tell(&format!(
                "warning: server `{name}` is not trusted, so no call of it counts as reading on its \
                 word, and none is confined"
            ));
            gate::tell(
                "hint: with `trust = \"trusted\"` its word counts, and confinement holds it to that",
            );
        }
    }
}

/// How calls of a server are confined, behind a comma.
fn confined(server: &ServerSettings, possible: &Possible) -> String {
    let calls = match server.confine {
        Confine::Off => return String::new(),
        Confine::ReadOnlyClaims => "calls that read on its word",
        Confine::All => "all calls",
    };
    match &**possible {
        Ok(Ok(mode)) => format!(", {calls} are confined ({mode})"),
        Ok(Err(why)) => format!(", {calls} cannot be confined, and are asked about: {why}"),
        Err(failure) => format!(", {calls} cannot be confined: {failure}"),
    }
}

/// How servers can be confined here, tried where that is asked.
type Possible = LazyCell<
    Result<Result<&'static str, String>, Failure>,
    fn() -> Result<Result<&'static str, String>, Failure>,
>;

fn check(place: &Place, read: &ReadSettings) -> Outcome {
    let rules = place.read(read.settings.audit.semantics)?;
    warn_of_missing(&rules, read);
    let known = policy::known(&rules.lock, &rules.rulings, &rules.settings);
    let policies =
        policy::load(&rules.policies, &known).map_err(|errors| policy::failure(&errors))?;
    for note in policies.notes() {
        gate::tell(&format!("note: {note}"));
    }
    warn_of_confinement(&rules);
    let possible: Possible = LazyCell::new(|| gate::confiner().map(|confiner| confiner.possible()));
    to_stdout(|out| {
        writeln!(out, "settings   {}", read.file().unwrap_or_default())?;
        for (name, server) in &rules.settings.servers {
            let pinned = rules.lock.servers.get(name);
            let pinned = pinned.map_or("no pin".to_owned(), |pin| {
                format!("{} tools pinned", pin.tools.len())
            });
            let trust = match server.trust {
                Trust::Trusted => "trusted",
                Trust::Untrusted => "untrusted",
            };
            let confined = confined(server, &possible);
            writeln!(out, "server     {name}: {trust}, {pinned}{confined}")?;
        }
        let policies: Vec<_> = rules
            .policies
            .iter()
            .map(|source| source.name.as_str())
            .collect();
        writeln!(out, "policies   {}", policies.join(", "))
    })?;
    Ok(exit::CLEAN)
}
