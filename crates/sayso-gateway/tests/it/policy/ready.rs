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
    insta::assert_snapshot!(with(&["spec-default"], SessionFacts::default()), @"
    claims to read, trusted    allow [spec-default.reads]       confirmed: allow
    claims to read, untrusted  ask [spec-default.confirmed]     confirmed: allow
    ruled to read, pinned      allow [spec-default.reads]       confirmed: allow
    ruled to read, tightened   allow [spec-default.reads]       confirmed: allow
    ruled to read, seen once   allow [spec-default.reads]       confirmed: allow
    adds, trusted              ask [spec-default.confirmed]     confirmed: allow
    adds, untrusted            ask [spec-default.confirmed]     confirmed: allow
    destroys                   ask [spec-default.confirmed]     confirmed: allow
    says nothing               ask [spec-default.confirmed]     confirmed: allow
    ");
}

#[test]
fn read_only_runs_what_reads() {
    insta::assert_snapshot!(with(&["read-only"], SessionFacts::default()), @"
    claims to read, trusted    allow [read-only.reads]          confirmed: allow
    claims to read, untrusted  deny [read-only.changes]         confirmed: deny
    ruled to read, pinned      allow [read-only.reads]          confirmed: allow
    ruled to read, tightened   allow [read-only.reads]          confirmed: allow
    ruled to read, seen once   allow [read-only.reads]          confirmed: allow
    adds, trusted              deny [read-only.changes]         confirmed: deny
    adds, untrusted            deny [read-only.changes]         confirmed: deny
    destroys                   deny [read-only.changes]         confirmed: deny
    says nothing               deny [read-only.changes]         confirmed: deny
    ");
}

#[test]
fn additive_runs_what_reads_or_adds() {
    insta::assert_snapshot!(with(&["additive"], SessionFacts::default()), @"
    claims to read, trusted    allow [additive.reads]           confirmed: allow
    claims to read, untrusted  deny [additive.destroys]         confirmed: deny
    ruled to read, pinned      allow [additive.reads]           confirmed: allow
    ruled to read, tightened   allow [additive.reads]           confirmed: allow
    ruled to read, seen once   allow [additive.reads]           confirmed: allow
    adds, trusted              allow [additive.adds]            confirmed: allow
    adds, untrusted            deny [additive.destroys]         confirmed: deny
    destroys                   deny [additive.destroys]         confirmed: deny
    says nothing               deny [additive.destroys]         confirmed: deny
    ");
}

#[test]
fn locked_runs_what_was_ruled_and_pinned() {
    insta::assert_snapshot!(with(&["locked"], SessionFacts::default()), @"
    claims to read, trusted    deny [locked.rest]               confirmed: deny
    claims to read, untrusted  deny [locked.rest]               confirmed: deny
    ruled to read, pinned      allow [locked.ruled]             confirmed: allow
    ruled to read, tightened   allow [locked.ruled]             confirmed: allow
    ruled to read, seen once   deny [locked.rest]               confirmed: deny
    adds, trusted              deny [locked.rest]               confirmed: deny
    adds, untrusted            deny [locked.rest]               confirmed: deny
    destroys                   deny [locked.rest]               confirmed: deny
    says nothing               deny [locked.rest]               confirmed: deny
    ");
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
    insta::assert_snapshot!(told.join("\n"), @"
    search private false untrusted false: allow [spec-default.reads]
    search private true untrusted false: allow [spec-default.reads]
    search private false untrusted true: allow [spec-default.reads]
    search private true untrusted true: ask [two-of-three.way-out]
    lookup private false untrusted false: allow [spec-default.reads]
    lookup private true untrusted false: allow [spec-default.reads]
    lookup private false untrusted true: allow [spec-default.reads]
    lookup private true untrusted true: allow [spec-default.reads]
    ");
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
