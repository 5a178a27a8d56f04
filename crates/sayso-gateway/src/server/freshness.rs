//! How long what a modern server listed holds (`ttlMs`; MCP 2026-07-28, "Caching").

use std::time::Duration;

use sayso_core::json::{Kind, Value};
use sayso_core::listing::{Era, Listing};

use super::State;

/// How old a listing gets at least before it is read again by itself.
const AT_LEAST: Duration = Duration::from_secs(30);

/// How old it gets at most, of a server that gives it a time at all.
const AT_MOST: Duration = Duration::from_secs(24 * 60 * 60);

/// How long after they were read the lists of a server are read again by themselves: when the first
/// of them is not fresh any more, up to a fifth later by chance, and no sooner than `at_least`.
/// `None` of a server that does not say how long they hold.
pub(super) fn stale_in(state: &State, at_least: Option<Duration>) -> Option<Duration> {
    if state.era != Some(Era::Modern) {
        return None;
    }
    let tools = state.listing.iter().flat_map(|listing| results(listing));
    let others = [&state.prompts, &state.resources, &state.templates];
    let others = others
        .into_iter()
        .flatten()
        .flat_map(|items| items.pages())
        .map(|page| page.root());
    let shortest = tools.chain(others).filter_map(holds).min()?;
    let chance = f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX);
    let due = shortest.clamp(at_least.unwrap_or(AT_LEAST), AT_MOST);
    Some(due.mul_f64(1.0 + 0.2 * chance))
}

/// The results of a listing, page by page.
pub(super) fn results(listing: &Listing) -> impl Iterator<Item = Value<'_>> {
    listing.pages().iter().map(|page| {
        let root = page.document.root();
        root.get("result").unwrap_or(root)
    })
}

fn holds(result: Value<'_>) -> Option<Duration> {
    let ttl = result
        .get("ttlMs")
        .filter(|ttl| ttl.kind() == Kind::Number)?;
    let millis: f64 = ttl.raw().parse().ok()?;
    // What is no time is none: the listing is stale at once.
    Some(Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use sayso_core::json::{Document, Limits};
    use sayso_core::listing::Era;

    use super::stale_in;
    use crate::server::{Items, State};

    fn of(era: Era, pages: &[&str]) -> Option<Duration> {
        let pages = pages.iter();
        let pages = pages
            .map(|page| Document::parse((*page).to_owned(), &Limits::default()).unwrap())
            .collect();
        let state = State {
            era: Some(era),
            prompts: Some(Arc::new(Items::complete("prompts", pages))),
            ..State::default()
        };
        stale_in(&state, None)
    }

    #[test]
    fn the_shortest_time_counts_within_bounds() {
        let between = |time: Option<Duration>, from: u64, to: u64| {
            let time = time.unwrap();
            let (from, to) = (Duration::from_secs(from), Duration::from_secs(to));
            assert!(from <= time && time <= to, "{time:?}");
        };
        let modern = |pages: &[&str]| of(Era::Modern, pages);
        between(
            modern(&[r#"{"ttlMs":600000}"#, r#"{"ttlMs":60000}"#]),
            60,
            72,
        );
        for soon in [r#"{"ttlMs":0}"#, r#"{"ttlMs":1}"#, r#"{"ttlMs":-5}"#] {
            between(modern(&[soon]), 30, 36);
        }
        between(modern(&[r#"{"ttlMs":1e99}"#]), 30, 36);
        between(modern(&[r#"{"ttlMs":9e11}"#]), 86_400, 103_680);
        assert_eq!(modern(&["{}", r#"{"ttlMs":"600"}"#]), None);
        assert_eq!(of(Era::Legacy, &[r#"{"ttlMs":60000}"#]), None);
    }
}
