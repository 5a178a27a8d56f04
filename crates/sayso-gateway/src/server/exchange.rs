//! What a server needs of the host whose request it runs.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A future that borrows.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A request of a host, as the server that runs it sees it.
pub trait HostExchange: Send + Sync + 'static {
    /// The host's session, which conversations of its own belong to.
    fn session(&self) -> u64;

    /// What the host declares it can do: a JSON object.
    fn capabilities(&self) -> String;

    /// The members of `_meta` by which a modern server is told of the host: a JSON object.
    fn meta(&self) -> String;

    /// The least level of log messages the host wants; none where it did not say.
    fn log_level(&self) -> Option<String>;

    /// Tells the host something about this request; false when nobody listens any more.
    fn notify<'a>(&'a self, method: &'a str, params: Option<&'a str>) -> Pending<'a, bool>;

    /// Asks the host something for the server: the raw result of its answer.
    fn ask<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a str>,
        timeout: Duration,
    ) -> Pending<'a, Result<String, Unasked>>;
}

/// Why a host gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// It cannot be asked that.
    Impossible,
    /// It did not answer in time.
    TimedOut,
    /// It is gone.
    Gone,
    /// It answered with this error object, as JSON.
    Refused(String),
}
