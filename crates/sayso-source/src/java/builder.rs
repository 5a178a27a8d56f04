//! `Tool.builder().name("…").annotations(new ToolAnnotations(…)).build()`, `new Tool(…)`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::Finder;
use crate::facts::{Annotations, Form, HintEntry, Literal, Notation, Site, Slot};
use crate::style::{begins_line, indentation, newline};
use crate::syntax::{children, field, quotable};

/// The hints in the order of the constructor of `ToolAnnotations`, in which the title is first and
/// `returnDirect` last.
const ORDER: [Hint; 4] = [
    Hint::ReadOnly,
    Hint::Destructive,
    Hint::Idempotent,
    Hint::OpenWorld,
];

/// The call of a method on what a node comes to.
fn next_call(node: Node<'_>) -> Option<Node<'_>> {
    let call = node
        .parent()
        .filter(|parent| parent.kind() == "method_invocation")?;
    (field(call, "object") == Some(node)).then_some(call)
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    field(call, "arguments").map(children).unwrap_or_default()
}

impl Finder<'_> {
    fn called(&self, call: Node<'_>) -> &str {
        field(call, "name").map_or("", |name| self.text(name))
    }

    /// What the class of annotations is called beside a tool's class: qualified as that is, or as
    /// far as the file's imports demand.
    fn annotations_class(&self, tool: Node<'_>) -> String {
        const SCHEMA: &str = "io.modelcontextprotocol.spec.McpSchema";
        let imports = |what: &str| self.source.contains(&format!("{SCHEMA}{what};"));
        let qualifier = match self.text(tool).strip_suffix("Tool").unwrap_or_default() {
            "" if imports(".ToolAnnotations") || imports(".*") => String::new(),
            "" if imports("") => "McpSchema.".to_owned(),
            "" => format!("{SCHEMA}."),
            written => written.to_owned(),
        };
        format!("{qualifier}ToolAnnotations")
    }

    /// A tool's builder.
    pub(super) fn built(&self, start: Node<'_>) -> Option<Site> {
        let class = field(start, "object")?;
        if self.called(start) != "builder" || self.last_name(class) != "Tool" {
            return None;
        }
        let mut name = arguments(start).first().copied();
        let mut annotations = None;
        let mut keys = Vec::new();
        let (mut node, mut build) = (start, None);
        while let Some(call) = next_call(node) {
            let first = arguments(call).first().copied();
            match self.called(call) {
                "name" => name = first.or(name),
                "annotations" => annotations = first,
                "build" => build = Some(call),
                _ => {}
            }
            keys.push(self.called(call).to_owned());
            node = call;
            if build.is_some() {
                break;
            }
        }
        let name = name?;
        Some(Site {
            annotations: match annotations {
                Some(value) => self.annotations(value),
                None => Annotations::Absent(self.slot(node, build, self.annotations_class(class))),
            },
            keys,
            ..self.site(Form::Call, node, name, self.name_source(name))
        })
    }

    /// Before the call that builds, on a line of its own where that has one; or behind the last.
    fn slot(&self, last: Node<'_>, build: Option<Node<'_>>, class: String) -> Slot {
        let notation = Notation::Constructor {
            class,
            // The builder came later than the constructor.
            is_builder: self.source.contains("ToolAnnotations.builder("),
        };
        let dot = build
            .and_then(|build| field(build, "name"))
            .and_then(|name| name.prev_sibling());
        let at = dot.map_or(last.end_byte(), |dot| dot.start_byte());
        let own_line = dot.is_some() && begins_line(self.source, at);
        let indent = own_line.then(|| indentation(self.source, at).to_owned());
        let after = indent
            .as_ref()
            .map(|indent| format!("{}{indent}", newline(self.source)));
        Slot {
            at,
            before: String::new(),
            after: after.unwrap_or_default(),
            indent,
            notation,
        }
    }

    /// A tool's constructor: `new Tool(name, title, description, inputSchema, outputSchema,
    /// annotations, meta)`, or one of the shorter ones without annotations.
    pub(super) fn constructed(&self, creation: Node<'_>) -> Option<Site> {
        if self.last_name(field(creation, "type")?) != "Tool" {
            return None;
        }
        let given = arguments(creation);
        let name = *given.first().filter(|_| given.len() >= 3)?;
        let written = given
            .iter()
            .map(|argument| self.annotations(*argument))
            .find(|annotations| matches!(annotations, Annotations::Literal(_)));
        let sixth = given.get(5).filter(|_| given.len() == 7);
        let annotations = match (written, sixth) {
            (Some(annotations), _) => annotations,
            (None, Some(value)) if value.kind() != "null_literal" => self.annotations(*value),
            _ => Annotations::Unreachable,
        };
        Some(Site {
            annotations,
            ..self.site(Form::Definition, creation, name, self.name_source(name))
        })
    }

    /// An expression as annotations.
    fn annotations(&self, value: Node<'_>) -> Annotations {
        let value = self.resolved(value);
        let literal = match value.kind() {
            "object_creation_expression" => self.positional(value),
            "method_invocation" => self.chained(value),
            _ => None,
        };
        literal.map_or_else(
            || Annotations::Expression {
                text: quotable(self.text(value)),
            },
            Annotations::Literal,
        )
    }

    fn entry(&self, hint: Hint, value: Node<'_>) -> HintEntry {
        let boolean = self.boolean(value);
        HintEntry {
            hint,
            span: value.byte_range(),
            value: boolean,
            is_literal: boolean.is_some() || value.kind() == "null_literal",
        }
    }

    /// `new ToolAnnotations(title, readOnly, destructive, idempotent, openWorld, returnDirect)`.
    fn positional(&self, creation: Node<'_>) -> Option<Literal> {
        let given = arguments(creation);
        let is_ours = self.last_name(field(creation, "type")?) == "ToolAnnotations";
        // Nothing else is known to have this order.
        let values = given.get(1..5).filter(|_| is_ours && given.len() == 6)?;
        let entries = ORDER.into_iter().zip(values);
        Some(Literal {
            span: creation.byte_range(),
            entries: entries
                .map(|(hint, value)| self.entry(hint, *value))
                .collect(),
            slot: self.slot(creation, None, String::new()),
        })
    }

    /// `ToolAnnotations.builder().readOnlyHint(true).build()`.
    fn chained(&self, build: Node<'_>) -> Option<Literal> {
        let mut node = field(build, "object").filter(|_| self.called(build) == "build")?;
        let mut entries = Vec::new();
        while node.kind() == "method_invocation" {
            let called = self.called(node);
            let object = field(node, "object")?;
            if called == "builder" && self.last_name(object) == "ToolAnnotations" {
                entries.reverse();
                return Some(Literal {
                    span: build.byte_range(),
                    entries,
                    slot: self.slot(build, Some(build), String::new()),
                });
            }
            let hint = ORDER.into_iter().find(|hint| hint.key() == called);
            if let Some((hint, value)) = hint.zip(arguments(node).first()) {
                entries.push(self.entry(hint, *value));
            }
            node = object;
        }
        None
    }
}
