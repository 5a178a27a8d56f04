//! The words for what happened to a call, the same in every format.

use sayso_audit::hosts::{OnListChange, Outcome};
use sayso_core::effective::Trust;
use sayso_core::hint::{Claim, Hints};
use sayso_core::journal::Decision;
use sayso_scratch::store::Change;

use crate::trace::{
    Answer, End, Gate, GateLeg, GateTrial, Leg, Revision, Row, Trace, Trial, TrialKind,
};

/// What a tool declares, hint by hint, as a client prints it: `None` where it is absent.
pub(super) fn as_seen(claims: &Hints<Claim>) -> [(&'static str, String); 4] {
    let value = |claim: Claim| match claim {
        Claim::Absent => "None".to_owned(),
        other => other.to_string(),
    };
    [
        ("readOnly", value(claims.read_only)),
        ("destructive", value(claims.destructive)),
        ("idempotent", value(claims.idempotent)),
        ("openWorld", value(claims.open_world)),
    ]
}

/// What a tool declares, in one phrase without what is absent.
pub(super) fn declares(claims: Option<&Hints<Claim>>) -> String {
    let Some(claims) = claims else {
        return "is not listed".to_owned();
    };
    let declared: Vec<String> = claims
        .iter()
        .filter(|(_, claim)| **claim != Claim::Absent)
        .map(|(hint, claim)| format!("{hint}={claim}"))
        .collect();
    if declared.is_empty() {
        "declares nothing".to_owned()
    } else {
        format!("declares {}", declared.join(", "))
    }
}

/// Whether a tool declares nothing at all.
fn declares_nothing(row: &Row) -> bool {
    row.declares
        .is_some_and(|claims| claims.iter().all(|(_, claim)| *claim == Claim::Absent))
}

/// What stood between the call and the server, in a word or two.
pub(super) const fn gate(gate: Gate) -> &'static str {
    match gate {
        Gate::None => "no gate",
        Gate::Host(Outcome::Allow) => "silent",
        Gate::Host(Outcome::Ask | Outcome::AskOnce | Outcome::AskEvery) => "gated",
        Gate::Host(Outcome::Deny) => "refused",
        Gate::Host(Outcome::Hide) => "hidden",
        Gate::Host(Outcome::Judge) => "judged",
        Gate::Host(Outcome::ByName) => "by name",
        Gate::Host(Outcome::Unknown) => "unknown",
        Gate::Sayso(Decision::Allow) => "allowed",
        Gate::Sayso(Decision::Ask) => "gated",
        Gate::Sayso(Decision::Deny) => "refused",
        Gate::Remembered => "agreed before",
        Gate::Lost => "listing lost",
        Gate::NotListed => "not listed",
    }
}

/// How often a person was asked, and what they said.
pub(super) fn asked(row: &Row) -> String {
    match row.answer {
        None => "0".to_owned(),
        Some(answer) => format!("{} ({})", row.asked, said(answer)),
    }
}

const fn said(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Nothing => "no answer",
    }
}

/// How the call ended, in a few words.
pub(super) fn end(row: &Row) -> String {
    match &row.end {
        End::Answered(_) => "answered".to_owned(),
        End::ToolError(text) => format!("the tool failed: {}", first_line(text)),
        End::Refused(error) => format!("refused by the server: {}", first_line(error)),
        End::InputRequired => "the server asks back".to_owned(),
        End::NoAnswer => "no answer, outcome unknown".to_owned(),
        End::ConnectionLost(_) => "connection lost, outcome unknown".to_owned(),
        End::Malformed(why) => format!("no valid answer: {}", first_line(why)),
        End::PersonRefused => "not sent: the person said no".to_owned(),
        End::PersonSilent => "not sent: nobody answered".to_owned(),
        End::HostRefused => "not sent".to_owned(),
        End::GateRefused { code, .. } => format!("not sent: {code}"),
        End::Undecided => match row.gate {
            Gate::Host(outcome) => format!("not sent: the host {}", outcome.meaning()),
            _ => "not sent".to_owned(),
        },
        End::NotSent(why) => format!("not sent: {}", first_line(why)),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// What is not as it was in the store; `None` where that cannot be seen.
pub(super) fn store(effects: Option<&[Change]>) -> Option<String> {
    let effects: Vec<String> = effects?.iter().map(ToString::to_string).collect();
    Some(if effects.is_empty() {
        "unchanged".to_owned()
    } else {
        effects.join(", ")
    })
}

/// What the calls of the bare client show.
pub(super) fn bare_lesson(trace: &Trace<'_>) -> Option<String> {
    let destroyed: Vec<String> = trace
        .bare
        .rows
        .iter()
        .filter(|row| may_destroy(row) && matches!(row.end, End::Answered(_)))
        .map(|row| format!("`{}`", row.tool))
        .collect();
    if destroyed.is_empty() {
        return None;
    }
    let place = if trace.is_scratch {
        ", on its own copy of the store"
    } else {
        ""
    };
    Some(format!(
        "{} really ran{place}: a client asks nobody unless somebody wrote the asking",
        destroyed.join(" and ")
    ))
}

fn may_destroy(row: &Row) -> bool {
    row.declares
        .is_some_and(|claims| sayso_core::effective::Effective::from_claims(&claims).may_destroy())
}

/// What the calls of the host show, as sentences: only what was seen.
pub(super) fn host_lessons(leg: &Leg) -> Vec<String> {
    let mut lessons = Vec::new();
    let unanswered = || leg.rows.iter().filter(|row| row.unanswered > 0);
    for row in unanswered() {
        let declared = match row.declares.map(|claims| claims.idempotent) {
            Some(Claim::True) => "it declares idempotentHint=true",
            Some(Claim::False) => "it declares idempotentHint=false",
            _ => "it does not declare idempotentHint",
        };
        lessons.push(match row.retried() {
            0 => format!(
                "`{}` was not sent again after a missing answer: {declared}",
                row.tool
            ),
            times => {
                let times = times_in_words(times);
                format!(
                    "`{}` was sent again {times} after a missing answer: {declared}",
                    row.tool
                )
            }
        });
    }
    let silent = leg.rows.iter().filter(|row| declares_nothing(row));
    for row in silent {
        let explicit = leg.rows.iter().find(|other| {
            other.gate == row.gate
                && other.tool != row.tool
                && other
                    .declares
                    .is_some_and(|claims| claims.destructive == Claim::True)
        });
        if let (Some(explicit), Gate::Host(outcome)) = (explicit, row.gate) {
            lessons.push(format!(
                "`{}`, which declares nothing, was treated exactly as `{}`, which declares destructiveHint=true: the host {}",
                row.tool,
                explicit.tool,
                outcome.meaning()
            ));
        }
    }
    lessons
}

fn times_in_words(times: u32) -> String {
    match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// What a change of the listing did to the host, in sentences.
pub(super) fn revision(revision: &Revision) -> Vec<String> {
    let how = if revision.told {
        "told with `notifications/tools/list_changed`"
    } else {
        "silent"
    };
    let heard = match (revision.told, revision.heard, revision.listed_again) {
        (false, false, _) => "the host could not know".to_owned(),
        (false, true, _) => "the host was told all the same".to_owned(),
        (true, false, _) => "the host did not hear of it".to_owned(),
        (true, true, true) => "the host heard of it and read the listing again".to_owned(),
        (true, true, false) => format!("the host heard of it and {}", on_change(revision.profile)),
    };
    vec![
        format!("{how}: {heard}"),
        format!(
            "before the change the call was {}, after it {}",
            what_happened(&revision.before),
            what_happened(&revision.after)
        ),
    ]
}

/// Whether the host acted on what the tool no longer declares.
pub(super) fn acts_on_old_values(revision: &Revision) -> bool {
    revision.after.declares == Some(revision.declared_before)
}

const fn on_change(profile: OnListChange) -> &'static str {
    match profile {
        OnListChange::ListsAgain => "reads the listing again",
        OnListChange::Ignores => "by its profile goes on with the listing it has",
        OnListChange::Unknown => {
            "what it does then is not known: taken to go on with the listing it has"
        }
    }
}

fn what_happened(row: &Row) -> String {
    let store = store(row.effects.as_deref()).map(|store| format!(" (store: {store})"));
    format!(
        "{}, {}{}",
        gate(row.gate),
        end(row),
        store.unwrap_or_default()
    )
}

/// Which rules the gate has.
pub(super) fn gate_heading(leg: &GateLeg) -> String {
    let policies: Vec<String> = leg
        .policies
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let noun = if policies.len() == 1 {
        "policy"
    } else {
        "policies"
    };
    format!("the gate, {noun} {}", policies.join(", "))
}

/// Whether the gate believes the server.
pub(super) const fn trusts(trust: Trust) -> &'static str {
    match trust {
        Trust::Trusted => "the server is trusted: what it claims counts",
        Trust::Untrusted => "the server is not trusted: what it claims can only add risk",
    }
}

/// What the server of a trial does.
pub(super) fn trial(trial: &Trial) -> String {
    let tool = &trial.bare.tool;
    match trial.kind {
        TrialKind::Lies => {
            format!("a server that lies: `{tool}` declares that it only reads, and wipes an index")
        }
        TrialKind::ChangesSilently => format!(
            "a server that changes its mind: `{tool}` declares later that it only reads, and \
             nobody is told"
        ),
        TrialKind::ChangesAndTells => format!(
            "the same, told with `notifications/tools/list_changed`: `{tool}` declares that it only \
             reads"
        ),
        TrialKind::IgnoresAuthority => format!(
            "a server that takes what it is given: `{tool}` is called with an index that the \
             operator does not allow"
        ),
    }
}

/// What became of the call of a trial at one caller.
pub(super) fn fate(row: &Row) -> String {
    let asked = match row.answer {
        None => "nobody asked".to_owned(),
        Some(answer) => format!("asked {} ({})", times_in_words(row.asked), said(answer)),
    };
    let store = store(row.effects.as_deref()).map(|store| format!("; store: {store}"));
    let reached = match row.arrived {
        Some(0) => "; nothing reached the server",
        _ => "",
    };
    format!(
        "{}, {asked}, {}{}{reached}",
        gate(row.gate),
        end(row),
        store.unwrap_or_default()
    )
}

/// What a gate did in a trial that holds the server to what it claims, in sentences.
pub(super) fn confined_fate(trial: &GateTrial) -> Vec<String> {
    let mut told = vec![
        trusts(trial.trust).to_owned(),
        match trial.row.confined {
            Some(_) => "the call was made where the kernel lets nothing be changed".to_owned(),
            None => "nothing can be confined here".to_owned(),
        },
    ];
    told.extend(because(&trial.row));
    told
}

/// What the gate did in a trial besides the call, in sentences.
pub(super) fn gate_fate(kind: TrialKind, trial: &GateTrial) -> Vec<String> {
    let mut told = Vec::new();
    if kind == TrialKind::Lies {
        told.push(trusts(trial.trust).to_owned());
    }
    told.extend(because(&trial.row));
    if let Some(other) = &trial.goes_on {
        told.push(format!("`{}` goes on: {}", other.tool, fate(other)));
    }
    told
}

/// Why the gate decided so, and how it held the call to that.
pub(super) fn decided(row: &Row) -> Option<String> {
    let confined = row.confined.as_ref();
    let confined = confined.map(|mode| format!("confined ({mode})"));
    let parts: Vec<String> = because(row).into_iter().chain(confined).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Why the gate decided so: the policies, or what it says to the caller.
pub(super) fn because(row: &Row) -> Option<String> {
    match (&row.end, &row.because) {
        (End::GateRefused { said, .. }, Some(because)) if because.ends_with(said.as_str()) => {
            Some(said.clone())
        }
        (_, because) => because.clone(),
    }
}
