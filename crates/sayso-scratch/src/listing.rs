//! What the server lists: each tool as the settings have it.

use std::collections::BTreeMap;

use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::{Document, Limits, ParseError};
use sayso_core::tool::{AnnotationsShape, Tool as ListedTool};
use serde_json::Value;

use crate::settings::{HintSetting, Settings, ToolSettings};
use crate::tool::Tool;

/// A listing and what it claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries, each as its JSON on one line.
    pub tools: Vec<String>,
    /// What each tool declares, by its name.
    pub declared: DeclaredByTool,
}

/// What each tool declares, by its name.
pub type DeclaredByTool = BTreeMap<String, Declared>;

/// What a tool declares, as a client sees it on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// What stands under `annotations`.
    pub annotations: Shape,
    /// `readOnlyHint`
    #[serde(rename = "readOnlyHint")]
    pub read_only: Claim,
    /// `destructiveHint`
    #[serde(rename = "destructiveHint")]
    pub destructive: Claim,
    /// `idempotentHint`
    #[serde(rename = "idempotentHint")]
    pub idempotent: Claim,
    /// `openWorldHint`
    #[serde(rename = "openWorldHint")]
    pub open_world: Claim,
}

/// What stands under `annotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// No such key.
    Absent,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// Something else.
    Malformed,
    /// The key more than once.
    Duplicated,
}

impl Shape {
    /// The shape as one word, for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Null => "null",
            Self::Object => "object",
            Self::Malformed => "malformed",
            Self::Duplicated => "duplicated",
        }
    }
}

impl Declared {
    /// The claim for one hint.
    #[must_use]
    pub const fn get(&self, hint: Hint) -> Claim {
        match hint {
            Hint::ReadOnly => self.read_only,
            Hint::Destructive => self.destructive,
            Hint::Idempotent => self.idempotent,
            Hint::OpenWorld => self.open_world,
        }
    }

    /// All four claims.
    #[must_use]
    pub fn claims(&self) -> Hints<Claim> {
        Hints::from_fn(|hint| self.get(hint))
    }

    /// Reads a listing entry.
    fn read(entry: &str) -> Result<Self, ParseError> {
        let document = Document::parse(entry.to_owned(), &Limits::default())?;
        let claims = ListedTool::new(document.root(), 0, 0).claims();
        let annotations = match claims.shape {
            AnnotationsShape::Absent => Shape::Absent,
            AnnotationsShape::Null => Shape::Null,
            AnnotationsShape::Object => Shape::Object,
            AnnotationsShape::Malformed(_) => Shape::Malformed,
            AnnotationsShape::Duplicated => Shape::Duplicated,
        };
        let states = claims.states();
        Ok(Self {
            annotations,
            read_only: states.read_only,
            destructive: states.destructive,
            idempotent: states.idempotent,
            open_world: states.open_world,
        })
    }
}

impl Listing {
    /// The listing that the settings make.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let entries = Tool::ALL.map(|tool| (tool, entry(tool, &settings.tool(tool))));
        // An entry we wrote can be read; one that could not would claim nothing.
        let declared = entries.iter().filter_map(|(tool, entry)| {
            let declared = Declared::read(entry).ok()?;
            Some((tool.name().to_owned(), declared))
        });
        Self {
            declared: declared.collect(),
            tools: entries.into_iter().map(|(_, entry)| entry).collect(),
        }
    }

    /// What a tool declares.
    #[must_use]
    pub fn declared(&self, tool: &str) -> Option<Declared> {
        self.declared.get(tool).copied()
    }
}

/// One entry, written by hand: a key may stand there twice.
fn entry(tool: Tool, settings: &ToolSettings) -> String {
    let members = tool.members();
    let mut text: Vec<String> = members
        .into_iter()
        .map(|(key, value)| member(key, &value.to_string()))
        .collect();
    match &settings.annotations {
        Some(whole) => text.extend(values("annotations", whole)),
        None => text.extend(annotations(tool, &settings.hints)),
    }
    format!("{{{}}}", text.join(","))
}

/// The `annotations` member, if there is anything in it.
fn annotations(tool: Tool, hints: &Hints<HintSetting>) -> Option<String> {
    let title = tool
        .annotation_title()
        .map(|title| member("title", &Value::from(title).to_string()));
    let hints = hints
        .iter()
        .flat_map(|(hint, setting)| values(hint.key(), setting));
    let members: Vec<String> = title.into_iter().chain(hints).collect();
    (!members.is_empty()).then(|| member("annotations", &format!("{{{}}}", members.join(","))))
}

fn values<'v>(key: &'v str, setting: &'v HintSetting) -> impl Iterator<Item = String> + 'v {
    setting.values().map(move |value| member(key, value))
}

fn member(key: &str, value: &str) -> String {
    format!("\"{key}\":{value}")
}
