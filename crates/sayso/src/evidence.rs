//! Evidence on disk, and what commands make of it.

mod launch;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use sayso_audit::hosts::{Overlay, OverlayTool};
use sayso_audit::observed::{Noted, Observed, Seen, SeenTo};
use sayso_core::effective::Evidence;
use sayso_core::hint::{Hint, Hints};
use sayso_core::listing::Listing;
use sayso_core::lock::Launch;
use sayso_core::reveal::reveal_line;
use sayso_verify::evidence::{EvidenceFile, ServerEvidence, ToolEvidence, definitions};
use sayso_verify::judge::{ToolVerdict, Verdict, Witness};

use crate::error::{Failure, quoted};
use crate::replace::replace_file;
use crate::targets::PlannedTarget;
use crate::{lock, saved};

/// Reads a file of evidence.
///
/// # Errors
/// When it cannot be read, or is none.
pub(crate) fn read(path: &Path) -> Result<EvidenceFile, Failure> {
    let file = path.display().to_string();
    let text = saved::read_text(path).map_err(|error| {
        Failure::usage(format!("cannot read the evidence `{file}`"))
            .source(error)
            .hint("`sayso verify` writes it")
    })?;
    parse(&text, &file)
}

/// Reads a file of evidence; nothing is known where there is none.
///
/// # Errors
/// When there is one that cannot be read.
pub(crate) fn read_if_there(path: &Path) -> Result<EvidenceFile, Failure> {
    let file = path.display().to_string();
    match saved::read_text(path) {
        Ok(text) => parse(&text, &file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(EvidenceFile::default()),
        Err(error) => {
            Err(Failure::usage(format!("cannot read the evidence `{file}`")).source(error))
        }
    }
}

fn parse(text: &str, file: &str) -> Result<EvidenceFile, Failure> {
    EvidenceFile::parse(text, file)
        .map_err(|error| Failure::usage(error.to_string()).hint(error.hint()))
}

/// Writes a file of evidence, all of it or nothing.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(path: &Path, evidence: &EvidenceFile) -> Result<(), Failure> {
    let failure = || Failure::usage(format!("cannot write the evidence `{}`", path.display()));
    let text = evidence
        .to_text()
        .map_err(|error| failure().source(error))?;
    replace_file(path, text.as_bytes()).map_err(|error| failure().source(error))
}

/// The server in a file of evidence that a target is: the one of its name, or the only one there is.
pub(crate) fn server<'e>(evidence: &'e EvidenceFile, target: &str) -> Option<&'e str> {
    let mut names = evidence.servers.keys();
    let only = names.next().filter(|_| names.next().is_none());
    let named = evidence.servers.get_key_value(target);
    named.map(|(name, _)| name).or(only).map(String::as_str)
}

/// The server in a file of evidence that a target is, launched as it was when it was watched; or why
/// nothing in the file counts for it.
fn about<'e>(evidence: &'e EvidenceFile, target: &PlannedTarget) -> Result<&'e str, String> {
    let shown = reveal_line(&target.name);
    let Some(server) = server(evidence, &target.name) else {
        let servers = quoted(evidence.servers.keys().map(String::as_str));
        let known = match evidence.servers.is_empty() {
            true => "is empty".to_owned(),
            false => format!("is about {servers}"),
        };
        return Err(format!(
            "`{shown}`: nothing was observed of it; the evidence {known}"
        ));
    };
    let now = lock::launch::of(target);
    let known = evidence.servers.get(server);
    match known.and_then(|known| of_another_launch(&target.name, known, &now)) {
        Some(why) => Err(why),
        None => Ok(server),
    }
}

/// That a server was launched in another way when it was watched, if it was.
fn of_another_launch(name: &str, known: &ServerEvidence, now: &Launch) -> Option<String> {
    (!launch::is_same(&known.launch, now)).then(|| {
        format!(
            "`{}`: the evidence counts for nothing: it is of {}, and this is {}; `sayso verify` \
             watches this one",
            reveal_line(name),
            launch::watched(&known.launch),
            launch::shown(now)
        )
    })
}

/// What a file of evidence says of a listing, and what a person should know of that.
pub(crate) fn observed(
    evidence: &EvidenceFile,
    target: &PlannedTarget,
    listing: &Listing,
) -> (Observed, Vec<String>) {
    let shown = reveal_line(&target.name);
    let server = match about(evidence, target) {
        Ok(server) => server,
        Err(why) => return (Observed::default(), vec![why]),
    };
    let definitions = definitions(listing);
    let current = evidence.current(server, &definitions);
    let entries = evidence.servers.get(server).map(|server| &server.tools);
    let fresh = entries.into_iter().flatten().map(|(name, entries)| {
        let now = definitions.get(name);
        let fresh: Vec<&ToolEvidence> = entries
            .iter()
            .filter(|entry| Some(&entry.definition) == now)
            .collect();
        (name, fresh)
    });
    let mut observed = Observed {
        stale: current.stale,
        ..Observed::default()
    };
    for (name, entries) in fresh {
        for entry in entries {
            let setting = format!(
                "{}, fixture `{}`, {}",
                entry.mode, entry.fixture, entry.date
            );
            add(&mut observed, name, &entry.verdicts, &setting);
            add_risks(&mut observed, name, &entry.risks, &setting);
            add_notes(&mut observed, name, &words_of(entry));
        }
    }
    let gone = current.gone.iter().map(|tool| {
        format!(
            "`{shown}` has no tool `{}`, which there is evidence about",
            reveal_line(tool)
        )
    });
    (observed, gone.collect())
}

/// What a person should know of evidence about a listing: what it is not about, and what in it counts
/// for nothing.
pub(crate) fn notes(
    evidence: &EvidenceFile,
    target: &PlannedTarget,
    listing: &Listing,
) -> Vec<String> {
    let (observed, mut notes) = observed(evidence, target, listing);
    let shown = reveal_line(&target.name);
    notes.extend(observed.stale.iter().map(|tool| {
        format!(
            "`{shown}`: the evidence about `{}` is of another definition and counts for nothing",
            reveal_line(tool)
        )
    }));
    notes
}

/// The hints of a listing that are promised and were contradicted, as they would be without.
pub(crate) fn contradicted(
    evidence: &EvidenceFile,
    target: &PlannedTarget,
    listing: &Listing,
) -> Overlay {
    let Ok(server) = about(evidence, target) else {
        return Overlay::default();
    };
    let current = evidence.current(server, &definitions(listing));
    let tools = listing.tools().filter_map(|tool| {
        let name = tool.name()?.into_owned();
        let evidence = current.hints.get(&name)?;
        let claims = tool.claims().states();
        let hints = Hints::from_fn(|hint| {
            let promised = claims.get(hint).boolean() == Some(!hint.default_value());
            let broken = *evidence.get(hint) == Evidence::Contradicted;
            (promised && broken).then(|| hint.default_value())
        });
        let any = hints.iter().any(|(_, value)| value.is_some());
        any.then_some(OverlayTool {
            name,
            hints,
            title: None,
        })
    });
    Overlay {
        tools: tools.collect(),
    }
}

/// What verdicts of a run that has just ended say of its tools.
pub(crate) fn of_verdicts(verdicts: &[ToolVerdict], fixture: &str) -> Observed {
    let mut observed = Observed::default();
    for verdict in verdicts {
        let setting = format!("{}, fixture `{fixture}`", verdict.setting.mode);
        add(&mut observed, &verdict.tool, &verdict.verdicts, &setting);
        add_risks(&mut observed, &verdict.tool, &verdict.risks, &setting);
        let words = Hints::from_fn(|hint| {
            Some((
                (*verdict.observed.get(hint))?,
                verdict.observed_in_words(hint)?,
            ))
        });
        add_notes(&mut observed, &verdict.tool, &words);
    }
    observed
}

/// Evidence as the gate weighs it: each with the digest of the definition it holds for. What is of a
/// server that the gate launches in another way is not among it, and the second of the pair says so.
pub(crate) fn by_definition(
    evidence: &EvidenceFile,
    launches: &BTreeMap<String, Launch>,
) -> (sayso_gateway::gate::Observed, Vec<String>) {
    let mut notes = Vec::new();
    let servers = evidence.servers.iter().filter_map(|(name, server)| {
        let Some(now) = launches.get(name) else {
            let servers = quoted(launches.keys().map(String::as_str));
            notes.push(format!(
                "the evidence about `{}` counts for nothing: the servers of the gate are {servers}",
                reveal_line(name)
            ));
            return None;
        };
        if let Some(why) = of_another_launch(name, server, now) {
            notes.push(why);
            return None;
        }
        let tools = server.tools.iter().map(|(name, entries)| {
            let entries = entries.iter().map(|entry| {
                let hints = Hints::from_fn(|hint| entry.evidence(hint));
                (entry.definition, hints)
            });
            (name.clone(), entries.collect())
        });
        Some((name.clone(), tools.collect()))
    });
    (servers.collect(), notes)
}

fn words_of(entry: &ToolEvidence) -> Hints<Option<(bool, String)>> {
    Hints::from_fn(|hint| Some(((*entry.observed.get(hint))?, entry.observed_in_words(hint)?)))
}

/// Adds the witnesses of verdicts; a graver one that is there already stays.
fn add(observed: &mut Observed, tool: &str, verdicts: &Hints<Verdict>, setting: &str) {
    for (hint, verdict) in verdicts.iter() {
        let (to, witness) = match verdict {
            Verdict::Contradicted(witness) => (SeenTo::User, witness),
            Verdict::OwnStateOnly(witness) => (SeenTo::OwnState, witness),
            Verdict::CacheOnly(witness) => (SeenTo::Cache, witness),
            _ => continue,
        };
        add_one(observed, tool, hint, seen_by(witness, to, setting));
    }
}

/// Adds the witnesses of what hints that are not claimed would have to tell of.
fn add_risks(observed: &mut Observed, tool: &str, risks: &Hints<Option<Witness>>, setting: &str) {
    for (hint, risk) in risks.iter() {
        if let Some(witness) = risk {
            add_one(
                observed,
                tool,
                hint,
                seen_by(witness, SeenTo::User, setting),
            );
        }
    }
}

fn add_one(observed: &mut Observed, tool: &str, hint: Hint, new: Seen) {
    let seen = observed.tools.entry(tool.to_owned()).or_default();
    match seen.get(&hint) {
        Some(known) if known.to <= new.to => {}
        _ => {
            seen.insert(hint, new);
        }
    }
}

fn seen_by(witness: &Witness, to: SeenTo, setting: &str) -> Seen {
    Seen {
        to,
        arguments: witness.arguments.clone(),
        what: witness.what.clone(),
        others: witness.others,
        setting: setting.to_owned(),
    }
}

/// Adds what was observed in words; what shows a risk stands above what shows none.
fn add_notes(observed: &mut Observed, tool: &str, words: &Hints<Option<(bool, String)>>) {
    let notes: &mut BTreeMap<Hint, Noted> = observed.noted.entry(tool.to_owned()).or_default();
    for (hint, noted) in words.iter() {
        let Some((value, words)) = noted else {
            continue;
        };
        let shows_risk = notes
            .get(&hint)
            .is_some_and(|known| known.value == hint.default_value());
        if !shows_risk {
            notes.insert(
                hint,
                Noted {
                    value: *value,
                    words: words.clone(),
                },
            );
        }
    }
}
