//! What one file says by itself.

use std::ops::Range;

use sayso_core::hint::{Hint, Hints};

/// How a tool is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A call that registers one tool: `registerTool(name, …)`, `tool(name, …)`, `add_tool(…)`.
    Call,
    /// A decorator over the function that does it.
    Decorator,
    /// An object with a name and an input schema: listed by a handler, or handed on to a call.
    Definition,
    /// A call of a function of this source, which registers the tool.
    Wrapper,
}

/// What stands for `annotations` at a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Annotations {
    /// Nothing; the slot is where they would stand.
    Absent(Slot),
    /// Values written out.
    Literal(Literal),
    /// An expression whose values are only known when it runs.
    Expression {
        /// Its source, shortened to a line.
        text: String,
    },
    /// Nothing, and there is no place for them before a function on the way takes them.
    Unreachable,
}

impl Annotations {
    /// The values that can be read.
    #[must_use]
    pub fn hints(&self) -> Hints<Option<bool>> {
        match self {
            Self::Literal(literal) => {
                let mut hints = Hints::default();
                for entry in &literal.entries {
                    *hints.get_mut(entry.hint) = entry.value;
                }
                hints
            }
            Self::Absent(_) | Self::Expression { .. } | Self::Unreachable => Hints::default(),
        }
    }
}

/// Annotations that are written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The bytes of the whole value.
    pub span: Range<usize>,
    /// Its hints, in the order of the text.
    pub entries: Vec<HintEntry>,
    /// Where one more hint would stand.
    pub slot: Slot,
}

/// One hint that is written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HintEntry {
    /// Which.
    pub hint: Hint,
    /// The bytes of its value.
    pub span: Range<usize>,
    /// The value, where it is `true` or `false`.
    pub value: Option<bool>,
    /// Whether the value is no expression that somebody computes: a literal of any kind.
    pub is_literal: bool,
}

/// Where something would be inserted, and what has to stand around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The byte.
    pub at: usize,
    /// What goes before it.
    pub before: String,
    /// What goes behind it.
    pub after: String,
    /// The indentation of a line of its own; `None` where it stands within a line.
    pub indent: Option<String>,
    /// How it is written.
    pub notation: Notation,
}

/// How annotations are written in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `annotations: { readOnlyHint: true }`, with keys in these quotes, if any.
    Member {
        /// The quotes of the keys around it.
        quote: Option<char>,
    },
    /// `{ readOnlyHint: true }`, as an argument.
    Argument,
    /// `"annotations": {"readOnlyHint": True}`, in a Python dictionary.
    DictionaryItem {
        /// The quotes of the keys around it.
        quote: char,
    },
    /// `ReadOnly = true`, among other properties in C#, or
    /// `Annotations = new ToolAnnotations { ReadOnlyHint = true }`.
    Property {
        /// What the class is called in this file, `()` where it goes without saying; `None` where
        /// hints have no object of their own.
        class: Option<String>,
    },
    /// `annotations = @McpTool.McpAnnotations(readOnlyHint = true)`.
    Nested {
        /// All that stands before the hints, with the bracket.
        open: String,
    },
    /// `.annotations(new ToolAnnotations(null, true, false, true, false, null))` in Java, or its
    /// builder.
    Constructor {
        /// What the class is called in this file.
        class: String,
        /// Whether it is made by a builder.
        is_builder: bool,
    },
    /// `annotations(read_only_hint = true)`, in an attribute.
    Attribute,
    /// `.with_annotations(ToolAnnotations::new().read_only(true))`.
    Builder {
        /// What the class is called in this file.
        class: String,
        /// Whether it is a call on what stands before, and no argument.
        is_call: bool,
    },
    /// `Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}`, in a struct of Go.
    Fields {
        /// The type as it is written before the braces.
        class: String,
        /// Whether it is an argument, and no field.
        is_argument: bool,
        /// What makes a pointer to a truth value in this file, if anything does.
        pointer: Option<String>,
        /// Whether every hint is a pointer, and not only those whose default is true.
        only_pointers: bool,
    },
    /// `mcp.WithReadOnlyHintAnnotation(true)`, every hint an argument of its own.
    Options {
        /// What the package is called in this file.
        package: String,
    },
    /// `annotations=ToolAnnotations(readOnlyHint=True)`.
    Keyword {
        /// What the class is called in this file.
        class: String,
        /// Whether the fields are written in snake case.
        snake_case: bool,
        /// Where the class is imported first, if it is not yet: behind the statement that ends
        /// there, or before the line that begins there.
        import: Option<usize>,
    },
}

/// Where the name of a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameSource {
    /// It is written out.
    Text(String),
    /// It is a constant that this file does not declare, by its dotted path.
    Constant(String),
    /// Somebody else hands it over.
    Handed(Handed),
    /// It is made when the server runs.
    Unknown(String),
}

/// A name that comes from a parameter or out of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handed {
    /// The variable.
    pub(crate) root: String,
    /// Whether the name is a member of it.
    pub(crate) member: bool,
    /// The function whose parameter it is, by its bytes, and which parameter; `None` in a loop.
    pub(crate) parameter: Option<(Range<usize>, usize)>,
}

/// A place where a tool is defined or registered.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) form: Form,
    pub(crate) name: NameSource,
    /// The bytes of the whole registration.
    pub(crate) span: Range<usize>,
    /// The bytes a person is pointed to.
    pub(crate) anchor: Range<usize>,
    pub(crate) annotations: Annotations,
    /// What is handed on besides the name, in the order of the text.
    pub(crate) keys: Vec<String>,
    /// Whether all of something is handed on: a spread, a whole configuration.
    pub(crate) whole: bool,
    /// The parameter that is handed on as the whole configuration, by its position.
    pub(crate) whole_parameter: Option<usize>,
    /// The parameter that is handed on as the annotations, by its position.
    pub(crate) annotations_parameter: Option<usize>,
    /// Whether it counts as a registration by itself, or only when a function that registers
    /// gets it.
    pub(crate) stands_alone: bool,
    /// Whether it is in a handler that lists tools.
    pub(crate) in_list_handler: bool,
}

impl Site {
    /// Whether it looks like a tool to whoever registers tools from a catalogue, with a schema under
    /// a name of the catalogue's own.
    pub(crate) fn is_in_catalogue(&self) -> bool {
        const SCHEMAS: [&str; 6] = [
            "inputSchema",
            "input_schema",
            "schema",
            "parameters",
            "params",
            "shape",
        ];
        let has = |wanted: &str| self.keys.iter().any(|key| key == wanted);
        has("description") && SCHEMAS.into_iter().any(has)
    }
}

/// A function that has a name.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) parameters: Vec<Parameter>,
    /// The types that its parameters and its result name.
    pub(crate) types: Vec<String>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// The names it binds: one, or those of a pattern.
    pub(crate) names: Vec<String>,
    /// Whether it is a pattern.
    pub(crate) is_pattern: bool,
    /// The members of its type, where the type is written out in its place, and where that is.
    pub(crate) members: Option<(Range<usize>, Vec<String>)>,
}

/// A type with members: an interface, a type alias, a data class.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) members: Vec<String>,
}

/// A call of something with a name.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: String,
    pub(crate) span: Range<usize>,
    pub(crate) arguments: Vec<Argument>,
    /// Where one more argument would stand.
    pub(crate) slot: Slot,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) keyword: Option<String>,
    pub(crate) span: Range<usize>,
    pub(crate) name: NameSource,
    /// What stands there as annotations, if the argument is a configuration object.
    pub(crate) configuration: Option<Annotations>,
    /// The argument as annotations.
    pub(crate) as_annotations: Annotations,
}

/// Everything one file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Constants of text, by dotted path.
    pub(crate) constants: Vec<(String, String)>,
    pub(crate) sites: Vec<Site>,
    pub(crate) functions: Vec<Function>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) calls: Vec<Call>,
    /// Whether the name `ToolAnnotations` is known in the file.
    pub(crate) knows_annotations_type: bool,
    /// The function of this file that makes a pointer to a truth value, in Go.
    pub(crate) pointer_function: Option<String>,
    /// Whether the syntax could not be read throughout.
    pub(crate) is_broken: bool,
}
