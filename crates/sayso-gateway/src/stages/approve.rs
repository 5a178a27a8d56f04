//! A person's answer, where one is needed. What comes out is the one thing that can be forwarded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::approval::{Approval, Binding, Shown, State, Verdict};
use sayso_core::effective::Effective;
use sayso_core::journal::{self, Json};
use sayso_core::json::{Document, Limits, Splice, Value};
use sayso_core::reveal::{reveal, reveal_line};
use sayso_store::{NewApproval, Spend};

use super::decide::{Decisive, Place};
use super::parse::Parsed;
use crate::call::{Arguments, Context, journal_reasons};
use crate::catalogue::{Tool, as_hints, json_string};
use crate::host::AskError;
use crate::refusal::{ReasonCode, Refusal};
use crate::settings::ApprovalForm;

/// The most text a person is shown in a form; what is longer is for `sayso approvals show`.
const MAX_FORM: usize = 6_000;

/// A call that may go out. Only [`approve`] makes one, nobody copies it, and forwarding uses it up.
#[derive(Debug)]
pub struct Permitted {
    tool: Arc<Tool>,
    arguments: Arguments,
    params: String,
    effective: Effective,
    place: Place,
    approval: Option<String>,
}

impl Permitted {
    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The arguments that were judged.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The parameters that are sent: those that came, with the server's own name for the tool and
    /// the arguments that were judged.
    #[must_use]
    pub fn params(&self) -> &str {
        &self.params
    }

    /// The values it was judged by.
    #[must_use]
    pub fn effective(&self) -> &Effective {
        &self.effective
    }

    /// Where it is made.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The approval that was spent for it.
    #[must_use]
    pub fn into_approval(self) -> Option<String> {
        self.approval
    }
}

/// Permits a call: at once where nobody has to be asked, else with an approval of exactly this call.
///
/// # Errors
/// When nobody has approved it.
pub async fn approve(
    context: &Context<'_>,
    tool: &Arc<Tool>,
    parsed: &Parsed<'_>,
    arguments: Arguments,
    decisive: Decisive,
    known: &mut journal::Call,
) -> Result<Permitted, Refusal> {
    let approval = if decisive.must_ask {
        // Boxed: most calls need none of it.
        Some(Box::pin(approved(context, tool, &arguments, &decisive, known)).await?)
    } else {
        None
    };
    known.approval.clone_from(&approval);
    Ok(Permitted {
        params: params(tool, parsed, &arguments),
        tool: Arc::clone(tool),
        arguments,
        effective: decisive.effective.effective,
        place: decisive.place,
        approval,
    })
}

fn params(tool: &Tool, parsed: &Parsed<'_>, arguments: &Arguments) -> String {
    let mut splice = Splice::new(parsed.params);
    if parsed.tool() != tool.key.tool {
        splice.replace(parsed.name, json_string(&tool.key.tool));
    }
    if let Some(value) = arguments.value().filter(|_| arguments.changed) {
        splice.set(parsed.params, "arguments", value.raw());
    }
    splice.finish()
}

/// The id of the approval that was spent for this call.
async fn approved(
    context: &Context<'_>,
    tool: &Tool,
    arguments: &Arguments,
    decisive: &Decisive,
    known: &journal::Call,
) -> Result<String, Refusal> {
    // The same call, come again with what its server asked for: it was approved already.
    if let Some(approval) = context.exchange.note() {
        return Ok(approval.to_owned());
    }
    let settings = &context.picture.rules.settings;
    let question = Ask {
        context,
        tool,
        arguments,
        binding: Binding {
            arguments: arguments.digest(),
            caller: context.exchange.caller().name.clone(),
            definition: tool.digest.whole,
            policy: context.picture.catalogue()?.policies.digest(),
            server: tool.key.server.clone(),
            tool: tool.key.tool.clone(),
        },
        until: context.began + settings.wait(),
    };
    if let Some(approval) = question.spend().await? {
        return Ok(approval);
    }
    if settings.approval == ApprovalForm::None {
        let message = format!(
            "`{}` has to be approved, and nobody is asked here",
            tool.served_as
        );
        return Err(Refusal {
            reasons: decisive.reasons(tool),
            ..Refusal::new(ReasonCode::NobodyToAsk, message)
        });
    }
    let approval = question.open(decisive, known).await?;
    let _waiting = context.span.waiting(&approval.id);
    let answered = match settings.approval {
        ApprovalForm::Host => question.ask_host(&approval).await?,
        _ => None,
    };
    let answered = match answered {
        Some(answered) => answered,
        None => question.wait(&approval).await?,
    };
    match answered.state(context.gate.expiry_now()) {
        State::Approved => match question.spend().await? {
            Some(approval) => Ok(approval),
            // Another call of the same kind was faster.
            None => Err(question.pending(&approval, decisive)),
        },
        State::Denied => Err(denied(tool, &answered)),
        State::Pending | State::Spent | State::Expired => {
            Err(question.pending(&approval, decisive))
        }
    }
}

struct Ask<'a> {
    context: &'a Context<'a>,
    tool: &'a Tool,
    arguments: &'a Arguments,
    binding: Binding,
    /// The end of the caller's patience.
    until: Instant,
}

impl Ask<'_> {
    /// Spends an approval there is for exactly this call.
    async fn spend(&self) -> Result<Option<String>, Refusal> {
        let store = self.context.gate.store();
        let spent = store
            .spend(&self.binding, self.context.gate.expiry_now())
            .await;
        match spent.map_err(|error| Refusal::store(&error))? {
            Spend::Spent(approval) => Ok(Some(approval.id)),
            Spend::Denied(approval) => Err(denied(self.tool, &approval)),
            Spend::Pending(_) | Spend::None => Ok(None),
        }
    }

    async fn open(&self, decisive: &Decisive, known: &journal::Call) -> Result<Approval, Refusal> {
        let now = self.context.gate.expiry_now();
        let expires = self.context.picture.rules.settings.approval_expires();
        let expires = i64::try_from(expires.as_millis()).unwrap_or(i64::MAX);
        let arguments = match self.arguments.value() {
            Some(value) => Json::of(value),
            None => Json::parse("{}").map_err(|_| {
                Refusal::new(
                    ReasonCode::StoreFailed,
                    "nothing could be shown to a person",
                )
            })?,
        };
        let description = self.tool.listed().description();
        let ruling = self.tool.ruling.as_ref();
        let new = NewApproval {
            binding: self.binding.clone(),
            shown: Shown {
                arguments,
                call: Some(self.context.id.clone()),
                client: known.client.clone(),
                description: description.map(std::borrow::Cow::into_owned),
                hints: Some((&decisive.effective.effective).into()),
                reasons: journal_reasons(&decisive.reasons(self.tool)),
                served_as: Some(self.tool.served_as.clone()),
                undo: ruling.and_then(crate::catalogue::undo),
            },
            now,
            expires_at: now.plus_millis(expires),
        };
        let opened = self.context.gate.store().open_approval(new).await;
        opened.map_err(|error| Refusal::store(&error))
    }

    /// Asks the person at the host. `None` where that is no way: the operator is waited for then.
    async fn ask_host(&self, approval: &Approval) -> Result<Option<Approval>, Refusal> {
        let Some(params) = self.form(approval) else {
            return Ok(None);
        };
        let exchange = self.context.exchange;
        let answer = tokio::select! {
            biased;
            answer = exchange.ask("elicitation/create", Some(&params), self.patience()) => answer,
            () = self.context.gate.stopping().stopped() => return Ok(Some(approval.clone())),
        };
        let verdict = match answer {
            Ok(answer) => match verdict(&answer) {
                Some(verdict) => verdict,
                // The form was closed: nobody has said anything.
                None => return Ok(Some(approval.clone())),
            },
            Err(AskError::Impossible | AskError::Refused(_)) => return Ok(None),
            Err(AskError::TimedOut | AskError::Gone) => return Ok(Some(approval.clone())),
        };
        let by = format!("{} at the host", self.binding.caller);
        let store = self.context.gate.store();
        let now = self.context.gate.expiry_now();
        match store.decide(&approval.id, verdict, &by, now).await {
            Ok(decided) => Ok(Some(decided)),
            // Somebody else was faster, and their answer counts.
            Err(_) => Ok(store
                .approval(&approval.id)
                .await
                .map_err(|error| Refusal::store(&error))?),
        }
    }

    /// What the person at the host is shown: all of it, or nothing.
    fn form(&self, approval: &Approval) -> Option<String> {
        let message = self.message(approval);
        if message.len() > MAX_FORM {
            return None;
        }
        let form = serde_json::json!({
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "approve": {
                        "type": "boolean",
                        "title": "Make this call once",
                        "default": false,
                    },
                },
                "required": ["approve"],
            },
        });
        Some(form.to_string())
    }

    fn message(&self, approval: &Approval) -> String {
        let arguments = approval.shown.arguments.text();
        let pretty = serde_json::from_str::<serde_json::Value>(arguments)
            .and_then(|value| serde_json::to_string_pretty(&value));
        let values = approval.shown.hints.map(|_| as_hints(&self.effective()));
        let effect = values.map_or("", |values| match values {
            values if values.read_only => "It only reads.",
            values if values.destructive => "It may remove or overwrite something.",
            _ => "It changes something and removes nothing.",
        });
        let reach = match values {
            Some(values) if values.open_world => " It reaches beyond this system.",
            _ => "",
        };
        let why: Vec<String> = approval
            .shown
            .reasons
            .iter()
            .map(|reason| match reason.text.as_str() {
                "" => reason.id.clone(),
                text => text.to_owned(),
            })
            .collect();
        format!(
            "Call `{}` of the server `{}`? {effect}{reach}\n\nArguments:\n{}\n\nWhy you are asked: {}\nDefinition of the tool: {}",
            reveal_line(&self.tool.key.tool),
            reveal_line(&self.tool.key.server),
            reveal(&pretty.unwrap_or_else(|_| arguments.to_owned())),
            match why.is_empty() {
                true => "the call has to be approved".to_owned(),
                false => why.join("; "),
            },
            self.binding.definition,
        )
    }

    fn effective(&self) -> Effective {
        self.tool.effective(self.arguments.value(), None).effective
    }

    /// Waits for the operator, as long as the caller has patience and the gate does not end.
    async fn wait(&self, approval: &Approval) -> Result<Approval, Refusal> {
        let store = self.context.gate.store();
        let answered = tokio::select! {
            biased;
            answered = store.await_decision(&approval.id, self.until) => answered,
            () = self.context.gate.stopping().stopped() => return Ok(approval.clone()),
        };
        answered.map_err(|error| Refusal::store(&error))
    }

    fn patience(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    fn pending(&self, approval: &Approval, decisive: &Decisive) -> Refusal {
        let message = format!(
            "`{}` has to be approved, and nobody has done so yet: `sayso approvals show {}`",
            self.tool.served_as, approval.id
        );
        Refusal {
            approval: Some(approval.id.clone()),
            reasons: decisive.reasons(self.tool),
            ..Refusal::new(ReasonCode::ApprovalPending, message)
        }
    }
}

fn denied(tool: &Tool, approval: &Approval) -> Refusal {
    let by = approval
        .answer
        .as_ref()
        .map_or("somebody", |answer| answer.by.as_str());
    let message = format!("{} denied `{}`", reveal_line(by), tool.served_as);
    Refusal {
        approval: Some(approval.id.clone()),
        ..Refusal::new(ReasonCode::ApprovalDenied, message)
    }
}

/// What a form says: `None` where it was closed without an answer.
fn verdict(answer: &str) -> Option<Verdict> {
    let document = Document::parse(answer.to_owned(), &Limits::default()).ok()?;
    let root = document.root();
    match root.get("action").and_then(Value::as_str).as_deref() {
        Some("accept") => match root.at(&["content", "approve"]).and_then(Value::as_bool) {
            Some(true) => Some(Verdict::Approve),
            _ => Some(Verdict::Deny),
        },
        Some("decline") => Some(Verdict::Deny),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::approval::Verdict;

    use super::verdict;

    #[test]
    fn only_a_clear_yes_is_one() {
        let yes = r#"{"action":"accept","content":{"approve":true}}"#;
        assert_eq!(verdict(yes), Some(Verdict::Approve));
        for no in [
            r#"{"action":"accept","content":{"approve":false}}"#,
            r#"{"action":"accept","content":{"approve":"true"}}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"decline"}"#,
        ] {
            assert_eq!(verdict(no), Some(Verdict::Deny), "{no}");
        }
        for nothing in [r#"{"action":"cancel"}"#, "{}", "[]", "x"] {
            assert_eq!(verdict(nothing), None, "{nothing}");
        }
    }
}
