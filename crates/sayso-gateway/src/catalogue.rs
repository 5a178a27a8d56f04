//! The tools behind the gate as they stand now: one immutable picture, made anew whenever a
//! listing or the rules change, that calls and listings are judged by.

mod shown;

pub(crate) use shown::json_string;
pub use shown::{CLAIMED_KEY, CONFINEMENT_KEY, PROVENANCE_KEY, RESOLUTION};

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use sayso_core::digest::ToolDigest;
use sayso_core::effective::{Basis, Decided, Effective, Evidence, decide};
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::{Document, Limits, Value};
use sayso_core::ruling::{Ruling, Undo};
use sayso_core::tool::Tool as Listed;

use crate::confine::{Confinement, View};
use crate::pins::{Admission, Standing};
use crate::policy::{PinState, Policies, PolicyErrors, PolicySource, ToolFacts, ToolKey};
use crate::server::Server;
use crate::settings::{Confine, GateSettings, Prefix, ServerSettings, ToolSettings};
use crate::stages::inspect::Inspector;
use crate::stages::validate::{SchemaProblem, Validator};
use crate::{names, settings};

/// A tool behind the gate.
#[derive(Debug)]
pub struct Tool {
    /// Its place among all tools, from 0.
    position: usize,
    /// Which.
    pub key: ToolKey,
    /// The name hosts know it by.
    pub served_as: String,
    /// Its server.
    pub server: Arc<Server>,
    /// The definition that counts: as listed or, where the tool is blocked, as accepted.
    pub definition: Document,
    /// The digests of that definition.
    pub digest: ToolDigest,
    /// What it may be used for.
    pub admission: Admission,
    /// What changed since it was accepted, heaviest first.
    pub moved: Vec<String>,
    /// What is claimed.
    pub claims: Hints<Claim>,
    /// The ruling that holds.
    pub ruling: Option<Ruling>,
    /// What was observed.
    pub evidence: Hints<Evidence>,
    /// The values of the tool as a whole.
    pub effective: Decided,
    /// How its calls stand to confinement.
    pub confinement: Confinement,
    /// What is set about its server.
    pub server_settings: Arc<ServerSettings>,
    /// What is set about the tool.
    pub settings: ToolSettings,
    journal: Arc<settings::JournalSettings>,
    validator: OnceLock<Result<Validator, SchemaProblem>>,
    inspector: OnceLock<Result<Inspector, SchemaProblem>>,
}

impl Tool {
    /// The definition as a tool.
    #[must_use]
    pub fn listed(&self) -> Listed<'_> {
        Listed::new(self.definition.root(), 0, 0)
    }

    /// Whether results are held against a schema by clients.
    #[must_use]
    pub fn has_output_schema(&self) -> bool {
        self.definition.root().get("outputSchema").is_some()
    }

    /// What arguments are held against; made at the first call.
    ///
    /// # Errors
    /// When the input schema cannot be used.
    pub fn validator(&self) -> Result<&Validator, &SchemaProblem> {
        self.validator
            .get_or_init(|| {
                let schema = self.definition.root().get("inputSchema");
                let schema = schema.map_or("{}", Value::raw);
                let validator = Validator::compile(schema, &self.settings, &self.journal)?;
                let is_here = self.server_settings.is_local();
                Ok(if is_here {
                    validator.on_this_machine()
                } else {
                    validator
                })
            })
            .as_ref()
    }

    /// What results are held against; made at the first call.
    ///
    /// # Errors
    /// When the output schema cannot be used and results have to fit it.
    pub fn inspector(&self) -> Result<&Inspector, &SchemaProblem> {
        self.inspector
            .get_or_init(|| {
                let results = self.server_settings.results_of(&self.key.tool);
                let schema = self.definition.root().get("outputSchema");
                Inspector::compile(schema.map(Value::raw), results, &self.journal)
            })
            .as_ref()
    }

    /// The values for a call with these arguments. `claims` are what the server claims for this
    /// very call, where it was asked and its answer counts.
    #[must_use]
    pub fn effective(
        &self,
        arguments: Option<Value<'_>>,
        claims: Option<&Hints<Claim>>,
    ) -> Decided {
        let cases = match (&self.ruling, arguments) {
            (Some(ruling), Some(arguments)) if !ruling.cases.is_empty() => {
                ruling.matching_values(arguments)
            }
            _ => Vec::new(),
        };
        if cases.is_empty() && claims.is_none() {
            return self.effective;
        }
        let decided = decide(&Basis {
            claims: claims.copied().unwrap_or(self.claims),
            trust: self.server_settings.trust,
            ruling: self.ruling.as_ref().map(Ruling::values),
            cases: &cases,
            evidence: self.evidence,
        });
        held_to(decided, &self.confinement)
    }

    /// What a call with these values may do in confinement; `None` where it is not confined.
    #[must_use]
    pub fn view(&self, effective: &Effective) -> Option<View> {
        view(&self.server_settings, &self.key.tool, effective)
    }

    fn facts(&self, pin: PinState) -> ToolFacts {
        let case = |values: &Hints<Option<bool>>| {
            let decided = decide(&Basis {
                claims: self.claims,
                trust: self.server_settings.trust,
                ruling: self.ruling.as_ref().map(Ruling::values),
                cases: std::slice::from_ref(values),
                evidence: self.evidence,
            });
            held_to(decided, &self.confinement).effective
        };
        let cases = self.ruling.iter().flat_map(|ruling| &ruling.cases);
        let schema = self.definition.root().get("inputSchema");
        ToolFacts {
            server: self.key.server.clone(),
            name: self.key.tool.clone(),
            served_as: self.served_as.clone(),
            trust: self.server_settings.trust,
            input_schema: schema.map(Document::part),
            claims: self.claims,
            ruling: self.ruling.as_ref().map(Ruling::values),
            observed: self.evidence,
            effective: self.effective,
            cases: cases.map(|of| case(&of.hints)).collect(),
            pin,
            undo: self.ruling.as_ref().and_then(undo),
            labels: self.settings.labels.clone(),
        }
    }
}

pub(crate) fn undo(ruling: &Ruling) -> Option<String> {
    ruling.undo.as_ref().map(|undo| match undo {
        Undo::Tool(name) => name.clone(),
        Undo::Nothing => "none".to_owned(),
    })
}

/// Everything one server contributes.
#[derive(Clone, Copy, Debug)]
pub struct Contribution<'a> {
    /// The server.
    pub server: &'a Arc<Server>,
    /// What is set about it.
    pub settings: &'a Arc<ServerSettings>,
    /// What it lists.
    pub listing: &'a sayso_core::listing::Listing,
    /// How that stands to what was accepted.
    pub standing: &'a Standing,
    /// What was accepted, if anything was.
    pub accepted: Option<&'a sayso_core::lock::PinnedServer>,
    /// What was observed of its tools.
    pub evidence: &'a BTreeMap<String, Hints<Evidence>>,
}

/// All tools as they stand.
#[derive(Debug)]
pub struct Catalogue {
    /// In the order of their servers' names and listings.
    tools: Vec<Arc<Tool>>,
    by_name: HashMap<String, Arc<Tool>>,
    /// The policies, validated against these tools.
    pub policies: Policies,
    /// Which hints hosts are shown.
    hints: settings::HintsShown,
    /// The result of the only page of the only server: what stands beside its tools is passed on.
    only: Option<Document>,
    /// What callers are shown, as far as they have asked.
    views: std::sync::Mutex<HashMap<shown::ViewKey, Arc<shown::View>>>,
}

/// Why there is no catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The policies do not fit.
    #[error(transparent)]
    Policies(#[from] PolicyErrors),
    /// Two tools would be served under one name.
    #[error("{0}")]
    Names(#[from] names::Collision),
}

impl Catalogue {
    /// The picture that these servers make by these rules.
    ///
    /// # Errors
    /// When two tools would have one name, or the policies do not fit the tools.
    pub fn new(
        contributions: &[Contribution<'_>],
        settings: &GateSettings,
        rulings: &sayso_core::rulings::Rulings,
        policies: &[PolicySource],
    ) -> Result<Self, CatalogueError> {
        let mut tools = Vec::new();
        let mut by_name: HashMap<String, Arc<Tool>> = HashMap::new();
        for contribution in contributions {
            for listed in contribution.listing.tools() {
                let Some(mut tool) = tool(contribution, listed, settings, rulings) else {
                    continue;
                };
                tool.position = tools.len();
                let tool = Arc::new(tool);
                claim_name(&mut by_name, &tool)?;
                tools.push(tool);
            }
        }
        let facts: Vec<ToolFacts> = tools
            .iter()
            .filter_map(|tool| match tool.admission {
                Admission::Usable(pin) => Some(tool.facts(pin)),
                Admission::Blocked => Some(tool.facts(PinState::Unpinned)),
                Admission::Held => None,
            })
            .collect();
        Ok(Self {
            policies: Policies::serving(policies, &facts)?,
            tools,
            by_name,
            hints: settings.hints,
            only: only_page(contributions),
            views: std::sync::Mutex::default(),
        })
    }

    /// The tool hosts know by this name, exactly.
    #[must_use]
    pub fn get(&self, served_as: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(served_as)
    }

    /// Whether hints can be asked for by argument, of any tool.
    #[must_use]
    pub fn is_resolvable(&self) -> bool {
        self.hints == settings::HintsShown::Effective
            && self.tools.iter().any(|tool| tool.is_resolvable())
    }

    /// All tools, also those nobody is shown.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.iter()
    }
}

/// Takes a tool's name for it. What nobody has accepted takes no name from what somebody has: a
/// server could otherwise list another's tools away.
fn claim_name(
    by_name: &mut HashMap<String, Arc<Tool>>,
    tool: &Arc<Tool>,
) -> Result<(), names::Collision> {
    let other = by_name.get(&tool.served_as);
    match other {
        Some(_) if tool.admission == Admission::Held => return Ok(()),
        Some(other) if other.admission != Admission::Held => {
            return Err(names::Collision {
                served: tool.served_as.clone(),
                first_server: other.key.server.clone(),
                first_name: other.key.tool.clone(),
                second_server: tool.key.server.clone(),
                second_name: tool.key.tool.clone(),
            });
        }
        _ => {}
    }
    by_name.insert(tool.served_as.clone(), Arc::clone(tool));
    Ok(())
}

/// The result that is served as it came, where there is one.
fn only_page(contributions: &[Contribution<'_>]) -> Option<Document> {
    let [only] = contributions else { return None };
    let [page] = only.listing.pages() else {
        return None;
    };
    let root = page.document.root();
    let result = root.get("result").unwrap_or(root);
    result
        .get("tools")
        .is_some()
        .then(|| Document::part(result))
}

/// What something of a server is called here.
#[must_use]
pub fn served_as(settings: &GateSettings, server: &str, name: &str) -> String {
    let is_prefixed = match settings.prefix {
        Prefix::Auto => settings.servers.len() > 1,
        Prefix::Always => true,
        Prefix::Never => false,
    };
    let own = settings.servers.get(server);
    let prefix = own.map_or(server, |own| own.prefix(server));
    names::served(is_prefixed.then_some(prefix), name, settings.max_name())
}

/// One tool; `None` where it has no name to call it by.
fn tool(
    contribution: &Contribution<'_>,
    listed: Listed<'_>,
    settings: &GateSettings,
    rulings: &sayso_core::rulings::Rulings,
) -> Option<Tool> {
    let name = listed.name().filter(|name| !name.is_empty())?.into_owned();
    let server_name = contribution.server.name();
    let admission = contribution.standing.admission(&name);
    let accepted = contribution.accepted.and_then(|pin| pin.tools.get(&name));
    let definition = match (admission, accepted) {
        // What nobody has accepted does not reach the model.
        (Admission::Blocked, Some(accepted)) => {
            Document::parse(accepted.definition().to_owned(), &Limits::default()).ok()?
        }
        _ => Document::part(listed.value()),
    };
    let counted = Listed::new(definition.root(), 0, 0);
    let (digest, claims) = (ToolDigest::of(counted), counted.claims().states());
    let ruling = rulings
        .get(server_name, &name)
        .filter(|ruling| ruling.is_in_force(&digest, &claims))
        .cloned();
    let evidence = contribution
        .evidence
        .get(&name)
        .copied()
        .unwrap_or_default();
    let effective = decide(&Basis {
        claims,
        trust: contribution.settings.trust,
        ruling: ruling.as_ref().map(Ruling::values),
        cases: &[],
        evidence,
    });
    let confinement = match view(contribution.settings, &name, &effective.effective) {
        Some(view) => contribution.server.confinement(&name, &digest, &view),
        None => Confinement::Off,
    };
    let effective = held_to(effective, &confinement);
    let of_tool =
        |moved: &&crate::pins::Moved| moved.tool.as_deref().is_none_or(|tool| tool == name);
    let mut moved: Vec<_> = contribution.standing.moved.iter().filter(of_tool).collect();
    moved.sort_by_key(|moved| std::cmp::Reverse(moved.weight));
    Some(Tool {
        position: 0,
        served_as: served_as(settings, server_name, &name),
        server: Arc::clone(contribution.server),
        digest,
        admission,
        moved: moved.iter().map(|moved| moved.message.clone()).collect(),
        claims,
        ruling,
        evidence,
        effective,
        confinement,
        server_settings: Arc::clone(contribution.settings),
        settings: contribution.settings.tool(&name),
        key: ToolKey::new(server_name, name),
        definition,
        journal: Arc::new(settings.journal.clone()),
        validator: OnceLock::new(),
        inspector: OnceLock::new(),
    })
}

/// The values, now that the server's word is held to, or that it cannot be.
fn held_to(decided: Decided, confinement: &Confinement) -> Decided {
    match confinement {
        Confinement::NotEnforced(_) => Decided {
            effective: decided.effective.without_its_word(),
            ..decided
        },
        Confinement::Off | Confinement::Claims | Confinement::All => decided,
    }
}

fn view(settings: &ServerSettings, tool: &str, effective: &Effective) -> Option<View> {
    let on_its_word = effective.reads_on_its_word();
    match settings.confine_of(tool) {
        Confine::ReadOnlyClaims if on_its_word => {}
        Confine::All => {}
        Confine::ReadOnlyClaims | Confine::Off => return None,
    }
    Some(settings.view_of(tool, effective.read_only(), effective.open_world()))
}

/// The values as hints on the wire say them: what means nothing for a tool that only reads is said
/// as it is then.
#[must_use]
pub fn as_hints(effective: &Effective) -> Hints<bool> {
    Hints::from_fn(|hint| match hint {
        Hint::ReadOnly => effective.read_only(),
        Hint::Destructive => effective.may_destroy(),
        Hint::Idempotent => effective.repeatable(),
        Hint::OpenWorld => effective.open_world(),
    })
}
