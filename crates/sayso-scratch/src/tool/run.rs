//! What a call of a tool does.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::{Arguments, Tool};
use crate::store::{Refusal, Store, StoreError};

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was done.
    Done {
        /// In words, for a model or a person.
        text: String,
        /// The same as data.
        data: Value,
    },
    /// It was not done, and changed nothing.
    Refused(Refusal),
}

impl Outcome {
    /// Whether it was done.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }

    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Done { text, .. } => text.clone(),
            Self::Refused(refusal) => refusal.to_string(),
        }
    }
}

/// Does what `tool` does. A wipe's rebuild takes `rebuild`.
///
/// # Errors
/// When the store cannot be read or written.
pub fn run(
    store: &Store,
    tool: Tool,
    arguments: &Arguments,
    rebuild: Duration,
    now: Timestamp,
) -> Result<Outcome, StoreError> {
    let get = |name| arguments.get(name);
    let done = match tool {
        Tool::ListIndexes => store.list_indexes(now),
        Tool::WipeIndex => store.wipe_index(get("index"), rebuild, now),
        Tool::ReindexDocument => store.reindex_document(get("index"), get("document"), now),
        Tool::PurgeTenant => store.purge_tenant(get("tenant")),
        Tool::AppendNote => store.append_note(get("page"), get("text")),
        Tool::SendInvoiceEmail => store.send_invoice(get("invoice"), now),
    }?;
    Ok(match done {
        Ok(data) => Outcome::Done {
            text: words(tool, &data),
            data,
        },
        Err(refusal) => Outcome::Refused(refusal),
    })
}

/// What was done, as a sentence.
fn words(tool: Tool, data: &Value) -> String {
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
    let counted = |key: &str, what: &str| {
        let count = data.get(key).and_then(Value::as_u64).unwrap_or_default();
        let s = if count == 1 { "" } else { "s" };
        format!("{count} {what}{s}")
    };
    match tool {
        Tool::ListIndexes => {
            let indexes = data.get("indexes").and_then(Value::as_array);
            let lines = indexes.into_iter().flatten().map(|index| {
                let text = |key: &str| index.get(key).and_then(Value::as_str).unwrap_or_default();
                let documents = index.get("documents").and_then(Value::as_u64);
                format!(
                    "{}: {} documents, {}",
                    text("name"),
                    documents.unwrap_or_default(),
                    text("state")
                )
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Tool::WipeIndex => format!(
            "the index `{}` was dropped with {} and {}; it is being rebuilt and ready in {} s",
            text("index"),
            counted("dropped_documents", "document"),
            counted("lost_pinned_results", "pinned result"),
            data.get("ready_in_seconds").unwrap_or(&Value::Null),
        ),
        Tool::ReindexDocument => format!(
            "the document `{}` was taken into the index `{}` again",
            text("document"),
            text("index")
        ),
        Tool::PurgeTenant => format!(
            "the tenant `{}` was deleted with {} and {}",
            text("tenant"),
            counted("deleted_records", "record"),
            counted("deleted_invoices", "invoice")
        ),
        Tool::AppendNote => format!(
            "the note was added; the page `{}` has {} now",
            text("page"),
            counted("notes_on_page", "note")
        ),
        Tool::SendInvoiceEmail => {
            format!("`{}` was sent to {}", text("subject"), text("recipient"))
        }
    }
}
