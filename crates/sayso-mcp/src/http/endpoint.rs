//! HTTP+SSE, the HTTP transport of MCP 2024-11-05: answers arrive on one stream that is
//! opened first, and its first event says where messages are to be posted.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Method, Url};

use super::client::{HttpClient, media_type};
use super::error::HttpError;
use super::event_stream::EventStream;
use super::refusal::refusal;
use super::target::{resolve, same_origin, shown};
use crate::connection::ConnectionError;

/// How long the first event may take. Every server known sends it at once.
const ENDPOINT_TIMEOUT: Duration = Duration::from_secs(10);

/// The two halves of HTTP+SSE.
pub(crate) struct Channel {
    /// Where messages arrive.
    pub(crate) stream: EventStream,
    /// Where messages are posted.
    pub(crate) endpoint: Url,
}

impl Channel {
    /// Opens the stream and waits for its `endpoint` event.
    ///
    /// # Errors
    /// When the URL gives no event stream, or its first event leads to another origin.
    pub(crate) async fn open(client: &HttpClient) -> Result<Self, ConnectionError> {
        tokio::time::timeout(ENDPOINT_TIMEOUT, open(client))
            .await
            .unwrap_or(Err(HttpError::NoEndpoint.into()))
    }
}

async fn open(client: &HttpClient) -> Result<Channel, ConnectionError> {
    let mut stream = get(client, HeaderMap::new()).await?;
    loop {
        let Some(event) = stream.next().await? else {
            return Err(HttpError::NoEndpoint.into());
        };
        if event.name != "endpoint" {
            continue;
        }
        let reference = String::from_utf8_lossy(&event.data).into_owned();
        let Some(endpoint) = resolve(stream.url(), reference.trim()) else {
            return Err(HttpError::MalformedEndpoint.into());
        };
        if !same_origin(&client.target().url, &endpoint) {
            return Err(HttpError::ForeignEndpoint {
                endpoint: shown(&endpoint),
            }
            .into());
        }
        return Ok(Channel { stream, endpoint });
    }
}

/// Opens an event stream with GET.
///
/// # Errors
/// When what comes is no event stream.
pub(crate) async fn get(
    client: &HttpClient,
    mut headers: HeaderMap,
) -> Result<EventStream, ConnectionError> {
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let response = client
        .send(&Method::GET, &client.target().url, &headers, Bytes::new())
        .await?;
    if !response.status().is_success() {
        let status = response.status();
        return match refusal(client, response, None, false).await {
            Ok(_) => Err(HttpError::Status {
                status,
                excerpt: String::new(),
            }
            .into()),
            Err(error) => Err(error),
        };
    }
    let content_type = media_type(&response);
    if content_type.as_deref() != Some("text/event-stream") {
        return Err(HttpError::NoEventStream { content_type }.into());
    }
    Ok(EventStream::new(response, client.limits().max_bytes))
}
