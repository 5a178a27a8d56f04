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
                // One that stands by itself in another file.
                None => Some(NameSource::Constant(self.text(node).to_owned())),
            },
            "navigation_expression" => {
                let path = self.text(node);
                let mut parts = path.rsplit('.');
                let (name, owner) = (parts.next()?, parts.next()?);
                let is_class = owner.starts_with(|first: char| first.is_ascii_uppercase());
                is_class.then(|| NameSource::Constant(format!("{owner}.{name}")))
            }
            _ => None,
        }
    }

    fn string(&self, node: Node<'_>) -> Option<String> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "string_content" => whole.push_str(self.text(part)),
                _ => return None,
            }
        }
        Some(whole)
    }

    /// The value that a name has at a node, the innermost first: `Some(None)` where it only has one
    /// when it runs, `None` for what comes from elsewhere.
    fn binding<'t>(&self, name: &str, at: Node<'t>) -> Option<Option<Node<'t>>> {
        for around in ancestors(at) {
            let mut statements = children(around);
            let companions: Vec<Node<'_>> = statements
                .iter()
                .filter(|child| child.kind() == "companion_object")
                .flat_map(|companion| children(*companion))
                .filter(|child| child.kind() == "class_body")
                .flat_map(children)
                .collect();
            statements.extend(companions);
            for statement in statements {
                match statement.kind() {
                    "property_declaration" => {
                        let declared = self.declared(statement);
                        let is_around = statement.byte_range().contains(&at.start_byte());
                        if let Some((declared, value)) = declared.filter(|_| !is_around)
                            && self.text(declared) == name
                        {
                            return Some(value);
                        }
                    }
                    "function_value_parameters" | "lambda_parameters" | "primary_constructor"
                        if self.binds(statement, name) =>
                    {
                        return Some(None);
                    }
                    "variable_declaration" | "multi_variable_declaration"
                        if around.kind() == "for_statement" && self.binds(statement, name) =>
                    {
                        return Some(None);
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn binds(&self, parameters: Node<'_>, name: &str) -> bool {
        let mut found = false;
        walk(parameters, |node| {
            found |= node.kind() == "identifier" && self.text(node) == name;
        });
        found
    }

    /// The name that a property declares, and the value it keeps.
    fn declared<'t>(&self, property: Node<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
        let declaration = children(property)
            .into_iter()
            .find(|child| child.kind() == "variable_declaration")?;
        let name = children(declaration)
            .into_iter()
            .find(|child| child.kind() == "identifier")?;
        let mut cursor = property.walk();
        let all: Vec<Node<'_>> = property.children(&mut cursor).collect();
        let keeps = all.iter().any(|child| child.kind() == "val");
        let value = all
            .iter()
            .find(|child| child.kind() == "=")
            .and_then(|equals| equals.next_named_sibling())
            .filter(|_| keeps);
        Some((name, value))
    }

    /// The value of a variable, if it is one.
    pub(super) fn resolved<'t>(&self, node: Node<'t>) -> Node<'t> {
        let bound = (node.kind() == "identifier").then(|| self.binding(self.text(node), node));
        bound.flatten().flatten().unwrap_or(node)
    }

    /// The text that a property of a file, an object or a companion declares.
    pub(super) fn constant(&self, property: Node<'_>) -> Option<(String, String)> {
        let (name, value) = self.declared(property)?;
        let name = self.text(name);
        let path = match property.parent()?.kind() {
            "source_file" => name.to_owned(),
            "class_body" => {
                let owner = ancestors(property).find(|around| {
                    matches!(around.kind(), "object_declaration" | "class_declaration")
                })?;
                format!("{}.{name}", self.text(field(owner, "name")?))
            }
            _ => return None,
        };
        match self.name_source(value?) {
            NameSource::Text(value) => Some((path, value)),
            _ => None,
        }
    }
}
