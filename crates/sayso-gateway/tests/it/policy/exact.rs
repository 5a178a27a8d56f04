//! That slicing, keeping and testing beforehand change no decision.
//!
//! Generated policies and calls are decided three ways: by the gate; by Cedar over the whole set,
//! with entities and context made from JSON; and by a plain reading of the generated policies.

use std::str::FromStr as _;

use cedar_policy::{
    Authorizer, Context, Decision as Cedar, Entities, EntityUid, PolicySet, Request,
};
use proptest::prelude::*;
use sayso_core::effective::{Basis, decide};
use sayso_core::hint::Hints;
use sayso_gateway::policy::{
    Action, Decision, PinState, Policies, Question, SessionFacts, ToolFacts,
};
use sayso_mcp::server::Transport;
use serde_json::json;

use super::world::{Ask, NOON, ask, caller, claims, json as document, source, tool};

#[derive(Clone, Debug)]
enum Condition {
    ReadOnly,
    Destructive,
    Confirmed,
    ReadPrivate,
    Pinned,
    Labelled,
    OverHttp,
    PathLike(&'static str),
    PathIs(&'static str),
    PathIn(Vec<&'static str>),
    ModeLess(i64),
    ModeAbove(i64),
    ModeSum(i64),
    HasForce,
    Force,
    Later,
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}
use Condition as C;

#[derive(Clone, Debug)]
struct Rule {
    forbid: bool,
    principal: &'static str,
    action: &'static str,
    resource: &'static str,
    clauses: Vec<(bool, Condition)>,
}

impl Condition {
    fn text(&self) -> String {
        match self {
            C::ReadOnly => "resource.effective.readOnly".to_owned(),
            C::Destructive => "resource.effective.destructive".to_owned(),
            C::Confirmed => "context.confirmed".to_owned(),
            C::ReadPrivate => "context.session.readPrivate".to_owned(),
            C::Pinned => "resource.pin == \"pinned\"".to_owned(),
            C::Labelled => "resource.labels.contains(\"inner\")".to_owned(),
            C::OverHttp => "context.transport == \"http\"".to_owned(),
            C::PathLike(pattern) => format!("context.arguments.path like \"{pattern}\""),
            C::PathIs(path) => format!("context.arguments.path == \"{path}\""),
            C::PathIn(paths) => format!("{paths:?}.contains(context.arguments.path)"),
            C::ModeLess(bound) => format!("context.arguments.mode < {bound}"),
            C::ModeAbove(bound) => format!("context.arguments.mode >= {bound}"),
            C::ModeSum(more) => format!("context.arguments.mode + {more} > 10"),
            C::HasForce => "context.arguments has force".to_owned(),
            C::Force => "(context.arguments has force && context.arguments.force)".to_owned(),
            C::Later => "context.now > datetime(\"2026-11-30T12:00:00Z\")".to_owned(),
            C::Not(inner) => format!("!({})", inner.text()),
            C::And(one, other) => format!("({} && {})", one.text(), other.text()),
            C::Or(one, other) => format!("({} || {})", one.text(), other.text()),
        }
    }

    fn reads_arguments(&self) -> bool {
        match self {
            C::Not(inner) => inner.reads_arguments(),
            C::And(one, other) | C::Or(one, other) => {
                one.reads_arguments() || other.reads_arguments()
            }
            _ => self.text().contains("arguments"),
        }
    }

    /// What it is, by a plain reading; an error where evaluation fails.
    fn holds(&self, asked: &Ask, facts: &ToolFacts, confirmed: bool) -> Result<bool, ()> {
        let effective = asked.effective;
        let arguments = asked.arguments.root();
        let path = || arguments.get("path").and_then(|value| value.as_str());
        let mode = || -> Result<i64, ()> {
            let mode = arguments.get("mode").ok_or(())?;
            mode.raw().parse().map_err(|_| ())
        };
        Ok(match self {
            C::ReadOnly => effective.read_only(),
            C::Destructive => effective.may_destroy(),
            C::Confirmed => confirmed,
            C::ReadPrivate => asked.session.read_private,
            C::Pinned => facts.pin == PinState::Pinned,
            C::Labelled => facts.labels.iter().any(|label| label == "inner"),
            C::OverHttp => asked.transport == Transport::Http,
            C::PathLike("/etc/*") => path().ok_or(())?.starts_with("/etc/"),
            C::PathLike(_) => path().ok_or(())?.contains("x/y"),
            C::PathIs(expected) => path().ok_or(())? == *expected,
            C::PathIn(paths) => paths.contains(&path().ok_or(())?.as_ref()),
            C::ModeLess(bound) => mode()? < *bound,
            C::ModeAbove(bound) => mode()? >= *bound,
            C::ModeSum(more) => mode()?.checked_add(*more).ok_or(())? > 10,
            C::HasForce => arguments.get("force").is_some(),
            C::Force => arguments.get("force").and_then(|value| value.as_bool()) == Some(true),
            C::Later => asked.now > NOON,
            C::Not(inner) => !inner.holds(asked, facts, confirmed)?,
            C::And(one, other) => {
                one.holds(asked, facts, confirmed)? && other.holds(asked, facts, confirmed)?
            }
            C::Or(one, other) => {
                one.holds(asked, facts, confirmed)? || other.holds(asked, facts, confirmed)?
            }
        })
    }
}

impl Rule {
    fn text(&self, index: usize) -> String {
        let effect = if self.forbid { "forbid" } else { "permit" };
        let clauses = self.clauses.iter().map(|(unless, condition)| {
            let word = if *unless { "unless" } else { "when" };
            format!("\n{word} {{ {} }}", condition.text())
        });
        let clauses: String = clauses.collect();
        format!(
            "@id(\"r{index}\") {effect} ({}, {}, {}){clauses};\n",
            self.principal, self.action, self.resource
        )
    }

    fn reads_arguments(&self) -> bool {
        let mut clauses = self.clauses.iter();
        clauses.any(|(_, condition)| condition.reads_arguments())
    }

    fn holds(&self, asked: &Ask, facts: &ToolFacts, confirmed: bool) -> Result<bool, ()> {
        let principal = match self.principal {
            "principal" => true,
            "principal == Caller::\"ada\"" => asked.caller.name == "ada",
            _ => asked.caller.groups.iter().any(|group| group == "ops"),
        };
        let resource = match self.resource {
            "resource" | "resource is Tool" => true,
            "resource == Tool::\"files/one\"" => facts.key().to_string() == "files/one",
            _ => facts.server == "files",
        };
        let action = asked.action == Action::Call || !self.action.contains("call\"");
        if !(principal && resource && action) {
            return Ok(false);
        }
        for (unless, condition) in &self.clauses {
            if condition.holds(asked, facts, confirmed)? == *unless {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A decision, the policies that made it, and whether any failed.
type Answer = (Decision, Vec<String>, bool);

/// What satisfied permits, satisfied forbids and failures come to.
fn derive(confirmed: bool, run: impl Fn(bool) -> (Vec<usize>, Vec<usize>, bool)) -> Answer {
    let names = |rules: &[usize]| rules.iter().map(|rule| format!("r{rule}")).collect();
    let (permits, forbids, failed) = run(confirmed);
    if failed {
        return (Decision::Deny, names(&forbids), true);
    }
    if forbids.is_empty() && !permits.is_empty() {
        return (Decision::Allow, names(&permits), false);
    }
    if confirmed {
        return (Decision::Deny, names(&forbids), false);
    }
    let (permits, second, failed) = run(true);
    if failed || !second.is_empty() || permits.is_empty() {
        return (Decision::Deny, names(&second), failed);
    }
    let why = if forbids.is_empty() { permits } else { forbids };
    (Decision::Ask, names(&why), false)
}

fn plainly(rules: &[Rule], asked: &Ask, facts: &ToolFacts) -> Answer {
    derive(asked.confirmed, |confirmed| {
        let (mut permits, mut forbids, mut failed) = (Vec::new(), Vec::new(), false);
        for (index, rule) in rules.iter().enumerate() {
            match rule.holds(asked, facts, confirmed) {
                Ok(true) if rule.forbid => forbids.push(index),
                Ok(true) => permits.push(index),
                Ok(false) => {}
                Err(()) => failed = true,
            }
        }
        (permits, forbids, failed)
    })
}

/// By Cedar over one set of policies: what is satisfied, and whether anything failed.
fn run(set: &PolicySet, request: &Request, entities: &Entities) -> (Vec<usize>, bool) {
    let response = Authorizer::new().is_authorized(request, set, entities);
    let diagnostics = response.diagnostics();
    let satisfied = diagnostics.reason().map(|id| {
        let name = set.annotation(id, "id").unwrap();
        name.strip_prefix('r').unwrap().parse().unwrap()
    });
    let mut satisfied: Vec<usize> = satisfied.collect();
    satisfied.sort_unstable();
    // A set of permits alone is satisfied where it allows.
    let allows = response.decision() == Cedar::Allow;
    assert!(
        allows
            || satisfied.is_empty()
            || set
                .policies()
                .all(|policy| policy.effect() == cedar_policy::Effect::Forbid)
    );
    (satisfied, diagnostics.errors().next().is_some())
}

fn by_cedar(rules: &[Rule], asked: &Ask, facts: &ToolFacts) -> Answer {
    let of = |forbid: bool| {
        let rules = rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| rule.forbid == forbid);
        let text: String = rules.map(|(index, rule)| rule.text(index)).collect();
        PolicySet::from_str(&text).unwrap()
    };
    let (permits, forbids) = (of(false), of(true));
    let hints = asked.effective;
    let groups = asked.caller.groups.iter();
    let groups: Vec<_> = groups
        .map(|group| json!({"type": "Group", "id": group}))
        .collect();
    let key = facts.key().to_string();
    let entities = json!([
        {"uid": {"type": "Caller", "id": asked.caller.name}, "attrs": {"name": asked.caller.name}, "parents": groups},
        {"uid": {"type": "Server", "id": facts.server}, "attrs": {}, "parents": []},
        {"uid": {"type": "Tool", "id": key}, "parents": [{"type": "Server", "id": facts.server}], "attrs": {
            "pin": facts.pin.as_str(), "labels": facts.labels,
            "effective": {"readOnly": hints.read_only(), "destructive": hints.may_destroy()},
        }},
    ]);
    let entities = Entities::from_json_value(entities, None).unwrap();
    let uid = |kind: &str, id: &str| EntityUid::from_str(&format!("{kind}::\"{id}\"")).unwrap();
    derive(asked.confirmed, |confirmed| {
        let now = if asked.now > NOON {
            "2026-11-30T13:00:00Z"
        } else {
            "2026-11-30T12:00:00Z"
        };
        let context = json!({
            "confirmed": confirmed, "transport": asked.transport.to_string(),
            "session": {"readPrivate": asked.session.read_private},
            "now": {"__extn": {"fn": "datetime", "arg": now}},
            "arguments": asked.arguments.root().to_serde().unwrap(),
        });
        let context = Context::from_json_value(context, None).unwrap();
        let request = Request::new(
            uid("Caller", &asked.caller.name),
            uid("Action", "call"),
            uid("Tool", &key),
            context,
            None,
        )
        .unwrap();
        let (permitting, failed) = run(&permits, &request, &entities);
        let (forbidding, also) = run(&forbids, &request, &entities);
        (permitting, forbidding, failed || also)
    })
}

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},
    "mode":{"type":"integer"},"force":{"type":"boolean"}},"required":["path","mode"]}"#;

fn known() -> Vec<ToolFacts> {
    let mut tools = vec![
        tool("files", "one", "t--f", SCHEMA),
        tool("files", "two", "fttf", SCHEMA),
        tool("mail", "three", "ff-t", SCHEMA),
    ];
    tools[1].pin = PinState::Unpinned;
    tools[2].labels = vec!["inner".to_owned()];
    tools
}

fn condition() -> impl Strategy<Value = Condition> {
    let settled = prop_oneof![
        Just(C::ReadOnly),
        Just(C::Destructive),
        Just(C::Confirmed),
        Just(C::ReadPrivate),
        Just(C::Pinned),
        Just(C::Labelled),
        Just(C::OverHttp),
    ];
    let varying = prop_oneof![
        prop_oneof![Just("/etc/*"), Just("*x/y*")].prop_map(C::PathLike),
        prop_oneof![Just("/etc/x"), Just("")].prop_map(C::PathIs),
        Just(C::PathIn(vec!["/etc/x", "/home"])),
        (-1_i64..7).prop_map(C::ModeLess),
        (-1_i64..7).prop_map(C::ModeAbove),
        prop_oneof![Just(1_i64), Just(i64::MAX)].prop_map(C::ModeSum),
        Just(C::HasForce),
        Just(C::Force),
        Just(C::Later),
    ];
    prop_oneof![settled, varying].prop_recursive(2, 6, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.prop_map(|one| C::Not(Box::new(one))),
            two.clone()
                .prop_map(|(one, other)| C::And(Box::new(one), Box::new(other))),
            two.prop_map(|(one, other)| C::Or(Box::new(one), Box::new(other))),
        ]
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let principal = prop_oneof![
        3 => Just("principal"),
        1 => Just("principal == Caller::\"ada\""),
        1 => Just("principal in Group::\"ops\""),
    ];
    let resource = prop_oneof![
        2 => Just("resource"),
        1 => Just("resource is Tool"),
        1 => Just("resource == Tool::\"files/one\""),
        1 => Just("resource in Server::\"files\""),
    ];
    let clauses = prop::collection::vec((any::<bool>(), condition()), 0..3);
    let forbid = prop::bool::weighted(0.35);
    (forbid, principal, any::<bool>(), resource, clauses).prop_map(
        |(forbid, principal, any_action, resource, clauses)| {
            let mut rule = Rule {
                forbid,
                principal,
                action: "action == Action::\"call\"",
                resource,
                clauses,
            };
            // Only a call has arguments.
            if any_action && !rule.reads_arguments() {
                rule.action = "action";
            }
            // A listing can be of other things than tools, which have no such attributes.
            if rule.action == "action" && rule.resource != "resource == Tool::\"files/one\"" {
                rule.resource = "resource is Tool";
            }
            rule
        },
    )
}

fn arguments() -> impl Strategy<Value = String> {
    let path = prop_oneof![
        Just("/etc/x"),
        Just("/etc/"),
        Just(""),
        Just("/home"),
        Just("ax/y/b")
    ];
    let mode = prop::option::weighted(0.9, prop_oneof![-3_i64..9, Just(i64::MAX)]);
    let force = prop::option::of(any::<bool>());
    (path, mode, force).prop_map(|(path, mode, force)| {
        let mut object = serde_json::Map::new();
        object.insert("path".to_owned(), path.into());
        object.extend(mode.map(|mode| ("mode".to_owned(), mode.into())));
        object.extend(force.map(|force| ("force".to_owned(), force.into())));
        serde_json::Value::from(object).to_string()
    })
}

fn asked() -> impl Strategy<Value = (usize, Ask)> {
    let who = prop_oneof![
        Just(caller("ada", &["staff"])),
        Just(caller("bo", &["ops", "staff"])),
        Just(caller("ada", &["ops"])),
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (0..3_usize, who, arguments(), flags, any::<bool>()).prop_map(
        |(place, who, arguments, (confirmed, private, http, later), read_only)| {
            let tools = known();
            let facts = &tools[place];
            let mut asked = ask(facts, &arguments);
            asked.caller = who;
            asked.confirmed = confirmed;
            asked.session = SessionFacts {
                read_private: private,
                read_untrusted: false,
            };
            if http {
                asked.transport = Transport::Http;
            }
            if later {
                asked.now = NOON + 3_600_000;
            }
            if read_only {
                let cases = [Hints {
                    read_only: Some(true),
                    ..Hints::default()
                }];
                let basis = Basis {
                    claims: claims("f"),
                    cases: &cases,
                    ..Basis::default()
                };
                asked.effective = decide(&basis).effective;
            }
            (place, asked)
        },
    )
}

/// The policies; what is generated may contradict itself, and then does not load.
fn loaded(text: &str, tools: &[ToolFacts]) -> Result<Policies, TestCaseError> {
    Policies::load(&source(text), tools).map_err(|errors| {
        let mut told = errors.0.iter();
        if told.all(|error| error.message.starts_with("the policy never applies")) {
            return TestCaseError::reject("a policy that never applies");
        }
        TestCaseError::fail(format!("{errors}\n{text}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_way_to_decide_gives_the_same(
        rules in prop::collection::vec(rule(), 1..8),
        asked in prop::collection::vec(asked(), 1..12),
    ) {
        let text: String = rules.iter().enumerate().map(|(index, rule)| rule.text(index)).collect();
        let tools = known();
        let policies = loaded(&text, &tools)?;
        // Each is asked again when everything was asked once and is kept.
        for (place, asked) in asked.iter().chain(&asked) {
            let facts = &tools[*place];
            let verdict = policies.decide(&asked.question());
            let reasons = verdict.reasons.iter().map(|reason| reason.id.to_string());
            let answer: Answer = (verdict.decision, reasons.collect(), !verdict.errors.is_empty());
            let plain = plainly(&rules, asked, facts);
            prop_assert_eq!(&answer, &plain, "plainly, {:?}\n{}", asked, text);
            prop_assert_eq!(&answer, &by_cedar(&rules, asked, facts), "by Cedar, {:?}\n{}", asked, text);
        }
    }

    #[test]
    fn what_can_be_called_is_listed(
        rules in prop::collection::vec(rule(), 1..6),
        asked in asked(),
        others in prop::collection::vec(arguments(), 1..8),
    ) {
        let text: String = rules.iter().enumerate().map(|(index, rule)| rule.text(index)).collect();
        let tools = known();
        let policies = loaded(&text, &tools)?;
        let (place, mut asked) = asked;
        asked.confirmed = false;
        let listing = Question { action: Action::List, arguments: None, ..asked.question() };
        let listed = policies.decide(&listing).decision == Decision::Allow;
        let of_listing = Ask { action: Action::List, ..asked.clone() };
        let hidden = rules.iter().any(|rule| {
            rule.forbid && rule.holds(&of_listing, &tools[place], true) == Ok(true)
        });
        let callable = others.iter().any(|arguments| {
            let asked = Ask { arguments: document(arguments), ..asked.clone() };
            policies.decide(&asked.question()).decision != Decision::Deny
        });
        if hidden {
            prop_assert!(!listed, "{}", text);
        } else if callable {
            prop_assert!(listed, "{}", text);
        } else if !rules.iter().any(Rule::reads_arguments) {
            prop_assert!(!listed, "{}", text);
        }
    }
}
