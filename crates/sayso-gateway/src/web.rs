//! Listening for hosts: `/mcp` is the endpoint, `/healthz` and `/metrics` are for whoever runs the
//! gate.
//!
//! The address is one of this machine, and whoever names another host or comes from another
//! origin is refused, on every path: that keeps web pages out which have their name resolved to a
//! loopback address (DNS rebinding).

mod pages;

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::registry::Registry;
use sayso_mcp::downstream::{Endpoint, HttpBody, Options, Stop};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use crate::host::{Hosts, Judge};

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// How long a client may take for the head of a request, and leave a connection unused.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);

/// Headers of one request.
const MAX_HEADERS: usize = 100;

/// Bytes of the head of one request.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// How long to leave off after a connection could not be accepted, as when there are too many
/// files open.
const PAUSE: Duration = Duration::from_millis(100);

/// What is said to a connection that is one too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// How the gate listens.
#[derive(Clone, Debug)]
pub struct WebOptions {
    /// Whom the endpoint answers, and how much of them it takes.
    pub endpoint: Options,
    /// Connections at once; more are turned away.
    pub connections: usize,
    /// How long requests may go on once it is told to stop.
    pub patience: Duration,
    /// Makes it stop.
    pub stop: Stop,
}

impl Default for WebOptions {
    /// 1,024 connections, 30 s.
    fn default() -> Self {
        Self {
            endpoint: Options::default(),
            connections: 1024,
            patience: Duration::from_secs(30),
            stop: Stop::default(),
        }
    }
}

/// Why an address cannot be listened at.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// It is no address.
    #[error(
        "cannot listen at `{address}`: {error}\nhint: an address and a port, such as `127.0.0.1:8931`"
    )]
    NoAddress {
        /// What was set.
        address: String,
        /// Why.
        error: io::Error,
    },
    /// Others than this machine could reach it, and nobody would know who they are.
    #[error(
        "cannot listen at `{address}`: other machines could call there, and nothing says who they \
         are\nhint: listen at `127.0.0.1` or `[::1]`"
    )]
    NotLoopback {
        /// What was set.
        address: String,
    },
    /// The system refused.
    #[error("cannot listen at `{address}`: {error}")]
    Refused {
        /// What was set.
        address: String,
        /// Why.
        error: io::Error,
    },
}

/// Begins to listen at an address of this machine.
///
/// # Errors
/// When it is no address, not one of this machine alone, or the system refuses.
pub async fn bind(address: &str) -> Result<TcpListener, BindError> {
    let name = address.to_owned();
    let found: Vec<SocketAddr> = {
        let name = name.clone();
        tokio::task::spawn_blocking(move || name.to_socket_addrs().map(Iterator::collect))
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(|error| BindError::NoAddress {
                address: name_of(address),
                error,
            })?
    };
    if !found.iter().all(|address| address.ip().is_loopback()) {
        return Err(BindError::NotLoopback { address: name });
    }
    TcpListener::bind(&*found)
        .await
        .map_err(|error| BindError::Refused {
            address: name_of(address),
            error,
        })
}

fn name_of(address: &str) -> String {
    sayso_core::reveal::reveal_line(address).into_owned()
}

struct Web<J: Judge> {
    endpoint: Endpoint<Hosts<J>>,
    hosts: Hosts<J>,
    registry: Arc<Registry>,
    stop: Stop,
}

/// Serves hosts on a listener until it is told to stop, and what runs has come to its end.
///
/// Needs a Tokio runtime with time and I/O.
pub async fn serve<J: Judge>(
    listener: TcpListener,
    hosts: Hosts<J>,
    registry: Arc<Registry>,
    options: WebOptions,
) {
    let web = Arc::new(Web {
        endpoint: Endpoint::new(Arc::new(hosts.clone()), options.endpoint),
        hosts,
        registry,
        stop: options.stop,
    });
    let places = Arc::new(Semaphore::new(options.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // Forgets those that have ended.
            Some(_) = connections.join_next() => continue,
            () = web.stop.stopped() => break,
        };
        let Ok((stream, remote)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                connections.spawn(connection(Arc::clone(&web), stream, remote, place));
            }
            Err(_) => {
                // What a client does not take at once it does not get.
                let _ = stream.try_write(FULL);
            }
        }
    }
    drop(listener);
    let end = async {
        web.endpoint.stop().await;
        while connections.join_next().await.is_some() {}
    };
    // What is not through by then is dropped.
    let _ = tokio::time::timeout(options.patience, end).await;
}

async fn connection<J: Judge>(
    web: Arc<Web<J>>,
    stream: TcpStream,
    remote: SocketAddr,
    _place: OwnedSemaphorePermit,
) {
    // Answers are short and waited for.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(remote);
        let web = Arc::clone(&web);
        async move { Ok::<_, Infallible>(web.respond(request).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    // An error is the end of one connection, which its client knows as well.
    tokio::select! {
        _ = &mut serving => {}
        () = web.stop.stopped() => {
            serving.as_mut().graceful_shutdown();
            let _ = serving.await;
        }
    }
}

impl<J: Judge> Web<J> {
    async fn respond(&self, request: Request<Incoming>) -> Response<Either<HttpBody, Full<Bytes>>> {
        match request.uri().path() {
            PATH => self.endpoint.handle(request).await.map(Either::Left),
            _ => self.page(request).map(Either::Right),
        }
    }
}
