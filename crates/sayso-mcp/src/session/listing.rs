//! `tools/list`, page by page (MCP, "Pagination").

use sayso_core::listing::{Listing, ObservationKind, ServerIdentity};
use serde_json::Map;
use tokio::time::Instant;

use super::{Answer, Failure, Session, seconds};
use crate::connection::Transport;
use crate::error::ReadErrorKind;
use crate::jsonrpc::code;
use crate::options::{Progress, deadline};
use crate::page::PageParts;
use crate::walk::{Step, Walk, difference};

pub(super) const LIST: &str = "tools/list";

impl<T: Transport> Session<T> {
    /// Lists, and a second time where that is asked for.
    pub(crate) async fn list(&mut self) -> Result<Listing, Failure> {
        let deadline = deadline(Instant::now(), self.options.listing_timeout);
        let (server, has_tools) = (self.server.clone(), self.has_tools);
        let mut listing = match self.walk(server.clone(), deadline).await {
            Ok(walk) => walk.finish(),
            Err(Failure::Final(ReadErrorKind::Refused { error, .. }))
                if error.code == code::METHOD_NOT_FOUND && has_tools == Some(false) =>
            {
                self.note("the server does not declare that it has tools, and has no `tools/list`");
                return Ok(Walk::new(server, self.options.limits).finish());
            }
            Err(failure) => return Err(failure),
        };
        if has_tools == Some(false) && !listing.is_empty() {
            self.note("the server lists tools though it does not declare that it has any");
        }
        if self.options.read_twice {
            let differs = match self.walk(ServerIdentity::default(), deadline).await {
                Ok(second) => difference(&listing, second.listing()),
                Err(Failure::Final(kind)) => Some(format!("the second reading failed: {kind}")),
                Err(_) => Some("the server ended when it was asked a second time".to_owned()),
            };
            if let Some(differs) = differs {
                listing.observe(ObservationKind::ListingDiffers, 1, differs);
            }
        }
        self.connection.listed(&listing);
        Ok(listing)
    }

    /// All pages. What goes wrong behind the first one leaves a listing that is marked incomplete.
    async fn walk(&mut self, server: ServerIdentity, deadline: Instant) -> Result<Walk, Failure> {
        let mut walk = Walk::new(server, self.options.limits);
        let mut cursor = None;
        loop {
            let due = self.request_deadline().min(deadline);
            let step = match self.page(cursor.take(), due).await {
                Ok((document, parts)) => walk.take(document, parts, 0),
                Err(failure) if walk.listing().pages().is_empty() => return Err(failure),
                Err(failure) => {
                    walk.stop(self.reason(&failure, walk.listing().pages().len(), deadline))
                }
            };
            self.options.tell(Progress::Page {
                pages: walk.listing().pages().len(),
                tools: walk.listing().len(),
            });
            match step {
                Step::Ask(next) => cursor = Some(next),
                Step::Done => return Ok(walk),
            }
        }
    }

    async fn page(
        &mut self,
        cursor: Option<String>,
        deadline: Instant,
    ) -> Result<(sayso_core::json::Document, PageParts), Failure> {
        let params = cursor.map(|cursor| Map::from_iter([("cursor".to_owned(), cursor.into())]));
        let answer = match self.ask(LIST, params, deadline).await? {
            Answer::Result(answer) => answer,
            Answer::Error(error, _) => {
                return Err(ReadErrorKind::Refused {
                    request: LIST,
                    error,
                }
                .into());
            }
        };
        let malformed = |problem: String| ReadErrorKind::MalformedResult {
            request: LIST,
            problem,
        };
        let result = answer
            .result()
            .ok_or_else(|| malformed("has no result".to_owned()))?;
        let parts = PageParts::read(result).map_err(malformed)?;
        Ok((answer.into_document(), parts))
    }

    fn reason(&self, failure: &Failure, pages: usize, deadline: Instant) -> String {
        let why = match failure {
            Failure::Final(ReadErrorKind::NeverAnswered { .. }) if Instant::now() >= deadline => {
                return format!(
                    "stopped after {pages} pages: the listing took longer than {}",
                    seconds(self.options.listing_timeout)
                );
            }
            Failure::Final(kind) | Failure::PerhapsModern(kind) => kind.to_string(),
            Failure::Closed(_) => match self.connection.exit() {
                Some(exit) => format!("the server {exit}"),
                None => "the server ended".to_owned(),
            },
        };
        format!("page {} is missing: {why}", pages + 1)
    }
}
