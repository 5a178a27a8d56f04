//! Values: what an expression comes to without being run.

use tree_sitter::Node;

use super::Finder;
use crate::facts::NameSource;
use crate::syntax::{ancestors, children, field, quotable, walk};

/// How many names are followed from one to the next.
const LONGEST_CHAIN: usize = 8;

impl Finder<'_> {
    /// What a name comes to.
    pub(super) fn name_source(&self, node: Node<'_>) -> NameSource {
        self.follow(node, LONGEST_CHAIN)
            .unwrap_or_else(|| NameSource::Unknown(quotable(self.text(node))))
    }

    fn follow(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let left = left.checked_sub(1)?;
        match node.kind() {
            "string_literal" => self.string(node).map(NameSource::Text),
            "identifier" => match self.binding(self.text(node), node) {
                Some(value) => self.follow(value?, left),
                None => {
                    // The class may be the one in which it stands, seen from a nested one.
                    let class = self.class_around(node)?;
                    Some(NameSource::Constant(format!("{class}.{}", self.text(node))))
                }
            },
            "field_access" => {
                let owner = self.last_name(field(node, "object")?);
                let is_class = owner.starts_with(|first: char| first.is_ascii_uppercase());
                let path = format!("{owner}.{}", self.text(field(node, "field")?));
                is_class.then_some(NameSource::Constant(path))
            }
            _ => None,
        }
    }

    fn string(&self, node: Node<'_>) -> Option<String> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "string_fragment" => whole.push_str(self.text(part)),
                _ => return None,
            }
        }
        Some(whole)
    }

    fn class_around(&self, node: Node<'_>) -> Option<&str> {
        let class = ancestors(node).find(|around| {
            matches!(
                around.kind(),
                "class_declaration"
                    | "interface_declaration"
                    | "enum_declaration"
                    | "record_declaration"
            )
        })?;
        field(class, "name").map(|name| self.text(name))
    }

    /// The value that a name has at a node, the innermost first: `Some(None)` where it only has one
    /// when it runs, `None` for what comes from elsewhere.
    fn binding<'t>(&self, name: &str, at: Node<'t>) -> Option<Option<Node<'t>>> {
        let is_name = |node: Node<'_>| self.text(node) == name;
        for around in ancestors(at) {
            let is_parameter = field(around, "parameters").is_some_and(|list| {
                let mut found = is_name(list);
                walk(list, |node| {
                    found |= node.kind() == "identifier" && is_name(node);
                });
                found
            });
            let is_loop = around.kind() == "enhanced_for_statement"
                && field(around, "name").is_some_and(is_name);
            if is_parameter || is_loop {
                return Some(None);
            }
            if !matches!(
                around.kind(),
                "block"
                    | "class_body"
                    | "interface_body"
                    | "enum_body_declarations"
                    | "constructor_body"
            ) {
                continue;
            }
            for statement in children(around) {
                let declared = self.declared(statement).into_iter();
                if let Some((_, value)) = declared.into_iter().find(|(name, _)| is_name(*name)) {
                    return Some(value.filter(|_| self.is_fixed(statement)));
                }
            }
        }
        None
    }

    /// The variables that a statement or a field declares, with their values.
    fn declared<'t>(&self, statement: Node<'t>) -> Vec<(Node<'t>, Option<Node<'t>>)> {
        if !matches!(
            statement.kind(),
            "local_variable_declaration" | "field_declaration" | "constant_declaration"
        ) {
            return Vec::new();
        }
        let declarators = children(statement)
            .into_iter()
            .filter(|child| child.kind() == "variable_declarator");
        let declared = declarators.filter_map(|declarator| {
            Some((field(declarator, "name")?, field(declarator, "value")))
        });
        declared.collect()
    }

    /// Whether a variable keeps the value it is declared with; a local one is taken to.
    fn is_fixed(&self, declaration: Node<'_>) -> bool {
        if declaration.kind() != "field_declaration" {
            return true;
        }
        children(declaration).into_iter().any(|modifiers| {
            let words = self.text(modifiers);
            modifiers.kind() == "modifiers" && words.split_whitespace().any(|word| word == "final")
        })
    }

    /// The value of a variable, if it is one.
    pub(super) fn resolved<'t>(&self, node: Node<'t>) -> Node<'t> {
        let bound = (node.kind() == "identifier").then(|| self.binding(self.text(node), node));
        bound.flatten().flatten().unwrap_or(node)
    }

    /// The texts that a field declares, by class and name.
    pub(super) fn constants(&self, declaration: Node<'_>) -> Vec<(String, String)> {
        let class = self.class_around(declaration);
        let Some(class) = class.filter(|_| self.is_fixed(declaration)) else {
            return Vec::new();
        };
        let declared = self.declared(declaration).into_iter();
        let constants = declared.filter_map(|(name, value)| match self.name_source(value?) {
            NameSource::Text(value) => Some((format!("{class}.{}", self.text(name)), value)),
            _ => None,
        });
        constants.collect()
    }
}
