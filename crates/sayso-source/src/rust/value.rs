//! Values: what an expression comes to without being run.

use tree_sitter::Node;

use super::Finder;
use super::binding::{Binding, binding};
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
            "string_literal" | "raw_string_literal" => self.string(node).map(NameSource::Text),
            "reference_expression" => self.follow(field(node, "value")?, left),
            "identifier" => {
                let name = self.text(node);
                match binding(name, node, self.source) {
                    Some(Binding::Value(value)) => self.follow(value, left),
                    Some(found) => Some(handed(name, &found, false)),
                    None => Some(NameSource::Constant(name.to_owned())),
                }
            }
            "scoped_identifier" => Some(NameSource::Constant(
                self.text(node)
                    .rsplit("::")
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            )),
            "field_expression" => {
                let value = field(node, "value").filter(|value| value.kind() == "identifier")?;
                let root = self.text(value);
                match binding(root, value, self.source)? {
                    Binding::Value(_) => None,
                    found => Some(handed(root, &found, true)),
                }
            }
            "call_expression" => self.converted(node, left),
            _ => None,
        }
    }

    /// `NAME.into()` and `String::from(NAME)`.
    fn converted(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let callee = field(node, "function")?;
        match callee.kind() {
            "field_expression" => {
                let method = self.text(field(callee, "field")?);
                let converts = matches!(method, "into" | "to_string" | "to_owned" | "clone");
                converts
                    .then(|| self.follow(field(callee, "value")?, left))
                    .flatten()
            }
            _ => {
                let converts = matches!(
                    self.text(callee),
                    "String::from" | "Cow::from" | "Cow::Borrowed"
                );
                let argument = field(node, "arguments")?.named_child(0)?;
                converts.then(|| self.follow(argument, left)).flatten()
            }
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
}

fn handed(root: &str, found: &Binding<'_>, member: bool) -> NameSource {
    let parameter = match found {
        Binding::Parameter(function, position) => Some((function.byte_range(), *position)),
        Binding::Loop | Binding::Value(_) => None,
    };
    NameSource::Handed(Handed {
        root: root.to_owned(),
        member: member || parameter.is_none(),
        parameter,
    })
}
