//! A response, whichever client it came through.

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::Url;
use reqwest::header::HeaderMap;

use super::client::failure;
use super::direct::DirectBody;
use super::error::HttpError;

/// A response whose body has not been read yet. Dropping it closes its connection.
pub(crate) struct Response {
    status: StatusCode,
    headers: HeaderMap,
    url: Url,
    body: Body,
}

enum Body {
    Direct(DirectBody),
    Library(reqwest::Response),
}

impl Response {
    pub(super) fn direct(response: http::Response<DirectBody>, url: Url) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            url,
            body: Body::Direct(body),
        }
    }

    pub(super) fn library(mut response: reqwest::Response) -> Self {
        Self {
            status: response.status(),
            headers: std::mem::take(response.headers_mut()),
            url: response.url().clone(),
            body: Body::Library(response),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Where it comes from.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// How long the body is going to be, where that is known.
    pub(super) fn content_length(&self) -> Option<u64> {
        match &self.body {
            Body::Direct(body) => body.length(),
            Body::Library(response) => response.content_length(),
        }
    }

    /// The next piece of the body; `None` at its end. Can be dropped without losing any.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        match &mut self.body {
            Body::Direct(body) => body.chunk().await,
            Body::Library(response) => response.chunk().await.map_err(failure),
        }
    }
}
