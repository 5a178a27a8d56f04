//! `sayso hosts`.

pub(crate) mod arguments;

use std::io;
use std::path::Path;

use sayso_audit::hosts::{Column, Difference, Matrix, Overlay};
use sayso_core::effective::Effective;
use sayso_core::hint::Claim;
use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;
use sayso_core::suggest::nearest;
use sayso_verify::evidence::EvidenceFile;

pub(super) use arguments::HostsArgs;

use super::output;
use super::target_arguments::{Plan, Verb};
use crate::audit_report::Presentation;
use crate::error::{Failure, Outcome};
use crate::evidence;
use crate::hosts_report::{Gated, HostsReport, HostsSettings, HostsTarget, Overlaid, Treated};
use crate::run::Reading;
use crate::{exit, report, run};

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "show",
    example: "sayso hosts --example",
};

impl HostsArgs {
    pub(super) fn run(self) -> Outcome {
        let read = self.settings.read()?;
        let known = self.profiles.load(&read)?;
        let freshness = self.profiles.freshness(&read);
        let mode = self.mode.clone().unwrap_or_default();
        let columns = known.columns(&self.host, &mode)?;
        let overlays = Overlays {
            with: self.with.as_deref().map(overlay).transpose()?,
            evidence: self.evidence.as_deref().map(evidence::read).transpose()?,
            ruling: self.ruling.as_deref().map(overlay).transpose()?,
        };
        output::check_directories([&self.report.output])?;
        let plan = self.plan()?;
        let jobs = read.settings.audit.jobs;
        let options = self.reading.run_options(jobs, !self.detail.quiet);
        let readings = run::read_all(plan.targets, &options)?;
        let notes = overlays.notes(&readings, plan.notes);
        let overlaid = overlays.over(&readings)?;
        self.check_tool(&readings)?;
        let targets = readings.iter().zip(&overlaid);
        let report = HostsReport {
            version: env!("CARGO_PKG_VERSION"),
            settings: HostsSettings {
                named: !self.host.is_empty(),
                mode: mode.to_string(),
                tool: self.tool.as_deref(),
                list: self.list,
                with: self
                    .with
                    .as_ref()
                    .or(self.evidence.as_ref())
                    .map(|path| path.display().to_string()),
                ruling: self.ruling.as_ref().map(|path| path.display().to_string()),
                freshness,
                settings_file: read.file(),
            },
            known: &known,
            targets: targets
                .map(|(reading, overlaid)| {
                    treat(
                        reading,
                        overlaid.as_ref(),
                        &columns,
                        overlays.ruling.as_ref(),
                    )
                })
                .collect(),
            columns,
            notes,
        };
        self.write(&report)?;
        Ok(if report.whole() {
            exit::CLEAN
        } else {
            exit::UNREADABLE
        })
    }

    /// The targets; a list of hosts needs none.
    fn plan(&self) -> Result<Plan, Failure> {
        if self.list && !self.target.asks_for_any() {
            return Ok(Plan::default());
        }
        self.target.plan(&VERB)
    }

    /// That a listing has the tool asked about, unless one could not be read.
    fn check_tool(&self, readings: &[Reading]) -> Result<(), Failure> {
        let Some(tool) = self.tool.as_deref() else {
            return Ok(());
        };
        let mut names: Vec<String> = Vec::new();
        for reading in readings {
            let Ok(read) = &reading.outcome else {
                return Ok(());
            };
            let tools = read.listing.tools();
            names.extend(tools.filter_map(|tool| Some(tool.name()?.into_owned())));
        }
        if names.iter().any(|name| name == tool) {
            return Ok(());
        }
        let failure = Failure::usage(format!("no tool is called `{tool}`"));
        Err(match nearest(tool, names.iter().map(String::as_str)) {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure.hint("`sayso audit --names` lists the tools"),
        })
    }

    fn write(&self, report: &HostsReport<'_>) -> Result<(), Failure> {
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::hosts::write(report, self.report.format, presentation, out)
        };
        self.report.write(self.detail.into(), write)
    }
}

/// The hints somebody wrote down besides those of a listing.
struct Overlays {
    with: Option<Overlay>,
    evidence: Option<EvidenceFile>,
    ruling: Option<Overlay>,
}

impl Overlays {
    /// Every listing with the other hints over it; `None` where there are none or no listing.
    fn over(&self, readings: &[Reading]) -> Result<Vec<Option<Listing>>, Failure> {
        let over = |reading: &Reading| {
            let Ok(read) = &reading.outcome else {
                return Ok(None);
            };
            let observed = self
                .evidence
                .as_ref()
                .map(|evidence| evidence::contradicted(evidence, &reading.target, &read.listing));
            let Some(with) = observed.as_ref().or(self.with.as_ref()) else {
                return Ok(None);
            };
            let overlaid = with.over(&read.listing).map_err(|error| {
                Failure::usage("the listing with the other hints cannot be read").source(error)
            })?;
            Ok(Some(overlaid))
        };
        readings.iter().map(over).collect()
    }

    /// What a person should know besides: what readings gave, and which tools of an overlay no
    /// listing has.
    fn notes(&self, readings: &[Reading], mut notes: Vec<String>) -> Vec<String> {
        for reading in readings {
            let Ok(read) = &reading.outcome else { continue };
            let name = reveal_line(&reading.target.name);
            notes.extend(read.notes.iter().map(|note| format!("`{name}`: {note}")));
            let observed = self
                .evidence
                .iter()
                .flat_map(|evidence| evidence::notes(evidence, &reading.target, &read.listing));
            notes.extend(observed);
            for (option, overlay) in [("--with", &self.with), ("--ruling", &self.ruling)] {
                let unmatched = overlay
                    .iter()
                    .flat_map(|overlay| overlay.unmatched(&read.listing));
                notes.extend(unmatched.map(|(tool, near)| {
                    let near =
                        near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                    format!("`{name}` has no tool `{tool}`, which `{option}` has hints for{near}")
                }));
            }
        }
        notes
    }
}

fn treat<'a>(
    reading: &'a Reading,
    overlaid: Option<&'a Listing>,
    columns: &[Column<'a>],
    ruling: Option<&Overlay>,
) -> HostsTarget<'a> {
    let outcome = reading.outcome.as_ref().map(|read| {
        let matrix = Matrix::new(&read.listing, columns);
        let overlaid = overlaid.map(|listing| {
            let after = Matrix::new(listing, columns);
            let difference = Difference::between(&matrix, &after);
            Overlaid {
                matrix: after,
                difference,
            }
        });
        let gating = ruling.map(|ruling| Gated {
            truths: truths(ruling, &matrix),
            before: matrix.held_against(ruling),
            after: overlaid
                .as_ref()
                .map(|overlaid| overlaid.matrix.held_against(ruling)),
        });
        Treated {
            listing: &read.listing,
            matrix,
            overlaid,
            gating,
        }
    });
    HostsTarget {
        name: &reading.target.name,
        target: &reading.target.description,
        configured_in: reading.target.configured_in.as_ref(),
        outcome,
    }
}

/// What is true of each tool; a hint that a ruling leaves out has the specification's default.
fn truths(ruling: &Overlay, matrix: &Matrix<'_>) -> Vec<Option<Effective>> {
    let truth = |name: &str| {
        let hints = &ruling.get(name)?.hints;
        let claims = hints.map(|_, value| value.map_or(Claim::Absent, Claim::from_boolean));
        Some(Effective::from_claims(&claims))
    };
    let names = matrix.tools.iter().map(|tool| tool.name());
    names.map(|name| truth(name.as_deref()?)).collect()
}

fn overlay(path: &Path) -> Result<Overlay, Failure> {
    let file = path.display().to_string();
    let text = crate::saved::read_text(path)
        .map_err(|error| Failure::usage(format!("cannot read `{file}`")).source(error))?;
    Overlay::parse(&text, &file).map_err(|error| {
        let hint = error.hint.clone();
        Failure::usage(error.to_string()).hint_if_known(hint)
    })
}
