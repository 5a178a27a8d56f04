//! A listing beside the source it comes from.

use sayso_core::listing::Listing;
use sayso_core::suggest::nearest;
use sayso_source::{Place, Survey};

/// What a server lists, beside what its source registers.
#[derive(Debug, Default)]
pub(crate) struct Join {
    /// How many tools are listed.
    pub(crate) listed: usize,
    /// The listed tools whose registration was not found, each with the nearest name that was.
    pub(crate) not_found: Vec<(String, Option<String>)>,
    /// The registrations whose tool is not listed, by position.
    pub(crate) not_listed: Vec<usize>,
}

impl Join {
    pub(crate) fn of(listing: &Listing, survey: &Survey) -> Self {
        let listed: Vec<String> = listing
            .tools()
            .map(|tool| tool.label().into_owned())
            .collect();
        let known: Vec<&str> = survey
            .registrations
            .iter()
            .filter_map(|found| found.known_name())
            .collect();
        let missing = listed.iter().filter(|name| !known.contains(&name.as_str()));
        let not_found = missing.map(|name| {
            let near = nearest(name, known.iter().copied());
            (name.clone(), near.map(str::to_owned))
        });
        let registrations = survey.registrations.iter().enumerate();
        let not_listed = registrations.filter(|(_, found)| {
            found
                .known_name()
                .is_some_and(|name| !listed.iter().any(|listed| listed == name))
        });
        Self {
            listed: listed.len(),
            not_found: not_found.collect(),
            not_listed: not_listed.map(|(position, _)| position).collect(),
        }
    }
}

/// Where a tool is registered, if there is one such place.
pub(super) fn place_of<'s>(survey: &'s Survey, tool: &'s str) -> Option<&'s Place> {
    let mut places = survey.registrations_of(tool).map(|found| &found.place);
    let first = places.next()?;
    places.next().is_none().then_some(first)
}
