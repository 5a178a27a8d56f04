//! What may be done: the values of this very call, held against the policies.

use std::time::Duration;

use sayso_core::effective::{Decided, Trust};
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::Value;

use crate::catalogue::{Catalogue, RESOLUTION, Tool};
use crate::confine::View;
use crate::host::Exchange;
use crate::pins::Admission;
use crate::policy::{Action, Decision, PinState, Question, SessionFacts, Subject, Verdict};
use crate::refusal::{ReasonCode, Refusal};
use crate::server::{Answer, Asked};
use crate::settings::Confine;

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
    /// Where it is made.
    pub place: Place,
}

/// Where a call is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// On the server as it is.
    #[default]
    Free,
    /// On an instance that is held to this view, and how.
    Confined(View, &'static str),
    /// On the server as it is, since it cannot be confined: the server's word counted for nothing,
    /// and this is why.
    NotHeld(String),
}

impl Decisive {
    /// Why it was decided so, as refusals and the journal name it.
    #[must_use]
    pub fn reasons(&self, tool: &Tool) -> Vec<(String, String)> {
        let mut all = reasons(&self.verdict);
        all.extend(self.place.reason(&tool.served_as));
        all
    }
}

impl Place {
    /// How it is confined there, if it is.
    #[must_use]
    pub fn mode(&self) -> Option<&'static str> {
        match self {
            Self::Confined(_, mode) => Some(mode),
            Self::Free | Self::NotHeld(_) => None,
        }
    }

    /// What there is to say of it beside the reasons of the policies: an id and a text.
    #[must_use]
    pub fn reason(&self, tool: &str) -> Option<(String, String)> {
        match self {
            Self::NotHeld(why) => Some((
                "confinement".to_owned(),
                format!("`{tool}` is not held to what its server says of it: {why}"),
            )),
            Self::Free | Self::Confined(..) => None,
        }
    }
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
    let mut effective = tool.effective(circumstances.arguments, claims.as_ref());
    let asked = |effective: &Decided| {
        catalogue.policies.decide(&Question {
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
        })
    };
    let mut verdict = asked(&effective);
    let place = match verdict.decision {
        Decision::Deny => not_held(tool),
        Decision::Allow | Decision::Ask => place(tool, &effective, &verdict).await,
    };
    if let Place::NotHeld(_) = place {
        effective.effective = effective.effective.without_its_word();
        verdict = asked(&effective);
    }
    if verdict.decision == Decision::Deny {
        return Err(denied(tool, &verdict, &place));
    }
    let unpinned = tool.admission == Admission::Usable(PinState::Unpinned);
    // All calls were to be confined, and this one is let out by nobody yet.
    let let_out = tool.server_settings.confine_of(&tool.key.tool) == Confine::All
        && matches!(place, Place::NotHeld(_));
    Ok(Decisive {
        effective,
        must_ask: verdict.decision == Decision::Ask || unpinned || let_out,
        verdict,
        place,
    })
}

/// Where a call that is not denied is made: the instance it needs is there.
async fn place(tool: &Tool, effective: &Decided, verdict: &Verdict) -> Place {
    if verdict.lifts {
        return Place::Free;
    }
    let Some(view) = tool.view(&effective.effective) else {
        return not_held(tool);
    };
    let name = &tool.key.tool;
    match Box::pin(tool.server.hold(name, &tool.digest, &view)).await {
        Ok(mode) => Place::Confined(view, mode),
        Err(why) => Place::NotHeld(why),
    }
}

/// Where a call is made that nothing confines: the values it is judged by know of that already.
fn not_held(tool: &Tool) -> Place {
    match tool.confinement.not_enforced() {
        Some(why) => Place::NotHeld(why.to_owned()),
        None => Place::Free,
    }
}

fn denied(tool: &Tool, verdict: &Verdict, place: &Place) -> Refusal {
    let code = if verdict.errors.is_empty() {
        ReasonCode::Denied
    } else {
        ReasonCode::PolicyFailed
    };
    let mut message = format!("`{}`: {}", tool.served_as, verdict.explanation());
    let of_place = place.reason(&tool.served_as);
    if let Some((_, text)) = &of_place {
        message = format!("{message}; {text}");
    }
    Refusal {
        reasons: reasons(verdict).into_iter().chain(of_place).collect(),
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
        kept: None,
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
