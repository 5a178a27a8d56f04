//! The registrations of a set of files.

mod constants;
mod lines;

use std::collections::BTreeSet;
use std::ops::Range;

use sayso_core::hint::Hints;

use crate::facts::{
    Annotations, Argument, Call, Facts, Form, NameSource, Notation, Parameter, Site,
};
use crate::language::Language;
use crate::relay::{Relay, relays};
use crate::{csharp, go, java, kotlin, python, rust, typescript};
use constants::Constants;
use lines::Lines;

/// A file to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, as it is shown.
    pub path: String,
    /// How it is read.
    pub language: Language,
    /// Its text.
    pub text: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, by its position among those that were read.
    pub file: usize,
    /// The bytes.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A tool's name in source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolName {
    /// It is written out, here or as a constant.
    Known(String),
    /// It is made when the server runs; the expression that makes it, shortened to a line.
    Unknown(String),
}

/// A place where a tool is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The tool's name.
    pub name: ToolName,
    /// How it is registered.
    pub form: Form,
    /// Where its name stands, or what else a person is to look at.
    pub place: Place,
    /// The bytes of the whole registration.
    pub span: Range<usize>,
    /// What stands for its annotations.
    pub annotations: Annotations,
    /// What it goes through on its way to the server, by position in [`Survey::relays`].
    pub through: Vec<usize>,
}

impl Registration {
    /// The hints whose values can be read.
    #[must_use]
    pub fn hints(&self) -> Hints<Option<bool>> {
        self.annotations.hints()
    }

    /// The name, where it is known.
    #[must_use]
    pub fn known_name(&self) -> Option<&str> {
        match &self.name {
            ToolName::Known(name) => Some(name),
            ToolName::Unknown(_) => None,
        }
    }
}

/// What a set of files registers.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The registrations, in the order of the files and of their text.
    pub registrations: Vec<Registration>,
    /// The functions and loops that hand a tool on whose name comes from elsewhere.
    pub relays: Vec<Relay>,
    /// The files whose syntax could not be read throughout, by position.
    pub broken: Vec<usize>,
}

/// What is known of all files, while it is put together.
pub(crate) struct Sources<'f> {
    pub(crate) files: &'f [SourceFile],
    pub(crate) facts: Vec<Facts>,
    pub(crate) constants: Constants,
    lines: Vec<Lines>,
}

impl Survey {
    /// Finds the registrations of a set of files.
    #[must_use]
    pub fn of(files: &[SourceFile]) -> Self {
        let sources = Sources::new(files);
        let relays = relays(&sources);
        let mut found = Found {
            sources: &sources,
            relays: &relays,
            registrations: Vec::new(),
        };
        for (file, facts) in sources.facts.iter().enumerate() {
            for site in &facts.sites {
                found.site(file, site);
            }
            for call in &facts.calls {
                found.call(file, call);
            }
        }
        let mut registrations = found.registrations;
        lend_pointers(&sources, &mut registrations);
        registrations.sort_by_key(|registration| {
            (
                registration.place.file,
                registration.place.span.start,
                registration.form,
            )
        });
        // An object that is the argument of a registering call is found as both; the call counts.
        registrations
            .dedup_by_key(|registration| (registration.place.file, registration.place.span.start));
        Self {
            broken: broken(&sources),
            registrations,
            relays: relays.into_iter().map(|relay| relay.relay).collect(),
        }
    }

    /// The registrations of a tool.
    pub fn registrations_of<'s>(
        &'s self,
        name: &'s str,
    ) -> impl Iterator<Item = &'s Registration> + 's {
        let all = self.registrations.iter();
        all.filter(move |registration| registration.known_name() == Some(name))
    }
}

/// Gives the structs of Go the function of their package that makes pointers, where their own file
/// has none: the files of a package are those of a directory.
fn lend_pointers(sources: &Sources<'_>, registrations: &mut [Registration]) {
    let directory = |file: usize| {
        let file = sources.files.get(file)?;
        let path = file.path.rsplit_once(['/', '\\']);
        Some(path.map_or("", |(directory, _)| directory))
    };
    for registration in registrations {
        let slot = match &mut registration.annotations {
            Annotations::Absent(slot) => slot,
            Annotations::Literal(literal) => &mut literal.slot,
            Annotations::Expression { .. } | Annotations::Unreachable => continue,
        };
        if let Notation::Fields { pointer, .. } = &mut slot.notation
            && pointer.is_none()
        {
            let own = directory(registration.place.file);
            let mut files = sources.facts.iter().enumerate();
            *pointer = files.find_map(|(file, facts)| {
                let function = facts.pointer_function.clone();
                function.filter(|_| directory(file) == own)
            });
        }
    }
}

fn broken(sources: &Sources<'_>) -> Vec<usize> {
    let files = sources.facts.iter().enumerate();
    files
        .filter(|(_, facts)| facts.is_broken)
        .map(|(file, _)| file)
        .collect()
}

impl<'f> Sources<'f> {
    fn new(files: &'f [SourceFile]) -> Self {
        let facts: Vec<Facts> = files.iter().map(facts).collect();
        Self {
            files,
            constants: Constants::of(&facts),
            lines: files.iter().map(|file| Lines::of(&file.text)).collect(),
            facts,
        }
    }

    pub(crate) fn place(&self, file: usize, span: &Range<usize>) -> Place {
        let text = self.files.get(file).map_or("", |file| file.text.as_str());
        let (line, column) = self
            .lines
            .get(file)
            .map_or((1, 1), |lines| lines.position(text, span.start));
        Place {
            file,
            span: span.clone(),
            line,
            column,
        }
    }

    pub(crate) fn text(&self, file: usize, span: &Range<usize>) -> &'f str {
        let file = self.files.get(file);
        file.and_then(|file| file.text.get(span.clone()))
            .unwrap_or_default()
    }
}

fn facts(file: &SourceFile) -> Facts {
    let Some(tree) = file.language.parse(&file.text) else {
        return Facts {
            is_broken: true,
            ..Facts::default()
        };
    };
    match file.language {
        Language::TypeScript | Language::JavaScript => {
            typescript::facts(tree.root_node(), &file.text)
        }
        Language::Python => python::facts(tree.root_node(), &file.text),
        Language::Rust => rust::facts(tree.root_node(), &file.text),
        Language::CSharp => csharp::facts(tree.root_node(), &file.text),
        Language::Java => java::facts(tree.root_node(), &file.text),
        Language::Kotlin => kotlin::facts(tree.root_node(), &file.text),
        Language::Go => go::facts(tree.root_node(), &file.text),
    }
}

struct Found<'a, 'f> {
    sources: &'a Sources<'f>,
    relays: &'a [FoundRelay],
    registrations: Vec<Registration>,
}

/// A relay, and what has to be known of it to see what goes through.
pub(crate) struct FoundRelay {
    pub(crate) relay: Relay,
    pub(crate) file: usize,
    pub(crate) site: Site,
    /// The function whose calls hand tools over, by name, with the parameter's position and its
    /// names.
    pub(crate) function: Option<(String, usize, Vec<String>)>,
    /// All of that function's parameters.
    pub(crate) parameters: Vec<Parameter>,
}

impl FoundRelay {
    /// The argument of a call that hands the tool over.
    pub(crate) fn handing<'c>(&self, call: &'c Call) -> Option<&'c Argument> {
        let (name, position, names) = self.function.as_ref()?;
        if *name != call.callee {
            return None;
        }
        argument(call, *position, names)
    }
}

/// The argument for a parameter, by keyword or by position.
fn argument<'c>(call: &'c Call, position: usize, names: &[String]) -> Option<&'c Argument> {
    let by_keyword = call.arguments.iter().find(|argument| {
        let keyword = argument.keyword.as_ref();
        keyword.is_some_and(|keyword| names.contains(keyword))
    });
    by_keyword.or_else(|| {
        call.arguments
            .get(position)
            .filter(|argument| argument.keyword.is_none())
    })
}

impl Found<'_, '_> {
    /// A registration or definition with a name of its own.
    fn site(&mut self, file: usize, site: &Site) {
        let factories = self.factories(file, &site.span);
        let name = match &site.name {
            NameSource::Handed(_) => return,
            NameSource::Text(text) => ToolName::Known(text.clone()),
            NameSource::Constant(path) => match self.sources.constants.get(file, path) {
                Some(text) => ToolName::Known(text),
                None => ToolName::Unknown(path.clone()),
            },
            NameSource::Unknown(expression) => ToolName::Unknown(expression.clone()),
        };
        let in_catalogue = site.is_in_catalogue() && self.registers_definitions();
        if !site.stands_alone && factories.is_empty() && !in_catalogue {
            return;
        }
        let is_definition = site.form == Form::Definition;
        let is_unknown = matches!(name, ToolName::Unknown(_));
        if is_definition && is_unknown && !site.in_list_handler && factories.is_empty() {
            return;
        }
        let through = if is_definition && !site.in_list_handler {
            self.through(&factories)
        } else {
            Vec::new()
        };
        self.push(
            file,
            site.form,
            name,
            (&site.anchor, &site.span),
            site.annotations.clone(),
            through,
        );
    }

    /// Whether definitions are registered somewhere by a place that is handed them.
    fn registers_definitions(&self) -> bool {
        !self.through(&[]).is_empty()
    }

    /// The relays whose function gets this definition as an argument.
    fn factories(&self, file: usize, span: &Range<usize>) -> Vec<usize> {
        let calls = self
            .sources
            .facts
            .get(file)
            .map_or(&[][..], |facts| &facts.calls);
        let mut found = BTreeSet::new();
        for call in calls {
            for (position, relay) in self.relays.iter().enumerate() {
                let handed = relay.handing(call);
                if handed.is_some_and(|argument| argument.span == *span) {
                    found.insert(position);
                }
            }
        }
        found.into_iter().collect()
    }

    /// What a definition goes through: the function it is handed to, and every place that
    /// registers what it is handed without a name of its own.
    fn through(&self, factories: &[usize]) -> Vec<usize> {
        let registers = |relay: &FoundRelay| {
            let is_final = relay.site.form != Form::Definition || relay.site.in_list_handler;
            let takes_definitions =
                matches!(&relay.site.name, NameSource::Handed(handed) if handed.member);
            is_final && takes_definitions
        };
        let relays = self.relays.iter().enumerate();
        let further = relays
            .filter(|(_, relay)| registers(relay))
            .map(|(position, _)| position);
        let all: BTreeSet<usize> = factories.iter().copied().chain(further).collect();
        all.into_iter().collect()
    }

    /// A call of a function that registers a tool under the name it is given.
    fn call(&mut self, file: usize, call: &Call) {
        for (position, relay) in self.relays.iter().enumerate() {
            let NameSource::Handed(handed) = &relay.site.name else {
                continue;
            };
            let inside = relay.file == file && contains(&relay.site.span, &call.span);
            if handed.member || inside {
                continue;
            }
            let Some(argument) = relay.handing(call) else {
                continue;
            };
            let name = match &argument.name {
                NameSource::Text(text) => text.clone(),
                NameSource::Constant(path) => match self.sources.constants.get(file, path) {
                    Some(text) => text,
                    None => continue,
                },
                NameSource::Handed(_) | NameSource::Unknown(_) => continue,
            };
            let annotations = wrapped_annotations(relay, call);
            let through = vec![position];
            let spans = (&argument.span, &call.span);
            self.push(
                file,
                Form::Wrapper,
                ToolName::Known(name),
                spans,
                annotations,
                through,
            );
            return;
        }
    }

    fn push(
        &mut self,
        file: usize,
        form: Form,
        name: ToolName,
        (anchor, span): (&Range<usize>, &Range<usize>),
        annotations: Annotations,
        through: Vec<usize>,
    ) {
        self.registrations.push(Registration {
            name,
            form,
            place: self.sources.place(file, anchor),
            span: span.clone(),
            annotations,
            through,
        });
    }
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// What a call of a wrapper has for annotations.
fn wrapped_annotations(relay: &FoundRelay, call: &Call) -> Annotations {
    let at = |position: usize| {
        let parameter = relay.parameters.get(position)?;
        argument(call, position, &parameter.names)
    };
    if let Some(position) = relay.site.whole_parameter {
        let argument = at(position).and_then(|argument| argument.configuration.clone());
        return argument.unwrap_or_else(|| Annotations::Expression {
            text: "…".to_owned(),
        });
    }
    if let Some(position) = relay.site.annotations_parameter {
        return match at(position) {
            Some(argument) => argument.as_annotations.clone(),
            // Only the next argument in line can be added without the ones between.
            None if call.arguments.len() == position || takes_keywords(call) => {
                Annotations::Absent(call.slot.clone())
            }
            None => Annotations::Unreachable,
        };
    }
    match relay.site.whole {
        true if takes_keywords(call) => Annotations::Absent(call.slot.clone()),
        _ => Annotations::Unreachable,
    }
}

fn takes_keywords(call: &Call) -> bool {
    matches!(call.slot.notation, crate::facts::Notation::Keyword { .. })
}
