//! Go: the struct literals of the official SDK, and the options of `mark3labs/mcp-go`.
//!
//! What the libraries make of hints that are not written differs. The official SDK has
//! `ReadOnlyHint` and `IdempotentHint` as plain booleans that are left out of the listing when
//! false, and the others as pointers. `mcp.NewTool` of `mark3labs/mcp-go` sends its own values for
//! all four unless an option says otherwise; here only what is written counts.

mod binding;
mod literal;
mod options;
mod pointer;
mod value;

pub(crate) use options::option;

use sayso_core::hint::Hint;
use tree_sitter::Node;

use crate::facts::{
    Annotations, Argument, Call, Facts, Form, Function, NameSource, Notation, Parameter, Shape,
    Site,
};
use crate::style::slot_after;
use crate::syntax::{children, field, quotable, text, walk};
use binding::{declarations, parameters};

/// The field of a struct of annotations that has a hint.
pub(crate) const fn field_name(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "ReadOnlyHint",
        Hint::Destructive => "DestructiveHint",
        Hint::Idempotent => "IdempotentHint",
        Hint::OpenWorld => "OpenWorldHint",
    }
}

/// Whether the official SDK has a hint as a pointer, because its default is true.
pub(crate) const fn is_pointer(hint: Hint) -> bool {
    matches!(hint, Hint::Destructive | Hint::OpenWorld)
}

/// Everything a file says.
pub(crate) fn facts(root: Node<'_>, source: &str) -> Facts {
    let finder = Finder::new(root, source);
    let mut facts = Facts {
        // Without the package there would be no registration either.
        knows_annotations_type: true,
        pointer_function: finder.declared_pointer.clone(),
        is_broken: root.has_error(),
        ..Facts::default()
    };
    walk(root, |node| match node.kind() {
        "literal_value" => facts.sites.extend(finder.tool(node)),
        "call_expression" => finder.call(node, &mut facts),
        "function_declaration" | "method_declaration" => {
            facts.functions.extend(finder.function(node));
        }
        "type_spec" => facts.shapes.extend(finder.shape(node)),
        _ => {}
    });
    for statement in children(root) {
        if statement.kind() == "const_declaration" {
            facts.constants.extend(finder.constants(statement));
        }
    }
    facts
}

/// Whose package it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Library {
    Official,
    Mark3Labs,
}

/// A package of tools, as the file imports it.
#[derive(Clone, Debug)]
struct Package {
    library: Library,
    name: String,
}

struct Finder<'s> {
    source: &'s str,
    packages: Vec<Package>,
    /// What the imported packages are called here.
    imports: Vec<String>,
    /// What stands on the left of assignments.
    assigned: Vec<&'s str>,
    /// The function of this file that makes a pointer to a truth value.
    declared_pointer: Option<String>,
    /// What makes a pointer to a truth value here.
    pointer: Option<String>,
}

impl<'s> Finder<'s> {
    fn new(root: Node<'_>, source: &'s str) -> Self {
        let mut finder = Self {
            source,
            packages: Vec::new(),
            imports: Vec::new(),
            assigned: Vec::new(),
            declared_pointer: None,
            pointer: None,
        };
        let mut of_schemas = None;
        walk(root, |node| match node.kind() {
            "import_spec" => {
                let Some((path, name)) = finder.import(node) else {
                    return;
                };
                let library = match path {
                    "github.com/modelcontextprotocol/go-sdk/mcp" => Some(Library::Official),
                    "github.com/mark3labs/mcp-go/mcp" => Some(Library::Mark3Labs),
                    _ => None,
                };
                if path == "github.com/google/jsonschema-go/jsonschema" {
                    of_schemas = Some(format!("{name}.Ptr"));
                }
                finder.imports.push(name.to_owned());
                let name = name.to_owned();
                finder
                    .packages
                    .extend(library.map(|library| Package { library, name }));
            }
            "assignment_statement" => {
                let left = field(node, "left").map(children).unwrap_or_default();
                let left = left.into_iter().map(|name| text(name, source));
                finder.assigned.extend(left);
            }
            _ => {}
        });
        finder.declared_pointer = finder.declared_pointer(root);
        finder.pointer = finder
            .pointer_in_use(root)
            .or_else(|| finder.declared_pointer.clone())
            .or(of_schemas);
        finder
    }

    /// The path of an import, and what the package is called in this file.
    fn import(&self, spec: Node<'_>) -> Option<(&'s str, &'s str)> {
        let path = self.text(field(spec, "path")?).trim_matches(['"', '`']);
        let name = match field(spec, "name") {
            Some(name) => self.text(name),
            None => path.rsplit('/').next()?,
        };
        Some((path, name))
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        text(node, self.source)
    }

    /// The package of tools of that name.
    fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Whether something else is put under a name, or in one of its members.
    fn is_reassigned(&self, name: &str) -> bool {
        self.assigned.iter().any(|assigned| {
            let rest = assigned.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    fn site(&self, whole: Node<'_>, name: Node<'_>, annotations: Annotations) -> Site {
        Site {
            form: Form::Call,
            name: self.name_source(name),
            span: whole.byte_range(),
            anchor: name.byte_range(),
            // Another struct may be put in the place of what is written.
            annotations: match self.overwritten(whole) {
                Some(text) => Annotations::Expression { text },
                None => annotations,
            },
            keys: Vec::new(),
            whole: false,
            whole_parameter: None,
            annotations_parameter: None,
            stands_alone: true,
            in_list_handler: false,
        }
    }

    /// The assignment to the annotations of the variable that holds a tool.
    fn overwritten(&self, tool: Node<'_>) -> Option<String> {
        let mut node = tool.parent()?;
        while matches!(
            node.kind(),
            "unary_expression" | "composite_literal" | "expression_list"
        ) {
            node = node.parent()?;
        }
        if !matches!(node.kind(), "short_var_declaration" | "var_spec") {
            return None;
        }
        declarations(node).into_iter().find_map(|(name, _)| {
            let place = format!("{}.Annotations", self.text(name));
            let is_assigned = self
                .assigned
                .iter()
                .any(|assigned| assigned.starts_with(&place));
            is_assigned.then(|| format!("{place} = …"))
        })
    }

    /// A call: of a tool's constructor, or one that may lead to it.
    fn call(&self, node: Node<'_>, facts: &mut Facts) {
        let (Some(callee), Some(list)) = (field(node, "function"), field(node, "arguments")) else {
            return;
        };
        if let Some(site) = self.constructed(node) {
            facts.sites.push(site);
            return;
        }
        let name = match callee.kind() {
            "identifier" => Some(callee),
            "selector_expression" => field(callee, "field"),
            _ => None,
        };
        let Some(name) = name else { return };
        let nodes = children(list);
        let arguments: Vec<Argument> = nodes
            .iter()
            .map(|argument| Argument {
                keyword: None,
                span: argument.byte_range(),
                name: self.name_source(*argument),
                configuration: None,
                as_annotations: self.annotations(*argument),
            })
            .collect();
        let leads = arguments
            .iter()
            .any(|argument| matches!(argument.name, NameSource::Text(_) | NameSource::Constant(_)));
        let package = self.packages.first();
        if let (true, Some(package)) = (leads, package) {
            let notation = self.fields(package, true);
            facts.calls.push(Call {
                callee: self.text(name).to_owned(),
                span: node.byte_range(),
                arguments,
                slot: slot_after(self.source, list, nodes.last().copied(), "", notation),
            });
        }
    }

    /// How annotations of a package are written as a struct.
    fn fields(&self, package: &Package, is_argument: bool) -> Notation {
        let name = &package.name;
        match package.library {
            Library::Official => Notation::Fields {
                class: format!("&{name}.ToolAnnotations"),
                is_argument,
                pointer: self.pointer.clone(),
                only_pointers: false,
            },
            Library::Mark3Labs => Notation::Fields {
                class: format!("{name}.ToolAnnotation"),
                is_argument,
                pointer: Some(format!("{name}.ToBoolPtr")),
                only_pointers: true,
            },
        }
    }

    fn function(&self, node: Node<'_>) -> Option<Function> {
        let mut types = Vec::new();
        for typed in [field(node, "parameters"), field(node, "result")]
            .into_iter()
            .flatten()
        {
            walk(typed, |node| {
                if node.kind() == "type_identifier" {
                    types.push(self.text(node).to_owned());
                }
            });
        }
        let parameters = parameters(node).into_iter().map(|name| Parameter {
            names: name
                .map(|name| self.text(name).to_owned())
                .into_iter()
                .collect(),
            is_pattern: false,
            members: None,
        });
        Some(Function {
            name: self.text(field(node, "name")?).to_owned(),
            span: node.byte_range(),
            parameters: parameters.collect(),
            types,
        })
    }

    fn shape(&self, node: Node<'_>) -> Option<Shape> {
        let structure = field(node, "type").filter(|ty| ty.kind() == "struct_type")?;
        let fields = children(structure.named_child(0)?);
        let members = fields.iter().filter_map(|member| field(*member, "name"));
        Some(Shape {
            name: self.text(field(node, "name")?).to_owned(),
            span: node.byte_range(),
            members: members.map(|name| member(self.text(name))).collect(),
        })
    }

    fn constants(&self, declaration: Node<'_>) -> Vec<(String, String)> {
        let constants = declarations(declaration).into_iter();
        let texts = constants.filter_map(|(name, value)| match self.name_source(value?) {
            NameSource::Text(value) => Some((self.text(name).to_owned(), value)),
            _ => None,
        });
        texts.collect()
    }

    fn expression(&self, node: Node<'_>) -> Annotations {
        Annotations::Expression {
            text: quotable(self.text(node)),
        }
    }
}

/// A field of a struct as the protocol would call it.
fn member(field: &str) -> String {
    let mut characters = field.chars();
    let first = characters.next();
    let first = first.map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}
