//! What a status that is no success means.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use sayso_core::json::Document;

use super::client::HttpClient;
use super::error::HttpError;
use super::response::Response;
use crate::connection::ConnectionError;
use crate::jsonrpc::{Id, Message, MessageKind, code};

/// How much of a refusal is read.
const MAX_REFUSAL: usize = 1 << 20;

/// How long the body of a refusal is waited for.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a response that is no success. It may hold the answer all the same: a server of
/// 2026-07-28 sends its JSON-RPC errors with 400 and 404. What HTTP itself has to say comes
/// first, however: credentials, rights, rates, an ended session and a refused method.
pub(crate) async fn refusal(
    client: &HttpClient,
    response: Response,
    asked: Option<&Id>,
    in_session: bool,
) -> Result<Message, ConnectionError> {
    let status = response.status();
    let headers = response.headers().clone();
    // A body that breaks off or never ends does not hide the status.
    let reading =
        tokio::time::timeout(REFUSAL_TIMEOUT, client.start_of_body(response, MAX_REFUSAL));
    let body = reading
        .await
        .ok()
        .and_then(Result::ok)
        .map(|(body, _)| body)
        .unwrap_or_default();
    let excerpt = client.excerpt(&body);
    let error = match status {
        StatusCode::UNAUTHORIZED => unauthorized(client, &headers),
        StatusCode::FORBIDDEN => {
            let scope = challenges(&headers).find_map(|challenge| parameter(&challenge, "scope"));
            HttpError::Forbidden {
                scope: scope.map(|scope| client.excerpt(scope.as_bytes())),
                excerpt,
            }
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let retry_after = headers
                .get(RETRY_AFTER)
                .map(|value| client.excerpt(value.as_bytes()));
            HttpError::TooManyRequests {
                retry_after,
                excerpt,
            }
        }
        _ => {
            let answer =
                answer(client, body, asked).filter(|_| status != StatusCode::METHOD_NOT_ALLOWED);
            let ended = in_session && status == StatusCode::NOT_FOUND;
            match answer {
                Some(answer) if !ended || is_unknown_method(&answer) => return Ok(answer),
                _ if ended => HttpError::SessionEnded,
                _ => HttpError::Status { status, excerpt },
            }
        }
    };
    Err(error.into())
}

fn unauthorized(client: &HttpClient, headers: &HeaderMap) -> HttpError {
    let scheme = challenges(headers).find_map(|challenge| {
        let scheme = challenge
            .split([' ', ',', '='])
            .next()
            .filter(|scheme| !scheme.is_empty())?;
        Some(client.excerpt(scheme.as_bytes()))
    });
    let resource_metadata = challenges(headers)
        .find_map(|challenge| parameter(&challenge, "resource_metadata"))
        .map(|url| client.excerpt(url.as_bytes()));
    HttpError::Unauthorized {
        sent: client.target().has_credentials(),
        scheme,
        resource_metadata,
    }
}

/// The JSON-RPC error in a body, if it is one that answers the request.
fn answer(client: &HttpClient, body: Vec<u8>, asked: Option<&Id>) -> Option<Message> {
    let document = Document::from_bytes(body, client.limits()).ok()?;
    let message = Message::classify(document).ok()?;
    match message.kind() {
        // Without an id it answers the request that it came in response to.
        MessageKind::Error { id, .. } if id.is_none() || id.as_ref() == asked => Some(message),
        _ => None,
    }
}

fn is_unknown_method(message: &Message) -> bool {
    matches!(message.kind(), MessageKind::Error { error, .. } if error.code == code::METHOD_NOT_FOUND)
}

fn challenges(headers: &HeaderMap) -> impl Iterator<Item = String> {
    headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// A parameter of a challenge (RFC 9110 § 11.6.1), unquoted.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let mut rest = challenge;
    while let Some((before, behind)) = rest.split_once('=') {
        let key = before
            .trim_end()
            .rsplit([' ', '\t', ','])
            .next()
            .unwrap_or_default();
        let (value, next) = value(behind.trim_start());
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = next;
    }
    None
}

/// A token or a quoted string, and what stands behind it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([' ', '\t', ',']).unwrap_or(text.len());
        let (token, rest) = text.split_at(end);
        return (token.to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => value.extend(characters.next()),
            other => value.push(other),
        }
    }
    (value, characters.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::parameter;

    #[test]
    fn parameters_are_found_behind_commas_and_quotes() {
        let challenge = r#"Basic realm="a \"b\", resource_metadata=no", Bearer scope=x, Resource_Metadata = "https://a.test/x?y=1,2""#;
        assert_eq!(
            parameter(challenge, "realm").as_deref(),
            Some(r#"a "b", resource_metadata=no"#)
        );
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("x"));
        assert_eq!(
            parameter(challenge, "resource_metadata").as_deref(),
            Some("https://a.test/x?y=1,2")
        );
        assert_eq!(parameter(challenge, "error"), None);
        assert_eq!(parameter("Negotiate abc==", "realm"), None);
    }

    proptest! {
        #[test]
        fn no_challenge_is_too_odd(challenge in r#"[ -~é]{0,40}"#, name in "[a-c=]{0,2}") {
            parameter(&challenge, &name);
        }
    }
}
