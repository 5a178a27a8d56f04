//! The report on a source for programs, version 1. Its types are apart from the ones Sayso works
//! with; `docs/reference/fix-report-v1.schema.json` is made from them.

use std::collections::BTreeMap;
use std::io;

use sayso_source::{
    Annotations, Form, Outcome, Place, Registration, Relay, Step, StepKind, ToolName,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::shared::{Error, PerHint, Source};
use super::super::{json, safe_json};
use super::{patch, refusal, steps};
use crate::fix::{Action, Counts, FixReport, Listed, Planned, Server};

/// One run of `sayso fix`. Within a version members may be added; none goes away and none
/// changes its meaning.
#[derive(Debug, Serialize, JsonSchema)]
struct Report {
    /// The version of this format: 1.
    version: u32,
    /// The version of sayso.
    sayso: String,
    /// What was asked.
    action: ActionV1,
    /// What was read and what was not.
    scope: ScopeV1,
    /// The registrations, counted.
    counts: CountsV1,
    /// Every registration, in the order of the files.
    registrations: Vec<RegistrationV1>,
    /// The places that hand tools on under names they are given.
    relays: Vec<RelayV1>,
    /// What to add, in order, so that annotations get through all of them.
    steps: Vec<StepV1>,
    /// The server, where one was named.
    server: Option<ServerV1>,
    /// What the rulings come to, where they were read.
    rulings: Option<RulingsV1>,
    /// What was left out and why.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ActionV1 {
    /// Tell what there is.
    Report,
    /// Show what would be written.
    Diff,
    /// Write.
    Write,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ScopeV1 {
    /// The directory, as it was named.
    directory: String,
    /// How many files were read, by language.
    files: BTreeMap<String, usize>,
    /// Folders that were not looked into.
    skipped: Vec<String>,
    /// Files of tests that were left out.
    tests: usize,
    /// Files that could not be read.
    unread: Vec<UnreadV1>,
    /// Files whose syntax is not understood throughout.
    broken: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UnreadV1 {
    /// The file.
    file: String,
    /// Why.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CountsV1 {
    /// Tools, or registrations.
    tools: usize,
    /// Those with each hint.
    with_hint: PerHint<usize>,
    /// Those with all four.
    with_all: usize,
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct PlaceV1 {
    /// The file.
    file: String,
    /// The line, from 1.
    line: usize,
    /// The column in characters, from 1.
    column: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RegistrationV1 {
    /// The tool; null where its name is made when the server runs.
    tool: Option<String>,
    /// The expression that makes the name, where it is not known.
    expression: Option<String>,
    /// How it is registered.
    form: FormV1,
    /// Where.
    place: PlaceV1,
    /// What stands for annotations.
    annotations: AnnotationsV1,
    /// The hints that can be read.
    hints: PerHint<Option<bool>>,
    /// What it goes through, by position in `relays`.
    through: Vec<usize>,
    /// What comes of it, where rulings were read.
    outcome: Option<OutcomeV1>,
    /// Why it is not written.
    reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FormV1 {
    /// A call that registers one tool.
    Call,
    /// A decorator.
    Decorator,
    /// An object or constructor with a name and a schema.
    Definition,
    /// A call of a function of this source, which registers the tool.
    Wrapper,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AnnotationsV1 {
    /// There are none.
    Absent,
    /// They are written out.
    Literal,
    /// They are an expression.
    Expression,
    /// There is no place for them.
    Unreachable,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutcomeV1 {
    /// Nothing is ruled.
    NotRuled,
    /// It says what was ruled.
    Agrees,
    /// It is edited, or would be.
    Edited,
    /// It is not; `reason` says why.
    Refused,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RelayV1 {
    /// The function, if one with a name is around it.
    function: Option<String>,
    /// Where.
    place: PlaceV1,
    /// Whether it registers tools, or only makes their definitions.
    registers: bool,
    /// What it hands on.
    hands_on: Vec<String>,
    /// Whether annotations get through.
    carries_annotations: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StepV1 {
    /// What something is added to.
    kind: StepKindV1,
    /// The file, type or function.
    subject: String,
    /// Where.
    place: PlaceV1,
    /// The code to add.
    add: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StepKindV1 {
    /// The imports of a file.
    Import,
    /// A type's members.
    Member,
    /// A function's parameters.
    Parameter,
    /// What a function hands on.
    HandOn,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ServerV1 {
    /// What it is called.
    name: String,
    /// How it was reached.
    source: Source,
    /// Why it could not be read.
    error: Option<Error>,
    /// Whether its listing was read to the end.
    complete: bool,
    /// Its listing, counted.
    counts: Option<CountsV1>,
    /// The listed tools whose registration was not found.
    not_found: Vec<NotFoundV1>,
    /// The registrations whose tool is not listed, by position.
    not_listed: Vec<usize>,
    /// Its listing after files were written, where it was started again.
    counts_after: Option<CountsV1>,
    /// Why it could not be started again.
    error_after: Option<Error>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NotFoundV1 {
    /// The tool.
    tool: String,
    /// The nearest name that is registered.
    nearest: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RulingsV1 {
    /// The file.
    file: String,
    /// How many tools have rulings that hold.
    ruled: usize,
    /// The tools whose rulings do not hold any more.
    stale: Vec<String>,
    /// The tools that are ruled on and were not found in the source.
    not_found: Vec<String>,
    /// The files that were written.
    written: Vec<String>,
    /// Everything that is to be written or was, as a patch.
    patch: String,
}

/// The JSON schema of this format, as published in `docs/reference/`.
pub(crate) fn schema() -> String {
    json::schema_of::<Report>()
}

/// What one run has to tell.
pub(super) fn render(report: &FixReport) -> io::Result<String> {
    let tree = &report.tree;
    let languages = tree.languages().into_iter();
    let registrations = tree.survey.registrations.iter().enumerate();
    safe_json::to_string_pretty(&Report {
        version: 1,
        sayso: report.version.to_owned(),
        action: match report.action {
            Action::Report => ActionV1::Report,
            Action::Diff => ActionV1::Diff,
            Action::Write => ActionV1::Write,
        },
        scope: ScopeV1 {
            directory: tree.directory.display().to_string(),
            files: languages
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            skipped: tree.skipped.clone(),
            tests: tree.tests,
            unread: tree
                .unread
                .iter()
                .map(|(file, reason)| UnreadV1 {
                    file: file.clone(),
                    reason: reason.clone(),
                })
                .collect(),
            broken: tree
                .survey
                .broken
                .iter()
                .map(|file| tree.path(*file).to_owned())
                .collect(),
        },
        counts: counts(&report.registered()),
        registrations: registrations
            .map(|(position, found)| registration(report, position, found))
            .collect(),
        relays: tree
            .survey
            .relays
            .iter()
            .map(|found| relay(report, found))
            .collect(),
        steps: steps(report)
            .into_iter()
            .map(|found| step(report, found))
            .collect(),
        server: report.server.as_ref().map(|found| server(report, found)),
        rulings: report
            .planned
            .as_ref()
            .map(|planned| rulings(report, planned)),
        notes: report.notes.clone(),
    })
}

fn counts(counts: &Counts) -> CountsV1 {
    CountsV1 {
        tools: counts.tools,
        with_hint: json::per_hint(&counts.with_hint, |count| *count),
        with_all: counts.with_all,
    }
}

fn place(report: &FixReport, place: &Place) -> PlaceV1 {
    PlaceV1 {
        file: report.tree.path(place.file).to_owned(),
        line: place.line,
        column: place.column,
    }
}

fn registration(report: &FixReport, position: usize, found: &Registration) -> RegistrationV1 {
    let (tool, expression) = match &found.name {
        ToolName::Known(name) => (Some(name.clone()), None),
        ToolName::Unknown(expression) => (None, Some(expression.clone())),
    };
    let outcome = report
        .planned
        .as_ref()
        .and_then(|planned| planned.plan.outcomes.get(position));
    RegistrationV1 {
        tool,
        expression,
        form: match found.form {
            Form::Call => FormV1::Call,
            Form::Decorator => FormV1::Decorator,
            Form::Definition => FormV1::Definition,
            Form::Wrapper => FormV1::Wrapper,
        },
        place: place(report, &found.place),
        annotations: match &found.annotations {
            Annotations::Absent(_) => AnnotationsV1::Absent,
            Annotations::Literal(_) => AnnotationsV1::Literal,
            Annotations::Expression { .. } => AnnotationsV1::Expression,
            Annotations::Unreachable => AnnotationsV1::Unreachable,
        },
        hints: json::per_hint(&found.hints(), |value| *value),
        through: found.through.clone(),
        reason: match outcome {
            Some(Outcome::Refused(why)) => Some(refusal(report, why)),
            _ => None,
        },
        outcome: outcome.map(|outcome| match outcome {
            Outcome::NotRuled => OutcomeV1::NotRuled,
            Outcome::Agrees => OutcomeV1::Agrees,
            Outcome::Edited { .. } => OutcomeV1::Edited,
            Outcome::Refused(_) => OutcomeV1::Refused,
        }),
    }
}

fn relay(report: &FixReport, relay: &Relay) -> RelayV1 {
    RelayV1 {
        function: relay.function.clone(),
        place: place(report, &relay.place),
        registers: relay.registers,
        hands_on: relay.keys.clone(),
        carries_annotations: relay.carries_annotations,
    }
}

fn step(report: &FixReport, step: &Step) -> StepV1 {
    StepV1 {
        kind: match step.kind {
            StepKind::Import => StepKindV1::Import,
            StepKind::Member => StepKindV1::Member,
            StepKind::Parameter => StepKindV1::Parameter,
            StepKind::HandOn => StepKindV1::HandOn,
        },
        subject: step.subject.clone(),
        place: place(report, &step.place),
        add: step.add.clone(),
    }
}

fn server(report: &FixReport, server: &Server) -> ServerV1 {
    let listed: Option<&Listed> = server.listed.as_ref().ok();
    let not_found = listed.into_iter().flat_map(|listed| &listed.join.not_found);
    let after = report.after.as_ref();
    ServerV1 {
        name: server.name.clone(),
        source: json::source(&server.target),
        error: server.listed.as_ref().err().map(json::error),
        complete: listed.is_some_and(|listed| listed.complete),
        counts: listed.map(|listed| counts(&listed.counts)),
        not_found: not_found
            .map(|(tool, nearest)| NotFoundV1 {
                tool: tool.clone(),
                nearest: nearest.clone(),
            })
            .collect(),
        not_listed: listed
            .map(|listed| listed.join.not_listed.clone())
            .unwrap_or_default(),
        counts_after: after.and_then(|after| after.as_ref().ok()).map(counts),
        error_after: after
            .and_then(|after| after.as_ref().err())
            .map(json::error),
    }
}

fn rulings(report: &FixReport, planned: &Planned) -> RulingsV1 {
    RulingsV1 {
        file: planned.rulings.clone(),
        ruled: planned.ruled,
        stale: planned.stale.iter().map(|(tool, _)| tool.clone()).collect(),
        not_found: planned.unplaced.clone(),
        written: report.written.clone(),
        patch: patch(report),
    }
}
