//! Annotations as code.

use sayso_core::hint::{Hint, Hints};

use crate::csharp::{hint_property, property};
use crate::facts::{Notation, Slot};
use crate::go::{field_name, is_pointer, option};
use crate::language::Language;
use crate::python::snake_case;
use crate::rust::method;
use crate::style::{indent_unit, indentation, line_around, newline};
use crate::survey::SourceFile;

/// How one file writes things.
pub(super) struct Renderer<'f> {
    language: Language,
    source: &'f str,
    unit: String,
    newline: &'f str,
}

impl<'f> Renderer<'f> {
    pub(super) fn of(source: &'f SourceFile) -> Self {
        let usual = match source.language {
            Language::TypeScript | Language::JavaScript => "  ",
            Language::Python
            | Language::Rust
            | Language::CSharp
            | Language::Java
            | Language::Kotlin => "    ",
            Language::Go => "\t",
        };
        Self {
            language: source.language,
            source: &source.text,
            unit: indent_unit(&source.text, usual),
            newline: newline(&source.text),
        }
    }

    /// The longest line that is written: what the formatters of the language allow.
    const fn width(&self) -> usize {
        match self.language {
            Language::TypeScript | Language::JavaScript | Language::Rust | Language::Go => 100,
            Language::Python => 88,
            Language::CSharp | Language::Java | Language::Kotlin => 120,
        }
    }

    pub(super) const fn boolean(&self, value: bool) -> &'static str {
        match (self.language, value) {
            (Language::Python, true) => "True",
            (Language::Python, false) => "False",
            (_, true) => "true",
            (_, false) => "false",
        }
    }

    /// Each hint that has a value, as a member or argument.
    fn items(&self, notation: &Notation, values: &Hints<Option<bool>>) -> Vec<String> {
        let written = |(hint, value): (Hint, &Option<bool>)| {
            let (key, value) = (hint.key(), self.boolean((*value)?));
            Some(match notation {
                Notation::Member { quote: Some(quote) } => format!("{quote}{key}{quote}: {value}"),
                Notation::Member { quote: None } | Notation::Argument => format!("{key}: {value}"),
                Notation::DictionaryItem { quote } => format!("{quote}{key}{quote}: {value}"),
                Notation::Property { class: None } => format!("{} = {value}", property(hint)),
                Notation::Property { class: Some(_) } => {
                    format!("{} = {value}", hint_property(hint))
                }
                Notation::Nested { .. } => format!("{key} = {value}"),
                Notation::Constructor { .. } => format!(".{key}({value})"),
                Notation::Attribute => format!("{} = {value}", snake_case(hint)),
                Notation::Fields {
                    pointer: Some(pointer),
                    only_pointers,
                    ..
                } if *only_pointers || is_pointer(hint) => {
                    format!("{}: {pointer}({value})", field_name(hint))
                }
                Notation::Fields { .. } => format!("{}: {value}", field_name(hint)),
                Notation::Options { package } => format!("{package}.{}({value})", option(hint)),
                Notation::Builder { .. } => format!(".{}({value})", method(hint)),
                Notation::Keyword {
                    snake_case: true, ..
                } => {
                    format!("{}={value}", snake_case(hint))
                }
                Notation::Keyword {
                    snake_case: false, ..
                } => format!("{key}={value}"),
            })
        };
        values.iter().filter_map(written).collect()
    }

    /// More hints for annotations that are there.
    pub(super) fn hints(&self, slot: &Slot, values: &Hints<Option<bool>>) -> String {
        if matches!(
            slot.notation,
            Notation::Builder { .. } | Notation::Constructor { .. }
        ) {
            return self.items(&slot.notation, values).concat();
        }
        let between = match &slot.indent {
            Some(indent) => format!(",{}{indent}", self.newline),
            None => ", ".to_owned(),
        };
        self.items(&slot.notation, values).join(&between)
    }

    /// Whole annotations.
    pub(super) fn annotations(&self, slot: &Slot, values: &Hints<Option<bool>>) -> String {
        if matches!(slot.notation, Notation::Options { .. }) {
            return self.hints(slot, values);
        }
        let items = self.items(&slot.notation, values);
        if let Notation::Builder { class, is_call } = &slot.notation {
            return self.built(slot, class, *is_call, &items);
        }
        if let Notation::Constructor { class, is_builder } = &slot.notation {
            return self.constructed(class, *is_builder, values, &items);
        }
        if let Notation::Property { class } = &slot.notation {
            return match class {
                Some(class) => self.initialized(slot, class, &items),
                None => self.hints(slot, values),
            };
        }
        let (open, close, padding) = match &slot.notation {
            Notation::Member { quote: Some(quote) } => {
                (format!("{quote}annotations{quote}: {{"), "}", " ")
            }
            Notation::Member { quote: None } => ("annotations: {".to_owned(), "}", " "),
            Notation::Nested { open } => (open.clone(), ")", ""),
            Notation::Argument
            | Notation::Builder { .. }
            | Notation::Constructor { .. }
            | Notation::Options { .. }
            | Notation::Property { .. } => ("{".to_owned(), "}", " "),
            Notation::Attribute => ("annotations(".to_owned(), ")", ""),
            Notation::DictionaryItem { quote } => {
                (format!("{quote}annotations{quote}: {{"), "}", "")
            }
            Notation::Fields {
                class, is_argument, ..
            } => {
                let key = if *is_argument { "" } else { "Annotations: " };
                (format!("{key}{class}{{"), "}", "")
            }
            Notation::Keyword { class, .. } => (format!("annotations={class}("), ")", ""),
        };
        let line = format!("{open}{padding}{}{padding}{close}", items.join(", "));
        let (indent, length) = match &slot.indent {
            Some(indent) => (indent.as_str(), indent.len() + line.len() + 1),
            None => {
                let around = line_around(self.source, slot.at);
                (
                    indentation(self.source, slot.at),
                    around.chars().count() + line.len(),
                )
            }
        };
        if length <= self.width() {
            return line;
        }
        let unit = if indent.contains('\t') {
            "\t"
        } else {
            self.unit.as_str()
        };
        let inner = format!("{}{indent}{unit}", self.newline);
        let last = if self.ends_with_comma(slot) { "," } else { "" };
        let items = aligned(&slot.notation, items);
        let items = items.join(&format!(",{inner}"));
        let open = open.trim_end();
        format!("{open}{inner}{items}{last}{}{indent}{close}", self.newline)
    }

    /// Whether a comma goes behind the last of several lines: as the list around it does, or as the
    /// formatters of the language have it.
    fn ends_with_comma(&self, slot: &Slot) -> bool {
        match self.language {
            Language::Python | Language::Go => true,
            Language::Java => false,
            _ => slot.after.starts_with(','),
        }
    }

    /// Whole annotations as an object with an initializer, in C#.
    fn initialized(&self, slot: &Slot, class: &str, items: &[String]) -> String {
        let space = if class.starts_with('(') { "" } else { " " };
        let open = format!("Annotations = new{space}{class}");
        let line = format!("{open} {{ {} }}", items.join(", "));
        let around = line_around(self.source, slot.at).chars().count();
        let before = slot.indent.as_ref().map_or(around, String::len);
        if before + line.len() < self.width() {
            return line;
        }
        let indent = match &slot.indent {
            Some(indent) => indent.as_str(),
            None => indentation(self.source, slot.at),
        };
        let unit = if indent.contains('\t') {
            "\t"
        } else {
            self.unit.as_str()
        };
        // Braces have lines of their own.
        let outer = format!("{}{indent}", self.newline);
        let items = items.join(&format!(",{outer}{unit}"));
        format!("{open}{outer}{{{outer}{unit}{items}{outer}}}")
    }

    /// Whole annotations as a call on a tool's builder, in Java.
    fn constructed(
        &self,
        class: &str,
        is_builder: bool,
        values: &Hints<Option<bool>>,
        calls: &[String],
    ) -> String {
        if is_builder {
            let calls = calls.concat();
            return format!(".annotations({class}.builder(){calls}.build())");
        }
        let [read_only, destructive, idempotent, open_world] = [
            values.read_only,
            values.destructive,
            values.idempotent,
            values.open_world,
        ]
        .map(|value| value.map_or("null", |value| self.boolean(value)));
        let hints = format!("{read_only}, {destructive}, {idempotent}, {open_world}");
        format!(".annotations(new {class}(null, {hints}, null))")
    }

    /// Whole annotations as calls of a builder.
    fn built(&self, slot: &Slot, class: &str, is_call: bool, items: &[String]) -> String {
        let built = format!("{class}::new(){}", items.concat());
        if !is_call {
            return built;
        }
        let line = format!(".with_annotations({built})");
        let around = line_around(self.source, slot.at).chars().count();
        let before = slot.indent.as_ref().map_or(around, String::len);
        if before + line.len() < self.width() {
            return line;
        }
        let (newline, unit) = (self.newline, &self.unit);
        // A call that no line of its own was meant for gets one all the same.
        let (start, indent) = match &slot.indent {
            Some(indent) => (String::new(), indent.clone()),
            None => {
                let indent = format!("{}{unit}", indentation(self.source, slot.at));
                (format!("{newline}{indent}"), indent)
            }
        };
        let inner = format!("{newline}{indent}{unit}");
        let calls: String = items
            .iter()
            .map(|item| format!("{inner}{unit}{item}"))
            .collect();
        format!("{start}.with_annotations({inner}{class}::new(){calls},{newline}{indent})")
    }
}

/// Items below each other: the fields of a struct have their values in one column, as `gofmt` does.
fn aligned(notation: &Notation, items: Vec<String>) -> Vec<String> {
    if !matches!(notation, Notation::Fields { .. }) {
        return items;
    }
    let pairs = items.iter().filter_map(|item| item.split_once(": "));
    let width = pairs.clone().map(|(key, _)| key.len() + 1).max();
    let width = width.unwrap_or_default();
    pairs
        .map(|(key, value)| format!("{:width$} {value}", format!("{key}:")))
        .collect()
}
