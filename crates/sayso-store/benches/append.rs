//! What it costs to append to the journal: by one caller after another, and by many at once, on one
//! thread as in the gate; so that an entry survives the process, and so that it survives the power.

#![expect(
    clippy::unwrap_used,
    reason = "a bench may panic, and criterion's macros write functions"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sayso_core::digest::Digest;
use sayso_core::effective::Effective;
use sayso_core::hint::Hints;
use sayso_core::journal::{Arguments, Call, Decision, HintValues, Reason, Record, Timestamp};
use sayso_core::json::{Document, Limits};
use sayso_store::Store as _;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

/// An intent as a call of a host makes it: about 1.3 KB.
fn intent(number: u64) -> Record {
    let arguments = r#"{"index":"documents","limit":20,"query":"what changed since March"}"#;
    let arguments = Document::parse(arguments.to_owned(), &Limits::default()).unwrap();
    Record::Intent(Box::new(Call {
        arguments: Some(Arguments::whole(arguments.root())),
        attempt: 1,
        call: format!("c{number:020}"),
        caller: "local".to_owned(),
        client: Some("a-host 1.2.3".to_owned()),
        decision: Some(Decision::Allow),
        definition: Some(Digest::of_text("definition")),
        era: Some("legacy".into()),
        hints: Some(HintValues::from(&Effective::from_claims(&Hints::default()))),
        pin: Some("pinned".into()),
        policy: Some(Digest::of_text("policy")),
        reasons: vec![Reason {
            id: "trusted-read-only".to_owned(),
            text: "tools that only read run without a question".to_owned(),
        }],
        served_as: Some("search_find".to_owned()),
        server: Some("search".to_owned()),
        session: Some("5f0c2d4e".to_owned()),
        tool: Some("find".to_owned()),
        transport: Some("http".into()),
        ..Call::default()
    }))
}

/// The time so many appends take, by so many callers at once.
async fn append(store: &Arc<SqliteStore>, callers: u64, each: u64) -> Duration {
    let records = (0..callers).map(|_| (0..each).map(intent).collect::<Vec<_>>());
    let records: Vec<_> = records.collect();
    let start = Instant::now();
    let callers: Vec<_> = records
        .into_iter()
        .map(|records| {
            let store = Arc::clone(store);
            tokio::spawn(async move {
                for record in records {
                    store.append(Timestamp(0), record).await.unwrap();
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    start.elapsed()
}

fn benches(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for (name, durability) in [
        ("process", Durability::Process),
        ("power", Durability::Power),
    ] {
        let mut group = criterion.benchmark_group(format!("append/{name}"));
        for callers in [1, 16, 64] {
            let folder = tempfile::tempdir().unwrap();
            let options = Options {
                path: folder.path().join("store"),
                role: Role::Gate,
                durability,
            };
            let store = Arc::new(SqliteStore::open(&options).unwrap());
            group.throughput(Throughput::Elements(callers));
            group.bench_function(format!("{callers} callers"), |bencher| {
                bencher.iter_custom(|each| runtime.block_on(append(&store, callers, each)));
            });
            runtime.block_on(store.close()).unwrap();
        }
    }
}

criterion_group!(append_benches, benches);
criterion_main!(append_benches);
