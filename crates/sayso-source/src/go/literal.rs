//! `mcp.Tool{Name: "…", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::binding::Binding;
use super::{Finder, Package, field_name, member};
use crate::facts::{Annotations, HintEntry, Literal, NameSource, Site};
use crate::style::slot_after;
use crate::syntax::{children, field};

/// How deep a literal may be in others that name its type.
const DEEPEST: usize = 6;

/// The key and the value of one part of a struct literal.
fn keyed<'t>(element: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let element = Some(element).filter(|element| element.kind() == "keyed_element")?;
    let value = field(element, "value")?.named_child(0)?;
    Some((field(element, "key")?, value))
}

/// The type of a literal's body, which may be named by the list or map around it.
fn type_of(body: Node<'_>, left: usize) -> Option<Node<'_>> {
    let parent = body.parent()?;
    if parent.kind() == "composite_literal" {
        return field(parent, "type");
    }
    let element = Some(parent).filter(|parent| parent.kind() == "literal_element")?;
    let mut outer = element.parent()?;
    if outer.kind() == "keyed_element" {
        (field(outer, "value") == Some(element)).then_some(())?;
        outer = outer.parent()?;
    }
    let list = type_of(outer, left.checked_sub(1)?)?;
    let item = match list.kind() {
        "slice_type" | "array_type" | "implicit_length_array_type" => field(list, "element"),
        "map_type" => field(list, "value"),
        _ => None,
    }?;
    match item.kind() {
        "pointer_type" => item.named_child(0),
        _ => Some(item),
    }
}

impl Finder<'_> {
    /// The package of a type, if it is the one of that name.
    fn of_type(&self, body: Node<'_>, names: &[&str]) -> Option<&Package> {
        let ty = type_of(body, DEEPEST)?;
        let name = self.text(field(ty, "name").filter(|_| ty.kind() == "qualified_type")?);
        let package = self.package(self.text(field(ty, "package")?))?;
        names.contains(&name).then_some(package)
    }

    /// A tool that is written out as a struct.
    pub(super) fn tool(&self, body: Node<'_>) -> Option<Site> {
        let package = self.of_type(body, &["Tool"])?;
        let elements = children(body);
        let pairs: Vec<_> = elements.iter().filter_map(|pair| keyed(*pair)).collect();
        let valued = |wanted: &str| {
            let pair = pairs.iter().find(|(key, _)| self.text(*key) == wanted);
            pair.map(|(_, value)| *value)
        };
        let name = valued("Name")?;
        let written = valued("Annotations");
        let annotations = match written {
            Some(value) => self.annotations(value),
            None => Annotations::Absent(slot_after(
                self.source,
                body,
                elements.last().copied(),
                "",
                self.fields(package, false),
            )),
        };
        let parameter = written.and_then(|value| match self.name_source(value) {
            NameSource::Handed(handed) if !handed.member => handed.parameter,
            _ => None,
        });
        let keys = pairs.iter().map(|(key, _)| member(self.text(*key)));
        Some(Site {
            keys: keys.collect(),
            annotations_parameter: parameter.map(|(_, position)| position),
            ..self.site(body.parent()?, name, annotations)
        })
    }

    /// An expression as annotations: a struct that is written out, here or as a variable's value.
    pub(super) fn annotations(&self, value: Node<'_>) -> Annotations {
        let literal = self.annotations_literal(value).or_else(|| {
            let name = Some(value).filter(|value| value.kind() == "identifier")?;
            match self.binding(self.text(name), name)? {
                Binding::Value(bound) => self.annotations_literal(bound),
                _ => None,
            }
        });
        literal.map_or_else(|| self.expression(value), Annotations::Literal)
    }

    pub(super) fn annotations_literal(&self, value: Node<'_>) -> Option<Literal> {
        let literal = match value.kind() {
            "unary_expression" => field(value, "operand")?,
            _ => value,
        };
        let body = field(literal, "body").filter(|_| literal.kind() == "composite_literal")?;
        let package = self.of_type(body, &["ToolAnnotations", "ToolAnnotation"])?;
        let elements = children(body);
        let entries = elements.iter().filter_map(|element| {
            let (key, value) = keyed(*element)?;
            let hint = Hint::ALL
                .into_iter()
                .find(|hint| field_name(*hint) == self.text(key))?;
            Some(self.entry(hint, value))
        });
        Some(Literal {
            span: value.byte_range(),
            entries: entries.collect(),
            slot: slot_after(
                self.source,
                body,
                elements.last().copied(),
                "",
                self.fields(package, false),
            ),
        })
    }

    /// A hint with its value: a truth value, or a pointer to one.
    pub(super) fn entry(&self, hint: Hint, value: Node<'_>) -> HintEntry {
        let value = self.pointed(value).unwrap_or(value);
        let boolean = match self.text(value) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        HintEntry {
            hint,
            span: value.byte_range(),
            value: boolean,
            is_literal: boolean.is_some(),
        }
    }
}
