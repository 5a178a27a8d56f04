//! Python.

mod binding;
mod call;
mod imports;
mod value;

use tree_sitter::Node;

use crate::facts::{
    Annotations, Argument, Call, Facts, Form, Function, NameSource, Notation, Parameter, Shape,
    Site,
};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, text, walk};
use binding::{module_statements, parameter_names, parameters};
use call::Arguments;
use imports::Imports;
pub(crate) use value::{hint, snake_case};

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder::new(root, source);
    let mut facts = Facts {
        knows_annotations_type: finder.imports.knows_class,
        is_broken: root.has_error(),
        ..Facts::default()
    };
    walk(root, |node| match node.kind() {
        "decorator" => finder.decorator(node, &mut facts),
        "call" => finder.call(node, &mut facts),
        "dictionary" => facts.sites.extend(finder.dictionary(node)),
        "function_definition" => facts.functions.extend(finder.function(node)),
        "class_definition" => finder.class(node, &mut facts),
        _ => {}
    });
    for statement in module_statements(root) {
        facts.constants.extend(finder.constant(statement));
    }
    facts
}

struct Finder<'s> {
    source: &'s str,
    imports: Imports,
    /// Whether the file writes hints in snake case.
    snake_case: bool,
}

impl<'s> Finder<'s> {
    fn new(root: Node<'_>, source: &'s str) -> Self {
        Self {
            source,
            imports: Imports::of(root, source),
            snake_case: source.contains("read_only_hint="),
        }
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    fn keyword(&self) -> Notation {
        Notation::Keyword {
            class: self.imports.class.clone(),
            snake_case: self.snake_case,
            import: (!self.imports.knows_class).then_some(self.imports.place),
        }
    }

    /// `@server.tool`, `@server.tool(…)`.
    fn decorator(&self, decorator: Node<'_>, facts: &mut Facts) {
        let Some((expression, definition)) = decorator.named_child(0).zip(decorator.parent())
        else {
            return;
        };
        let Some(function) = field(definition, "definition") else {
            return;
        };
        let Some(own_name) = field(function, "name") else {
            return;
        };
        let (callee, list) = match expression.kind() {
            "call" => (
                field(expression, "function"),
                field(expression, "arguments"),
            ),
            _ => (Some(expression), None),
        };
        let Some(callee) = callee else { return };
        let is_tool = callee.kind() == "attribute"
            && field(callee, "attribute").is_some_and(|name| self.text(name) == "tool");
        if !is_tool || function.kind() != "function_definition" {
            return;
        }
        let arguments = Arguments::of(self, list);
        let name = arguments.get("name", 0).unwrap_or(own_name);
        let annotations = match list {
            Some(list) => self.annotations_in(&arguments, list),
            None => {
                let notation = self.keyword();
                let at = expression.end_byte();
                Annotations::Absent(crate::facts::Slot {
                    at,
                    before: "(".to_owned(),
                    after: ")".to_owned(),
                    indent: None,
                    notation,
                })
            }
        };
        // A name that is no argument is the function's own, and no variable.
        let source = match arguments.get("name", 0) {
            Some(name) => self.name_source(name),
            None => NameSource::Text(self.text(own_name).to_owned()),
        };
        facts.sites.push(Site {
            name: source,
            anchor: name.byte_range(),
            ..self.site(Form::Decorator, decorator, &arguments, annotations)
        });
    }

    /// A call: a registration, a definition, or one that may lead to one.
    fn call(&self, node: Node<'_>, facts: &mut Facts) {
        let (Some(callee), Some(list)) = (field(node, "function"), field(node, "arguments")) else {
            return;
        };
        if list.kind() != "argument_list" {
            return;
        }
        let is_decorator = node
            .parent()
            .is_some_and(|parent| parent.kind() == "decorator");
        let arguments = Arguments::of(self, Some(list));
        let method = match callee.kind() {
            "attribute" => field(callee, "attribute").map(|name| self.text(name)),
            "identifier" => Some(self.text(callee)),
            _ => None,
        };
        let site = match (callee.kind(), method) {
            ("call", _) => self.applied_decorator(node, callee, &arguments),
            ("attribute", Some("tool")) if is_decorator => return,
            // The decorator of a function that is made elsewhere: `server.tool(name)(function)`.
            ("attribute", Some("tool")) if self.is_callee(node) => return,
            ("attribute", Some("tool")) => self.returned_decorator(node, list, &arguments),
            ("attribute", Some("add_tool")) => self.added(node, list, &arguments),
            (_, Some("Tool")) => self.constructed(node, list, &arguments),
            _ => None,
        };
        if let Some(site) = site {
            facts.sites.push(site);
            return;
        }
        let Some(callee) = method else { return };
        // A constructor that takes a name and a schema is a definition too.
        // Whether it has a place for annotations is for those to say who register it.
        if let Some(name) = arguments.keyword("name") {
            let annotations = self.annotations_in(&arguments, list);
            let site = Site {
                name: self.name_source(name),
                anchor: name.byte_range(),
                stands_alone: false,
                ..self.site(Form::Definition, node, &arguments, annotations)
            };
            facts.sites.extend(site.is_in_catalogue().then_some(site));
        }
        facts
            .calls
            .extend(self.other_call(node, callee, list, &arguments));
    }

    fn is_callee(&self, node: Node<'_>) -> bool {
        node.parent().is_some_and(|parent| {
            parent.kind() == "call" && field(parent, "function") == Some(node)
        })
    }

    /// `server.tool(name=…)(function)`.
    fn applied_decorator(
        &self,
        node: Node<'_>,
        inner: Node<'_>,
        applied: &Arguments<'_>,
    ) -> Option<Site> {
        let callee = field(inner, "function").filter(|callee| callee.kind() == "attribute")?;
        let list = field(inner, "arguments")?;
        if self.text(field(callee, "attribute")?) != "tool" {
            return None;
        }
        let arguments = Arguments::of(self, Some(list));
        let name = arguments.get("name", 0).or_else(|| applied.get("fn", 0))?;
        Some(Site {
            name: self.function_or_name(name, arguments.get("name", 0).is_some()),
            anchor: name.byte_range(),
            ..self.site(
                Form::Call,
                node,
                &arguments,
                self.annotations_in(&arguments, list),
            )
        })
    }

    /// `server.tool(name)` that a function hands back, under a name it was given.
    fn returned_decorator(
        &self,
        node: Node<'_>,
        list: Node<'_>,
        arguments: &Arguments<'_>,
    ) -> Option<Site> {
        let name = arguments.get("name", 0)?;
        let source = self.name_source(name);
        matches!(source, NameSource::Handed(_)).then(|| Site {
            name: source,
            anchor: name.byte_range(),
            ..self.site(
                Form::Call,
                node,
                arguments,
                self.annotations_in(arguments, list),
            )
        })
    }

    /// `server.add_tool(function, name=…)`.
    fn added(&self, node: Node<'_>, list: Node<'_>, arguments: &Arguments<'_>) -> Option<Site> {
        let function = arguments.get("fn", 0)?;
        // A tool that is made on the spot is found by itself.
        if function.kind() == "call" {
            return None;
        }
        let name = arguments.get("name", 1).unwrap_or(function);
        Some(Site {
            name: self.function_or_name(name, arguments.get("name", 1).is_some()),
            anchor: name.byte_range(),
            ..self.site(
                Form::Call,
                node,
                arguments,
                self.annotations_in(arguments, list),
            )
        })
    }

    /// `Tool(name=…, …)`.
    fn constructed(
        &self,
        node: Node<'_>,
        list: Node<'_>,
        arguments: &Arguments<'_>,
    ) -> Option<Site> {
        let name = arguments.keyword("name")?;
        if !arguments.has_schema() && !self.imports.of_sdk {
            return None;
        }
        Some(Site {
            name: self.name_source(name),
            anchor: name.byte_range(),
            ..self.site(
                Form::Definition,
                node,
                arguments,
                self.annotations_in(arguments, list),
            )
        })
    }

    fn site(
        &self,
        form: Form,
        whole: Node<'_>,
        arguments: &Arguments<'_>,
        annotations: Annotations,
    ) -> Site {
        let handed = arguments
            .keyword("annotations")
            .map(|value| self.name_source(value));
        let annotations_parameter = match handed {
            Some(NameSource::Handed(handed)) if !handed.member => {
                handed.parameter.map(|(_, position)| position)
            }
            _ => None,
        };
        Site {
            form,
            name: NameSource::Unknown(String::new()),
            span: whole.byte_range(),
            anchor: whole.byte_range(),
            annotations,
            keys: arguments.keywords(),
            whole: arguments.spreads,
            whole_parameter: None,
            annotations_parameter,
            stands_alone: true,
            in_list_handler: self.in_list_handler(whole),
        }
    }

    /// What a call has for `annotations`.
    fn annotations_in(&self, arguments: &Arguments<'_>, list: Node<'_>) -> Annotations {
        if let Some(value) = arguments.keyword("annotations") {
            return self.annotations_value(value);
        }
        Annotations::Absent(self.slot(list))
    }

    /// Where one more keyword argument would stand.
    fn slot(&self, list: Node<'_>) -> crate::facts::Slot {
        let last = children(list).last().copied();
        slot_after(self.source, list, last, "", self.keyword())
    }

    fn other_call(
        &self,
        node: Node<'_>,
        callee: &str,
        list: Node<'_>,
        arguments: &Arguments<'_>,
    ) -> Option<Call> {
        let all: Vec<Argument> = arguments
            .all
            .iter()
            .map(|(keyword, value)| Argument {
                keyword: keyword.map(str::to_owned),
                span: value.byte_range(),
                name: self.name_source(*value),
                configuration: self.dictionary_annotations(*value),
                as_annotations: self.annotations_value(*value),
            })
            .collect();
        let leads = all.iter().any(|argument| {
            matches!(argument.name, NameSource::Text(_) | NameSource::Constant(_))
                || argument.configuration.is_some()
        });
        leads.then(|| Call {
            callee: callee.to_owned(),
            span: node.byte_range(),
            arguments: all,
            slot: self.slot(list),
        })
    }

    /// Whether a node is in the function that lists tools.
    fn in_list_handler(&self, node: Node<'_>) -> bool {
        ancestors(node).any(|around| {
            let is_function = around.kind() == "function_definition";
            is_function
                && field(around, "name").is_some_and(|name| self.text(name).contains("list_tools"))
        })
    }

    fn function(&self, node: Node<'_>) -> Option<Function> {
        let name = self.text(field(node, "name")?).to_owned();
        let mut types = Vec::new();
        for typed in [field(node, "parameters"), field(node, "return_type")] {
            let Some(typed) = typed else { continue };
            walk(typed, |inner| {
                if inner.kind() == "identifier" && self.is_in_type(inner, typed) {
                    types.push(self.text(inner).to_owned());
                }
            });
        }
        let parameters = parameters(node).into_iter().map(|parameter| Parameter {
            names: parameter_names(parameter)
                .iter()
                .map(|name| self.text(*name).to_owned())
                .collect(),
            is_pattern: false,
            members: None,
        });
        Some(Function {
            name,
            span: node.byte_range(),
            parameters: parameters.collect(),
            types,
        })
    }

    fn is_in_type(&self, node: Node<'_>, within: Node<'_>) -> bool {
        within.kind() == "type"
            || ancestors(node)
                .take_while(|around| *around != within)
                .any(|around| around.kind() == "type")
    }

    /// A class with fields, and the constants of an enumeration.
    fn class(&self, node: Node<'_>, facts: &mut Facts) {
        let (Some(name), Some(body)) = (field(node, "name"), field(node, "body")) else {
            return;
        };
        let name = self.text(name);
        let mut members = Vec::new();
        for statement in children(body) {
            let Some(assignment) = assignment(statement) else {
                continue;
            };
            let Some(left) = field(assignment, "left") else {
                continue;
            };
            members.push(self.text(left).to_owned());
            let value = field(assignment, "right").map(|right| self.name_source(right));
            if let Some(NameSource::Text(value)) = value {
                facts
                    .constants
                    .push((format!("{name}.{}", self.text(left)), value));
            }
        }
        if !members.is_empty() {
            facts.shapes.push(Shape {
                name: name.to_owned(),
                span: node.byte_range(),
                members,
            });
        }
    }

    /// `NAME = "text"` at the top of the file.
    fn constant(&self, statement: Node<'_>) -> Option<(String, String)> {
        let assignment = assignment(statement)?;
        let left = field(assignment, "left").filter(|left| left.kind() == "identifier")?;
        match self.name_source(field(assignment, "right")?) {
            NameSource::Text(value) => Some((self.text(left).to_owned(), value)),
            _ => None,
        }
    }
}

/// The assignment that a statement is.
fn assignment(statement: Node<'_>) -> Option<Node<'_>> {
    let inner = match statement.kind() {
        "expression_statement" => statement.named_child(0)?,
        _ => statement,
    };
    (inner.kind() == "assignment").then_some(inner)
}
