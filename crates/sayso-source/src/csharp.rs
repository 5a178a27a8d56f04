//! C#: the attributes, options and definitions of the official SDK.

mod initializer;
mod name;
mod value;

use sayso_core::hint::Hint;
use tree_sitter::Node;

use crate::facts::{
    Annotations, Facts, Form, HintEntry, Literal, NameSource, Notation, Site, Slot,
};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, quotable, text, walk};

pub(crate) use initializer::hint_property;

/// The property of a hint on the attribute and among the options, where it has no `Hint` behind it.
pub(crate) const fn property(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "ReadOnly",
        Hint::Destructive => "Destructive",
        Hint::Idempotent => "Idempotent",
        Hint::OpenWorld => "OpenWorld",
    }
}

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder { source };
    let mut facts = Facts {
        knows_annotations_type: source.contains("ModelContextProtocol.Protocol"),
        is_broken: root.has_error(),
        ..Facts::default()
    };
    walk(root, |node| match node.kind() {
        "attribute" => facts.sites.extend(finder.attribute(node)),
        "object_creation_expression" | "implicit_object_creation_expression" => {
            facts.sites.extend(finder.definition(node));
        }
        "invocation_expression" => facts.sites.extend(finder.create(node)),
        "field_declaration" => facts.constants.extend(finder.constants(node)),
        _ => {}
    });
    facts
}

/// A property that is set: `Name = "x"`.
#[derive(Clone, Copy)]
struct Property<'t> {
    key: &'t str,
    whole: Node<'t>,
    value: Node<'t>,
}

struct Finder<'s> {
    source: &'s str,
}

impl<'s> Finder<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// The last part of a dotted name.
    fn last_name(&self, node: Node<'_>) -> &'s str {
        let name = self.text(node);
        name.rsplit(['.', ':']).next().unwrap_or(name)
    }

    fn site<'t>(&self, form: Form, whole: Node<'t>, name: Node<'t>, source: NameSource) -> Site {
        Site {
            form,
            name: source,
            span: whole.byte_range(),
            anchor: name.byte_range(),
            annotations: Annotations::Unreachable,
            keys: Vec::new(),
            whole: false,
            whole_parameter: None,
            annotations_parameter: None,
            stands_alone: true,
            in_list_handler: ancestors(whole)
                .any(|around| self.text(around).contains("ListTools") && is_function(around)),
        }
    }

    /// `[McpServerTool(Name = "…", ReadOnly = true)]` over a method.
    fn attribute(&self, attribute: Node<'_>) -> Option<Site> {
        let class = field(attribute, "name")?;
        if !matches!(
            self.last_name(class),
            "McpServerTool" | "McpServerToolAttribute"
        ) {
            return None;
        }
        let function = ancestors(attribute).find(|around| is_function(*around))?;
        let list = children(attribute)
            .into_iter()
            .find(|child| child.kind() == "attribute_argument_list");
        let properties = list.map(|list| self.arguments(list)).unwrap_or_default();
        let named = properties.iter().find(|property| property.key == "Name");
        let (name, source) = match (named, field(function, "name")) {
            (Some(named), _) => (named.value, self.name_source(named.value)),
            (None, Some(own)) => (own, NameSource::Text(self.derived_name(function, own))),
            (None, None) => (class, NameSource::Unknown(quotable(self.text(function)))),
        };
        let notation = Notation::Property { class: None };
        let slot = match list {
            // Arguments by position stand before the properties, and are none of ours.
            Some(list) => {
                let last = children(list).last().copied();
                slot_after(self.source, list, last, "", notation)
            }
            None => Slot {
                at: class.end_byte(),
                before: "(".to_owned(),
                after: ")".to_owned(),
                indent: None,
                notation,
            },
        };
        Some(Site {
            annotations: self.flat(list.unwrap_or(class), &properties, slot),
            keys: keys(&properties),
            ..self.site(Form::Decorator, attribute, name, source)
        })
    }

    /// Hints that stand among other properties.
    fn flat(&self, list: Node<'_>, properties: &[Property<'_>], slot: Slot) -> Annotations {
        let entries = self.entries(properties, property);
        if entries.is_empty() {
            return Annotations::Absent(slot);
        }
        Annotations::Literal(Literal {
            span: list.byte_range(),
            entries,
            slot,
        })
    }

    fn entries(
        &self,
        properties: &[Property<'_>],
        key: impl Fn(Hint) -> &'static str,
    ) -> Vec<HintEntry> {
        let entries = properties.iter().filter_map(|property| {
            let hint = Hint::ALL
                .into_iter()
                .find(|hint| key(*hint) == property.key)?;
            let value = match self.text(property.value) {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            };
            Some(HintEntry {
                hint,
                span: property.value.byte_range(),
                value,
                is_literal: value.is_some() || property.value.kind() == "null_literal",
            })
        });
        entries.collect()
    }

    /// The named arguments of an attribute.
    fn arguments<'t>(&self, list: Node<'t>) -> Vec<Property<'t>>
    where
        's: 't,
    {
        let arguments = children(list).into_iter();
        let properties = arguments.filter_map(|argument| {
            let parts = children(argument);
            match (field(argument, "name"), parts.last()) {
                (Some(name), Some(value)) => Some(Property {
                    key: self.text(name),
                    whole: argument,
                    value: *value,
                }),
                (None, Some(inner)) => self.assignment(*inner),
                _ => None,
            }
        });
        properties.collect()
    }

    /// `Name = "x"`.
    fn assignment<'t>(&self, node: Node<'t>) -> Option<Property<'t>>
    where
        's: 't,
    {
        let left = field(node, "left").filter(|_| node.kind() == "assignment_expression")?;
        Some(Property {
            key: self.text(left),
            whole: node,
            value: field(node, "right")?,
        })
    }
}

fn keys(properties: &[Property<'_>]) -> Vec<String> {
    properties
        .iter()
        .map(|property| property.key.to_owned())
        .collect()
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "method_declaration" | "local_function_statement" | "lambda_expression"
    )
}
