use sayso_core::hint::Hint;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::profile::{Check, Requirement, Which};
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// What the profile named with `--profile` asks of each tool. The profiles' reference page
    /// lists the requirements with their sources and dates.
    ///
    /// ## Why it matters
    /// Directories refuse a submission for one tool that does not meet them, and their mails rarely
    /// name the tool.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true},
    ///  "sayso": {"profile": "openai-apps"}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "description": "Lists files.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false},
    ///  "sayso": {"profile": "openai-apps"}}
    /// ```
    ///
    /// ## Limits
    /// It checks what a listing shows. What reviewers find by calling the tools is beyond it. Each
    /// requirement has a severity of its own.
    ProfileRequirement {
        id: "profile-requirement",
        summary: "something the chosen profile asks and the tool does not meet",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for ProfileRequirement {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let Some(profile) = context.profile else {
            return;
        };
        if !tool.tool.value().is_object() {
            return;
        }
        for requirement in &profile.requirements {
            if let Some(unmet) = unmet(&requirement.check, tool) {
                report(&profile.id, requirement, tool, unmet, findings);
            }
        }
    }
}

/// What of a requirement is not met.
#[derive(Default)]
struct Unmet {
    hints: Vec<Hint>,
    detail: Option<String>,
    evidence: Vec<sayso_core::finding::Evidence>,
}

fn unmet(check: &Check, tool: &ToolReading<'_>) -> Option<Unmet> {
    let boolean = |hint: Hint| tool.states.get(hint).boolean();
    let missing = |yes: bool| (!yes).then(Unmet::default);
    match check {
        Check::ExplicitHints { hints, on } => {
            if *on == Which::Writing && boolean(Hint::ReadOnly) == Some(true) {
                return None;
            }
            let hints: Vec<Hint> = hints
                .iter()
                .copied()
                .filter(|hint| boolean(*hint).is_none())
                .collect();
            (!hints.is_empty()).then(|| Unmet {
                hints,
                ..Unmet::default()
            })
        }
        Check::AnyHintTrue { hints } => {
            missing(hints.iter().any(|hint| boolean(*hint) == Some(true)))
        }
        Check::AnnotationsTitle => missing(
            tool.tool
                .annotation_title()
                .is_some_and(|title| !title.trim().is_empty()),
        ),
        Check::AnyTitle => missing(
            [tool.tool.title(), tool.tool.annotation_title()]
                .into_iter()
                .flatten()
                .any(|title| !title.trim().is_empty()),
        ),
        Check::NameLength { max } => {
            let length = tool.tool.name().map_or(0, |name| name.chars().count());
            (length > *max).then(|| Unmet {
                detail: Some(format!("this one has {length}")),
                ..Unmet::default()
            })
        }
        Check::NameCharacters => missing(tool.tool.name().is_none_or(|name| {
            (1..=super::invalid_name::LONGEST).contains(&name.chars().count())
                && name.chars().all(super::invalid_name::allowed)
        })),
        Check::NoMixedActions => mixed(tool),
        Check::Description => missing(
            tool.tool
                .description()
                .is_some_and(|description| !description.trim().is_empty()),
        ),
    }
}

/// The argument that chooses between reading and writing, if there is one.
fn mixed(tool: &ToolReading<'_>) -> Option<Unmet> {
    let mixed = tool.evidence.mixed_modes()?;
    let argument = tool.evidence.arguments.get(mixed.argument)?;
    let member = |number: usize| argument.members.get(number);
    let (reads, writes) = (member(mixed.reads)?, member(mixed.writes)?);
    let values = argument.value.get("enum").unwrap_or(argument.value);
    Some(Unmet {
        detail: Some(format!(
            "here `{}` reads with `{reads}` and writes with `{writes}`",
            argument.name
        )),
        evidence: vec![excerpt::member(
            tool.tool.page(),
            values,
            "reads and writes",
        )],
        ..Unmet::default()
    })
}

fn report(
    profile: &str,
    requirement: &Requirement,
    tool: &ToolReading<'_>,
    unmet: Unmet,
    findings: &mut Findings,
) {
    let mut message = format!("{profile} {}: {}", requirement.id, requirement.message);
    if !unmet.hints.is_empty() {
        let names: Vec<&str> = unmet.hints.iter().map(|hint| hint.key()).collect();
        message.push_str(&format!(" (here: {})", names.join(", ")));
    } else if let Some(detail) = &unmet.detail {
        message.push_str(&format!(" ({detail})"));
    }
    let mut help = requirement.help.clone().unwrap_or_default();
    if !help.is_empty() {
        help.push_str("; ");
    }
    help.push_str(&format!("see {}", requirement.source));
    let mut draft = findings
        .about(&ProfileRequirement::META, tool, message)
        .severity(requirement.severity)
        .help(help);
    if let [hint] = unmet.hints.as_slice() {
        draft = draft.hint(*hint);
    }
    if let Some(object) = tool
        .claims
        .objects
        .first()
        .filter(|_| !unmet.hints.is_empty())
    {
        draft = draft.at(tool.tool.page(), *object);
    }
    for evidence in unmet.evidence {
        draft = draft.evidence(evidence);
    }
    draft.report();
}
