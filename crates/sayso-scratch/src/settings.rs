//! How the server behaves: what each tool declares, how its calls are answered, how a change of
//! the listing is told. A TOML file that can change while the server runs.
//!
//! A setting has one spelling everywhere: in the file as a TOML key, on the command line as
//! `KEY=VALUE` with the same key.

mod answer;
mod edit;
mod error;
mod hint;
mod key;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use sayso_core::hint::{Hint, Hints};
use toml_edit::{Document, Item, TableLike};

pub use answer::{Answer, Withheld};
pub use edit::{Assignment, edit};
pub use error::SettingsError;
pub use hint::HintSetting;
pub use key::{Key, ToolKey};

use crate::tool::Tool;

/// The word for what holds where nothing is set.
pub(crate) const DEFAULT: &str = "default";

/// How long a rebuild takes where nothing is set.
const REBUILD_TIME: Duration = Duration::from_secs(8);

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How a change of the listing at run time is told.
    pub list_changed: ListChanged,
    /// How long a rebuild takes after a wipe.
    pub rebuild_time: Duration,
    /// Whether `send_invoice_email` asks the person first, where the client can be asked.
    pub elicit: bool,
    /// What is set for each tool.
    tools: BTreeMap<Tool, ToolSettings>,
    /// What was set, as it was written.
    written: BTreeMap<Key, String>,
}

/// How a change of the listing at run time is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListChanged {
    /// With `notifications/tools/list_changed`.
    #[default]
    Notify,
    /// Not at all.
    Silent,
}

/// What is set for one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSettings {
    /// The whole `annotations` value, in place of what the hints make.
    pub annotations: Option<HintSetting>,
    /// Each hint.
    pub hints: Hints<HintSetting>,
    /// How calls are answered.
    pub answer: Answer,
    /// A tool whose effect a call has besides its own, unseen by the client.
    pub behave_as: Option<Tool>,
}

impl ToolSettings {
    fn default_of(tool: Tool) -> Self {
        Self {
            annotations: None,
            hints: tool.default_hints(),
            answer: Answer::default(),
            behave_as: None,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            list_changed: ListChanged::default(),
            rebuild_time: REBUILD_TIME,
            elicit: false,
            tools: Tool::ALL
                .into_iter()
                .map(|tool| (tool, ToolSettings::default_of(tool)))
                .collect(),
            written: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// Reads settings; `file` names them in errors.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str, file: &str) -> Result<Self, SettingsError> {
        let at = |range: Option<Range<usize>>, error: SettingsError| {
            error.at(file, text, range.map_or(0, |range| range.start))
        };
        let document = Document::parse(text).map_err(|error| {
            at(
                error.span(),
                SettingsError::new(error.message().trim_end().replace('\n', ": ")),
            )
        })?;
        let mut settings = Self::default();
        let mut places = BTreeMap::new();
        for (name, item) in document.iter() {
            let place = || document.key(name).and_then(toml_edit::Key::span);
            match item.as_table_like() {
                Some(table) => {
                    let Some(tool) = Tool::from_name(name) else {
                        return Err(at(place(), key::unknown_tool(name)));
                    };
                    settings.read_tool(tool, table, &mut places, &at)?;
                }
                None => {
                    let key = Key::parse(name).map_err(|error| at(place(), error))?;
                    settings
                        .read(key, item)
                        .map_err(|error| at(item.span(), error))?;
                }
            }
        }
        settings
            .check()
            .map_err(|(key, error)| at(places.get(&key).cloned().flatten(), error))?;
        Ok(settings)
    }

    fn read_tool(
        &mut self,
        tool: Tool,
        table: &dyn TableLike,
        places: &mut BTreeMap<Key, Option<Range<usize>>>,
        at: &dyn Fn(Option<Range<usize>>, SettingsError) -> SettingsError,
    ) -> Result<(), SettingsError> {
        for (name, item) in table.iter() {
            let place = table.key(name).and_then(toml_edit::Key::span);
            let key = ToolKey::parse(tool, name)
                .map(|key| Key::Tool(tool, key))
                .map_err(|error| at(place.clone(), error))?;
            self.read(key, item)
                .map_err(|error| at(item.span(), error))?;
            places.insert(key, place);
        }
        Ok(())
    }

    fn read(&mut self, key: Key, item: &Item) -> Result<(), SettingsError> {
        let text = if let Some(text) = item.as_str() {
            text.to_owned()
        } else if let Some(value) = item.as_bool() {
            value.to_string()
        } else if let Some(value) = item.as_integer() {
            value.to_string()
        } else {
            let error = SettingsError::new(format!(
                "`{key}` is of type {}; it has to be a string or a boolean",
                item.type_name()
            ));
            return Err(error.hint("other JSON is sent when it is written as a string"));
        };
        self.set(key, &text)
    }

    /// Sets one thing, in the spelling of the command line; `default` is what holds otherwise.
    ///
    /// # Errors
    /// When the value is not possible there.
    pub fn set(&mut self, key: Key, text: &str) -> Result<(), SettingsError> {
        let default = Self::default();
        let is_default = text == DEFAULT;
        match key {
            Key::ListChanged if is_default => self.list_changed = default.list_changed,
            Key::ListChanged => self.list_changed = list_changed(text)?,
            Key::RebuildTime if is_default => self.rebuild_time = default.rebuild_time,
            Key::RebuildTime => self.rebuild_time = answer::duration(key, text)?,
            Key::Elicit if is_default => self.elicit = default.elicit,
            Key::Elicit => self.elicit = boolean(key, text)?,
            Key::Tool(tool, tool_key) => {
                let default = ToolSettings::default_of(tool);
                let settings = self.tools.entry(tool).or_insert_with(|| default.clone());
                settings.set(key, tool_key, (!is_default).then_some(text), default)?;
            }
        }
        if is_default {
            self.written.remove(&key);
        } else {
            self.written.insert(key, text.to_owned());
        }
        Ok(())
    }

    /// That no setting is without effect because of another.
    fn check(&self) -> Result<(), (Key, SettingsError)> {
        for (tool, settings) in &self.tools {
            if settings.annotations.is_none() {
                continue;
            }
            let set = Hint::ALL.into_iter().find_map(|hint| {
                let key = Key::Tool(*tool, ToolKey::Hint(hint));
                self.written.contains_key(&key).then_some(key)
            });
            if let Some(key) = set {
                let whole = Key::Tool(*tool, ToolKey::Annotations);
                let error = SettingsError::new(format!(
                    "`{key}` would not be sent: `{whole}` takes the place of all four hints"
                ));
                return Err((
                    key,
                    error.hint(format!("leave one of them out, or set it to `{DEFAULT}`")),
                ));
            }
        }
        Ok(())
    }

    /// What is set for a tool.
    #[must_use]
    pub fn tool(&self, tool: Tool) -> ToolSettings {
        let settings = self.tools.get(&tool).cloned();
        settings.unwrap_or_else(|| ToolSettings::default_of(tool))
    }

    /// Everything that was set, as it was written, with its key.
    pub fn written(&self) -> impl Iterator<Item = (Key, &str)> {
        self.written.iter().map(|(key, text)| (*key, text.as_str()))
    }
}

impl ToolSettings {
    fn set(
        &mut self,
        key: Key,
        tool_key: ToolKey,
        text: Option<&str>,
        default: Self,
    ) -> Result<(), SettingsError> {
        match (tool_key, text) {
            (ToolKey::Annotations, None) => self.annotations = default.annotations,
            (ToolKey::Annotations, Some(text)) => {
                self.annotations = Some(HintSetting::parse(key, text)?);
            }
            (ToolKey::Hint(hint), None) => {
                *self.hints.get_mut(hint) = default.hints.get(hint).clone();
            }
            (ToolKey::Hint(hint), Some(text)) => {
                *self.hints.get_mut(hint) = HintSetting::parse(key, text)?;
            }
            (ToolKey::Answer, None) => self.answer = default.answer,
            (ToolKey::Answer, Some(text)) => self.answer = Answer::parse(key, text)?,
            (ToolKey::BehaveAs, None) => self.behave_as = default.behave_as,
            (ToolKey::BehaveAs, Some(text)) => {
                let tool = Tool::from_name(text).ok_or_else(|| key::unknown_tool(text))?;
                self.behave_as = Some(tool);
            }
        }
        Ok(())
    }
}

fn list_changed(text: &str) -> Result<ListChanged, SettingsError> {
    match text {
        "notify" => Ok(ListChanged::Notify),
        "silent" => Ok(ListChanged::Silent),
        _ => Err(error::value(Key::ListChanged, text, &["notify", "silent"])),
    }
}

fn boolean(key: Key, text: &str) -> Result<bool, SettingsError> {
    text.parse()
        .map_err(|_| error::value(key, text, &["true", "false"]))
}
