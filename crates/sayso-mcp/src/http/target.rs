//! Where an HTTP server is, and what to send it besides messages.

use std::fmt;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::error::TargetError;

/// Which of the two HTTP transports a server is spoken to with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpKind {
    /// Streamable HTTP, and HTTP+SSE when the server refuses it in the way the
    /// specification describes (MCP 2025-11-25, "Transports", backwards compatibility).
    #[default]
    Auto,
    /// Streamable HTTP only (MCP 2025-03-26 and later).
    Streamable,
    /// HTTP+SSE only (MCP 2024-11-05).
    Sse,
}

/// An MCP server behind a URL.
///
/// Neither [`Debug`](fmt::Debug) nor an error shows what may be a secret: header values,
/// a user's name and password, the query, and path segments that look like a key.
#[derive(Clone)]
pub struct HttpTarget {
    pub(crate) url: Url,
    pub(super) headers: HeaderMap,
    pub(crate) kind: HttpKind,
}

/// Headers that belong to HTTP or to the protocol and are not the caller's to set.
const RESERVED: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

impl HttpTarget {
    /// The server at `url`, which is used as it stands: path, query and trailing slash stay.
    ///
    /// # Errors
    /// When it is no URL, or one of another scheme than `http` and `https`.
    pub fn new(url: &str) -> Result<Self, TargetError> {
        let parsed = Url::parse(url.trim()).map_err(|error| TargetError::Url {
            reason: error.to_string(),
        })?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(TargetError::Scheme {
                scheme: parsed.scheme().to_owned(),
            });
        }
        Ok(Self {
            url: parsed,
            headers: HeaderMap::new(),
            kind: HttpKind::Auto,
        })
    }

    /// With this transport instead of whichever the server takes.
    #[must_use]
    pub fn with_kind(mut self, kind: HttpKind) -> Self {
        self.kind = kind;
        self
    }

    /// With one more header on every request to the server's origin.
    ///
    /// # Errors
    /// When the name or the value cannot stand in a header, or the header is not the caller's to set.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, TargetError> {
        let name = HeaderName::try_from(name.trim()).map_err(|_| TargetError::HeaderName {
            name: name.trim().to_owned(),
        })?;
        if RESERVED.contains(&name.as_str()) {
            return Err(TargetError::ReservedHeader {
                name: name.to_string(),
            });
        }
        let mut value =
            HeaderValue::try_from(value.trim()).map_err(|_| TargetError::HeaderValue {
                name: name.to_string(),
            })?;
        value.set_sensitive(true);
        self.headers.append(name, value);
        Ok(self)
    }

    /// With `Authorization: Bearer TOKEN` on every request to the server's origin, instead of
    /// any other `Authorization`. White space around the token is taken off.
    ///
    /// # Errors
    /// When the token is empty or cannot stand in a header.
    pub fn with_bearer(mut self, token: &str) -> Result<Self, TargetError> {
        if token.trim().is_empty() {
            return Err(TargetError::EmptyToken);
        }
        self.headers.remove(AUTHORIZATION);
        self.with_header(AUTHORIZATION.as_str(), &format!("Bearer {}", token.trim()))
    }

    /// The URL without what may be a secret, for people.
    #[must_use]
    pub fn shown_url(&self) -> String {
        shown(&self.url)
    }

    pub(super) fn has_credentials(&self) -> bool {
        self.headers.contains_key(AUTHORIZATION)
            || !self.url.username().is_empty()
            || self.url.password().is_some()
    }
}

impl fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("HttpTarget")
            .field("url", &self.shown_url())
            .field("headers", &names)
            .field("kind", &self.kind)
            .finish()
    }
}

/// `reference` as seen from `base`. A user's name and password stay with their origin.
pub(super) fn resolve(base: &Url, reference: &str) -> Option<Url> {
    let mut url = base.join(reference).ok()?;
    let same = same_origin(base, &url);
    let (name, password) = if same {
        (base.username(), base.password())
    } else {
        ("", None)
    };
    // Only a URL without a host refuses; such a one is of another origin and never asked.
    let _ = url.set_username(name);
    let _ = url.set_password(password);
    Some(url)
}

/// Whether two URLs have the same scheme, host and port (RFC 6454 § 5).
pub(super) fn same_origin(one: &Url, other: &Url) -> bool {
    let origin = one.origin();
    origin.is_tuple() && origin == other.origin()
}

/// A URL without what may be a secret: some servers take their key in the path or the query.
pub(super) fn shown(url: &Url) -> String {
    let shown = |segment| {
        if looks_random(segment) {
            "…"
        } else {
            segment
        }
    };
    let segments = url.path().split('/').map(shown);
    let path = segments.collect::<Vec<_>>().join("/");
    let query = if url.query().is_some() { "?…" } else { "" };
    format!("{}{path}{query}", url.origin().ascii_serialization())
}

/// Whether a segment of a path may be a key: words and versions are shorter or without digits.
pub(super) fn looks_random(segment: &str) -> bool {
    segment.len() >= 16 && segment.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::{HttpTarget, resolve, same_origin, shown};

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn nothing_secret_is_shown() {
        let target =
            HttpTarget::new("https://ann:pass@example.test:8443/s/4f0c9e2ab7d1/mcp/?key=hush#part")
                .unwrap()
                .with_header("X-Api-Key", "hush")
                .unwrap()
                .with_bearer(" hush\n")
                .unwrap();
        insta::assert_snapshot!(
            format!("{target:?}"),
            @r#"HttpTarget { url: "https://example.test:8443/s/4f0c9e2ab7d1/mcp/?…", headers: ["x-api-key", "authorization"], kind: Auto }"#
        );
        assert_eq!(
            shown(&url("https://example.test/s/4f0c9e2ab7d14d5e/mcp")),
            "https://example.test/s/…/mcp"
        );
        assert_eq!(
            shown(&url("http://[::1]:3000/mcp/")),
            "http://[::1]:3000/mcp/"
        );
    }

    #[test]
    fn what_cannot_be_a_target_is_refused_with_its_reason() {
        let refused = |url: &str| HttpTarget::new(url).map(|_| ()).unwrap_err().to_string();
        insta::assert_snapshot!(refused("localhost:3000/mcp"), @"`localhost` is no scheme an MCP server is reached with");
        insta::assert_snapshot!(refused("/mcp"), @"no URL: relative URL without a base");
        let target = HttpTarget::new("http://localhost/mcp").unwrap();
        let header = |name: &str, value: &str| {
            target
                .clone()
                .with_header(name, value)
                .unwrap_err()
                .to_string()
        };
        insta::assert_snapshot!(header("Mcp-Session-Id", "1"), @"`mcp-session-id` is set by the protocol");
        insta::assert_snapshot!(header("X Key", "1"), @"`X Key` is no header name");
        insta::assert_snapshot!(header("X-Key", "hush\nhush"), @"the value of `x-key` cannot stand in a header");
        insta::assert_snapshot!(target.clone().with_bearer("\n").unwrap_err(), @"the bearer token is empty");
    }

    #[test]
    fn a_password_stays_with_its_origin() {
        let base = url("https://ann:pass@example.test/mcp");
        for reference in ["/messages?id=1", "https://example.test/messages?id=1"] {
            let endpoint = resolve(&base, reference).unwrap();
            assert_eq!(
                endpoint.as_str(),
                "https://ann:pass@example.test/messages?id=1"
            );
            assert!(same_origin(&base, &endpoint));
        }
        for other in [
            "https://example.test:444/",
            "http://example.test/",
            "//other.test/",
            "data:,x",
        ] {
            let endpoint = resolve(&base, other).unwrap();
            assert!(!same_origin(&base, &endpoint), "{other}");
            assert!(endpoint.password().is_none(), "{other}");
        }
    }
}
