//! Every rule, one file each; a rule is a file here and a line in [`ALL`].

mod missing_annotations;

use crate::rule::Rule;

/// Every rule, by id.
pub const ALL: &[&dyn Rule] = &[
    &missing_annotations::MissingAnnotations,
];

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.meta().id == id)
}
