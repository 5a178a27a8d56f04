//! One pass of every rule over one listing.

use sayso_core::finding::Finding;
use sayso_core::listing::Listing;

use crate::context::Context;
use crate::observed::Observed;
use crate::profile::Profile;
use crate::rule::Findings;
use crate::rules;
use crate::semantics::Semantics;

/// What the judgement depends on besides the listing.
#[derive(Debug, Default)]
pub struct JudgeOptions<'a> {
    /// How contested meanings are read.
    pub semantics: Semantics,
    /// The directory or specification to satisfy.
    pub profile: Option<&'a Profile>,
    /// An earlier, accepted listing of the same server.
    pub baseline: Option<&'a Listing>,
    /// What was observed of its tools at work.
    pub observed: Option<&'a Observed>,
}

/// Everything the rules find, sorted as [`Findings::into_sorted`] says.
#[must_use]
pub fn judge(listing: &Listing, options: &JudgeOptions<'_>) -> Vec<Finding> {
    let mut context = Context::new(
        listing,
        &options.semantics,
        options.profile,
        options.baseline,
    );
    context.observed = options.observed;
    let mut findings = Findings::default();
    for rule in rules::ALL {
        rule.listing(&context, &mut findings);
        for tool in &context.tools {
            rule.tool(&context, tool, &mut findings);
        }
    }
    findings.into_sorted()
}
