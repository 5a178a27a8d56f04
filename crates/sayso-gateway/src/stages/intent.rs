//! The intent, in the journal before the call goes out: what was not written down is not sent.

use sayso_core::journal::{self, WrittenRecord};

use crate::call::Context;
use crate::refusal::Refusal;

/// That an attempt of a call is in the journal; needed to send it, once.
#[derive(Debug)]
#[must_use = "an intent is written for a call to go out"]
pub struct Intended(());

/// Writes that this attempt of the call is about to go out, and waits until that is as durable as set.
///
/// # Errors
/// When it cannot be written.
pub async fn record(context: &Context<'_>, known: &journal::Call) -> Result<Intended, Refusal> {
    let written = context
        .gate
        .store()
        .append_written(context.gate.now(), WrittenRecord::intent(known))
        .await;
    written.map_err(|error| Refusal::store(&error))?;
    Ok(Intended(()))
}
