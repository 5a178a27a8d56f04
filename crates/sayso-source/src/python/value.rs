//! Values: what an expression comes to without being run.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::binding::{Binding, binding};
use super::call::is_schema_key;
use super::{Finder, assignment};
use crate::facts::{
    Annotations, Form, Handed, HintEntry, Literal, NameSource, Notation, Site, Slot,
};
use crate::style::slot_after;
use crate::syntax::{children, field, quotable};

/// How many names are followed from one to the next.
const LONGEST_CHAIN: usize = 8;

/// The hint that a field is, in either spelling.
pub(crate) fn hint(key: &str) -> Option<Hint> {
    Hint::from_key(key).or_else(|| Hint::ALL.into_iter().find(|hint| snake_case(*hint) == key))
}

/// A hint's field in snake case.
pub(crate) const fn snake_case(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "read_only_hint",
        Hint::Destructive => "destructive_hint",
        Hint::Idempotent => "idempotent_hint",
        Hint::OpenWorld => "open_world_hint",
    }
}

impl Finder<'_> {
    /// What a name comes to.
    pub(super) fn name_source(&self, node: Node<'_>) -> NameSource {
        self.follow(node, LONGEST_CHAIN)
            .unwrap_or_else(|| NameSource::Unknown(quotable(self.text(node))))
    }

    /// A tool's name, or the function that is registered under its own.
    pub(super) fn function_or_name(&self, node: Node<'_>, is_name: bool) -> NameSource {
        if is_name {
            return self.name_source(node);
        }
        let own = self.text(node);
        let is_function = |name: &str, at: Node<'_>| {
            matches!(
                binding(name, at, self.source),
                Some(Binding::Function) | None
            )
        };
        match (node.kind(), field(node, "object"), field(node, "attribute")) {
            ("identifier", ..) if is_function(own, node) => NameSource::Text(own.to_owned()),
            // A method of the object itself, or a function of a module.
            ("attribute", Some(object), Some(method)) => {
                let root = self.text(object);
                match root == "self" || is_function(root, object) {
                    true => NameSource::Text(self.text(method).to_owned()),
                    false => self.name_source(node),
                }
            }
            _ => self.name_source(node),
        }
    }

    fn follow(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let left = left.checked_sub(1)?;
        match node.kind() {
            "string" => self.string(node, left).map(NameSource::Text),
            "concatenated_string" => {
                let parts = children(node);
                let texts = parts.iter().map(|part| self.string(*part, left));
                texts.collect::<Option<String>>().map(NameSource::Text)
            }
            "parenthesized_expression" => self.follow(node.named_child(0)?, left),
            "identifier" => self.variable(node, left),
            "attribute" => self.attribute(node, left),
            "subscript" => {
                let value = field(node, "value").filter(|value| value.kind() == "identifier")?;
                let root = self.text(value);
                self.handed(root, &binding(root, value, self.source)?, true, left)
            }
            "call" => {
                // `entry.get("name")` and `str(name)`.
                let callee = field(node, "function")?;
                let argument = field(node, "arguments")?.named_child(0)?;
                match callee.kind() {
                    "identifier" if self.text(callee) == "str" => self.follow(argument, left),
                    "attribute" if self.text(field(callee, "attribute")?) == "get" => {
                        let value = field(callee, "object")
                            .filter(|object| object.kind() == "identifier")?;
                        let root = self.text(value);
                        self.handed(root, &binding(root, value, self.source)?, true, left)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn variable(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let name = self.text(node);
        match binding(name, node, self.source) {
            Some(Binding::Assigned(value)) => self.follow(value, left),
            Some(found) => self.handed(name, &found, false, left),
            None => Some(NameSource::Constant(name.to_owned())),
        }
    }

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
            // What a method knows of its own object was handed to the constructor.
            Binding::Parameter(_, 0) if matches!(root, "self" | "cls") => None,
            Binding::Parameter(function, position) => {
                handed(Some((function.byte_range(), *position)), member)
            }
            Binding::Loop => handed(None, true),
            Binding::Assigned(value) if value.kind() == "identifier" => {
                let name = self.text(*value);
                let left = left.checked_sub(1)?;
                self.handed(name, &binding(name, *value, self.source)?, member, left)
            }
            Binding::Assigned(_) | Binding::Class(_) | Binding::Function => None,
        }
    }

    fn attribute(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let object = field(node, "object")?;
        let key = self.text(field(node, "attribute")?);
        if key == "value" && object.kind() == "attribute" {
            return self.attribute(object, left);
        }
        if object.kind() != "identifier" {
            return None;
        }
        let root = self.text(object);
        match binding(root, object, self.source) {
            None => Some(NameSource::Constant(format!("{root}.{key}"))),
            Some(Binding::Class(class)) => {
                let found = children(field(class, "body")?)
                    .into_iter()
                    .find_map(|statement| {
                        let assignment = assignment(statement)?;
                        (self.text(field(assignment, "left")?) == key).then_some(assignment)
                    })?;
                self.follow(field(found, "right")?, left)
            }
            Some(found) => self.handed(root, &found, true, left),
        }
    }

    fn string(&self, node: Node<'_>, left: usize) -> Option<String> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "string_start" | "string_end" => {}
                "string_content" => whole.push_str(self.text(part)),
                "interpolation" => match self.follow(part.named_child(0)?, left)? {
                    NameSource::Text(text) => whole.push_str(&text),
                    _ => return None,
                },
                _ => return None,
            }
        }
        Some(whole)
    }

    /// The value that a variable of this file names.
    fn named<'t>(&self, node: Node<'t>) -> Node<'t> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            if node.kind() != "identifier" {
                break;
            }
            match binding(self.text(node), node, self.source) {
                Some(Binding::Assigned(value)) => node = value,
                _ => break,
            }
        }
        node
    }

    /// An expression as annotations.
    pub(super) fn annotations_value(&self, expression: Node<'_>) -> Annotations {
        let value = self.named(expression);
        let literal = match value.kind() {
            "dictionary" => Some(self.dictionary_hints(value)),
            "call" => self.constructor_hints(value),
            _ => None,
        };
        match literal {
            Some(literal) => Annotations::Literal(literal),
            None => Annotations::Expression {
                text: quotable(self.text(expression)),
            },
        }
    }

    fn constructor_hints(&self, call: Node<'_>) -> Option<Literal> {
        let callee = self.text(field(call, "function")?);
        if callee.rsplit('.').next() != Some("ToolAnnotations") {
            return None;
        }
        let list = field(call, "arguments")?;
        let arguments = children(list);
        let entries = arguments.iter().filter_map(|argument| {
            let hint = hint(self.text(field(*argument, "name")?))?;
            Some(self.entry(hint, field(*argument, "value")?))
        });
        let snake_case = arguments.iter().any(|argument| {
            field(*argument, "name").is_some_and(|name| self.text(name).contains('_'))
        });
        let notation = Notation::Keyword {
            class: String::new(),
            snake_case,
            import: None,
        };
        Some(Literal {
            span: call.byte_range(),
            entries: entries.collect(),
            slot: slot_after(self.source, list, arguments.last().copied(), "", notation),
        })
    }

    fn dictionary_hints(&self, dictionary: Node<'_>) -> Literal {
        let pairs = children(dictionary);
        let entries = pairs.iter().filter_map(|pair| {
            let hint = hint(&self.key(*pair)?)?;
            Some(self.entry(hint, field(*pair, "value")?))
        });
        Literal {
            span: dictionary.byte_range(),
            entries: entries.collect(),
            slot: self.dictionary_slot(dictionary, pairs.last().copied()),
        }
    }

    fn entry(&self, hint: Hint, value: Node<'_>) -> HintEntry {
        let boolean = match value.kind() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let is_literal = matches!(
            value.kind(),
            "true" | "false" | "none" | "string" | "integer" | "float"
        );
        HintEntry {
            hint,
            span: value.byte_range(),
            value: boolean,
            is_literal,
        }
    }

    fn key(&self, pair: Node<'_>) -> Option<String> {
        let key = field(pair, "key").filter(|key| key.kind() == "string")?;
        self.string(key, 1)
    }

    fn dictionary_slot(&self, dictionary: Node<'_>, anchor: Option<Node<'_>>) -> Slot {
        let quote = children(dictionary)
            .first()
            .and_then(|pair| self.text(*pair).chars().next())
            .filter(|first| matches!(first, '"' | '\''))
            .unwrap_or('"');
        let notation = Notation::DictionaryItem { quote };
        slot_after(self.source, dictionary, anchor, "", notation)
    }

    /// What a dictionary has for `annotations`; `None` for what is no dictionary.
    pub(super) fn dictionary_annotations(&self, node: Node<'_>) -> Option<Annotations> {
        let dictionary = self.named(node);
        if dictionary.kind() != "dictionary" {
            return None;
        }
        let pairs = children(dictionary);
        let keyed = |wanted: &dyn Fn(&str) -> bool| {
            pairs
                .iter()
                .copied()
                .find(|pair| self.key(*pair).is_some_and(|key| wanted(&key)))
        };
        if let Some(pair) = keyed(&|key| key == "annotations") {
            return Some(self.annotations_value(field(pair, "value")?));
        }
        let anchor = keyed(&is_schema_key).or(pairs.last().copied());
        Some(Annotations::Absent(
            self.dictionary_slot(dictionary, anchor),
        ))
    }

    /// A dictionary with a name: a tool's definition, if it has a schema or goes where tools go.
    pub(super) fn dictionary(&self, node: Node<'_>) -> Option<Site> {
        let pairs = children(node);
        let named = pairs
            .iter()
            .find(|pair| self.key(**pair).as_deref() == Some("name"))?;
        let name = field(*named, "value")?;
        let keys: Vec<String> = pairs.iter().filter_map(|pair| self.key(*pair)).collect();
        let stands_alone = keys.iter().any(|key| is_schema_key(key));
        Some(Site {
            form: Form::Definition,
            name: self.name_source(name),
            span: node.byte_range(),
            anchor: named.byte_range(),
            annotations: self.dictionary_annotations(node)?,
            keys,
            whole: pairs.iter().any(|pair| pair.kind() == "dictionary_splat"),
            whole_parameter: None,
            annotations_parameter: None,
            stands_alone,
            in_list_handler: self.in_list_handler(node),
        })
    }
}
