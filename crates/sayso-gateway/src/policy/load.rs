//! From text to policies that hold: parsed, validated against the tools, and named.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::str::FromStr as _;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cedar_policy::{
    Effect, Policy, PolicyId, PolicySet, ValidationError, ValidationMode, ValidationWarning,
    Validator,
};
use miette::Diagnostic;
use sayso_core::json::{LineColumn, line_column};
use sayso_core::suggest::nearest;

use super::arguments::Fields;
use super::error::PolicyError;
use super::rule::Rule;
use super::schema;
use super::scope::Scope;
use super::source::PolicySource;
use super::tool::Tool;
use super::verdict::Reason;

/// All policies of all sources, in their order, or everything that is wrong with their text.
pub(super) fn parse(sources: &[PolicySource]) -> Result<Vec<Rule>, Vec<PolicyError>> {
    let mut rules = Vec::new();
    let mut errors = Vec::new();
    for source in sources {
        match PolicySet::from_str(&source.text) {
            Ok(set) => read(source, &set, &mut rules, &mut errors),
            Err(problems) => {
                errors.extend(
                    problems
                        .iter()
                        .map(|problem| of_diagnostic(source, problem)),
                );
            }
        }
    }
    repeated(&rules, &mut errors);
    if errors.is_empty() {
        Ok(rules)
    } else {
        Err(errors)
    }
}

/// The policies of one source.
fn read(
    source: &PolicySource,
    set: &PolicySet,
    rules: &mut Vec<Rule>,
    errors: &mut Vec<PolicyError>,
) {
    for template in set.templates() {
        let start = template.as_ref().loc().map_or(0, |loc| loc.start());
        errors.push(PolicyError {
            source: source.name.clone(),
            place: line_column(&source.text, start),
            message: "it is a template, and nothing fills its slots".to_owned(),
            hint: Some("name the principal and the resource themselves".to_owned()),
        });
    }
    let name: Arc<str> = source.name.as_str().into();
    let mut policies: Vec<(usize, &Policy)> = set
        .policies()
        .map(|policy| (policy.as_ref().loc().map_or(0, |loc| loc.start()), policy))
        .collect();
    policies.sort_by_key(|(start, _)| *start);
    for (start, policy) in policies {
        let place = line_column(&source.text, start);
        let mistake = |message: String, hint: Option<String>| PolicyError {
            source: source.name.clone(),
            place,
            message,
            hint,
        };
        for (key, _) in policy.annotations() {
            if !ANNOTATIONS.contains(&key) {
                let hint = nearest(key, ANNOTATIONS).map_or(
                    "there are `@id`, `@reason` and `@confine`".to_owned(),
                    |meant| format!("did you mean `@{meant}`?"),
                );
                errors.push(mistake(
                    format!("no annotation is called `@{key}`"),
                    Some(hint),
                ));
            }
        }
        if let Some((message, hint)) = confines(policy) {
            errors.push(mistake(message, Some(hint)));
        }
        let numbered = policy.new_id(PolicyId::new(rules.len().to_string()));
        match Rule::new(numbered, named(policy, source, place), &name, place) {
            Ok(rule) => rules.push(rule),
            Err(error) => errors.push(mistake(error.to_string(), None)),
        }
    }
}

const ANNOTATIONS: [&str; 3] = ["id", "reason", "confine"];

/// What is wrong with a policy's word about confinement: message and hint.
fn confines(policy: &Policy) -> Option<(String, String)> {
    let said = policy.annotation("confine")?;
    if policy.effect() == Effect::Forbid {
        let message = "`@confine` is about calls that are permitted".to_owned();
        return Some((message, "put it at the `permit`, or take it out".to_owned()));
    }
    (said != "off").then(|| {
        (
            format!("`@confine(\"{said}\")` means nothing"),
            "write `@confine(\"off\")` to make the calls outside of confinement".to_owned(),
        )
    })
}

/// What reasons call a policy.
fn named(policy: &Policy, source: &PolicySource, place: LineColumn) -> Reason {
    let given = |key| policy.annotation(key).filter(|text| !text.is_empty());
    Reason {
        id: given("id").map_or_else(
            || format!("{}:{}", source.name, place.line).into(),
            Arc::from,
        ),
        text: given("reason").map(Arc::from),
    }
}

/// That no two policies have one `@id`.
fn repeated(rules: &[Rule], errors: &mut Vec<PolicyError>) {
    let mut seen: HashMap<&str, &Rule> = HashMap::new();
    for rule in rules {
        let Some(first) = seen.insert(&rule.reason.id, rule) else {
            continue;
        };
        errors.push(PolicyError {
            source: rule.source.to_string(),
            place: rule.place,
            message: format!(
                "another policy has the `@id` `{}`, in {}:{}",
                rule.reason.id, first.source, first.place.line
            ),
            hint: Some("reasons name policies by it: give each its own".to_owned()),
        });
    }
}

/// A problem Cedar tells, at its place.
fn of_diagnostic(source: &PolicySource, problem: &dyn Diagnostic) -> PolicyError {
    let label = problem.labels().and_then(|mut labels| labels.next());
    let offset = label.as_ref().map_or(0, miette::LabeledSpan::offset);
    let said = problem.to_string();
    let message = without_policy(&said);
    let expected = label
        .as_ref()
        .and_then(|label| label.label())
        .filter(|label| !label.is_empty() && !message.contains(*label));
    PolicyError {
        source: source.name.clone(),
        place: line_column(&source.text, offset),
        message: match expected {
            Some(label) => format!("{message}: {label}"),
            None => message.to_owned(),
        },
        hint: problem
            .help()
            .map(|help| without_policy(&help.to_string()).to_owned()),
    }
}

/// Cedar calls policies by the identifiers they were given here; the place says it better.
fn without_policy(said: &str) -> &str {
    said.strip_prefix("for policy `")
        .and_then(|rest| rest.split_once("`, "))
        .map_or(said, |(_, message)| message)
}

/// What validation found: what is wrong, and what is only to be told.
#[derive(Debug, Default)]
pub(super) struct Validation {
    pub(super) errors: Vec<PolicyError>,
    pub(super) notes: Vec<PolicyError>,
    /// The tools that the policies about them do not fit, with what is wrong.
    pub(super) tools: Vec<(String, String)>,
}

/// A tool as far as validation goes.
pub(super) struct ToolTypes<'a> {
    pub(super) name: String,
    pub(super) fields: &'a Fields,
    /// The rules whose scope fits a call of it.
    pub(super) rules: Vec<usize>,
}

impl<'a> ToolTypes<'a> {
    pub(super) fn of(tool: &'a Tool) -> Self {
        Self {
            name: tool.facts.key().to_string(),
            fields: &tool.fields,
            rules: tool.calls.clone(),
        }
    }

    /// The rules that read arguments.
    fn readers(&self, rules: &[Rule], scopes: &[Scope]) -> BTreeSet<usize> {
        let reads = |index: &usize| {
            let (rule, scope) = (rules.get(*index), scopes.get(*index));
            // What is about more than calls is told of by itself: only they have arguments.
            rule.is_some_and(|rule| !rule.reads.arguments.is_nothing())
                && scope.is_some_and(Scope::only_calls)
        };
        self.rules.iter().copied().filter(reads).collect()
    }
}

/// What validation has found whatever tools there are, and what it need not look at again.
#[derive(Debug, Default)]
pub(super) struct Validated {
    /// What the rules that read no arguments come to: it is the same for all tools.
    plain: OnceLock<Found>,
    /// Shapes of arguments with rules that fit them: nothing is to be told of these.
    fitting: Mutex<HashSet<(String, Vec<usize>)>>,
}

/// How many shapes are remembered: a server that lists other tools all the time is not.
const MOST_SHAPES: usize = 4_096;

impl Validated {
    fn fits(&self, shape: &(String, Vec<usize>)) -> bool {
        self.shapes().contains(shape)
    }

    fn remember(&self, shape: (String, Vec<usize>)) {
        let mut shapes = self.shapes();
        if shapes.len() >= MOST_SHAPES {
            shapes.clear();
        }
        shapes.insert(shape);
    }

    fn shapes(&self) -> MutexGuard<'_, HashSet<(String, Vec<usize>)>> {
        self.fitting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Holds all rules against the schema: those that read no arguments once, the others against the
/// arguments of each tool that they can be about. What was validated before is not again.
pub(super) fn validate(
    sources: &[PolicySource],
    rules: &[Rule],
    scopes: &[Scope],
    tools: &[ToolTypes<'_>],
    validated: &Validated,
) -> Validation {
    let mut found = Findings {
        sources,
        rules,
        found: Found::default(),
        tools: Vec::new(),
    };
    let plain = validated.plain.get_or_init(|| {
        let plain = rules.iter().enumerate();
        let plain = plain.filter(|(_, rule)| rule.reads.arguments.is_nothing());
        let plain: Vec<usize> = plain.map(|(index, _)| index).collect();
        found.hold(&plain, &Fields::default(), &[]);
        std::mem::take(&mut found.found)
    });
    found.found = plain.clone();
    // Tools of one shape are one case.
    let mut shapes: BTreeMap<String, (BTreeSet<usize>, Vec<&ToolTypes<'_>>)> = BTreeMap::new();
    let mut looked_at: HashMap<usize, usize> = HashMap::new();
    for tool in tools {
        let readers = tool.readers(rules, scopes);
        if !readers.is_empty() {
            found.unreadable(tool, &readers);
            let shape = tool.fields.to_schema().to_string();
            let alike = shapes.entry(shape).or_default();
            alike.0.extend(readers);
            alike.1.push(tool);
        }
    }
    for (shape, (readers, alike)) in shapes {
        for reader in &readers {
            *looked_at.entry(*reader).or_default() += 1;
        }
        let Some(first) = alike.first() else {
            continue;
        };
        let case = (shape, readers.into_iter().collect::<Vec<usize>>());
        if !validated.fits(&case) && found.hold(&case.1, first.fields, &alike) {
            validated.remember(case);
        }
    }
    found.finish(&looked_at)
}

/// Findings by rule and place, each told once however many tools it shows at.
struct Findings<'a> {
    sources: &'a [PolicySource],
    rules: &'a [Rule],
    found: Found,
    /// Tools with what is wrong with the policies about them.
    tools: Vec<(String, String)>,
}

#[derive(Clone, Debug, Default)]
struct Found {
    errors: BTreeMap<(usize, usize, usize, String), PolicyError>,
    notes: BTreeMap<(usize, usize, usize, String), PolicyError>,
    /// How many shapes of arguments a rule can never apply with.
    impossible: BTreeMap<usize, (usize, PolicyError)>,
}

impl Findings<'_> {
    /// Validates rules with the arguments that these tools have. True where there is nothing to
    /// tell.
    fn hold(&mut self, indices: &[usize], fields: &Fields, tools: &[&ToolTypes<'_>]) -> bool {
        if indices.is_empty() {
            return true;
        }
        let mut set = PolicySet::new();
        for rule in indices.iter().filter_map(|index| self.rules.get(*index)) {
            let _ = set.add(rule.policy.clone());
        }
        let validator = match schema::schema(fields) {
            Ok(schema) => Validator::new(schema),
            Err(error) => {
                let rule = indices.first().copied().unwrap_or_default();
                let message = match tools.first() {
                    Some(tool) => {
                        format!("the arguments of `{}` give no schema: {error}", tool.name)
                    }
                    None => format!("there is no schema: {error}"),
                };
                let unusable = tools
                    .iter()
                    .map(|tool| (tool.name.clone(), message.clone()));
                self.tools.extend(unusable);
                self.error(rule, message, None);
                return false;
            }
        };
        let result = validator.validate(&set, ValidationMode::Strict);
        let mut problems: Vec<_> = result.validation_errors().collect();
        // They come in no order, and a tool names the first.
        problems.sort_by_cached_key(|problem| {
            let index = self.of(problem.policy_id()).map(|(index, _)| index);
            let label = problem.labels().and_then(|mut labels| labels.next());
            (
                index,
                label.map(|label| label.offset()),
                problem.to_string(),
            )
        });
        for problem in problems {
            self.unfit(problem, tools);
        }
        for warning in result.validation_warnings() {
            let Some((index, source)) = self.of(warning.policy_id()) else {
                continue;
            };
            let error = of_diagnostic(source, warning);
            self.warn(index, warning, error);
        }
        result.validation_errors().next().is_none() && result.validation_warnings().next().is_none()
    }

    /// A policy that does not fit the arguments of these tools.
    fn unfit(&mut self, problem: &ValidationError, tools: &[&ToolTypes<'_>]) {
        let Some((index, source)) = self.of(problem.policy_id()) else {
            return;
        };
        let mut error = of_diagnostic(source, problem);
        let mut concerned = tools.iter().filter(|tool| tool.rules.contains(&index));
        if let Some(tool) = concerned.clone().next() {
            error.message = format!("{} (with the arguments of `{}`)", error.message, tool.name);
        }
        let told = error.to_string();
        let unusable = concerned
            .by_ref()
            .map(|tool| (tool.name.clone(), told.clone()));
        self.tools.extend(unusable);
        let key = key(index, &error, problem.to_string());
        self.found.errors.entry(key).or_insert(error);
    }

    fn warn(&mut self, index: usize, warning: &ValidationWarning, mut told: PolicyError) {
        match warning {
            ValidationWarning::ImpossiblePolicy(_)
            | ValidationWarning::InvalidActionApplication(_) => {
                if let Some(rule) = self.rules.get(index) {
                    told.place = rule.place;
                }
                told.message = match warning {
                    ValidationWarning::ImpossiblePolicy(_) => {
                        "the policy never applies: its condition is never true".to_owned()
                    }
                    _ => "the policy never applies: no such action has such a resource".to_owned(),
                };
                let entry = self.found.impossible.entry(index).or_insert((0, told));
                entry.0 += 1;
            }
            ValidationWarning::BidiCharsInString(_)
            | ValidationWarning::BidiCharsInIdentifier(_) => {
                let key = key(index, &told, told.message.clone());
                self.found.errors.entry(key).or_insert(told);
            }
            _ => {
                let key = key(index, &told, told.message.clone());
                self.found.notes.entry(key).or_insert(told);
            }
        }
    }

    /// What rules read of a tool's arguments and cannot see.
    fn unreadable(&mut self, tool: &ToolTypes<'_>, readers: &BTreeSet<usize>) {
        for index in readers {
            let Some(rule) = self.rules.get(*index) else {
                continue;
            };
            for (argument, why) in tool.fields.unreadable(&rule.reads.arguments) {
                let message = format!(
                    "it reads the argument `{argument}` of `{}`, which policies cannot see: {why}",
                    tool.name
                );
                let hint = "restrict the argument in the tool's settings, or name another tool";
                self.tools.push((tool.name.clone(), message.clone()));
                self.error(*index, message, Some(hint.to_owned()));
            }
        }
    }

    fn error(&mut self, index: usize, message: String, hint: Option<String>) {
        let Some(rule) = self.rules.get(index) else {
            return;
        };
        let error = PolicyError {
            source: rule.source.to_string(),
            place: rule.place,
            message: message.clone(),
            hint,
        };
        self.found
            .errors
            .entry(key(index, &error, message))
            .or_insert(error);
    }

    fn of(&self, policy: &PolicyId) -> Option<(usize, &PolicySource)> {
        let index: usize = AsRef::<str>::as_ref(policy).parse().ok()?;
        let rule = self.rules.get(index)?;
        let named = |source: &&PolicySource| *source.name == *rule.source;
        Some((index, self.sources.iter().find(named)?))
    }

    fn finish(mut self, looked_at: &HashMap<usize, usize>) -> Validation {
        for (index, (count, error)) in std::mem::take(&mut self.found.impossible) {
            let everywhere = count >= looked_at.get(&index).copied().unwrap_or(1);
            let known = self.found.errors.keys().any(|(rule, ..)| *rule == index);
            if everywhere && !known {
                let key = key(index, &error, error.message.clone());
                self.found.errors.insert(key, error);
            }
        }
        Validation {
            errors: self.found.errors.into_values().collect(),
            notes: self.found.notes.into_values().collect(),
            tools: self.tools,
        }
    }
}

fn key(index: usize, error: &PolicyError, message: String) -> (usize, usize, usize, String) {
    (index, error.place.line, error.place.column, message)
}

/// What the scopes and conditions of rules name that is not there.
pub(super) fn unmatched(rules: &[Rule], tools: &[(String, String)]) -> Vec<(usize, PolicyError)> {
    let servers: BTreeSet<&str> = tools.iter().map(|(server, _)| server.as_str()).collect();
    let names: BTreeSet<String> = tools
        .iter()
        .map(|(server, tool)| format!("{server}/{tool}"))
        .collect();
    let mut errors = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for literal in rule.policy.entity_literals() {
            let id = literal.id().unescaped();
            let (what, known): (_, Vec<&str>) = match literal.type_name().basename() {
                "Tool" if !names.contains(id) => {
                    ("tool", names.iter().map(String::as_str).collect())
                }
                "Server" if !servers.contains(id) => ("server", servers.iter().copied().collect()),
                _ => continue,
            };
            let hint = match nearest(id, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if what == "tool" => "policies name tools as `server/tool`".to_owned(),
                None => format!("there are {}", sayso_core::suggest::quoted(known)),
            };
            errors.push((
                index,
                PolicyError {
                    source: rule.source.to_string(),
                    place: rule.place,
                    message: format!("no {what} is called `{id}`"),
                    hint: Some(hint),
                },
            ));
        }
    }
    errors
}

/// The scopes of all rules.
pub(super) fn scopes(rules: &[Rule]) -> Vec<Scope> {
    rules.iter().map(|rule| Scope::of(&rule.policy)).collect()
}
