//! Watching each target, and what is made of what was seen.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;
use sayso_verify::fixture::Fixture;
use sayso_verify::jail::{Launcher, Refused, probe};
use sayso_verify::judge::{Standard, ToolVerdict, Verdict, Witness, judge};
use sayso_verify::plan::{Meets, Mode};
use sayso_verify::session::{self, Options, SessionError, Subject, Watched};

use super::arguments::VerifyArgs;
use super::probe::launcher;
use super::progress::Progress;
use super::scenario::Script;
use crate::audit_report::{SettingsFinding, Unreadable};
use crate::cli::reading_arguments::TimeoutArgs;
use crate::error::{Failure, quoted};
use crate::redact::Secrets;
use crate::run;
use crate::targets::{PlannedTarget, Process, Source};
use crate::verify::without_places;

/// The fixture that is taken where none is named.
const FIXTURE: &str = "workspace";

/// How long a server in a jail may take to answer first.
const START: Duration = Duration::from_secs(60);

/// How servers are watched.
pub(super) struct Watch {
    pub(super) mode: Mode,
    /// Why it is not the better one.
    pub(super) why_not_better: Option<Refused>,
    pub(super) fixture_name: String,
    fixture: Fixture,
    launcher: Launcher,
    standard: Standard,
    timeouts: TimeoutArgs,
    progress: bool,
    script: Option<Script>,
    options: Asked,
}

/// What was asked for.
struct Asked {
    tools: Vec<String>,
    explore: usize,
    settle: Duration,
    meets: Meets,
    live: Vec<String>,
    workspace: Option<PathBuf>,
    transcripts: Option<PathBuf>,
}

/// A server that was watched.
pub(super) struct Judged {
    pub(super) listing: Listing,
    pub(super) verdicts: Vec<ToolVerdict>,
    pub(super) notes: Vec<String>,
    /// What came otherwise than the scenario expects.
    pub(super) unmet: Vec<SettingsFinding>,
    pub(super) duration: Duration,
}

impl Watch {
    pub(super) fn new(arguments: &VerifyArgs) -> Result<Self, Failure> {
        let launcher = launcher()?;
        let found = probe(&launcher);
        let wanted = arguments.jail.map(Mode::from);
        let mode = found.choose(wanted).map_err(|refused| {
            Failure::usage(format!("there is no jail to verify in: {refused}"))
                .hint_if_known((!refused.hint.is_empty()).then_some(refused.hint))
        })?;
        let better = found.namespaces.err();
        let why_not_better = better.filter(|_| mode == Mode::Landlock && wanted.is_none());
        let script = arguments
            .scenario
            .as_deref()
            .map(Script::read)
            .transpose()?;
        let workspace = arguments
            .workspace
            .clone()
            .or_else(|| script.as_ref().and_then(Script::folder));
        let (fixture_name, fixture) = fixture(arguments, script.as_ref(), workspace.as_deref())?;
        let of_script = script.as_ref().and_then(|script| script.scenario.settle);
        let settle = arguments
            .settle
            .or(of_script)
            .map_or(session::SETTLE, Duration::from_millis);
        if let Some(folder) = &arguments.transcripts {
            fs::create_dir_all(folder).map_err(|error| {
                Failure::usage(format!("cannot make the folder `{}`", folder.display()))
                    .source(error)
            })?;
        }
        Ok(Self {
            mode,
            why_not_better,
            fixture_name,
            fixture,
            launcher,
            standard: arguments.standard(),
            timeouts: arguments.timeouts,
            progress: !arguments.detail.quiet && !arguments.ci,
            script,
            options: Asked {
                tools: arguments.tool.clone(),
                explore: arguments.explore,
                settle,
                meets: if arguments.sink {
                    Meets::Sink
                } else {
                    Meets::Refusal
                },
                live: arguments.live.clone(),
                workspace,
                transcripts: arguments.transcripts.clone(),
            },
        })
    }

    /// Watches one target.
    ///
    /// # Errors
    /// When the run is stopped, or a transcript cannot be written.
    pub(super) fn server(
        &self,
        target: &PlannedTarget,
    ) -> Result<Result<Judged, Unreadable>, Failure> {
        let subject = match subject(target) {
            Ok(subject) => subject,
            Err(unreadable) => return Ok(Err(unreadable)),
        };
        let begun = Instant::now();
        let options = self.session_options();
        let watched = {
            let progress = Progress::new(&target.name, self.progress);
            let tell = |step: session::Step<'_>| progress.tell(step);
            run::to_the_end(session::watch(
                &subject,
                &self.fixture,
                &self.calls(),
                &options,
                &tell,
            ))?
        };
        let watched = match watched {
            Ok(watched) => watched,
            Err(error) => return Ok(Err(unreadable(error, &target.secrets))),
        };
        self.check_tools(&watched.listing)?;
        self.keep_transcripts(target, &watched)?;
        let standard = self.standard(&watched);
        let verdicts = self.verdicts(&watched, &standard, &target.secrets);
        let script = self.script.as_ref();
        let unmet = script.map_or_else(Vec::new, |script| script.unmet(&watched, &standard));
        let scrubbed = watched
            .notes
            .iter()
            .map(|note| without_places(&target.secrets.scrub(note), &watched.places));
        let mut notes: Vec<String> = scrubbed.collect();
        notes.dedup();
        Ok(Ok(Judged {
            verdicts,
            notes,
            unmet,
            listing: watched.listing,
            duration: begun.elapsed(),
        }))
    }

    /// What is called.
    fn calls(&self) -> session::Script {
        match &self.script {
            Some(script) => session::Script::Scenario(script.scenario.clone()),
            None => session::Script::Made,
        }
    }

    fn session_options(&self) -> Options {
        Options {
            launcher: self.launcher.clone(),
            mode: self.mode,
            settle: self.options.settle,
            start_timeout: self.timeouts.start_timeout.unwrap_or(START),
            timeout: self.timeouts.timeout,
            meets: self.options.meets,
            live: self.options.live.clone(),
            tools: self.options.tools.clone(),
            explore: self.options.explore,
            workspace: self.options.workspace.clone(),
        }
    }

    /// That every tool asked for is there.
    fn check_tools(&self, listing: &Listing) -> Result<(), Failure> {
        let names: Vec<String> = listing
            .tools()
            .filter_map(|tool| Some(tool.name()?.into_owned()))
            .collect();
        let missing = self
            .options
            .tools
            .iter()
            .find(|asked| !names.contains(asked));
        let Some(missing) = missing else {
            return Ok(());
        };
        let failure = Failure::usage(format!("no tool is called `{missing}`"));
        let meant = sayso_core::suggest::nearest(missing, names.iter().map(String::as_str));
        Err(match meant {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure.hint("`sayso audit --names` lists the tools"),
        })
    }

    /// What counts for this server.
    fn standard(&self, watched: &Watched) -> Standard {
        let mut standard = self.standard.clone();
        standard.loopback.extend(&watched.loopback);
        standard
    }

    fn verdicts(
        &self,
        watched: &Watched,
        standard: &Standard,
        secrets: &Secrets,
    ) -> Vec<ToolVerdict> {
        let asked = &self.options.tools;
        let tools = watched.listing.tools().filter_map(|tool| {
            let name = tool.name()?.into_owned();
            let is_asked = asked.is_empty() || asked.contains(&name);
            is_asked.then(|| (name, tool.claims().states()))
        });
        tools
            .map(|(name, claims)| {
                let mut verdict = judge(
                    &name,
                    &claims,
                    &watched.observations,
                    &watched.setting,
                    standard,
                );
                let why = watched.not_called.iter().find(|(tool, _)| *tool == name);
                verdict.verdicts = verdict.verdicts.map(|_, verdict| {
                    let verdict = match (verdict, why) {
                        (Verdict::NotExercised { .. }, Some((_, why))) => {
                            Verdict::NotExercised { why: why.clone() }
                        }
                        _ => verdict.clone(),
                    };
                    shown(verdict, watched, secrets)
                });
                verdict.risks = verdict.risks.map(|_, risk| {
                    let risk = risk.clone();
                    risk.map(|risk| shown_witness(risk, watched, secrets))
                });
                let notes = verdict.notes.iter();
                verdict.notes = notes
                    .map(|note| without_places(&secrets.scrub(note), &watched.places))
                    .collect();
                verdict
            })
            .collect()
    }

    /// Writes every call with all that was seen of it, a file a tool.
    fn keep_transcripts(&self, target: &PlannedTarget, watched: &Watched) -> Result<(), Failure> {
        let Some(folder) = &self.options.transcripts else {
            return Ok(());
        };
        for observation in watched.setup.iter().chain(&watched.observations) {
            let file = folder.join(format!(
                "{}.{}.jsonl",
                file_name(&target.name),
                file_name(&observation.tool)
            ));
            let line = serde_json::to_string(observation)
                .map(|line| target.secrets.scrub(&line))
                .map_err(|error| cannot_keep(&file).source(error))?;
            append(&file, &line).map_err(|error| cannot_keep(&file).source(error))?;
        }
        Ok(())
    }
}

fn cannot_keep(file: &Path) -> Failure {
    Failure::usage(format!("cannot write the transcript `{}`", file.display()))
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)?;
    writeln!(file, "{line}")
}

/// A name as part of a file's name.
fn file_name(name: &str) -> String {
    let kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name = name.chars().take(80);
    name.map(|letter| if kept(letter) { letter } else { '_' })
        .collect()
}

fn fixture(
    arguments: &VerifyArgs,
    script: Option<&Script>,
    workspace: Option<&Path>,
) -> Result<(String, Fixture), Failure> {
    if let Some(folder) = workspace {
        if !folder.is_dir() {
            return Err(Failure::usage(format!(
                "there is no folder `{}` to work on a copy of",
                folder.display()
            )));
        }
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        let name = format!("copy of {}", name.to_string_lossy());
        return Ok((name, Fixture::of_folder(folder.to_owned())));
    }
    let of_script = script.and_then(|script| script.scenario.fixture());
    let name = arguments.fixture.as_deref().or(of_script);
    let name = name.unwrap_or(FIXTURE);
    let fixture = Fixture::named(name).map_err(|error| {
        let hint = match error.suggestion {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!(
                "there are {}",
                quoted(Fixture::names().map(|(name, _)| name))
            ),
        };
        Failure::usage(error.to_string()).hint(hint)
    })?;
    Ok((name.to_owned(), fixture))
}

/// The server behind a target, where it can be started here.
fn subject(target: &PlannedTarget) -> Result<Subject, Unreadable> {
    match &target.source {
        Source::Process(process) => Ok(of_process(&target.name, process)),
        Source::Http(_) => Err(Unreadable::new(
            "can't tell: remote: what a server behind a URL does, it does elsewhere",
        )
        .hint("verify it where it runs, with the command that starts it behind `--`")),
        Source::Saved(_) | Source::StandardInput => Err(Unreadable::new(
            "a saved listing is no server that could be watched",
        )
        .hint("put the command that starts the server behind `--`")),
        Source::Unreadable(unreadable) => Err(unreadable.clone()),
    }
}

fn of_process(name: &str, process: &Process) -> Subject {
    let variables = process.environment.iter();
    Subject {
        name: name.to_owned(),
        program: process.program.clone().into(),
        arguments: process.arguments.iter().map(Into::into).collect(),
        env: variables
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        directory: process.directory.clone(),
    }
}

fn unreadable(error: SessionError, secrets: &Secrets) -> Unreadable {
    match error {
        SessionError::Start {
            message,
            hint,
            details,
        } => Unreadable {
            message: secrets.scrub(&message),
            hint: hint.map(|hint| secrets.scrub(&hint)),
            details: details.iter().map(|line| secrets.scrub(line)).collect(),
        },
        other => Unreadable::new(secrets.scrub(&reveal_line(&other.to_string()))),
    }
}

/// A verdict without what is secret, and with folders by what they are: a run's own have a name of
/// their own each time.
fn shown(verdict: Verdict, watched: &Watched, secrets: &Secrets) -> Verdict {
    let clean = |text: &str| without_places(&secrets.scrub(text), &watched.places);
    let witness = |witness| shown_witness(witness, watched, secrets);
    match verdict {
        Verdict::Contradicted(seen) => Verdict::Contradicted(witness(seen)),
        Verdict::OwnStateOnly(seen) => Verdict::OwnStateOnly(witness(seen)),
        Verdict::CacheOnly(seen) => Verdict::CacheOnly(witness(seen)),
        Verdict::NotExercised { why } => Verdict::NotExercised { why: clean(&why) },
        Verdict::CannotTell { why } => Verdict::CannotTell { why: clean(&why) },
        other => other,
    }
}

/// The same of a witness.
fn shown_witness(mut witness: Witness, watched: &Watched, secrets: &Secrets) -> Witness {
    let clean = |text: &str| without_places(&secrets.scrub(text), &watched.places);
    witness.arguments = clean(&witness.arguments);
    witness.reply = clean(&witness.reply);
    witness.what = witness.what.iter().map(|line| clean(line)).collect();
    witness
}
