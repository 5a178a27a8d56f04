//! The store in numbers.

use std::fmt;

use jiff::Timestamp;

use super::{Store, StoreError};

/// How much of everything there is: what traces and reports compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Search indexes.
    pub indexes: u64,
    /// Indexes that are being rebuilt, and find nothing meanwhile.
    pub rebuilding: u64,
    /// Documents that a search can find. A wipe removes them until the rebuild is done.
    pub index_entries: u64,
    /// Results put first by hand. A wipe removes them for good.
    pub pinned_results: u64,
    /// Documents in the primary store.
    pub documents: u64,
    /// Tenants.
    pub tenants: u64,
    /// What is kept about tenants.
    pub tenant_records: u64,
    /// Invoices.
    pub invoices: u64,
    /// Notes.
    pub notes: u64,
    /// Mails that were sent.
    pub outbox: u64,
    /// Times an index was wiped, in all.
    pub wipes: u64,
    /// Times a document was indexed again, in all.
    pub reindexed: u64,
}

/// A number of a [`State`] that is not what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// What is counted, as a field of [`State`] is called.
    pub what: &'static str,
    /// How many there were.
    pub before: u64,
    /// How many there are.
    pub after: u64,
}

impl State {
    /// Every number with its name, in the order of the fields.
    #[must_use]
    pub fn counts(&self) -> [(&'static str, u64); 12] {
        [
            ("indexes", self.indexes),
            ("rebuilding", self.rebuilding),
            ("index_entries", self.index_entries),
            ("pinned_results", self.pinned_results),
            ("documents", self.documents),
            ("tenants", self.tenants),
            ("tenant_records", self.tenant_records),
            ("invoices", self.invoices),
            ("notes", self.notes),
            ("outbox", self.outbox),
            ("wipes", self.wipes),
            ("reindexed", self.reindexed),
        ]
    }

    /// The numbers that are not as in `before`.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> Vec<Change> {
        let pairs = before.counts().into_iter().zip(self.counts());
        pairs
            .filter(|((_, before), (_, after))| before != after)
            .map(|((what, before), (_, after))| Change {
                what,
                before,
                after,
            })
            .collect()
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what.replace('_', " ");
        write!(f, "{what} {} → {}", self.before, self.after)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (what, count)) in self.counts().into_iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{count} {}", what.replace('_', " "))?;
        }
        Ok(())
    }
}

/// What a search in each index finds at a time (`?1`): a rebuild that is due counts as done,
/// though the next change only puts its entries back.
pub(super) const INDEXES: &str = "
    SELECT name,
           CASE WHEN rebuilding_until > ?1 THEN 0
                WHEN rebuilding_until IS NOT NULL
                    THEN (SELECT count(*) FROM documents WHERE index_name = name)
                ELSE (SELECT count(*) FROM index_entries WHERE index_name = name)
           END AS entries,
           coalesce(rebuilding_until > ?1, FALSE) AS is_rebuilding,
           wipes
    FROM indexes";

impl Store {
    /// The store in numbers at a time. Changes nothing.
    ///
    /// # Errors
    /// When SQLite cannot read.
    pub fn state(&self, now: Timestamp) -> Result<State, StoreError> {
        self.read(|transaction| {
            let count = |table: &str| {
                transaction.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                    row.get(0)
                })
            };
            let sums = format!(
                "SELECT coalesce(sum(is_rebuilding), 0), coalesce(sum(entries), 0), coalesce(sum(wipes), 0) FROM ({INDEXES})"
            );
            let (rebuilding, index_entries, wipes) =
                transaction.query_row(&sums, [now.as_millisecond()], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?;
            let reindexed = transaction.query_row(
                "SELECT coalesce(sum(reindexed), 0) FROM documents",
                [],
                |row| row.get(0),
            )?;
            Ok(State {
                indexes: count("indexes")?,
                rebuilding,
                index_entries,
                pinned_results: count("pinned_results")?,
                documents: count("documents")?,
                tenants: count("tenants")?,
                tenant_records: count("tenant_records")?,
                invoices: count("invoices")?,
                notes: count("notes")?,
                outbox: count("outbox")?,
                wipes,
                reindexed,
            })
        })
    }
}
