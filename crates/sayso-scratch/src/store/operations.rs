//! What a tool does to the store: one transaction an operation.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension as _, Transaction};
use serde_json::{Value, json};

use super::state::INDEXES;
use super::{Store, StoreError};
use sayso_core::suggest::{nearest, quoted};

/// Why an operation was not done; nothing was changed. For whoever asked for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

/// What an operation gave, or why it was not done.
type Done = Result<Result<Value, Refusal>, StoreError>;

impl Refusal {
    /// With the reason.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// A name that is not there, with those that are.
    fn unknown(what: &str, name: &str, place: &str, known: &[String]) -> Self {
        let known = || known.iter().map(String::as_str);
        let hint = match nearest(name, known()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if known().next().is_none() => "there is none at all".to_owned(),
            None => format!("there are {}", quoted(known())),
        };
        Self(format!("there is no {what} `{name}`{place}: {hint}"))
    }
}

impl Store {
    /// The indexes, with what a search in each can find. Changes nothing.
    pub(crate) fn list_indexes(&self, now: Timestamp) -> Done {
        self.read(|transaction| {
            let mut statement = transaction.prepare(&format!("{INDEXES} ORDER BY name"))?;
            let indexes = statement.query_map([now.as_millisecond()], |row| {
                let state = if row.get("is_rebuilding")? {
                    "rebuilding"
                } else {
                    "ready"
                };
                Ok(json!({
                    "name": row.get::<_, String>("name")?,
                    "documents": row.get::<_, u64>("entries")?,
                    "state": state,
                }))
            })?;
            let indexes: Vec<Value> = indexes.collect::<rusqlite::Result<_>>()?;
            Ok(Ok(json!({ "indexes": indexes })))
        })
    }

    /// Drops an index with its pinned results and begins to rebuild it.
    pub(crate) fn wipe_index(&self, index: &str, rebuild: Duration, now: Timestamp) -> Done {
        self.write(|transaction| {
            finish_rebuilds(transaction, now)?;
            if let Err(refusal) = ready_index(transaction, index, now)? {
                return Ok(Err(refusal));
            }
            let ready_at = SignedDuration::try_from(rebuild)
                .ok()
                .and_then(|rebuild| now.checked_add(rebuild).ok())
                .unwrap_or(Timestamp::MAX);
            let entries =
                transaction.execute("DELETE FROM index_entries WHERE index_name = ?1", [index])?;
            let pinned =
                transaction.execute("DELETE FROM pinned_results WHERE index_name = ?1", [index])?;
            transaction.execute(
                "UPDATE indexes SET wipes = wipes + 1, rebuilding_until = ?2 WHERE name = ?1",
                (index, ready_at.as_millisecond()),
            )?;
            Ok(Ok(json!({
                "index": index,
                "dropped_documents": entries,
                "lost_pinned_results": pinned,
                "ready_in_seconds": rebuild.as_secs_f64(),
            })))
        })
    }

    /// Takes one document into its index again.
    pub(crate) fn reindex_document(&self, index: &str, document: &str, now: Timestamp) -> Done {
        self.write(|transaction| {
            finish_rebuilds(transaction, now)?;
            if let Err(refusal) = ready_index(transaction, index, now)? {
                return Ok(Err(refusal));
            }
            let documents = names(
                transaction,
                "SELECT id FROM documents WHERE index_name = ?1 ORDER BY id",
                [index],
            )?;
            if !documents.iter().any(|known| known == document) {
                let place = format!(" in the index `{index}`");
                let refusal = Refusal::unknown("document", document, &place, &documents);
                return Ok(Err(refusal));
            }
            transaction.execute(
                "INSERT OR REPLACE INTO index_entries (index_name, document_id, title)
                 SELECT index_name, id, title FROM documents WHERE id = ?1",
                [document],
            )?;
            transaction.execute(
                "UPDATE documents SET reindexed = reindexed + 1 WHERE id = ?1",
                [document],
            )?;
            Ok(Ok(json!({ "index": index, "document": document })))
        })
    }

    /// Deletes a tenant with everything that belongs to it.
    pub(crate) fn purge_tenant(&self, tenant: &str) -> Done {
        self.write(|transaction| {
            let tenants = names(transaction, "SELECT name FROM tenants ORDER BY name", [])?;
            if !tenants.iter().any(|known| known == tenant) {
                return Ok(Err(Refusal::unknown("tenant", tenant, "", &tenants)));
            }
            let records =
                transaction.execute("DELETE FROM tenant_records WHERE tenant = ?1", [tenant])?;
            let invoices =
                transaction.execute("DELETE FROM invoices WHERE tenant = ?1", [tenant])?;
            transaction.execute("DELETE FROM tenants WHERE name = ?1", [tenant])?;
            Ok(Ok(json!({
                "tenant": tenant,
                "deleted_records": records,
                "deleted_invoices": invoices,
            })))
        })
    }

    /// Adds a note to a page.
    pub(crate) fn append_note(&self, page: &str, text: &str) -> Done {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO notes (page, text) VALUES (?1, ?2)",
                [page, text],
            )?;
            let on_page: u64 = transaction.query_row(
                "SELECT count(*) FROM notes WHERE page = ?1",
                [page],
                |row| row.get(0),
            )?;
            Ok(Ok(json!({ "page": page, "notes_on_page": on_page })))
        })
    }

    /// To whom an invoice goes, and its subject.
    ///
    /// # Errors
    /// When SQLite cannot read; inside, when there is no such invoice.
    pub(crate) fn invoice(&self, number: &str) -> Result<Result<Mail, Refusal>, StoreError> {
        self.read(|transaction| mail(transaction, number))
    }

    /// Sends an invoice to whom it is for. Nothing takes it back.
    pub(crate) fn send_invoice(&self, number: &str, now: Timestamp) -> Done {
        self.write(|transaction| {
            let mail = match mail(transaction, number)? {
                Ok(mail) => mail,
                Err(refusal) => return Ok(Err(refusal)),
            };
            transaction.execute(
                "INSERT INTO outbox (recipient, subject, sent_at) VALUES (?1, ?2, ?3)",
                (&mail.recipient, &mail.subject, now.as_millisecond()),
            )?;
            Ok(Ok(json!({
                "invoice": number,
                "recipient": mail.recipient,
                "subject": mail.subject,
            })))
        })
    }

    /// Counts a tool's withheld answers from the beginning.
    pub(crate) fn forget_withheld(&self, tool: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM withheld_answers WHERE tool = ?1", [tool])?;
            Ok(())
        })
    }

    /// Whether one more call of a tool may be kept from its answer, of `limit` in all under
    /// this setting; counts it. Counted here, so that a server started again goes on counting.
    pub(crate) fn withhold(
        &self,
        tool: &str,
        setting: &str,
        limit: u64,
    ) -> Result<bool, StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO withheld_answers (tool, setting, count) VALUES (?1, ?2, 0)
                 ON CONFLICT (tool) DO UPDATE SET setting = ?2, count = 0 WHERE setting <> ?2",
                [tool, setting],
            )?;
            let counted = transaction.execute(
                "UPDATE withheld_answers SET count = count + 1 WHERE tool = ?1 AND count < ?2",
                (tool, limit),
            )?;
            Ok(counted > 0)
        })
    }
}

/// A mail to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mail {
    /// Whom it goes to.
    pub(crate) recipient: String,
    /// What it is about.
    pub(crate) subject: String,
}

fn mail(transaction: &Transaction<'_>, number: &str) -> rusqlite::Result<Result<Mail, Refusal>> {
    let found = transaction
        .query_row(
            "SELECT email, amount FROM invoices JOIN tenants ON tenant = name WHERE number = ?1",
            [number],
            |row| {
                Ok(Mail {
                    recipient: row.get(0)?,
                    subject: format!("Invoice {number}, {}", row.get::<_, String>(1)?),
                })
            },
        )
        .optional()?;
    match found {
        Some(mail) => Ok(Ok(mail)),
        None => {
            let known = names(
                transaction,
                "SELECT number FROM invoices ORDER BY number",
                [],
            )?;
            Ok(Err(Refusal::unknown("invoice", number, "", &known)))
        }
    }
}

/// That there is an index of this name and that it is not being rebuilt.
fn ready_index(
    transaction: &Transaction<'_>,
    index: &str,
    now: Timestamp,
) -> rusqlite::Result<Result<(), Refusal>> {
    let found: Option<Option<i64>> = transaction
        .query_row(
            "SELECT rebuilding_until FROM indexes WHERE name = ?1",
            [index],
            |row| row.get(0),
        )
        .optional()?;
    Ok(match found {
        None => {
            let known = names(transaction, "SELECT name FROM indexes ORDER BY name", [])?;
            Err(Refusal::unknown("index", index, "", &known))
        }
        Some(Some(until)) => {
            let left = Duration::from_millis(until.abs_diff(now.as_millisecond()));
            Err(Refusal::new(format!(
                "the index `{index}` is being rebuilt: it is ready in {:.1} s",
                left.as_secs_f64()
            )))
        }
        Some(None) => Ok(()),
    })
}

/// Puts back the entries of every index whose rebuild is due.
fn finish_rebuilds(transaction: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    let now = now.as_millisecond();
    transaction.execute(
        "INSERT OR IGNORE INTO index_entries (index_name, document_id, title)
         SELECT index_name, documents.id, title
         FROM documents JOIN indexes ON index_name = name
         WHERE rebuilding_until <= ?1",
        [now],
    )?;
    transaction.execute(
        "UPDATE indexes SET rebuilding_until = NULL WHERE rebuilding_until <= ?1",
        [now],
    )?;
    Ok(())
}

fn names(
    transaction: &Transaction<'_>,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = transaction.prepare(sql)?;
    let names = statement.query_map(parameters, |row| row.get(0))?;
    names.collect()
}
