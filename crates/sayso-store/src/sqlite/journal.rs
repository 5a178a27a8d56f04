//! Reading the journal.

use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, Statement};
use sayso_core::journal::{
    Broken, Entry, Hash, Timestamp, Verified, Verifier, WhyBroken, WrittenEntry,
};

use crate::{EntryQuery, Receipt, StoreError};

/// What is read of an entry, in this order.
const COLUMNS: &str = "seq, at, kind, previous, hash, record";

/// Where the journal ends.
pub(super) fn head(connection: &Connection) -> rusqlite::Result<Option<Receipt>> {
    connection
        .prepare_cached("SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| {
            Ok(Receipt {
                seq: row.get(0)?,
                hash: Hash(row.get(1)?),
            })
        })
        .optional()
}

/// The number of the last entry that says that a gate began.
pub(super) fn last_start(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    connection
        .prepare_cached("SELECT max(seq) FROM journal WHERE kind = 'started'")?
        .query_row([], |row| row.get(0))
}

/// An entry as it was found, or what is wrong with it.
type Found = Result<WrittenEntry, Broken>;

/// Entries as they are written down, for as long as `each` goes on.
pub(super) fn scan(
    connection: &Connection,
    path: &Path,
    query: &EntryQuery,
    mut each: impl FnMut(Found) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let mut last = None;
    select(connection, query, |row| {
        let found = written(row);
        last = Some(match &found {
            Ok(entry) => entry.seq,
            Err(broken) => broken.seq,
        });
        each(found)
    })
    .map_err(|error| match (StoreError::of(path, &error), last) {
        (StoreError::Damaged { path, said }, Some(seq)) => StoreError::Damaged {
            path,
            said: format!("{said}, in or behind entry {seq}"),
        },
        (other, _) => other,
    })
}

/// Entries with what they say. One that cannot be read is an error that names it.
pub(super) fn entries(
    connection: &Connection,
    path: &Path,
    query: &EntryQuery,
) -> Result<Vec<Entry>, StoreError> {
    let mut entries = Vec::new();
    let mut damaged = None;
    scan(connection, path, query, |found| {
        let read = found.and_then(|entry| {
            let seq = entry.seq;
            entry.read().map_err(|why| Broken { seq, why })
        });
        match read {
            Ok(entry) => {
                entries.push(entry);
                ControlFlow::Continue(())
            }
            Err(broken) => {
                damaged = Some(broken);
                ControlFlow::Break(())
            }
        }
    })?;
    match damaged {
        None => Ok(entries),
        Some(broken) => Err(StoreError::Damaged {
            path: path.to_owned(),
            said: broken.to_string(),
        }),
    }
}

/// Goes along the whole chain.
pub(super) fn verify(
    connection: &Connection,
    path: &Path,
    mut seen: impl FnMut(&Entry),
) -> Result<Result<Verified, Broken>, StoreError> {
    let mut verifier = Verifier::new();
    let mut broken = None;
    let all = EntryQuery {
        limit: usize::MAX,
        ..EntryQuery::default()
    };
    scan(connection, path, &all, |found| {
        let checked = found.and_then(|written| verifier.check(&written));
        match checked {
            Ok(entry) => {
                seen(&entry);
                ControlFlow::Continue(())
            }
            Err(found) => {
                broken = Some(found);
                ControlFlow::Break(())
            }
        }
    })?;
    Ok(match broken {
        None => Ok(verifier.verified()),
        Some(broken) => Err(broken),
    })
}

fn select(
    connection: &Connection,
    query: &EntryQuery,
    mut each: impl FnMut(&Row<'_>) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    let mut statement = statement(connection, query)?;
    // As it stands in a record. It may stand elsewhere, too: who asked looks again.
    let call = query.call.as_ref().map(|call| {
        let id = serde_json::to_string(call).unwrap_or_default();
        format!("\"call\":{id}")
    });
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let mut rows = statement.query((
        query.after.unwrap_or(0),
        query.before.unwrap_or(i64::MAX.unsigned_abs()),
        query.since.map_or(i64::MIN, |since| since.0),
        limit,
        call,
    ))?;
    while let Some(row) = rows.next()? {
        if each(row).is_break() {
            break;
        }
    }
    Ok(())
}

fn statement<'c>(
    connection: &'c Connection,
    query: &EntryQuery,
) -> rusqlite::Result<Statement<'c>> {
    let of_call = match query.call {
        Some(_) => "instr(record, ?5) > 0",
        // The parameter is there in any case.
        None => "?5 IS NULL",
    };
    let order = if query.newest_first { "DESC" } else { "ASC" };
    connection.prepare(&format!(
        "SELECT {COLUMNS} FROM journal
         WHERE seq > ?1 AND seq < ?2 AND at >= ?3 AND {of_call}
         ORDER BY seq {order} LIMIT ?4"
    ))
}

/// Takes a row as it is: somebody may have put anything there.
fn written(row: &Row<'_>) -> Found {
    let seq = match row.get_ref(0) {
        Ok(ValueRef::Integer(seq)) => u64::try_from(seq).unwrap_or_default(),
        _ => 0,
    };
    let broken = |column: &str| Broken {
        seq,
        why: WhyBroken::Unreadable(format!("there is something else in its `{column}`")),
    };
    let text = |at: usize, column: &str| match row.get_ref(at) {
        Ok(ValueRef::Text(bytes)) => String::from_utf8(bytes.to_vec()).map_err(|_| broken(column)),
        _ => Err(broken(column)),
    };
    let hash = |at: usize, column: &str| match row.get_ref(at) {
        Ok(ValueRef::Blob(bytes)) => bytes.try_into().map(Hash).map_err(|_| broken(column)),
        _ => Err(broken(column)),
    };
    let at = match row.get_ref(1) {
        Ok(ValueRef::Integer(at)) => Timestamp(at),
        _ => return Err(broken("at")),
    };
    Ok(WrittenEntry {
        seq,
        at,
        kind: text(2, "kind")?,
        previous: hash(3, "previous")?,
        hash: hash(4, "hash")?,
        record: text(5, "record")?,
    })
}
