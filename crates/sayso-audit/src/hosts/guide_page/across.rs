//! One question at a time, across all hosts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sayso_core::hint::Hint;

use super::super::behaviour::{Behaviour, Facet, OnListChange};
use super::super::profile::{HostKind, HostProfile};
use super::{host, hosts};

pub(super) fn sections(page: &mut String) {
    page.push_str("\n## Which hosts look at which hint\n\n");
    readers(page);
    page.push_str("\n## The title a person sees\n\n");
    titles(page);
    page.push_str("\n## When the listing changes\n\n");
    changes(page);
    page.push_str("\n## Calls sent again, and calls beside each other\n\n");
    repeats(page);
}

/// The hosts that are real, if no longer current.
fn real_hosts() -> impl Iterator<Item = (&'static HostProfile, &'static Behaviour)> {
    hosts().filter(|(host, _)| host.kind != HostKind::Model)
}

/// The names of the hosts of which something holds.
fn names(holds: impl Fn(&Behaviour) -> bool) -> String {
    let names: Vec<&str> = real_hosts()
        .filter(|(_, behaviour)| holds(behaviour))
        .map(|(host, _)| host.name.as_str())
        .collect();
    names.join(", ")
}

fn item(page: &mut String, what: &str, names: &str) {
    if !names.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "- {what}: {names}");
    }
}

fn readers(page: &mut String) {
    for hint in Hint::ALL {
        let read =
            |behaviour: &Behaviour| behaviour.reads.iter().any(|key| key.hint() == Some(hint));
        item(page, &format!("`{hint}`"), &names(read));
    }
    let none = names(|behaviour| behaviour.reads.iter().all(|key| key.hint().is_none()));
    item(page, "none of them", &none);
    page.push_str("\nReading does not mean deciding by it: the sections below tell what for.\n");
}

fn titles(page: &mut String) {
    page.push_str(
        "A tool has two places for a title, its own `title` and `annotations.title`, and hosts \
         disagree on which counts. A server that wants one label everywhere sets both, to the \
         same text.\n\n",
    );
    let mut orders: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (host, behaviour) in real_hosts() {
        let order = host::title_order(behaviour);
        orders.entry(order).or_default().push(&host.name);
    }
    for (order, names) in orders {
        item(page, &order, &names.join(", "));
    }
}

fn changes(page: &mut String) {
    page.push_str(
        "What a host does about `notifications/tools/list_changed`. No host is known to ask again \
         because a hint changed: what a person allowed is remembered by the names of the server and \
         the tool.\n\n",
    );
    let on = |what: OnListChange| names(|behaviour| behaviour.list_change.on_notification == what);
    item(page, "lists again", &on(OnListChange::ListsAgain));
    item(page, "ignores it", &on(OnListChange::Ignores));
    item(page, "not known", &on(OnListChange::Unknown));
    let by_itself = real_hosts().filter_map(|(host, behaviour)| {
        let name = &host.name;
        match behaviour.list_change.lists_again_after_seconds? {
            0 => Some(format!("{name} before every turn of the model")),
            seconds => Some(format!("{name} after {seconds} seconds")),
        }
    });
    let by_itself: Vec<String> = by_itself.collect();
    item(
        page,
        "lists again without being told",
        &by_itself.join(", "),
    );
}

fn repeats(page: &mut String) {
    page.push_str(
        "A call that is sent again by the host itself may act twice. Most hosts never do; these \
         do, some of them whatever the hints say:\n\n",
    );
    for (host, behaviour) in real_hosts() {
        if !behaviour.retry.after.is_empty() {
            item(page, &host.name, &host::retry(&behaviour.retry));
        }
    }
    page.push_str("\nCalls run beside each other:\n\n");
    let parallel = |hints: bool| {
        names(|behaviour| {
            let facet = behaviour.parallel.as_ref();
            facet.is_some_and(|facet| goes_by_hints(facet) == hints)
        })
    };
    item(page, "whatever the hints say", &parallel(false));
    item(page, "if the tool only reads", &parallel(true));
}

fn goes_by_hints(facet: &Facet<bool>) -> bool {
    facet.rules.iter().any(|rule| !rule.when.is_empty())
}
