//! One HTTP exchange: credentials stay with their origin, bodies stay under the cap, and
//! every failure is told in our own words.

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, StatusCode, Url};
use sayso_core::json::Limits;

use super::direct::Direct;
use super::error::{HttpError, RedirectRefusal};
use super::response::Response;
use super::target::{HttpTarget, looks_random, resolve, same_origin, shown};
use crate::connection::ConnectionError;
use crate::error::seconds;

/// How many redirects in a row are followed.
const MAX_REDIRECTS: usize = 5;

/// How long a connection may take: a host that drops packets says nothing at all.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) const USER_AGENT_TEXT: &str = concat!("sayso/", env!("CARGO_PKG_VERSION"));

/// The most characters of a body that an error repeats.
const EXCERPT_CHARACTERS: usize = 160;

/// What requests go through.
enum Via {
    /// Connections of our own: plain HTTP that no proxy is set for.
    Direct(Direct),
    /// The HTTP library.
    Library(reqwest::Client),
}

/// An HTTP client for one target.
pub(crate) struct HttpClient {
    via: Via,
    target: HttpTarget,
    limits: Limits,
}

impl HttpClient {
    /// Sets the client up. Root certificates are read for `https` only: that takes time.
    pub(crate) fn new(target: HttpTarget, limits: Limits) -> Result<Self, HttpError> {
        let direct = Direct::new(&target.url).filter(|_| !is_proxied(&target.url));
        let via = match direct {
            Some(direct) => Via::Direct(direct),
            None => Via::Library(Self::library(&target)?),
        };
        Ok(Self {
            via,
            target,
            limits,
        })
    }

    fn library(target: &HttpTarget) -> Result<reqwest::Client, HttpError> {
        let setup = |reason: String| HttpError::Setup { reason };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| setup(error.to_string()))?;
        let tls = if target.url.scheme() == "https" {
            use rustls_platform_verifier::BuilderVerifierExt as _;
            versions
                .with_platform_verifier()
                .map_err(|error| setup(error.to_string()))?
        } else {
            // No redirect leads from http to https, so that nothing is verified with this.
            versions.with_root_certificates(rustls::RootCertStore::empty())
        };
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls.with_no_client_auth())
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(USER_AGENT_TEXT);
        if is_loopback(&target.url) {
            // A proxy from the environment cannot reach this machine's own servers.
            builder = builder.no_proxy();
        }
        builder.build().map_err(|error| setup(innermost(&error)))
    }

    pub(crate) fn target(&self) -> &HttpTarget {
        &self.target
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sends a request and follows redirects that keep both the origin and the method.
    pub(crate) async fn send(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response, HttpError> {
        let begun = AtomicBool::new(false);
        self.send_noting(method, url, headers, body, &begun).await
    }

    /// As [`send`](Self::send). `begun` is false while the server has certainly got nothing of
    /// the request, also when this fails or is dropped.
    pub(crate) async fn send_noting(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: Bytes,
        begun: &AtomicBool,
    ) -> Result<Response, HttpError> {
        let mut next = None;
        for _ in 0..=MAX_REDIRECTS {
            let url = next.as_ref().unwrap_or(url);
            let response = self.exchange(method, url, headers, &body, begun).await?;
            match self.redirect(url, method, &response)? {
                Some(to) => next = Some(to),
                None => return encoding_checked(response),
            }
        }
        Err(HttpError::Redirect {
            status: StatusCode::TEMPORARY_REDIRECT,
            to: shown(next.as_ref().unwrap_or(url)),
            reason: RedirectRefusal::TooMany,
        })
    }

    /// One request and its response.
    async fn exchange(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: &Bytes,
        begun: &AtomicBool,
    ) -> Result<Response, HttpError> {
        let mut all = self.target.headers.clone();
        // Theirs last: they replace what the caller set.
        for (name, value) in headers {
            all.insert(name, value.clone());
        }
        match &self.via {
            Via::Direct(direct) => {
                let response = direct.send(method, url, all, body.clone(), begun).await?;
                Ok(Response::direct(response, url.clone()))
            }
            Via::Library(library) => {
                let mut request = library.request(method.clone(), url.clone()).headers(all);
                if *method == Method::POST {
                    request = request.body(body.clone());
                }
                begun.store(true, Ordering::Relaxed);
                match request.send().await {
                    Ok(response) => Ok(Response::library(response)),
                    Err(error) => {
                        begun.store(!error.is_connect(), Ordering::Relaxed);
                        Err(failure(error))
                    }
                }
            }
        }
    }

    /// Where a response redirects to, if it does and may be followed.
    fn redirect(
        &self,
        url: &Url,
        method: &Method,
        response: &Response,
    ) -> Result<Option<Url>, HttpError> {
        let status = response.status();
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let location = response.headers().get(LOCATION);
        let text = location.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let next = text.as_deref().and_then(|location| resolve(url, location));
        let keeps_method = matches!(status.as_u16(), 307 | 308) || *method == Method::GET;
        let reason = match &next {
            None => RedirectRefusal::NoTarget,
            Some(next) if !same_origin(&self.target.url, next) => RedirectRefusal::OtherOrigin,
            Some(_) if !keeps_method => RedirectRefusal::LosesMethod,
            Some(_) => return Ok(next),
        };
        let to = next.as_ref().map_or_else(|| "nowhere".to_owned(), shown);
        Err(HttpError::Redirect { status, to, reason })
    }

    /// The whole body, up to the cap.
    pub(crate) async fn body(&self, response: Response) -> Result<Vec<u8>, ConnectionError> {
        let max_bytes = self.limits.max_bytes;
        let (body, complete) = self.start_of_body(response, max_bytes).await?;
        if complete {
            Ok(body)
        } else {
            Err(ConnectionError::TooLong { max_bytes })
        }
    }

    /// At most the first `max_bytes` of a body, and whether that is all of it.
    pub(crate) async fn start_of_body(
        &self,
        mut response: Response,
        max_bytes: usize,
    ) -> Result<(Vec<u8>, bool), HttpError> {
        let announced = response
            .content_length()
            .and_then(|length| usize::try_from(length).ok())
            .unwrap_or(0);
        let mut body = Vec::with_capacity(announced.min(max_bytes));
        while let Some(chunk) = response.chunk().await? {
            let room = max_bytes - body.len();
            if let Some((head, _)) = chunk
                .split_at_checked(room)
                .filter(|(_, rest)| !rest.is_empty())
            {
                body.extend_from_slice(head);
                return Ok((body, false));
            }
            body.extend_from_slice(&chunk);
        }
        Ok((body, true))
    }

    /// What a success without an answer in it means.
    pub(crate) async fn no_answer(&self, response: Response) -> ConnectionError {
        let status = response.status();
        let content_type = media_type(&response);
        match self.start_of_body(response, 1 << 10).await {
            Ok((body, _)) if body.is_empty() => HttpError::EmptyBody { status }.into(),
            Ok((body, _)) => HttpError::ContentType {
                content_type,
                excerpt: self.excerpt(&body),
            }
            .into(),
            Err(error) => error.into(),
        }
    }

    /// The start of a text from the server, on one line, without the secrets it may repeat.
    pub(crate) fn excerpt(&self, body: &[u8]) -> String {
        let head = body.get(..body.len().min(8 << 10)).unwrap_or(body);
        let mut text = String::from_utf8_lossy(head).into_owned();
        for secret in self.secrets() {
            text = text.replace(&secret, "***");
        }
        if text.trim_start().starts_with('<') {
            text = without_tags(&text);
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut characters = words.chars();
        let mut excerpt: String = characters.by_ref().take(EXCERPT_CHARACTERS).collect();
        if characters.next().is_some() {
            excerpt.push('…');
        }
        sayso_core::reveal::reveal_line(&excerpt).into_owned()
    }

    /// What was sent in confidence: header values word by word, and what a URL can hold of a key.
    fn secrets(&self) -> impl Iterator<Item = String> {
        let url = &self.target.url;
        let values = self.target.headers.values();
        let headers = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(' '));
        let raw_query = url.query().unwrap_or_default().split('&');
        let parameters = raw_query.filter_map(|pair| Some(pair.split_once('=')?.1));
        let segments = url
            .path()
            .split('/')
            .filter(|segment| looks_random(segment));
        let sent = headers
            .chain(parameters)
            .chain(segments)
            .chain(url.password())
            .map(str::to_owned);
        let decoded = url.query_pairs().map(|(_, value)| value.into_owned());
        // A shorter one is no secret, and taking it out would garble the text.
        sent.chain(decoded)
            .filter(|secret| secret.len() >= 6 && secret != "Bearer")
    }
}

/// What is left of a page of HTML or XML when its tags are taken out.
fn without_tags(page: &str) -> String {
    let behind_tags = |part: &str| part.split_once('>').map(|(_, text)| format!(" {text}"));
    page.split('<').filter_map(behind_tags).collect()
}

fn encoding_checked(response: Response) -> Result<Response, HttpError> {
    match response.headers().get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(HttpError::Encoding {
                encoding: String::from_utf8_lossy(encoding.as_bytes()).into_owned(),
            })
        }
        _ => Ok(response),
    }
}

/// The media type of a response without its parameters, in lower case (RFC 9110 § 8.3.1).
pub(crate) fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    let text = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
    text.split(';')
        .next()
        .map(|media_type| media_type.trim().to_owned())
}

/// Whether the environment names a proxy that the URL may be reached through.
fn is_proxied(url: &Url) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_loopback(url)
        && ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
            .into_iter()
            .any(is_set)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<std::net::IpAddr>();
    address.map_or(host == "localhost", |address| address.is_loopback())
}

/// A failure of the HTTP library in our own words.
pub(crate) fn failure(error: reqwest::Error) -> HttpError {
    // Its text would repeat the URL as it is.
    let error = error.without_url();
    let error = &error;
    if error.is_dns() {
        return HttpError::Dns {
            reason: innermost(error),
        };
    }
    if let Some(tls) = causes(error).find_map(|cause| behind_io::<rustls::Error>(cause)) {
        return HttpError::Tls {
            reason: tls_reason(tls),
        };
    }
    let refused = |io: &std::io::Error| io.kind() == std::io::ErrorKind::ConnectionRefused;
    if causes(error).any(|cause| cause.downcast_ref().is_some_and(refused)) {
        return HttpError::Refused;
    }
    match (error.is_connect(), error.is_timeout()) {
        (true, true) => HttpError::Connect {
            reason: format!("no connection within {}", seconds(CONNECT_TIMEOUT)),
        },
        (true, false) => HttpError::Connect {
            reason: innermost(error),
        },
        (false, _) => HttpError::Broken {
            reason: innermost(error),
        },
    }
}

fn tls_reason(error: &rustls::Error) -> String {
    use rustls::{CertificateError, Error};
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "the issuer of its certificate is unknown".to_owned()
        }
        Error::InvalidCertificate(CertificateError::Expired) => {
            "its certificate has expired".to_owned()
        }
        Error::InvalidCertificate(CertificateError::NotValidForName) => {
            "its certificate is for another name".to_owned()
        }
        Error::InvalidMessage(_) => "it answered with something that is not TLS".to_owned(),
        other => other.to_string(),
    }
}

/// The error and everything that caused it.
fn causes<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// An error of type `E`, itself or as what an I/O error was made of: `source` leaves that out.
fn behind_io<'e, E: StdError + 'static>(mut cause: &'e (dyn StdError + 'static)) -> Option<&'e E> {
    loop {
        if let Some(found) = cause.downcast_ref::<E>() {
            return Some(found);
        }
        cause = cause.downcast_ref::<std::io::Error>()?.get_ref()?;
    }
}

/// The last cause, which says most.
pub(crate) fn innermost(error: &(dyn StdError + 'static)) -> String {
    causes(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}
