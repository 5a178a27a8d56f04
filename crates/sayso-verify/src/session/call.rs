//! One call, watched, and the same one again.

use sayso_mcp::{CallOutcome, ToolCall};

use super::SessionError;
use super::limits;
use super::server::{Server, Window};
use crate::drive::Call;
use crate::observation::{Effects, Observation, Repeat, Reply};

pub(super) async fn observe(server: &mut Server, call: &Call) -> Result<Observation, SessionError> {
    let (reply, effects) = once(server, call).await?;
    // What could not be asked once cannot be asked again.
    let again = match call.repeat && !server.is_lost() {
        false => None,
        true => {
            let (reply, effects) = once(server, call).await?;
            Some(Repeat { reply, effects })
        }
    };
    Ok(Observation {
        tool: call.tool.clone(),
        step: call.step.clone(),
        arguments: call.arguments.clone(),
        reply,
        effects,
        again,
    })
}

async fn once(server: &mut Server, call: &Call) -> Result<(Reply, Effects), SessionError> {
    let mark = server.mark();
    let timeout = server.options.timeout;
    let outcome = match &mut server.client {
        Some(client) => {
            client
                .call(ToolCall {
                    name: &call.tool,
                    arguments: &call.arguments,
                    timeout,
                    cancel: true,
                })
                .await
        }
        None => CallOutcome::ConnectionLost("the server has ended".to_owned()),
    };
    let replied = server.mark();
    if matches!(outcome, CallOutcome::ConnectionLost(_)) {
        server.lose();
    }
    let Window {
        changes,
        events,
        late,
    } = server.window(mark, Some(replied)).await?;
    let limits = limits::of(&server.plan, &events);
    let effects = Effects {
        changes,
        events,
        late,
        limits,
    };
    Ok((reply(outcome), effects))
}

fn reply(outcome: CallOutcome) -> Reply {
    let failed = |said: String| Reply::Failed { said };
    match outcome {
        CallOutcome::Answered {
            is_error, result, ..
        } => Reply::Answered {
            result: result.root().raw().to_owned(),
            is_error,
        },
        CallOutcome::Refused(error) => failed(format!("error {}: {}", error.code, error.message)),
        CallOutcome::InputRequired { methods, .. } => {
            failed(format!("it asks for more: {}", methods.join(", ")))
        }
        CallOutcome::TimedOut => failed("no answer in time".to_owned()),
        CallOutcome::ConnectionLost(why) => failed(format!("the connection was lost: {why}")),
        CallOutcome::Rejected(why) | CallOutcome::Malformed(why) | CallOutcome::NotSent(why) => {
            failed(why)
        }
        _ => failed("an answer of an unknown kind".to_owned()),
    }
}
