//! Refusals: what a caller is told when a call does not run, as a model can act on.
//!
//! A refusal is the result of a tool that failed (`isError`), not a protocol error: the call was
//! understood, and is not made. Only what does not exist for the caller is answered as the
//! specification has it, with the error of an unknown tool; what is hidden is no different from
//! what is not there. The shape under `_meta` follows the draft of structured authorization
//! denials (SEP-2643), under a key of our own, since those of the specification are its own.

use std::fmt;

use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::code;

use crate::stages::validate::Invalid;

/// The key in `_meta` of a refusal.
pub const META_KEY: &str = "dev.sayso/refusal";

/// The code of an error that answers a request other than a call: outside of the ranges that JSON-RPC
/// and the specification keep for themselves.
pub const ERROR_CODE: i64 = 4030;

/// Why a call is not made. The set is closed: a program can rely on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonCode {
    /// The message is no call the gate can read in one way only.
    Malformed,
    /// The headers do not say what the body says.
    HeaderMismatch,
    /// There is no such tool for this caller.
    UnknownTool,
    /// There is no such task for this caller.
    UnknownTask,
    /// The tool changed since it was accepted, and claims less risk or gives more reach now.
    Drifted,
    /// The arguments do not fit the tool's input schema.
    InvalidArguments,
    /// The operator allows other values only.
    ArgumentNotAllowed,
    /// The tool's input schema cannot be used.
    SchemaUnusable,
    /// A policy forbids the call, or none permits it.
    Denied,
    /// A policy could not be evaluated, which denies.
    PolicyFailed,
    /// Somebody has to approve the call, and has not yet.
    ApprovalPending,
    /// Somebody was asked, and said no.
    ApprovalDenied,
    /// The call would have to be approved, and nobody can be asked.
    NobodyToAsk,
    /// Another call with the same key is running.
    Busy,
    /// There are as many calls as there may be.
    Overloaded,
    /// The journal or another part of the store cannot be written.
    StoreFailed,
    /// The server does not run, or cannot be reached.
    ServerDown,
    /// The call may have been made: no answer came, or none that can be read.
    OutcomeUnknown,
    /// The server answered with something that does not fit the tool's output schema.
    ResultInvalid,
    /// The gate is about to end.
    Stopping,
}

impl ReasonCode {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Malformed,
        Self::HeaderMismatch,
        Self::UnknownTool,
        Self::UnknownTask,
        Self::Drifted,
        Self::InvalidArguments,
        Self::ArgumentNotAllowed,
        Self::SchemaUnusable,
        Self::Denied,
        Self::PolicyFailed,
        Self::ApprovalPending,
        Self::ApprovalDenied,
        Self::NobodyToAsk,
        Self::Busy,
        Self::Overloaded,
        Self::StoreFailed,
        Self::ServerDown,
        Self::OutcomeUnknown,
        Self::ResultInvalid,
        Self::Stopping,
    ];

    /// The code on the wire and in the journal.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::HeaderMismatch => "header-mismatch",
            Self::UnknownTool => "unknown-tool",
            Self::UnknownTask => "unknown-task",
            Self::Drifted => "drifted",
            Self::InvalidArguments => "invalid-arguments",
            Self::ArgumentNotAllowed => "argument-not-allowed",
            Self::SchemaUnusable => "schema-unusable",
            Self::Denied => "denied",
            Self::PolicyFailed => "policy-failed",
            Self::ApprovalPending => "approval-pending",
            Self::ApprovalDenied => "approval-denied",
            Self::NobodyToAsk => "nobody-to-ask",
            Self::Busy => "busy",
            Self::Overloaded => "overloaded",
            Self::StoreFailed => "store-failed",
            Self::ServerDown => "server-down",
            Self::OutcomeUnknown => "outcome-unknown",
            Self::ResultInvalid => "result-invalid",
            Self::Stopping => "stopping",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Malformed => "the request cannot be read in one way only",
            Self::HeaderMismatch => "the headers of the request do not say what its body says",
            Self::UnknownTool => "there is no such tool for this caller",
            Self::UnknownTask => {
                "there is no such task for this caller: another began it, or the gate has been started anew"
            }
            Self::Drifted => "the tool claims less risk, or gives more reach, than was accepted",
            Self::InvalidArguments => "the arguments do not fit the tool's input schema",
            Self::ArgumentNotAllowed => "the operator allows other values only",
            Self::SchemaUnusable => "the tool's input or output schema cannot be used",
            Self::Denied => "a policy forbids it, or none permits it",
            Self::PolicyFailed => "a policy could not be evaluated",
            Self::ApprovalPending => "somebody has to approve the call, and has not yet",
            Self::ApprovalDenied => "somebody was asked, and said no",
            Self::NobodyToAsk => "the call has to be approved, and nobody can be asked",
            Self::Busy => "a call with the same key is running",
            Self::Overloaded => "there are as many calls or conversations as there may be",
            Self::StoreFailed => "the journal or another part of the store cannot be written",
            Self::ServerDown => {
                "the server does not run, or cannot be reached; the call was not made"
            }
            Self::OutcomeUnknown => {
                "the call may have been made, and no answer came that can be read"
            }
            Self::ResultInvalid => {
                "the call was made, and its result does not fit the output schema"
            }
            Self::Stopping => "the gate is about to end",
        }
    }

    /// What whoever calls can do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Malformed => "send one well-formed request with `name` and an object `arguments`",
            Self::HeaderMismatch => "send in `Mcp-Param-*` headers what stands in the arguments",
            Self::UnknownTool => "list the tools and call one of them",
            Self::UnknownTask => "find out whether the call that began it had its effect",
            Self::Drifted => {
                "the operator has to look at the change and accept it with `sayso lock --accept`"
            }
            Self::InvalidArguments => "call again with arguments that fit the input schema",
            Self::ArgumentNotAllowed => "call again with a value that is allowed",
            Self::SchemaUnusable => "the author of the server has to mend the tool's input schema",
            Self::Denied => "do something else; the same call will be denied again",
            Self::PolicyFailed => "the operator has to mend the policy: see `sayso policy check`",
            Self::ApprovalPending => {
                "make the same call again after it was approved; do not change its arguments"
            }
            Self::ApprovalDenied => "do something else, or ask the person what they want instead",
            Self::NobodyToAsk => "the operator has to say who answers: `approval` in the settings",
            Self::Busy => "wait until the other call is done, then call again",
            Self::Overloaded => "call again in a while",
            Self::StoreFailed => "the operator has to look at the store: see `sayso doctor`",
            Self::ServerDown => "call again in a while",
            Self::OutcomeUnknown => {
                "find out whether the call had its effect before it is made again"
            }
            Self::ResultInvalid => "do not rely on an effect or a result of this call",
            Self::Stopping => "call again once the gate is back",
        }
    }

    /// Whether the caller can do something about it, in the words of SEP-2643.
    const fn remediation(self) -> &'static str {
        match self {
            Self::Denied | Self::ApprovalDenied | Self::ResultInvalid => "unavailable",
            _ => "available",
        }
    }
}

impl fmt::Display for ReasonCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A call that is not made, or whose result is not handed on, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: ReasonCode,
    /// What happened, in one lower-case sentence that is safe to show.
    pub message: String,
    /// The policies that led to it, by id, with their words.
    pub reasons: Vec<(String, String)>,
    /// The approval that is waited for.
    pub approval: Option<String>,
    /// What only the journal is told.
    pub kept_back: Option<String>,
}

impl Refusal {
    /// A refusal.
    #[must_use]
    pub fn new(code: ReasonCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            reasons: Vec::new(),
            approval: None,
            kept_back: None,
        }
    }

    /// Nothing new is done by a gate that ends.
    #[must_use]
    pub fn stopping() -> Self {
        Self::new(ReasonCode::Stopping, "the gate is about to end")
    }

    /// What cannot be written down is not done.
    #[must_use]
    pub fn store(error: &sayso_store::StoreError) -> Self {
        Self {
            kept_back: Some(error.to_string()),
            ..Self::new(
                ReasonCode::StoreFailed,
                "the gate's store cannot be written or read now",
            )
        }
    }

    /// The answer for the caller. `call` is the id of the call in the journal. A tool with an output
    /// schema gets no `structuredContent`: clients hold that against the schema, errors too.
    #[must_use]
    pub fn reply(&self, call: &str, has_output_schema: bool) -> Reply {
        // These two the specification has errors of its own for.
        let protocol_error = match self.code {
            ReasonCode::UnknownTool => Some(code::INVALID_PARAMS),
            ReasonCode::HeaderMismatch => Some(code::HEADER_MISMATCH),
            _ => None,
        };
        if let Some(code) = protocol_error {
            return Reply::Error {
                code,
                message: self.message.clone(),
                data: None,
            };
        }
        let told = self.told(call);
        let mut meta = told.clone();
        let hint = serde_json::json!({ "type": "text", "text": self.code.remedy() });
        meta.insert("remediation".to_owned(), self.code.remediation().into());
        meta.insert("authorizationContextId".to_owned(), call.into());
        meta.insert("remediationHints".to_owned(), vec![hint].into());
        let mut result = serde_json::Map::new();
        let content = serde_json::json!({ "type": "text", "text": self.text(call) });
        result.insert("content".to_owned(), vec![content].into());
        result.insert("isError".to_owned(), true.into());
        result.insert("_meta".to_owned(), serde_json::json!({ META_KEY: meta }));
        if !has_output_schema {
            result.insert("structuredContent".to_owned(), told.into());
        }
        Reply::Result(serde_json::Value::Object(result).to_string())
    }

    /// What a program reads.
    fn told(&self, call: &str) -> serde_json::Map<String, serde_json::Value> {
        let mut told = serde_json::Map::new();
        let mut tell = |key: &str, value: serde_json::Value| told.insert(key.to_owned(), value);
        tell("reason", self.code.as_str().into());
        tell("message", self.message.as_str().into());
        tell("remedy", self.code.remedy().into());
        tell("call", call.into());
        if let Some(approval) = &self.approval {
            tell("approval", approval.as_str().into());
        }
        if !self.reasons.is_empty() {
            let policies = self.reasons.iter();
            let policies = policies
                .map(|(id, text)| serde_json::json!({ "id": id, "reason": text }))
                .collect();
            tell("policies", policies);
        }
        told
    }

    /// What the model reads.
    fn text(&self, call: &str) -> String {
        use std::fmt::Write as _;
        let mut text = format!("The call was not made ({}): {}.", self.code, self.message);
        if matches!(
            self.code,
            ReasonCode::OutcomeUnknown | ReasonCode::ResultInvalid
        ) {
            text = format!("The call was made ({}): {}.", self.code, self.message);
        }
        for (id, reason) in &self.reasons {
            // Writing to a string does not fail.
            let _ = match reason.as_str() {
                "" => write!(text, "\nPolicy {id}."),
                reason => write!(text, "\nPolicy {id}: {reason}"),
            };
        }
        if let Some(approval) = &self.approval {
            let _ = write!(text, "\nApproval: {approval}");
        }
        let _ = write!(
            text,
            "\nWhat to do: {}.\nJournal id: {call}",
            self.code.remedy()
        );
        text
    }
}

impl From<Invalid> for Refusal {
    /// What the schema says comes before what the operator allows.
    fn from(invalid: Invalid) -> Self {
        let by_operator = invalid.problems().iter().all(|problem| problem.restricted);
        let code = if by_operator {
            ReasonCode::ArgumentNotAllowed
        } else {
            ReasonCode::InvalidArguments
        };
        Self::new(code, format!("the arguments do not fit: {invalid}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{ReasonCode, Refusal};
    use sayso_mcp::downstream::Reply;

    #[test]
    fn a_model_can_act_on_it() {
        let refusal = Refusal {
            reasons: vec![("no-mail".into(), "Nobody sends mail from here.".into())],
            ..Refusal::new(ReasonCode::Denied, "the policy does not allow `send_mail`")
        };
        let Reply::Result(result) = refusal.reply("c-1", false) else {
            panic!("a result");
        };
        let result: serde_json::Value = serde_json::from_str(&result).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&result).unwrap(), @r#"
        {
          "content": [
            {
              "type": "text",
              "text": "The call was not made (denied): the policy does not allow `send_mail`.\nPolicy no-mail: Nobody sends mail from here.\nWhat to do: do something else; the same call will be denied again.\nJournal id: c-1"
            }
          ],
          "isError": true,
          "_meta": {
            "dev.sayso/refusal": {
              "reason": "denied",
              "message": "the policy does not allow `send_mail`",
              "remedy": "do something else; the same call will be denied again",
              "call": "c-1",
              "policies": [
                {
                  "id": "no-mail",
                  "reason": "Nobody sends mail from here."
                }
              ],
              "remediation": "unavailable",
              "authorizationContextId": "c-1",
              "remediationHints": [
                {
                  "type": "text",
                  "text": "do something else; the same call will be denied again"
                }
              ]
            }
          },
          "structuredContent": {
            "reason": "denied",
            "message": "the policy does not allow `send_mail`",
            "remedy": "do something else; the same call will be denied again",
            "call": "c-1",
            "policies": [
              {
                "id": "no-mail",
                "reason": "Nobody sends mail from here."
              }
            ]
          }
        }
        "#);
    }

    #[test]
    fn what_is_hidden_is_not_there() {
        let refusal = Refusal::new(ReasonCode::UnknownTool, "unknown tool: wipe");
        assert!(matches!(
            refusal.reply("c-1", false),
            Reply::Error { code: -32602, .. }
        ));
    }

    #[test]
    fn codes_are_told_apart() {
        let codes: std::collections::BTreeSet<_> = ReasonCode::ALL
            .into_iter()
            .map(ReasonCode::as_str)
            .collect();
        assert_eq!(codes.len(), ReasonCode::ALL.len());
    }
}
