//! What `sayso policy` tells.

use std::io;

use sayso_core::reveal::reveal_line;
use sayso_gateway::policy::{
    Action, Decision, Explanation, HintExplained, Outcome, Policies, PolicyExplained, PolicySource,
    Question,
};

use super::wording::plural;
use crate::policy::Known;
use crate::policy::cases::Tried;

/// What was checked, with nothing wrong.
pub(crate) struct Checked<'a> {
    pub(crate) policies: Policies,
    pub(crate) sources: &'a [PolicySource],
    pub(crate) known: &'a [Known],
    /// The lock, as it is shown; `None` where there is none.
    pub(crate) lock: Option<&'a str>,
}

/// That the policies hold, and what of the tools they cannot see.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn check(checked: &Checked<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let names = checked.sources.iter().map(|source| source.name.as_str());
    let names: Vec<&str> = names.collect();
    let policies = match checked.policies.len() {
        1 => "1 policy".to_owned(),
        count => format!("{count} policies"),
    };
    writeln!(out, "{policies} in {}", reveal_line(&names.join(", ")))?;
    let Some(lock) = checked.lock else {
        return writeln!(
            out,
            "there is no lock: neither the tools nor the arguments they name were looked at"
        );
    };
    writeln!(
        out,
        "{} in {}",
        plural(checked.known.len(), "tool"),
        reveal_line(lock)
    )?;
    for note in checked.policies.notes() {
        writeln!(out, "note: {}", reveal_line(&note.to_string()))?;
    }
    let mut first = true;
    for known in checked.known {
        let key = known.facts.key();
        for (name, kind) in checked.policies.arguments(&key) {
            let Err(why) = kind else {
                continue;
            };
            if std::mem::take(&mut first) {
                writeln!(out, "\narguments that policies cannot see:")?;
            }
            let place = format!("{key} {name}");
            writeln!(out, "  {}: {why}", reveal_line(&place))?;
        }
    }
    Ok(())
}

/// What came of cases: those that failed as a difference, and how many there were.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn test(tried: &[Tried], file: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let failed = tried.iter().filter(|tried| !tried.passed);
    for case in failed.clone() {
        writeln!(
            out,
            "{}:{}: {}\n  - {}\n  + {}\n    {}\n",
            reveal_line(file),
            case.line,
            reveal_line(&case.name),
            reveal_line(&case.expected),
            reveal_line(&case.decided),
            reveal_line(&case.explanation),
        )?;
    }
    writeln!(
        out,
        "{}, {} decided otherwise",
        plural(tried.len(), "case"),
        failed.count()
    )
}

/// Why a decision is what it is, and how its call stands to confinement.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn explain(
    question: &Question<'_>,
    known: &Known,
    explanation: &Explanation,
    confinement: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let verdict = &explanation.verdict;
    let decided = match (question.action, verdict.decision) {
        (Action::List, Decision::Deny) => "not listed",
        (Action::List, _) => "listed",
        (_, decision) => decision.as_str(),
    };
    writeln!(out, "{decided}: {}", reveal_line(&verdict.explanation()))?;
    for error in verdict.errors.iter() {
        writeln!(out, "  {}", reveal_line(error))?;
    }
    let facts = &known.facts;
    let trust = match facts.trust {
        sayso_core::effective::Trust::Trusted => "trusted",
        sayso_core::effective::Trust::Untrusted => "not trusted",
    };
    writeln!(
        out,
        "\n{} {} by {}, a server that is {trust}, {}",
        question.action,
        reveal_line(&facts.key().to_string()),
        reveal_line(&question.caller.name),
        facts.pin
    )?;
    if let Some(confinement) = confinement {
        writeln!(out, "{}", reveal_line(confinement))?;
    }
    writeln!(out)?;
    for hint in &explanation.hints {
        told_hint(hint, out)?;
    }
    writeln!(out)?;
    if explanation.policies.is_empty() {
        writeln!(out, "  no policy is about this action")?;
    }
    for policy in &explanation.policies {
        told_policy(policy, question, out)?;
    }
    if question.action == Action::List {
        writeln!(
            out,
            "\na tool is listed when a call of it can be allowed or asked about, whatever its arguments"
        )?;
    }
    Ok(())
}

fn told_hint(hint: &HintExplained, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(
        out,
        "  {:12} {:5}  {:12} claimed {}, ruled {}, {}",
        hint.name, hint.value, hint.provenance, hint.claimed, hint.ruled, hint.observed
    )
}

fn told_policy(
    policy: &PolicyExplained,
    question: &Question<'_>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let effect = if policy.forbids { "forbid" } else { "permit" };
    let outcome = match (&policy.outcome, &policy.if_confirmed) {
        (Outcome::Failed(error), _) => format!("cannot be evaluated: {error}"),
        (Outcome::Applies, Outcome::DoesNotApply) if !question.confirmed => {
            "applies until the call is confirmed".to_owned()
        }
        (Outcome::DoesNotApply, Outcome::Applies) if !question.confirmed => {
            "applies once the call is confirmed".to_owned()
        }
        (Outcome::Applies, _) => "applies".to_owned(),
        (Outcome::DoesNotApply, _) => "does not apply".to_owned(),
    };
    let place = format!("{}:{}", policy.source, policy.place.line);
    writeln!(
        out,
        "  {effect} {} ({}) {}",
        reveal_line(&policy.reason.id),
        reveal_line(&place),
        reveal_line(&outcome)
    )
}
