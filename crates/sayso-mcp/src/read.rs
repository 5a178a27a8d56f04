//! From a target to its listing.

use std::time::Duration;

use sayso_core::listing::Listing;

use crate::client::Client;
use crate::error::ReadError;
use crate::options::ReadOptions;
use crate::target::Target;

/// A listing, and what else came to light while it was read.
#[derive(Debug)]
pub struct Reading {
    /// The listing. Each page's document is the whole answer, so that pointers into it begin
    /// with `/result/tools`.
    pub listing: Listing,
    /// What a person should know besides.
    pub notes: Vec<String>,
    /// The last lines the server wrote to its standard error, oldest first, as they came.
    pub stderr_tail: Vec<String>,
    /// From the start until the listing was there, without the server's end.
    pub took: Duration,
}

/// Reads the whole listing of a server: starts it or connects to it, shakes hands, asks for
/// every page, and ends what it started.
///
/// What goes wrong behind the first page, or is merely odd, does not stop the reading: the
/// listing is marked incomplete, or carries an observation. Dropping the future ends the
/// server too. Needs a tokio runtime with I/O and time enabled; a current-thread one will do.
/// On Linux call it from a thread that lives until the end: the supervisor takes the end of
/// the thread that started it for the end of the client.
///
/// # Errors
/// When there is no listing at all.
pub async fn read_listing(target: &Target, options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut client = Client::open(target, options).await?;
    let listed = client.walk().await;
    let took = client.age();
    let (listed, closed) = client.end(listed).await;
    let mut listing = listed?;
    for observation in closed.observations {
        listing.observe(observation.kind, observation.count, observation.detail);
    }
    Ok(Reading {
        listing,
        notes: closed.notes,
        stderr_tail: closed.stderr_tail,
        took,
    })
}
