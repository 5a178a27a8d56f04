//! Who calls: always from the live request, never from what was remembered of a session.

use crate::caller::Caller;
use crate::host::Exchange;
use crate::refusal::{ReasonCode, Refusal};

/// Who calls.
///
/// # Errors
/// When that is not known.
pub fn identify(exchange: &Exchange) -> Result<&Caller, Refusal> {
    let caller = exchange.caller();
    if caller.name.is_empty() {
        return Err(Refusal::new(ReasonCode::Denied, "nobody knows who calls"));
    }
    Ok(caller)
}
