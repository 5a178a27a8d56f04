//! TypeScript and JavaScript.

mod binding;
mod object;
mod value;

use std::ops::Range;

use tree_sitter::Node;

use crate::facts::{
    Annotations, Argument, Call, Facts, Form, Function, NameSource, Notation, Parameter, Shape,
    Site,
};
use crate::style::slot_after;
use crate::syntax::{ancestors, children, field, quotable, text, walk};
use binding::{bound_names, is_function, parameters};
use object::{annotations_of, member_key};

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder { source };
    let mut facts = Facts {
        knows_annotations_type: finder.knows_annotations_type(root),
        is_broken: root.has_error(),
        ..Facts::default()
    };
    walk(root, |node| match node.kind() {
        "call_expression" => finder.call(node, &mut facts),
        "object" => facts.sites.extend(finder.definition(node)),
        "interface_declaration" | "type_alias_declaration" => {
            facts.shapes.extend(finder.shape(node));
        }
        "variable_declarator" => facts.constants.extend(finder.constant(node)),
        "enum_declaration" => facts.constants.extend(finder.enumeration(node)),
        kind if is_function(kind) => facts.functions.extend(finder.function(node)),
        _ => {}
    });
    facts
}

struct Finder<'s> {
    source: &'s str,
}

impl<'s> Finder<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// A call: a registration, or one that may lead to one.
    fn call<'t>(&self, node: Node<'t>, facts: &mut Facts) {
        let (Some(callee), Some(list)) = (field(node, "function"), field(node, "arguments")) else {
            return;
        };
        let method = match callee.kind() {
            "member_expression" => field(callee, "property").map(|name| self.text(name)),
            _ => None,
        };
        let arguments = children(list);
        let site = match (method, arguments.as_slice()) {
            (Some("registerTool" | "registerToolTask"), [name, configuration, ..]) => {
                Some(self.registration(node, *name, *configuration))
            }
            (Some("tool"), [name, between @ .., handler])
                if self.may_be_handler(*handler) && self.may_be_name(*name) =>
            {
                Some(self.short_registration(node, list, *name, between))
            }
            // The definition itself is found as an object.
            (Some("addTool"), [definition]) => self.object_of(*definition).and_then(|object| {
                let site = self.definition(object)?;
                Some(Site {
                    span: node.byte_range(),
                    form: Form::Call,
                    stands_alone: true,
                    ..site
                })
            }),
            _ => None,
        };
        match site {
            Some(site) => facts.sites.push(site),
            None => {
                let callee =
                    method.or_else(|| (callee.kind() == "identifier").then(|| self.text(callee)));
                facts
                    .calls
                    .extend(callee.and_then(|callee| self.other_call(node, callee, list)));
            }
        }
    }

    /// `registerTool(name, configuration, handler)`.
    fn registration<'t>(&self, call: Node<'t>, name: Node<'t>, configuration: Node<'t>) -> Site {
        let mut site = self.site(Form::Call, call, name);
        match self.object_of(configuration) {
            Some(object) => {
                site.annotations = annotations_of(self, object);
                site.keys = self.keys(object);
                site.whole = self.has_spread(object);
                site.annotations_parameter = self.annotations_parameter(object);
            }
            None => {
                let expression = self.text(configuration);
                site.annotations = Annotations::Expression {
                    text: quotable(expression),
                };
                site.whole = true;
                site.whole_parameter = self.parameter_position(configuration);
            }
        }
        site
    }

    /// `tool(name, description?, shape?, annotations?, handler)`.
    fn short_registration<'t>(
        &self,
        call: Node<'t>,
        list: Node<'t>,
        name: Node<'t>,
        between: &[Node<'t>],
    ) -> Site {
        let mut site = self.site(Form::Call, call, name);
        let described = between.first().is_some_and(|first| self.is_textual(*first));
        let rest = between.get(usize::from(described)..).unwrap_or_default();
        let last = rest.last().copied();
        let annotations = last.filter(|last| rest.len() > 1 || self.is_hints(*last));
        site.annotations = match annotations {
            Some(expression) => object::annotations_value(self, expression),
            None => {
                let anchor = last.or(between.last().copied()).unwrap_or(name);
                let slot = slot_after(self.source, list, Some(anchor), "", Notation::Argument);
                Annotations::Absent(slot)
            }
        };
        site.annotations_parameter = annotations.and_then(|node| self.parameter_position(node));
        site.keys = ["description", "inputSchema"].map(str::to_owned).into();
        site
    }

    fn site<'t>(&self, form: Form, whole: Node<'t>, name: Node<'t>) -> Site {
        Site {
            form,
            name: self.name_source(name),
            span: whole.byte_range(),
            anchor: name.byte_range(),
            annotations: Annotations::Unreachable,
            keys: Vec::new(),
            whole: false,
            whole_parameter: None,
            annotations_parameter: None,
            stands_alone: true,
            in_list_handler: self.in_list_handler(whole),
        }
    }

    /// An object with a name: a tool's definition, if it has a schema or goes where tools go.
    fn definition(&self, object: Node<'_>) -> Option<Site> {
        let members = children(object);
        let name = members
            .iter()
            .find(|member| member_key(self, **member) == Some("name"))?;
        let value = match name.kind() {
            "pair" => field(*name, "value")?,
            "shorthand_property_identifier" => *name,
            _ => return None,
        };
        let mut site = self.site(Form::Definition, object, value);
        site.anchor = name.byte_range();
        site.annotations = annotations_of(self, object);
        site.keys = self.keys(object);
        site.whole = self.has_spread(object);
        site.annotations_parameter = self.annotations_parameter(object);
        site.stands_alone = site.keys.iter().any(|key| is_schema_key(key));
        Some(site)
    }

    fn keys(&self, object: Node<'_>) -> Vec<String> {
        let members = children(object);
        let keys = members
            .iter()
            .filter_map(|member| member_key(self, *member));
        keys.map(str::to_owned).collect()
    }

    fn has_spread(&self, object: Node<'_>) -> bool {
        children(object)
            .iter()
            .any(|member| member.kind() == "spread_element")
    }

    /// A call that is no registration by itself, if a name or a definition goes into it.
    fn other_call(&self, call: Node<'_>, callee: &str, list: Node<'_>) -> Option<Call> {
        let nodes = children(list);
        let arguments: Vec<Argument> = nodes
            .iter()
            .map(|argument| Argument {
                keyword: None,
                span: self.object_of(*argument).unwrap_or(*argument).byte_range(),
                name: self.name_source(*argument),
                configuration: self
                    .object_of(*argument)
                    .map(|object| annotations_of(self, object)),
                as_annotations: object::annotations_value(self, *argument),
            })
            .collect();
        let leads = arguments.iter().any(|argument| {
            matches!(argument.name, NameSource::Text(_) | NameSource::Constant(_))
                || argument.configuration.is_some()
        });
        leads.then(|| Call {
            callee: callee.to_owned(),
            span: call.byte_range(),
            arguments,
            slot: slot_after(
                self.source,
                list,
                nodes.last().copied(),
                "",
                Notation::Argument,
            ),
        })
    }

    fn function(&self, node: Node<'_>) -> Option<Function> {
        let name = self.function_name(node)?;
        let mut types = Vec::new();
        let typed = [
            field(node, "parameters"),
            field(node, "parameter"),
            field(node, "return_type"),
        ];
        for typed in typed.into_iter().flatten() {
            walk(typed, |node| {
                if node.kind() == "type_identifier" {
                    types.push(self.text(node).to_owned());
                }
            });
        }
        let parameters = parameters(node).into_iter().map(|pattern| Parameter {
            names: bound_names(pattern)
                .iter()
                .map(|name| self.text(*name).to_owned())
                .collect(),
            is_pattern: pattern.kind() == "object_pattern",
            members: self.written_type(pattern),
        });
        Some(Function {
            name,
            span: node.byte_range(),
            parameters: parameters.collect(),
            types,
        })
    }

    fn function_name(&self, node: Node<'_>) -> Option<String> {
        let named = field(node, "name").or_else(|| {
            let parent = node.parent()?;
            match parent.kind() {
                "variable_declarator" | "public_field_definition" | "field_definition" => {
                    field(parent, "name").or_else(|| field(parent, "property"))
                }
                "pair" => field(parent, "key"),
                _ => None,
            }
        })?;
        Some(self.text(named).to_owned())
    }

    /// The members of a parameter's type, where it is written out.
    fn written_type(&self, pattern: Node<'_>) -> Option<(Range<usize>, Vec<String>)> {
        let parameter = pattern.parent()?;
        let body = field(parameter, "type")?.named_child(0)?;
        (body.kind() == "object_type").then(|| (body.byte_range(), self.members(body)))
    }

    fn members(&self, body: Node<'_>) -> Vec<String> {
        let names = children(body)
            .into_iter()
            .filter_map(|member| field(member, "name"));
        names
            .map(|name| self.text(name).trim_matches(['"', '\'']).to_owned())
            .collect()
    }

    fn shape(&self, node: Node<'_>) -> Option<Shape> {
        let body = field(node, "body").or_else(|| field(node, "value"))?;
        let bodies = match body.kind() {
            // An alias may add members to those of other types.
            "intersection_type" => children(body),
            _ => vec![body],
        };
        let members: Vec<String> = bodies.iter().flat_map(|body| self.members(*body)).collect();
        let name = self.text(field(node, "name")?).to_owned();
        (!members.is_empty()).then(|| Shape {
            name,
            span: node.byte_range(),
            members,
        })
    }

    /// `const NAME = "text"`, and the texts in `const NAME = { KEY: "text" }`.
    fn constant(&self, declarator: Node<'_>) -> Vec<(String, String)> {
        let top = ancestors(declarator).nth(1);
        let is_top = top.is_some_and(|top| matches!(top.kind(), "program" | "export_statement"));
        let (Some(name), Some(value)) = (field(declarator, "name"), field(declarator, "value"))
        else {
            return Vec::new();
        };
        if !is_top || name.kind() != "identifier" {
            return Vec::new();
        }
        let name = self.text(name);
        if let Some(object) = self.object_of(value) {
            let members = children(object);
            let pairs = members.iter().filter_map(|member| {
                let key = member_key(self, *member)?;
                let NameSource::Text(text) = self.name_source(field(*member, "value")?) else {
                    return None;
                };
                Some((format!("{name}.{key}"), text))
            });
            return pairs.collect();
        }
        match self.name_source(value) {
            NameSource::Text(text) => vec![(name.to_owned(), text)],
            _ => Vec::new(),
        }
    }

    fn enumeration(&self, node: Node<'_>) -> Vec<(String, String)> {
        let (Some(name), Some(body)) = (field(node, "name"), field(node, "body")) else {
            return Vec::new();
        };
        let members = children(body);
        let texts = members.iter().filter_map(|member| {
            let key = self.text(field(*member, "name")?).trim_matches(['"', '\'']);
            let NameSource::Text(text) = self.name_source(field(*member, "value")?) else {
                return None;
            };
            Some((format!("{}.{key}", self.text(name)), text))
        });
        texts.collect()
    }

    fn knows_annotations_type(&self, root: Node<'_>) -> bool {
        let mut knows = false;
        walk(root, |node| {
            let is_name = matches!(node.kind(), "identifier" | "type_identifier");
            knows |= is_name && self.text(node) == "ToolAnnotations";
        });
        knows
    }

    /// Whether a node is in the handler of `tools/list`.
    fn in_list_handler(&self, node: Node<'_>) -> bool {
        ancestors(node).any(|around| {
            let first = field(around, "arguments").and_then(|list| list.named_child(0));
            around.kind() == "call_expression"
                && first.is_some_and(|first| {
                    let first = self.text(first);
                    first.contains("ListTools") || first.contains("tools/list")
                })
        })
    }

    /// The position of the parameter that an expression is, in the function that has it.
    fn parameter_position(&self, node: Node<'_>) -> Option<usize> {
        match self.name_source(node) {
            NameSource::Handed(handed) if !handed.member => Some(handed.parameter?.1),
            _ => None,
        }
    }

    fn annotations_parameter(&self, object: Node<'_>) -> Option<usize> {
        let members = children(object);
        let member = members
            .iter()
            .find(|member| member_key(self, **member) == Some("annotations"))?;
        self.parameter_position(field(*member, "value").unwrap_or(*member))
    }
}

/// Keys under which the schema of a tool's arguments is known.
fn is_schema_key(key: &str) -> bool {
    matches!(key, "inputSchema" | "input_schema")
}
