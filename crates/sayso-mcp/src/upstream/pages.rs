//! Lists of a server, page by page (MCP, "Pagination"), with the guards a listing has.

use std::collections::HashSet;
use std::time::Duration;

use sayso_core::json::{Document, Value};
use sayso_core::listing::{Completeness, Listing};
use tokio::time::Instant;

use super::{Outbound, SendError, Upstream};
use crate::inbox::excerpt;
use crate::jsonrpc::{Message, MessageKind, code};
use crate::options::{ReadLimits, deadline};
use crate::page::{PageParts, last};
use crate::walk::{Step, Walk};

/// How lists are read.
#[derive(Clone, Copy, Debug)]
pub struct Paging<'a> {
    /// The members of `_meta` that each request has: a JSON object; none in the legacy era.
    pub meta: Option<&'a str>,
    /// How much is read. `tools` counts items of any kind.
    pub limits: ReadLimits,
    /// How long each page may take.
    pub page_timeout: Duration,
    /// How long all pages together may take.
    pub timeout: Duration,
}

/// A list whose items are kept as they came.
#[derive(Clone, Debug)]
pub struct RawList {
    /// The value of `result` of each page, in the order they came.
    pub pages: Vec<Document>,
    /// Whether all pages are there.
    pub completeness: Completeness,
}

impl Upstream {
    /// Reads all tools. What goes wrong behind the first page leaves a listing that is marked
    /// incomplete. `next_key` gives keys for the requests ([`Outbound::key`]).
    ///
    /// # Errors
    /// When there is no listing at all, in words that continue "`tools/list` …".
    pub async fn list_tools(
        &self,
        paging: Paging<'_>,
        next_key: &(dyn Fn() -> u64 + Sync),
    ) -> Result<Listing, String> {
        let due = deadline(Instant::now(), paging.timeout);
        let mut walk = Walk::new(self.server().clone(), paging.limits);
        let mut cursor = None;
        loop {
            let asked = self.page("tools/list", cursor.as_deref(), paging, due, next_key());
            let page = match asked.await {
                Err(Missing::NoMethod(_)) if self.has_no("tools") => return Ok(walk.finish()),
                asked => asked.map_err(String::from).and_then(|message| {
                    let result = message.result().ok_or("was answered without a result")?;
                    let parts = PageParts::read(result)
                        .map_err(|problem| format!("got an answer that {problem}"))?;
                    Ok((message.into_document(), parts))
                }),
            };
            let pages = walk.listing().pages().len();
            let step = match page {
                Ok((document, parts)) => walk.take(document, parts, 0),
                Err(why) if pages == 0 => return Err(why),
                Err(why) => {
                    let why = format!("page {} is missing: `tools/list` {why}", pages + 1);
                    walk.stop(why)
                }
            };
            match step {
                Step::Ask(next) => cursor = Some(next),
                Step::Done => return Ok(walk.finish()),
            }
        }
    }

    /// Reads all pages of another list: `method` asks for it, `key` is the array in its results.
    /// `None` where the server does not have the method.
    ///
    /// # Errors
    /// When there is no page at all, in words that continue "the method …".
    pub async fn list_raw(
        &self,
        method: &str,
        key: &str,
        paging: Paging<'_>,
        next_key: &(dyn Fn() -> u64 + Sync),
    ) -> Result<Option<RawList>, String> {
        let due = deadline(Instant::now(), paging.timeout);
        let mut walk = RawWalk::new(key, paging.limits);
        let mut cursor = None;
        loop {
            let asked = self.page(method, cursor.as_deref(), paging, due, next_key());
            let page = match asked.await {
                Ok(message) => walk.take(&message),
                Err(Missing::NoMethod(_)) if walk.list.pages.is_empty() => return Ok(None),
                Err(missing) => Err(missing.into()),
            };
            match page {
                Ok(Some(next)) => cursor = Some(next),
                Ok(None) => return Ok(Some(walk.list)),
                Err(why) if walk.list.pages.is_empty() => return Err(why),
                Err(why) => {
                    let page = walk.list.pages.len() + 1;
                    walk.stop(format!("page {page} is missing: `{method}` {why}"));
                    return Ok(Some(walk.list));
                }
            }
        }
    }

    /// Whether the server says what it has, and this is not among it.
    fn has_no(&self, capability: &str) -> bool {
        let declared = self.hello().root().get("capabilities");
        declared.is_some_and(|all| all.get(capability).is_none_or(Value::is_null))
    }

    async fn page(
        &self,
        method: &str,
        cursor: Option<&str>,
        paging: Paging<'_>,
        due: Instant,
        key: u64,
    ) -> Result<Message, Missing> {
        let cursor =
            cursor.map(|cursor| format!(r#""cursor":{}"#, serde_json::Value::from(cursor)));
        let meta = paging.meta.map(|meta| format!(r#""_meta":{meta}"#));
        let members: Vec<String> = meta.into_iter().chain(cursor).collect();
        let params = (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")));
        let mut outbound = Outbound::new(key, method, params.as_deref());
        outbound.deadline = Some(deadline(Instant::now(), paging.page_timeout).min(due));
        let answer = self.request(outbound).await?;
        match answer.kind() {
            MessageKind::Error { error, .. } => {
                let said = format!("was refused: {error}");
                Err(match error.code {
                    code::METHOD_NOT_FOUND => Missing::NoMethod(said),
                    _ => Missing::Other(said),
                })
            }
            _ => Ok(answer),
        }
    }
}

/// Why a page is missing, in words that continue "the method …".
enum Missing {
    /// The server does not have the method.
    NoMethod(String),
    Other(String),
}

impl From<SendError> for Missing {
    fn from(error: SendError) -> Self {
        Self::Other(format!("was not answered: {error}"))
    }
}

impl From<Missing> for String {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::NoMethod(said) | Missing::Other(said) => said,
        }
    }
}

/// Pages of any kind, put together.
struct RawWalk<'a> {
    key: &'a str,
    limits: ReadLimits,
    list: RawList,
    cursors: HashSet<String>,
    items: usize,
    bytes: usize,
}

impl<'a> RawWalk<'a> {
    fn new(key: &'a str, limits: ReadLimits) -> Self {
        Self {
            key,
            limits,
            list: RawList {
                pages: Vec::new(),
                completeness: Completeness::Complete,
            },
            cursors: HashSet::new(),
            items: 0,
            bytes: 0,
        }
    }

    fn stop(&mut self, why: String) {
        self.list.completeness = Completeness::Incomplete(why);
    }

    /// Takes the next page: the cursor of the one behind it.
    ///
    /// # Errors
    /// When it is none, in words that continue "the method …".
    fn take(&mut self, message: &Message) -> Result<Option<String>, String> {
        let result = message.result().ok_or("was answered without a result")?;
        let array = last(result, self.key)
            .filter(|array| array.is_array())
            .ok_or_else(|| format!("got an answer without an array `{}`", self.key))?;
        let next = match last(result, "nextCursor").map(|cursor| (cursor, cursor.as_str())) {
            None => None,
            Some((_, Some(text))) if text.is_empty() => None,
            Some((_, Some(text))) => Some(text.into_owned()),
            Some((cursor, None)) if cursor.is_null() => None,
            Some((cursor, None)) => {
                let kind = cursor.kind().describe();
                self.stop(format!("`nextCursor` is {kind}, not a string"));
                None
            }
        };
        if self.has_page(array) {
            self.stop("the server sent a page a second time instead of the next one".to_owned());
            return Ok(None);
        }
        self.items += array.elements().count();
        self.bytes += result.raw().len();
        self.list.pages.push(Document::part(result));
        Ok(next.and_then(|next| self.goes_on(next)))
    }

    fn has_page(&self, array: Value<'_>) -> bool {
        let same = |page: &Document| {
            let other = last(page.root(), self.key);
            other.is_some_and(|other| other.raw() == array.raw())
        };
        array.elements().next().is_some() && self.list.pages.iter().any(same)
    }

    fn goes_on(&mut self, next: String) -> Option<String> {
        let (pages, limits) = (self.list.pages.len(), self.limits);
        let why = if self.cursors.contains(&next) {
            format!(
                "the server repeats itself from the cursor \"{}\" on",
                excerpt(&next)
            )
        } else if pages >= limits.pages {
            format!("stopped after {pages} pages, the most that are read")
        } else if self.items >= limits.tools {
            format!(
                "stopped after {} items; at most {} are read",
                self.items, limits.tools
            )
        } else if self.bytes >= limits.total_bytes {
            format!(
                "stopped after {} bytes; at most {} are read",
                self.bytes, limits.total_bytes
            )
        } else {
            self.cursors.insert(next.clone());
            return Some(next);
        };
        self.stop(why);
        None
    }
}
