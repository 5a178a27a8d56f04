//! Plain HTTP/1.1 to one origin over connections that are kept: what is left to do where there
//! is neither TLS nor a proxy. It costs a fraction of what a general client does, and it knows
//! of every request whether anything of it can have left.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Uri};
use http_body::Body as _;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::client::{CONNECT_TIMEOUT, USER_AGENT_TEXT, innermost};
use super::error::HttpError;
use crate::error::seconds;

/// How long a connection may lie idle. Many servers close theirs after five seconds, and a
/// request that meets the closing is lost without anybody knowing what became of it.
const MAX_IDLE: Duration = Duration::from_secs(4);

/// How many connections are kept.
const MAX_KEPT: usize = 64;

/// How long a kept connection may take to be ready: it has sent all of a response, and may
/// still have to notice.
const SETTLING: Duration = Duration::from_millis(1);

type Sender = SendRequest<Full<Bytes>>;

/// The connections to one origin.
pub(super) struct Direct {
    host: String,
    port: u16,
    authority: HeaderValue,
    idle: Arc<Idle>,
}

#[derive(Default)]
struct Idle(Mutex<VecDeque<(Sender, Instant)>>);

impl Direct {
    /// For the origin of this URL; `None` where it is none of plain HTTP, or has credentials in it.
    pub(super) fn new(url: &Url) -> Option<Self> {
        let plain = url.scheme() == "http" && url.username().is_empty() && url.password().is_none();
        let host = url.host_str().filter(|_| plain)?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Some(Self {
            authority: HeaderValue::try_from(authority).ok()?,
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port_or_known_default()?,
            idle: Arc::default(),
        })
    }

    /// Sends a request. `begun` is set once something of it may have left.
    pub(super) async fn send(
        &self,
        method: &Method,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        begun: &AtomicBool,
    ) -> Result<http::Response<DirectBody>, HttpError> {
        let mut request = self.request(method, url, headers, body)?;
        loop {
            let (mut sender, is_new) = match self.idle.take().await {
                Some(sender) => (sender, false),
                None => (self.connect().await?, true),
            };
            begun.store(true, Ordering::Relaxed);
            let mut error = match sender.try_send_request(request).await {
                Ok(response) => {
                    let idle = Arc::clone(&self.idle);
                    return Ok(response.map(|body| DirectBody {
                        body,
                        keep: Some((sender, idle)),
                    }));
                }
                Err(error) => error,
            };
            // What is handed back has not left: the connection was closed before.
            match error.take_message() {
                Some(unsent) if !is_new => request = unsent,
                unsent => {
                    begun.store(unsent.is_none(), Ordering::Relaxed);
                    let reason = innermost(&error.into_error());
                    return Err(HttpError::Broken { reason });
                }
            }
            begun.store(false, Ordering::Relaxed);
        }
    }

    fn request(
        &self,
        method: &Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, HttpError> {
        let target = match url.query() {
            Some(query) => Uri::try_from(format!("{}?{query}", url.path())),
            None => Uri::try_from(url.path()),
        };
        let target = target.map_err(|error| HttpError::Connect {
            reason: error.to_string(),
        })?;
        headers.insert(HOST, self.authority.clone());
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(USER_AGENT_TEXT));
        headers
            .entry(ACCEPT)
            .or_insert(HeaderValue::from_static("*/*"));
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method.clone();
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        Ok(request)
    }

    async fn connect(&self) -> Result<Sender, HttpError> {
        let opening = timeout(CONNECT_TIMEOUT, self.open()).await;
        opening.unwrap_or_else(|_| {
            Err(HttpError::Connect {
                reason: format!("no connection within {}", seconds(CONNECT_TIMEOUT)),
            })
        })
    }

    async fn open(&self) -> Result<Sender, HttpError> {
        let addresses = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let addresses = addresses.map_err(|error| HttpError::Dns {
            reason: error.to_string(),
        })?;
        let mut failed = None;
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    // Small messages are not to wait for each other; where that cannot be set, they do.
                    let _ = stream.set_nodelay(true);
                    return handshake(stream).await;
                }
                Err(error) => failed = Some(error),
            }
        }
        Err(match failed {
            Some(error) if error.kind() == io::ErrorKind::ConnectionRefused => HttpError::Refused,
            Some(error) => HttpError::Connect {
                reason: error.to_string(),
            },
            None => HttpError::Dns {
                reason: "the name has no address".to_owned(),
            },
        })
    }
}

async fn handshake(stream: TcpStream) -> Result<Sender, HttpError> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| HttpError::Connect {
            reason: innermost(&error),
        })?;
    // Whoever waits for a response learns how it ends.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

impl Idle {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Sender, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that was used last, if it is still good.
    async fn take(&self) -> Option<Sender> {
        loop {
            let (mut sender, since) = self.lock().pop_back()?;
            if since.elapsed() > MAX_IDLE {
                self.lock().clear();
                return None;
            }
            if sender.is_ready() {
                return Some(sender);
            }
            if !sender.is_closed() && matches!(timeout(SETTLING, sender.ready()).await, Ok(Ok(())))
            {
                return Some(sender);
            }
        }
    }

    fn put(&self, sender: Sender) {
        if sender.is_closed() {
            return;
        }
        let mut idle = self.lock();
        idle.push_back((sender, Instant::now()));
        while idle.len() > MAX_KEPT
            || idle
                .front()
                .is_some_and(|(_, since)| since.elapsed() > MAX_IDLE)
        {
            idle.pop_front();
        }
    }
}

/// The body of a response. Its connection is kept once the body has been read to its end.
pub(super) struct DirectBody {
    body: Incoming,
    keep: Option<(Sender, Arc<Idle>)>,
}

impl DirectBody {
    pub(super) fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// The next piece; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = if self.body.is_end_stream() {
                None
            } else {
                poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await
            };
            match frame {
                Some(Ok(frame)) => {
                    // Trailers say nothing that is of use here.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => {
                    self.keep = None;
                    return Err(HttpError::Broken {
                        reason: innermost(&error),
                    });
                }
                None => {
                    if let Some((sender, idle)) = self.keep.take() {
                        idle.put(sender);
                    }
                    return Ok(None);
                }
            }
        }
    }
}
