//! What one run of `sayso hosts` has to tell, as plain data: everything a report format needs,
//! and nothing about how it looks. [`crate::report::hosts`] writes it.

use std::collections::BTreeSet;

use sayso_audit::hosts::{Behaviour, Column, Difference, HostGating, Matrix};
use sayso_core::effective::Effective;
use sayso_core::listing::{Completeness, Listing};

use crate::audit_report::{ConfiguredIn, TargetDescription, Unreadable};
use crate::hosts::{Freshness, KnownHosts, is_real};

/// Any number of hosts over any number of listings.
#[derive(Debug)]
pub(crate) struct HostsReport<'a> {
    /// Sayso's own version.
    pub(crate) version: &'static str,
    /// What the run was asked to do.
    pub(crate) settings: HostsSettings<'a>,
    /// Every host something is known of.
    pub(crate) known: &'a KnownHosts,
    /// The hosts and modes asked for, in the order of the matrices' columns.
    pub(crate) columns: Vec<Column<'a>>,
    /// Every target in the order it was named or found, readable or not.
    pub(crate) targets: Vec<HostsTarget<'a>>,
    /// What was left out and why. A line each.
    pub(crate) notes: Vec<String>,
}

/// The choices that bear on the result.
#[derive(Debug)]
pub(crate) struct HostsSettings<'a> {
    /// Whether hosts were named: then each is a column of its own.
    pub(crate) named: bool,
    /// Which modes, as `--mode` spells it.
    pub(crate) mode: String,
    /// The one tool that is asked about.
    pub(crate) tool: Option<&'a str>,
    /// Whether only the hosts are listed.
    pub(crate) list: bool,
    /// The file with hints to put over the listing.
    pub(crate) with: Option<String>,
    /// The file with what is true.
    pub(crate) ruling: Option<String>,
    /// How old a profile may be.
    pub(crate) freshness: Freshness,
    /// The settings file in use, as it was named or found.
    pub(crate) settings_file: Option<String>,
}

/// One target and what came of it.
#[derive(Debug)]
pub(crate) struct HostsTarget<'a> {
    /// What it is called in the report.
    pub(crate) name: &'a str,
    /// What kind of target it is and how it was reached.
    pub(crate) target: &'a TargetDescription,
    /// The host configuration that names it, if it comes from one.
    pub(crate) configured_in: Option<&'a ConfiguredIn>,
    /// What came of it.
    pub(crate) outcome: Result<Treated<'a>, &'a Unreadable>,
}

/// A listing, and what every host does with it.
#[derive(Debug)]
pub(crate) struct Treated<'a> {
    /// The listing as it was read.
    pub(crate) listing: &'a Listing,
    /// What happens to it.
    pub(crate) matrix: Matrix<'a>,
    /// The same with other hints, where there are some to put over it.
    pub(crate) overlaid: Option<Overlaid<'a>>,
    /// The same held against what is true, where that is told.
    pub(crate) gating: Option<Gated<'a>>,
}

/// A listing with other hints put over it.
#[derive(Debug)]
pub(crate) struct Overlaid<'a> {
    /// What happens then.
    pub(crate) matrix: Matrix<'a>,
    /// What changes.
    pub(crate) difference: Difference<'a>,
}

/// What hosts do, held against what is true; one item a column.
#[derive(Debug)]
pub(crate) struct Gated<'a> {
    /// What is true of each tool in the listing's order; `None` for a tool without a ruling.
    pub(crate) truths: Vec<Option<Effective>>,
    /// As the listing is.
    pub(crate) before: Vec<HostGating<'a>>,
    /// With the other hints, where there are some.
    pub(crate) after: Option<Vec<HostGating<'a>>>,
}

impl<'a> HostsReport<'a> {
    /// Whether every target was read, each to its end.
    pub(crate) fn whole(&self) -> bool {
        self.targets.iter().all(|target| {
            let listing = target.outcome.as_ref().map(|treated| treated.listing);
            listing.is_ok_and(|listing| listing.completeness == Completeness::Complete)
        })
    }

    /// Whether what is known of a host is older than it may be.
    pub(crate) fn is_stale(&self, behaviour: &Behaviour) -> bool {
        self.settings.freshness.is_stale(behaviour)
    }

    /// The first column of each real host, in the order of the columns.
    pub(crate) fn host_columns(&self) -> Vec<&Column<'a>> {
        let mut seen = BTreeSet::new();
        let columns = self.columns.iter();
        columns
            .filter(|column| is_real(column.host) && seen.insert(column.host.id.as_str()))
            .collect()
    }
}
