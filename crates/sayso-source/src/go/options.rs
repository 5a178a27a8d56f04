//! `mcp.NewTool("…", mcp.WithReadOnlyHintAnnotation(true))`.

use sayso_core::hint::Hint;
use tree_sitter::Node;

use super::{Finder, Library, Package, member};
use crate::facts::{Annotations, Literal, NameSource, Notation, Site};
use crate::style::slot_after;
use crate::syntax::{children, field};

/// The option that sets a hint.
pub(crate) const fn option(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "WithReadOnlyHintAnnotation",
        Hint::Destructive => "WithDestructiveHintAnnotation",
        Hint::Idempotent => "WithIdempotentHintAnnotation",
        Hint::OpenWorld => "WithOpenWorldHintAnnotation",
    }
}

/// What the options of a tool say, in their order.
struct Said<'t> {
    annotations: Option<Annotations>,
    /// The expression behind annotations that are handed on whole.
    whole: Option<Node<'t>>,
    keys: Vec<String>,
}

impl Finder<'_> {
    /// The function of the package of options that is called, with the arguments.
    fn called<'t>(&self, call: Node<'t>) -> Option<(&Package, &str, Vec<Node<'t>>)> {
        let callee = field(call, "function").filter(|_| call.kind() == "call_expression")?;
        let operand = field(callee, "operand").filter(|_| callee.kind() == "selector_expression");
        let package = self.package(self.text(operand?))?;
        if package.library != Library::Mark3Labs {
            return None;
        }
        let arguments = children(field(call, "arguments")?);
        Some((package, self.text(field(callee, "field")?), arguments))
    }

    /// The construction of a tool.
    pub(super) fn constructed(&self, call: Node<'_>) -> Option<Site> {
        let (package, constructor, arguments) = self.called(call)?;
        let (name, options) = arguments.split_first()?;
        let mut said = match constructor {
            "NewTool" => self.said(call, package, options),
            // It takes no options.
            "NewToolWithRawSchema" => Said {
                annotations: Some(self.expression(call)),
                whole: None,
                keys: vec!["description".to_owned(), "inputSchema".to_owned()],
            },
            _ => return None,
        };
        said.keys.insert(0, "name".to_owned());
        let parameter = said.whole.and_then(|value| match self.name_source(value) {
            NameSource::Handed(handed) if !handed.member => handed.parameter,
            _ => None,
        });
        let annotations = match said.annotations {
            Some(annotations) => annotations,
            None => Annotations::Absent(slot_after(
                self.source,
                field(call, "arguments")?,
                arguments.last().copied(),
                "",
                options_of(package),
            )),
        };
        let hands_all = options
            .last()
            .is_some_and(|option| option.kind() == "variadic_argument");
        Some(Site {
            keys: said.keys,
            whole: hands_all,
            annotations_parameter: parameter.map(|(_, position)| position),
            ..self.site(call, *name, annotations)
        })
    }

    fn said<'t>(&self, call: Node<'_>, package: &Package, options: &[Node<'t>]) -> Said<'t> {
        let mut said = Said {
            annotations: None,
            whole: None,
            keys: Vec::new(),
        };
        for given in options {
            let Some((_, name, arguments)) = self.called(*given) else {
                if given.kind() == "variadic_argument" {
                    said.annotations = Some(self.expression(*given));
                }
                continue;
            };
            let value = arguments.first().copied();
            let hint = Hint::ALL.into_iter().find(|hint| option(*hint) == name);
            match (hint.zip(value), name, value) {
                // It replaces what the options before it said.
                (None, "WithToolAnnotation", Some(value)) => {
                    said.annotations = Some(self.annotations(value));
                    said.whole = Some(value);
                }
                (None, "WithTitleAnnotation", _) | (Some(_), ..) => {
                    let annotations = said.annotations.get_or_insert_with(|| {
                        Annotations::Literal(none_yet(self.source, call, package, options))
                    });
                    if let (Annotations::Literal(literal), Some((hint, value))) =
                        (annotations, hint.zip(value))
                    {
                        literal.entries.push(self.entry(hint, value));
                    }
                }
                _ => {
                    let key = name.strip_prefix("With").unwrap_or(name);
                    said.keys.push(member(key));
                    continue;
                }
            }
            said.keys.push("annotations".to_owned());
        }
        said.keys.dedup();
        said
    }
}

fn options_of(package: &Package) -> Notation {
    Notation::Options {
        package: package.name.clone(),
    }
}

/// Annotations made of options, before the first hint.
fn none_yet(source: &str, call: Node<'_>, package: &Package, options: &[Node<'_>]) -> Literal {
    let list = field(call, "arguments").unwrap_or(call);
    Literal {
        span: call.byte_range(),
        entries: Vec::new(),
        slot: slot_after(
            source,
            list,
            options.last().copied(),
            "",
            options_of(package),
        ),
    }
}
