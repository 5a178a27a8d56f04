//! The name of a setting.

use std::fmt;

use sayso_core::hint::Hint;

use super::SettingsError;
use crate::tool::Tool;
use sayso_core::suggest::{nearest, quoted};

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// `list-changed`
    ListChanged,
    /// `rebuild-time`
    RebuildTime,
    /// `elicit`
    Elicit,
    /// `TOOL.KEY`
    Tool(Tool, ToolKey),
}

/// What can be set for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolKey {
    /// `annotations`
    Annotations,
    /// A hint, by its key on the wire.
    Hint(Hint),
    /// `answer`
    Answer,
    /// `behave-as`
    BehaveAs,
}

/// The keys that stand outside a tool.
const GENERAL: [Key; 3] = [Key::ListChanged, Key::RebuildTime, Key::Elicit];

impl Key {
    /// The key written so.
    ///
    /// # Errors
    /// When there is none, with what was probably meant.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        if let Some((tool, key)) = text.split_once('.') {
            let tool = Tool::from_name(tool).ok_or_else(|| unknown_tool(tool))?;
            return ToolKey::parse(tool, key).map(|key| Self::Tool(tool, key));
        }
        GENERAL
            .into_iter()
            .find(|key| key.name() == text)
            .ok_or_else(|| {
                let known = || {
                    let general = GENERAL.iter().map(|key| key.name());
                    general.chain(Tool::ALL.iter().map(|tool| tool.name()))
                };
                let error = SettingsError::new(format!("there is no setting `{text}`"));
                if let Some(tool) = Tool::from_name(text) {
                    return error.hint(format!("write what of it is set, such as `{tool}.answer`"));
                }
                match nearest(text, known()) {
                    Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                    None => error.hint(format!("there are {}", quoted(known()))),
                }
            })
    }

    fn name(self) -> &'static str {
        match self {
            Self::ListChanged => "list-changed",
            Self::RebuildTime => "rebuild-time",
            Self::Elicit => "elicit",
            Self::Tool(_, key) => key.name(),
        }
    }

    /// The steps to it in the file.
    pub(super) fn path(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Tool(tool, key) => (Some(tool.name()), key.name()),
            general => (None, general.name()),
        }
    }
}

impl ToolKey {
    /// Everything that can be set for a tool.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let hints = Hint::ALL.into_iter().map(Self::Hint);
        hints.chain([Self::Annotations, Self::Answer, Self::BehaveAs])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Annotations => "annotations",
            Self::Hint(hint) => hint.key(),
            Self::Answer => "answer",
            Self::BehaveAs => "behave-as",
        }
    }

    /// The key written so, of a tool.
    pub(super) fn parse(tool: Tool, text: &str) -> Result<Self, SettingsError> {
        Self::all().find(|key| key.name() == text).ok_or_else(|| {
            let error = SettingsError::new(format!("there is no setting `{tool}.{text}`"));
            match nearest(text, Self::all().map(Self::name)) {
                Some(meant) => error.hint(format!("did you mean `{tool}.{meant}`?")),
                None => error.hint(format!(
                    "possible here: {}",
                    quoted(Self::all().map(Self::name))
                )),
            }
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            (Some(tool), key) => write!(f, "{tool}.{key}"),
            (None, key) => f.write_str(key),
        }
    }
}

/// A tool that does not exist.
pub(super) fn unknown_tool(name: &str) -> SettingsError {
    let known = || Tool::ALL.iter().map(|tool| tool.name());
    let error = SettingsError::new(format!("there is no tool `{name}`"));
    match nearest(name, known()) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("there are {}", quoted(known()))),
    }
}
