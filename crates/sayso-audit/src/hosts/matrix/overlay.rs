//! Hints to put over a listing: proposed `annotations`, or what was ruled to be true, by tool.
//!
//! Three forms are read. JSON by tool, `{ "TOOL": { "readOnlyHint": true } }`; JSON as a saved
//! listing, `{ "tools": [{ "name": "TOOL", "annotations": { … } }] }` or the array alone; and TOML
//! by tool, `[TOOL]` with `readOnlyHint = true`.

use sayso_core::effective::Effective;
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::{Document, Limits, LineColumn, Member, ParseError, Value, line_column};
use sayso_core::listing::{Listing, Page};
use sayso_core::tool::Tool;
use serde_json::Map;

use sayso_core::suggest::nearest;

/// Hints by tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overlay {
    /// The tools in the order of the file.
    pub tools: Vec<OverlayTool>,
}

/// The hints for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlayTool {
    /// The tool's name.
    pub name: String,
    /// The hints that are given.
    pub hints: Hints<Option<bool>>,
    /// The title inside `annotations`, if one is given.
    pub title: Option<String>,
}

/// An overlay that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct OverlayError {
    /// The file, as the caller named it.
    pub file: String,
    /// What is wrong, and with which tool.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl Overlay {
    /// Reads an overlay; `file` names it in errors and, by its ending, says how it is written.
    ///
    /// # Errors
    ///
    /// When the text is none of the three forms, names no tool, has a key that is neither a hint
    /// nor `title`, a hint that is no boolean, or a tool twice.
    pub fn parse(text: &str, file: &str) -> Result<Self, OverlayError> {
        let error = |message: String| OverlayError {
            file: file.to_owned(),
            message,
            hint: None,
        };
        let ends_in_toml = file
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("toml"));
        let value: serde_json::Value = if ends_in_toml {
            toml::from_str(text).map_err(|problem| error(problem.to_string().trim_end().into()))?
        } else {
            from_json(text).map_err(&error)?
        };
        let mut overlay = Self::default();
        for (name, annotations) in blocks(&value).map_err(&error)? {
            let tool =
                OverlayTool::read(name, annotations).map_err(|(message, hint)| OverlayError {
                    file: file.to_owned(),
                    message: format!("tool `{name}`: {message}"),
                    hint,
                })?;
            if overlay.get(name).is_some() {
                return Err(error(format!("tool `{name}` stands twice")));
            }
            overlay.tools.push(tool);
        }
        if overlay.tools.is_empty() {
            return Err(OverlayError {
                hint: Some("write `{ \"TOOL\": { \"readOnlyHint\": true } }`, or name a saved listing with annotations".to_owned()),
                ..error("it has no hints for any tool".to_owned())
            });
        }
        Ok(overlay)
    }

    /// What it has for a tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OverlayTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The names that no tool of the listing has, each with the nearest that one has.
    #[must_use]
    pub fn unmatched(&self, listing: &Listing) -> Vec<(&str, Option<String>)> {
        let names: Vec<String> = listing
            .tools()
            .filter_map(|tool| Some(tool.name()?.into_owned()))
            .collect();
        let unknown = self.tools.iter().filter(|tool| !names.contains(&tool.name));
        unknown
            .map(|tool| {
                let near = nearest(&tool.name, names.iter().map(String::as_str));
                (tool.name.as_str(), near.map(str::to_owned))
            })
            .collect()
    }

    /// What is true of a tool, if the overlay is read as rulings.
    pub(super) fn truth(&self, name: &str) -> Option<Effective> {
        let hints = &self.get(name)?.hints;
        Some(Effective::from_claims(&hints.map(|_, value| {
            value.map_or(Claim::Absent, Claim::from_boolean)
        })))
    }

    /// The listing with the overlay's hints in place of its own. A key that the overlay does not
    /// name stays; a tool it does not name stays byte for byte.
    ///
    /// # Errors
    ///
    /// When the listing with the hints in it is too long to be read.
    pub fn over(&self, listing: &Listing) -> Result<Listing, ParseError> {
        let tools: Vec<String> = listing.tools().map(|tool| self.over_tool(tool)).collect();
        let text = format!("[{}]", tools.join(","));
        let mut overlaid = Listing::new(listing.server.clone());
        overlaid.completeness = listing.completeness.clone();
        // Several pages become one, which may be longer than any of them was allowed to be.
        let limits = Limits {
            max_bytes: text.len(),
            ..Limits::default()
        };
        let page = Page {
            document: Document::parse(text, &limits)?,
            lines_before: 0,
        };
        overlaid.push_page(page, 0);
        Ok(overlaid)
    }

    fn over_tool(&self, tool: Tool<'_>) -> String {
        let value = tool.value();
        let name = tool.name();
        let Some(overlay) = name.as_deref().and_then(|name| self.get(name)) else {
            return value.raw().to_owned();
        };
        let annotations = overlay.over_annotations(value.get_all("annotations").last());
        let mut members: Vec<String> = Vec::new();
        let mut placed = false;
        for member in value.members() {
            if member.key != "annotations" {
                members.push(as_it_is(&member));
            } else if !placed {
                members.push(written("annotations", &annotations));
                placed = true;
            }
        }
        if !placed {
            members.push(written("annotations", &annotations));
        }
        format!("{{{}}}", members.join(","))
    }
}

/// A member of an object, with its own bytes.
fn as_it_is(member: &Member<'_>) -> String {
    let text = member.value.document().text();
    let key = text.get(member.key_span.range()).unwrap_or_default();
    format!("{key}:{}", member.value.raw())
}

/// A member of an object, as JSON.
fn written(key: &str, value: &str) -> String {
    format!("{}:{value}", serde_json::Value::from(key))
}

type Problem = (String, Option<String>);

impl OverlayTool {
    /// The `annotations` that are there, if they are an object, with these hints in them.
    fn over_annotations(&self, there: Option<Value<'_>>) -> String {
        let hints = self.hints.iter().filter_map(|(hint, value)| {
            let value = value.as_ref()?;
            Some((hint.key(), value.to_string()))
        });
        let title = self.title.as_deref();
        let title = title.map(|title| ("title", serde_json::Value::from(title).to_string()));
        let mut own: Vec<(&str, String)> = title.into_iter().chain(hints).collect();
        let names: Vec<&str> = own.iter().map(|(key, _)| *key).collect();
        let mut members: Vec<String> = Vec::new();
        for member in there.into_iter().flat_map(Value::members) {
            if let Some(position) = own.iter().position(|(key, _)| *key == member.key) {
                let (key, value) = own.remove(position);
                members.push(written(key, &value));
            } else if !names.contains(&&*member.key) {
                members.push(as_it_is(&member));
            }
        }
        members.extend(own.iter().map(|(key, value)| written(key, value)));
        format!("{{{}}}", members.join(","))
    }

    fn read(name: &str, annotations: &Map<String, serde_json::Value>) -> Result<Self, Problem> {
        let mut tool = Self {
            name: name.to_owned(),
            hints: Hints::default(),
            title: None,
        };
        for (key, value) in annotations {
            match (Hint::from_key(key), value) {
                (Some(hint), serde_json::Value::Bool(value)) => {
                    *tool.hints.get_mut(hint) = Some(*value);
                }
                (Some(_), other) => {
                    return Err((format!("`{key}` is {other}, not true or false"), None));
                }
                (None, serde_json::Value::String(title)) if key == "title" => {
                    tool.title = Some(title.clone());
                }
                (None, other) if key == "title" => {
                    return Err((format!("`title` is {other}, not text"), None));
                }
                (None, _) => {
                    let known = Hint::ALL.map(Hint::key);
                    let near = nearest(key, known.into_iter().chain(["title"]));
                    let hint = near.map(|near| format!("did you mean `{near}`?"));
                    return Err((format!("`{key}` is no hint"), hint));
                }
            }
        }
        Ok(tool)
    }
}

/// Reads JSON. A tool, `annotations` or a hint that stands twice is refused, since readers
/// disagree on which of the two counts.
fn from_json(text: &str) -> Result<serde_json::Value, String> {
    let document = Document::parse(text.to_owned(), &Limits::default()).map_err(|problem| {
        let LineColumn { line, column } = line_column(text, problem.offset);
        format!("line {line}, column {column}: not JSON: {}", problem.kind)
    })?;
    let twice = document.duplicates().iter().find(|twice| {
        let object = document.duplicate_in(twice);
        object
            .parent()
            .is_none_or(|parent| parent.parent().is_none())
            || twice.key == "annotations"
            || Hint::from_key(&twice.key).is_some()
    });
    if let Some(twice) = twice {
        let LineColumn { line, column } = document.line_column(twice.span.start);
        return Err(format!(
            "line {line}, column {column}: `{}` stands twice",
            twice.key
        ));
    }
    let value = document.root().to_serde();
    value.ok_or_else(|| "it has text that is not Unicode, or a number out of range".to_owned())
}

type Block<'v> = (&'v str, &'v Map<String, serde_json::Value>);

/// The tools and their annotations, in whichever form.
fn blocks(value: &serde_json::Value) -> Result<Vec<Block<'_>>, String> {
    let listing = match value {
        serde_json::Value::Array(tools) => Some(tools),
        serde_json::Value::Object(members) => members
            .get("tools")
            .or_else(|| members.get("result")?.get("tools"))
            .and_then(serde_json::Value::as_array),
        _ => return Err("neither tools by name nor a listing".to_owned()),
    };
    if let Some(tools) = listing {
        return Ok(tools
            .iter()
            .filter_map(|tool| {
                let name = tool.get("name")?.as_str()?;
                Some((name, tool.get("annotations")?.as_object()?))
            })
            .collect());
    }
    let members = value.as_object().into_iter().flatten();
    members
        .map(|(name, block)| match block {
            serde_json::Value::Object(block) => Ok((name.as_str(), block)),
            other => Err(format!("tool `{name}` has {other} instead of hints")),
        })
        .collect()
}
