//! Kotlin: the calls and definitions of the official SDK.

mod value;

use sayso_core::hint::Hint;
use tree_sitter::Node;

use crate::facts::{
    Annotations, Facts, Form, HintEntry, Literal, NameSource, Notation, Site, Slot,
};
use crate::style::slot_after;
use crate::syntax::{children, quotable, text, walk};

/// The hints in the order of the constructor of `ToolAnnotations`, behind the title.
const ORDER: [Hint; 4] = [
    Hint::ReadOnly,
    Hint::Destructive,
    Hint::Idempotent,
    Hint::OpenWorld,
];

/// The package of the SDK.
const PACKAGE: &str = "io.modelcontextprotocol.kotlin.sdk";

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder { source };
    let mut facts = Facts {
        knows_annotations_type: source.contains(".ToolAnnotations"),
        is_broken: root.has_error(),
        ..Facts::default()
    };
    // Others have tools too.
    let is_of_sdk = source.contains(PACKAGE);
    walk(root, |node| match node.kind() {
        "call_expression" if is_of_sdk => facts.sites.extend(finder.call(node)),
        "property_declaration" => facts.constants.extend(finder.constant(node)),
        _ => {}
    });
    facts
}

struct Finder<'s> {
    source: &'s str,
}

/// An argument: its name, if it is given by one, and its value.
#[derive(Clone, Copy)]
struct Given<'t> {
    key: Option<&'t str>,
    whole: Node<'t>,
    value: Node<'t>,
}

impl<'s> Finder<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// What a call calls, without what it is called on.
    fn callee(&self, call: Node<'_>) -> Option<&'s str> {
        let callee = call
            .named_child(0)
            .filter(|_| call.kind() == "call_expression")?;
        match callee.kind() {
            "identifier" => Some(self.text(callee)),
            "navigation_expression" => children(callee).last().map(|name| self.text(*name)),
            _ => None,
        }
    }

    fn arguments<'t>(&self, call: Node<'t>) -> Option<(Node<'t>, Vec<Given<'t>>)>
    where
        's: 't,
    {
        let list = children(call)
            .into_iter()
            .find(|child| child.kind() == "value_arguments")?;
        let arguments = children(list).into_iter().filter_map(|argument| {
            let parts = children(argument);
            let (first, value) = (*parts.first()?, *parts.last()?);
            let is_named = first
                .next_sibling()
                .is_some_and(|next| next.kind() == "=" && first != value);
            Some(Given {
                key: is_named.then(|| self.text(first)),
                whole: argument,
                value,
            })
        });
        Some((list, arguments.collect()))
    }

    /// A call that registers or defines a tool.
    fn call(&self, call: Node<'_>) -> Option<Site> {
        let (form, key, position) = match self.callee(call)? {
            "addTool" => (Form::Call, "toolAnnotations", Some(5)),
            "Tool" => (Form::Definition, "annotations", None),
            _ => return None,
        };
        let (list, given) = self.arguments(call)?;
        let named = |wanted: &str| given.iter().find(|argument| argument.key == Some(wanted));
        let first = given.first().filter(|argument| argument.key.is_none());
        let name = named("name").or(first)?.value;
        let source = self.name_source(name);
        // A tool that is handed over whole is found where it is defined.
        let is_name = named("name").is_some()
            || named("description").is_some()
            || matches!(source, NameSource::Text(_));
        if !is_name {
            return None;
        }
        let unnamed = given.iter().take_while(|argument| argument.key.is_none());
        let by_position = position.and_then(|position| unnamed.clone().nth(position));
        let annotations = match named(key).or(by_position) {
            Some(argument) => self.annotations(argument.value),
            // Which of those by position are the annotations differs from version to version.
            None if position.is_none() && unnamed.count() > 3 => Annotations::Unreachable,
            None => Annotations::Absent(self.slot(list, &given, key)),
        };
        Some(Site {
            form,
            name: source,
            span: call.byte_range(),
            anchor: name.byte_range(),
            annotations,
            keys: given
                .iter()
                .filter_map(|argument| argument.key.map(str::to_owned))
                .collect(),
            whole: false,
            whole_parameter: None,
            annotations_parameter: None,
            stands_alone: true,
            in_list_handler: false,
        })
    }

    fn slot(&self, list: Node<'_>, given: &[Given<'_>], key: &str) -> Slot {
        let last = given.last().map(|argument| argument.whole);
        let notation = Notation::Nested {
            open: format!("{key} = {}", self.constructor()),
        };
        slot_after(self.source, list, last, "", notation)
    }

    /// How the construction of annotations begins: with as much of the package as the file's
    /// imports demand, and with a title where the SDK's older package has no default for it.
    fn constructor(&self) -> String {
        let imports = |what: &str| self.source.contains(&format!("{PACKAGE}.{what}"));
        let is_older = !imports("types.") && self.imports_older_types();
        let (package, title) = if is_older {
            (PACKAGE.to_owned(), "title = null, ")
        } else {
            (format!("{PACKAGE}.types"), "")
        };
        let is_imported = [".ToolAnnotations", ".*"]
            .into_iter()
            .any(|what| self.source.contains(&format!("import {package}{what}")));
        let qualifier = if is_imported {
            String::new()
        } else {
            format!("{package}.")
        };
        format!("{qualifier}ToolAnnotations({title}")
    }

    /// Whether types are imported right from the package, as they were before they had their own.
    fn imports_older_types(&self) -> bool {
        let mut imported = self.source.split(PACKAGE).skip(1);
        imported.any(|rest| {
            let name = rest.strip_prefix('.').unwrap_or_default();
            name.starts_with(|first: char| first.is_ascii_uppercase() || first == '*')
        })
    }

    /// `ToolAnnotations(readOnlyHint = true)`.
    fn annotations(&self, value: Node<'_>) -> Annotations {
        let value = self.resolved(value);
        let is_ours = self.callee(value) == Some("ToolAnnotations");
        let Some((list, given)) = self.arguments(value).filter(|_| is_ours) else {
            return Annotations::Expression {
                text: quotable(self.text(value)),
            };
        };
        let entries = given.iter().enumerate().filter_map(|(position, argument)| {
            let hint = match argument.key {
                Some(key) => Hint::ALL.into_iter().find(|hint| hint.key() == key),
                None => ORDER.get(position.checked_sub(1)?).copied(),
            }?;
            let boolean = match self.text(argument.value) {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            };
            Some(HintEntry {
                hint,
                span: argument.value.byte_range(),
                value: boolean,
                is_literal: boolean.is_some() || self.text(argument.value) == "null",
            })
        });
        Annotations::Literal(Literal {
            span: value.byte_range(),
            entries: entries.collect(),
            slot: self.slot(list, &given, ""),
        })
    }
}
