//! The ready sets, each on its own and as they are meant to be used together.

use sayso_core::effective::{Basis, Trust, decide};
use sayso_core::hint::Hints;
use sayso_gateway::policy::{
    PinState, Policies, PolicySource, READY_SETS, SessionFacts, ToolFacts,
};

use super::world::{ask, claims, line, tool};

/// A tool under its claims, what is ruled of it and how it is pinned.
fn known(
    name: &str,
    trust: Trust,
    claimed: &str,
    ruled: Option<[Option<bool>; 4]>,
    pin: PinState,
) -> ToolFacts {
    let ruling = ruled.map(|[read_only, destructive, idempotent, open_world]| Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    });
    let basis = Basis {
        claims: claims(claimed),
        trust,
        ruling,
        ..Basis::default()
    };
    ToolFacts {
        trust,
        ruling,
        pin,
        effective: decide(&basis),
        ..tool("files", name, claimed, "{}")
    }
}

fn all() -> Vec<ToolFacts> {
    use PinState::{Pinned, Tightened, TrustedOnce, Unpinned};
    use Trust::{Trusted, Untrusted};
    let reads = Some([Some(true), None, None, Some(false)]);
    vec![
        known("claims to read, trusted", Trusted, "t--f", None, Pinned),
        known("claims to read, untrusted", Untrusted, "t--f", None, Pinned),
        known("ruled to read, pinned", Untrusted, "----", reads, Pinned),
        known(
            "ruled to read, tightened",
            Untrusted,
            "f---",
            reads,
            Tightened,
        ),
        known(
            "ruled to read, seen once",
            Untrusted,
            "t--f",
            reads,
            TrustedOnce,
        ),
        known("adds, trusted", Trusted, "ff-f", None, Pinned),
        known("adds, untrusted", Untrusted, "ff-f", None, Pinned),
        known("destroys", Trusted, "ft-f", None, Pinned),
        known("says nothing", Trusted, "----", None, Unpinned),
    ]
}

fn with(sets: &[&str], session: SessionFacts) -> String {
    let tools = all();
    let sources: Vec<PolicySource> = sets
        .iter()
        .map(|name| PolicySource::ready(name).unwrap())
        .collect();
    let policies = Policies::load(&sources, &tools).unwrap_or_else(|error| panic!("{error}"));
    let told = tools.iter().map(|tool| {
        let mut asked = ask(tool, "{}");
        asked.session = session;
        let verdict = policies.decide(&asked.question());
        asked.confirmed = true;
        let confirmed = policies.decide(&asked.question());
        format!(
            "{:26} {:32} confirmed: {}",
            tool.name,
            line(&verdict),
            confirmed.decision
        )
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn spec_default_runs_what_reads_and_asks_about_the_rest() {
    insta::assert_snapshot!(with(&["spec-default"], SessionFacts::default()), @"");
}

#[test]
fn read_only_runs_what_reads() {
    insta::assert_snapshot!(with(&["read-only"], SessionFacts::default()), @"");
}

#[test]
fn additive_runs_what_reads_or_adds() {
    insta::assert_snapshot!(with(&["additive"], SessionFacts::default()), @"");
}

#[test]
fn locked_runs_what_was_ruled_and_pinned() {
    insta::assert_snapshot!(with(&["locked"], SessionFacts::default()), @"");
}

#[test]
fn two_of_three_asks_when_all_three_come_together() {
    let sets = ["spec-default", "two-of-three"];
    let open = |name: &str| ToolFacts {
        ..known(name, Trust::Trusted, "t--t", None, PinState::Pinned)
    };
    let tools = [
        open("search"),
        known("lookup", Trust::Trusted, "t--f", None, PinState::Pinned),
    ];
    let sources = sets.map(|name| PolicySource::ready(name).unwrap());
    let policies = Policies::load(&sources, &tools).unwrap();
    let mut told = Vec::new();
    for tool in &tools {
        for (read_private, read_untrusted) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let mut asked = ask(tool, "{}");
            asked.session = SessionFacts {
                read_private,
                read_untrusted,
            };
            let verdict = policies.decide(&asked.question());
            told.push(format!(
                "{} private {read_private} untrusted {read_untrusted}: {}",
                tool.name,
                line(&verdict)
            ));
        }
    }
    insta::assert_snapshot!(told.join("\n"), @"");
}

#[test]
fn each_set_loads_without_tools_and_says_why_in_every_policy() {
    for set in READY_SETS {
        let source = PolicySource::ready(set.name).unwrap();
        let policies = Policies::load(&[source], &[]).unwrap();
        assert!(!policies.is_empty());
        assert_eq!(
            set.text.matches("@id(").count(),
            policies.len(),
            "{}",
            set.name
        );
        assert_eq!(
            set.text.matches("@reason(").count(),
            policies.len(),
            "{}",
            set.name
        );
    }
}
