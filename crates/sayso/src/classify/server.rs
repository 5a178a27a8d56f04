//! A server's tools with everything that is known of each.

use std::collections::BTreeMap;

use sayso_audit::context::Context;
use sayso_audit::hosts::Overlay;
use sayso_audit::observed::Observed;
use sayso_audit::semantics::Semantics;
use sayso_audit::suggestion::{ToolSuggestions, suggest};
use sayso_core::digest::ToolDigest;
use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;
use sayso_core::ruling::Ruling;
use sayso_core::rulings::Rulings;
use sayso_core::tool::Tool;

use super::{Standing, annotations, ruled};
use crate::hosts::{HostCounts, KnownHosts};

/// One tool, and what is known of it.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// The tool.
    pub(crate) tool: Tool<'a>,
    /// Its digests.
    pub(crate) digest: ToolDigest,
    /// What is suggested for it.
    pub(crate) suggestions: ToolSuggestions,
    /// What real hosts do with it.
    pub(crate) hosts: HostCounts,
    /// What was decided of it before.
    pub(crate) standing: Standing,
}

/// A server's tools.
#[derive(Debug)]
pub(crate) struct Server<'a> {
    /// What it is called in the rulings.
    pub(crate) name: &'a str,
    /// Its listing.
    pub(crate) listing: &'a Listing,
    /// Every tool that a ruling can be about, in the listing's order.
    pub(crate) subjects: Vec<Subject<'a>>,
    /// The tools that none can be about, in words: they have no name, or share one.
    pub(crate) unnamed: Vec<String>,
}

impl<'a> Server<'a> {
    /// Reads a listing.
    pub(crate) fn new(
        name: &'a str,
        listing: &'a Listing,
        rulings: &Rulings,
        semantics: &Semantics,
        hosts: &KnownHosts,
        observed: Option<&Observed>,
    ) -> Self {
        let mut context = Context::new(listing, semantics, None, None);
        context.observed = observed;
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for tool in listing.tools() {
            if let Some(name) = tool.name() {
                *times.entry(name.into_owned()).or_default() += 1;
            }
        }
        let mut server = Self {
            name,
            listing,
            subjects: Vec::new(),
            unnamed: Vec::new(),
        };
        let known = suggest(&context).into_iter().zip(hosts.counts(listing));
        for (tool, (suggestions, hosts)) in listing.tools().zip(known) {
            let own = tool.name().filter(|name| !name.is_empty());
            match own.and_then(|name| times.get(&*name)) {
                Some(1) => {
                    let digest = ToolDigest::of(tool);
                    let (standing, _) = Standing::of(rulings, name, tool, &digest);
                    server.subjects.push(Subject {
                        tool,
                        digest,
                        suggestions,
                        hosts,
                        standing,
                    });
                }
                Some(_) => server.unnamed.push(format!(
                    "`{}`: several tools have this name",
                    reveal_line(&tool.label())
                )),
                None => server
                    .unnamed
                    .push(format!("{}: it has no name", reveal_line(&tool.label()))),
            }
        }
        server.unnamed.dedup();
        server
    }

    /// The names of its tools.
    pub(crate) fn names(&self) -> Vec<String> {
        let tools = self.subjects.iter();
        tools
            .map(|subject| subject.tool.label().into_owned())
            .collect()
    }

    /// The tool with this name.
    pub(crate) fn get(&self, tool: &str) -> Option<&Subject<'a>> {
        self.subjects
            .iter()
            .find(|subject| subject.tool.label() == tool)
    }

    /// The rulings on its tools that hold, in the listing's order.
    pub(crate) fn current<'r>(&self, rulings: &'r Rulings) -> Vec<(&Subject<'a>, &'r Ruling)> {
        let subjects = self.subjects.iter();
        subjects
            .filter_map(|subject| {
                let (standing, ruling) =
                    Standing::of(rulings, self.name, subject.tool, &subject.digest);
                Some((subject, ruling.filter(|_| !standing.is_open())?))
            })
            .collect()
    }

    /// The annotations that the rulings which hold propose.
    pub(crate) fn proposed(&self, rulings: &Rulings) -> Overlay {
        let current = self.current(rulings).into_iter();
        let tools = current.filter_map(|(subject, ruling)| {
            let claims = ruled::claims(ruling)?;
            Some(annotations::proposed(&subject.tool.label(), &claims))
        });
        Overlay {
            tools: tools.collect(),
        }
    }
}
