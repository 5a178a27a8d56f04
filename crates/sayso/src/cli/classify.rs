//! `sayso classify`.

mod arguments;
mod interview;
mod take;
mod tell;
mod terminal;

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use sayso_audit::hosts::Column;
use sayso_audit::semantics::Semantics;
use sayso_core::listing::Completeness;
use sayso_core::reveal::reveal_line;
use sayso_core::rulings::Rulings;
use sayso_core::suggest::nearest;
use sayso_verify::evidence::EvidenceFile;

pub(super) use arguments::ClassifyArgs;
use arguments::Format;

use super::ask::somebody_is_there;
use super::output;
use super::settings_arguments::ReadSettings;
use super::target_arguments::{Plan, Verb};
use crate::audit_report::{Presentation, Unreadable};
use crate::classify::check::check;
use crate::classify::file::RulingsFile;
use crate::classify::{Server, Standing, Subject, suggested};
use crate::error::{Failure, Outcome};
use crate::evidence;
use crate::hosts::{KnownHosts, ModeChoice, is_real};
use crate::report::classify::CheckedServer;
use crate::run::Reading;
use crate::{exit, report, run};

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "classify",
    example: "sayso classify --suggest --example",
};

/// What came of reading one target.
struct Target<'a> {
    reading: &'a Reading,
    server: Result<Server<'a>, &'a Unreadable>,
}

/// What a run works with.
struct Run<'a> {
    arguments: &'a ClassifyArgs,
    read: &'a ReadSettings,
    known: &'a KnownHosts,
    file: RulingsFile,
    targets: Vec<Target<'a>>,
    notes: Vec<String>,
}

impl ClassifyArgs {
    pub(super) fn run(self) -> Outcome {
        let read = self.settings.read()?;
        let known = self.profiles.load(&read)?;
        let file = RulingsFile::new(self.rulings.path(&read));
        output::check_directories([
            &self.report.output,
            &self.annotations,
            &Some(self.rulings.path(&read)),
        ])?;
        let rulings = file.read()?;
        if self.check && !file.exists() {
            return Err(
                Failure::usage(format!("there are no rulings `{}` yet", file.shown()))
                    .hint("`sayso classify TARGET` makes them; `--rulings FILE` names others"),
            );
        }
        if self
            .reviewer
            .as_deref()
            .is_some_and(|name| name.trim().is_empty())
        {
            return Err(Failure::usage("`--reviewer` names nobody"));
        }
        if self.asks() && !somebody_is_there() {
            return Err(
                Failure::usage("there is nobody to ask: this is no terminal").hint(
                    "`--suggest` prints what is suggested, to be reviewed in a file; \
                 `--answers FILE` takes the reviewed file",
                ),
            );
        }
        let evidence = self.evidence.as_deref().map(evidence::read).transpose()?;
        let plan = self.plan()?;
        let options = self
            .reading
            .run_options(read.settings.audit.jobs, !self.detail.quiet);
        let readings = run::read_all(plan.targets, &options)?;
        let semantics = &read.settings.audit.semantics;
        let targets: Vec<Target<'_>> = readings
            .iter()
            .map(|reading| self.target(reading, &rulings, semantics, &known, evidence.as_ref()))
            .collect();
        self.check_tools(&targets)?;
        let mut notes = notes(&targets, plan.notes);
        notes.extend(evidence_notes(evidence.as_ref(), &readings));
        let run = Run {
            arguments: &self,
            read: &read,
            known: &known,
            file,
            targets,
            notes,
        };
        if self.suggest {
            return run.suggest();
        }
        if self.check {
            return run.check(&rulings);
        }
        run.rule(&rulings)
    }

    /// Whether a person is asked.
    fn asks(&self) -> bool {
        !self.suggest && !self.check && self.answers.is_none()
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let mut plan = self.target.plan(&VERB)?;
        if let Some(name) = &self.rulings.name {
            let [target] = plan.targets.as_mut_slice() else {
                return Err(Failure::usage(format!(
                    "`--as` names one server, and there are {} targets",
                    plan.targets.len()
                )));
            };
            target.name.clone_from(name);
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for target in &plan.targets {
            *seen.entry(&target.name).or_default() += 1;
        }
        if let Some((name, _)) = seen.iter().find(|(_, times)| **times > 1) {
            let name = reveal_line(name);
            return Err(Failure::usage(format!("two targets are called `{name}`"))
                .hint("classify them one at a time, and give one another name with `--as NAME`"));
        }
        Ok(plan)
    }

    fn target<'a>(
        &self,
        reading: &'a Reading,
        rulings: &Rulings,
        semantics: &Semantics,
        known: &KnownHosts,
        evidence: Option<&EvidenceFile>,
    ) -> Target<'a> {
        let read = reading.outcome.as_ref();
        let server = read.map(|read| {
            let observed = evidence
                .map(|evidence| evidence::observed(evidence, &reading.target, &read.listing).0);
            let mut server = Server::new(
                &reading.target.name,
                &read.listing,
                rulings,
                semantics,
                known,
                observed.as_ref(),
            );
            for subject in &mut server.subjects {
                let named = self.tool.iter().any(|tool| *tool == subject.tool.label());
                if named && !subject.standing.is_open() {
                    subject.standing = Standing::Again;
                }
            }
            server
        });
        Target { reading, server }
    }

    /// Whether a tool is one to be looked at.
    fn means(&self, subject: &Subject<'_>) -> bool {
        let named = self.tool.iter().any(|tool| *tool == subject.tool.label());
        if self.tool.is_empty() {
            subject.standing.is_open()
        } else {
            named
        }
    }

    /// That each tool named is listed, unless a listing could not be read.
    fn check_tools(&self, targets: &[Target<'_>]) -> Result<(), Failure> {
        let mut names: Vec<String> = Vec::new();
        for target in targets {
            let Ok(server) = &target.server else {
                return Ok(());
            };
            names.extend(server.names());
        }
        let Some(tool) = self.tool.iter().find(|tool| !names.contains(tool)) else {
            return Ok(());
        };
        let failure = Failure::usage(format!("no tool is called `{}`", reveal_line(tool)));
        Err(match nearest(tool, names.iter().map(String::as_str)) {
            Some(meant) => failure.hint(format!("did you mean `{}`?", reveal_line(meant))),
            None => failure.hint("`sayso audit --names` lists the tools"),
        })
    }
}

/// What a person should know of the evidence.
fn evidence_notes(evidence: Option<&EvidenceFile>, readings: &[Reading]) -> Vec<String> {
    let Some(evidence) = evidence else {
        return Vec::new();
    };
    let read = readings.iter().filter_map(|reading| {
        let read = reading.outcome.as_ref().ok()?;
        Some(evidence::notes(evidence, &reading.target, &read.listing))
    });
    read.flatten().collect()
}

/// What a person should know besides.
fn notes(targets: &[Target<'_>], mut notes: Vec<String>) -> Vec<String> {
    for target in targets {
        let name = reveal_line(&target.reading.target.name);
        if let Ok(read) = &target.reading.outcome {
            notes.extend(read.notes.iter().map(|note| format!("`{name}`: {note}")));
            if let Completeness::Incomplete(why) = &read.listing.completeness {
                notes.push(format!("`{name}`: the listing is incomplete: {why}"));
            }
        }
        if let Ok(server) = &target.server {
            let unnamed = server.unnamed.iter();
            notes.extend(unnamed.map(|why| format!("`{name}`: no ruling can be made on {why}")));
        }
    }
    notes
}

impl<'a> Run<'a> {
    fn servers(&self) -> impl Iterator<Item = &Server<'a>> {
        self.targets
            .iter()
            .filter_map(|target| target.server.as_ref().ok())
    }

    /// The tools to be looked at, each with its server.
    fn meant(&self) -> impl Iterator<Item = (&str, &Subject<'a>)> {
        self.servers().flat_map(|server| {
            let meant = server.subjects.iter();
            let meant = meant.filter(|subject| self.arguments.means(subject));
            meant.map(|subject| (server.name, subject))
        })
    }

    fn suggest(&self) -> Outcome {
        let write = |_: &Presentation, out: &mut dyn io::Write| match self.arguments.report.format {
            Format::Toml => {
                let reviewer = self.arguments.reviewer.as_deref();
                out.write_all(suggested::toml(self.meant(), reviewer).as_bytes())
            }
            Format::Json => report::classify::write_json(&suggested::json(self.meant()), out),
        };
        self.arguments
            .report
            .write(self.arguments.detail.into(), write)?;
        let mut err = anstream::stderr();
        for note in &self.notes {
            writeln!(err, "note: {note}")?;
        }
        for target in &self.targets {
            if let Err(unreadable) = &target.server {
                let name = reveal_line(&target.reading.target.name);
                writeln!(err, "`{name}` could not be read: {}", unreadable.message)?;
            }
        }
        if self.meant().next().is_none() && self.servers().next().is_some() {
            writeln!(
                err,
                "every tool has a ruling; `--tool NAME` asks for one again"
            )?;
        }
        Ok(self.code(exit::CLEAN))
    }

    fn check(&self, rulings: &Rulings) -> Outcome {
        let servers = self.targets.iter().map(|target| {
            let server = target.server.as_ref();
            CheckedServer {
                name: &target.reading.target.name,
                outcome: server
                    .map(|server| {
                        let mut checked = check(server, rulings);
                        let wanted = &self.arguments.tool;
                        checked
                            .problems
                            .retain(|(tool, _)| wanted.is_empty() || wanted.contains(tool));
                        checked
                    })
                    .map_err(|unreadable| *unreadable),
            }
        });
        let servers: Vec<CheckedServer<'_>> = servers.collect();
        let fails = servers.iter().any(|server| {
            let checked = server.outcome.as_ref();
            checked.is_ok_and(|checked| !checked.problems.is_empty())
        });
        let file = self.file.shown();
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::classify::write_check(&servers, &file, &self.notes, presentation, out)
        };
        self.arguments
            .report
            .write(self.arguments.detail.into(), write)?;
        Ok(self.code(if fails { exit::FINDINGS } else { exit::CLEAN }))
    }

    /// What a run ends with; see [`exit::PRECEDENCE`].
    fn code(&self, otherwise: u8) -> u8 {
        let whole = self.servers().count() == self.targets.len()
            && self
                .servers()
                .all(|server| server.listing.completeness == Completeness::Complete);
        if whole { otherwise } else { exit::UNREADABLE }
    }

    /// Has rulings made, by a person or from a file, and tells what came of them.
    fn rule(&self, before: &Rulings) -> Outcome {
        let rebound = self.rebind(before)?;
        match &self.arguments.answers {
            Some(path) => self.take_answers(path)?,
            None => self.interview()?,
        }
        let rulings = self.file.read()?;
        self.tell(before, &rulings, &rebound)?;
        Ok(self.code(exit::CLEAN))
    }

    /// The real hosts, each as a new user has it.
    fn real_columns(&self) -> Result<Vec<Column<'a>>, Failure> {
        let columns = self.known.columns(&[], &ModeChoice::Default)?;
        let real = columns.into_iter().filter(|column| is_real(column.host));
        Ok(real.collect())
    }
}
