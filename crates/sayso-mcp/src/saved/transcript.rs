//! Messages in the order they were written down.

use std::collections::HashMap;

use sayso_core::json::{Document, Limits, LineColumn, Value, line_column};
use sayso_core::listing::{Completeness, Listing, ObservationKind, ServerIdentity};

use super::{SavedErrorKind, find_message_in};
use crate::frames::EmbeddedMessages;
use crate::identity;
use crate::inbox::excerpt;
use crate::options::ReadLimits;
use crate::page::PageParts;
use crate::walk::{Step, Walk, difference};

/// Everything a transcript says about the listing.
#[derive(Default)]
pub(super) struct Transcript {
    identity: ServerIdentity,
    /// Whether a request for tools asks for a further page, by its id as JSON.
    asked: HashMap<String, bool>,
    walks: Vec<Walk>,
    /// Whether the last walk expects another page.
    open: Option<String>,
    pub(super) messages: usize,
    noise: usize,
    first_noise: Option<String>,
    /// The first line that seems to hold a page and cannot be read.
    pub(super) broken: Option<LineColumn>,
}

impl Transcript {
    /// One that begins with what is known about the server.
    pub(super) fn of(identity: ServerIdentity) -> Self {
        Self {
            identity,
            ..Self::default()
        }
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: &str, lines_before: usize) {
        let limits = Limits::default();
        let error = match Document::parse(line.to_owned(), &limits) {
            Ok(document) => {
                let root = document.root();
                let inner = find_message_in(root).map_or(root.index(), Value::index);
                self.parsed(&document, inner, lines_before);
                return;
            }
            Err(error) => error,
        };
        if let Some((before, message)) = EmbeddedMessages::new(line, &limits).next() {
            // Spaces in place of the text before it keep the columns.
            let mut text = " ".repeat(before.chars().count());
            text.push_str(message.document().text());
            if let Ok(document) = Document::parse(text, &limits) {
                let inner = document.root().index();
                self.parsed(&document, inner, lines_before);
                return;
            }
        }
        self.noise(line);
        if line.contains("\"tools\"") && line.contains("\"result\"") && self.broken.is_none() {
            let column = line_column(line, error.offset).column;
            self.broken = Some(LineColumn {
                line: lines_before + 1,
                column,
            });
        }
    }

    fn parsed(&mut self, document: &Document, inner: u32, lines_before: usize) {
        if let Some(value) = document.value(inner) {
            self.message(value, lines_before, || document.clone());
        }
    }

    fn noise(&mut self, text: &str) {
        self.noise += 1;
        self.first_noise.get_or_insert_with(|| excerpt(text));
    }

    /// Takes a value that should be a message. `document` is the one it stands in.
    pub(super) fn message(
        &mut self,
        value: Value<'_>,
        lines_before: usize,
        document: impl FnOnce() -> Document,
    ) {
        let id = value.get("id").map(|id| id.raw().to_owned());
        if let Some(method) = value.get("method").and_then(Value::as_str) {
            self.messages += 1;
            if let (Some(id), "tools/list") = (id, method.as_ref()) {
                self.asked
                    .insert(id, value.at(&["params", "cursor"]).is_some());
            }
            return;
        }
        let result = value
            .get("result")
            .or_else(|| value.get("tools").map(|_| value));
        let Some(result) = result else {
            if value.get("jsonrpc").is_some() {
                self.messages += 1
            } else {
                self.noise(value.raw())
            }
            return;
        };
        self.messages += 1;
        if let Some(server) = identity::from_handshake_result(result) {
            self.identity = server;
        } else if result.get("tools").is_some()
            && let Ok(parts) = PageParts::read(result)
        {
            let continues = match id.and_then(|id| self.asked.remove(&id)) {
                Some(with_cursor) => with_cursor,
                // Behind a page that came before there are only more of them.
                None => self.open.is_some() || self.repeats(),
            };
            self.page(document(), parts, lines_before, continues);
        }
    }

    /// Takes a page; `continues` tells whether it goes on where another one ended.
    pub(super) fn page(
        &mut self,
        document: Document,
        parts: PageParts,
        lines_before: usize,
        continues: bool,
    ) {
        if !continues || self.walks.is_empty() {
            self.walks
                .push(Walk::new(ServerIdentity::default(), ReadLimits::default()));
            self.open = None;
        } else if self.open.is_none() {
            // Behind the end of a walk, such as one that repeats itself.
            return;
        }
        let Some(walk) = self.walks.last_mut() else {
            return;
        };
        // A walk that begins in the middle is told by its request.
        self.open = match walk.take(document, parts, lines_before) {
            Step::Ask(cursor) => Some(cursor),
            Step::Done => None,
        };
    }

    fn repeats(&self) -> bool {
        self.walks.last().is_some_and(Walk::is_stopped)
    }

    /// The last walk is what the server listed in the end.
    pub(super) fn finish(self) -> Result<Listing, SavedErrorKind> {
        let mut walks: Vec<Listing> = self.walks.into_iter().map(Walk::finish).collect();
        let Some(mut listing) = walks.pop() else {
            return Err(SavedErrorKind::NoListing(
                "there is no answer to tools/list among its messages".to_owned(),
            ));
        };
        if let Some(differs) = walks
            .iter()
            .rev()
            .find_map(|earlier| difference(earlier, &listing))
        {
            listing.observe(ObservationKind::ListingDiffers, 1, differs);
        }
        listing.server = self.identity;
        if let Some(first) = self.first_noise {
            listing.observe(ObservationKind::NotJson, self.noise, first);
        }
        if let Some(cursor) = self.open {
            listing.completeness = Completeness::Incomplete(format!(
                "the file ends before the page at cursor \"{}\"",
                excerpt(&cursor)
            ));
        } else if let Some(at) = self.broken {
            listing.completeness = Completeness::Incomplete(format!(
                "line {} seems to hold a page and cannot be read (column {})",
                at.line, at.column
            ));
        }
        Ok(listing)
    }
}
