//! The call goes out: the value that was judged, to the server it was judged for.

use std::time::{Duration, Instant};

use sayso_core::journal::{self, OutcomeKind};
use sayso_core::json::Document;

use super::approve::Permitted;
use super::decide::Place;
use super::exclusive::Lease;
use super::outcome::{self, Watch};
use super::{confined, intent};
use crate::call::Context;
use crate::confine::Attempt;
use crate::refusal::{ReasonCode, Refusal};
use crate::server::{Answer, Asked, Doubt, Held, Lost};
use crate::spans::AttemptSpan;

/// How long before a lost call is made again.
const BACK_OFF: Duration = Duration::from_millis(200);

/// How often a call is sent again that never reached its server.
const RESENDS: u32 = 1;

/// An answer, and the approval it was made with.
#[derive(Debug)]
pub struct Forwarded {
    /// What the server answered.
    pub answer: Answer,
    /// The approval that was spent.
    pub approval: Option<String>,
    /// Where the outcome is to be written, once it is known.
    pub watch: Watch,
    /// What it tried in confinement, and was refused.
    pub tried: Vec<Attempt>,
}

/// Makes the call that was permitted; its turn is kept for as long as a server may be at work on it.
/// What was lost is made again only where its effective hints say that a repeat changes nothing further.
///
/// # Errors
/// When there is no answer.
pub async fn forward(
    context: &Context<'_>,
    permitted: Permitted,
    turn: &Lease,
    known: &mut journal::Call,
) -> Result<Forwarded, Refusal> {
    let tool = permitted.tool();
    let repeatable = permitted.effective().repeatable();
    let retries = tool.server_settings.retries_of(&tool.key.tool);
    let (mut resent, mut repeated) = (0, 0);
    // What became of an attempt that nobody knows the end of, whatever came after it.
    let mut doubt = None;
    let mut tried = Vec::new();
    let kept = turn.kept();
    let judged = known.approval.is_none().then(|| context.began.elapsed());
    context
        .gate
        .metrics()
        .call(&tool.key.server, &tool.key.tool, judged);
    loop {
        known.attempt = 1 + resent + repeated;
        let mut watch = Watch::begin(context, known);
        let intended = match intent::record(context, known).await {
            Ok(intended) => intended,
            Err(refusal) => {
                watch.never_was();
                return Err(refusal);
            }
        };
        watch.goes_out();
        let span = AttemptSpan::begin(&context.span, tool, known.attempt);
        let params = span.carried(permitted.params());
        let asked = Asked {
            method: "tools/call",
            params: Some(&params),
            name: Some(&tool.key.tool),
            input_schema: tool.definition.root().get("inputSchema"),
            timeout: Some(context.timeout(tool)),
            kept: kept.as_ref(),
        };
        let held = send(context, &permitted, asked, intended).await;
        confined::tell(context, &permitted, &held.tried).await;
        tried.extend(held.tried);
        let lost = match held.answer {
            Ok(answer) => {
                span.came_of(outcome::kind(&answer));
                return Ok(Forwarded {
                    answer,
                    approval: permitted.into_approval(),
                    watch,
                    tried,
                });
            }
            Err(lost) => lost,
        };
        span.came_of(kind(&lost));
        drop(span);
        watch.lost(kind(&lost), &lost.to_string()).await;
        match &lost {
            Lost::NotSent(_) if resent < RESENDS => resent += 1,
            Lost::Unknown { .. } if repeatable && repeated < retries => {
                repeated += 1;
                doubt = Some(lost);
            }
            _ => {
                return Err(refusal(
                    context,
                    &tool.served_as,
                    doubt.as_ref().unwrap_or(&lost),
                ));
            }
        }
        tokio::time::sleep(BACK_OFF * known.attempt).await;
    }
}

/// Sends one attempt, and only one that is in the journal.
async fn send(
    context: &Context<'_>,
    permitted: &Permitted,
    asked: Asked<'_>,
    _intended: intent::Intended,
) -> Held {
    let began = Instant::now();
    let server = &permitted.tool().server;
    // Boxed: a conversation's future is big, and most of a call is spent in it.
    let Held { answer, tried } = match permitted.place() {
        Place::Confined(view, _) => {
            let label = confined::label(context, permitted);
            context
                .gate
                .metrics()
                .confined(&permitted.tool().key.server, &label.tool);
            Box::pin(server.request_confined(asked, context.exchange, view, &label)).await
        }
        Place::Free | Place::NotHeld(_) => Held {
            answer: Box::pin(server.request(asked, context.exchange)).await,
            tried: Vec::new(),
        },
    };
    context
        .gate
        .metrics()
        .upstream(&permitted.tool().key.server, began.elapsed());
    let answer = match answer {
        Ok(Answer::Result(result)) => readable(result).map(Answer::Result),
        other => other,
    };
    Held { answer, tried }
}

/// A result that every client reads alike, as far as a call's outcome goes.
fn readable(result: Document) -> Result<Document, Lost> {
    let unreadable = |what: &str| Lost::Unknown {
        why: Doubt::Malformed,
        said: format!("the server answered with {what}"),
    };
    let root = result.root();
    if !root.is_object() {
        return Err(unreadable("a result that is no object"));
    }
    for key in [
        "content",
        "isError",
        "structuredContent",
        "resultType",
        "_meta",
    ] {
        if root.get_all(key).nth(1).is_some() {
            return Err(unreadable("a result that has a member more than once"));
        }
    }
    Ok(result)
}

fn kind(lost: &Lost) -> OutcomeKind {
    match lost {
        Lost::Unknown { why, .. } => match why {
            Doubt::TimedOut => OutcomeKind::TimedOut,
            Doubt::ConnectionLost => OutcomeKind::ConnectionLost,
            Doubt::Malformed => OutcomeKind::Unknown,
        },
        Lost::NotSent(_) | Lost::Rejected { .. } | Lost::Down { .. } | Lost::Busy => {
            OutcomeKind::NotSent
        }
    }
}

fn refusal(context: &Context<'_>, served_as: &str, lost: &Lost) -> Refusal {
    let code = match lost {
        Lost::Unknown { .. } => ReasonCode::OutcomeUnknown,
        Lost::Busy => ReasonCode::Overloaded,
        Lost::NotSent(_) | Lost::Rejected { .. } | Lost::Down { .. } => ReasonCode::ServerDown,
    };
    let message = match lost {
        Lost::Unknown { said, .. } => format!(
            "nobody knows what became of `{served_as}` (journal id {}): {said}",
            context.id
        ),
        other => format!("`{served_as}`: {other}"),
    };
    Refusal::new(code, message)
}
