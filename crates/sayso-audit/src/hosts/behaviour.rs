//! What a host does with the hints, as the `[behaviour]` table of its `hosts/<id>.toml` says it.

mod condition;
mod decide;
mod parser;

use serde::Deserialize;

pub use condition::{Condition, Seen};
pub use decide::{Decision, Marks};
pub use parser::{AbsentHints, Duplicates, Parser, Rejection, SeenTool, Treatment};

use sayso_core::hint::{Hint, Hints};

use super::profile::Confidence;

/// What one host does with the hints of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Behaviour {
    /// The version or commit the facts are about.
    pub version: String,
    /// The day of that version, `YYYY-MM-DD`: what a profile's age is counted from.
    pub date_read: String,
    /// What the facts rest on.
    pub confidence: Confidence,
    /// Files, pages and threads the facts come from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The annotation keys that bear on anything the host does; empty when it reads none.
    #[serde(default)]
    pub reads: Vec<ReadKey>,
    /// What an absent hint means to it, in a sentence.
    pub absent: String,
    /// The id of the [`Parser`] its listings go through; `None` when that is not known.
    pub parser: Option<String>,
    /// How it is known that the listings go through that parser.
    #[serde(default)]
    pub parser_evidence: ParserEvidence,
    /// `clientInfo.name` values it is known to introduce itself with.
    #[serde(default)]
    pub client_names: Vec<String>,
    /// Where the title a person sees comes from: the first of these that is there and not
    /// empty. Empty when that is not known.
    #[serde(default)]
    pub title: Vec<TitleSource>,
    /// What else is to be said of the title, in a sentence.
    pub title_note: Option<String>,
    /// What it does when the server says that its tools changed.
    #[serde(default)]
    pub list_change: ListChange,
    /// Its modes of confirming, the default one first.
    #[serde(rename = "mode")]
    pub modes: Vec<Mode>,
    /// When it sends a call again by itself.
    #[serde(default)]
    pub retry: Retry,
    /// Which calls it sends while others are still running.
    pub parallel: Option<Facet<bool>>,
    /// Which results a person has to see before the model does.
    pub result_review: Option<Facet<bool>>,
    /// Which results are given again without a second call.
    pub result_cache: Option<Facet<bool>>,
    /// What is uncertain or unusual, in sentences for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Faults that bear on hints, with their threads.
    #[serde(default)]
    pub bugs: Vec<String>,
}

/// How a host's parser is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParserEvidence {
    /// The host's own parsing was read, or watched.
    Seen,
    /// It is the SDK the host is built with; the host may pin another version of it.
    #[default]
    Inferred,
}

/// A key of `annotations` that a host may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
pub enum ReadKey {
    /// `readOnlyHint`.
    #[serde(rename = "readOnlyHint")]
    ReadOnly,
    /// `destructiveHint`.
    #[serde(rename = "destructiveHint")]
    Destructive,
    /// `idempotentHint`.
    #[serde(rename = "idempotentHint")]
    Idempotent,
    /// `openWorldHint`.
    #[serde(rename = "openWorldHint")]
    OpenWorld,
    /// `title`.
    #[serde(rename = "title")]
    Title,
}

/// One way a host confirms calls, as its person has set it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mode {
    /// Its short name in lower case with hyphens.
    pub id: String,
    /// The name the host's people would use.
    pub name: String,
    /// Whether it is what a new user has.
    #[serde(default)]
    pub default: bool,
    /// The setting that switches it on.
    pub needs: Option<String>,
    /// What is uncertain or unusual.
    pub note: Option<String>,
    /// Less sure than the host's other facts.
    pub confidence: Option<Confidence>,
    /// The rules; the first that matches decides.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule<Outcome>>,
}

/// A rule: what has to hold, and what then happens.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule<T> {
    /// What has to hold; everything matches when it is left out.
    #[serde(default)]
    pub when: Condition,
    /// What then happens.
    pub then: T,
    /// Why, or with what exception.
    pub note: Option<String>,
}

/// Something a host does or does not do, by rules of which the first that matches decides.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Facet<T> {
    /// The rules.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule<T>>,
    /// What else is to be said.
    pub note: Option<String>,
}

/// What a host does when it is about to call a tool.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It calls without asking; a directory accepts the tool.
    Allow,
    /// It asks a person, and offers to remember the answer for good.
    Ask,
    /// It asks a person, and remembers the answer for the conversation.
    AskOnce,
    /// It asks a person before every call.
    AskEvery,
    /// It refuses the call; a directory refuses the tool.
    Deny,
    /// It keeps the tool from the model.
    Hide,
    /// It has a model or a classifier decide.
    Judge,
    /// It goes by the verbs in the tool's name.
    ByName,
    /// Nobody has found out.
    Unknown,
}

/// When a host sends a call again by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Retry {
    /// What makes it send again; empty when nothing does, or nothing is known to.
    pub after: Vec<RetryCause>,
    /// How many times at most; 0 when it never does.
    pub times: u8,
    /// The setting it needs.
    pub needs: Option<String>,
    /// Whether that nothing makes it repeat has been looked for and not found.
    pub known: bool,
    /// Which tools; the first rule that matches decides.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule<bool>>,
    /// What else is to be said.
    pub note: Option<String>,
}

/// What makes a host send a call again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCause {
    /// No answer came in time.
    TimeOut,
    /// The connection was lost before an answer.
    ConnectionLost,
}

/// What a host does about `notifications/tools/list_changed`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ListChange {
    /// What the notification makes it do.
    pub on_notification: OnListChange,
    /// After how many seconds it lists again of its own accord, where it does; 0 is before every
    /// turn of the model.
    pub lists_again_after_seconds: Option<u64>,
    /// What else is to be said.
    pub note: Option<String>,
}

/// What the notification makes a host do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnListChange {
    /// It reads the listing again, and acts on the new hints.
    ListsAgain,
    /// Nothing: it goes on with the listing it has.
    Ignores,
    /// Nobody has found out.
    #[default]
    Unknown,
}

/// Where a title may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
pub enum TitleSource {
    /// The tool's own `title` (MCP 2025-06-18 and later).
    #[serde(rename = "title")]
    Title,
    /// `annotations.title`.
    #[serde(rename = "annotations.title")]
    AnnotationTitle,
    /// The tool's name.
    #[serde(rename = "name")]
    Name,
}

impl ReadKey {
    /// The key on the wire.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self.hint() {
            Some(hint) => hint.key(),
            None => "title",
        }
    }

    /// The hint, unless it is the title.
    #[must_use]
    pub const fn hint(self) -> Option<Hint> {
        match self {
            Self::ReadOnly => Some(Hint::ReadOnly),
            Self::Destructive => Some(Hint::Destructive),
            Self::Idempotent => Some(Hint::Idempotent),
            Self::OpenWorld => Some(Hint::OpenWorld),
            Self::Title => None,
        }
    }
}

impl Outcome {
    /// Every outcome, from what lets a call through to what keeps it back, then the undecided.
    pub const ALL: [Self; 9] = [
        Self::Allow,
        Self::Ask,
        Self::AskOnce,
        Self::AskEvery,
        Self::Deny,
        Self::Hide,
        Self::Judge,
        Self::ByName,
        Self::Unknown,
    ];

    /// The word in profiles and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::AskOnce => "ask-once",
            Self::AskEvery => "ask-every",
            Self::Deny => "deny",
            Self::Hide => "hide",
            Self::Judge => "judge",
            Self::ByName => "by-name",
            Self::Unknown => "unknown",
        }
    }

    /// What it means, in words that follow "the host".
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Allow => "calls the tool without asking",
            Self::Ask => "asks a person, and offers to remember the answer",
            Self::AskOnce => "asks a person, and remembers the answer for the conversation",
            Self::AskEvery => "asks a person before every call",
            Self::Deny => "refuses the call",
            Self::Hide => "keeps the tool from the model",
            Self::Judge => "has a model or a classifier decide",
            Self::ByName => "goes by the verbs in the tool's name",
            Self::Unknown => "does something nobody has found out",
        }
    }

    /// Whether a call goes through without a person.
    #[must_use]
    pub const fn is_silent(self) -> bool {
        matches!(self, Self::Allow)
    }

    /// Whether a person is asked.
    #[must_use]
    pub const fn asks(self) -> bool {
        matches!(self, Self::Ask | Self::AskOnce | Self::AskEvery)
    }

    /// Whether the tool cannot be used at all.
    #[must_use]
    pub const fn refuses(self) -> bool {
        matches!(self, Self::Deny | Self::Hide)
    }
}

impl Behaviour {
    /// The mode a new user has.
    #[must_use]
    pub fn default_mode(&self) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.default)
    }

    /// The mode with this id.
    #[must_use]
    pub fn mode(&self, id: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.id == id)
    }

    /// What makes the table unusable, if anything: no or several default modes, a mode twice, rules
    /// that leave a state of the hints without an answer or can never be reached.
    pub(super) fn check(&self) -> Result<(), String> {
        if !super::profile::is_date(&self.date_read) {
            return Err(format!(
                "behaviour.date-read `{}` is not YYYY-MM-DD",
                self.date_read
            ));
        }
        if let Some(parser) = &self.parser
            && Parser::find(parser).is_none()
        {
            return Err(format!("there is no parser `{parser}`"));
        }
        let defaults = self.modes.iter().filter(|mode| mode.default).count();
        match defaults {
            0 => return Err("no mode is marked as the default".to_owned()),
            1 => {}
            _ => return Err(format!("{defaults} modes are marked as the default")),
        }
        for (index, mode) in self.modes.iter().enumerate() {
            if !super::profile::is_id(&mode.id) {
                return Err(format!(
                    "mode id `{}` is not lower-case letters, digits and hyphens",
                    mode.id
                ));
            }
            if self
                .modes
                .iter()
                .take(index)
                .any(|other| other.id == mode.id)
            {
                return Err(format!("there are two modes `{}`", mode.id));
            }
            check_rules(&mode.rules).map_err(|problem| format!("mode `{}`: {problem}", mode.id))?;
        }
        let facets = [
            ("parallel", &self.parallel),
            ("result-review", &self.result_review),
            ("result-cache", &self.result_cache),
        ];
        for (name, facet) in facets {
            if let Some(facet) = facet {
                check_rules(&facet.rules).map_err(|problem| format!("{name}: {problem}"))?;
            }
        }
        self.retry
            .check()
            .map_err(|problem| format!("retry: {problem}"))
    }
}

impl Retry {
    fn check(&self) -> Result<(), String> {
        let repeats = !self.after.is_empty();
        if repeats != (self.times > 0) {
            return Err("`after` and `times` go together".to_owned());
        }
        if !repeats {
            return match self.rules.is_empty() {
                true => Ok(()),
                false => Err("there are rules, and nothing for them to follow".to_owned()),
            };
        }
        check_rules(&self.rules)
    }
}

/// That every state has an answer, and every rule a state it answers.
fn check_rules<T>(rules: &[Rule<T>]) -> Result<(), String> {
    let first = |seen: &Hints<Seen>, marks: &[String]| {
        let is_marked = |pointer: &str| marks.iter().any(|mark| mark == pointer);
        rules
            .iter()
            .position(|rule| rule.when.holds(seen, &is_marked))
    };
    if let Some(open) = Seen::combinations().find(|seen| first(seen, &[]).is_none()) {
        return Err(format!("no rule matches {}", described(&open)));
    }
    // With fewer members marked fewer rules match, so that a rule which is not reached with its
    // own marks alone is never reached.
    let never = rules.iter().enumerate().position(|(position, rule)| {
        !Seen::combinations().any(|seen| first(&seen, &rule.when.marks) == Some(position))
    });
    match never {
        Some(position) => Err(format!("rule {} can never match", position + 1)),
        None => Ok(()),
    }
}

fn described(seen: &Hints<Seen>) -> String {
    let parts: Vec<String> = seen
        .iter()
        .map(|(hint, seen)| format!("{hint} {}", seen.as_str()))
        .collect();
    parts.join(", ")
}
