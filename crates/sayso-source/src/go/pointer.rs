//! `*bool`: what makes one in a file.

use tree_sitter::Node;

use super::{Finder, field_name};
use crate::syntax::{children, field, walk};
use sayso_core::hint::Hint;

impl Finder<'_> {
    /// The function declared in this file that makes a pointer to what it is given:
    /// `func ptr[T any](value T) *T`, or the same for `bool` alone.
    pub(super) fn declared_pointer(&self, root: Node<'_>) -> Option<String> {
        children(root).into_iter().find_map(|function| {
            if function.kind() != "function_declaration" {
                return None;
            }
            let [parameter] = *children(field(function, "parameters")?) else {
                return None;
            };
            if parameter.kind() != "parameter_declaration" {
                return None;
            }
            let taken = self.text(field(parameter, "type")?);
            let result = field(function, "result").filter(|ty| ty.kind() == "pointer_type")?;
            let made = self.text(result.named_child(0)?);
            let is_general = match field(function, "type_parameters").map(children).as_deref() {
                None => taken == "bool",
                Some([general]) => {
                    let constraint = field(*general, "type").map(|ty| self.text(ty));
                    let is_met = matches!(constraint, Some("any" | "comparable" | "interface{}"));
                    is_met && field(*general, "name").map(|name| self.text(name)) == Some(taken)
                }
                Some(_) => false,
            };
            let name = self.text(field(function, "name")?);
            (taken == made && is_general).then(|| name.to_owned())
        })
    }

    /// What makes the pointers of the hints that are written out in this file.
    pub(super) fn pointer_in_use(&self, root: Node<'_>) -> Option<String> {
        let mut found = None;
        walk(root, |node| {
            if found.is_some() || node.kind() != "keyed_element" {
                return;
            }
            let key = field(node, "key").map(|key| self.text(key));
            let of_pointer = [Hint::Destructive, Hint::OpenWorld].map(field_name);
            if key.is_some_and(|key| of_pointer.contains(&key)) {
                let value = field(node, "value").and_then(|value| value.named_child(0));
                let call = value.and_then(|value| self.pointed(value));
                let callee = call.and_then(|_| field(value?, "function"));
                found = callee
                    .map(|callee| self.text(callee).to_owned())
                    // That is of the other library, which the file may use besides.
                    .filter(|callee| !callee.ends_with(".ToBoolPtr"));
            }
        });
        found
    }

    /// The truth value that a call makes a pointer to: `ptr(false)`, `new(false)`.
    pub(super) fn pointed<'t>(&self, call: Node<'t>) -> Option<Node<'t>> {
        let callee = field(call, "function").filter(|_| call.kind() == "call_expression")?;
        let callee = self.text(callee);
        let name = callee.rsplit('.').next().unwrap_or(callee);
        let tells = callee.to_ascii_lowercase();
        let makes_pointer = self.declared_pointer.as_deref() == Some(callee)
            || ["ptr", "pointer"].iter().any(|word| tells.contains(word))
            || ["new", "bool", "ref"].contains(&name.to_ascii_lowercase().as_str());
        let [argument] = *children(field(call, "arguments")?) else {
            return None;
        };
        // What `new` is given is read as a type.
        let is_literal = matches!(self.text(argument), "true" | "false");
        (makes_pointer && is_literal).then_some(argument)
    }
}
