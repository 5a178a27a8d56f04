//! Values: what an expression comes to without being run.

use tree_sitter::Node;

use super::Finder;
use super::binding::{Binding, binding, is_function};
use super::object::member_key;
use crate::facts::{Handed, NameSource};
use crate::syntax::{children, field, quotable};

/// How many names are followed from one to the next.
const LONGEST_CHAIN: usize = 8;

/// The expression without what only the type checker reads.
fn bare(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    loop {
        let inner = match node.kind() {
            "as_expression"
            | "satisfies_expression"
            | "parenthesized_expression"
            | "non_null_expression" => node.named_child(0),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
}

impl Finder<'_> {
    /// What a name comes to.
    pub(super) fn name_source(&self, node: Node<'_>) -> NameSource {
        self.follow(node, LONGEST_CHAIN)
            .unwrap_or_else(|| NameSource::Unknown(quotable(self.text(node))))
    }

    fn follow(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let left = left.checked_sub(1)?;
        let node = bare(node);
        match node.kind() {
            "string" => Some(NameSource::Text(self.string(node))),
            "template_string" => self.template(node, left),
            "identifier" | "shorthand_property_identifier" => self.variable(node, left),
            "member_expression" | "subscript_expression" => self.member(node, left),
            "call_expression" => {
                // `Object.freeze("…")` and `String(name)` hand on what they get.
                let callee = self.text(field(node, "function")?);
                let passes = matches!(callee, "String" | "Object.freeze");
                let argument = field(node, "arguments")?.named_child(0)?;
                passes.then(|| self.follow(argument, left)).flatten()
            }
            _ => None,
        }
    }

    fn variable(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let name = self.text(node);
        match binding(name, node, self.source) {
            Some(Binding::Declared(value)) => self.follow(value, left),
            None => Some(NameSource::Constant(name.to_owned())),
            Some(found) => self.handed(name, &found, false, left),
        }
    }

    /// What comes from a parameter or out of a loop.
    fn handed(
        &self,
        root: &str,
        found: &Binding<'_>,
        member: bool,
        left: usize,
    ) -> Option<NameSource> {
        let handed = |parameter, member| {
            Some(NameSource::Handed(Handed {
                root: root.to_owned(),
                member,
                parameter,
            }))
        };
        match found {
            Binding::Parameter(function, position) => {
                let pattern = super::parameters(*function).get(*position).copied()?;
                let taken_apart = pattern.kind() == "object_pattern";
                handed(
                    Some((function.byte_range(), *position)),
                    member || taken_apart,
                )
            }
            Binding::Loop => handed(None, true),
            Binding::TakenApart(value) | Binding::Declared(value) => {
                let value = bare(*value);
                let name = self.text(value);
                match value.kind() {
                    "identifier" => {
                        let found = binding(name, value, self.source)?;
                        let left = left.checked_sub(1)?;
                        self.handed(name, &found, true, left)
                    }
                    _ => None,
                }
            }
        }
    }

    fn member(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let object = bare(field(node, "object")?);
        if object.kind() != "identifier" {
            return None;
        }
        let root = self.text(object);
        let key = match field(node, "property") {
            Some(property) => self.text(property),
            None => self.text(field(node, "index")?).trim_matches(['"', '\'']),
        };
        match binding(root, object, self.source) {
            None => Some(NameSource::Constant(format!("{root}.{key}"))),
            Some(Binding::Declared(value)) => match self.object_of(value) {
                Some(literal) => {
                    let members = children(literal);
                    let found = members
                        .iter()
                        .find(|member| member_key(self, **member) == Some(key))?;
                    self.follow(field(*found, "value")?, left)
                }
                None => self.handed(root, &Binding::Declared(value), true, left),
            },
            Some(found) => self.handed(root, &found, true, left),
        }
    }

    fn template(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "string_fragment" => whole.push_str(self.text(part)),
                "template_substitution" => match self.follow(part.named_child(0)?, left)? {
                    NameSource::Text(text) => whole.push_str(&text),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(NameSource::Text(whole))
    }

    fn string(&self, node: Node<'_>) -> String {
        let parts = children(node);
        let texts = parts.iter().map(|part| match part.kind() {
            "escape_sequence" => unescaped(self.text(*part)),
            _ => self.text(*part).to_owned(),
        });
        texts.collect()
    }

    /// The object that an expression is or names.
    pub(super) fn object_of<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let mut node = bare(node);
        for _ in 0..LONGEST_CHAIN {
            match node.kind() {
                "object" => return Some(node),
                "identifier" => match binding(self.text(node), node, self.source)? {
                    Binding::Declared(value) => node = bare(value),
                    _ => return None,
                },
                "call_expression" if self.text(field(node, "function")?) == "Object.freeze" => {
                    node = bare(field(node, "arguments")?.named_child(0)?);
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether an expression is text, whatever it says.
    pub(super) fn is_textual(&self, node: Node<'_>) -> bool {
        let node = bare(node);
        match node.kind() {
            "string" | "template_string" => true,
            "binary_expression" => field(node, "left").is_some_and(|left| {
                matches!(
                    bare(left).kind(),
                    "string" | "template_string" | "binary_expression"
                )
            }),
            "identifier" | "member_expression" => {
                matches!(self.name_source(node), NameSource::Text(_))
                    || self
                        .text(node)
                        .to_ascii_lowercase()
                        .ends_with("description")
            }
            _ => false,
        }
    }

    /// Whether an expression is an object of hints and nothing else.
    pub(super) fn is_hints(&self, node: Node<'_>) -> bool {
        let Some(object) = self.object_of(node) else {
            return self.text(node).to_ascii_lowercase().contains("annotations");
        };
        let members = children(object);
        !members.is_empty()
            && members.iter().all(|member| {
                member_key(self, *member).is_some_and(|key| key == "title" || key.ends_with("Hint"))
            })
    }

    /// Whether an argument can be the function that runs a tool.
    pub(super) fn may_be_handler(&self, node: Node<'_>) -> bool {
        let node = bare(node);
        is_function(node.kind())
            || matches!(
                node.kind(),
                "identifier" | "member_expression" | "call_expression"
            )
    }

    /// Whether an argument can be a tool's name.
    pub(super) fn may_be_name(&self, node: Node<'_>) -> bool {
        matches!(
            bare(node).kind(),
            "string" | "template_string" | "identifier" | "member_expression"
        )
    }
}

fn unescaped(sequence: &str) -> String {
    match sequence {
        "\\n" => "\n".to_owned(),
        "\\t" => "\t".to_owned(),
        _ => sequence.strip_prefix('\\').unwrap_or(sequence).to_owned(),
    }
}
