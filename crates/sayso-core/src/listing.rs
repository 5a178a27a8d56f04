//! What one server listed, complete or marked incomplete, with everything odd that was seen on the way.

use crate::json::{Document, Value};
use crate::tool::Tool;

/// Which protocol a listing was taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// Up to 2025-11-25: a handshake with `initialize`.
    Legacy,
    /// From 2026-07-28: `server/discover` and `_meta` on each request.
    Modern,
}

/// Who answered, in its own words: never a ground for a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerIdentity {
    /// `serverInfo.name`.
    pub name: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// The protocol version both sides agreed on.
    pub protocol_version: Option<String>,
    /// The era it was spoken in; `None` for a saved listing.
    pub era: Option<Era>,
    /// The instructions the server has for the model.
    pub instructions: Option<String>,
}

/// Whether all pages are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Every page was read.
    Complete,
    /// Some are missing, and why.
    Incomplete(String),
}

/// Something odd that was seen while the listing was read. Nothing here stops a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// What it was.
    pub kind: ObservationKind,
    /// How often.
    pub count: usize,
    /// The first of them, shortened, or whatever explains it best.
    pub detail: String,
}

/// The odd things a reading can meet.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ObservationKind {
    /// Lines on standard output that are not JSON.
    NotJson,
    /// Lines that are JSON but not JSON-RPC, such as `{"level":"info"}`.
    NotJsonRpc,
    /// A message glued behind other text on its line.
    GluedMessage,
    /// A byte order mark before the first message.
    ByteOrderMark,
    /// An answer with an id nobody asked with.
    UnknownId,
    /// A key repeated in a message outside its tools.
    DuplicateKey,
    /// A cursor that came a second time; the repeated page was left out.
    CursorRepeated,
    /// A second reading gave other tools than the first.
    ListingDiffers,
    /// The two protocol eras list different tools.
    ErasDiffer,
    /// `notifications/tools/list_changed` while nothing was asked to change.
    ListChanged,
    /// The server answered with another protocol version than it was asked with.
    VersionNegotiated,
    /// Processes of the server that were still there after it ended, and were ended.
    LeftoverProcess,
    /// The server did not end when its input closed and had to be signalled.
    SignalledToStop,
}

/// One answer to `tools/list`.
#[derive(Clone, Debug)]
pub struct Page {
    /// The whole message, or the whole saved file.
    pub document: Document,
    /// How many lines of the file come before this document; 0 unless it is one of several JSON lines.
    pub lines_before: usize,
}

#[derive(Clone, Copy, Debug)]
struct ToolIndex {
    page: usize,
    value: u32,
}

/// What one server listed.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Who answered.
    pub server: ServerIdentity,
    /// Whether all pages are there.
    pub completeness: Completeness,
    /// What was odd on the way.
    pub observations: Vec<Observation>,
    pages: Vec<Page>,
    tools: Vec<ToolIndex>,
}

impl Default for Listing {
    fn default() -> Self {
        Self::new(ServerIdentity::default())
    }
}

impl Listing {
    /// A listing without pages yet.
    #[must_use]
    pub fn new(server: ServerIdentity) -> Self {
        Self {
            server,
            completeness: Completeness::Complete,
            observations: Vec::new(),
            pages: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// Adds a page: `tools` is the index ([`Value::index`]) of the array of tools in `page`.
    pub fn push_page(&mut self, page: Page, tools: u32) {
        let number = self.pages.len();
        if let Some(array) = page.document.value(tools) {
            self.tools.extend(array.elements().map(|tool| ToolIndex {
                page: number,
                value: tool.index(),
            }));
        }
        self.pages.push(page);
    }

    /// The pages in the order they came.
    #[must_use]
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tool at a position.
    #[must_use]
    pub fn tool(&self, position: usize) -> Option<Tool<'_>> {
        let index = self.tools.get(position)?;
        let value = self.pages.get(index.page)?.document.value(index.value)?;
        Some(Tool::new(value, index.page, position))
    }

    /// All tools in the order they came.
    pub fn tools(&self) -> impl Iterator<Item = Tool<'_>> {
        (0..self.len()).filter_map(|position| self.tool(position))
    }

    /// Where a value of a page stands.
    #[must_use]
    pub fn location(&self, page: usize, value: Value<'_>) -> crate::finding::Location {
        crate::finding::Location {
            page,
            pointer: value.pointer(),
            span: value.span(),
        }
    }

    /// Notes something odd; a kind already noted is counted up.
    pub fn observe(&mut self, kind: ObservationKind, count: usize, detail: impl Into<String>) {
        match self
            .observations
            .iter_mut()
            .find(|observation| observation.kind == kind)
        {
            Some(observation) => observation.count += count,
            None => self.observations.push(Observation {
                kind,
                count,
                detail: detail.into(),
            }),
        }
    }
}
