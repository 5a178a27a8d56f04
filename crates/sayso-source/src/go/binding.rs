//! What a name means where it stands.

use tree_sitter::Node;

use super::Finder;
use crate::syntax::{ancestors, children, field};

/// What binds a name.
pub(super) enum Binding<'t> {
    /// A parameter of a function, by its position.
    Parameter(Node<'t>, usize),
    /// The variable of a loop over a range.
    Loop,
    /// A constant, or a variable that keeps this value.
    Value(Node<'t>),
    /// Something that is only known when it runs.
    Opaque,
}

/// The names of a function's parameters, without its receiver.
pub(super) fn parameters(function: Node<'_>) -> Vec<Option<Node<'_>>> {
    field(function, "parameters").map(names).unwrap_or_default()
}

/// The names of a list of parameters; `None` for one that has none.
fn names(list: Node<'_>) -> Vec<Option<Node<'_>>> {
    let mut names = Vec::new();
    for declaration in children(list) {
        let before = names.len();
        names.extend(named(declaration).into_iter().map(Some));
        if names.len() == before {
            names.push(None);
        }
    }
    names
}

/// The names a declaration gives.
fn named(declaration: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = declaration.walk();
    let names = declaration.children_by_field_name("name", &mut cursor);
    names.filter(|name| name.kind() == "identifier").collect()
}

/// The names that a statement declares, each with its value.
pub(super) fn declarations(statement: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let (names, values) = match statement.kind() {
        "short_var_declaration" => (
            field(statement, "left").map(children).unwrap_or_default(),
            field(statement, "right"),
        ),
        "var_spec" | "const_spec" => (named(statement), field(statement, "value")),
        "var_declaration" | "const_declaration" => {
            let inner = children(statement).into_iter();
            let specs = inner.flat_map(|inner| match inner.kind() {
                "var_spec_list" => children(inner),
                _ => vec![inner],
            });
            return specs
                .filter(|spec| matches!(spec.kind(), "var_spec" | "const_spec"))
                .flat_map(declarations)
                .collect();
        }
        _ => return Vec::new(),
    };
    let values = values.map(children).unwrap_or_default();
    let each = names.len() == values.len();
    let names = names.into_iter().enumerate();
    names
        .map(|(position, name)| (name, values.get(position).copied().filter(|_| each)))
        .collect()
}

impl Finder<'_> {
    /// What binds a name at a node, the innermost first; `None` for what comes from elsewhere.
    pub(super) fn binding<'t>(&self, name: &str, at: Node<'t>) -> Option<Binding<'t>> {
        let is_it = |node: Node<'_>| self.text(node) == name;
        for around in ancestors(at) {
            match around.kind() {
                "function_declaration" | "method_declaration" | "func_literal" => {
                    let parameters = parameters(around).into_iter();
                    let position = parameters
                        .enumerate()
                        .find(|(_, parameter)| parameter.is_some_and(is_it));
                    if let Some((position, _)) = position {
                        return Some(Binding::Parameter(around, position));
                    }
                    let receiver = field(around, "receiver").map(names).unwrap_or_default();
                    if receiver.into_iter().flatten().any(is_it) {
                        return Some(Binding::Opaque);
                    }
                }
                "for_statement" => {
                    let clauses = children(around).into_iter();
                    let ranges = clauses.filter(|clause| clause.kind() == "range_clause");
                    let mut left = ranges
                        .filter_map(|clause| field(clause, "left"))
                        .flat_map(children);
                    if left.any(is_it) {
                        return Some(Binding::Loop);
                    }
                }
                "statement_list" | "source_file" => {
                    let is_file = around.kind() == "source_file";
                    let statements = children(around).into_iter();
                    let seen = statements
                        .filter(|statement| is_file || statement.end_byte() <= at.start_byte());
                    let mut bound = seen
                        .flat_map(declarations)
                        .filter(|(bound, _)| is_it(*bound));
                    // What is declared last is what is meant.
                    if let Some((_, value)) = bound.next_back() {
                        let value = value.filter(|_| !self.is_reassigned(name));
                        return Some(value.map_or(Binding::Opaque, Binding::Value));
                    }
                }
                _ => {}
            }
        }
        None
    }
}
