//! The types of version 1 of the report. Within the version members may be added; none
//! goes away and none changes its meaning.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub(super) use super::shared::{
    Claim, ConfiguredIn, Era, Error, PerHint, Server, Source, SourceKind,
};

/// What one run of `sayso audit` found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Sayso audit report, version 1")]
pub(super) struct Report {
    /// The version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub(super) version: u32,
    /// The version of Sayso that wrote it.
    pub(super) sayso: String,
    /// What the run was asked to do.
    pub(super) settings: Settings,
    /// Counts over all targets.
    pub(super) summary: Summary,
    /// Every target, readable or not, in the order it was named or found.
    pub(super) targets: Vec<Target>,
    /// What is wrong with the settings file itself.
    pub(super) settings_findings: Vec<SettingsFinding>,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
    /// How long the run took, in milliseconds.
    pub(super) duration_ms: u64,
}

/// What the run was asked to do, as far as it bears on the result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Settings {
    /// The profile the listings were held against.
    pub(super) profile: Option<String>,
    /// The accepted listing they were compared with.
    pub(super) baseline: Option<String>,
    /// The mildest severity that makes the run fail: `info`, `warning`, `error` or `never`.
    pub(super) fail_on: String,
    /// How meanings the field does not agree on were read.
    pub(super) semantics: Semantics,
    /// The settings file in use.
    pub(super) settings_file: Option<String>,
}

/// How meanings the field does not agree on were read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Semantics {
    /// Whether deleting the same thing twice is idempotent.
    pub(super) delete_is_idempotent: Reading,
    /// Whether sending is destructive.
    pub(super) send_is_destructive: Reading,
    /// Whether the user's own tenant of an online service is an open world.
    pub(super) own_tenant_is_open_world: Reading,
    /// Whether changing what is there is destructive.
    pub(super) update_is_destructive: Reading,
}

/// How a contested question is answered.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reading {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Both answers are respected.
    Either,
}

/// Counts over all targets.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary {
    /// Targets in all.
    pub(super) targets: usize,
    /// Targets that could not be read.
    pub(super) unreadable: usize,
    /// Tools in all listings that were read.
    pub(super) tools: usize,
    /// Findings of severity `error`.
    pub(super) errors: usize,
    /// Findings of severity `warning`.
    pub(super) warnings: usize,
    /// Findings of severity `info`.
    pub(super) infos: usize,
    /// Findings that were kept back.
    pub(super) hidden: Hidden,
    /// The gravest severity there is; null without findings.
    pub(super) worst: Option<Severity>,
    /// Whether a finding reaches the severity that makes the run fail.
    pub(super) fails: bool,
}

/// Findings that were kept back, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Hidden {
    /// By a rule switched off.
    pub(super) off: usize,
    /// By a suppression.
    pub(super) suppressed: usize,
}

/// Something about the settings file, such as a suppression that suppresses nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SettingsFinding {
    /// Its id.
    pub(super) rule: String,
    /// How much it matters.
    pub(super) severity: Severity,
    /// What is wrong.
    pub(super) message: String,
    /// What to do about it.
    pub(super) help: String,
    /// The settings file.
    pub(super) file: String,
    /// The line in it, from 1.
    pub(super) line: usize,
}

/// One target. Exactly one of `error` and `listing` is there.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Target {
    /// What it is called in reports.
    pub(super) name: String,
    /// How it was reached.
    pub(super) source: Source,
    /// The host configuration that names it.
    pub(super) configured_in: Option<ConfiguredIn>,
    /// Why it could not be read; null where it could.
    pub(super) error: Option<Error>,
    /// What was read and found; null where it could not be read.
    pub(super) listing: Option<Listing>,
}

/// A listing and what was found in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    /// Who answered, in its own words.
    pub(super) server: Server,
    /// Whether every page was read.
    pub(super) complete: bool,
    /// Why not, if not.
    pub(super) incomplete_because: Option<String>,
    /// How many pages were read.
    pub(super) pages: usize,
    /// The counts.
    pub(super) counts: Counts,
    /// How many tools a client that follows the documented defaults has to confirm.
    pub(super) gate_rate: GateRate,
    /// Findings about the listing as a whole.
    pub(super) findings: Vec<Finding>,
    /// Every tool in the order it came.
    pub(super) tools: Vec<Tool>,
    /// Findings that were kept back.
    pub(super) hidden: Hidden,
    /// What was odd while the listing was read.
    pub(super) observations: Vec<Observation>,
    /// The last lines the server wrote to standard error.
    pub(super) stderr_tail: Vec<String>,
    /// From start to the last page, in milliseconds.
    pub(super) duration_ms: u64,
}

/// Counts over one listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counts {
    /// Tools returned.
    pub(super) tools: usize,
    /// Tools that carry each hint, with whatever value but null.
    pub(super) with_hint: PerHint<usize>,
    /// Tools with an annotations object.
    pub(super) with_annotations: usize,
    /// Tools with a title of their own.
    pub(super) with_title: usize,
    /// Tools with a title inside `annotations`.
    pub(super) with_annotation_title: usize,
    /// What a client has to assume, with the specification's defaults filled in.
    pub(super) assumed: Assumed,
}

/// What a client has to assume, with the specification's defaults filled in.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Assumed {
    /// Not read-only.
    pub(super) may_write: AssumedCount,
    /// May remove or overwrite.
    pub(super) may_destroy: AssumedCount,
    /// Not safe to repeat.
    pub(super) not_repeatable: AssumedCount,
    /// May reach an open world.
    pub(super) open_world: AssumedCount,
}

/// A count, and the part of it that only a default makes so.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AssumedCount {
    /// Tools in all.
    pub(super) tools: usize,
    /// Those that are so only by default.
    pub(super) by_default: usize,
}

/// How many tools a client that follows the documented defaults has to confirm.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GateRate {
    /// Tools in all.
    pub(super) tools: usize,
    /// Tools to confirm as the listing stands.
    pub(super) now: usize,
    /// Tools to confirm if every suggestion were taken.
    pub(super) if_fixed: usize,
}

/// Where a tool is registered in source.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RegisteredAt {
    /// The file.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: usize,
    /// The column in characters, from 1.
    pub(super) column: usize,
}

/// One tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tool {
    /// Its place in the listing, from 0.
    pub(super) position: usize,
    /// Its name; null where there is none, or it is no string.
    pub(super) name: Option<String>,
    /// Its title.
    pub(super) title: Option<String>,
    /// The title inside `annotations`.
    pub(super) annotation_title: Option<String>,
    /// What stands under `annotations`.
    pub(super) annotations: AnnotationsShape,
    /// What was sent for each hint.
    pub(super) claims: PerHint<Claim>,
    /// Where the value of each hint stands; more than one place when it is duplicated, none when absent.
    pub(super) claim_locations: PerHint<Vec<Location>>,
    /// What a client acts on, each hint by itself.
    pub(super) effective: PerHint<EffectiveHint>,
    /// Whether it only reads.
    pub(super) read_only: bool,
    /// Whether a call may remove or overwrite something.
    pub(super) may_destroy: bool,
    /// Whether a second identical call changes nothing further.
    pub(super) repeatable: bool,
    /// Whether a call may reach an open world.
    pub(super) open_world: bool,
    /// Whether a client that follows the documented defaults asks before each call.
    pub(super) must_confirm: bool,
    /// What real hosts do with it, each as a new user has it.
    pub(super) hosts: Option<HostCounts>,
    /// The `annotations` object to paste; null where no finding suggests a value.
    pub(super) suggested_annotations: Option<Map<String, Value>>,
    /// Where the tool stands.
    pub(super) location: Location,
    /// Where it is registered in the source, with `--source`.
    pub(super) registered_at: Option<RegisteredAt>,
    /// What was found, gravest first.
    pub(super) findings: Vec<Finding>,
}

/// What stands under `annotations`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnnotationsShape {
    /// No such key.
    Absent,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// Something else.
    Malformed,
    /// The key more than once.
    Duplicated,
}

/// A value a client acts on.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EffectiveHint {
    /// The value.
    pub(super) value: bool,
    /// Where it comes from.
    pub(super) provenance: Provenance,
}

/// Where an effective value comes from.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Provenance {
    /// The server claims it.
    Claimed,
    /// The specification's default.
    Default,
}

/// One thing a rule found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Finding {
    /// The rule's id.
    pub(super) rule: String,
    /// How much it matters.
    pub(super) severity: Severity,
    /// How sure it is.
    pub(super) confidence: Confidence,
    /// The hint it is about.
    pub(super) hint: Option<String>,
    /// What is wrong.
    pub(super) message: String,
    /// What to do about it.
    pub(super) help: Option<String>,
    /// Where.
    pub(super) location: Location,
    /// What it rests on.
    pub(super) evidence: Vec<Evidence>,
    /// The values that would be right; null where the rule cannot tell.
    pub(super) suggestion: PerHint<Option<bool>>,
}

/// What real hosts do with a tool, each as a new user has it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct HostCounts {
    /// All of them.
    pub(super) hosts: usize,
    /// Call it without asking.
    pub(super) silent: usize,
    /// Ask a person.
    pub(super) asks: usize,
    /// Refuse it, or keep it from the model.
    pub(super) refuses: usize,
    /// Lose the whole listing.
    pub(super) lost: usize,
    /// Have a model, a classifier or its name decide, or do what nobody has found out.
    pub(super) other: usize,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// Worth knowing.
    Info,
    /// Should be looked at before release.
    Warning,
    /// Wrong, near-certainly.
    Error,
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Confidence {
    /// A hunch.
    Low,
    /// Right more often than not.
    Medium,
    /// Near-certain.
    High,
}

/// A piece of text a finding rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Evidence {
    /// Where the value stands that the text is taken from.
    pub(super) location: Location,
    /// The text, decoded.
    pub(super) text: String,
    /// The part of `text` that matters, in bytes of UTF-8.
    pub(super) mark: Span,
    /// What is to be seen there.
    pub(super) label: String,
}

/// A place in a listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Location {
    /// The page, from 0.
    pub(super) page: usize,
    /// The JSON pointer (RFC 6901) in that page.
    pub(super) pointer: String,
    /// The bytes in that page.
    pub(super) span: Span,
    /// Where it begins: in the saved file, or else in the message it came in.
    pub(super) start: Option<LineColumn>,
    /// Where it ends, behind its last character.
    pub(super) end: Option<LineColumn>,
}

/// A range of bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Span {
    /// Offset of the first byte.
    pub(super) start: usize,
    /// Offset behind the last byte.
    pub(super) end: usize,
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LineColumn {
    /// Line, from 1.
    #[schemars(range(min = 1))]
    pub(super) line: usize,
    /// Column, from 1.
    #[schemars(range(min = 1))]
    pub(super) column: usize,
}

/// Something odd that was seen while a listing was read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Observation {
    /// What it was, in kebab case.
    pub(super) kind: String,
    /// How often.
    pub(super) count: usize,
    /// The first of them, or whatever explains it best.
    pub(super) detail: String,
}
