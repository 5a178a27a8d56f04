//! The values to write: from rulings that hold, or from a file of hints by tool.

use std::collections::BTreeMap;
use std::path::Path;

use sayso_audit::hosts::Overlay;
use sayso_core::digest::ToolDigest;
use sayso_core::listing::Listing;
use sayso_core::rulings::Rulings;
use sayso_source::Values;

use crate::classify::file::wrong;
use crate::classify::{Standing, ruled, standing};
use crate::error::Failure;
use crate::saved;

/// Values by tool.
#[derive(Debug)]
pub(crate) enum Source {
    /// Rulings, each bound to a tool as it was listed.
    Rulings(Rulings),
    /// Hints by tool, as somebody wrote them down.
    Hints(Overlay),
}

/// The values that hold, and what does not.
#[derive(Debug, Default)]
pub(crate) struct Ruled {
    /// By tool.
    pub(crate) values: Values,
    /// The tools whose rulings do not hold any more, with what changed.
    pub(crate) stale: Vec<(String, String)>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is neither of the two.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let text = saved::read_text(path).map_err(|error| {
            let failure = Failure::usage(format!("cannot read the rulings `{shown}`"));
            failure
                .source(error)
                .hint("`sayso classify TARGET` makes rulings; `--rulings FILE` names others")
        })?;
        let is_toml = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        // In a file of hints each tool is a table; in one of rulings they are in an array.
        let has_rulings = is_toml
            && toml::from_str::<toml::Table>(&text)
                .is_ok_and(|table| table.get("tool").is_none_or(toml::Value::is_array));
        if has_rulings && text.contains("[[tool]]") {
            return Rulings::parse(&text, &shown)
                .map(Self::Rulings)
                .map_err(|error| wrong(&error));
        }
        Overlay::parse(&text, &shown)
            .map(Self::Hints)
            .map_err(|error| {
                let hint = error.hint.clone();
                Failure::usage(error.to_string()).hint_if_known(hint)
            })
    }

    /// The values for a server's tools. Rulings are bound to definitions, so without a listing
    /// none is known to hold.
    pub(crate) fn ruled(&self, server: &str, listing: Option<&Listing>) -> Ruled {
        match self {
            Self::Hints(overlay) => Ruled {
                values: overlay
                    .tools
                    .iter()
                    .filter(|tool| tool.hints.iter().any(|(_, value)| value.is_some()))
                    .map(|tool| (tool.name.clone(), tool.hints))
                    .collect(),
                stale: Vec::new(),
            },
            Self::Rulings(rulings) => {
                listing.map_or_else(Ruled::default, |listing| current(rulings, server, listing))
            }
        }
    }
}

fn current(rulings: &Rulings, server: &str, listing: &Listing) -> Ruled {
    let mut ruled = Ruled::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for tool in listing.tools() {
        *seen.entry(tool.label().into_owned()).or_default() += 1;
    }
    for tool in listing.tools() {
        let name = tool.label().into_owned();
        // Nobody can tell which of several tools with one name a ruling is about.
        if seen.get(&name) != Some(&1) {
            continue;
        }
        let (standing, ruling) = Standing::of(rulings, server, tool, &ToolDigest::of(tool));
        match (standing, ruling) {
            (Standing::Stale(moved), _) => {
                ruled.stale.push((name, standing::moved_words(&moved)));
            }
            (Standing::Current | Standing::Fulfilled, Some(ruling)) => {
                let hints = ruled::claims(ruling).map_or_else(
                    || ruling.values(),
                    |claims| claims.map(|_, value| Some(*value)),
                );
                ruled.values.insert(name, hints);
            }
            _ => {}
        }
    }
    ruled
}
