//! Streamable HTTP: the endpoint of [`sayso_mcp::server`] behind a socket.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use sayso_mcp::server::{Changes, HttpBody, HttpEndpoint, HttpOptions};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::Scratch;
use crate::journal::Record;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// How long a client may take for the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);

/// How long to leave off after a connection could not be accepted, as when there are too many
/// files open.
const PAUSE: Duration = Duration::from_millis(100);

impl Scratch {
    /// Serves at [`PATH`] on a listener, for as long as it is polled. Whoever names a host or
    /// comes from an origin that is not this machine is refused, which keeps web pages out.
    pub async fn serve_http(self: &Arc<Self>, listener: TcpListener, changes: Changes) {
        let endpoint = HttpEndpoint::new(Arc::clone(self), changes, HttpOptions::default());
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                // Forgets those that have ended.
                Some(_) = connections.join_next() => continue,
            };
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let (scratch, endpoint) = (Arc::clone(self), endpoint.clone());
            connections.spawn(async move {
                let service = service_fn(|request| {
                    let (scratch, endpoint) = (Arc::clone(&scratch), endpoint.clone());
                    async move { Ok::<_, Infallible>(scratch.respond(&endpoint, request).await) }
                });
                // An error is the end of one connection, which its client knows as well.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_PATIENCE)
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    }

    async fn respond(
        &self,
        endpoint: &HttpEndpoint<Self>,
        request: Request<Incoming>,
    ) -> Response<Either<HttpBody, Empty<Bytes>>> {
        if request.uri().path() == PATH {
            return endpoint.handle(request).await.map(Either::Left);
        }
        // Such as the metadata of an authorization server, which some clients look for.
        let method = format!("{} {}", request.method(), request.uri().path());
        self.note(None, Record::Received { method });
        let mut response = Response::new(Either::Right(Empty::new()));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }
}
