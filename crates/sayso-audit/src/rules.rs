//! Every rule, one file each; a rule is a file here and a line in [`ALL`].

mod cache_changed;
mod confusable_name;
mod cursor_repeated;
mod destructive_contradicted;
mod drift_relaxing;
mod drift_tightening;
mod duplicate_name;
mod duplicated_key;
mod eras_differ;
mod expired_suppression;
mod free_form_input;
mod half_declared;
mod hidden_characters;
mod idempotent_contradicted;
mod ignores_end_of_input;
mod incomplete_listing;
mod invalid_input_schema;
mod invalid_name;
mod leftover_process;
mod list_changed_storm;
mod listing_differs;
mod long_name;
mod malformed_annotations;
mod malformed_hint;
mod malformed_tool;
mod misplaced_hint;
mod missing_annotations;
mod missing_description;
mod misspelt_hint;
mod mode_argument;
mod nested_annotations;
mod no_hints;
mod null_annotations;
mod null_hint;
mod open_world_contradicted;
mod own_state_changed;
mod profile_requirement;
mod prose_says_additive;
mod prose_says_closed_world;
mod prose_says_contacts;
mod prose_says_costs;
mod prose_says_destroys;
mod prose_says_idempotent;
mod prose_says_no_approval;
mod prose_says_open_world;
mod prose_says_reads;
mod prose_says_repeats;
mod prose_says_writes;
mod read_only_and_destructive;
mod read_only_contradicted;
mod read_only_not_idempotent;
mod restates_defaults;
mod sibling_disagreement;
mod snake_case_hint;
mod stale_evidence;
mod stamped_hints;
mod stdout_noise;
mod title_differs;
mod title_missing;
mod tool_added;
mod tool_changed;
mod tool_removed;
mod unclaimed_risk;
mod unknown_annotation_key;
mod unknown_answer_id;
mod unportable_name;
mod unused_suppression;
mod verb_contradicts_hint;
mod writing_argument;
mod zero_value_hints;

use crate::rule::{Rule, RuleMeta};

/// Every rule, by id.
pub const ALL: &[&dyn Rule] = &[
    &cache_changed::CacheChanged,
    &confusable_name::ConfusableName,
    &cursor_repeated::CursorRepeated,
    &destructive_contradicted::DestructiveContradicted,
    &drift_relaxing::DriftRelaxing,
    &drift_tightening::DriftTightening,
    &duplicate_name::DuplicateName,
    &duplicated_key::DuplicatedKey,
    &eras_differ::ErasDiffer,
    &expired_suppression::ExpiredSuppression,
    &free_form_input::FreeFormInput,
    &half_declared::HalfDeclared,
    &hidden_characters::HiddenCharacters,
    &idempotent_contradicted::IdempotentContradicted,
    &ignores_end_of_input::IgnoresEndOfInput,
    &incomplete_listing::IncompleteListing,
    &invalid_input_schema::InvalidInputSchema,
    &invalid_name::InvalidName,
    &leftover_process::LeftoverProcess,
    &list_changed_storm::ListChangedStorm,
    &listing_differs::ListingDiffers,
    &long_name::LongName,
    &malformed_annotations::MalformedAnnotations,
    &malformed_hint::MalformedHint,
    &malformed_tool::MalformedTool,
    &misplaced_hint::MisplacedHint,
    &missing_annotations::MissingAnnotations,
    &missing_description::MissingDescription,
    &misspelt_hint::MisspeltHint,
    &mode_argument::ModeArgument,
    &nested_annotations::NestedAnnotations,
    &no_hints::NoHints,
    &null_annotations::NullAnnotations,
    &null_hint::NullHint,
    &open_world_contradicted::OpenWorldContradicted,
    &own_state_changed::OwnStateChanged,
    &profile_requirement::ProfileRequirement,
    &prose_says_additive::ProseSaysAdditive,
    &prose_says_closed_world::ProseSaysClosedWorld,
    &prose_says_contacts::ProseSaysContacts,
    &prose_says_costs::ProseSaysCosts,
    &prose_says_destroys::ProseSaysDestroys,
    &prose_says_idempotent::ProseSaysIdempotent,
    &prose_says_no_approval::ProseSaysNoApproval,
    &prose_says_open_world::ProseSaysOpenWorld,
    &prose_says_reads::ProseSaysReads,
    &prose_says_repeats::ProseSaysRepeats,
    &prose_says_writes::ProseSaysWrites,
    &read_only_and_destructive::ReadOnlyAndDestructive,
    &read_only_contradicted::ReadOnlyContradicted,
    &read_only_not_idempotent::ReadOnlyNotIdempotent,
    &restates_defaults::RestatesDefaults,
    &sibling_disagreement::SiblingDisagreement,
    &snake_case_hint::SnakeCaseHint,
    &stale_evidence::StaleEvidence,
    &stamped_hints::StampedHints,
    &stdout_noise::StdoutNoise,
    &title_differs::TitleDiffers,
    &title_missing::TitleMissing,
    &tool_added::ToolAdded,
    &tool_changed::ToolChanged,
    &tool_removed::ToolRemoved,
    &unclaimed_risk::UnclaimedRisk,
    &unknown_annotation_key::UnknownAnnotationKey,
    &unknown_answer_id::UnknownAnswerId,
    &unportable_name::UnportableName,
    &unused_suppression::UnusedSuppression,
    &verb_contradicts_hint::VerbContradictsHint,
    &writing_argument::WritingArgument,
    &zero_value_hints::ZeroValueHints,
];

/// What is said of a suppression that has expired.
pub(crate) const EXPIRED_SUPPRESSION: &RuleMeta = &expired_suppression::ExpiredSuppression::META;

/// What is said of a suppression that hides nothing.
pub(crate) const UNUSED_SUPPRESSION: &RuleMeta = &unused_suppression::UnusedSuppression::META;

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Rule> {
    ALL.iter().copied().find(|rule| rule.meta().id == id)
}

/// The ids of all rules, in order.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|rule| rule.meta().id)
}
