//! `Tool::new(…).with_annotations(ToolAnnotations::new().read_only(true))`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::Finder;
use crate::facts::{Annotations, Form, HintEntry, Literal, NameSource, Notation, Site, Slot};
use crate::style::{begins_line, indentation, newline};
use crate::syntax::{children, field, quotable};

/// The method that sets a hint.
pub(crate) const fn method(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "read_only",
        Hint::Destructive => "destructive",
        Hint::Idempotent => "idempotent",
        Hint::OpenWorld => "open_world",
    }
}

/// The call of a method on a value: its name and the whole call.
fn next_call(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let member = node
        .parent()
        .filter(|parent| parent.kind() == "field_expression")?;
    let call = member
        .parent()
        .filter(|parent| parent.kind() == "call_expression")?;
    (field(member, "value") == Some(node)).then_some(())?;
    Some((field(member, "field")?, call))
}

impl Finder<'_> {
    /// The construction of a tool.
    pub(super) fn built(&self, call: Node<'_>) -> Option<Site> {
        let callee = self.text(field(call, "function")?);
        let mut path = callee.rsplit("::");
        let constructor = path.next()?;
        // Others have tools too.
        let is_of_sdk = self.source.contains("rmcp");
        if !is_of_sdk
            || path.next() != Some("Tool")
            || !matches!(constructor, "new" | "new_with_raw")
        {
            return None;
        }
        let name = children(field(call, "arguments")?).first().copied()?;
        let mut keys = vec![
            "name".to_owned(),
            "description".to_owned(),
            "input_schema".to_owned(),
        ];
        let mut annotations = None;
        let mut parameter = None;
        let mut node = call;
        while let Some((setter, next)) = next_call(node) {
            let key = self.text(setter).trim_start_matches("with_");
            if matches!(self.text(setter), "with_annotations" | "annotate") {
                let value = children(field(next, "arguments")?).first().copied()?;
                annotations = Some(self.built_annotations(value));
                parameter = match self.name_source(value) {
                    NameSource::Handed(handed) if !handed.member => handed.parameter,
                    _ => None,
                };
                keys.push("annotations".to_owned());
            } else {
                keys.push(key.to_owned());
            }
            node = next;
        }
        Some(Site {
            annotations: annotations.unwrap_or_else(|| Annotations::Absent(self.behind(call))),
            keys,
            annotations_parameter: parameter.map(|(_, position)| position),
            ..self.site(Form::Call, node, name, self.name_source(name))
        })
    }

    /// Behind a constructor: on a line of its own where the calls that follow have theirs.
    fn behind(&self, call: Node<'_>) -> Slot {
        let next = next_call(call).and_then(|(name, _)| name.prev_sibling());
        let dot = next.filter(|dot| begins_line(self.source, dot.start_byte()));
        let spans_lines = call.start_position().row != call.end_position().row;
        let indent = match dot {
            Some(dot) => Some(indentation(self.source, dot.start_byte())),
            None => spans_lines.then(|| indentation(self.source, call.end_byte())),
        };
        let before = indent.map(|indent| format!("{}{indent}", newline(self.source)));
        Slot {
            at: call.end_byte(),
            before: before.unwrap_or_default(),
            after: String::new(),
            indent: indent.map(str::to_owned),
            notation: Notation::Builder {
                class: self.class(),
                is_call: true,
            },
        }
    }

    /// An expression as annotations: the hints that its calls set.
    pub(super) fn built_annotations(&self, value: Node<'_>) -> Annotations {
        let mut entries = Vec::new();
        let mut node = value;
        loop {
            let callee = field(node, "function").filter(|_| node.kind() == "call_expression");
            match callee.map(|callee| (callee.kind(), callee)) {
                Some(("field_expression", callee)) => {
                    let called = field(callee, "field").map(|name| self.text(name));
                    let hint = Hint::ALL
                        .into_iter()
                        .find(|hint| Some(method(*hint)) == called);
                    let argument = field(node, "arguments").and_then(|list| list.named_child(0));
                    if let Some((hint, argument)) = hint.zip(argument) {
                        let boolean = match self.text(argument) {
                            "true" => Some(true),
                            "false" => Some(false),
                            _ => None,
                        };
                        entries.push(HintEntry {
                            hint,
                            span: argument.byte_range(),
                            value: boolean,
                            is_literal: boolean.is_some(),
                        });
                    }
                    match field(callee, "value") {
                        Some(inner) => node = inner,
                        None => break,
                    }
                }
                Some((_, callee)) if self.text(callee).contains("ToolAnnotations::") => {
                    let constructor = self.text(callee).rsplit("::").next().unwrap_or_default();
                    if !matches!(constructor, "new" | "default" | "with_title") {
                        break;
                    }
                    entries.reverse();
                    return Annotations::Literal(Literal {
                        span: value.byte_range(),
                        entries,
                        slot: Slot {
                            at: value.end_byte(),
                            before: String::new(),
                            after: String::new(),
                            indent: None,
                            notation: Notation::Builder {
                                class: String::new(),
                                is_call: true,
                            },
                        },
                    });
                }
                _ => break,
            }
        }
        Annotations::Expression {
            text: quotable(self.text(value)),
        }
    }
}
