//! The arguments of a call.

use tree_sitter::Node;

use super::Finder;
use crate::syntax::{children, field};

/// The arguments of a call.
pub(super) struct Arguments<'t> {
    /// Each with its keyword, if it has one.
    pub(super) all: Vec<(Option<&'t str>, Node<'t>)>,
    /// Whether a list or dictionary of arguments is spread.
    pub(super) spreads: bool,
}

impl<'t> Arguments<'t> {
    pub(super) fn of(finder: &Finder<'t>, list: Option<Node<'t>>) -> Self {
        let mut arguments = Self {
            all: Vec::new(),
            spreads: false,
        };
        for node in list.map(children).unwrap_or_default() {
            match node.kind() {
                "keyword_argument" => {
                    let keyword = field(node, "name").map(|name| finder.text(name));
                    if let Some(value) = field(node, "value") {
                        arguments.all.push((keyword, value));
                    }
                }
                "list_splat" | "dictionary_splat" => arguments.spreads = true,
                _ => arguments.all.push((None, node)),
            }
        }
        arguments
    }

    /// The argument with this keyword.
    pub(super) fn keyword(&self, name: &str) -> Option<Node<'t>> {
        let mut all = self.all.iter();
        all.find(|(keyword, _)| *keyword == Some(name))
            .map(|(_, value)| *value)
    }

    /// The argument with this keyword or in this position.
    pub(super) fn get(&self, name: &str, position: usize) -> Option<Node<'t>> {
        let positional = || {
            let (keyword, value) = self.all.get(position)?;
            keyword.is_none().then_some(*value)
        };
        self.keyword(name).or_else(positional)
    }

    /// Whether one of them is the schema of a tool's arguments.
    pub(super) fn has_schema(&self) -> bool {
        self.all
            .iter()
            .any(|(keyword, _)| keyword.is_some_and(is_schema_key))
    }

    pub(super) fn keywords(&self) -> Vec<String> {
        let keywords = self.all.iter().filter_map(|(keyword, _)| *keyword);
        keywords.map(str::to_owned).collect()
    }
}

/// Keys under which the schema of a tool's arguments is known.
pub(super) fn is_schema_key(key: &str) -> bool {
    matches!(key, "inputSchema" | "input_schema")
}
