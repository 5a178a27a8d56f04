//! `new McpServerToolCreateOptions { … }`, `new Tool { … }`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::{Finder, Property, keys};
use crate::facts::{Annotations, Form, Literal, NameSource, Notation, Site, Slot};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, quotable};

const OPTIONS: &str = "McpServerToolCreateOptions";

fn initializer(creation: Node<'_>) -> Option<Node<'_>> {
    children(creation)
        .into_iter()
        .find(|child| child.kind() == "initializer_expression")
}

fn is_implicit(creation: Node<'_>) -> bool {
    creation.kind() == "implicit_object_creation_expression"
}

impl Finder<'_> {
    fn properties<'t>(&self, list: Node<'t>) -> Vec<Property<'t>>
    where
        Self: 't,
    {
        let items = children(list).into_iter();
        items.filter_map(|item| self.assignment(item)).collect()
    }

    fn class_of(&self, creation: Node<'_>) -> Option<&str> {
        field(creation, "type").map(|class| self.last_name(class))
    }

    /// Options or a definition with a name.
    pub(super) fn definition(&self, creation: Node<'_>) -> Option<Site> {
        let list = initializer(creation)?;
        let properties = self.properties(list);
        let has = |key: &str| properties.iter().any(|property| property.key == key);
        match self.class_of(creation) {
            Some(OPTIONS) => self.options(creation, list, &properties),
            // Others have tools too.
            Some("Tool") if has("InputSchema") || self.source.contains("ModelContextProtocol") => {
                self.tool(creation, list, &properties)
            }
            None if self.is_options_argument(creation) => self.options(creation, list, &properties),
            None if has("InputSchema") && has("Description") => {
                self.tool(creation, list, &properties)
            }
            _ => None,
        }
    }

    /// Whether `new()` is an argument of the method that makes tools.
    fn is_options_argument(&self, creation: Node<'_>) -> bool {
        let call = ancestors(creation).nth(2);
        creation
            .parent()
            .is_some_and(|parent| parent.kind() == "argument")
            && call.is_some_and(|call| self.makes_tool(call))
    }

    fn makes_tool(&self, call: Node<'_>) -> bool {
        let callee = field(call, "function").filter(|_| call.kind() == "invocation_expression");
        callee.is_some_and(|callee| {
            let path = self.text(callee);
            path == "McpServerTool.Create" || path.ends_with(".McpServerTool.Create")
        })
    }

    /// A call that makes a tool of which no options tell the name.
    pub(super) fn create(&self, call: Node<'_>) -> Option<Site> {
        if !self.makes_tool(call) {
            return None;
        }
        let arguments = children(field(call, "arguments")?);
        let values = arguments
            .iter()
            .filter_map(|argument| children(*argument).last().copied());
        let is_named = values.map(|value| self.resolved(value)).any(|value| {
            let is_options = is_implicit(value) || self.class_of(value) == Some(OPTIONS);
            let list = initializer(value).filter(|_| is_options);
            list.is_some_and(|list| {
                let properties = self.properties(list);
                properties.iter().any(|property| property.key == "Name")
            })
        });
        let first = arguments.first().filter(|_| !is_named)?;
        let unknown = NameSource::Unknown(quotable(self.text(*first)));
        Some(self.site(Form::Call, call, *first, unknown))
    }

    fn options(
        &self,
        creation: Node<'_>,
        list: Node<'_>,
        properties: &[Property<'_>],
    ) -> Option<Site> {
        let name = properties.iter().find(|property| property.key == "Name")?;
        let slot = self.slot(list, properties, Notation::Property { class: None });
        Some(Site {
            annotations: self.flat(list, properties, slot),
            keys: keys(properties),
            ..self.site(
                Form::Call,
                creation,
                name.value,
                self.name_source(name.value),
            )
        })
    }

    fn tool(
        &self,
        creation: Node<'_>,
        list: Node<'_>,
        properties: &[Property<'_>],
    ) -> Option<Site> {
        let name = properties.iter().find(|property| property.key == "Name")?;
        let own = properties
            .iter()
            .find(|property| property.key == "Annotations");
        let annotations = match own {
            Some(property) => self.tool_annotations(property.value),
            None => {
                let class = match field(creation, "type").map(|class| self.text(class)) {
                    Some(class) => {
                        let qualifier = class.strip_suffix("Tool").unwrap_or_default();
                        format!("{qualifier}ToolAnnotations")
                    }
                    None => "()".to_owned(),
                };
                let notation = Notation::Property { class: Some(class) };
                Annotations::Absent(self.slot(list, properties, notation))
            }
        };
        Some(Site {
            annotations,
            keys: keys(properties),
            ..self.site(
                Form::Definition,
                creation,
                name.value,
                self.name_source(name.value),
            )
        })
    }

    /// `new ToolAnnotations { ReadOnlyHint = true }`.
    fn tool_annotations(&self, value: Node<'_>) -> Annotations {
        let value = self.resolved(value);
        let is_ours = is_implicit(value) || self.class_of(value) == Some("ToolAnnotations");
        if !is_ours {
            return Annotations::Expression {
                text: quotable(self.text(value)),
            };
        }
        let notation = Notation::Property {
            class: Some(String::new()),
        };
        let Some(list) = initializer(value) else {
            return Annotations::Literal(Literal {
                span: value.byte_range(),
                entries: Vec::new(),
                slot: Slot {
                    at: value.end_byte(),
                    before: " { ".to_owned(),
                    after: " }".to_owned(),
                    indent: None,
                    notation,
                },
            });
        };
        let properties = self.properties(list);
        Annotations::Literal(Literal {
            span: value.byte_range(),
            entries: self.entries(&properties, hint_property),
            slot: self.slot(list, &properties, notation),
        })
    }

    fn slot(&self, list: Node<'_>, properties: &[Property<'_>], notation: Notation) -> Slot {
        let last = properties.last().map(|property| property.whole);
        slot_after(self.source, list, last, " ", notation)
    }
}

/// The property of a hint in the protocol's own type.
pub(crate) const fn hint_property(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "ReadOnlyHint",
        Hint::Destructive => "DestructiveHint",
        Hint::Idempotent => "IdempotentHint",
        Hint::OpenWorld => "OpenWorldHint",
    }
}
