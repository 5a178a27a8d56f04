//! A labelled case, and the listing it is judged as.

use std::collections::BTreeMap;
use std::path::Path;

use sayso_core::hint::{Hint, Hints};
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use serde::Deserialize;
use serde_json::json;

use super::arguments;
use crate::{TaskError, While};

/// What a case shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// A claimed hint is wrong.
    Wrong,
    /// A hint that should be claimed is not.
    Missing,
    /// Everything claimed is right.
    Control,
    /// People disagree.
    Contested,
}

/// Where the trace of what is right stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VisibleIn {
    /// In the arguments.
    Args,
    /// In the description.
    Description,
    /// In the name alone.
    Name,
    /// In the server's source only.
    SourceOnly,
}

/// The fields of a line that matter here; the others are for readers.
#[derive(Clone, Debug, Deserialize)]
struct Line {
    id: String,
    tool_name: String,
    title: Option<String>,
    description: String,
    #[serde(default)]
    arguments_gist: String,
    declared: BTreeMap<String, serde_json::Value>,
    right: BTreeMap<String, bool>,
    class: Class,
    visible_in: VisibleIn,
    #[serde(default)]
    hints_stated_by_source: Vec<String>,
    #[serde(default)]
    contested: Vec<String>,
}

/// A labelled case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) tool: serde_json::Value,
    pub(crate) declared: Hints<Option<bool>>,
    pub(crate) right: Hints<Option<bool>>,
    pub(crate) class: Class,
    pub(crate) visible_in: VisibleIn,
    stated: Vec<Hint>,
    contested: Vec<Hint>,
}

/// Reads a file of cases, one JSON object a line.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>, TaskError> {
    let text = std::fs::read_to_string(file).while_trying(format!("reading {}", file.display()))?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str::<Line>(line)
                .map(Case::from)
                .map_err(|error| TaskError::Io {
                    what: format!("{} line {}", file.display(), number + 1),
                    source: error.into(),
                })
        })
        .collect()
}

impl From<Line> for Case {
    fn from(line: Line) -> Self {
        let hints = |names: &[String]| {
            names
                .iter()
                .filter_map(|name| Hint::from_key(name))
                .collect()
        };
        let mut tool = json!({
            "name": line.tool_name,
            "description": line.description,
            "inputSchema": arguments::schema(&line.arguments_gist),
        });
        if let Some(object) = tool.as_object_mut() {
            if let Some(title) = line.title {
                object.insert("title".to_owned(), title.into());
            }
            if !line.declared.is_empty() {
                object.insert("annotations".to_owned(), json!(line.declared));
            }
        }
        Self {
            id: line.id,
            tool,
            declared: Hints::from_fn(|hint| {
                line.declared
                    .get(hint.key())
                    .and_then(serde_json::Value::as_bool)
            }),
            right: Hints::from_fn(|hint| line.right.get(hint.key()).copied()),
            class: line.class,
            visible_in: line.visible_in,
            stated: hints(&line.hints_stated_by_source),
            contested: hints(&line.contested),
        }
    }
}

impl Case {
    /// The tool as the only one of a listing.
    pub(crate) fn listing(&self) -> Listing {
        let text = json!({ "tools": [self.tool] }).to_string();
        let mut listing = Listing::new(ServerIdentity::default());
        if let Ok(document) = Document::parse(text, &Limits::default()) {
            let tools = document.root().get("tools").map(|tools| tools.index());
            if let Some(tools) = tools {
                listing.push_page(
                    Page {
                        document,
                        lines_before: 0,
                    },
                    tools,
                );
            }
        }
        listing
    }

    /// Whether people disagree about a hint of this case.
    pub(crate) fn is_contested(&self, hint: Hint) -> bool {
        self.contested.contains(&hint)
    }

    /// Hints that are claimed wrongly; where none is, those whose default is not the right value.
    pub(crate) fn wrong_hints(&self) -> impl Iterator<Item = Hint> {
        let claimed = |hint: &Hint| {
            self.declared
                .get(*hint)
                .is_some_and(|value| Some(value) != *self.right.get(*hint))
        };
        let any = Hint::ALL.iter().any(claimed);
        Hint::ALL.into_iter().filter(move |hint| {
            if any {
                claimed(hint)
            } else {
                self.declared.get(*hint).is_none()
                    && Some(hint.default_value()) != *self.right.get(*hint)
            }
        })
    }

    /// Hints that were not claimed: those the source is about, or else any.
    pub(crate) fn missing_hints(&self) -> impl Iterator<Item = Hint> {
        let stated = self
            .stated
            .iter()
            .any(|hint| self.declared.get(*hint).is_none());
        Hint::ALL.into_iter().filter(move |hint| {
            self.declared.get(*hint).is_none() && (!stated || self.stated.contains(hint))
        })
    }

    /// Whether a hint is claimed, its value right and nobody disagrees.
    pub(crate) fn claims_rightly(&self, hint: Hint) -> bool {
        !self.is_contested(hint)
            && self.declared.get(hint).is_some()
            && self.declared.get(hint) == self.right.get(hint)
    }
}
