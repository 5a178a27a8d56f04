//! Approvals: used once, by what they are bound to, in time; and seen across processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use sayso_core::approval::{NotDecided, State, Verdict};
use sayso_core::journal::Timestamp;
use sayso_store::sqlite::{Role, SqliteStore};
use sayso_store::{ApprovalFilter, EntryQuery, Spend, Store as _, StoreError};

use super::{NOW, asked, binding, open};

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_spend_at_once_one_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let gate = Arc::new(open(&path, Role::Gate));
    let beside = Arc::new(open(&path, Role::Beside));
    for round in 0..10 {
        let binding = binding(&format!("round {round}"));
        let opened = gate
            .open_approval(asked(binding.clone(), NOW))
            .await
            .unwrap();
        beside
            .decide(&opened.id, Verdict::Approve, "amal", NOW)
            .await
            .unwrap();
        let spends = (0..24).map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &gate } else { &beside });
            let binding = binding.clone();
            tokio::spawn(async move { store.spend(&binding, NOW).await.unwrap() })
        });
        let mut spent = 0;
        for spend in spends.collect::<Vec<_>>() {
            match spend.await.unwrap() {
                Spend::Spent(approval) => {
                    assert_eq!(approval.id, opened.id);
                    spent += 1;
                }
                other => assert_eq!(other, Spend::None),
            }
        }
        assert_eq!(spent, 1);
    }
    assert_eq!(gate.verify(|_| {}).unwrap().unwrap().entries, 30);
}

#[tokio::test]
async fn a_question_is_asked_once_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let first = store.open_approval(asked(binding("a"), NOW)).await.unwrap();
    let again = store.open_approval(asked(binding("a"), NOW)).await.unwrap();
    let other = store.open_approval(asked(binding("b"), NOW)).await.unwrap();
    assert_eq!(first, again);
    assert_ne!(first.id, other.id);
    let over = first.expires_at;
    let later = store
        .open_approval(asked(binding("a"), over))
        .await
        .unwrap();
    assert_ne!(first.id, later.id);
    assert_eq!(
        listed(&store, Some(State::Pending), over).await,
        std::slice::from_ref(&later.id)
    );
    assert_eq!(
        listed(&store, Some(State::Expired), over).await,
        [other.id.clone(), first.id.clone()]
    );
    let all = listed(&store, None, over).await;
    assert_eq!(all, [later.id, other.id, first.id]);
}

async fn listed(store: &SqliteStore, state: Option<State>, now: Timestamp) -> Vec<String> {
    let which = ApprovalFilter {
        state,
        now,
        limit: 100,
    };
    let approvals = store.approvals(which).await.unwrap();
    approvals.into_iter().map(|approval| approval.id).collect()
}

#[tokio::test]
async fn an_answer_is_given_once_and_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let opened = store.open_approval(asked(binding("a"), NOW)).await.unwrap();
    let decide = |id: &str, verdict, now| {
        let id = id.to_owned();
        let store = &store;
        async move { store.decide(&id, verdict, "amal", now).await }
    };
    let unknown = decide("0000", Verdict::Approve, NOW).await.unwrap_err();
    assert_eq!(unknown, StoreError::UnknownApproval("0000".to_owned()));
    let late = decide(&opened.id, Verdict::Approve, opened.expires_at).await;
    assert_eq!(
        late.unwrap_err(),
        StoreError::NotDecided {
            id: opened.id.clone(),
            why: NotDecided::Expired(opened.expires_at),
        }
    );
    decide(&opened.id, Verdict::Deny, NOW).await.unwrap();
    let changed = decide(&opened.id, Verdict::Approve, NOW).await;
    assert_eq!(
        changed.unwrap_err(),
        StoreError::NotDecided {
            id: opened.id.clone(),
            why: NotDecided::Already(State::Denied),
        }
    );
    let spend = store.spend(&binding("a"), NOW).await.unwrap();
    assert!(matches!(spend, Spend::Denied(denied) if denied.id == opened.id));
    let over = store.spend(&binding("a"), opened.expires_at).await.unwrap();
    assert_eq!(over, Spend::None);
}

#[tokio::test]
async fn every_step_is_in_the_journal_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let opened = store.open_approval(asked(binding("a"), NOW)).await.unwrap();
    store
        .decide(&opened.id, Verdict::Approve, "amal", NOW)
        .await
        .unwrap();
    store.spend(&binding("a"), NOW).await.unwrap();
    let entries = store.entries(EntryQuery::default()).await.unwrap();
    let kinds: Vec<_> = entries.iter().map(|entry| entry.record.kind()).collect();
    assert_eq!(
        kinds,
        ["approval-opened", "approval-decided", "approval-spent"]
    );
}

#[tokio::test]
async fn an_answer_from_another_process_ends_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let gate = Arc::new(open(&path, Role::Gate));
    let opened = gate.open_approval(asked(binding("a"), NOW)).await.unwrap();
    let waits = {
        let (gate, id) = (Arc::clone(&gate), opened.id.clone());
        let until = Instant::now() + Duration::from_secs(60);
        tokio::spawn(async move { gate.await_decision(&id, until).await.unwrap() })
    };
    // Another connection, as another process has it: nothing is shared but the file.
    let beside = open(&path, Role::Beside);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waits.is_finished());
    beside
        .decide(&opened.id, Verdict::Deny, "amal", NOW)
        .await
        .unwrap();
    let answered = waits.await.unwrap();
    assert_eq!(answered.answer.unwrap().verdict, Verdict::Deny);
}

#[tokio::test]
async fn a_wait_ends_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let opened = store.open_approval(asked(binding("a"), NOW)).await.unwrap();
    let until = Instant::now() + Duration::from_millis(20);
    let still = store.await_decision(&opened.id, until).await.unwrap();
    assert_eq!(still, opened);
    let unknown = store.await_decision("0000", until).await.unwrap_err();
    assert_eq!(unknown, StoreError::UnknownApproval("0000".to_owned()));
}

/// What can happen to the approvals of three calls.
#[derive(Clone, Debug)]
enum Step {
    Open(u8),
    Decide(prop::sample::Index, bool),
    Spend(u8),
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0u8..3).prop_map(Step::Open),
        (any::<prop::sample::Index>(), any::<bool>())
            .prop_map(|(which, approve)| Step::Decide(which, approve)),
        (0u8..3).prop_map(Step::Spend),
        (1i64..40_000).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: a call is let through only by a yes that was given in
    /// time for exactly that call, and no yes lets through twice.
    #[test]
    fn a_call_goes_out_only_by_its_own_yes(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(hold(steps));
    }
}

async fn hold(steps: Vec<Step>) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    let mut now = NOW;
    // Every question asked, whom it is for, when it ends, and how often yes was said and used.
    let mut known: Vec<(String, u8, Timestamp, Option<bool>, u32)> = Vec::new();
    for step in steps {
        match step {
            Step::Wait(millis) => now = now.plus_millis(millis),
            Step::Open(call) => {
                let new = asked(binding(&call.to_string()), now);
                let opened = store.open_approval(new).await.unwrap();
                assert_eq!(opened.state(now), State::Pending);
                if !known.iter().any(|(id, ..)| *id == opened.id) {
                    known.push((opened.id, call, opened.expires_at, None, 0));
                }
            }
            Step::Decide(which, approve) => {
                if known.is_empty() {
                    continue;
                }
                let at = which.index(known.len());
                let (id, _, expires_at, answer, _) = &mut known[at];
                let verdict = if approve {
                    Verdict::Approve
                } else {
                    Verdict::Deny
                };
                let taken = store.decide(id, verdict, "amal", now).await.is_ok();
                assert_eq!(taken, answer.is_none() && now < *expires_at);
                if taken {
                    *answer = Some(approve);
                }
            }
            Step::Spend(call) => {
                let spend = store.spend(&binding(&call.to_string()), now).await.unwrap();
                let live = |known: &&(String, u8, Timestamp, Option<bool>, u32)| {
                    known.1 == call && now < known.2 && known.4 == 0
                };
                let newest_answer = known.iter().rev().filter(live).find_map(|known| known.3);
                match spend {
                    Spend::Spent(approval) => {
                        let of = known
                            .iter_mut()
                            .find(|(id, ..)| *id == approval.id)
                            .unwrap();
                        assert_eq!((of.1, of.3, of.4), (call, Some(true), 0));
                        assert!(now < of.2);
                        of.4 += 1;
                    }
                    other => assert_ne!(newest_answer, Some(true), "{other:?}"),
                }
            }
        }
    }
    store.verify(|_| {}).unwrap().unwrap();
}
