//! Rust: the attributes and builders of the official SDK.

mod attribute;
mod binding;
mod builder;
mod value;
mod vectors;

use tree_sitter::Node;

use crate::facts::{
    Annotations, Argument, Call, Facts, Form, Function, NameSource, Notation, Parameter, Shape,
    Site,
};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, text, walk};
use binding::{bound_names, parameters};
pub(crate) use builder::method;
pub(crate) use vectors::opened;

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    // By its own name only where it is imported under it.
    let mut knows_annotations_type = false;
    walk(root, |node| {
        let is_import = node.kind() == "use_declaration";
        knows_annotations_type |= is_import && text(node, source).contains("ToolAnnotations");
    });
    let finder = Finder {
        source,
        knows_annotations_type,
    };
    let mut facts = Facts {
        knows_annotations_type,
        is_broken: root.has_error(),
        ..Facts::default()
    };
    walk(root, |node| match node.kind() {
        "attribute_item" if !finder.is_in_tests(node) => {
            facts.sites.extend(finder.attribute(node));
        }
        "call_expression" => finder.call(node, &mut facts),
        "function_item" => facts.functions.extend(finder.function(node)),
        "struct_item" => facts.shapes.extend(finder.shape(node)),
        "const_item" | "static_item" => facts.constants.extend(finder.constant(node)),
        _ => {}
    });
    facts
}

struct Finder<'s> {
    source: &'s str,
    knows_annotations_type: bool,
}

impl<'s> Finder<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// What the class of annotations is called here: by its name, or by its whole path.
    fn class(&self) -> String {
        let class = if self.knows_annotations_type {
            "ToolAnnotations"
        } else {
            "rmcp::model::ToolAnnotations"
        };
        class.to_owned()
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
            in_list_handler: self.in_list_handler(whole),
        }
    }

    /// A call: of a tool's constructor, or one that may lead to it.
    fn call(&self, node: Node<'_>, facts: &mut Facts) {
        let (Some(callee), Some(list)) = (field(node, "function"), field(node, "arguments")) else {
            return;
        };
        if let Some(site) = self.built(node) {
            facts
                .sites
                .extend((!self.is_in_tests(node)).then_some(site));
            return;
        }
        let name = match callee.kind() {
            "identifier" => Some(callee),
            "scoped_identifier" => field(callee, "name"),
            "field_expression" => field(callee, "field"),
            _ => None,
        };
        let Some(name) = name else { return };
        let nodes = children(list);
        let arguments: Vec<Argument> = nodes
            .iter()
            .map(|argument| Argument {
                keyword: None,
                span: argument.byte_range(),
                name: self.name_source(*argument),
                configuration: None,
                as_annotations: self.built_annotations(*argument),
            })
            .collect();
        let leads = arguments
            .iter()
            .any(|argument| matches!(argument.name, NameSource::Text(_) | NameSource::Constant(_)));
        if leads {
            let notation = Notation::Builder {
                class: self.class(),
                is_call: false,
            };
            facts.calls.push(Call {
                callee: self.text(name).to_owned(),
                span: node.byte_range(),
                arguments,
                slot: slot_after(self.source, list, nodes.last().copied(), "", notation),
            });
        }
    }

    fn function(&self, node: Node<'_>) -> Option<Function> {
        let mut types = Vec::new();
        for typed in [field(node, "parameters"), field(node, "return_type")]
            .into_iter()
            .flatten()
        {
            walk(typed, |node| {
                if node.kind() == "type_identifier" {
                    types.push(self.text(node).to_owned());
                }
            });
        }
        let parameters = parameters(node).into_iter().map(|pattern| Parameter {
            names: bound_names(pattern)
                .iter()
                .map(|name| self.text(*name).to_owned())
                .collect(),
            is_pattern: false,
            members: None,
        });
        Some(Function {
            name: self.text(field(node, "name")?).to_owned(),
            span: node.byte_range(),
            parameters: parameters.collect(),
            types,
        })
    }

    fn shape(&self, node: Node<'_>) -> Option<Shape> {
        let fields = children(field(node, "body")?);
        let members = fields.iter().filter_map(|member| field(*member, "name"));
        Some(Shape {
            name: self.text(field(node, "name")?).to_owned(),
            span: node.byte_range(),
            members: members.map(|name| self.text(name).to_owned()).collect(),
        })
    }

    fn constant(&self, node: Node<'_>) -> Option<(String, String)> {
        match self.name_source(field(node, "value")?) {
            NameSource::Text(value) => Some((self.text(field(node, "name")?).to_owned(), value)),
            _ => None,
        }
    }

    /// Whether a node is in a module of tests, whose servers are made up.
    fn is_in_tests(&self, node: Node<'_>) -> bool {
        ancestors(node).any(|around| {
            around.kind() == "mod_item"
                && field(around, "name")
                    .is_some_and(|name| matches!(self.text(name), "test" | "tests"))
        })
    }

    /// Whether a node is in the function that lists tools.
    fn in_list_handler(&self, node: Node<'_>) -> bool {
        ancestors(node).any(|around| {
            around.kind() == "function_item"
                && field(around, "name").is_some_and(|name| self.text(name).contains("list_tools"))
        })
    }
}
