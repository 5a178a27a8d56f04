//! `sayso.evidence.json`: what is kept of watching servers at work, for decisions to rest on.
//!
//! Evidence is of one definition of a tool of a server that was launched in one way, seen in one kind
//! of jail with one fixture; all of that stands beside it. Once the definition differs it counts for nothing
//! ([`EvidenceFile::current`] names it). It is written in one way only, so that equal runs give equal
//! bytes; the date is given from outside. Whoever reads it gets [`sayso_core::effective::Evidence`]: a
//! contradicted hint raises risk, a consistent one lowers nothing.

mod form;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use sayso_core::digest::{Digest, ToolDigest};
use sayso_core::effective::Evidence;
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::listing::Listing;
use sayso_core::lock::{Launch, LaunchSource};
use serde::{Deserialize, Serialize};

pub use read::EvidenceError;

use crate::judge::{Counts, ToolVerdict, Verdict, Witness};
use crate::plan::Mode;

/// The name of the file.
pub const FILE_NAME: &str = "sayso.evidence.json";

/// The file format this version reads and writes.
pub const FORMAT: u32 = 1;

/// All evidence of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvidenceFile {
    /// By the name each server is called here, as in a lock.
    pub servers: BTreeMap<String, ServerEvidence>,
}

/// What was seen of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEvidence {
    /// How it was launched.
    pub launch: Launched,
    /// By the tool's name; for each jail mode and fixture one entry, sorted by both.
    pub tools: BTreeMap<String, Vec<ToolEvidence>>,
}

/// How a server was launched: what is started, where, and with which variables by name. Where that is
/// written down does not bear on it, and nothing secret is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launched {
    /// Its command line as a shell would want it, secrets replaced; none where it has none to show.
    /// `{workspace}` in it stands for the fixture's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The directory it was started in, if one was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Names of the environment variables that were set for it, sorted; never their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

impl From<&Launch> for Launched {
    fn from(launch: &Launch) -> Self {
        Self {
            command: match &launch.source {
                LaunchSource::Command(line) => Some(line.clone()),
                LaunchSource::Url(_) | LaunchSource::File(_) | LaunchSource::Elsewhere => None,
            },
            directory: launch.directory.clone(),
            environment: launch.environment.clone(),
        }
    }
}

/// What was seen of one tool in one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEvidence {
    /// The digest of the tool's whole definition.
    pub definition: Digest,
    /// When, as `YYYY-MM-DD`.
    pub date: String,
    /// In what kind of jail.
    pub mode: Mode,
    /// The fixture's name.
    pub fixture: String,
    /// The fixture's digest.
    pub fixture_digest: Digest,
    /// The settle time, in milliseconds.
    pub settle_milliseconds: u64,
    /// How many calls.
    pub counts: Counts,
    /// What was claimed.
    pub claims: Hints<Claim>,
    /// What was made of each claim, witnesses shortened.
    pub verdicts: Hints<Verdict>,
    /// What each hint would be by what was observed; `None` where nothing was.
    pub observed: Hints<Option<bool>>,
    /// The witness of the risk of each hint that is not claimed, shortened.
    pub risks: Hints<Option<Witness>>,
    /// What is worth knowing besides.
    pub notes: Vec<String>,
}

/// What a run was, besides what came of each tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The name the server is called here.
    pub server: String,
    /// How it was launched.
    pub launch: Launched,
    /// The fixture's name.
    pub fixture: String,
    /// The date, as `YYYY-MM-DD`.
    pub date: String,
}

/// What counts of the evidence about one server, for the tools it lists now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Current {
    /// By tool, where there is any that counts.
    pub hints: BTreeMap<String, Hints<Evidence>>,
    /// The witness of each contradiction in that, by tool.
    pub witnesses: BTreeMap<String, Hints<Option<Witness>>>,
    /// Tools whose definition is another now: their evidence counts for nothing.
    pub stale: Vec<String>,
    /// Tools that are not listed any more.
    pub gone: Vec<String>,
}

/// The digest of each tool of a listing that has a name, by that; of two with one name neither.
#[must_use]
pub fn definitions(listing: &Listing) -> BTreeMap<String, Digest> {
    let mut digests = BTreeMap::new();
    let mut twice = BTreeSet::new();
    for tool in listing.tools() {
        let Some(name) = tool.name() else { continue };
        let digest = ToolDigest::of(tool).whole;
        if digests.insert(name.clone().into_owned(), digest).is_some() {
            twice.insert(name.into_owned());
        }
    }
    digests.retain(|name, _| !twice.contains(name));
    digests
}

impl EvidenceFile {
    /// Takes a run over: each tool it saw replaces what was kept of that tool in the same jail mode and
    /// with a fixture of the same name, and whatever was kept of another definition. All else stays,
    /// unless the server was launched in another way then: that goes. A verdict on a tool that is not
    /// in `definitions` is left out.
    pub fn record(
        &mut self,
        run: &Run,
        definitions: &BTreeMap<String, Digest>,
        verdicts: &[ToolVerdict],
    ) {
        let server = self
            .servers
            .entry(run.server.clone())
            .or_insert_with(|| ServerEvidence {
                launch: run.launch.clone(),
                tools: BTreeMap::new(),
            });
        if server.launch != run.launch {
            server.launch = run.launch.clone();
            server.tools.clear();
        }
        for verdict in verdicts {
            let Some(definition) = definitions.get(&verdict.tool) else {
                continue;
            };
            let new = ToolEvidence::of(run, *definition, verdict);
            let entries = server.tools.entry(verdict.tool.clone()).or_default();
            entries.retain(|old| {
                old.definition == new.definition
                    && (old.mode, &old.fixture) != (new.mode, &new.fixture)
            });
            entries.push(new);
            entries.sort_by(|one, other| one.key().cmp(&other.key()));
        }
    }

    /// What counts of the evidence about a server whose tools have these definitions now.
    #[must_use]
    pub fn current(&self, server: &str, definitions: &BTreeMap<String, Digest>) -> Current {
        let mut current = Current::default();
        let Some(server) = self.servers.get(server) else {
            return current;
        };
        for (name, entries) in &server.tools {
            let Some(now) = definitions.get(name) else {
                current.gone.push(name.clone());
                continue;
            };
            let fresh = || entries.iter().filter(|entry| entry.definition == *now);
            if fresh().next().is_none() {
                current.stale.push(name.clone());
                continue;
            }
            let hints = Hints::from_fn(|hint| {
                let each = fresh().map(|entry| entry.evidence(hint));
                each.fold(Evidence::Untested, together)
            });
            current.hints.insert(name.clone(), hints);
            let witnesses = Hints::from_fn(|hint| {
                let each = fresh().map(|entry| entry.verdicts.get(hint));
                let mut contradicted = each.filter_map(|verdict| match verdict {
                    Verdict::Contradicted(witness) => Some(witness.clone()),
                    _ => None,
                });
                contradicted.next()
            });
            current.witnesses.insert(name.clone(), witnesses);
        }
        current
    }

    /// The one text of this file.
    ///
    /// # Errors
    /// None that this could meet: writing to a text does not fail.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(&form::File::of(self))?;
        text.push('\n');
        Ok(text)
    }

    /// Reads a file; `file` names it in errors.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place and what to do.
    pub fn parse(text: &str, file: &str) -> Result<Self, EvidenceError> {
        read::read(text, file)
    }
}

impl ToolEvidence {
    fn of(run: &Run, definition: Digest, verdict: &ToolVerdict) -> Self {
        let settle = verdict.setting.settle.as_millis();
        Self {
            definition,
            date: run.date.clone(),
            mode: verdict.setting.mode,
            fixture: run.fixture.clone(),
            fixture_digest: verdict.setting.fixture,
            settle_milliseconds: u64::try_from(settle).unwrap_or(u64::MAX),
            counts: verdict.counts,
            claims: verdict.claims,
            verdicts: verdict.verdicts.map(|_, verdict| shortened(verdict)),
            observed: verdict.observed,
            risks: verdict.risks.map(|_, risk| risk.as_ref().map(short)),
            notes: verdict.notes.iter().take(LINES).cloned().collect(),
        }
    }

    fn key(&self) -> (&str, &str) {
        (self.mode.as_str(), &self.fixture)
    }

    /// What was observed of a hint, in words; see [`ToolVerdict::observed_in_words`].
    #[must_use]
    pub fn observed_in_words(&self, hint: Hint) -> Option<String> {
        let observed = *self.observed.get(hint);
        observed.map(|value| crate::judge::in_words(hint, value, self.counts))
    }

    /// What a decision makes of it. What was seen done counts against a hint whether the tool promised
    /// otherwise or not: a ruling may have.
    #[must_use]
    pub fn evidence(&self, hint: Hint) -> Evidence {
        let verdict = self.verdicts.get(hint);
        let observed = *self.observed.get(hint);
        match (verdict, observed) {
            (Verdict::Contradicted(_), _) => Evidence::Contradicted,
            (_, Some(value)) if value == hint.default_value() => Evidence::Contradicted,
            (Verdict::Consistent { observations }, _) => Evidence::Consistent(*observations),
            (Verdict::NothingPromised, Some(_)) => Evidence::Consistent(match hint {
                Hint::Idempotent => self.counts.repeated,
                _ => self.counts.answered,
            }),
            _ => Evidence::Untested,
        }
    }
}

/// Two pieces of evidence about one hint: a contradiction stands, whatever else was seen.
fn together(one: Evidence, other: Evidence) -> Evidence {
    match (one, other) {
        (Evidence::Contradicted, _) | (_, Evidence::Contradicted) => Evidence::Contradicted,
        (Evidence::Consistent(one), Evidence::Consistent(other)) => {
            Evidence::Consistent(one.saturating_add(other))
        }
        (Evidence::Untested, other) => other,
        (one, Evidence::Untested) => one,
    }
}

/// How many lines of a witness are kept.
const LINES: usize = 8;

fn shortened(verdict: &Verdict) -> Verdict {
    match verdict {
        Verdict::Contradicted(witness) => Verdict::Contradicted(short(witness)),
        Verdict::OwnStateOnly(witness) => Verdict::OwnStateOnly(short(witness)),
        Verdict::CacheOnly(witness) => Verdict::CacheOnly(short(witness)),
        other => other.clone(),
    }
}

fn short(witness: &Witness) -> Witness {
    let mut short = witness.clone();
    let more = short.what.len().saturating_sub(LINES);
    short.what.truncate(LINES);
    if more > 0 {
        short.what.push(format!("and {more} more"));
    }
    short.arguments = crate::judge::shown(&short.arguments);
    short
}
