//! The stateless protocol of 2026-07-28: `server/discover`, then `_meta` on each request.

use sayso_core::listing::{Era, ServerIdentity};
use serde_json::json;

use super::{Answer, Failure, Session, client_info, declares_tools};
use crate::connection::Transport;
use crate::error::{ReadErrorKind, seconds};
use crate::http::HttpError;
use crate::identity;
use crate::jsonrpc::{ErrorObject, Message, code};
use crate::options::Progress;
use crate::version;

const DISCOVER: &str = "server/discover";

/// Asks what the server speaks.
pub(crate) async fn modern<T: Transport>(session: &mut Session<T>) -> Result<(), Failure> {
    session
        .connection
        .agreed(version::LATEST_MODERN, Era::Modern);
    session.meta = Some(json!({
        "io.modelcontextprotocol/protocolVersion": version::LATEST_MODERN,
        "io.modelcontextprotocol/clientInfo": client_info(&session.options),
        "io.modelcontextprotocol/clientCapabilities": session.capabilities,
    }));
    discover(session).await
}

async fn discover<T: Transport>(session: &mut Session<T>) -> Result<(), Failure> {
    let answer = match ask(session).await? {
        // A server that refuses names versions to ask again with (MCP 2026-07-28, "Version
        // Negotiation"). One is known here, so that is the one it was asked with.
        Answer::Error(error, message) if refuses_what_it_has(&error, &message) => {
            ask(session).await?
        }
        answer => answer,
    };
    let answer = match answer {
        Answer::Result(answer) => answer,
        Answer::Error(error, message) if refuses_what_it_has(&error, &message) => {
            let request = DISCOVER;
            return Err(ReadErrorKind::Refused { request, error }.into());
        }
        Answer::Error(error, message) if error.code == code::UNSUPPORTED_PROTOCOL_VERSION => {
            let supported = version::supported(message.error_data());
            return Err(no_common_version(supported));
        }
        Answer::Error(error, _) => {
            return Err(not_modern(&format!(
                "it refused `server/discover`: {error}"
            )));
        }
    };
    take(session, answer)
}

fn refuses_what_it_has(error: &ErrorObject, message: &Message) -> bool {
    let supported = || version::supported(message.error_data());
    error.code == code::UNSUPPORTED_PROTOCOL_VERSION
        && version::best_common(&version::MODERN, &supported()).is_some()
}

/// Asks once. That there is no answer may mean that the server is none of this era.
async fn ask<T: Transport>(session: &mut Session<T>) -> Result<Answer, Failure> {
    let deadline = session.start;
    match session.ask(DISCOVER, None, deadline).await {
        // A server of the other era may also say nothing, or end: that is no fault of it.
        Err(Failure::Closed(_)) => Err(not_modern("it ended when asked `server/discover`")),
        Err(Failure::Final(ReadErrorKind::NeverAnswered { waited, .. })) => {
            let reason = format!(
                "it did not answer `server/discover` within {}",
                seconds(waited)
            );
            Err(not_modern(&reason))
        }
        // Behind a URL one of the other transport says so with the status alone.
        Err(Failure::Final(ReadErrorKind::Http(HttpError::Status { status, .. })))
            if matches!(status.as_u16(), 400 | 404 | 405) =>
        {
            Err(not_modern(&format!(
                "it answered `server/discover` with {status}"
            )))
        }
        answered => answered,
    }
}

/// Takes what the server says of itself.
fn take<T: Transport>(session: &mut Session<T>, answer: Message) -> Result<(), Failure> {
    let result = answer.result().unwrap_or_else(|| answer.document().root());
    let Some(versions) = result
        .get("supportedVersions")
        .filter(|versions| versions.is_array())
    else {
        return Err(not_modern(
            "its answer to `server/discover` has no `supportedVersions`",
        ));
    };
    let supported: Vec<String> = versions
        .elements()
        .filter_map(|version| version.as_str())
        .map(std::borrow::Cow::into_owned)
        .collect();
    let Some(agreed) = version::best_common(&version::MODERN, &supported) else {
        return Err(no_common_version(supported));
    };
    session.options.tell(Progress::Agreed(agreed));
    session.server = ServerIdentity {
        protocol_version: Some(agreed.to_owned()),
        era: Some(Era::Modern),
        ..identity::from_listing_result(result)
    };
    session.has_tools = declares_tools(result);
    session.hello = Some(answer);
    Ok(())
}

fn not_modern(reason: &str) -> Failure {
    ReadErrorKind::NotModern {
        reason: reason.to_owned(),
    }
    .into()
}

fn no_common_version(supported: Vec<String>) -> Failure {
    ReadErrorKind::NoCommonVersion {
        asked: version::LATEST_MODERN,
        supported,
    }
    .into()
}
