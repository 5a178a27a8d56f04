//! The handshake of 2024-11-05 to 2025-11-25 (MCP 2025-11-25, "Lifecycle").

use std::time::Duration;

use sayso_core::listing::{Era, ObservationKind};
use serde_json::json;
use tokio::time::Instant;

use super::{Answer, Failure, Session, client_info, declares_tools, refuses_handshake};
use crate::connection::Transport;
use crate::error::ReadErrorKind;
use crate::identity;
use crate::jsonrpc::{ErrorObject, Message, Outgoing};
use crate::options::{EraChoice, Progress};
use crate::version;

const INITIALIZE: &str = "initialize";

/// How long a notification may take.
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Shakes hands.
pub(crate) async fn legacy<T: Transport>(session: &mut Session<T>) -> Result<(), Failure> {
    let asked = session.preferred_version;
    let asked = asked.filter(|version| version::LEGACY.contains(version));
    let asked = asked.unwrap_or(version::LATEST_LEGACY);
    let answer = match initialize(session, asked).await? {
        Answer::Error(error, message) => {
            let other = other_version(session, error, &message, asked)?;
            match initialize(session, other).await? {
                Answer::Result(answer) => answer,
                Answer::Error(error, _) => return Err(refused(error).into()),
            }
        }
        Answer::Result(answer) => answer,
    };
    let result = answer.result().unwrap_or_else(|| answer.document().root());
    let mut server =
        identity::from_handshake_result(result).ok_or_else(|| ReadErrorKind::MalformedResult {
            request: INITIALIZE,
            problem: "has no `protocolVersion`".to_owned(),
        })?;
    let offered = server.protocol_version.clone().unwrap_or_default();
    check(session, &offered, asked)?;
    server.era = Some(Era::Legacy);
    session.server = server;
    session.has_tools = declares_tools(result);
    session.connection.agreed(&offered, Era::Legacy);
    session.options.tell(Progress::Agreed(&offered));
    session.hello = Some(answer);
    initialized(session).await;
    Ok(())
}

/// Tells that the handshake is over. Nothing answers that, and many a server that does not take
/// it lists its tools all the same; one that is gone is found out by the next request.
async fn initialized<T: Transport>(session: &mut Session<T>) {
    let notification = Outgoing::notification("notifications/initialized", None);
    let patience = NOTIFICATION_TIMEOUT.min(session.options.request_timeout);
    let deadline = Instant::now() + patience;
    if let Err(error) = session.connection.notify(&notification, deadline).await {
        let method = notification.method();
        session
            .notes
            .push(format!("`{method}` was not taken: {error}"));
    }
}

async fn initialize<T: Transport>(
    session: &mut Session<T>,
    version: &'static str,
) -> Result<Answer, Failure> {
    let client = client_info(&session.options);
    let params = json!({
        "protocolVersion": version,
        "capabilities": session.capabilities,
        "clientInfo": client,
    });
    let deadline = session.start;
    session
        .ask(INITIALIZE, params.as_object().cloned(), deadline)
        .await
}

/// The version to try after a refusal: the newest both know, if the server says what it knows.
fn other_version<T: Transport>(
    session: &Session<T>,
    error: ErrorObject,
    message: &Message,
    asked: &'static str,
) -> Result<&'static str, Failure> {
    let supported = version::supported(message.error_data());
    if refuses_handshake(&error)
        && let Some(version) = version::best_common(&version::LEGACY, &supported)
    {
        return Ok(version);
    }
    let modern = version::best_common(&version::MODERN, &supported).is_some();
    let may_be_modern = modern || refuses_handshake(&error) && supported.is_empty();
    let kind = if supported.is_empty() {
        refused(error)
    } else {
        ReadErrorKind::NoCommonVersion { asked, supported }
    };
    if may_be_modern && session.options.era == EraChoice::Auto {
        return Err(Failure::PerhapsModern(kind));
    }
    Err(kind.into())
}

/// Any version with a handshake will do: a server may answer with one of its own
/// (MCP 2025-11-25, "Version Negotiation").
fn check<T: Transport>(
    session: &mut Session<T>,
    offered: &str,
    asked: &str,
) -> Result<(), Failure> {
    let unknown = || ReadErrorKind::UnknownVersion {
        offered: crate::inbox::excerpt(offered),
    };
    if version::MODERN.contains(&offered) && session.options.era == EraChoice::Auto {
        return Err(Failure::PerhapsModern(unknown()));
    }
    if !version::LEGACY.contains(&offered) {
        return Err(unknown().into());
    }
    if offered != asked {
        let detail = format!("asked for {asked}, agreed on {offered}");
        session
            .connection
            .inbox()
            .observe(ObservationKind::VersionNegotiated, &detail);
    }
    Ok(())
}

fn refused(error: ErrorObject) -> ReadErrorKind {
    ReadErrorKind::Refused {
        request: INITIALIZE,
        error,
    }
}
