//! What the tools work on: a small SQLite database whose contents are made up.
//!
//! Every time comes in from outside, so that a rebuild can be followed without waiting for it.

mod operations;
mod state;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

pub use operations::Refusal;
pub use state::{Change, State};

/// Marks a database as ours (`PRAGMA application_id`): the letters `sayS`.
const APPLICATION_ID: i64 = 0x7361_7953;

/// The version of the tables (`PRAGMA user_version`).
const VERSION: i64 = 1;

/// How long to wait for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Every table, in an order in which rows can be deleted.
const TABLES: [&str; 10] = [
    "withheld_answers",
    "outbox",
    "notes",
    "invoices",
    "tenant_records",
    "tenants",
    "pinned_results",
    "index_entries",
    "documents",
    "indexes",
];

/// What went wrong with a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is something where a new store was to be made.
    #[error("cannot make a store at `{}`: there is a file already", .0.display())]
    Exists(PathBuf),
    /// A path that SQLite cannot be told.
    #[error("cannot copy a store to `{}`: the path is not Unicode", .0.display())]
    NotUnicode(PathBuf),
    /// A file of something else.
    #[error("`{}` is no store of the scratch server", .0.display())]
    Foreign(PathBuf),
    /// A store of another version of Sayso.
    #[error("the store `{}` has version {found} of its tables; this version of Sayso reads version {VERSION}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: i64,
    },
    /// SQLite could not do it.
    #[error("the store `{}`: {error}", .path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
}

impl StoreError {
    fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Self::Foreign(path),
            _ => Self::Database { path, error },
        }
    }
}

/// The store. Calls block for as long as SQLite takes: from async code, call from a blocking
/// thread. Several processes may have one store open.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Store {
    /// Makes a new store with its first contents.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        Self::open(path)
    }

    /// Opens the store, or makes it where there is none.
    ///
    /// # Errors
    /// When the file is something else, or cannot be read or made.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let wrap = |error| StoreError::from_sqlite(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(wrap)?;
        connection.busy_timeout(BUSY_TIMEOUT).map_err(wrap)?;
        // What a killed process wrote survives; only a power failure may lose it.
        connection
            .pragma_update(None, "synchronous", "OFF")
            .map_err(wrap)?;
        connection
            .pragma_update(None, "foreign_keys", "ON")
            .map_err(wrap)?;
        let store = Self {
            path: path.to_owned(),
            connection: Mutex::new(connection),
        };
        store.prepare()?;
        Ok(store)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the store as it is now to a file that is not there yet.
    ///
    /// # Errors
    /// When there is a file already, or it cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<Self, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        let target = path
            .to_str()
            .ok_or_else(|| StoreError::NotUnicode(path.to_owned()))?;
        self.connection()
            .execute("VACUUM INTO ?1", [target])
            .map_err(|error| StoreError::from_sqlite(&self.path, error))?;
        Self::open(path)
    }

    /// Puts the first contents back, whatever is there.
    ///
    /// # Errors
    /// When SQLite cannot write.
    pub fn reseed(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            for table in TABLES {
                transaction.execute(&format!("DELETE FROM {table}"), [])?;
            }
            transaction.execute_batch("DELETE FROM sqlite_sequence")?;
            transaction.execute_batch(include_str!("store/seed.sql"))
        })
    }

    /// Makes the tables in an empty file; refuses a file that is something else.
    fn prepare(&self) -> Result<(), StoreError> {
        let (application, version, tables) = self.write(|transaction| {
            let number = |sql| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
            let found = (
                number("PRAGMA application_id")?,
                number("PRAGMA user_version")?,
                number("SELECT count(*) FROM sqlite_schema")?,
            );
            if found != (0, 0, 0) {
                return Ok(found);
            }
            transaction.execute_batch(include_str!("store/schema.sql"))?;
            transaction.execute_batch(include_str!("store/seed.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            Ok((APPLICATION_ID, VERSION, 1))
        })?;
        match (application, version) {
            (APPLICATION_ID, VERSION) if tables > 0 => Ok(()),
            (APPLICATION_ID, found) => Err(StoreError::Version {
                path: self.path.clone(),
                found,
            }),
            _ => Err(StoreError::Foreign(self.path.clone())),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that was not committed was rolled back: there is nothing half done.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads in one transaction.
    fn read<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.transact(TransactionBehavior::Deferred, read)
    }

    /// Writes in one transaction, which holds off other writers from its beginning.
    fn write<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.transact(TransactionBehavior::Immediate, write)
    }

    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let done = connection
            .transaction_with_behavior(behavior)
            .and_then(|transaction| {
                let done = act(&transaction)?;
                transaction.commit()?;
                Ok(done)
            });
        done.map_err(|error| StoreError::from_sqlite(&self.path, error))
    }
}
