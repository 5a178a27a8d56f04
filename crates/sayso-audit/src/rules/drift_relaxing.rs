use sayso_core::drift::{Change, Direction, between};
use sayso_core::hint::{Claim, Hint};

use crate::context::Context;
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no tool of the listing claims less risk than in the baseline (`--baseline FILE`): read-only
    /// where it was not, no longer destructive, safe to repeat, a closed world.
    ///
    /// ## Why it matters
    /// A client asks less for it from now on, for a tool somebody has already approved. That is how an
    /// approved server turns; it is also how an honest correction looks, so a person has to read it.
    ///
    /// ## Fails
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": false}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ],
    /// "sayso": {"baseline": {"tools": [
    ///  {"name": "delete_note", "title": "Delete note", "description": "Deletes a note.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ]}}}
    /// ```
    ///
    /// ## Limits
    /// Absent and the default are the same, and so is what has no meaning for a read-only tool. Tools are
    /// matched by name.
    DriftRelaxing {
        id: "drift-relaxing",
        summary: "a hint that claims less risk than in the baseline",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for DriftRelaxing {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        hints(context, Direction::Relaxing, &Self::META, findings);
    }
}

/// Reports the hints that moved in one direction.
pub(super) fn hints(
    context: &Context<'_>,
    wanted: Direction,
    meta: &'static RuleMeta,
    findings: &mut Findings,
) {
    let Some(baseline) = context.baseline else {
        return;
    };
    for change in between(baseline, context.listing) {
        let Change::Hint {
            tool,
            hint,
            before,
            after,
            direction,
        } = change
        else {
            continue;
        };
        let Some(reading) = context
            .tools
            .get(tool.position())
            .filter(|_| direction == wanted)
        else {
            continue;
        };
        let page = tool.page();
        let mut draft = findings
            .about(
                meta,
                reading,
                format!(
                    "{hint} was {} and is {}: {}",
                    say(hint, before),
                    say(hint, after),
                    effect(hint, direction)
                ),
            )
            .hint(hint);
        match reading.claims.hints.get(hint).values.first() {
            Some(value) => {
                draft = draft.at(page, *value).evidence(excerpt::member(
                    page,
                    *value,
                    "changed since the baseline",
                ));
            }
            None => {
                if let Some(object) = reading.claims.objects.first() {
                    draft = draft.at(page, *object);
                }
            }
        }
        draft
            .help(match wanted {
                Direction::Relaxing => {
                    "look at what the tool does now; take a new baseline only if the claim is true"
                }
                _ => "take a new baseline",
            })
            .report();
    }
}

/// A claim and what it comes to: `absent (so true)`.
fn say(hint: Hint, claim: Claim) -> String {
    match claim.boolean() {
        Some(value) => value.to_string(),
        None => format!("{claim} (so {})", hint.default_value()),
    }
}

/// What a client does differently.
fn effect(hint: Hint, direction: Direction) -> &'static str {
    match (hint, direction) {
        (Hint::ReadOnly, Direction::Relaxing) => "clients may now run it without asking",
        (Hint::ReadOnly, _) => "clients now treat it as a write",
        (Hint::Destructive, Direction::Relaxing) => "clients may no longer ask before it",
        (Hint::Destructive, _) => "clients now ask before it",
        (Hint::Idempotent, Direction::Relaxing) => "clients may now repeat it by themselves",
        (Hint::Idempotent, _) => "clients no longer repeat it by themselves",
        (Hint::OpenWorld, Direction::Relaxing) => "clients may now trust what it brings back",
        (Hint::OpenWorld, _) => "clients now distrust what it brings back",
    }
}
