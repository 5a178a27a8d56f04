//! A store in one SQLite file: one connection that writes, for all who ask at the same time in one
//! transaction, and connections of their own for those who read.

mod approvals;
mod checkpoint;
mod file;
mod journal;
mod kept;
mod reader;
mod watch;
mod work;
mod writer;

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use sayso_core::approval::{Approval, Binding, Verdict};
use sayso_core::journal::{Broken, Entry, Timestamp, Verified, WrittenEntry, WrittenRecord};

use crate::{
    Answer, ApprovalFilter, EntryQuery, FirstPin, Health, NewApproval, Raised, Receipt,
    Reservation, Reserve, Spend, Store, StoreError,
};
use checkpoint::Checkpointer;
use reader::Readers;
use watch::Watch;
use work::Turn;
use writer::Writer;

/// How much an entry has to survive before [`Store::append`] resolves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// That this process is killed.
    #[default]
    Process,
    /// That the machine loses power.
    Power,
}

/// What the store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be the gate's: made where there is none; one gate at a time.
    Gate,
    /// To be looked at and answered in, beside a gate or without one. The file has to be there.
    Beside,
    /// To be looked at only. The file has to be there.
    Reader,
}

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file.
    pub path: PathBuf,
    /// What for.
    pub role: Role,
    /// How durable entries are.
    pub durability: Durability,
}

/// A store in one SQLite file. Its answers need a Tokio runtime.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    /// Tells this run of the gate from others.
    run: [u8; 16],
    readers: Readers,
    /// None for a reader.
    writer: Option<Writer>,
    watch: Watch,
    /// What keeps a second gate out.
    taken: Mutex<Option<File>>,
}

impl SqliteStore {
    /// Opens a store. Blocks for as long as that takes: a moment, or until another process has
    /// stopped writing, for at most five seconds.
    ///
    /// # Errors
    /// When there is no file (unless a gate opens it), it is something else or of another format,
    /// cannot be read or written, or another gate has it.
    pub fn open(options: &Options) -> Result<Self, StoreError> {
        let Options {
            path,
            role,
            durability,
        } = options;
        let (path, role, durability) = (path.as_path(), *role, *durability);
        let taken = match role {
            Role::Gate => {
                file::make(path)?;
                Some(file::take(path)?)
            }
            Role::Beside | Role::Reader => None,
        };
        let mut connection = file::connect(path, role, durability)?;
        file::prepare(&mut connection, path, role)?;
        let readers = Readers::new(path);
        let writer = match role {
            Role::Reader => {
                readers.put(connection);
                None
            }
            Role::Gate | Role::Beside => {
                let other = file::connect(path, role, Durability::Process)?;
                let checkpointer = Checkpointer::start(path, other)?;
                Some(Writer::start(path, connection, checkpointer, durability)?)
            }
        };
        Ok(Self {
            path: path.to_owned(),
            run: kept::random(path)?,
            readers,
            writer,
            watch: Watch::new(),
            taken: Mutex::new(taken),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Entries of the journal, while the caller's thread waits.
    ///
    /// # Errors
    /// When the file cannot be read, or one of them.
    pub fn entries_now(&self, query: &EntryQuery) -> Result<Vec<Entry>, StoreError> {
        let connection = self.readers.get()?;
        let entries = journal::entries(&connection, &self.path, query);
        self.readers.put(connection);
        entries
    }

    /// Whether a call with this intent may still be running: a gate has the store, and it is the
    /// one that wrote the intent. If not, and there is no outcome, nobody knows what became of it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn may_run(&self, intent: u64) -> Result<bool, StoreError> {
        let connection = self.readers.get()?;
        let started = journal::last_start(&connection);
        self.readers.put(connection);
        let started = started.map_err(|error| StoreError::of(&self.path, &error))?;
        Ok(started.is_none_or(|start| start < intent) && file::is_taken(&self.path))
    }

    /// Entries as they are written down, one after another for as long as `each` goes on, while
    /// the caller's thread waits. What is asked for is what was there at the beginning.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn scan(
        &self,
        query: &EntryQuery,
        each: impl FnMut(Result<WrittenEntry, Broken>) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let connection = self.readers.get()?;
        let done = journal::scan(&connection, &self.path, query, each);
        self.readers.put(connection);
        done
    }

    /// Goes along the whole chain of the journal, while the caller's thread waits, and shows each
    /// entry that holds. The inner error is the first that does not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn verify(&self, seen: impl FnMut(&Entry)) -> Result<Result<Verified, Broken>, StoreError> {
        let connection = self.readers.get()?;
        let verified = journal::verify(&connection, &self.path, seen);
        self.readers.put(connection);
        verified
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.writer
            .as_ref()
            .ok_or_else(|| StoreError::ReadOnly(self.path.clone()))
    }

    /// Writes something, as an answer.
    fn write<T: Send + 'static>(
        &self,
        act: impl FnMut(&mut Turn<'_>) -> rusqlite::Result<Result<T, StoreError>> + Send + 'static,
    ) -> Answer<'_, T> {
        Box::pin(async move { self.writer()?.write(act).await })
    }

    async fn found(&self, id: &str) -> Result<Option<Approval>, StoreError> {
        let (path, id) = (self.path.clone(), id.to_owned());
        self.readers
            .read(move |connection| {
                let found = approvals::find(connection, &path, &id)?;
                Ok(found.map(|found| found.map(|(_, approval)| approval)))
            })
            .await
    }
}

impl Store for SqliteStore {
    fn append_written(&self, at: Timestamp, record: WrittenRecord) -> Answer<'_, Receipt> {
        Box::pin(async move { self.writer()?.append(at, record).await })
    }

    fn entries(&self, query: EntryQuery) -> Answer<'_, Vec<Entry>> {
        let path = self.path.clone();
        Box::pin(
            self.readers
                .read(move |connection| Ok(journal::entries(connection, &path, &query))),
        )
    }

    fn open_approval(&self, approval: NewApproval) -> Answer<'_, Approval> {
        self.write(move |turn| approvals::open(turn, &approval))
    }

    fn approval(&self, id: &str) -> Answer<'_, Option<Approval>> {
        let id = id.to_owned();
        Box::pin(async move { self.found(&id).await })
    }

    fn approvals(&self, which: ApprovalFilter) -> Answer<'_, Vec<Approval>> {
        let path = self.path.clone();
        Box::pin(
            self.readers
                .read(move |connection| approvals::list(connection, &path, &which)),
        )
    }

    fn decide(&self, id: &str, verdict: Verdict, by: &str, now: Timestamp) -> Answer<'_, Approval> {
        let (id, by) = (id.to_owned(), by.to_owned());
        Box::pin(async move {
            let act = move |turn: &mut Turn<'_>| approvals::decide(turn, &id, verdict, &by, now);
            let decided = self.writer()?.write(act).await?;
            self.watch.changed();
            Ok(decided)
        })
    }

    fn await_decision(&self, id: &str, until: Instant) -> Answer<'_, Approval> {
        let id = id.to_owned();
        Box::pin(async move {
            let connect = || file::connect(&self.path, Role::Reader, Durability::Process);
            let mut waiting = self.watch.wait(&self.path, connect)?;
            loop {
                waiting.changes.mark_unchanged();
                let found = self.found(&id).await?;
                let approval = found.ok_or_else(|| StoreError::UnknownApproval(id.clone()))?;
                if approval.answer.is_some() {
                    return Ok(approval);
                }
                let changed = waiting.changes.changed();
                if tokio::time::timeout_at(until.into(), changed)
                    .await
                    .is_err()
                {
                    // What came with the last moment counts.
                    return Ok(self.found(&id).await?.unwrap_or(approval));
                }
            }
        })
    }

    fn spend(&self, binding: &Binding, now: Timestamp) -> Answer<'_, Spend> {
        let binding = binding.clone();
        self.write(move |turn| approvals::spend(turn, &binding, now))
    }

    fn secret(&self, name: &str) -> Answer<'_, [u8; 32]> {
        let name = name.to_owned();
        self.write(move |turn| kept::secret(turn, &name))
    }

    fn reserve(&self, reservation: Reservation) -> Answer<'_, Reserve> {
        let run = self.run;
        self.write(move |turn| kept::reserve(turn, run, &reservation))
    }

    fn finish(&self, caller: &str, key: &str, result: &str) -> Answer<'_, ()> {
        let (caller, key, result) = (caller.to_owned(), key.to_owned(), result.to_owned());
        self.write(move |turn| kept::finish(turn, &caller, &key, &result))
    }

    fn release(&self, caller: &str, key: &str) -> Answer<'_, ()> {
        let (caller, key) = (caller.to_owned(), key.to_owned());
        self.write(move |turn| kept::release(turn, &caller, &key))
    }

    fn forget_outcomes(&self, before: Timestamp) -> Answer<'_, u64> {
        self.write(move |turn| kept::forget_outcomes(turn, before))
    }

    fn pin(&self, server: &str, lock: &str, at: Timestamp) -> Answer<'_, bool> {
        let pin = FirstPin {
            server: server.to_owned(),
            lock: lock.to_owned(),
            at,
        };
        self.write(move |turn| kept::pin(turn, &pin))
    }

    fn pins(&self) -> Answer<'_, Vec<FirstPin>> {
        Box::pin(
            self.readers
                .read(|connection| Ok(Ok(kept::pins(connection)?))),
        )
    }

    fn raise_evidence(&self, raised: Raised) -> Answer<'_, ()> {
        self.write(move |turn| kept::raise(turn, &raised))
    }

    fn evidence(&self) -> Answer<'_, Vec<Raised>> {
        let path = self.path.clone();
        Box::pin(
            self.readers
                .read(move |connection| kept::evidence(connection, &path)),
        )
    }

    fn check(&self) -> Answer<'_, Health> {
        Box::pin(async move {
            let writer = self.writer()?;
            let head = writer.write(|turn| {
                turn.connection
                    .prepare_cached("UPDATE counters SET value = value + 1 WHERE name = 'checks'")?
                    .execute([])?;
                Ok(Ok(*turn.head))
            });
            Ok(Health {
                head: head.await?,
                waiting: writer.waiting(),
            })
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            self.watch.close();
            if let Some(writer) = &self.writer {
                writer.close().await;
            }
            self.readers.close();
            let taken = self.taken.lock();
            drop(
                taken
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .take(),
            );
            Ok(())
        })
    }
}
