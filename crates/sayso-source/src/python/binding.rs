//! What a name means where it stands.

use tree_sitter::Node;

use super::assignment;
use crate::syntax::{ancestors, children, field, text, walk};

/// What binds a name.
pub(super) enum Binding<'t> {
    /// A parameter of a function, by its position.
    Parameter(Node<'t>, usize),
    /// The variable of a loop or a comprehension.
    Loop,
    /// An assignment of this value.
    Assigned(Node<'t>),
    /// A class of this file.
    Class(Node<'t>),
    /// A function of this file.
    Function,
}

/// A function's parameters, without what only separates them.
pub(super) fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = field(function, "parameters")
        .map(children)
        .unwrap_or_default();
    let parameters = list.into_iter().filter(|parameter| {
        !matches!(
            parameter.kind(),
            "keyword_separator" | "positional_separator"
        )
    });
    parameters.collect()
}

/// The names that a parameter binds.
pub(super) fn parameter_names(parameter: Node<'_>) -> Vec<Node<'_>> {
    let named = field(parameter, "name").or_else(|| match parameter.kind() {
        "identifier" => Some(parameter),
        _ => parameter.named_child(0),
    });
    let mut names = Vec::new();
    if let Some(named) = named {
        walk(named, |node| {
            if node.kind() == "identifier" && node.end_byte() <= named.end_byte() {
                names.push(node);
            }
        });
    }
    names
}

/// The statements of a module, also those behind `if` and `try`.
pub(super) fn module_statements(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    for statement in children(root) {
        found.push(statement);
        if matches!(statement.kind(), "if_statement" | "try_statement") {
            for part in children(statement)
                .into_iter()
                .filter(|part| part.kind() == "block")
            {
                found.extend(children(part));
            }
        }
    }
    found
}

/// What binds a name at a node, the innermost first; `None` for what comes from elsewhere.
pub(super) fn binding<'t>(name: &str, at: Node<'t>, source: &str) -> Option<Binding<'t>> {
    let has = |pattern: Node<'_>| {
        let mut found = false;
        walk(pattern, |node| {
            found |= node.kind() == "identifier"
                && node.end_byte() <= pattern.end_byte()
                && text(node, source) == name;
        });
        found
    };
    for around in ancestors(at) {
        match around.kind() {
            "function_definition" | "lambda" => {
                let position = parameters(around).into_iter().position(|parameter| {
                    let names = parameter_names(parameter);
                    names.iter().any(|bound| text(*bound, source) == name)
                });
                if let Some(position) = position {
                    return Some(Binding::Parameter(around, position));
                }
            }
            "for_statement" if field(around, "left").is_some_and(has) => {
                return Some(Binding::Loop);
            }
            "list_comprehension"
            | "generator_expression"
            | "set_comprehension"
            | "dictionary_comprehension" => {
                let mut clauses = children(around).into_iter();
                let binds = clauses.any(|clause| {
                    clause.kind() == "for_in_clause" && field(clause, "left").is_some_and(has)
                });
                if binds {
                    return Some(Binding::Loop);
                }
            }
            // A class's names are not seen from its methods, but from its own statements.
            "block" | "module" => {
                let bound = module_statements(around)
                    .into_iter()
                    .find_map(|statement| bound_by(statement, name, source));
                if bound.is_some() {
                    return bound;
                }
            }
            _ => {}
        }
    }
    None
}

fn bound_by<'t>(statement: Node<'t>, name: &str, source: &str) -> Option<Binding<'t>> {
    let definition = match statement.kind() {
        "decorated_definition" => field(statement, "definition")?,
        _ => statement,
    };
    let is_named = || field(definition, "name").is_some_and(|own| text(own, source) == name);
    match definition.kind() {
        "class_definition" => is_named().then_some(Binding::Class(definition)),
        "function_definition" => is_named().then_some(Binding::Function),
        _ => {
            let assignment = assignment(statement)?;
            let left = field(assignment, "left")?;
            if left.kind() != "identifier" || text(left, source) != name {
                return None;
            }
            Some(Binding::Assigned(field(assignment, "right")?))
        }
    }
}
