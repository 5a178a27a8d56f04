//! The hints a tool would carry if its findings were taken: what reports offer to paste, and
//! what the second gate rate counts.

use sayso_core::finding::{Finding, Severity};
use sayso_core::hint::{Claim, Hints};

/// The value the findings of one tool propose for each hint.
///
/// The graver finding has the say. A boolean that the server claims is overturned by a warning
/// or an error only: information is not enough to argue with the author.
#[must_use]
pub fn proposal<'f>(
    claims: &Hints<Claim>,
    findings: impl IntoIterator<Item = &'f Finding>,
) -> Hints<Option<bool>> {
    let mut proposed: Hints<Option<(Severity, bool)>> = Hints::default();
    for finding in findings {
        for (hint, value) in finding.suggestion.iter() {
            let Some(value) = *value else { continue };
            let claimed = claims.get(hint).boolean();
            if finding.severity == Severity::Info && claimed.is_some_and(|claimed| claimed != value)
            {
                continue;
            }
            let slot = proposed.get_mut(hint);
            if slot.is_none_or(|(severity, _)| severity < finding.severity) {
                *slot = Some((finding.severity, value));
            }
        }
    }
    proposed.map(|_, proposed| proposed.map(|(_, value)| value))
}
