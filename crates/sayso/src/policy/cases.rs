//! Cases that policies are tried with: a file in TOML, a request and what is expected of it each.

use sayso_core::json::{Document, Limits, line_column};
use sayso_core::suggest::nearest;
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{
    Action, Decision, Policies, Question, SessionFacts, Subject, ToolKey, Verdict,
};
use sayso_mcp::server::Transport;
use toml::Spanned;

use super::Known;
use crate::config::SettingsError;

/// The file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    case: Vec<Spanned<Case>>,
}

/// One case.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Case {
    name: Option<String>,
    server: String,
    tool: Option<String>,
    prompt: Option<String>,
    resource: Option<String>,
    action: Option<Verb>,
    arguments: Option<toml::Table>,
    #[serde(default = "local")]
    caller: String,
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    confirmed: bool,
    #[serde(default)]
    session: SessionFacts,
    at: Option<toml::value::Datetime>,
    #[serde(default)]
    transport: Wire,
    expect: Decision,
    reasons: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verb {
    List,
    Call,
    Read,
    Get,
    Complete,
}

#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wire {
    #[default]
    Stdio,
    Http,
}

fn local() -> String {
    "local".to_owned()
}

/// What came of one case.
#[derive(Debug)]
pub(crate) struct Tried {
    /// What it is called.
    pub(crate) name: String,
    /// The line it begins in.
    pub(crate) line: usize,
    /// What is expected.
    pub(crate) expected: String,
    /// What is decided.
    pub(crate) decided: String,
    /// Whether that is the same.
    pub(crate) passed: bool,
    /// Why it is decided so.
    pub(crate) explanation: String,
}

/// Tries all cases of a file.
///
/// # Errors
/// When the file has something wrong in it, or names a tool that is not pinned.
pub(crate) fn try_all(
    text: &str,
    file: &str,
    policies: &Policies,
    known: &[Known],
    now: i64,
) -> Result<Vec<Tried>, SettingsError> {
    let cases: File =
        toml::from_str(text).map_err(|error| SettingsError::from_toml(&error, text, file))?;
    let tried = cases.case.iter().map(|case| {
        let place = case.span();
        let line = line_column(text, place.start).line;
        let tried = case.get_ref().try_with(policies, known, now, line);
        tried.map_err(|message| SettingsError::at(text, file, place, message))
    });
    tried.collect()
}

impl Case {
    fn try_with(
        &self,
        policies: &Policies,
        known: &[Known],
        now: i64,
        line: usize,
    ) -> Result<Tried, String> {
        let arguments = self.arguments()?;
        let root = arguments.as_ref().map(Document::root);
        let caller = Caller {
            name: self.caller.clone(),
            groups: self.groups.clone(),
        };
        let now = match &self.at {
            Some(at) => time(&at.to_string())?,
            None => now,
        };
        let question = |action, subject| Question {
            caller: &caller,
            action,
            subject,
            arguments: root,
            confirmed: self.confirmed,
            now,
            transport: match self.transport {
                Wire::Stdio => Transport::Stdio,
                Wire::Http => Transport::Http,
            },
            session: self.session,
        };
        let server = self.server.as_str();
        let verdict = match (&self.tool, &self.prompt, &self.resource) {
            (Some(tool), None, None) => {
                let key = &ToolKey::new(server, tool);
                let effective = &find(known, key)?.effective(root);
                let action = self.action(Action::Call);
                policies.decide(&question(action, Subject::Tool { key, effective }))
            }
            (None, Some(name), None) => {
                let action = self.action(Action::Get);
                policies.decide(&question(action, Subject::Prompt { server, name }))
            }
            (None, None, Some(uri)) => {
                let action = self.action(Action::Read);
                policies.decide(&question(action, Subject::Resource { server, uri }))
            }
            _ => return Err("a case names one `tool`, `prompt` or `resource`".to_owned()),
        };
        Ok(self.compare(&verdict, line))
    }

    fn compare(&self, verdict: &Verdict, line: usize) -> Tried {
        let names = verdict.reasons.iter().map(|reason| reason.id.to_string());
        let names: Vec<String> = names.collect();
        let told = |decision: Decision, reasons: Option<&[String]>| match reasons {
            None => decision.to_string(),
            Some([]) => format!("{decision}, by no policy"),
            Some(reasons) => format!("{decision}, by {}", reasons.join(", ")),
        };
        let passed = verdict.decision == self.expect
            && self
                .reasons
                .as_ref()
                .is_none_or(|reasons| *reasons == names);
        let of = [&self.tool, &self.prompt, &self.resource];
        let of = of.into_iter().flatten().next().map_or("", String::as_str);
        Tried {
            name: match &self.name {
                Some(name) => name.clone(),
                None => format!("{}/{of}", self.server),
            },
            line,
            expected: told(self.expect, self.reasons.as_deref()),
            decided: told(verdict.decision, Some(&names)),
            passed,
            explanation: match verdict.errors.first() {
                Some(error) => error.clone(),
                None => verdict.explanation(),
            },
        }
    }

    fn action(&self, usual: Action) -> Action {
        self.action.map_or(usual, |action| match action {
            Verb::List => Action::List,
            Verb::Call => Action::Call,
            Verb::Read => Action::Read,
            Verb::Get => Action::Get,
            Verb::Complete => Action::Complete,
        })
    }

    fn arguments(&self) -> Result<Option<Document>, String> {
        let Some(table) = &self.arguments else {
            return Ok(None);
        };
        let text = serde_json::to_string(table)
            .map_err(|error| format!("the arguments cannot be JSON: {error}"))?;
        Document::parse(text, &Limits::default())
            .map(Some)
            .map_err(|error| format!("the arguments cannot be JSON: {error}"))
    }
}

/// The pinned tool of this name.
///
/// # Errors
/// When there is none.
pub(crate) fn find<'k>(known: &'k [Known], key: &ToolKey) -> Result<&'k Known, String> {
    let found = known.iter().find(|known| known.facts.key() == *key);
    found.ok_or_else(|| {
        let names = known.iter().map(|known| known.facts.key().to_string());
        let names: Vec<String> = names.collect();
        match nearest(&key.to_string(), names.iter().map(String::as_str)) {
            Some(meant) => format!("no tool `{key}` is pinned; did you mean `{meant}`?"),
            None => format!("no tool `{key}` is pinned"),
        }
    })
}

/// A time such as `2026-11-30T12:00:00Z`, in milliseconds since 1970.
///
/// # Errors
/// When it is none.
pub(crate) fn time(text: &str) -> Result<i64, String> {
    let time: Result<jiff::Timestamp, _> = text.parse();
    time.map(jiff::Timestamp::as_millisecond)
        .map_err(|_| format!("`{text}` is no time with an offset, such as 2026-11-30T12:00:00Z"))
}
