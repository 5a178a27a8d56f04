//! What can go wrong with a server behind a URL, in words a person can act on.

use std::fmt;
use std::time::Duration;

use reqwest::StatusCode;
use sayso_core::json::ParseError;

use crate::error::{seconds, unless_limit};

/// Why a URL or a header cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It cannot be read as a URL.
    #[error("no URL: {reason}")]
    Url {
        /// What the URL parser says.
        reason: String,
    },
    /// It has a scheme that is not HTTP.
    #[error("`{scheme}` is no scheme an MCP server is reached with")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// A header's name holds characters that a name cannot have.
    #[error("`{name}` is no header name")]
    HeaderName {
        /// The name.
        name: String,
    },
    /// A header's value holds characters that a value cannot have. The value is not shown.
    #[error("the value of `{name}` cannot stand in a header")]
    HeaderValue {
        /// The header's name.
        name: String,
    },
    /// A header that the transport sets by itself.
    #[error("`{name}` is set by the protocol")]
    ReservedHeader {
        /// The header's name.
        name: String,
    },
    /// A bearer token without a character.
    #[error("the bearer token is empty")]
    EmptyToken,
}

impl TargetError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Url { .. } | Self::Scheme { .. } => {
                "give the whole URL, starting with https:// or http://"
            }
            Self::HeaderName { .. } => "write a header as `NAME: VALUE`",
            Self::HeaderValue { .. } => "a value is one line of visible characters",
            Self::ReservedHeader { .. } => "leave this header out",
            Self::EmptyToken => "set the environment variable that --bearer-env names",
        }
    }
}

/// What a request was waiting for when its time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The first line and the headers of the response.
    Response,
    /// The rest of a body.
    Body,
    /// The answer on an event stream.
    Event,
}

/// Why an HTTP exchange with a server failed. Nothing in it is a secret: URLs are shown
/// without what may be a key, and texts from the server without what was sent in confidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The HTTP client could not be set up; for `https` mostly because the machine has no root certificates.
    #[error("cannot set up TLS: {reason}")]
    Setup {
        /// What the TLS library says.
        reason: String,
    },
    /// Nothing listens there.
    #[error("the connection was refused")]
    Refused,
    /// The host's name leads nowhere.
    #[error("the host name cannot be resolved: {reason}")]
    Dns {
        /// What the resolver says.
        reason: String,
    },
    /// The server's certificate or its TLS is not acceptable.
    #[error("TLS failed: {reason}")]
    Tls {
        /// What the TLS library says.
        reason: String,
    },
    /// No connection for another reason.
    #[error("cannot connect: {reason}")]
    Connect {
        /// What the system says.
        reason: String,
    },
    /// The connection broke in the middle of a request or a response.
    #[error("the connection broke: {reason}")]
    Broken {
        /// What the HTTP library says.
        reason: String,
    },
    /// The server did not answer in time.
    #[error("the server {} within {}", missing(*.awaited, .request), seconds(*.waited))]
    TimedOut {
        /// What it was asked.
        request: &'static str,
        /// What was still missing.
        awaited: Awaited,
        /// How long it had.
        waited: Duration,
    },
    /// A redirect that is not followed.
    #[error("the server redirects to {to} ({}): {reason}", .status.as_u16())]
    Redirect {
        /// The status of the answer.
        status: StatusCode,
        /// Where the redirect leads.
        to: String,
        /// Why it is not followed.
        reason: RedirectRefusal,
    },
    /// Credentials are missing or not accepted (401).
    #[error("the server {} (401){}", if *.sent { "does not accept the credentials" } else { "wants credentials" }, challenge(.resource_metadata.as_ref(), .scheme.as_ref()))]
    Unauthorized {
        /// Whether any were sent.
        sent: bool,
        /// The scheme of `WWW-Authenticate`.
        scheme: Option<String>,
        /// The URL of the protected resource metadata (RFC 9728) that `WWW-Authenticate` names.
        resource_metadata: Option<String>,
    },
    /// Not allowed (403).
    #[error("the server does not allow this request (403){}", behind(.excerpt))]
    Forbidden {
        /// The scope the server asks for, as `WWW-Authenticate` names it.
        scope: Option<String>,
        /// The start of what the server says.
        excerpt: String,
    },
    /// Too many requests (429).
    #[error("the server has had too many requests (429){}", behind(.excerpt))]
    TooManyRequests {
        /// The value of `Retry-After`.
        retry_after: Option<String>,
        /// The start of what the server says.
        excerpt: String,
    },
    /// Any other status that is no success.
    #[error("the server answered {status}{}", behind(.excerpt))]
    Status {
        /// The status.
        status: StatusCode,
        /// The start of what the server says.
        excerpt: String,
    },
    /// The session the server gave out is gone (404 with a session id; MCP 2025-11-25, "Session Management").
    #[error("the server has ended the session (404)")]
    SessionEnded,
    /// A body of a kind that carries no messages.
    #[error("the server answered with {} instead of JSON or an event stream{}", kind(.content_type.as_ref()), behind(.excerpt))]
    ContentType {
        /// The content type, where there was one.
        content_type: Option<String>,
        /// The start of the body.
        excerpt: String,
    },
    /// A body that is no event stream where one was asked for.
    #[error("the server answered with {} instead of an event stream", kind(.content_type.as_ref()))]
    NoEventStream {
        /// The content type, where there was one.
        content_type: Option<String>,
    },
    /// A body that is compressed though no compression was asked for.
    #[error("the server answered with the content encoding `{encoding}`, which was not asked for")]
    Encoding {
        /// The content encoding.
        encoding: String,
    },
    /// A success without a body where an answer was due.
    #[error("the server answered a request with an empty body ({})", .status.as_u16())]
    EmptyBody {
        /// The status.
        status: StatusCode,
    },
    /// A body or an event that is not JSON, or goes past a limit on JSON.
    #[error("the server answered with {}{reason}{}", unless_limit("what is no JSON: ", &.reason.kind), behind(.excerpt))]
    NotJson {
        /// What the reader says.
        reason: ParseError,
        /// The start of the body.
        excerpt: String,
    },
    /// JSON that is no JSON-RPC message.
    #[error("the server answered with JSON that is no JSON-RPC message{}", behind(.excerpt))]
    NotJsonRpc {
        /// The start of the body.
        excerpt: String,
    },
    /// A message where the answer was due, and not the answer.
    #[error("the server answered with another message than the answer to request {asked}{}", behind(.excerpt))]
    NotTheAnswer {
        /// The id of the request.
        asked: String,
        /// The start of the message.
        excerpt: String,
    },
    /// An event stream that ended before the answer came.
    #[error("the server closed the event stream before it answered")]
    StreamClosed,
    /// No `endpoint` event, which HTTP+SSE starts with.
    #[error("the server did not send the `endpoint` event of HTTP+SSE")]
    NoEndpoint,
    /// An HTTP+SSE endpoint that would take messages, and the credentials with them, to another origin.
    #[error("the server wants messages sent to {endpoint}, which is another origin")]
    ForeignEndpoint {
        /// Where messages should go.
        endpoint: String,
    },
    /// An HTTP+SSE endpoint that is no URL.
    #[error("the server sent an `endpoint` event that holds no URL")]
    MalformedEndpoint,
    /// Neither HTTP transport works there.
    #[error("{}", both(*.post, .get))]
    NoTransport {
        /// How the POST of Streamable HTTP was answered.
        post: StatusCode,
        /// How the GET of HTTP+SSE ended.
        get: Box<HttpError>,
    },
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectRefusal {
    /// It leads to another origin, which must not get the credentials.
    OtherOrigin,
    /// It turns a POST into a GET (301, 302 and 303; RFC 9110 § 15.4).
    LosesMethod,
    /// It has no target.
    NoTarget,
    /// It comes after too many others.
    TooMany,
}

impl fmt::Display for RedirectRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherOrigin => {
                "that is another origin, which must not see this one's credentials"
            }
            Self::LosesMethod => "such a redirect loses the message",
            Self::NoTarget => "that is no URL",
            Self::TooMany => "that is one redirect too many",
        })
    }
}

impl HttpError {
    /// Whether HTTP itself refused the request, by a status of 400 to 499.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Unauthorized { .. } | Self::Forbidden { .. } | Self::TooManyRequests { .. } => {
                true
            }
            Self::Status { status, .. } => status.is_client_error(),
            _ => false,
        }
    }

    /// The status with which HTTP itself refused the request.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Unauthorized { .. } => Some(401),
            Self::Forbidden { .. } => Some(403),
            Self::TooManyRequests { .. } => Some(429),
            Self::Redirect { status, .. } | Self::Status { status, .. } => Some(status.as_u16()),
            _ => None,
        }
    }

    /// Whether something came as the answer that is none.
    pub(crate) fn is_malformed_answer(&self) -> bool {
        matches!(
            self,
            Self::ContentType { .. }
                | Self::Encoding { .. }
                | Self::EmptyBody { .. }
                | Self::NotJson { .. }
                | Self::NotJsonRpc { .. }
                | Self::NotTheAnswer { .. }
        )
    }

    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Setup { .. } => {
                "install the system's root certificates (often the package `ca-certificates`), or name a file of them in SSL_CERT_FILE"
            }
            Self::Refused => "check the port, and that the server is running",
            Self::Dns { .. } => "check the host name",
            Self::Tls { .. } => {
                "if the certificate is your own, name its issuer's file in SSL_CERT_FILE; if the server speaks plain HTTP, write http://"
            }
            Self::TimedOut {
                awaited: Awaited::Response,
                ..
            } => "check that this URL is the server's MCP endpoint and that the server is not busy",
            Self::Redirect { to, reason, .. } => return reason.hint(to),
            Self::Unauthorized { sent: true, .. } => {
                "the token may have expired, or be for another server"
            }
            Self::Unauthorized { sent: false, .. } => {
                "give credentials with `--bearer-env VARIABLE` or `--header 'NAME: VALUE'`"
            }
            Self::Forbidden {
                scope: Some(scope), ..
            } => return Some(format!("the token needs the scope `{scope}`")),
            Self::Forbidden { scope: None, .. } => {
                "the credentials may lack a right, or the server may not accept this host name"
            }
            Self::TooManyRequests { retry_after, .. } => {
                return Some(retry_hint(retry_after.as_deref()));
            }
            Self::Status { status, .. } => return status_hint(*status).map(str::to_owned),
            Self::SessionEnded => "try again",
            Self::ContentType { .. } | Self::NoEventStream { .. } | Self::NotJsonRpc { .. } => {
                "this may be a web page or another service: check that the URL is the server's MCP endpoint"
            }
            Self::NoTransport { post, get, .. } => {
                let known = if matches!(**get, Self::Status { .. }) {
                    None
                } else {
                    get.hint()
                };
                return known.or_else(|| status_hint(*post).map(str::to_owned));
            }
            Self::ForeignEndpoint { .. } => "if that origin is to be trusted, give a URL there",
            Self::Connect { .. }
            | Self::Broken { .. }
            | Self::Encoding { .. }
            | Self::EmptyBody { .. }
            | Self::TimedOut { .. }
            | Self::NotJson { .. }
            | Self::NotTheAnswer { .. }
            | Self::StreamClosed
            | Self::NoEndpoint
            | Self::MalformedEndpoint => return None,
        };
        Some(hint.to_owned())
    }
}

impl RedirectRefusal {
    fn hint(self, to: &str) -> Option<String> {
        match self {
            Self::OtherOrigin | Self::LosesMethod => Some(format!(
                "if that is the server you mean, give {to} as its URL"
            )),
            Self::NoTarget | Self::TooMany => None,
        }
    }
}

fn retry_hint(retry_after: Option<&str>) -> String {
    match retry_after {
        Some(value) if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("try again in {value} s")
        }
        Some(value) => format!("try again after {value}"),
        None => "try again later, or with fewer --jobs".to_owned(),
    }
}

fn status_hint(status: StatusCode) -> Option<&'static str> {
    match status.as_u16() {
        400 | 404 => Some("check the path: many servers have their MCP endpoint at /mcp or /sse"),
        405 => Some("this URL takes no messages: check that it is the server's MCP endpoint"),
        406 => Some(
            "the server takes neither JSON nor event streams as answers: check that this URL is its MCP endpoint",
        ),
        502..=504 => Some("the server behind this address is down or still starting: try again"),
        500..=599 => Some("the server failed: its own log says more"),
        _ => None,
    }
}

fn challenge(resource_metadata: Option<&String>, scheme: Option<&String>) -> String {
    match (resource_metadata, scheme) {
        (Some(url), _) => format!("; it says how to get them at {url}"),
        (None, Some(scheme)) => format!(", of the kind `{scheme}`"),
        (None, None) => String::new(),
    }
}

/// What came of the two transports: the second tells more, unless it was refused like the first.
fn both(post: StatusCode, get: &HttpError) -> String {
    match get {
        HttpError::Status { status: get, .. } => {
            format!(
                "the server answered {post} to the POST of Streamable HTTP, and {get} to the GET of HTTP+SSE"
            )
        }
        other => format!(
            "{other} (asked as an HTTP+SSE server, as it answered {post} to the POST of Streamable HTTP)"
        ),
    }
}

fn missing(awaited: Awaited, request: &str) -> String {
    match awaited {
        Awaited::Response => format!("did not answer `{request}`"),
        Awaited::Body => format!("did not finish its answer to `{request}`"),
        Awaited::Event => format!("opened an event stream and sent no answer to `{request}`"),
    }
}

fn kind(content_type: Option<&String>) -> &str {
    content_type.map_or("no content type", String::as_str)
}

/// A text behind a colon, or nothing.
fn behind(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(": {text}")
    }
}
