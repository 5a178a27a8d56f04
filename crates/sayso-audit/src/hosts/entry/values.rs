//! The values of an entry: texts, lists, tables, and variables by name.

use super::{Field, Reader, Showing};
use crate::hosts::document::{Node, Position, Value};
use crate::hosts::pointer::Pointer;
use crate::hosts::problem::Severity;
use crate::hosts::profile::Quirk;
use crate::hosts::references::{Reference, hint, resolve};
use crate::hosts::server::ConfiguredValue;

impl<'a> Reader<'a> {
    /// The value of a variable that the entry names; an error, or with the
    /// quirk nothing, when it is not set.
    pub(super) fn variable(&mut self, name: &str, at: Position, path: &str) -> Option<String> {
        let reference = Reference::Environment(name);
        let value = (self.resolver)(reference);
        if value.is_none() && !self.has(Quirk::UnsetNamesAreSkipped) {
            let message = format!(
                "the variable `{}` that `{path}` names is not set",
                name.escape_debug()
            );
            self.tell(Severity::Error, at, message, hint(reference));
        }
        value
    }

    /// Variables handed on by name: strings, or tables with a `name`.
    pub(super) fn names(&mut self, places: &[Pointer]) -> Vec<(String, ConfiguredValue)> {
        let Some(field) = self.field(places) else {
            return Vec::new();
        };
        if !matches!(field.node.value, Value::List(_)) {
            self.wrong_kind(&field, "a list of names");
        }
        let mut values = Vec::new();
        for element in field.node.elements() {
            match element
                .as_str()
                .or_else(|| element.member("name")?.as_str())
            {
                Some(name) => {
                    let value = self.variable(name, element.at, &field.path);
                    values.extend(
                        value.map(|value| (name.to_owned(), ConfiguredValue::hidden(value))),
                    );
                }
                None => self.wrong_kind(
                    &Field {
                        path: field.path.clone(),
                        node: element,
                    },
                    "a name",
                ),
            }
        }
        values
    }

    pub(super) fn list(&mut self, places: &[Pointer]) -> Vec<ConfiguredValue> {
        self.field(places)
            .map(|field| self.list_of(&field))
            .unwrap_or_default()
    }

    pub(super) fn list_of(&mut self, field: &Field<'a>) -> Vec<ConfiguredValue> {
        if let Value::List(elements) = &field.node.value {
            return self.words(elements, &field.path);
        }
        self.wrong_kind(field, "a list");
        Vec::new()
    }

    pub(super) fn words(&mut self, elements: &'a [Node], path: &str) -> Vec<ConfiguredValue> {
        let numbered = elements.iter().enumerate();
        numbered
            .filter_map(|(index, element)| {
                self.text(element, &format!("{path}[{index}]"), Showing::Written)
            })
            .collect()
    }

    pub(super) fn table(&mut self, places: &[Pointer]) -> Vec<(String, ConfiguredValue)> {
        self.field(places)
            .map(|field| self.table_of(&field))
            .unwrap_or_default()
    }

    pub(super) fn table_of(&mut self, field: &Field<'a>) -> Vec<(String, ConfiguredValue)> {
        if !matches!(field.node.value, Value::Table(_)) {
            self.wrong_kind(field, "a table");
        }
        let mut values = Vec::new();
        for member in field.node.members() {
            // A null takes the variable away; there is none to set.
            if matches!(member.value.value, Value::Null) {
                continue;
            }
            let path = format!("{}.{}", field.path, member.key.escape_debug());
            if let Some(value) = self.text(&member.value, &path, Showing::Nothing) {
                values.push((member.key.clone(), value));
            }
        }
        values
    }

    /// A string, number or boolean as text, its references resolved.
    pub(super) fn text(
        &mut self,
        node: &Node,
        path: &str,
        showing: Showing,
    ) -> Option<ConfiguredValue> {
        let flag;
        let written: &str = match &node.value {
            Value::String(text) | Value::Number(text) => text,
            Value::Bool(value) => {
                flag = value.to_string();
                &flag
            }
            _ => {
                let message = format!("`{path}` is {}, not a string", node.kind());
                self.tell(
                    Severity::Error,
                    node.at,
                    message,
                    format!("see {}", self.documentation),
                );
                return None;
            }
        };
        match resolve(written, &self.profile.references, self.resolver) {
            Ok(resolved) => {
                if let Some(left) = resolved.left {
                    let message = format!("`{left}` in `{path}` is passed on as it stands");
                    let hint = format!("{} is not known to read such references", self.host);
                    self.tell(Severity::Note, node.at, message, hint);
                }
                Some(match showing {
                    Showing::Nothing => ConfiguredValue::hidden(resolved.value),
                    Showing::Written => ConfiguredValue::shown(resolved.value, written),
                    Showing::Address => ConfiguredValue::address(resolved.value, written),
                })
            }
            Err(unresolved) => {
                for reference in unresolved {
                    let message = format!("`{}` in `{path}` has no value", reference.written);
                    self.tell(Severity::Error, node.at, message, reference.hint);
                }
                None
            }
        }
    }

    pub(super) fn errors(&self) -> usize {
        self.problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .count()
    }
}
