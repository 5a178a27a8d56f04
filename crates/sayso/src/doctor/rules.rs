//! Whether lock, rulings, policies and store can be read, and fit each other.

use std::collections::BTreeMap;

use sayso_core::lock::Lock;
use sayso_core::ruling::State as RulingState;
use sayso_core::rulings::Rulings;
use sayso_gateway::settings::FirstUse;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

use super::Finding;
use crate::classify::file::RulingsFile;
use crate::gate::rules::Place;
use crate::lock::file;
use crate::policy;

pub(super) fn look_at(place: &Place, settings: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lock = lock(place, settings, &mut findings);
    rulings(place, lock.as_ref(), settings, &mut findings);
    evidence(place, &mut findings);
    findings.push(policies(place));
    findings.push(store(place));
    findings
}

fn lock(place: &Place, settings: &str, findings: &mut Vec<Finding>) -> Option<Lock> {
    let path = place.lock();
    let shown = path.display();
    let lock = match file::read(&path) {
        Ok(lock) => lock,
        Err(failure) => {
            let otherwise = "take it back to a version that can be read";
            findings.push(Finding::failure("lock", &failure, otherwise));
            return None;
        }
    };
    let pinned = |name: &str| {
        let lock = lock.as_ref()?;
        Some(lock.servers.get(name)?.tools.len())
    };
    let servers = &place.settings.servers;
    let mut held = servers
        .iter()
        .filter(|(name, server)| pinned(name).is_none() && server.first_use == FirstUse::Refuse);
    if let Some((name, _)) = held.next() {
        let and_others = match held.count() {
            0 => String::new(),
            others => format!(" and of {others} more servers"),
        };
        findings.push(Finding::problem(
            "lock",
            format!("every tool of `{name}`{and_others} is held back: {shown} has no pin of it"),
            format!("look at the tools, then pin them: `sayso lock --config {settings}`"),
        ));
    } else if let Some(lock) = &lock {
        let count = servers
            .keys()
            .filter_map(|name| pinned(name))
            .sum::<usize>();
        findings.push(Finding::fine(
            "lock",
            format!("{shown}: {count} tools are pinned"),
        ));
        let unknown = lock
            .servers
            .keys()
            .filter(|name| !servers.contains_key(*name));
        for name in unknown {
            let what = format!("{shown} pins `{name}`, which is not set");
            findings.push(Finding::note("lock", what));
        }
    } else {
        let what = format!("{shown} is not there: what is listed first is taken or asked about");
        findings.push(Finding::note("lock", what));
    }
    lock
}

fn rulings(place: &Place, lock: Option<&Lock>, settings: &str, findings: &mut Vec<Finding>) {
    let file = RulingsFile::new(place.rulings());
    let shown = file.shown();
    if !file.exists() {
        let what = format!("{shown} is not there: what servers claim can only raise the risk");
        findings.push(Finding::note("rulings", what));
        return;
    }
    let rulings = match file.read() {
        Ok(rulings) => rulings,
        Err(failure) => {
            let otherwise = "mend the file";
            findings.push(Finding::failure("rulings", &failure, otherwise));
            return;
        }
    };
    let stale = stale(&rulings, lock);
    if let Some(first) = stale.first() {
        let count = stale.len();
        findings.push(Finding::problem(
            "rulings",
            format!(
                "{shown}: {count} do not count, for the tool changed since, the first `{first}`"
            ),
            format!("decide again: `sayso classify --config {settings}`"),
        ));
    } else {
        let count = rulings.iter().count();
        findings.push(Finding::fine(
            "rulings",
            format!("{shown}: {count} rulings"),
        ));
    }
    let servers = &place.settings.servers;
    let unknown = rulings
        .iter()
        .find(|ruling| !servers.contains_key(&ruling.server));
    if let Some(ruling) = unknown {
        let what = format!("{shown} rules on `{}`, which is not set", ruling.server);
        findings.push(Finding::note("rulings", what));
    }
}

/// What was observed of servers, and what of it the gate takes up.
fn evidence(place: &Place, findings: &mut Vec<Finding>) {
    let path = place.evidence();
    let shown = path.display().to_string();
    if place.settings.evidence.is_none() && !path.exists() {
        return;
    }
    let file = match place.evidence_file() {
        Ok(file) => file,
        Err(failure) => {
            let otherwise = "take it back to a version that can be read, or verify anew";
            findings.push(Finding::failure("evidence", &failure, otherwise));
            return;
        }
    };
    let (observed, unused) = crate::evidence::by_definition(&file, &place.launches());
    let tools: usize = observed.values().map(BTreeMap::len).sum();
    findings.push(Finding::fine(
        "evidence",
        format!("{shown}: {tools} tools were observed"),
    ));
    let unused = unused.into_iter();
    findings.extend(unused.map(|why| Finding::note("evidence", why)));
}

/// Rulings on other definitions than those that are pinned.
fn stale(rulings: &Rulings, lock: Option<&Lock>) -> Vec<String> {
    let is_stale = |server: &str, tool: &str| {
        let pinned = lock?.servers.get(server)?.tools.get(tool)?;
        let state = rulings.state(server, tool, &pinned.digest);
        matches!(state, RulingState::Stale { .. }).then_some(())
    };
    let stale = rulings.iter().filter_map(|ruling| {
        is_stale(&ruling.server, &ruling.tool)?;
        Some(format!("{}: {}", ruling.server, ruling.tool))
    });
    stale.collect()
}

/// The pinned tools; none where lock or rulings cannot be read, which is told elsewhere.
fn known(place: &Place) -> Vec<policy::Known> {
    let lock = file::read(&place.lock()).ok().flatten();
    let rulings = RulingsFile::new(place.rulings()).read();
    match (lock, rulings) {
        (Some(lock), Ok(rulings)) => policy::known(&lock, &rulings, &place.settings),
        _ => Vec::new(),
    }
}

fn policies(place: &Place) -> Finding {
    let sources = match place.policies() {
        Ok(sources) => sources,
        Err(failure) => {
            return Finding::failure(
                "policy",
                &failure,
                "name a ready set, or a file that is there",
            );
        }
    };
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    match policy::load(&sources, &known(place)) {
        Ok(policies) => Finding::fine(
            "policy",
            format!("{}: {} policies", names.join(", "), policies.len()),
        ),
        Err(errors) => {
            let count = errors.0.len();
            let first = errors.0.first();
            Finding::problem(
                "policy",
                first.map_or_else(String::new, |error| {
                    if count == 1 {
                        error.to_string()
                    } else {
                        format!("{error}, and {} more", count - 1)
                    }
                }),
                first
                    .and_then(|error| error.hint.clone())
                    .unwrap_or_else(|| "`sayso policy check` tells all of it".to_owned()),
            )
        }
    }
}

fn store(place: &Place) -> Finding {
    let path = place.store();
    let shown = path.display().to_string();
    if !path.exists() {
        return Finding::note(
            "store",
            format!("{shown} is not there yet: the gate makes it"),
        );
    }
    let opened = SqliteStore::open(&Options {
        path,
        role: Role::Reader,
        durability: Durability::Process,
    });
    match opened.and_then(|store| store.verify(|_| {})) {
        Ok(Ok(verified)) => Finding::fine(
            "store",
            format!("{shown}: {} entries, and the chain holds", verified.entries),
        ),
        Ok(Err(broken)) => Finding::problem(
            "store",
            format!("{shown}: the journal does not hold: {broken}"),
            "keep the file as it is for whoever looks into it, and let the gate start a new one",
        ),
        Err(error) => Finding::problem(
            "store",
            error.to_string(),
            error
                .hint()
                .unwrap_or("look at the file and who may read it"),
        ),
    }
}
