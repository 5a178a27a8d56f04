//! Pages, put together into one listing that is complete or says why not.

use std::collections::{HashMap, HashSet};

use sayso_core::json::{Document, Value};
use sayso_core::listing::{Completeness, Listing, ObservationKind, Page, ServerIdentity};

use crate::inbox::excerpt;
use crate::options::ReadLimits;
use crate::page::{Next, PageParts};

/// A listing in the making.
#[derive(Debug)]
pub(crate) struct Walk {
    listing: Listing,
    limits: ReadLimits,
    bytes: usize,
    cursors: HashSet<String>,
    /// Where the array of tools of each page is.
    arrays: Vec<u32>,
    names: HashSet<String>,
}

/// How a walk goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next page has to be asked for with this cursor.
    Ask(String),
    /// That was all, or all there will be.
    Done,
}

impl Walk {
    pub(crate) fn new(server: ServerIdentity, limits: ReadLimits) -> Self {
        Self {
            listing: Listing::new(server),
            limits,
            bytes: 0,
            cursors: HashSet::new(),
            arrays: Vec::new(),
            names: HashSet::new(),
        }
    }

    /// The listing as it is so far.
    pub(crate) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// The listing, to keep.
    pub(crate) fn finish(self) -> Listing {
        self.listing
    }

    /// Ends the walk before its time.
    pub(crate) fn stop(&mut self, why: impl Into<String>) -> Step {
        self.listing.completeness = Completeness::Incomplete(why.into());
        Step::Done
    }

    /// Whether it was ended before its time.
    pub(crate) fn is_stopped(&self) -> bool {
        self.listing.completeness != Completeness::Complete
    }

    /// Takes the next page.
    pub(crate) fn take(
        &mut self,
        document: Document,
        parts: PageParts,
        lines_before: usize,
    ) -> Step {
        for pointer in parts.duplicates {
            let detail = format!("{pointer}; the last one was read, as most readers do");
            self.listing
                .observe(ObservationKind::DuplicateKey, 1, detail);
        }
        let cursor_came_before = match &parts.next {
            Next::Cursor(cursor) => !self.cursors.insert(cursor.clone()),
            Next::Last | Next::Malformed(_) => false,
        };
        if self.has_page(&document, parts.tools, cursor_came_before) {
            return self.repeated(&parts.next);
        }
        self.append(document, parts.tools, lines_before);
        if cursor_came_before {
            return self.repeated(&parts.next);
        }
        match parts.next {
            Next::Last => Step::Done,
            Next::Malformed(kind) => self.stop(format!("`nextCursor` is {kind}, not a string")),
            Next::Cursor(cursor) => match self.over_limit() {
                Some(why) => self.stop(why),
                None => Step::Ask(cursor),
            },
        }
    }

    fn append(&mut self, document: Document, tools: u32, lines_before: usize) {
        let message = document.root().span();
        self.bytes += message.end - message.start;
        self.arrays.push(tools);
        if let Some(array) = document.value(tools) {
            self.names.extend(array.elements().filter_map(name));
        }
        let page = Page {
            document,
            lines_before,
        };
        self.listing.push_page(page, tools);
    }

    /// Whether a page was there before: byte for byte, or by its names when its cursor was.
    fn has_page(&self, document: &Document, tools: u32, cursor_came_before: bool) -> bool {
        let Some(array) = document.value(tools) else {
            return false;
        };
        if array.elements().next().is_none() {
            return false;
        }
        let same = |(page, index): (&Page, &u32)| {
            page.document
                .value(*index)
                .is_some_and(|other| other.raw() == array.raw())
        };
        let all_names = || {
            array
                .elements()
                .all(|tool| name(tool).is_some_and(|name| self.names.contains(&name)))
        };
        self.listing.pages().iter().zip(&self.arrays).any(same) || cursor_came_before && all_names()
    }

    fn repeated(&mut self, next: &Next) -> Step {
        let (detail, why) = match next {
            Next::Cursor(cursor) => {
                let cursor = excerpt(cursor);
                let why = format!(
                    "the server repeats itself from the cursor \"{cursor}\" on, so there may be more tools"
                );
                (format!("cursor \"{cursor}\""), why)
            }
            Next::Last | Next::Malformed(_) => (
                "the last page".to_owned(),
                "the server sent a page a second time instead of the next one".to_owned(),
            ),
        };
        self.listing
            .observe(ObservationKind::CursorRepeated, 1, detail);
        self.stop(why)
    }

    fn over_limit(&self) -> Option<String> {
        let limits = self.limits;
        if self.listing.pages().len() >= limits.pages {
            Some(format!(
                "stopped after {} pages, the most that are read",
                limits.pages
            ))
        } else if self.listing.len() >= limits.tools {
            Some(format!(
                "stopped after {} tools; at most {} are read",
                self.listing.len(),
                limits.tools
            ))
        } else if self.bytes >= limits.total_bytes {
            Some(format!(
                "stopped after {} bytes; at most {} are read",
                self.bytes, limits.total_bytes
            ))
        } else {
            None
        }
    }
}

fn name(tool: Value<'_>) -> Option<String> {
    tool.get("name")
        .and_then(Value::as_str)
        .map(std::borrow::Cow::into_owned)
}

/// How two readings of the same server differ, in words; `None` when they hold the same tools.
/// The order of tools and of keys does not count.
pub(crate) fn difference(first: &Listing, second: &Listing) -> Option<String> {
    let mut unmatched: HashMap<String, Vec<Content<'_>>> = HashMap::new();
    for (label, content) in labelled(second) {
        unmatched.entry(label).or_default().push(content);
    }
    let mut changes = Vec::new();
    for (label, content) in labelled(first) {
        let others = unmatched.entry(label.clone()).or_default();
        match others.iter().position(|other| *other == content) {
            Some(same) => drop(others.swap_remove(same)),
            None if others.is_empty() => changes.push(format!("{label} is gone")),
            None => {
                others.pop();
                changes.push(format!("{label} changed"));
            }
        }
    }
    for (label, _) in labelled(second) {
        if unmatched
            .get_mut(&label)
            .is_some_and(|others| others.pop().is_some())
        {
            changes.push(format!("{label} is new"));
        }
    }
    let shown = changes
        .iter()
        .take(5)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match changes.len() {
        0 => None,
        1..=5 => Some(shown),
        more => Some(format!("{shown} and {} more", more - 5)),
    }
}

/// What a tool says, for comparing.
#[derive(PartialEq)]
enum Content<'a> {
    /// Order of keys and spelling of numbers do not count.
    Value(serde_json::Value),
    /// With repeated keys or what `serde_json` cannot hold, only the same bytes are the same.
    Bytes(&'a str),
}

fn labelled(listing: &Listing) -> Vec<(String, Content<'_>)> {
    let tools = listing.tools();
    tools
        .map(|tool| (excerpt(&tool.label()), Content::of(tool.value())))
        .collect()
}

impl<'a> Content<'a> {
    fn of(tool: Value<'a>) -> Self {
        match tool.to_serde() {
            Some(content) if tool.document().duplicates().is_empty() => Self::Value(content),
            _ => Self::Bytes(tool.raw()),
        }
    }
}
