//! `sayso trace`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use sayso_gateway::settings::GateSettings;
use sayso_scratch::settings::Assignment;

use super::output;
use super::profile_arguments::{HOSTS, ProfileArgs};
use super::reading_arguments::{ConnectionArgs, EraChoice, duration};
use super::report_arguments::ReportArgs;
use super::settings_arguments::{ReadSettings, SettingsArgs};
use super::target_arguments::{TargetArgs, Verb};
use crate::audit_report::{Detail, Presentation};
use crate::error::{Failure, Outcome};
use crate::gate::rules::Place;
use crate::hosts::Choice;
use crate::report::trace::{self as report, TraceFormat};
use crate::trace::{self, Answer, GatePlan, Script, Subject};
use crate::{exit, run};

/// Make the same calls through a bare client, a host with a policy and the gate, and show what each does
///
/// Without a target the server is the scratch server, a fresh one for every caller, and the calls
/// are one for each of its tools, two of them with withheld answers. Any other server is really
/// called, twice, with the calls of --script, and once more with --gate.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    connection: ConnectionArgs,

    /// The host to play; `sayso hosts --list` names them
    ///
    /// `NAME` is the host in the mode a new user has, `NAME:MODE` in another.
    #[arg(long, value_name = "NAME[:MODE]", default_value = "documented-defaults", help_heading = HOSTS)]
    host: Choice,

    #[command(flatten)]
    profiles: ProfileArgs,

    #[command(flatten, next_help_heading = HOSTS)]
    settings: SettingsArgs,

    /// Make the calls through the gate, too; of the scratch server always
    #[arg(long, help_heading = GATE)]
    gate: bool,

    /// A policy of the gate, with --gate: a ready set or a Cedar file; may be repeated
    ///
    /// Unless given, those of the settings are taken for a server of your own, and `spec-default`
    /// where there are none.
    #[arg(long, value_name = "NAME|FILE", help_heading = GATE)]
    policy: Vec<String>,

    /// The calls to make, and what the person says to each: a TOML file
    #[arg(long, value_name = "FILE", help_heading = CALLS)]
    script: Option<PathBuf>,

    /// What the scripted person says where a call has nothing of its own; `yes` unless set
    #[arg(long, value_enum, value_name = "ANSWER", help_heading = CALLS)]
    person: Option<Answer>,

    /// How long each call is waited for; as the script says unless set
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = CALLS)]
    call_timeout: Option<Duration>,

    /// Set something of the scratch server, in place of the two withheld answers; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = CALLS)]
    set: Vec<String>,

    #[command(flatten)]
    report: ReportArgs<TraceFormat>,
}

const GATE: &str = "Gate";
const CALLS: &str = "Calls";

const EXAMPLES: &str = "\
Examples:
  sayso trace                                      the scratch server, by the documented defaults
  sayso trace --host codex                         the same calls as Codex would treat them
  sayso trace --host qwen-code:trusted --set reindex_document.answer=disconnect:2
  sayso trace --person no                          a person who refuses
  sayso trace --policy read-only                   a gate that lets only reading through
  sayso trace --script calls.toml -- ./server      a server of your own
  sayso trace --script calls.toml --gate -- ./server

A script:
  timeout = \"2s\"
  person = \"yes\"

  [[call]]
  tool = \"append_note\"
  arguments = { page = \"on-call\", text = \"The pager was handed over.\" }
  person = \"no\"

Exit codes: 0 done, 2 wrong usage, 3 the server could not be reached or its listing not be read";

/// The calls for the scratch server.
const SCRATCH_SCRIPT: &str = include_str!("../trace/scratch.toml");

/// What is withheld where nothing is set: of two tools that write, one may be repeated.
const WITHHELD: [&str; 2] = [
    "reindex_document.answer=never:2",
    "append_note.answer=never:1",
];

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "trace",
    example: "sayso trace",
};

impl TraceArgs {
    pub(super) fn run(self) -> Outcome {
        let read = self.settings.read()?;
        let known = self.profiles.load(&read)?;
        let host = known.column(&self.host)?;
        let subject = self.subject()?;
        let script = self.script(&subject)?;
        let plan = self.plan(&subject, &read)?;
        output::check_directories([&self.report.output])?;
        let options = self.connection.run_options();
        if options.era == EraChoice::Both {
            return Err(
                Failure::usage("a trace is in one protocol era, not in both")
                    .hint("trace once with `--era legacy` and once with `--era modern`"),
            );
        }
        let mut trace =
            run::to_the_end(trace::run(&subject, &script, host, plan.as_ref(), &options))??;
        if self.profiles.freshness(&read).is_stale(host.behaviour) {
            trace.stale_since = Some(host.behaviour.date_read.clone());
        }
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::write(&trace, self.report.format, presentation, out)
        };
        self.report.write(Detail::Normal, write)?;
        Ok(exit::CLEAN)
    }

    /// The rules of the gate, where there is to be one.
    fn plan(&self, subject: &Subject, read: &ReadSettings) -> Result<Option<GatePlan>, Failure> {
        if !subject.is_scratch() && !self.gate && self.policy.is_empty() {
            return Ok(None);
        }
        let place = super::gate::place(read);
        let policies = if self.policy.is_empty() && !subject.is_scratch() {
            place.policies()
        } else {
            let named = Place {
                settings: GateSettings {
                    policy: self.policy.clone(),
                    ..GateSettings::default()
                },
                // Counted from here, and not from the settings.
                folder: PathBuf::new(),
            };
            named.policies()
        }?;
        Ok(Some(GatePlan {
            place,
            policies,
            semantics: read.settings.audit.semantics,
        }))
    }

    fn subject(&self) -> Result<Subject, Failure> {
        if !self.target.asks_for_any() {
            let set = self.set.iter().map(String::as_str);
            let assignments = if self.set.is_empty() {
                WITHHELD.iter().map(|text| assignment(text)).collect()
            } else {
                set.map(assignment).collect::<Result<Vec<_>, _>>()
            };
            return assignments.map(Subject::Scratch);
        }
        if !self.set.is_empty() {
            return Err(Failure::usage("`--set` is about the scratch server")
                .hint("leave the target out to trace that one"));
        }
        let mut targets = self.target.plan(&VERB)?.targets.into_iter();
        match (targets.next(), targets.next()) {
            (Some(target), None) if target.is_live() => Ok(Subject::Server(Box::new(target))),
            (Some(target), None) => Err(Failure::usage(format!(
                "`{}` is no live server, and its tools cannot be called",
                target.name
            ))
            .hint("put a server's command behind `--`, or name its URL")),
            _ => Err(Failure::usage("a trace is of one server")
                .hint("`--server NAME` chooses one of a configuration")),
        }
    }

    fn script(&self, subject: &Subject) -> Result<Script, Failure> {
        let mut script = match &self.script {
            Some(path) => {
                let file = path.display().to_string();
                let text = crate::saved::read_text(path).map_err(|error| {
                    Failure::usage(format!("cannot read `{file}`")).source(error)
                })?;
                Script::parse(&text, &file)
            }
            None if subject.is_scratch() => Script::parse(SCRATCH_SCRIPT, "scratch.toml"),
            None => {
                return Err(Failure::usage("there are no calls to make")
                    .hint("write them to a file and name it with `--script`; `sayso trace --help` shows one"));
            }
        }?;
        script.person = self.person.unwrap_or(script.person);
        script.timeout = self.call_timeout.unwrap_or(script.timeout);
        Ok(script)
    }
}

fn assignment(text: &str) -> Result<Assignment, Failure> {
    Assignment::parse(text).map_err(|error| {
        let hint = error.next_step().map(str::to_owned);
        Failure::usage(error.to_string()).hint_if_known(hint)
    })
}
