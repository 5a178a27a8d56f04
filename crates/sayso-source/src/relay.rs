//! Where tools are handed on: wrappers, factories and loops over catalogues, and what they drop.

use std::collections::BTreeSet;

use crate::facts::{Annotations, Form, Function, Handed, NameSource, Notation, Shape, Site, Slot};
use crate::language::Language;
use crate::survey::{FoundRelay, Place, Sources};

/// A place that hands a tool on under a name it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The function it is in, if one with a name is around it.
    pub function: Option<String>,
    /// Where.
    pub place: Place,
    /// Whether it registers the tool, or only makes what is registered elsewhere.
    pub registers: bool,
    /// What it hands on, in the order of the text; empty where it hands on a whole.
    pub keys: Vec<String>,
    /// Whether annotations get through.
    pub carries_annotations: bool,
    /// What to add where, so that they do.
    pub steps: Vec<Step>,
}

/// One thing to add, so that annotations get through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What kind of place it is.
    pub kind: StepKind,
    /// The function, type or file it is about.
    pub subject: String,
    /// Where.
    pub place: Place,
    /// The code to add.
    pub add: String,
}

/// What kind of place something is added in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    /// The imports of a file.
    Import,
    /// A type's members.
    Member,
    /// A function's parameters.
    Parameter,
    /// What a function hands on.
    HandOn,
}

/// Every relay of the sources.
pub(crate) fn relays(sources: &Sources<'_>) -> Vec<FoundRelay> {
    let mut found = Vec::new();
    for (file, facts) in sources.facts.iter().enumerate() {
        for site in &facts.sites {
            let NameSource::Handed(handed) = &site.name else {
                continue;
            };
            let relay = relay(sources, file, site, handed);
            if relay.relay.registers || is_called_with_a_tool(sources, &relay) {
                found.push(relay);
            }
        }
    }
    let types = types_in_use(sources, &found);
    for relay in &mut found {
        if !relay.relay.carries_annotations {
            relay.relay.steps = steps(sources, relay, &types);
        }
    }
    // A call and the object in it are one place.
    found.sort_by_key(|relay| (relay.file, relay.relay.place.span.start, relay.site.form));
    found.dedup_by_key(|relay| (relay.file, relay.relay.place.span.start));
    found
}

fn relay(sources: &Sources<'_>, file: usize, site: &Site, handed: &Handed) -> FoundRelay {
    let functions = sources
        .facts
        .get(file)
        .map_or(&[][..], |facts| &facts.functions);
    let giver = handed.parameter.as_ref().and_then(|(span, position)| {
        let function = functions.iter().find(|function| function.span == *span)?;
        Some((function, *position))
    });
    let around = giver
        .map(|(function, _)| function)
        .or_else(|| innermost(functions, site));
    let carries_annotations = site.whole || site.keys.iter().any(|key| key == "annotations");
    FoundRelay {
        relay: Relay {
            function: around.map(|function| function.name.clone()),
            place: sources.place(file, &site.anchor),
            registers: site.form != Form::Definition || site.in_list_handler,
            keys: site.keys.clone(),
            carries_annotations,
            steps: Vec::new(),
        },
        file,
        site: site.clone(),
        function: giver.map(|(function, position)| {
            let parameter = function.parameters.get(position);
            let names = parameter
                .map(|parameter| parameter.names.clone())
                .unwrap_or_default();
            (function.name.clone(), position, names)
        }),
        parameters: giver
            .map(|(function, _)| function.parameters.clone())
            .unwrap_or_default(),
    }
}

/// The innermost function with a name around a site.
fn innermost<'f>(functions: &'f [Function], site: &Site) -> Option<&'f Function> {
    let around = functions.iter().filter(|function| {
        function.span.start <= site.span.start && site.span.end <= function.span.end
    });
    around.min_by_key(|function| function.span.len())
}

/// Whether some call hands a tool's name or its whole definition over.
fn is_called_with_a_tool(sources: &Sources<'_>, relay: &FoundRelay) -> bool {
    let NameSource::Handed(handed) = &relay.site.name else {
        return false;
    };
    sources.facts.iter().any(|facts| {
        facts.calls.iter().any(|call| {
            let Some(argument) = relay.handing(call) else {
                return false;
            };
            if !handed.member {
                return matches!(argument.name, NameSource::Text(_) | NameSource::Constant(_));
            }
            facts.sites.iter().any(|site| {
                let has_name = matches!(site.name, NameSource::Text(_) | NameSource::Constant(_));
                has_name && site.span == argument.span
            })
        })
    })
}

/// The types that the functions on the way name.
fn types_in_use(sources: &Sources<'_>, relays: &[FoundRelay]) -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    for relay in relays {
        let functions = sources
            .facts
            .get(relay.file)
            .map_or(&[][..], |facts| &facts.functions);
        let named = functions
            .iter()
            .filter(|function| relay.relay.function.as_ref() == Some(&function.name));
        types.extend(named.flat_map(|function| function.types.iter().cloned()));
    }
    types
}

fn steps(sources: &Sources<'_>, relay: &FoundRelay, types: &BTreeSet<String>) -> Vec<Step> {
    let mut steps = Vec::new();
    let NameSource::Handed(handed) = &relay.site.name else {
        return steps;
    };
    if handed.member {
        for (file, shape) in shapes(sources, types) {
            steps.extend(import_step(sources, file));
            steps.push(Step {
                kind: StepKind::Member,
                subject: shape.name.clone(),
                place: sources.place(file, &shape.span),
                add: declared(sources, file, true),
            });
        }
    }
    let subject = relay.relay.function.clone().unwrap_or_default();
    let parameter = handed
        .parameter
        .as_ref()
        .and_then(|(_, position)| relay.parameters.get(*position));
    let takes_apart = handed.member && parameter.is_some_and(|parameter| parameter.is_pattern);
    if let Some((span, members)) = parameter.and_then(|parameter| parameter.members.as_ref())
        && handed.member
        && !members.iter().any(|member| member == "annotations")
    {
        steps.push(Step {
            kind: StepKind::Parameter,
            subject: subject.clone(),
            place: sources.place(relay.file, span),
            add: declared(sources, relay.file, true),
        });
    }
    if !handed.member || takes_apart {
        steps.push(Step {
            kind: StepKind::Parameter,
            subject: subject.clone(),
            place: parameter_place(sources, relay, handed),
            add: match takes_apart {
                true => "annotations".to_owned(),
                false => declared(sources, relay.file, false),
            },
        });
    }
    steps.push(Step {
        kind: StepKind::HandOn,
        subject,
        place: relay.relay.place.clone(),
        add: hand_on(sources, relay, handed, takes_apart),
    });
    steps
}

fn parameter_place(sources: &Sources<'_>, relay: &FoundRelay, handed: &Handed) -> Place {
    match &handed.parameter {
        Some((function, _)) => sources.place(relay.file, function),
        None => relay.relay.place.clone(),
    }
}

/// The types of definitions that have no place for annotations.
fn shapes<'s>(sources: &'s Sources<'_>, types: &BTreeSet<String>) -> Vec<(usize, &'s Shape)> {
    let files = sources.facts.iter().enumerate();
    let all = files.flat_map(|(file, facts)| facts.shapes.iter().map(move |shape| (file, shape)));
    let has = |shape: &Shape, key: &str| shape.members.iter().any(|member| member == key);
    let candidates: Vec<(usize, &Shape)> = all
        .filter(|(_, shape)| {
            let is_definition = has(shape, "name")
                && ["inputSchema", "input_schema", "schema", "parameters"]
                    .iter()
                    .any(|key| has(shape, key));
            is_definition && !has(shape, "annotations")
        })
        .collect();
    let named: Vec<(usize, &Shape)> = candidates
        .iter()
        .copied()
        .filter(|(_, shape)| types.contains(&shape.name))
        .collect();
    if named.is_empty() { candidates } else { named }
}

fn import_step(sources: &Sources<'_>, file: usize) -> Option<Step> {
    let source = sources.files.get(file)?;
    if sources.facts.get(file)?.knows_annotations_type {
        return None;
    }
    Some(Step {
        kind: StepKind::Import,
        subject: source.path.clone(),
        place: sources.place(file, &(0..0)),
        add: match source.language {
            Language::TypeScript | Language::JavaScript => {
                "import type { ToolAnnotations } from \"@modelcontextprotocol/sdk/types.js\";"
            }
            Language::Python => "from mcp.types import ToolAnnotations",
            Language::Rust => "use rmcp::model::ToolAnnotations;",
            Language::Go => "import \"github.com/modelcontextprotocol/go-sdk/mcp\"",
            Language::CSharp => "using ModelContextProtocol.Protocol;",
            Language::Kotlin => "import io.modelcontextprotocol.kotlin.sdk.types.ToolAnnotations",
            Language::Java => "import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;",
        }
        .to_owned(),
    })
}

/// A member or parameter for annotations, as the language declares it.
fn declared(sources: &Sources<'_>, file: usize, is_member: bool) -> String {
    let is_mark3labs = sources
        .files
        .get(file)
        .is_some_and(|file| file.text.contains("github.com/mark3labs/mcp-go/mcp"));
    let declared = match (sources.files.get(file).map(|file| file.language), is_member) {
        (Some(Language::Go), true) if is_mark3labs => "Annotations mcp.ToolAnnotation",
        (Some(Language::Go), true) => "Annotations *mcp.ToolAnnotations",
        (Some(Language::Go), false) if is_mark3labs => "annotations mcp.ToolAnnotation",
        (Some(Language::Go), false) => "annotations *mcp.ToolAnnotations",
        (Some(Language::Python), _) => "annotations: ToolAnnotations | None = None",
        (Some(Language::Rust), _) => "annotations: ToolAnnotations",
        (Some(Language::JavaScript), false) => "annotations",
        _ => "annotations?: ToolAnnotations",
    };
    declared.to_owned()
}

/// How the annotations are handed on where the name is.
fn hand_on(sources: &Sources<'_>, relay: &FoundRelay, handed: &Handed, apart: bool) -> String {
    let language = sources.files.get(relay.file).map(|file| file.language);
    let is_python = language == Some(Language::Python);
    let name = sources.text(relay.file, &relay.site.anchor);
    let root = &handed.root;
    let value = match (
        handed.member && !apart,
        name.contains('[') || name.contains(".get("),
    ) {
        (true, true) if is_python => format!("{root}.get(\"annotations\")"),
        (true, true) => format!("{root}[\"annotations\"]"),
        (true, false) => format!("{root}.annotations"),
        (false, _) => "annotations".to_owned(),
    };
    if language == Some(Language::Go) {
        let value = value.replace(".annotations", ".Annotations");
        return match &relay.site.annotations {
            Annotations::Absent(Slot {
                notation: Notation::Options { package },
                ..
            }) => format!("{package}.WithToolAnnotation({value})"),
            _ => format!("Annotations: {value}"),
        };
    }
    match (language, value.as_str()) {
        (Some(Language::Python), _) => format!("annotations={value}"),
        (Some(Language::Rust), "annotations") => ".with_annotations(annotations)".to_owned(),
        (Some(Language::Rust), _) => format!(".with_annotations({value}.clone())"),
        (_, "annotations") => value,
        (..) => format!("annotations: {value}"),
    }
}
