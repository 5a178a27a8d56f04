//! What a name means where it stands.

use tree_sitter::Node;

use crate::syntax::{ancestors, children, field, text, walk};

/// What binds a name.
pub(super) enum Binding<'t> {
    /// A parameter of a function, by its position.
    Parameter(Node<'t>, usize),
    /// The variable of a loop.
    Loop,
    /// A declaration with this value.
    Declared(Node<'t>),
    /// A declaration that takes the value apart.
    TakenApart(Node<'t>),
}

/// Whether a node is a function.
pub(super) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "function_expression"
            | "generator_function_declaration"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
    )
}

/// The patterns of a function's parameters.
pub(super) fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    if let Some(single) = field(function, "parameter") {
        return vec![single];
    }
    let list = field(function, "parameters");
    let parameters = list.map(children).unwrap_or_default();
    let patterns = parameters.into_iter().map(|parameter| {
        let pattern = field(parameter, "pattern").unwrap_or(parameter);
        match pattern.kind() {
            "assignment_pattern" => field(pattern, "left").unwrap_or(pattern),
            _ => pattern,
        }
    });
    patterns.collect()
}

/// The names that a pattern binds.
pub(super) fn bound_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    walk(pattern, |node| {
        let is_name = matches!(
            node.kind(),
            "identifier" | "shorthand_property_identifier_pattern"
        );
        if is_name && node.start_byte() < pattern.end_byte() {
            names.push(node);
        }
    });
    names
}

/// What binds a name at a node, the innermost first; `None` for what comes from elsewhere.
pub(super) fn binding<'t>(name: &str, at: Node<'t>, source: &str) -> Option<Binding<'t>> {
    let binds = |pattern: Node<'_>| {
        let names = bound_names(pattern);
        names.iter().any(|bound| text(*bound, source) == name)
    };
    for around in ancestors(at) {
        match around.kind() {
            kind if is_function(kind) => {
                let position = parameters(around).into_iter().position(binds);
                if let Some(position) = position {
                    return Some(Binding::Parameter(around, position));
                }
            }
            "for_in_statement" if field(around, "left").is_some_and(binds) => {
                return Some(Binding::Loop);
            }
            "statement_block" | "program" => {
                let declared = children(around)
                    .into_iter()
                    .find_map(|statement| declaration(statement, name, source));
                if declared.is_some() {
                    return declared;
                }
            }
            _ => {}
        }
    }
    None
}

fn declaration<'t>(statement: Node<'t>, name: &str, source: &str) -> Option<Binding<'t>> {
    let statement = match statement.kind() {
        "export_statement" => field(statement, "declaration")?,
        _ => statement,
    };
    if !matches!(
        statement.kind(),
        "lexical_declaration" | "variable_declaration"
    ) {
        return None;
    }
    children(statement).into_iter().find_map(|declarator| {
        let pattern = field(declarator, "name")?;
        let value = field(declarator, "value")?;
        if pattern.kind() == "identifier" {
            return (text(pattern, source) == name).then_some(Binding::Declared(value));
        }
        let names = bound_names(pattern);
        let binds = names.iter().any(|bound| text(*bound, source) == name);
        binds.then_some(Binding::TakenApart(value))
    })
}
