//! Which calls repeat others, and which were made while others were under way.

use std::collections::HashMap;

use super::super::clients::ObservedClient;
use super::super::timeline::thousandths;
use super::{AT_ONCE_MS, ObservedCall, Repeat};

/// Calls under way that are told of one call, the latest ones.
const MAX_DURING: usize = 32;

/// Fills in what calls have to do with earlier ones.
pub(super) fn relate(calls: &mut [ObservedCall], clients: &[ObservedClient]) {
    let mut last_equal: HashMap<(Option<&str>, Option<&str>, String), usize> = HashMap::new();
    let mut under_way: HashMap<usize, Vec<usize>> = HashMap::new();
    for index in 0..calls.len() {
        let (earlier, rest) = calls.split_at_mut(index);
        let Some(call) = rest.first_mut() else { break };
        let client = clients.get(call.client);
        let name = client.and_then(|client| client.name.as_deref());
        let version = client.and_then(|client| client.version.as_deref());
        let equal = last_equal.insert((name, version, call.what()), index);
        if let Some(at) = equal.filter(|_| call.continues.is_none())
            && let Some(other) = earlier.get(at)
        {
            relate_equal(call, at, other);
        }
        let repeated = call.repeats.map(|repeat| repeat.of);
        let open = under_way.entry(call.client).or_default();
        let is_open = |at: &usize| {
            let other = earlier.get(*at);
            other.is_some_and(|other| other.is_under_way(call.at_ms))
        };
        open.retain(is_open);
        open.drain(..open.len().saturating_sub(MAX_DURING));
        call.during = open
            .iter()
            .copied()
            .filter(|at| repeated != Some(*at))
            .collect();
        open.push(index);
    }
}

fn relate_equal(call: &mut ObservedCall, at: usize, other: &ObservedCall) {
    let after_ms = thousandths(call.at_ms - other.at_ms);
    if other.is_left_without_answer(call.at_ms) {
        if after_ms >= AT_ONCE_MS || other.client != call.client {
            call.repeats = Some(Repeat {
                of: at,
                after_ms,
                same_id: other.request_id == call.request_id,
            });
        }
    } else if !other.is_under_way(call.at_ms) {
        call.same_as_answered = Some(at);
    }
}
