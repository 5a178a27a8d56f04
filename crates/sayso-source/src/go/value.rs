//! Values: what an expression comes to without being run.

use tree_sitter::Node;

use super::Finder;
use super::binding::Binding;
use crate::facts::{Handed, NameSource};
use crate::syntax::{children, field, quotable};

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
            "interpreted_string_literal" | "raw_string_literal" => {
                self.string(node).map(NameSource::Text)
            }
            "identifier" => {
                let name = self.text(node);
                match self.binding(name, node) {
                    Some(Binding::Value(value)) => self.follow(value, left),
                    Some(found) => handed(name, &found, false),
                    None => Some(NameSource::Constant(name.to_owned())),
                }
            }
            "selector_expression" => {
                let operand = field(node, "operand").filter(|node| node.kind() == "identifier")?;
                let root = self.text(operand);
                match self.binding(root, operand) {
                    Some(found) => handed(root, &found, true),
                    None => {
                        let is_package = self.imports.iter().any(|import| import == root);
                        is_package.then(|| NameSource::Constant(self.text(node).to_owned()))
                    }
                }
            }
            "binary_expression" => {
                let operator = self.text(field(node, "operator")?);
                let first = self.follow(field(node, "left")?, left)?;
                let second = self.follow(field(node, "right")?, left)?;
                match (operator, first, second) {
                    ("+", NameSource::Text(first), NameSource::Text(second)) => {
                        Some(NameSource::Text(first + &second))
                    }
                    _ => None,
                }
            }
            "call_expression" => {
                let callee = self.text(field(node, "function")?);
                let argument = children(field(node, "arguments")?).first().copied()?;
                (callee == "string").then(|| self.follow(argument, left))?
            }
            _ => None,
        }
    }

    fn string(&self, node: Node<'_>) -> Option<String> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "interpreted_string_literal_content" | "raw_string_literal_content" => {
                    whole.push_str(self.text(part));
                }
                _ => return None,
            }
        }
        Some(whole)
    }
}

fn handed(root: &str, found: &Binding<'_>, member: bool) -> Option<NameSource> {
    let parameter = match found {
        Binding::Parameter(function, position) => Some((function.byte_range(), *position)),
        Binding::Loop => None,
        Binding::Value(_) | Binding::Opaque => return None,
    };
    Some(NameSource::Handed(Handed {
        root: root.to_owned(),
        member: member || parameter.is_none(),
        parameter,
    }))
}
