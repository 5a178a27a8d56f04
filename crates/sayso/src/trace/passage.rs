//! Calls through the gate: a bare client makes them, the scripted person answers what the gate asks,
//! and the gate's journal tells what it made of each.

use std::time::Duration;

use sayso_core::approval::{State, Verdict};
use sayso_core::journal::{Call, Decision, Entry, Outcome, OutcomeKind, Reason, Record};
use sayso_store::{ApprovalFilter, EntryQuery, StoreError};

use super::conversation::{Conversation, Sent};
use super::gateway::Gateway;
use super::host::Caller;
use super::script::{Script, ScriptedCall};
use super::subject::Window;
use super::{Answer, End, Gate, Leg, Row};
use crate::error::Failure;
use crate::gate::store_failure;
use crate::trace::experiment::unreadable;

/// How often the person looks whether there is something to answer.
const LOOK: Duration = Duration::from_millis(10);

/// How long the last entry of a call may be on its way to the journal.
const WRITING: Duration = Duration::from_secs(5);

/// Who answers in the gate's store.
const PERSON: &str = "the scripted person";

/// Entries of one call, at most.
const ENTRIES: usize = 200;

/// Makes every call of the script.
///
/// # Errors
/// When the gate cannot be reached, or its store not be read.
pub(super) async fn run(
    conversation: &mut Conversation,
    gateway: &Gateway,
    script: &Script,
    window: &Window,
) -> Result<Leg, Failure> {
    let before = window.state();
    let mut rows = Vec::new();
    for scripted in &script.calls {
        rows.push(call(conversation, gateway, script, scripted, window).await?);
    }
    Ok(Leg {
        rows,
        effects: window.changes_since(before.as_ref()),
    })
}

/// Makes one call, and reads what became of it.
///
/// # Errors
/// When the gate cannot be reached, or its store not be read.
pub(super) async fn call(
    conversation: &mut Conversation,
    gateway: &Gateway,
    script: &Script,
    scripted: &ScriptedCall,
    window: &Window,
) -> Result<Row, Failure> {
    let before = window.state();
    let arrived = window.arrived();
    let head = gateway.store.check().await.map_err(store_failure)?.head;
    let arguments = scripted.arguments();
    let name = scripted.tool.as_str();
    let declares = Caller::Bare.verdict(conversation.listing(), name).declares;
    let person = scripted.person.unwrap_or(script.person);
    let sent = tokio::select! {
        sent = conversation.send(name, &arguments, gateway.patience) => sent.map_err(unreadable)?,
        // It does not end by itself, but for an error.
        failed = answers(gateway, person) => return Err(store_failure(failed)),
    };
    let entries = entries(gateway, head.map(|head| head.seq)).await;
    let seen = Seen::of(&entries.map_err(store_failure)?);
    Ok(Row {
        tool: name.to_owned(),
        arguments,
        declares,
        gate: Gate::Sayso(seen.decision()),
        because: seen.because(),
        asked: seen.asked,
        answer: seen.answer(),
        sent: seen.sent(),
        unanswered: seen.unanswered(),
        end: seen.end(sent),
        // A server that is confined cannot write down what arrives.
        arrived: window
            .arrived_since(arrived)
            .filter(|_| seen.confined().is_none()),
        effects: window.changes_since(before.as_ref()),
        confined: seen.confined(),
    })
}

/// Answers whatever waits for an answer, until nobody cares any more.
async fn answers(gateway: &Gateway, person: Answer) -> StoreError {
    let verdict = match person {
        Answer::Yes => Verdict::Approve,
        Answer::No => Verdict::Deny,
        Answer::Nothing => return std::future::pending().await,
    };
    loop {
        let now = gateway.gate.now();
        let pending = ApprovalFilter {
            state: Some(State::Pending),
            now,
            limit: ENTRIES,
        };
        let pending = match gateway.store.approvals(pending).await {
            Ok(pending) => pending,
            Err(error) => return error,
        };
        for approval in pending {
            let decided = gateway.store.decide(&approval.id, verdict, PERSON, now);
            if let Err(error) = decided.await {
                return error;
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// What the journal has behind this entry, once every attempt has its outcome there.
async fn entries(gateway: &Gateway, after: Option<u64>) -> Result<Vec<Entry>, StoreError> {
    let end = tokio::time::Instant::now() + WRITING;
    loop {
        let query = EntryQuery {
            after,
            limit: ENTRIES,
            ..EntryQuery::default()
        };
        let entries = gateway.store.entries(query).await?;
        if Seen::of(&entries).is_whole() || tokio::time::Instant::now() > end {
            return Ok(entries);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// What the journal says of one call.
#[derive(Default)]
struct Seen {
    intents: Vec<Call>,
    outcomes: Vec<Outcome>,
    refused: Option<sayso_core::journal::Refused>,
    asked: u32,
    verdict: Option<Verdict>,
}

impl Seen {
    /// From the entries since the call before.
    fn of(entries: &[Entry]) -> Self {
        let mut seen = Self::default();
        for entry in entries {
            match &entry.record {
                Record::Intent(call) => seen.intents.push(Call::clone(call)),
                Record::Outcome(outcome) => seen.outcomes.push(Outcome::clone(outcome)),
                Record::Refused(refused) => seen.refused = Some((**refused).clone()),
                Record::ApprovalOpened(_) => seen.asked += 1,
                Record::ApprovalDecided(decided) => seen.verdict = Some(decided.verdict),
                _ => {}
            }
        }
        seen
    }

    /// Whether nothing is on its way any more.
    fn is_whole(&self) -> bool {
        let is_settled = self.outcomes.len() >= self.intents.len();
        is_settled && (self.refused.is_some() || !self.intents.is_empty())
    }

    fn call(&self) -> Option<&Call> {
        let refused = self.refused.as_ref().map(|refused| &refused.call);
        self.intents.first().or(refused)
    }

    fn decision(&self) -> Decision {
        let decision = self.call().and_then(|call| call.decision);
        decision.unwrap_or(Decision::Deny)
    }

    /// The policies that decided, or else what was wrong.
    fn because(&self) -> Option<String> {
        let reasons = self.call().map(|call| call.reasons.as_slice());
        let told: Vec<String> = reasons.unwrap_or_default().iter().map(told).collect();
        if !told.is_empty() {
            return Some(told.join("; "));
        }
        let refused = self.refused.as_ref()?;
        Some(format!("{}: {}", refused.code, refused.said))
    }

    fn confined(&self) -> Option<String> {
        let confined = self.call()?.confined.as_ref()?;
        Some(confined.to_string())
    }

    fn answer(&self) -> Option<Answer> {
        match (self.verdict, self.asked) {
            (Some(Verdict::Approve), _) => Some(Answer::Yes),
            (Some(Verdict::Deny), _) => Some(Answer::No),
            (None, 0) => None,
            (None, _) => Some(Answer::Nothing),
        }
    }

    fn sent(&self) -> u32 {
        let kept_back = self.outcomes.iter();
        let kept_back = kept_back.filter(|outcome| outcome.outcome == OutcomeKind::NotSent);
        count(self.intents.len().saturating_sub(kept_back.count()))
    }

    fn unanswered(&self) -> u32 {
        let lost = self.outcomes.iter().filter(|outcome| {
            matches!(
                outcome.outcome,
                OutcomeKind::TimedOut | OutcomeKind::ConnectionLost | OutcomeKind::Unknown
            )
        });
        count(lost.count())
    }

    /// How it ended: as the gate has it where it refused, else as the client saw it.
    fn end(&self, sent: Sent) -> End {
        let Some(refused) = &self.refused else {
            return match sent {
                Sent::Ended(end) => end,
                Sent::TimedOut => End::NoAnswer,
                Sent::Lost(how) => End::ConnectionLost(how),
            };
        };
        let last = self.outcomes.last();
        match (&*refused.code, last.map(|outcome| outcome.outcome)) {
            ("outcome-unknown", Some(OutcomeKind::ConnectionLost)) => {
                End::ConnectionLost(refused.said.clone())
            }
            ("outcome-unknown", Some(OutcomeKind::TimedOut)) => End::NoAnswer,
            ("approval-denied", _) => End::PersonRefused,
            ("approval-pending", _) => End::PersonSilent,
            (code, _) => End::GateRefused {
                code: code.to_owned(),
                said: refused.said.clone(),
            },
        }
    }
}

fn told(reason: &Reason) -> String {
    match reason.text.as_str() {
        "" => reason.id.clone(),
        text => format!("{}: {text}", reason.id),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
