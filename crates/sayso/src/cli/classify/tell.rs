//! Telling what came of the rulings, with what hosts do before and after.

use std::collections::BTreeMap;
use std::io;

use sayso_audit::hosts::{Column, Difference, Matrix, Overlay};
use sayso_audit::summary::Summary;
use sayso_core::listing::Listing;
use sayso_core::ruling::Ruling;
use sayso_core::rulings::Rulings;

use super::Run;
use crate::audit_report::{Detail, Presentation};
use crate::classify::Server;
use crate::classify::annotations::{self, HostsNow};
use crate::cli::{HostsFormat, output};
use crate::error::Failure;
use crate::hosts::ModeChoice;
use crate::hosts_report::{HostsReport, HostsSettings, HostsTarget, Overlaid, Treated};
use crate::report;
use crate::report::classify::{Ending, Ruled, RuledServer};

impl Run<'_> {
    /// Tells what came of the rulings, and writes the proposed annotations where that is asked for.
    pub(super) fn tell(
        &self,
        before: &Rulings,
        rulings: &Rulings,
        rebound: &BTreeMap<&str, usize>,
    ) -> Result<(), Failure> {
        let real = self.real_columns()?;
        let servers = self.targets.iter().map(|target| RuledServer {
            name: &target.reading.target.name,
            outcome: target
                .server
                .as_ref()
                .map(|server| {
                    let rebound = rebound.get(server.name).copied().unwrap_or_default();
                    ruled(server, before, rulings, &real, rebound)
                })
                .map_err(|unreadable| *unreadable),
        });
        let servers: Vec<RuledServer<'_>> = servers.collect();
        let proposed: Vec<&Overlay> = servers
            .iter()
            .filter_map(|server| Some(&server.outcome.as_ref().ok()?.proposed))
            .collect();
        self.write_annotations(&proposed)?;
        let overlaid: Vec<Option<Listing>> = servers
            .iter()
            .zip(&self.targets)
            .map(|(ruled, target)| {
                let proposed = &ruled.outcome.as_ref().ok()?.proposed;
                proposed.over(target.server.as_ref().ok()?.listing).ok()
            })
            .collect();
        let hosts = self.hosts(&overlaid)?;
        let shown = self.file.shown();
        let ending = Ending {
            file: &shown,
            annotations: self
                .arguments
                .annotations
                .as_ref()
                .map(|path| path.display().to_string()),
            notes: &self.notes,
            servers,
        };
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::classify::write_ending(&ending, presentation, out)?;
            if presentation.detail == Detail::Quiet || hosts.targets.is_empty() {
                return Ok(());
            }
            let matrix = Presentation {
                detail: match presentation.detail {
                    Detail::Verbose => Detail::Verbose,
                    _ => Detail::Quiet,
                },
                ..*presentation
            };
            report::hosts::write(&hosts, HostsFormat::Human, &matrix, out)
        };
        self.arguments
            .report
            .write(self.arguments.detail.into(), write)
    }

    /// Writes the proposed annotations, where that is asked for.
    fn write_annotations(&self, proposed: &[&Overlay]) -> Result<(), Failure> {
        let Some(path) = &self.arguments.annotations else {
            return Ok(());
        };
        let [proposed] = proposed else {
            return Err(Failure::usage(format!(
                "`--annotations` is for one server, and {} were read",
                proposed.len()
            )));
        };
        let mut bytes = Vec::new();
        let document = annotations::document(proposed);
        let toml = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        if toml {
            let text = toml::to_string(&document).map_err(|error| {
                Failure::usage("cannot write the annotations as TOML").source(error)
            })?;
            bytes.extend_from_slice(text.as_bytes());
        } else {
            report::classify::write_json(&document, &mut bytes)?;
        }
        output::write_file(path, &bytes)
    }

    /// What hosts do before and after.
    fn hosts<'h>(&'h self, overlaid: &'h [Option<Listing>]) -> Result<HostsReport<'h>, Failure> {
        let columns = self.known.columns(&[], &ModeChoice::Default)?;
        let targets = self.targets.iter().zip(overlaid);
        let targets = targets.filter_map(|(target, overlaid)| {
            let listing = target.server.as_ref().ok()?.listing;
            let (matrix, after) = (Matrix::new(listing, &columns), overlaid.as_ref()?);
            let after = Matrix::new(after, &columns);
            let difference = Difference::between(&matrix, &after);
            Some(HostsTarget {
                name: &target.reading.target.name,
                target: &target.reading.target.description,
                configured_in: target.reading.target.configured_in.as_ref(),
                outcome: Ok(Treated {
                    listing,
                    matrix,
                    overlaid: Some(Overlaid {
                        matrix: after,
                        difference,
                    }),
                    gating: None,
                }),
            })
        });
        Ok(HostsReport {
            version: env!("CARGO_PKG_VERSION"),
            settings: HostsSettings {
                named: false,
                mode: ModeChoice::Default.to_string(),
                tool: None,
                list: false,
                with: Some("the rulings".to_owned()),
                ruling: None,
                freshness: self.arguments.profiles.freshness(self.read),
                settings_file: self.read.file(),
            },
            known: self.known,
            targets: targets.collect(),
            columns: columns.clone(),
            notes: Vec::new(),
        })
    }
}

/// What came of the rulings on one server.
fn ruled(
    server: &Server<'_>,
    before: &Rulings,
    rulings: &Rulings,
    columns: &[Column<'_>],
    rebound: usize,
) -> Ruled {
    let proposed = server.proposed(rulings);
    let overlaid = proposed.over(server.listing).ok();
    let current = server.current(rulings).into_iter();
    let written = current.filter(|(_, ruling)| {
        before.get(server.name, &ruling.tool).is_none_or(|old| {
            // Bound anew is not written anew.
            *ruling != old
                && Ruling {
                    definition: ruling.definition,
                    ..old.clone()
                } != **ruling
        })
    });
    let summary = |listing: &Listing| Summary::new(listing, []);
    Ruled {
        written: written.map(|(_, ruling)| ruling.tool.clone()).collect(),
        rebound,
        open: server.subjects.len() - server.current(rulings).len(),
        before: summary(server.listing),
        after: overlaid
            .as_ref()
            .map_or_else(|| summary(server.listing), summary),
        prompts: HostsNow::new(server.listing, columns).with(&proposed),
        hosts: columns.len(),
        proposed,
    }
}
