//! A call the caller sends again itself, with the idempotency key of the first: it gets the first
//! outcome, and the tool runs once.

use sayso_core::digest::Digest;
use sayso_core::json::{Document, Limits};
use sayso_store::{Reservation, Reserve};

use crate::call::Context;
use crate::catalogue::Tool;
use crate::gate::Gate;
use crate::refusal::{ReasonCode, Refusal};

/// Whether a call was made before.
#[derive(Debug)]
pub enum Repeat {
    /// It was not, and goes on.
    First(Reserved),
    /// It was, with this result.
    Known(Document),
}

/// The key a call has taken. One that is dropped unsettled stays taken: nobody knows then what became
/// of the call.
#[derive(Debug)]
#[must_use = "what became of the call has to be kept"]
pub struct Reserved(Option<(String, String)>);

impl Reserved {
    /// A call without a key.
    pub const fn none() -> Self {
        Self(None)
    }

    /// The call ended, with this raw result.
    pub async fn finish(self, gate: &Gate, result: &str) {
        if let Some((caller, key)) = self.0
            && let Err(error) = gate.store().finish(&caller, &key, result).await
        {
            tracing::error!(%error, "the outcome of a call with an idempotency key was not kept");
        }
    }

    /// The call certainly did not go out, or has to come again: its key is free.
    pub async fn release(self, gate: &Gate) {
        if let Some((caller, key)) = self.0
            && let Err(error) = gate.store().release(&caller, &key).await
        {
            tracing::error!(%error, "an idempotency key was not given back");
        }
    }

    /// The call came to nothing: its key is free unless it may have run.
    pub async fn settle(self, gate: &Gate, refusal: &Refusal) {
        if refusal.code != ReasonCode::OutcomeUnknown {
            self.release(gate).await;
        }
    }
}

impl Repeat {
    /// Takes the key for a call.
    ///
    /// # Errors
    /// When it cannot be told what became of the first call, or the key belongs to another.
    pub async fn of(
        context: &Context<'_>,
        tool: &Tool,
        key: &str,
        arguments: Digest,
    ) -> Result<Self, Refusal> {
        let caller = &context.exchange.caller().name;
        let reservation = Reservation {
            caller: caller.clone(),
            key: key.to_owned(),
            fingerprint: format!("{} {arguments}", tool.key),
            call: context.id.clone(),
            now: context.now,
        };
        let answer = context.gate.store().reserve(reservation).await;
        match answer.map_err(|error| Refusal::store(&error))? {
            Reserve::Fresh => Ok(Self::First(Reserved(Some((
                caller.clone(),
                key.to_owned(),
            ))))),
            Reserve::Finished(first, result) => {
                let document = Document::parse(result, &Limits::default());
                document.map(Self::Known).map_err(|_| unknown(&first))
            }
            Reserve::Running(first) => Err(Refusal::new(
                ReasonCode::Busy,
                format!("the call with this idempotency key is still running (journal id {first})"),
            )),
            Reserve::Unknown(first) => Err(unknown(&first)),
            Reserve::Differs(first) => Err(Refusal::new(
                ReasonCode::Malformed,
                format!("the idempotency key was used for another call (journal id {first})"),
            )),
        }
    }
}

fn unknown(first: &str) -> Refusal {
    Refusal::new(
        ReasonCode::OutcomeUnknown,
        format!(
            "a call with this idempotency key was made before (journal id {first}), and nobody \
             knows what became of it"
        ),
    )
}
