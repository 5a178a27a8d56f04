//! What one decision costs with everything that belongs to it: 20, 200 and 2,000 policies.
//!
//! The policies are of the kind that cost an engine most: nine in ten permit one tool to one group by
//! four of its attributes and one argument, one in ten forbids by an argument what a whole server
//! does. The calls take turns: permitted, permitted by nobody, forbidden.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sayso_core::effective::{Basis, Evidence, Trust, decide};
use sayso_core::hint::{Claim, Hints};
use sayso_core::json::{Document, Limits};
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{
    Action, Decision, PinState, Policies, PolicySource, Question, SessionFacts, Subject, ToolFacts,
};
use sayso_mcp::server::Transport;

const TOOLS: usize = 100;
const SERVERS: usize = 10;
const GROUPS: usize = 8;
const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},
    "limit":{"type":"integer"},"query":{"type":"string"},"recursive":{"type":"boolean"},
    "tags":{"type":"array","items":{"type":"string"}}},"required":["path","limit"]}"#;

fn tools() -> Vec<ToolFacts> {
    let schema = Document::parse(SCHEMA.to_owned(), &Limits::default()).unwrap();
    let claims = Hints {
        read_only: Claim::False,
        destructive: Claim::False,
        idempotent: Claim::True,
        open_world: Claim::False,
    };
    let trust = Trust::Trusted;
    let basis = Basis {
        claims,
        trust,
        ..Basis::default()
    };
    let tool = |place: usize| ToolFacts {
        server: format!("server{}", place % SERVERS),
        name: format!("tool{place}"),
        served_as: format!("tool{place}"),
        trust,
        input_schema: Some(schema.clone()),
        claims,
        ruling: None,
        observed: Hints::from_fn(|_| Evidence::Untested),
        effective: decide(&basis),
        cases: Vec::new(),
        pin: PinState::Pinned,
        undo: None,
        labels: vec!["inner".to_owned()],
    };
    (0..TOOLS).map(tool).collect()
}

fn policies(count: usize) -> String {
    let mut text = String::new();
    for place in 0..count {
        if place % 10 == 9 {
            let server = (place / 10) % SERVERS;
            writeln!(
                text,
                "@id(\"p{place}\") forbid (principal, action == Action::\"call\", resource in Server::\"server{server}\") \
                 when {{ context.arguments.path like \"/etc/{place}*\" && resource.effective.idempotent && context.transport == \"stdio\" }};"
            )
            .unwrap();
        } else {
            let tool = (place * 7) % TOOLS;
            let group = (place * 7 / TOOLS) % GROUPS;
            writeln!(
                text,
                "@id(\"p{place}\") permit (principal in Group::\"group{group}\", action == Action::\"call\", resource == Tool::\"server{}/tool{tool}\") \
                 when {{ resource.trust == \"trusted\" && resource.pin == \"pinned\" && !resource.effective.destructive && \
                 resource.labels.contains(\"inner\") && context.arguments.limit < 100 }};",
                tool % SERVERS
            )
            .unwrap();
        }
    }
    text
}

/// The arguments of calls, in turn.
const ARGUMENTS: [&str; 4] = [
    r#"{"path":"/srv/data/report.txt","limit":10,"query":"quarterly figures","recursive":false,"tags":["a","b"]}"#,
    r#"{"path":"/srv/data/report.txt","limit":500,"query":"quarterly figures","recursive":true,"tags":[]}"#,
    r#"{"path":"/etc/9/shadow","limit":10,"query":"","recursive":false,"tags":["a"]}"#,
    r#"{"path":"/srv/a/notes.md","limit":99,"query":"x","recursive":false,"tags":[]}"#,
];

fn decisions(criterion: &mut Criterion) {
    let tools = tools();
    let caller = Caller {
        name: "ada".to_owned(),
        groups: vec!["group0".to_owned()],
    };
    let arguments =
        ARGUMENTS.map(|text| Document::parse(text.to_owned(), &Limits::default()).unwrap());
    let keys: Vec<_> = tools.iter().map(ToolFacts::key).collect();
    let mut group = criterion.benchmark_group("decide");
    for count in [20, 200, 2_000] {
        let source = PolicySource {
            name: "bench.cedar".to_owned(),
            text: policies(count),
        };
        let policies = Policies::load(&[source], &tools).unwrap();
        // Tools that policies are about: the first ones a permit names.
        let asked: Vec<Question<'_>> = (0..8)
            .map(|turn| {
                let place = if turn % 4 == 3 {
                    50
                } else {
                    (turn * 7) % TOOLS
                };
                Question {
                    caller: &caller,
                    action: Action::Call,
                    subject: Subject::Tool {
                        key: keys.get(place).unwrap(),
                        effective: &tools.get(place).unwrap().effective.effective,
                    },
                    arguments: arguments.get(turn % 4).map(Document::root),
                    confirmed: false,
                    now: 1_796_040_000_000,
                    transport: Transport::Stdio,
                    session: SessionFacts::default(),
                }
            })
            .collect();
        let decided: Vec<Decision> = asked
            .iter()
            .map(|question| policies.decide(question).decision)
            .collect();
        assert!(decided.contains(&Decision::Allow) && decided.contains(&Decision::Deny));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            let mut turns = asked.iter().cycle();
            bencher.iter(|| black_box(policies.decide(turns.next().unwrap())));
        });
    }
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
