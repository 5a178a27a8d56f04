//! The calls of each tool, counted.

use std::collections::BTreeMap;

use super::super::timeline::Timeline;
use super::{CallEnd, ObservedCall};
use crate::journal::Record;
use crate::listing::Declared;
use crate::tool::Tool;

/// A tool and what was done with it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ObservedTool {
    /// Its name.
    pub name: String,
    /// What it declared when it was called, without repetitions; if it was not called, what it
    /// declared last. Empty for a tool that was never listed.
    pub declared: Vec<Declared>,
    /// Its calls.
    pub counts: Counts,
}

/// Calls, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Times it was called, repeats included. A call that goes on with another, with what a
    /// person said, is no call of its own.
    pub calls: u64,
    /// Calls that repeat one that had no answer.
    pub repeats: u64,
    /// Of those, with the same request id.
    pub repeats_with_same_id: u64,
    /// Calls equal to one that had been answered.
    pub same_as_answered: u64,
    /// Calls made while another of the same client was under way.
    pub at_the_same_time: u64,
    /// Calls whose answer was withheld.
    pub withheld: u64,
    /// Calls that did their work.
    pub done: u64,
    /// Calls that a client cancelled.
    pub cancelled: u64,
    /// Calls that ended with the result of a tool that did its work.
    pub results: u64,
    /// Calls that ended with the result of a tool that failed.
    pub failures: u64,
    /// Calls that ended with a protocol error.
    pub refusals: u64,
    /// Calls that ended in any other way, or not at all.
    pub without_answer: u64,
    /// Times a person was asked.
    pub asked: u64,
    /// Calls on a listing that was not the current one.
    pub on_old_listing: u64,
}

impl Counts {
    fn add(&mut self, call: &ObservedCall) {
        self.calls += u64::from(call.continues.is_none());
        self.repeats += u64::from(call.repeats.is_some());
        self.repeats_with_same_id += u64::from(call.repeats.is_some_and(|repeat| repeat.same_id));
        self.same_as_answered += u64::from(call.same_as_answered.is_some());
        self.at_the_same_time += u64::from(!call.during.is_empty());
        self.withheld += u64::from(call.withheld.is_some());
        self.done += u64::from(call.done == Some(true));
        self.asked += u64::try_from(call.asked.len()).unwrap_or(u64::MAX);
        self.on_old_listing += u64::from(call.seen.is_some() && call.seen != call.declared);
        match call.end {
            CallEnd::Result => self.results += 1,
            CallEnd::Failure => self.failures += 1,
            CallEnd::Refusal => self.refusals += 1,
            CallEnd::Cancelled { .. } => self.cancelled += 1,
            // The call that goes on with it has an end of its own.
            CallEnd::InputRequired => {}
            CallEnd::Broken | CallEnd::Undelivered | CallEnd::Disconnected | CallEnd::None => {
                self.without_answer += 1;
            }
        }
    }
}

/// Every tool that was listed or called, in the order of the listing.
pub(in crate::report) fn tools(
    timeline: &Timeline<'_>,
    calls: &[ObservedCall],
) -> Vec<ObservedTool> {
    let mut tools: BTreeMap<String, (Vec<Declared>, Counts)> = BTreeMap::new();
    for call in calls {
        let (declared, counts) = tools.entry(call.tool.clone()).or_default();
        counts.add(call);
        let new = call.declared.filter(|new| !declared.contains(new));
        declared.extend(new);
    }
    let listings = timeline.events().filter_map(|event| match event.record {
        Record::Listing { declared, .. } => Some(declared),
        _ => None,
    });
    for (tool, last) in listings.last().into_iter().flatten() {
        let (declared, _) = tools.entry(tool.clone()).or_default();
        if declared.is_empty() {
            declared.push(*last);
        }
    }
    let mut tools: Vec<ObservedTool> = tools
        .into_iter()
        .map(|(name, (declared, counts))| ObservedTool {
            name,
            declared,
            counts,
        })
        .collect();
    // A name that is no tool's comes behind.
    tools.sort_by_key(|tool| Tool::from_name(&tool.name).map_or(usize::MAX, |tool| tool as usize));
    tools
}
