//! `@McpTool(name = "…", annotations = @McpTool.McpAnnotations(readOnlyHint = true))`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::Finder;
use crate::facts::{Annotations, Form, HintEntry, Literal, NameSource, Notation, Site, Slot};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, quotable};

impl Finder<'_> {
    /// An annotation that makes a tool of the method it is on, and the annotation of hints in it.
    fn hints_class(&self, annotation: Node<'_>) -> Option<String> {
        let class = field(annotation, "name")?;
        let of_spring = self.source.contains("org.springaicommunity.mcp")
            || self.source.contains("org.springframework.ai");
        let hints = match self.last_name(class) {
            "McpTool" if of_spring => "McpAnnotations",
            "Tool" if self.source.contains("io.quarkiverse.mcp") => "Annotations",
            _ => return None,
        };
        Some(format!("{}.{hints}", self.text(class)))
    }

    pub(super) fn annotation(&self, annotation: Node<'_>) -> Option<Site> {
        let class = self.hints_class(annotation)?;
        let method = ancestors(annotation).find(|around| around.kind() == "method_declaration")?;
        let is_on_method = annotation.parent()?.parent() == Some(method);
        let own_name = field(method, "name").filter(|_| is_on_method)?;
        let list = field(annotation, "arguments");
        let pairs = list.map(children).unwrap_or_default();
        let value = |wanted: &str| {
            let pair = pairs
                .iter()
                .find(|pair| field(**pair, "key").is_some_and(|key| self.text(key) == wanted))?;
            field(*pair, "value")
        };
        let (name, source) = match value("name") {
            Some(name) => (name, self.name_source(name)),
            None => (own_name, NameSource::Text(self.text(own_name).to_owned())),
        };
        let notation = Notation::Nested {
            open: format!("annotations = @{class}("),
        };
        let annotations = match (value("annotations"), list) {
            (Some(hints), _) => self.annotation_hints(hints, notation),
            (None, Some(list)) => {
                let last = pairs.last().copied();
                Annotations::Absent(slot_after(self.source, list, last, "", notation))
            }
            (None, None) => Annotations::Absent(Slot {
                at: annotation.end_byte(),
                before: "(".to_owned(),
                after: ")".to_owned(),
                indent: None,
                notation,
            }),
        };
        Some(Site {
            annotations,
            ..self.site(Form::Decorator, annotation, name, source)
        })
    }

    fn annotation_hints(&self, hints: Node<'_>, notation: Notation) -> Annotations {
        let list = field(hints, "arguments");
        let pairs = list.map(children).unwrap_or_default();
        let entries = pairs.iter().filter_map(|pair| {
            let key = self.text(field(*pair, "key")?);
            let value = field(*pair, "value")?;
            let boolean = self.boolean(value);
            Some(HintEntry {
                hint: Hint::ALL.into_iter().find(|hint| hint.key() == key)?,
                span: value.byte_range(),
                value: boolean,
                is_literal: boolean.is_some(),
            })
        });
        let slot = match (hints.kind(), list) {
            ("annotation", Some(list)) => {
                slot_after(self.source, list, pairs.last().copied(), "", notation)
            }
            ("marker_annotation", _) => Slot {
                at: hints.end_byte(),
                before: "(".to_owned(),
                after: ")".to_owned(),
                indent: None,
                notation,
            },
            _ => {
                return Annotations::Expression {
                    text: quotable(self.text(hints)),
                };
            }
        };
        Annotations::Literal(Literal {
            span: hints.byte_range(),
            entries: entries.collect(),
            slot,
        })
    }
}
