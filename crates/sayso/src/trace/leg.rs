//! The script's calls by one caller.

use std::time::Duration;

use sayso_audit::hosts::Outcome;
use sayso_mcp::ReadError;

use super::conversation::{Conversation, Sent};
use super::host::{Caller, Verdict};
use super::script::{Script, ScriptedCall};
use super::subject::Window;
use super::{Answer, End, Gate, Leg, Row};

/// Makes every call of the script.
pub(super) async fn run(
    conversation: &mut Conversation,
    caller: &mut Caller<'_>,
    script: &Script,
    window: &Window,
) -> Result<Leg, ReadError> {
    let before = window.state();
    let mut rows = Vec::new();
    for scripted in &script.calls {
        rows.push(call(conversation, caller, script, scripted, window).await?);
    }
    Ok(Leg {
        rows,
        effects: window.changes_since(before.as_ref()),
    })
}

/// Makes one call: judged, asked about, sent, and sent again where the caller does that.
pub(super) async fn call(
    conversation: &mut Conversation,
    caller: &mut Caller<'_>,
    script: &Script,
    scripted: &ScriptedCall,
    window: &Window,
) -> Result<Row, ReadError> {
    let before = window.state();
    let arrived = window.arrived();
    let name = scripted.tool.as_str();
    let verdict = caller.verdict(conversation.listing(), name);
    let mut row = Row {
        tool: name.to_owned(),
        arguments: scripted.arguments(),
        declares: verdict.declares,
        gate: verdict.gate,
        because: verdict.because.clone(),
        asked: 0,
        answer: None,
        sent: 0,
        unanswered: 0,
        end: End::HostRefused,
        arrived: None,
        effects: None,
        confined: None,
    };
    let kept_back = pass(
        caller,
        &verdict,
        scripted.person.unwrap_or(script.person),
        &mut row,
    );
    row.end = match kept_back {
        Some(end) => end,
        None => {
            let timeout = scripted.timeout.unwrap_or(script.timeout);
            deliver(conversation, caller, timeout, &mut row).await?
        }
    };
    row.arrived = window.arrived_since(arrived);
    row.effects = window.changes_since(before.as_ref());
    Ok(row)
}

/// What keeps the call back, if anything does.
fn pass(caller: &mut Caller<'_>, verdict: &Verdict, person: Answer, row: &mut Row) -> Option<End> {
    match verdict.gate {
        Gate::None | Gate::Remembered | Gate::Host(Outcome::Allow) => None,
        Gate::Host(Outcome::Ask | Outcome::AskOnce | Outcome::AskEvery) => {
            row.asked += 1;
            row.answer = Some(person);
            caller.told(&row.tool, verdict.gate, person);
            match person {
                Answer::Yes => None,
                Answer::No => Some(End::PersonRefused),
                Answer::Nothing => Some(End::PersonSilent),
            }
        }
        // The gate decides for itself, and never here.
        Gate::Host(Outcome::Deny | Outcome::Hide)
        | Gate::Sayso(_)
        | Gate::Lost
        | Gate::NotListed => Some(End::HostRefused),
        Gate::Host(Outcome::Judge | Outcome::ByName | Outcome::Unknown) => Some(End::Undecided),
    }
}

/// Sends a call until there is an answer or the caller gives up.
async fn deliver(
    conversation: &mut Conversation,
    caller: &Caller<'_>,
    timeout: Duration,
    row: &mut Row,
) -> Result<End, ReadError> {
    let (mut after_time_out, mut after_loss) = (0, 0);
    loop {
        row.sent += 1;
        let sent = conversation
            .send(&row.tool, &row.arguments, timeout)
            .await?;
        let (end, repeated, is_time_out) = match sent {
            Sent::Ended(end) => return Ok(end),
            Sent::TimedOut => (End::NoAnswer, &mut after_time_out, true),
            Sent::Lost(how) => (End::ConnectionLost(how), &mut after_loss, false),
        };
        row.unanswered += 1;
        // By the listing as it is now: a new connection may have brought a new one.
        let verdict = caller.verdict(conversation.listing(), &row.tool);
        let allowed = if is_time_out {
            verdict.repeats_after_time_out
        } else {
            verdict.repeats_after_loss
        };
        if *repeated >= allowed {
            return Ok(end);
        }
        *repeated += 1;
    }
}
