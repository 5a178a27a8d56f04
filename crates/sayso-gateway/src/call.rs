//! One `tools/call` on its way through the gate. The order of the stages is the promise: nothing is
//! forwarded that was not judged and written down, and what was judged is what is sent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::digest::Digest;
use sayso_core::journal::{self, Timestamp};
use sayso_core::json::{Document, Limits};
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::Message;
use sayso_mcp::server::{Era, Transport};

use crate::catalogue::Tool;
use crate::gate::{Gate, Picture};
use crate::host::{CallReply, Exchange};
use crate::refusal::{ReasonCode, Refusal};
use crate::server::Answer;
use crate::spans::CallSpan;
use crate::stages::decide::Circumstances;
use crate::stages::exclusive::Lease;
use crate::stages::inspect::Inspected;
use crate::stages::parse::Parsed;
use crate::stages::repeat::{Repeat, Reserved};
use crate::stages::validate::Judged;
use crate::stages::{approve, confined, decide, exclusive, forward, identify, outcome, resolve};

/// What is known of a call, for all stages.
#[derive(Debug)]
pub struct Context<'a> {
    /// The gate.
    pub gate: &'a Gate,
    /// The request.
    pub exchange: &'a Exchange,
    /// The rules and tools of the moment it came.
    pub picture: Arc<Picture>,
    /// Its id in the journal.
    pub id: String,
    /// When it came, on the clock that only goes forward.
    pub began: Instant,
    /// When it came.
    pub now: Timestamp,
    /// What a trace has of it.
    pub span: CallSpan,
}

/// Judges a call and, where that is allowed, makes it.
pub(crate) async fn call(
    gate: &Gate,
    exchange: &Exchange,
    message: &Message,
    headers: &[(String, String)],
) -> CallReply {
    let id = gate.call_id();
    let context = Context {
        gate,
        exchange,
        picture: gate.picture(),
        span: CallSpan::begin(exchange, message, &id),
        id,
        began: Instant::now(),
        now: gate.now(),
    };
    let mut known = context.begin();
    match context.judge(message, headers, &mut known).await {
        Ok(reply) => reply,
        Err(refusal) => {
            context.span.know(&known);
            context.span.refused(&refusal);
            let has_output_schema = context.has_output_schema(&known);
            gate.refused(known, &refusal).await;
            CallReply::Reply(refusal.reply(&context.id, has_output_schema))
        }
    }
}

impl Context<'_> {
    async fn judge(
        &self,
        message: &Message,
        headers: &[(String, String)],
        known: &mut journal::Call,
    ) -> Result<CallReply, Refusal> {
        let _running = self.gate.admit_call()?;
        let parsed = Parsed::read(message)?;
        known.served_as = Some(parsed.tool().into_owned());
        let caller = identify::identify(self.exchange)?;
        let tool = self.resolve(&parsed, caller, known)?;
        let arguments = self.validate(&tool, &parsed, headers, known)?;
        let decisive = self.decide(&tool, &arguments, known).await?;
        // From the decision on: a call judged beside this one must not think that nothing was read.
        if !decisive.must_ask {
            self.learn(&tool, known);
        }
        let reserved = match self.reserve(&tool, &parsed, &arguments).await? {
            Repeat::First(reserved) => reserved,
            Repeat::Known(kept) => {
                self.span.know(known);
                return Ok(outcome::again(&tool, &kept));
            }
        };
        let forwarded = Box::pin(self.run(&tool, &parsed, arguments, decisive, known)).await;
        match forwarded {
            Ok(mut forwarded) => {
                let inspected = inspected(&tool, &forwarded.answer);
                self.span.came_of(outcome::kind(&forwarded.answer));
                let tried = std::mem::take(&mut forwarded.tried);
                let reply = outcome::reply(self, &tool, forwarded, inspected, reserved).await?;
                Ok(confined::noted(reply, &tried))
            }
            Err(refusal) => {
                reserved.settle(self.gate, &refusal).await;
                Err(refusal)
            }
        }
    }

    /// From the decision to the answer of the server.
    async fn run(
        &self,
        tool: &Arc<Tool>,
        parsed: &Parsed<'_>,
        arguments: Arguments,
        decisive: decide::Decisive,
        known: &mut journal::Call,
    ) -> Result<forward::Forwarded, Refusal> {
        let permitted = approve::approve(self, tool, parsed, arguments, decisive, known).await?;
        self.span.know(known);
        self.learn(tool, known);
        let turn = self.take_turn(tool, permitted.arguments()).await?;
        forward::forward(self, permitted, &turn, known).await
    }

    fn resolve(
        &self,
        parsed: &Parsed<'_>,
        caller: &crate::caller::Caller,
        known: &mut journal::Call,
    ) -> Result<Arc<Tool>, Refusal> {
        let catalogue = self.picture.catalogue()?;
        let name = parsed.tool();
        if let Some(tool) = catalogue.get(&name) {
            known.server = Some(tool.key.server.clone());
            known.tool = Some(tool.key.tool.clone());
            known.definition = Some(tool.digest.whole);
            known.pin = Some(tool.admission.as_str().into());
            self.span.name(&tool.served_as);
        }
        let transport = self.exchange.transport();
        resolve::resolve(catalogue, &name, caller, transport, self.now.0)
    }

    /// The arguments that will be sent: as they came, or with defaults written in.
    fn validate(
        &self,
        tool: &Tool,
        parsed: &Parsed<'_>,
        headers: &[(String, String)],
        known: &mut journal::Call,
    ) -> Result<Arguments, Refusal> {
        let schema = tool.definition.root().get("inputSchema");
        let has_headers =
            self.exchange.era() == Era::Modern && self.exchange.transport() == Transport::Http;
        if let Some(schema) = schema.filter(|_| has_headers) {
            sayso_mcp::downstream::check_parameter_headers(schema, parsed.arguments, headers)
                .map_err(|refused| Refusal::new(ReasonCode::HeaderMismatch, refused.to_string()))?;
        }
        known.arguments = self.kept(tool, parsed.arguments);
        let validator = tool.validator().map_err(|problem| {
            let message = format!("the input schema of `{}`: {problem}", tool.served_as);
            Refusal::new(ReasonCode::SchemaUnusable, message)
        })?;
        tool.inspector().map_err(|problem| {
            let message = format!("the output schema of `{}`: {problem}", tool.served_as);
            Refusal::new(ReasonCode::SchemaUnusable, message)
        })?;
        let arguments = Arguments::of(validator.check(parsed.arguments)?, parsed);
        if arguments.changed {
            known.arguments = self.kept(tool, arguments.value());
        }
        Ok(arguments)
    }

    async fn decide(
        &self,
        tool: &Tool,
        arguments: &Arguments,
        known: &mut journal::Call,
    ) -> Result<decide::Decisive, Refusal> {
        let catalogue = self.picture.catalogue()?;
        known.policy = Some(catalogue.policies.digest());
        let circumstances = Circumstances {
            exchange: self.exchange,
            arguments: arguments.value(),
            now: self.now.0,
            session: self.gate.facts().of(self.exchange.session()),
        };
        let values = tool.effective(arguments.value(), None);
        known.hints = Some((&values.effective).into());
        known.decision = Some(journal::Decision::Deny);
        let decisive = decide::decide(catalogue, tool, circumstances).await?;
        known.hints = Some((&decisive.effective.effective).into());
        known.reasons = journal_reasons(&decisive.reasons(tool));
        known.confined = decisive.place.mode().map(Into::into);
        known.decision = Some(match decisive.must_ask {
            true => journal::Decision::Ask,
            false => journal::Decision::Allow,
        });
        Ok(decisive)
    }

    async fn reserve(
        &self,
        tool: &Tool,
        parsed: &Parsed<'_>,
        arguments: &Arguments,
    ) -> Result<Repeat, Refusal> {
        let Some(key) = parsed.idempotency_key() else {
            return Ok(Repeat::First(Reserved::none()));
        };
        Repeat::of(self, tool, &key, arguments.digest()).await
    }

    async fn take_turn(&self, tool: &Tool, arguments: &Arguments) -> Result<Lease, Refusal> {
        let Some(names) = &tool.settings.exclusive else {
            return Ok(Lease::free());
        };
        let key = exclusive::key(&tool.key.server, &tool.key.tool, names, arguments.value());
        let patience = self.timeout(tool);
        let busy = tool.settings.when_busy;
        tokio::select! {
            biased;
            turn = self.gate.exclusive().take(key, busy, patience) => turn,
            () = self.gate.stopping().stopped() => Err(Refusal::stopping()),
        }
    }

    /// How long a call of this tool may take.
    #[must_use]
    pub fn timeout(&self, tool: &Tool) -> Duration {
        tool.server_settings.timeout_of(&tool.key.tool)
    }

    /// What the session will have seen once the call is done.
    fn learn(&self, tool: &Tool, known: &journal::Call) {
        let open_world = known.hints.is_none_or(|hints| hints.open_world.value);
        self.gate
            .facts()
            .learn(self.exchange.session(), &tool.settings.returns, open_world);
    }

    fn has_output_schema(&self, known: &journal::Call) -> bool {
        let served_as = known.served_as.as_deref().unwrap_or_default();
        let tool = self
            .picture
            .catalogue()
            .ok()
            .and_then(|all| all.get(served_as));
        tool.is_some_and(|tool| tool.has_output_schema())
    }
}

/// Holds a result against the tool's output schema: a note for the journal, or why the caller does
/// not get it.
fn inspected(tool: &Tool, answer: &Answer) -> Result<Option<String>, Refusal> {
    let (Answer::Result(result), Ok(inspector)) = (answer, tool.inspector()) else {
        return Ok(None);
    };
    match inspector.inspect(result.root()) {
        Inspected::Passes => Ok(None),
        Inspected::Warns(invalid) => Ok(Some(format!("the result does not fit: {invalid}"))),
        Inspected::Fails(invalid) => Err(Refusal::new(
            ReasonCode::ResultInvalid,
            format!("the result of `{}` is withheld: {invalid}", tool.served_as),
        )),
    }
}

/// The arguments that were judged, and that are sent.
#[derive(Debug)]
pub struct Arguments {
    /// The text that is sent; `None` where the call came without any and goes on so.
    document: Option<Document>,
    /// Whether it is another than came.
    pub changed: bool,
}

impl Arguments {
    fn of(judged: Judged, parsed: &Parsed<'_>) -> Self {
        match judged {
            Judged::AsCame => Self {
                document: parsed.arguments.map(Document::part),
                changed: false,
            },
            Judged::WithDefaults(document) => Self {
                document: Some(document),
                changed: true,
            },
        }
    }

    /// The arguments, if there are any.
    #[must_use]
    pub fn value(&self) -> Option<sayso_core::json::Value<'_>> {
        self.document.as_ref().map(Document::root)
    }

    /// Their digest; that of an empty object where there are none.
    #[must_use]
    pub fn digest(&self) -> Digest {
        match self.value() {
            Some(value) => Digest::of(value),
            None => empty_digest(),
        }
    }
}

fn empty_digest() -> Digest {
    static EMPTY: std::sync::OnceLock<Digest> = std::sync::OnceLock::new();
    *EMPTY.get_or_init(|| {
        Document::parse("{}".to_owned(), &Limits::default()).map_or_else(
            |_| Digest::of_text("{}"),
            |document| Digest::of(document.root()),
        )
    })
}

pub(crate) fn journal_reasons(reasons: &[(String, String)]) -> Vec<journal::Reason> {
    let reasons = reasons.iter();
    reasons
        .map(|(id, text)| journal::Reason {
            id: id.clone(),
            text: text.clone(),
        })
        .collect()
}

/// The answer to a request that is no call, where it is refused.
pub(crate) fn refuse(refusal: &Refusal) -> Reply {
    Reply::Error {
        code: crate::refusal::ERROR_CODE,
        message: refusal.message.clone(),
        data: Some(
            serde_json::json!({
                "reason": refusal.code.as_str(),
                "remedy": refusal.code.remedy(),
            })
            .to_string(),
        ),
    }
}
