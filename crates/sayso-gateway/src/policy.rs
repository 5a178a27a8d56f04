//! Policies: what may be called by whom, in Cedar.
//!
//! [`Policies::load`] reads and validates them against what is known of the tools;
//! [`Policies::decide`] answers one [`Question`] with a [`Verdict`].
//!
//! An error in any policy that bears on a question denies, also in a `forbid`, which Cedar alone
//! would skip. *Ask* is derived: denied with `context.confirmed` false, permitted with it true.
//!
//! What a policy sees: `principal` is a `Caller` in its `Group`s; `resource` a `Tool`, `Prompt` or
//! `Resource` in its `Server`; `context` has `confirmed`, `now`, `transport`, `session` and, of a
//! call, `arguments`. The values of a call that depend on its arguments are attributes of the
//! resource (`resource.effective`): there are few of them for a tool, so an entity for each is kept
//! rather than made for each call.

mod arguments;
mod decide;
mod entities;
mod error;
mod explain;
mod facts;
mod lint;
mod load;
mod memo;
mod prefilter;
mod question;
mod reading;
mod rule;
mod schema;
mod scope;
mod source;
mod tool;
mod verdict;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use cedar_policy::Authorizer;
use sayso_core::digest::Digest;
use sayso_core::effective::Trust;

pub use error::{PolicyError, PolicyErrors};
pub use explain::{Explanation, HintExplained, Outcome, PolicyExplained};
pub use facts::{PinState, ToolFacts, ToolKey};
pub use question::{Action, Question, SessionFacts, Subject};
pub use source::{PolicySource, READY_SETS, ReadySet};
pub use verdict::{Decision, Reason, Verdict};

use self::load::{ToolTypes, Validated, Validation};
use self::rule::Rule;
use self::scope::Scope;
use self::tool::Tool;

/// Policies that hold, for tools that are known.
#[derive(Debug)]
pub struct Policies {
    sources: Arc<[PolicySource]>,
    rules: Arc<[Rule]>,
    scopes: Arc<[Scope]>,
    tools: HashMap<ToolKey, Tool>,
    trust: HashMap<String, Trust>,
    names: entities::Names,
    notes: Vec<PolicyError>,
    digest: Digest,
    validated: Arc<Validated>,
    memo: memo::Memo,
    authorizer: Authorizer,
}

impl Policies {
    /// Reads policies and holds them against the tools there are.
    ///
    /// # Errors
    /// Everything that is wrong with them: what is no Cedar; what the schema does not know or has
    /// another type; what can never apply; what names a tool or server that is not there; what looks
    /// at an argument that policies cannot see.
    pub fn load(sources: &[PolicySource], tools: &[ToolFacts]) -> Result<Self, PolicyErrors> {
        let rules = load::parse(sources).map_err(PolicyErrors)?;
        let names: Vec<_> = tools
            .iter()
            .map(|tool| (tool.server.clone(), tool.name.clone()))
            .collect();
        let unmatched = load::unmatched(&rules, &names);
        let (policies, mut validation) = Self::build(sources.into(), rules.into(), tools)
            .map_err(|error| PolicyErrors(vec![error]))?;
        let unmatched = unmatched.into_iter().map(|(_, error)| error);
        validation.errors.extend(unmatched);
        if validation.errors.is_empty() {
            return Ok(policies);
        }
        let order = |error: &PolicyError| {
            let source = sources
                .iter()
                .position(|source| source.name == error.source);
            (source, error.place.line, error.place.column)
        };
        validation.errors.sort_by_key(order);
        Err(PolicyErrors(validation.errors))
    }

    /// Reads policies to decide by about tools that come and go.
    ///
    /// Unlike [`Policies::load`] it takes what the tools of a server have to do with it as
    /// [`Policies::for_tools`] does: one server's listing stops no other's tools.
    ///
    /// # Errors
    /// What is wrong with them whatever tools there are.
    pub fn serving(sources: &[PolicySource], tools: &[ToolFacts]) -> Result<Self, PolicyErrors> {
        Ok(Self::without_tools(sources)?.for_tools(tools))
    }

    /// Policies that hold whatever tools there are. Those read last are kept: tools come and go far
    /// more often than policies change, and reading them is most of what that costs.
    fn without_tools(sources: &[PolicySource]) -> Result<Arc<Self>, PolicyErrors> {
        static LAST: Mutex<Option<Arc<Policies>>> = Mutex::new(None);
        let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = last().clone().filter(|kept| *kept.sources == *sources);
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let rules = load::parse(sources).map_err(PolicyErrors)?;
        let (policies, validation) = Self::build(sources.into(), rules.into(), &[])
            .map_err(|error| PolicyErrors(vec![error]))?;
        if !validation.errors.is_empty() {
            return Err(PolicyErrors(validation.errors));
        }
        let policies = Arc::new(policies);
        *last() = Some(Arc::clone(&policies));
        Ok(policies)
    }

    /// The same policies for other tools: a listing changed, or a server came or went.
    ///
    /// It always succeeds. A tool whose arguments the policies about it do not fit any more is
    /// denied, and no other is; what names a tool that is gone has nothing to apply to. Both are
    /// told by [`Policies::notes`].
    #[must_use]
    pub fn for_tools(&self, tools: &[ToolFacts]) -> Self {
        let (sources, rules) = (Arc::clone(&self.sources), Arc::clone(&self.rules));
        let kept = Self {
            sources,
            rules,
            scopes: Arc::clone(&self.scopes),
            tools: HashMap::new(),
            trust: HashMap::new(),
            names: self.names.clone(),
            notes: Vec::new(),
            digest: self.digest,
            validated: Arc::clone(&self.validated),
            memo: memo::Memo::default(),
            authorizer: Authorizer::new(),
        };
        let (mut policies, validation) = kept.with_tools(tools);
        policies.notes.extend(validation.errors);
        let names: Vec<_> = tools
            .iter()
            .map(|tool| (tool.server.clone(), tool.name.clone()))
            .collect();
        let unmatched = load::unmatched(&policies.rules, &names).into_iter();
        policies.notes.extend(unmatched.map(|(_, error)| error));
        policies
    }

    fn build(
        sources: Arc<[PolicySource]>,
        rules: Arc<[Rule]>,
        tools: &[ToolFacts],
    ) -> Result<(Self, Validation), PolicyError> {
        let names = entities::Names::new().map_err(|message| PolicyError {
            source: String::new(),
            place: sayso_core::json::LineColumn { line: 1, column: 1 },
            message,
            hint: None,
        })?;
        let policies = Self {
            digest: digest(&sources),
            scopes: load::scopes(&rules).into(),
            sources,
            rules,
            tools: HashMap::new(),
            trust: HashMap::new(),
            names,
            notes: Vec::new(),
            validated: Arc::default(),
            memo: memo::Memo::default(),
            authorizer: Authorizer::new(),
        };
        Ok(policies.with_tools(tools))
    }

    fn with_tools(mut self, tools: &[ToolFacts]) -> (Self, Validation) {
        for (index, facts) in tools.iter().enumerate() {
            self.trust.insert(facts.server.clone(), facts.trust);
            let tool = Tool::new(index, facts.clone(), &self.rules, &self.scopes);
            self.tools.insert(facts.key(), tool);
        }
        let mut validation = {
            let mut types: Vec<ToolTypes<'_>> = self.tools.values().map(ToolTypes::of).collect();
            types.sort_by(|one, other| one.name.cmp(&other.name));
            load::validate(
                &self.sources,
                &self.rules,
                &self.scopes,
                &types,
                &self.validated,
            )
        };
        for (name, problem) in std::mem::take(&mut validation.tools) {
            let found = self
                .tools
                .values_mut()
                .find(|tool| tool.facts.key().to_string() == name);
            if let Some(tool) = found {
                tool.problem.get_or_insert(problem);
            }
        }
        self.notes.append(&mut validation.notes);
        validation.errors.extend(lint::told(&self.rules));
        (self, validation)
    }

    /// What all policies come to: equal for equal texts under equal names, in the same order.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is worth knowing and wrong nowhere: characters that look like others, and after
    /// [`Policies::for_tools`] what does not fit any more.
    #[must_use]
    pub fn notes(&self) -> &[PolicyError] {
        &self.notes
    }

    /// How many policies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is none; then everything is denied.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What each tool's arguments are to policies: name and type, or why policies cannot see it.
    #[must_use]
    pub fn arguments(&self, key: &ToolKey) -> BTreeMap<String, Result<String, &'static str>> {
        let Some(tool) = self.tools.get(key) else {
            return BTreeMap::new();
        };
        let typed = tool.fields.typed.iter();
        let typed = typed.map(|(name, field)| (name.clone(), Ok(field.kind.describe())));
        let left_out = tool.fields.left_out.iter();
        let left_out = left_out.map(|(name, why)| (name.clone(), Err(*why)));
        typed.chain(left_out).collect()
    }
}

/// One digest over all sources.
fn digest(sources: &[PolicySource]) -> Digest {
    let texts = sources
        .iter()
        .map(|source| serde_json::json!([source.name, source.text]));
    Digest::of_text(&serde_json::Value::from_iter(texts).to_string())
}
