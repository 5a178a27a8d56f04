//! The file: making it, knowing it again, keeping a second gate from it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{Durability, Role};
use crate::StoreError;

/// Marks a database as a store of the gate (`PRAGMA application_id`): the letters `sayG`.
const APPLICATION_ID: i64 = 0x7361_7947;

/// The version of the tables (`PRAGMA user_version`).
pub(super) const FORMAT: i64 = 1;

/// How long to wait for another process that is writing.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How often, and how long apart, a store that is taken is looked at again.
const LOOKS: u32 = 5;
const LOOK: Duration = Duration::from_millis(20);

/// How long the log of writes may grow before the connection that writes brings the file up to date
/// itself, in pages of 4 KiB. The checkpointer has done most of that then: it waits for the disk, and
/// no call is to wait with it.
const LONGEST: i64 = 32_768;

/// Statements a connection keeps prepared.
const STATEMENTS: usize = 64;

/// Makes the file and its folder where they are to be made, for nobody else to read: arguments are
/// kept in it.
pub(super) fn make(path: &Path) -> Result<(), StoreError> {
    let unopened = |error| unopened(path, &error);
    if let Some(folder) = path.parent().filter(|path| !path.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(unopened)?;
    }
    private()
        .open(path)
        .map(drop)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly(path.to_owned())
            }
            _ => unopened(error),
        })
}

fn unopened(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unopened {
        path: path.to_owned(),
        said: error.to_string(),
    }
}

fn lock_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Takes the store for one gate, as long as the answer is kept.
pub(super) fn take(path: &Path) -> Result<File, StoreError> {
    let lock = lock_name(path);
    let file = private()
        .open(&lock)
        .map_err(|error| unopened(&lock, &error))?;
    let mut looks = 0;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Who only looks whether a gate is there holds it for a moment.
            Err(TryLockError::WouldBlock) if looks < LOOKS => {
                looks += 1;
                std::thread::sleep(LOOK);
            }
            Err(TryLockError::WouldBlock) => return Err(StoreError::Taken(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(unopened(&lock, &error)),
        }
    }
}

/// Whether a gate has the store now.
pub(super) fn is_taken(path: &Path) -> bool {
    let file = File::open(lock_name(path));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Opens a connection to a file that is there.
pub(super) fn connect(
    path: &Path,
    role: Role,
    durability: Durability,
) -> Result<Connection, StoreError> {
    let wrap = |error: rusqlite::Error| StoreError::of(path, &error);
    if !path.exists() {
        return Err(StoreError::Missing(path.to_owned()));
    }
    let mode = match role {
        Role::Gate | Role::Beside => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Role::Reader => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(wrap)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(wrap)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // In WAL mode NORMAL writes without waiting for the disk: what a killed process wrote is
    // there, and power that fails takes the last entries but damages nothing.
    let synchronous = match durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection
        .pragma_update(None, "synchronous", synchronous)
        .map_err(wrap)?;
    if role == Role::Gate {
        connection
            .pragma_update(None, "wal_autocheckpoint", LONGEST)
            .map_err(wrap)?;
    }
    Ok(connection)
}

/// Makes the tables in an empty file, where that is wanted; refuses a file that is something else
/// or has another format.
pub(super) fn prepare(
    connection: &mut Connection,
    path: &Path,
    role: Role,
) -> Result<(), StoreError> {
    let wrap = |error: rusqlite::Error| StoreError::of(path, &error);
    let mut found = marks(connection).map_err(wrap)?;
    // A gate that begins at this moment may have made the file and not the tables yet.
    let mut looks = 0;
    while found == (0, 0, 0) && role != Role::Gate && looks < LOOKS && is_taken(path) {
        looks += 1;
        std::thread::sleep(LOOK);
        found = marks(connection).map_err(wrap)?;
    }
    if found == (0, 0, 0) && role == Role::Gate {
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .map_err(wrap)?;
        found = create(connection).map_err(wrap)?;
    }
    match found {
        (APPLICATION_ID, FORMAT, tables) if tables > 0 => Ok(()),
        (APPLICATION_ID, format, _) => Err(StoreError::Format {
            path: path.to_owned(),
            found: format,
            known: FORMAT,
        }),
        _ => Err(StoreError::Foreign(path.to_owned())),
    }
}

/// What tells a store from other databases: application, format, how many tables there are.
fn marks(connection: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    Ok((
        number("PRAGMA application_id")?,
        number("PRAGMA user_version")?,
        number("SELECT count(*) FROM sqlite_schema")?,
    ))
}

fn create(connection: &mut Connection) -> rusqlite::Result<(i64, i64, i64)> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have made them meanwhile.
    if marks(&transaction)? == (0, 0, 0) {
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    let found = marks(&transaction)?;
    transaction.commit()?;
    Ok(found)
}
