//! What may be done: the values of this very call, held against the policies.

use std::time::Duration;

use sayso_core::effective::{Decided, Trust};
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::Value;

use crate::catalogue::{Catalogue, RESOLUTION, Tool};
use crate::host::Exchange;
use crate::pins::Admission;
use crate::policy::{Action, Decision, PinState, Question, SessionFacts, Subject, Verdict};
use crate::refusal::{ReasonCode, Refusal};
use crate::server::{Answer, Asked};

/// How long a server has to say what a call would do.
const RESOLUTION_PATIENCE: Duration = Duration::from_secs(5);

/// What is decided of a call.
#[derive(Clone, Debug)]
pub struct Decisive {
    /// The values it was decided by.
    pub effective: Decided,
    /// What the policies say.
    pub verdict: Verdict,
    /// Whether a person has to approve it.
    pub must_ask: bool,
}

/// Everything a decision is made from, besides the tool.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// The request.
    pub exchange: &'a Exchange,
    /// The arguments as they will be sent.
    pub arguments: Option<Value<'a>>,
    /// Milliseconds since the epoch.
    pub now: i64,
    /// What the session has seen.
    pub session: SessionFacts,
}

/// Decides.
///
/// # Errors
/// When the policies deny, or one of them fails.
pub async fn decide(
    catalogue: &Catalogue,
    tool: &Tool,
    circumstances: Circumstances<'_>,
) -> Result<Decisive, Refusal> {
    let claims = resolved_by_server(tool, circumstances).await;
    let effective = tool.effective(circumstances.arguments, claims.as_ref());
    let verdict = catalogue.policies.decide(&Question {
        caller: circumstances.exchange.caller(),
        action: Action::Call,
        subject: Subject::Tool {
            key: &tool.key,
            effective: &effective.effective,
        },
        arguments: circumstances.arguments,
        confirmed: false,
        now: circumstances.now,
        transport: circumstances.exchange.transport(),
        session: circumstances.session,
    });
    if verdict.decision == Decision::Deny {
        return Err(denied(tool, &verdict));
    }
    let unpinned = tool.admission == Admission::Usable(PinState::Unpinned);
    Ok(Decisive {
        effective,
        must_ask: verdict.decision == Decision::Ask || unpinned,
        verdict,
    })
}

fn denied(tool: &Tool, verdict: &Verdict) -> Refusal {
    let code = if verdict.errors.is_empty() {
        ReasonCode::Denied
    } else {
        ReasonCode::PolicyFailed
    };
    let message = format!("`{}`: {}", tool.served_as, verdict.explanation());
    Refusal {
        reasons: reasons(verdict),
        kept_back: (!verdict.errors.is_empty()).then(|| verdict.errors.join("; ")),
        ..Refusal::new(code, message)
    }
}

/// The policies of a verdict, as refusals and the journal name them.
#[must_use]
pub fn reasons(verdict: &Verdict) -> Vec<(String, String)> {
    let reasons = verdict.reasons.iter();
    reasons
        .map(|reason| {
            let text = reason.text.as_deref().unwrap_or_default();
            (reason.id.to_string(), text.to_owned())
        })
        .collect()
}

/// What a trusted server says of this very call, where it offers to (`tools/resolve` of the extension
/// `io.modelcontextprotocol/tool-resolution`, draft of 2026-08-20). Whatever is odd about the answer,
/// or beyond the bounds of what the tool claims as a whole, leaves that.
async fn resolved_by_server(tool: &Tool, circumstances: Circumstances<'_>) -> Option<Hints<Claim>> {
    let root = tool.definition.root();
    let offered = root.at(&["_meta", RESOLUTION, "resolvable"]);
    // What an untrusted server says of a call could only raise, and its static claims are the worst
    // case already. A ruling knows its own cases.
    if offered.and_then(Value::as_bool) != Some(true)
        || tool.server_settings.trust != Trust::Trusted
        || tool.ruling.is_some()
    {
        return None;
    }
    let arguments = circumstances.arguments.map_or("{}", Value::raw);
    let name = serde_json::Value::from(tool.key.tool.as_str());
    let params = format!(r#"{{"name":{name},"arguments":{arguments}}}"#);
    let asked = Asked {
        method: "tools/resolve",
        params: Some(&params),
        name: Some(&tool.key.tool),
        input_schema: None,
        timeout: Some(RESOLUTION_PATIENCE),
    };
    let answer = Box::pin(tool.server.request(asked, circumstances.exchange)).await;
    let Ok(Answer::Result(result)) = answer else {
        return None;
    };
    let result = result.root();
    if result.get("name")?.as_str()? != tool.key.tool {
        return None;
    }
    let annotations = result.get("annotations")?;
    let resolved = Hints::from_fn(|hint: Hint| annotations.get(hint.key())?.as_bool());
    if resolved.iter().any(|(_, value)| value.is_none()) {
        return None;
    }
    let whole = tool.claims.map(|_, claim| claim.boolean());
    sayso_core::effective::within_bounds(&whole, &resolved).ok()?;
    Some(resolved.map(|_, value| match value {
        Some(true) => Claim::True,
        _ => Claim::False,
    }))
}
