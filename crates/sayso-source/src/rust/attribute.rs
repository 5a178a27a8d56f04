//! `#[tool(name = "…", annotations(read_only_hint = true))]`.

use tree_sitter::Node;

use super::Finder;
use crate::facts::{Annotations, Form, HintEntry, Literal, NameSource, Notation, Site, Slot};
use crate::python::hint;
use crate::style::slot_behind;
use crate::syntax::{children, field};

/// One of the comma-separated parts of an attribute's arguments.
struct Item<'t> {
    key: Node<'t>,
    /// What stands behind the equals sign, or the parenthesis behind the key.
    value: Option<Node<'t>>,
    /// Its last token.
    last: Node<'t>,
    tokens: usize,
}

impl Finder<'_> {
    /// An attribute that makes a tool of the function below it.
    pub(super) fn attribute(&self, item: Node<'_>) -> Option<Site> {
        let attribute = children(item)
            .into_iter()
            .find(|child| child.kind() == "attribute")?;
        let path = attribute.named_child(0)?;
        if self.text(path).rsplit("::").next() != Some("tool") {
            return None;
        }
        let function = annotated_function(item)?;
        let own_name = field(function, "name")?;
        let list = field(attribute, "arguments");
        let items = list.map(items).unwrap_or_default();
        let keyed = |wanted: &str| items.iter().find(|item| self.text(item.key) == wanted);
        let (name, source) = match keyed("name").and_then(|item| item.value) {
            Some(value) => (value, self.name_source(value)),
            None => (own_name, NameSource::Text(self.text(own_name).to_owned())),
        };
        let annotations = match (keyed("annotations"), list) {
            (Some(item), _) => match item.value.filter(|value| value.kind() == "token_tree") {
                Some(tree) => self.attribute_hints(tree),
                None => Annotations::Expression {
                    text: self.text(item.last).to_owned(),
                },
            },
            (None, Some(list)) => Annotations::Absent(self.slot(list, &items)),
            (None, None) => Annotations::Absent(Slot {
                at: path.end_byte(),
                before: "(".to_owned(),
                after: ")".to_owned(),
                indent: None,
                notation: Notation::Attribute,
            }),
        };
        Some(Site {
            annotations,
            ..self.site(Form::Decorator, item, name, source)
        })
    }

    fn slot(&self, list: Node<'_>, items: &[Item<'_>]) -> Slot {
        let anchor = items.last().map(|item| (item.key.start_byte(), item.last));
        slot_behind(self.source, list, anchor, "", Notation::Attribute)
    }

    fn attribute_hints(&self, tree: Node<'_>) -> Annotations {
        let items = items(tree);
        let entries = items.iter().filter_map(|item| {
            let hint = hint(self.text(item.key))?;
            let value = item.value.unwrap_or(item.key);
            let boolean = match (item.tokens, self.text(value)) {
                (3, "true") => Some(true),
                (3, "false") => Some(false),
                _ => None,
            };
            Some(HintEntry {
                hint,
                span: value.byte_range(),
                value: boolean,
                is_literal: boolean.is_some(),
            })
        });
        Annotations::Literal(Literal {
            span: tree.byte_range(),
            entries: entries.collect(),
            slot: self.slot(tree, &items),
        })
    }
}

/// The function below an attribute, with other attributes and comments between.
fn annotated_function(item: Node<'_>) -> Option<Node<'_>> {
    let mut next = item.next_named_sibling()?;
    while next.kind() == "attribute_item" || next.is_extra() {
        next = next.next_named_sibling()?;
    }
    (next.kind() == "function_item").then_some(next)
}

/// The parts of an attribute's arguments.
fn items(tree: Node<'_>) -> Vec<Item<'_>> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'_>> = tree
        .children(&mut cursor)
        .filter(|token| !token.is_extra())
        .collect();
    let inner = tokens
        .get(1..tokens.len().saturating_sub(1))
        .unwrap_or_default();
    let parts = inner.split(|token| token.kind() == ",");
    let items = parts.filter_map(|part| {
        let (key, rest) = part.split_first()?;
        let value = match rest {
            [equals, value, ..] if equals.kind() == "=" => Some(*value),
            [tree, ..] if tree.kind() == "token_tree" => Some(*tree),
            _ => None,
        };
        Some(Item {
            key: *key,
            value,
            last: *part.last()?,
            tokens: part.len(),
        })
    });
    items.collect()
}
