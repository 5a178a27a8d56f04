use crate::compare;
use crate::context::{Context, ToolReading};
use crate::evidence::verdicts::Kind;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That the verbs a description is built on agree with the hints: `Deletes …` with
    /// `destructiveHint`, `Updates …` with `readOnlyHint`. Verbs that are coordinated count
    /// (`Locks the draft and publishes it`); verbs in subordinate clauses, negations,
    /// examples and mentions of other tools do not.
    ///
    /// ## Why it matters
    /// The first verb of a description is the author's own summary of what happens. A name
    /// that is built from the same verb settles it; a name alone says little (about one
    /// time in ten it is right) and never makes more than an information.
    ///
    /// ## Fails
    /// ```json
    /// {
    ///   "name": "drop_collection",
    ///   "description": "Deletes a collection with everything in it.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": false
    ///   }
    /// }
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {
    ///   "name": "drop_collection",
    ///   "description": "Deletes a collection with everything in it.",
    ///   "inputSchema": {
    ///     "type": "object"
    ///   },
    ///   "annotations": {
    ///     "readOnlyHint": false,
    ///     "destructiveHint": true,
    ///     "idempotentHint": true
    ///   }
    /// }
    /// ```
    ///
    /// ## Limits
    /// English only. Whether deleting twice is idempotent and whether sending is
    /// destructive are settings; until they are set, nothing more than information comes of
    /// them. An update counts as overwriting, by the letter of the specification (not *only
    /// additive*); a fair part of the field reads it otherwise.
    VerbContradictsHint {
        id: "verb-contradicts-hint",
        summary: "a verb that says otherwise than a hint",
        severity: Warning,
        confidence: Medium,
        since: "0.1.0",
    }
}

impl Rule for VerbContradictsHint {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        compare::report(&Self::META, Kind::Verb, context, tool, findings);
    }
}
