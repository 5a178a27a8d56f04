//! Appends until no more fits, then makes room and goes on, for tests. Takes the file. Has to be
//! started with the signal XFSZ ignored.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::unwrap_used, reason = "it serves tests only")
)]

#[cfg(target_os = "linux")]
#[tokio::main(flavor = "current_thread")]
async fn main() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use sayso_core::journal::{Record, Started, Timestamp};
    use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};
    use sayso_store::{Store as _, StoreError};

    let options = Options {
        path: std::env::args().nth(1).unwrap().into(),
        role: Role::Gate,
        durability: Durability::Process,
    };
    let store = SqliteStore::open(&options).unwrap();
    let record = || {
        Record::Started(Started {
            version: "x".repeat(1_000),
            ..Started::default()
        })
    };
    let room = getrlimit(Resource::Fsize);
    let little = Rlimit {
        current: Some(300_000),
        ..room
    };
    setrlimit(Resource::Fsize, little).unwrap();
    let mut last = 0;
    let error = loop {
        match store.append(Timestamp(0), record()).await {
            Ok(receipt) => last = receipt.seq,
            Err(error) => break error,
        }
    };
    assert!(last > 0);
    assert!(matches!(error, StoreError::Disk { .. }), "{error:?}");
    setrlimit(Resource::Fsize, room).unwrap();
    let receipt = store.append(Timestamp(0), record()).await.unwrap();
    assert_eq!(receipt.seq, last + 1);
    store.close().await.unwrap();
}

#[cfg(not(target_os = "linux"))]
fn main() {}
