//! One answer to `tools/list`, taken apart without touching its tools.

use sayso_core::json::{Document, Value};

use crate::inbox::excerpt;

/// Where the tools of an answer are, and how it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageParts {
    /// The index of the array of tools.
    pub(crate) tools: u32,
    /// The next page.
    pub(crate) next: Next,
    /// Repeated keys outside the tools, as pointers.
    pub(crate) duplicates: Vec<String>,
}

/// What an answer says about the page behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// There is none.
    Last,
    /// It is asked for with this cursor.
    Cursor(String),
    /// The cursor is no string, but this.
    Malformed(&'static str),
}

impl PageParts {
    /// Takes a `tools/list` result apart. A repeated key is read as most readers do: the last counts.
    ///
    /// # Errors
    /// When it is none, in words that continue "the answer …".
    pub(crate) fn read(result: Value<'_>) -> Result<Self, String> {
        if !result.is_object() {
            return Err(format!("has {} as its result", result.kind().describe()));
        }
        if let Some(other) =
            last(result, "resultType").filter(|value| value.as_str().as_deref() != Some("complete"))
        {
            return Err(format!(
                "has the result type {} instead of \"complete\"",
                excerpt(other.raw())
            ));
        }
        let tools = last(result, "tools").ok_or("has no `tools`")?;
        if !tools.is_array() {
            return Err(format!(
                "has {} as `tools`, not an array",
                tools.kind().describe()
            ));
        }
        let next = match last(result, "nextCursor") {
            None => Next::Last,
            Some(value) => match value.as_str() {
                // Many servers end with an empty string, as in languages without `null`.
                Some(text) if text.is_empty() => Next::Last,
                Some(text) => Next::Cursor(text.into_owned()),
                None if value.is_null() => Next::Last,
                None => Next::Malformed(value.kind().describe()),
            },
        };
        Ok(Self {
            tools: tools.index(),
            next,
            duplicates: duplicates_outside(result.document(), tools),
        })
    }
}

/// The value that most readers take when a key is repeated.
pub(crate) fn last<'a>(object: Value<'a>, key: &str) -> Option<Value<'a>> {
    object.get_all(key).last()
}

fn duplicates_outside(document: &Document, tools: Value<'_>) -> Vec<String> {
    let inside = tools.span();
    let outside = document
        .duplicates()
        .iter()
        .filter(|duplicate| duplicate.span.start < inside.start || duplicate.span.end > inside.end);
    outside
        .map(|duplicate| {
            document
                .duplicate_in(duplicate)
                .pointer()
                .join(&duplicate.key)
                .to_string()
        })
        .collect()
}
