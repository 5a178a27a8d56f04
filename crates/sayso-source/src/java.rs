//! Java: the builders of the official SDK, and the annotations of Spring AI and Quarkus.

mod annotation;
mod builder;
mod value;

use tree_sitter::Node;

use crate::facts::{Annotations, Facts, Form, NameSource, Site};
use crate::syntax::{ancestors, field, text, walk};

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder { source };
    let mut facts = Facts {
        knows_annotations_type: source.contains("ToolAnnotations;"),
        is_broken: root.has_error(),
        ..Facts::default()
    };
    // Others have tools too.
    let is_of_sdk = source.contains("io.modelcontextprotocol");
    walk(root, |node| match node.kind() {
        "annotation" | "marker_annotation" => facts.sites.extend(finder.annotation(node)),
        "method_invocation" if is_of_sdk => facts.sites.extend(finder.built(node)),
        "object_creation_expression" if is_of_sdk => facts.sites.extend(finder.constructed(node)),
        "field_declaration" | "constant_declaration" => {
            facts.constants.extend(finder.constants(node));
        }
        _ => {}
    });
    facts
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
        name.rsplit('.').next().unwrap_or(name).trim()
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
            in_list_handler: ancestors(whole).any(|around| {
                around.kind() == "method_declaration"
                    && field(around, "name")
                        .is_some_and(|name| self.text(name).contains("listTools"))
            }),
        }
    }

    /// `true` or `false`.
    fn boolean(&self, node: Node<'_>) -> Option<bool> {
        match self.text(node) {
            "true" | "Boolean.TRUE" => Some(true),
            "false" | "Boolean.FALSE" => Some(false),
            _ => None,
        }
    }
}
