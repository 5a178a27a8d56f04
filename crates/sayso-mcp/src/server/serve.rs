//! Where a service is served: over pipes, and behind a URL.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use ::http::{Request, Response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};

use super::answering::Answering;
use super::{Changes, Ending, HttpBody, MAX_RUNNING, Service};
use crate::downstream::{self, Endpoint, Limits, Options};

/// Serves over a pair of pipes until the input ends, the output breaks, or the service
/// disconnects.
///
/// Calls that are not through within half a second of the input's end are dropped.
///
/// # Errors
/// When a pipe breaks, or the client does not read what it is sent.
pub async fn serve<S, R, W>(
    service: Arc<S>,
    changes: Changes,
    input: R,
    output: W,
) -> io::Result<()>
where
    S: Service,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limits = limits(&changes);
    let answering = Arc::new(Answering::new(service, changes));
    ended(downstream::serve_pipe(answering, input, output, limits).await)
}

/// Serves over this process's standard input and output, as [`serve`].
///
/// When it returns, the process should end: that is what closes its output.
///
/// # Errors
/// As [`serve`].
pub async fn serve_stdio<S: Service>(service: Arc<S>, changes: Changes) -> io::Result<()> {
    let limits = limits(&changes);
    let answering = Arc::new(Answering::new(service, changes));
    ended(downstream::serve_stdio(answering, limits).await?)
}

fn limits(changes: &Changes) -> Limits {
    Limits {
        max_running: MAX_RUNNING,
        numbers: changes.numbers(),
        ..Limits::default()
    }
}

fn ended(ending: Ending) -> io::Result<()> {
    let kind = match ending {
        Ending::InputBroken => io::ErrorKind::UnexpectedEof,
        Ending::OutputBroken => io::ErrorKind::BrokenPipe,
        _ => return Ok(()),
    };
    Err(io::Error::new(kind, ending.to_string()))
}

/// Whom an endpoint answers. By default whoever names it, and comes from, this machine: that
/// keeps web pages out which have their name resolved to a loopback address (DNS rebinding).
#[derive(Clone, Debug, Default)]
pub struct HttpOptions {
    /// Names that `Host` may have besides those of this machine, without a port.
    pub hosts: Vec<String>,
    /// Values that `Origin` may have besides those of this machine, such as `https://example.com`.
    pub origins: Vec<String>,
}

/// An endpoint of Streamable HTTP: turns one HTTP request into one response. Listening is the
/// caller's. Clones are the same.
pub struct HttpEndpoint<S>(Endpoint<Answering<S>>);

impl<S> Clone for HttpEndpoint<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> fmt::Debug for HttpEndpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpEndpoint").field(&self.0).finish()
    }
}

impl<S: Service> HttpEndpoint<S> {
    /// An endpoint with no sessions yet.
    #[must_use]
    pub fn new(service: Arc<S>, changes: Changes, options: HttpOptions) -> Self {
        let options = Options {
            hosts: options.hosts,
            origins: options.origins,
            max_running: MAX_RUNNING,
            numbers: changes.numbers(),
            ..Options::default()
        };
        let answering = Arc::new(Answering::new(service, changes));
        Self(Endpoint::new(answering, options))
    }

    /// Answers a request, whatever its path.
    ///
    /// Needs a Tokio runtime with time. What a dropped future or response body means is the
    /// era's: in the modern one the request is cancelled, in the legacy one it is not.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        self.0.handle(request).await
    }
}
