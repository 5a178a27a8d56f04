//! `sayso fix`.

mod arguments;

use std::io;
use std::path::PathBuf;

use sayso_core::listing::Completeness;
use sayso_core::reveal::reveal_line;
use sayso_source::Plan;

pub(super) use arguments::FixArgs;

use super::output;
use super::settings_arguments::ReadSettings;
use super::target_arguments::Verb;
use crate::audit_report::{Presentation, Unreadable};
use crate::error::{Failure, Outcome};
use crate::fix::values::{Ruled, Source};
use crate::fix::{Action, Counts, FixReport, Planned, Server, write};
use crate::report::fix::Format;
use crate::run::Reading;
use crate::source::{Join, SourceTree};
use crate::targets::{self, PlannedTarget};
use crate::{exit, report, run};

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "compare the source with",
    example: "sayso fix --source src -- node dist/server.js",
};

impl FixArgs {
    pub(super) fn run(self) -> Outcome {
        let settings = self.settings.read()?;
        output::check_directories([&self.report.output])?;
        let values = self.values(&settings)?;
        let planned = self.plan()?;
        let tree = SourceTree::read(&self.source)?;
        let options = self
            .reading
            .run_options(settings.settings.audit.jobs, !self.detail.quiet);
        let mut notes = Vec::new();
        let mut server = None;
        let mut ruled = None;
        if let Some(target) = planned {
            let readings = run::read_all(vec![target], &options)?;
            for reading in readings {
                notes.extend(self::notes(&reading));
                ruled = values.as_ref().map(|(_, source)| {
                    let listing = reading.outcome.as_ref().ok().map(|read| &read.listing);
                    source.ruled(&reading.target.name, listing)
                });
                server = Some(beside(reading, &tree));
            }
        } else if let Some((_, source)) = &values {
            ruled = Some(self.without_server(source)?);
        }
        let plan = values
            .zip(ruled)
            .map(|((file, _), ruled)| planned_for(&tree, file, ruled));
        let mut report = FixReport {
            version: env!("CARGO_PKG_VERSION"),
            tree,
            server,
            planned: plan,
            action: self.action(),
            written: Vec::new(),
            after: None,
            notes,
        };
        if report.action == Action::Write {
            self.write_files(&mut report, &options)?;
        }
        self.tell(&report)?;
        Ok(exit::of(report.whole(), report.leaves_something()))
    }

    fn action(&self) -> Action {
        match (self.diff, self.write) {
            (true, _) => Action::Diff,
            (_, true) => Action::Write,
            _ => Action::Report,
        }
    }

    /// The rulings, where they are needed or asked for.
    fn values(&self, settings: &ReadSettings) -> Result<Option<(PathBuf, Source)>, Failure> {
        if self.action() == Action::Report && self.rulings.rulings.is_none() {
            return Ok(None);
        }
        let path = self.rulings.path(settings);
        let source = Source::read(&path)?;
        Ok(Some((path, source)))
    }

    /// The server, if one is named.
    fn plan(&self) -> Result<Option<PlannedTarget>, Failure> {
        if !self.target.asks_for_any() {
            return Ok(None);
        }
        let plan = self.target.plan(&VERB)?;
        let count = plan.targets.len();
        let mut targets = plan.targets.into_iter();
        match (targets.next(), count) {
            (Some(mut target), 1) => {
                if let Some(name) = &self.rulings.name {
                    target.name.clone_from(name);
                }
                Ok(Some(target))
            }
            _ => Err(Failure::usage(format!(
                "`--source` is that of one server, and there are {count} targets"
            ))
            .hint("`--server NAME` chooses one of a configuration")),
        }
    }

    /// Hints by tool hold without a listing; rulings are bound to one.
    fn without_server(&self, source: &Source) -> Result<Ruled, Failure> {
        match source {
            Source::Hints(_) => Ok(source.ruled("", None)),
            Source::Rulings(_) => Err(Failure::usage(
                "rulings are bound to tools as they were listed, and no server is named",
            )
            .hint("name the server too, as in `sayso fix --source src -- node dist/server.js`")),
        }
    }

    fn write_files(
        &self,
        report: &mut FixReport,
        options: &run::RunOptions,
    ) -> Result<(), Failure> {
        let Some(planned) = &report.planned else {
            return Ok(());
        };
        if planned.ruled == 0 {
            let file = &planned.rulings;
            let failure = match planned.stale.as_slice() {
                [] => {
                    format!("nothing is written: `{file}` has no ruling on a tool of this server")
                }
                stale => format!(
                    "nothing is written: the tools changed since they were ruled on in `{file}`, all {} of them",
                    stale.len()
                ),
            };
            return Err(Failure::usage(failure).hint("`sayso classify TARGET` decides; `--as NAME` says what the server is called in the rulings"));
        }
        if !self.allow_dirty {
            write::check_committed(&report.tree, &planned.plan)?;
        }
        report.written = write::write(&report.tree, &planned.plan)?;
        if !report.written.is_empty() {
            report.after = self.count_again(options)?;
        }
        Ok(())
    }

    /// Starts the server once more, if it is one that is started here.
    fn count_again(
        &self,
        options: &run::RunOptions,
    ) -> Result<Option<Result<Counts, Unreadable>>, Failure> {
        let is_started =
            |target: &PlannedTarget| matches!(target.source, targets::Source::Process(_));
        let Some(target) = self.plan()?.filter(is_started) else {
            return Ok(None);
        };
        let mut readings = run::read_all(vec![target], options)?;
        let outcome = readings.pop().map(|reading| reading.outcome);
        Ok(outcome.map(|outcome| outcome.map(|read| Counts::of_listing(&read.listing))))
    }

    fn tell(&self, report: &FixReport) -> Result<(), Failure> {
        let detail = self.detail.into();
        // A patch is for `git apply`: what there is to say about it goes beside it.
        if report.action == Action::Diff && self.report.format == Format::Human {
            let mut err = anstream::stderr().lock();
            let presentation = Presentation {
                color: false,
                width: 100,
                detail,
            };
            report::fix::write(report, Format::Human, &presentation, &mut err)?;
            let patch = |_: &Presentation, out: &mut dyn io::Write| {
                out.write_all(report::fix::patch(report).as_bytes())
            };
            return self.report.write(detail, patch);
        }
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::fix::write(report, self.report.format, presentation, out)
        };
        self.report.write(detail, write)
    }
}

/// What a reading gave besides its listing.
fn notes(reading: &Reading) -> Vec<String> {
    let notes = reading.outcome.iter().flat_map(|read| &read.notes);
    notes
        .map(|note| format!("`{}`: {note}", reveal_line(&reading.target.name)))
        .collect()
}

fn beside(reading: Reading, tree: &SourceTree) -> Server {
    let Reading { target, outcome } = reading;
    Server {
        name: target.name,
        target: target.description,
        listed: outcome.map(|read| crate::fix::Listed {
            complete: read.listing.completeness == Completeness::Complete,
            counts: Counts::of_listing(&read.listing),
            join: Join::of(&read.listing, &tree.survey),
        }),
    }
}

fn planned_for(tree: &SourceTree, file: PathBuf, ruled: Ruled) -> Planned {
    let plan = Plan::of(&tree.files, &tree.survey, &ruled.values);
    let is_placed = |name: &str| tree.survey.registrations_of(name).next().is_some();
    let unplaced = ruled.values.keys().filter(|name| !is_placed(name));
    Planned {
        rulings: file.display().to_string(),
        ruled: ruled.values.len(),
        stale: ruled.stale,
        unplaced: unplaced.cloned().collect(),
        plan,
    }
}
