//! Secrets, idempotency keys, first pins and evidence outlive the gate.

use sayso_core::hint::Hint;
use sayso_store::sqlite::Role;
use sayso_store::{Raised, Reservation, Reserve, Store as _};

use super::{NOW, open};

#[tokio::test]
async fn a_secret_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = open(&path, Role::Gate);
    let secret = store.secret("request-state").await.unwrap();
    let other = store.secret("other").await.unwrap();
    assert_ne!(secret, other);
    store.close().await.unwrap();
    let store = open(&path, Role::Gate);
    assert_eq!(store.secret("request-state").await.unwrap(), secret);
}

fn reservation(key: &str, call: &str) -> Reservation {
    Reservation {
        caller: "local".to_owned(),
        key: key.to_owned(),
        fingerprint: "wipe_index sha256:…".to_owned(),
        call: call.to_owned(),
        now: NOW,
    }
}

#[tokio::test]
async fn a_key_stands_for_the_call_it_came_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = open(&path, Role::Gate);
    let id = |call: &str| call.to_owned();
    let reserve = async |new| store.reserve(new).await.unwrap();
    assert_eq!(reserve(reservation("k", "c1")).await, Reserve::Fresh);
    assert_eq!(
        reserve(reservation("k", "c2")).await,
        Reserve::Running(id("c1"))
    );
    let other = Reservation {
        fingerprint: "another call".to_owned(),
        ..reservation("k", "c3")
    };
    assert_eq!(reserve(other).await, Reserve::Differs(id("c1")));
    let somebody_else = Reservation {
        caller: "amal".to_owned(),
        ..reservation("k", "c4")
    };
    assert_eq!(reserve(somebody_else).await, Reserve::Fresh);
    store.finish("local", "k", "{}").await.unwrap();
    let finished = Reserve::Finished(id("c1"), "{}".to_owned());
    assert_eq!(reserve(reservation("k", "c5")).await, finished);

    // A call that did not go out gives its key back; an outcome stays.
    assert_eq!(reserve(reservation("r", "c6")).await, Reserve::Fresh);
    store.release("local", "r").await.unwrap();
    store.release("local", "k").await.unwrap();
    assert_eq!(reserve(reservation("r", "c7")).await, Reserve::Fresh);
    assert_eq!(reserve(reservation("k", "c8")).await, finished);

    // What ran when the gate ended has no outcome, and is not run again.
    store.close().await.unwrap();
    let store = open(&path, Role::Gate);
    let unknown = store.reserve(reservation("r", "c9")).await.unwrap();
    assert_eq!(unknown, Reserve::Unknown(id("c7")));
    let forgotten = store.forget_outcomes(NOW.plus_millis(1)).await.unwrap();
    assert_eq!(forgotten, 3);
    let fresh = store.reserve(reservation("r", "c9")).await.unwrap();
    assert_eq!(fresh, Reserve::Fresh);
}

#[tokio::test]
async fn a_first_pin_and_a_first_witness_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"), Role::Gate);
    assert!(store.pin("search", "first", NOW).await.unwrap());
    assert!(!store.pin("search", "second", NOW).await.unwrap());
    let pins = store.pins().await.unwrap();
    assert_eq!(pins.len(), 1);
    assert_eq!(pins[0].lock, "first");
    let raised = |witness: &str| Raised {
        server: "search".to_owned(),
        tool: "wipe_index".to_owned(),
        hint: Hint::ReadOnly,
        witness: witness.to_owned(),
        at: NOW,
    };
    store.raise_evidence(raised("first")).await.unwrap();
    store.raise_evidence(raised("second")).await.unwrap();
    assert_eq!(store.evidence().await.unwrap(), [raised("first")]);
}
