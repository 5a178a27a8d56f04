//! The six tools: what each says about itself, what it takes and what it does.

mod arguments;
mod run;

use std::fmt;

use sayso_core::hint::{Hint, Hints};
use serde_json::{Value, json};

pub use arguments::{ArgumentError, Arguments};
pub use run::{Outcome, run};

use crate::settings::HintSetting;

/// One of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// Reads.
    ListIndexes,
    /// Destroys; refuses an unknown index, and one that is being rebuilt.
    WipeIndex,
    /// Writes; a repeat changes nothing further.
    ReindexDocument,
    /// Destroys, and declares nothing at all.
    PurgeTenant,
    /// Adds; a repeat adds again.
    AppendNote,
    /// Reaches a person outside; nothing takes it back.
    SendInvoiceEmail,
}

/// An argument of a tool: always a string, always required.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The longest value taken, in characters.
    pub(crate) max_length: usize,
    /// The value where the tool is run aside by a call that has none.
    pub(crate) stand_in: &'static str,
}

/// An index's name, of several tools.
const INDEX: Parameter = Parameter {
    name: "index",
    description: "Index name, such as runbooks-v3.",
    max_length: 100,
    stand_in: "scratch-1",
};

impl Tool {
    /// All six, in the order they are listed.
    pub const ALL: [Self; 6] = [
        Self::ListIndexes,
        Self::WipeIndex,
        Self::ReindexDocument,
        Self::PurgeTenant,
        Self::AppendNote,
        Self::SendInvoiceEmail,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListIndexes => "list_indexes",
            Self::WipeIndex => "wipe_index",
            Self::ReindexDocument => "reindex_document",
            Self::PurgeTenant => "purge_tenant",
            Self::AppendNote => "append_note",
            Self::SendInvoiceEmail => "send_invoice_email",
        }
    }

    /// The tool with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The title beside the name (MCP 2025-06-18 and later), or that inside the annotations.
    const fn title(self) -> Title {
        match self {
            Self::ListIndexes => Title::Tool("List search indexes"),
            // Only inside the annotations, so that it shows which hosts read it there.
            Self::WipeIndex => Title::Annotations("Rebuild search index"),
            Self::ReindexDocument => Title::Tool("Reindex a document"),
            Self::PurgeTenant => Title::None,
            Self::AppendNote => Title::Tool("Append a note"),
            Self::SendInvoiceEmail => Title::Tool("Send an invoice by mail"),
        }
    }

    /// The title inside the annotations, if there is one.
    #[must_use]
    pub const fn annotation_title(self) -> Option<&'static str> {
        match self.title() {
            Title::Annotations(title) => Some(title),
            Title::Tool(_) | Title::None => None,
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::ListIndexes => {
                "List the search indexes: how many documents each holds, and whether it is ready."
            }
            Self::WipeIndex => {
                "Drop a search index and rebuild it from the primary store. Until the rebuild is \
                 done, searches find nothing; results pinned by hand are lost for good. An index \
                 that is already being rebuilt is refused."
            }
            Self::ReindexDocument => {
                "Take one document of an index into that index again, from the primary store. \
                 Doing it twice leaves what doing it once left."
            }
            Self::PurgeTenant => {
                "Delete a tenant with all records and invoices that belong to it. There is no way \
                 back."
            }
            Self::AppendNote => "Add a note below the notes of a page. What is there stays.",
            Self::SendInvoiceEmail => {
                "Send an invoice by mail to the tenant it is for. A mail that was sent cannot be \
                 called back."
            }
        }
    }

    pub(crate) const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::ListIndexes => &[],
            Self::WipeIndex => &[INDEX],
            Self::ReindexDocument => &[
                INDEX,
                Parameter {
                    name: "document",
                    description: "The document's id, such as rb-restore.",
                    max_length: 100,
                    stand_in: "sc-first",
                },
            ],
            Self::PurgeTenant => &[Parameter {
                name: "tenant",
                description: "The tenant's name, such as larkspur.",
                max_length: 100,
                stand_in: "larkspur",
            }],
            Self::AppendNote => &[
                Parameter {
                    name: "page",
                    description: "The page's name, such as on-call.",
                    max_length: 100,
                    stand_in: "on-call",
                },
                Parameter {
                    name: "text",
                    description: "The note.",
                    max_length: 2000,
                    stand_in: "Written aside.",
                },
            ],
            Self::SendInvoiceEmail => &[Parameter {
                name: "invoice",
                description: "The invoice's number, such as INV-1042.",
                max_length: 100,
                stand_in: "INV-1042",
            }],
        }
    }

    /// What the tool declares where the settings say nothing else: what is true of it, but for
    /// `purge_tenant`, which declares nothing.
    #[must_use]
    pub fn default_hints(self) -> Hints<HintSetting> {
        let [read_only, destructive, idempotent, open_world] = match self {
            Self::ListIndexes => [Some(true), None, None, None],
            Self::WipeIndex => [Some(false), Some(true), Some(false), Some(false)],
            Self::ReindexDocument => [Some(false), Some(false), Some(true), None],
            Self::PurgeTenant => [None; 4],
            Self::AppendNote => [Some(false), Some(false), Some(false), Some(false)],
            Self::SendInvoiceEmail => [Some(false), Some(false), Some(false), Some(true)],
        };
        Hints::from_fn(|hint| {
            let declared = match hint {
                Hint::ReadOnly => read_only,
                Hint::Destructive => destructive,
                Hint::Idempotent => idempotent,
                Hint::OpenWorld => open_world,
            };
            declared.map_or_else(HintSetting::omitted, HintSetting::declared)
        })
    }

    /// The listing entry without its annotations, as `"key":value` members.
    pub(crate) fn members(self) -> Vec<(&'static str, Value)> {
        let properties: serde_json::Map<String, Value> = self
            .parameters()
            .iter()
            .map(|parameter| {
                let schema = json!({
                    "type": "string",
                    "description": parameter.description,
                    "minLength": 1,
                    "maxLength": parameter.max_length,
                });
                (parameter.name.to_owned(), schema)
            })
            .collect();
        let required: Vec<&str> = self
            .parameters()
            .iter()
            .map(|parameter| parameter.name)
            .collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let mut members = vec![("name", json!(self.name()))];
        if let Title::Tool(title) = self.title() {
            members.push(("title", json!(title)));
        }
        members.push(("description", json!(self.description())));
        members.push(("inputSchema", schema));
        members
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a tool's title stands.
enum Title {
    Tool(&'static str),
    Annotations(&'static str),
    None,
}
