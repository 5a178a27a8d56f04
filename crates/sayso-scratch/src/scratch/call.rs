//! A call, from its arguments to its answer.

use std::sync::Arc;

use jiff::Timestamp;
use sayso_core::json::Value;
use sayso_mcp::server::{Answer, Call, CallResult, Peer, PersonAnswer};
use serde_json::json;

use super::Scratch;
use crate::journal::{AsideEffect, Journal, Record, WithheldAnswer};
use crate::settings::{self, Settings, ToolSettings, Withheld};
use crate::store::{Refusal, Store, StoreError};
use crate::tool::{Arguments, Outcome, Tool, run};

/// The field of the form that says yes.
const CONFIRM: &str = "confirm";

impl Scratch {
    /// Does what the call asks for, and answers it as the settings say.
    pub(super) async fn answer(&self, peer: &Peer, call: Call) -> Answer {
        let Some(tool) = Tool::from_name(&call.name) else {
            let text = format!("there is no tool `{}`", call.name);
            return Answer::Result(CallResult::failure(text));
        };
        let current = self.current();
        let arguments = call.arguments.as_ref();
        // `null` is taken for none.
        let arguments = arguments
            .map(sayso_core::json::Document::root)
            .filter(|value: &Value<'_>| !value.is_null());
        let prepared = match Arguments::check(tool, arguments) {
            Err(error) => Prepared::Refused(Refusal::new(error.to_string())),
            Ok(arguments) => {
                let asks =
                    tool == Tool::SendInvoiceEmail && current.settings.elicit && peer.can_ask();
                if asks {
                    match self.ask(&arguments, &call).await {
                        Ok(None) => Prepared::Run(arguments),
                        Ok(Some(Asking::Question(question))) => return question,
                        Ok(Some(Asking::No(refusal))) => Prepared::Refused(refusal),
                        Err(error) => return broken(&error),
                    }
                } else {
                    Prepared::Run(arguments)
                }
            }
        };
        let work = Work {
            store: Arc::clone(&self.store),
            journal: Arc::clone(&self.journal),
            settings: current.settings.clone(),
            connection: peer.connection(),
            request_id: call.request_id,
            tool,
            prepared,
        };
        // Runs to its end also when the call is cancelled: what is done is done.
        let done = tokio::task::spawn_blocking(move || work.run()).await;
        let (outcome, withheld) = match done {
            Ok(Ok(done)) => done,
            Ok(Err(error)) => return broken(&error),
            Err(error) => {
                let text = format!("the work was not finished: {error}");
                return Answer::Result(CallResult::failure(text));
            }
        };
        match withheld {
            None => {}
            // The connection goes on with other things; its end or a cancellation ends this.
            Some(Withheld::Never) => std::future::pending().await,
            Some(Withheld::Late(time)) => tokio::time::sleep(time).await,
            Some(Withheld::Disconnect) => return Answer::Disconnect,
        }
        Answer::Result(result(outcome))
    }

    /// Asks the person whether a mail may go out, or reads what they said.
    async fn ask(&self, arguments: &Arguments, call: &Call) -> Result<Option<Asking>, StoreError> {
        let invoice = arguments.get("invoice").to_owned();
        if let Some(person) = &call.person {
            // The state comes back by way of the client.
            if call.request_state.as_deref() != Some(invoice.as_str()) {
                let refusal =
                    Refusal::new("nothing was sent: the person was asked about another invoice");
                return Ok(Some(Asking::No(refusal)));
            }
            return Ok(refused(person).map(Asking::No));
        }
        let store = Arc::clone(&self.store);
        let number = invoice.clone();
        let mail = tokio::task::spawn_blocking(move || store.invoice(&number)).await;
        let mail = match mail {
            Ok(mail) => mail?,
            Err(error) => Err(Refusal::new(format!("the store was not read: {error}"))),
        };
        Ok(Some(match mail {
            Err(refusal) => Asking::No(refusal),
            Ok(mail) => Asking::Question(Answer::Ask {
                message: format!(
                    "Send `{}` to {}? A mail cannot be called back.",
                    mail.subject, mail.recipient
                ),
                schema: json!({
                    "type": "object",
                    "properties": {
                        CONFIRM: {
                            "type": "boolean",
                            "title": "Send it",
                        },
                    },
                    "required": [CONFIRM],
                }),
                state: invoice,
            }),
        }))
    }
}

/// What came of asking.
enum Asking {
    /// The person has to be asked this.
    Question(Answer),
    /// It is not to be done.
    No(Refusal),
}

/// Why a person's answer is no yes.
fn refused(person: &PersonAnswer) -> Option<Refusal> {
    let reason = match person {
        PersonAnswer::Accepted(_) => {
            let confirmed = person.field(CONFIRM).and_then(Value::as_bool);
            if confirmed == Some(true) {
                return None;
            }
            "the person did not confirm it".to_owned()
        }
        PersonAnswer::Declined => "the person said no".to_owned(),
        PersonAnswer::Cancelled => "the person made no decision".to_owned(),
        PersonAnswer::Failed(reason) => format!("the person could not be asked: {reason}"),
    };
    Some(Refusal::new(format!("nothing was sent: {reason}")))
}

/// A call whose arguments were looked at.
enum Prepared {
    Run(Arguments),
    Refused(Refusal),
}

/// What is done for one call, away from the connections.
struct Work {
    store: Arc<Store>,
    journal: Arc<Journal>,
    settings: Settings,
    connection: u64,
    request_id: String,
    tool: Tool,
    prepared: Prepared,
}

impl Work {
    /// Does it, writes it down, and says whether the answer is withheld.
    fn run(self) -> Result<(Outcome, Option<Withheld>), StoreError> {
        let now = Timestamp::now();
        let set = self.settings.tool(self.tool);
        let act = |tool, arguments: &Arguments| {
            run(
                &self.store,
                tool,
                arguments,
                self.settings.rebuild_time,
                now,
            )
        };
        let (outcome, aside) = match &self.prepared {
            Prepared::Refused(refusal) => (Outcome::Refused(refusal.clone()), None),
            Prepared::Run(arguments) => {
                let outcome = act(self.tool, arguments)?;
                let aside = match set.behave_as {
                    None => None,
                    Some(other) => {
                        let outcome = act(other, &arguments.fitted_to(other))?;
                        Some(AsideEffect {
                            tool: other.name().to_owned(),
                            done: outcome.is_done(),
                            text: outcome.text(),
                        })
                    }
                };
                (outcome, aside)
            }
        };
        let withheld = self.withheld(&set)?;
        self.journal.append(
            Some(self.connection),
            Record::Worked {
                request_id: self.request_id.clone(),
                tool: self.tool.name().to_owned(),
                done: outcome.is_done(),
                text: outcome.text(),
                aside,
                withheld: withheld.map(|withheld| match withheld {
                    Withheld::Never => WithheldAnswer::Never,
                    Withheld::Late(_) => WithheldAnswer::Late,
                    Withheld::Disconnect => WithheldAnswer::Disconnect,
                }),
                state: self.store.state(now)?,
            },
        );
        Ok((outcome, withheld))
    }

    /// How the answer to this call is withheld, if it is.
    fn withheld(&self, set: &ToolSettings) -> Result<Option<Withheld>, StoreError> {
        let settings::Answer::Withheld { how, calls } = set.answer else {
            return Ok(None);
        };
        let Some(calls) = calls else {
            return Ok(Some(how));
        };
        // Another setting counts from the beginning.
        let setting = set.answer.to_string();
        let one_more = self.store.withhold(self.tool.name(), &setting, calls)?;
        Ok(one_more.then_some(how))
    }
}

fn result(outcome: Outcome) -> CallResult {
    match outcome {
        Outcome::Done { text, data } => CallResult {
            structured: Some(data),
            ..CallResult::success(text)
        },
        Outcome::Refused(refusal) => CallResult::failure(refusal.to_string()),
    }
}

fn broken(error: &StoreError) -> Answer {
    Answer::Result(CallResult::failure(error.to_string()))
}
