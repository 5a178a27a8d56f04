//! What a name means where it stands.

use tree_sitter::Node;

use crate::syntax::{ancestors, children, field, text, walk};

/// What binds a name.
pub(super) enum Binding<'t> {
    /// A parameter of a function or closure, by its position.
    Parameter(Node<'t>, usize),
    /// The variable of a loop.
    Loop,
    /// A constant, or a variable with this value.
    Value(Node<'t>),
}

/// The patterns of a function's parameters, without `self`.
pub(super) fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = field(function, "parameters")
        .map(children)
        .unwrap_or_default();
    let parameters = list
        .into_iter()
        .filter(|parameter| parameter.kind() != "self_parameter");
    parameters
        .map(|parameter| field(parameter, "pattern").unwrap_or(parameter))
        .collect()
}

/// The names that a pattern binds.
pub(super) fn bound_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    walk(pattern, |node| {
        if node.kind() == "identifier" {
            names.push(node);
        }
    });
    names
}

/// What binds a name at a node, the innermost first; `None` for what comes from elsewhere.
pub(super) fn binding<'t>(name: &str, at: Node<'t>, source: &str) -> Option<Binding<'t>> {
    let binds = |pattern: Node<'_>| {
        bound_names(pattern)
            .iter()
            .any(|bound| text(*bound, source) == name)
    };
    for around in ancestors(at) {
        match around.kind() {
            "function_item" | "closure_expression" => {
                if let Some(position) = parameters(around).into_iter().position(binds) {
                    return Some(Binding::Parameter(around, position));
                }
            }
            "for_expression" if field(around, "pattern").is_some_and(binds) => {
                return Some(Binding::Loop);
            }
            "block" | "source_file" | "declaration_list" => {
                let bound = children(around).into_iter().find_map(|statement| {
                    let bound = match statement.kind() {
                        "let_declaration" => field(statement, "pattern"),
                        "const_item" | "static_item" => field(statement, "name"),
                        _ => None,
                    }?;
                    (text(bound, source) == name)
                        .then(|| field(statement, "value"))
                        .flatten()
                });
                if let Some(value) = bound {
                    return Some(Binding::Value(value));
                }
            }
            _ => {}
        }
    }
    None
}
