//! What a tool's arguments let a caller do.

use std::borrow::Cow;

use sayso_core::json::{Kind, Value};

use super::act::Act;
use super::lexicon::{Forms, Lexicon};
use super::names;

/// Past this many, further arguments are not looked at.
const MOST: usize = 200;

/// What kind of value an argument takes, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Takes {
    /// Anything, or not said.
    #[default]
    Anything,
    /// `true` or `false`.
    Boolean,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object.
    Object,
    /// A number.
    Number,
}

/// One argument, also a nested one.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its schema.
    pub value: Value<'a>,
    /// Its description, by its number among the texts of the tool.
    pub description: Option<usize>,
    /// The strings it may be, from `enum` and `const`.
    pub members: Vec<Cow<'a, str>>,
    /// What it takes.
    pub takes: Takes,
    /// Whether it has to be given.
    pub required: bool,
    /// Whether it stands at the top of the arguments.
    pub top: bool,
}

/// Reads arguments out of an input schema.
pub(super) struct ArgumentReader<'a> {
    root: Value<'a>,
    found: Vec<Argument<'a>>,
    descriptions: Vec<Value<'a>>,
}

impl<'a> ArgumentReader<'a> {
    /// Every argument of a schema, and the values of their descriptions in the order of [`Argument::description`].
    pub(super) fn read(schema: Value<'a>) -> (Vec<Argument<'a>>, Vec<Value<'a>>) {
        let mut reader = Self {
            root: schema,
            found: Vec::new(),
            descriptions: Vec::new(),
        };
        reader.object(schema, 0);
        (reader.found, reader.descriptions)
    }

    fn object(&mut self, schema: Value<'a>, depth: usize) {
        let (mut properties, mut required, mut reference) = (None, None, None);
        for member in schema.members() {
            match member.key.as_ref() {
                "properties" => properties = Some(member.value),
                "required" => required = Some(member.value),
                "oneOf" | "anyOf" | "allOf" if depth < 4 => {
                    for choice in member.value.elements() {
                        self.object(choice, depth + 1);
                    }
                }
                "items" if depth > 0 && depth < 4 => self.object(member.value, depth + 1),
                "$ref" if depth < 4 => reference = Some(member.value),
                _ => {}
            }
        }
        if let Some(target) = reference.and_then(|reference| self.resolve(reference)) {
            self.object(target, depth + 1);
        }
        for property in properties.into_iter().flat_map(Value::members) {
            if self.found.len() >= MOST {
                return;
            }
            let needed = required.is_some_and(|required| {
                required
                    .elements()
                    .any(|name| name.as_str().is_some_and(|name| name == property.key))
            });
            self.property(property.key, property.value, needed, depth);
        }
    }

    fn property(&mut self, name: Cow<'a, str>, schema: Value<'a>, required: bool, depth: usize) {
        let mut argument = Argument {
            name,
            value: schema,
            description: None,
            members: Vec::new(),
            takes: Takes::Anything,
            required,
            top: depth == 0,
        };
        let mut nested = false;
        self.keywords(schema, &mut argument, &mut nested, 0);
        self.found.push(argument);
        if nested && depth < 3 {
            self.object(schema, depth + 1);
        }
    }

    fn keywords(
        &mut self,
        schema: Value<'a>,
        argument: &mut Argument<'a>,
        nested: &mut bool,
        depth: usize,
    ) {
        for member in schema.members() {
            match member.key.as_ref() {
                "description"
                    if argument.description.is_none() && member.value.kind() == Kind::String =>
                {
                    argument.description = Some(self.descriptions.len());
                    self.descriptions.push(member.value);
                }
                "enum" => argument
                    .members
                    .extend(member.value.elements().take(64).filter_map(Value::as_str)),
                "const" => argument.members.extend(member.value.as_str()),
                "type" => {
                    let taken = member.value.as_str().or_else(|| {
                        member
                            .value
                            .elements()
                            .filter_map(Value::as_str)
                            .find(|name| name != "null")
                    });
                    argument.takes = taken.map_or(Takes::Anything, |name| takes(&name));
                }
                "properties" | "items" => *nested = true,
                "oneOf" | "anyOf" | "allOf" if depth < 3 => {
                    for choice in member.value.elements() {
                        self.keywords(choice, argument, nested, depth + 1);
                    }
                }
                "$ref" if depth < 3 => {
                    if let Some(target) = self.resolve(member.value) {
                        self.keywords(target, argument, nested, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// A reference inside the schema itself: `#/$defs/Name`.
    fn resolve(&self, reference: Value<'a>) -> Option<Value<'a>> {
        let path = reference.as_str()?;
        let mut value = self.root;
        for step in path.strip_prefix("#/")?.split('/') {
            value = value.get(&step.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(value)
    }
}

fn takes(name: &str) -> Takes {
    match name {
        "boolean" => Takes::Boolean,
        "string" => Takes::Text,
        "array" => Takes::List,
        "object" => Takes::Object,
        "integer" | "number" => Takes::Number,
        _ => Takes::Anything,
    }
}

/// Words that make an argument's name worth a closer look.
pub(super) const NAME_WORDS: [&str; 8] = [
    "action operation op mode method command cmd verb task subcommand",
    "idempotency idempotence client overwrite clobber upsert replace on if conflict conflicts exists existing duplicate duplicates collision strategy policy behavior behaviour",
    "ack acks acknowledge dequeue mark save write dump export download output out store local dest destination target outfile outdir outputdir outputpath savepath localpath outputfile",
    "shell bash argv cmdline commands code script javascript js applescript program snippet expression function source python lua ruby user",
    "sql cypher mutation statement statements url urls uri link page web website feed base",
    "delete purge consume claim archive notify send email publish commit persist charge dismiss close cancel revoke reset lock",
    "register push upload advance pop lease unsubscribe subscribe invite post submit update wipe truncate erase destroy remove clear",
    "create missing make add insert write fix repair autofix apply install restart force unlock",
];

/// What an argument makes possible, by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Names a place the result is written to.
    Path,
    /// Allows to replace what is there.
    Overwrite,
    /// Takes the items read off a queue, or marks them.
    Acknowledge,
    /// Switches another write on.
    Act(Act),
    /// A shell command.
    Shell,
    /// A program in some language.
    Code,
    /// A database statement.
    Statement,
    /// An address the caller chooses.
    Address,
    /// Makes a repeat harmless: an idempotency key.
    RepeatKey,
}

impl Argument<'_> {
    /// The lower-case parts of its name.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        names::each_part(&self.name)
            .filter_map(|part| self.name.get(part))
            .map(str::to_ascii_lowercase)
            .collect()
    }

    /// What the argument makes possible, by its name and kind.
    pub(super) fn power(&self, lexicon: &Lexicon) -> Option<Power> {
        let parts = self.parts();
        let words: Vec<&str> = parts.iter().map(String::as_str).collect();
        let switched = || {
            let verb = lexicon.verb_named(words.first()?)?;
            let switches =
                self.takes == Takes::Boolean && verb.forms.has(Forms::BASE) && switches(&words);
            (switches && verb.act.writes()).then_some(Power::Act(verb.act))
        };
        self.writing(&words)
            .or_else(|| self.free_form(&words))
            .or_else(switched)
    }

    /// A place that is written, a permission to replace, a mark on what is read.
    fn writing(&self, words: &[&str]) -> Option<Power> {
        let texty = matches!(self.takes, Takes::Text | Takes::Anything);
        match words {
            ["idempotency" | "idempotence", ..] | ["client", "token"] => Some(Power::RepeatKey),
            [.., "overwrite" | "clobber" | "upsert"]
            | ["overwrite" | "clobber" | "replace" | "upsert", ..]
                if !matches!(self.takes, Takes::Object | Takes::Number)
                    && !words.contains(&"with") =>
            {
                (self.takes != Takes::List).then_some(Power::Overwrite)
            }
            [
                "on" | "if",
                "conflict" | "conflicts" | "exists" | "exist" | "existing" | "duplicate"
                | "collision",
                ..,
            ]
            | ["conflict", ..]
                if self.members.is_empty() =>
            {
                Some(Power::Overwrite)
            }
            ["ack" | "acknowledge" | "acks" | "dequeue", ..]
            | ["mark", "as", ..]
            | ["mark", "read" | "seen" | "done" | "handled"]
                if words.len() == 1
                    || matches!(self.takes, Takes::Boolean | Takes::List | Takes::Anything) =>
            {
                Some(Power::Acknowledge)
            }
            [
                "save" | "write" | "dump" | "export" | "download" | "output" | "out" | "store"
                | "local" | "dest" | "destination" | "target",
                rest @ ..,
            ] if texty && names_a_place(rest) => Some(Power::Path),
            [
                "outfile" | "outdir" | "outputdir" | "outputpath" | "savepath" | "localpath"
                | "outputfile",
            ] if texty => Some(Power::Path),
            _ => None,
        }
    }

    /// What the caller writes or chooses freely.
    fn free_form(&self, words: &[&str]) -> Option<Power> {
        let texty = matches!(self.takes, Takes::Text | Takes::Anything);
        match words {
            [.., "shell" | "bash" | "argv"] | ["shell" | "bash", "command" | "script"] => {
                Some(Power::Shell)
            }
            ["command" | "cmd" | "commands" | "cmdline"]
                if self.members.is_empty() && !matches!(self.takes, Takes::Object) =>
            {
                Some(Power::Shell)
            }
            [
                "code" | "script" | "javascript" | "js" | "applescript" | "program" | "snippet"
                | "expression" | "function",
            ]
            | ["source", "code"]
            | [
                "python" | "js" | "lua" | "ruby" | "user" | "shell",
                "code" | "script",
            ]
            | ["script" | "code", "content" | "body" | "text" | "source"]
                if texty && self.members.is_empty() =>
            {
                Some(Power::Code)
            }
            ["sql" | "cypher" | "mutation"]
            | ["sql", "query" | "statement"]
            | ["statement" | "statements"]
                if self.members.is_empty() =>
            {
                Some(Power::Statement)
            }
            ["url" | "urls" | "uri" | "link"]
            | [
                "page" | "target" | "web" | "website" | "feed" | "base",
                "url",
            ] => Some(Power::Address),
            _ => None,
        }
    }
}

fn names_a_place(rest: &[&str]) -> bool {
    matches!(
        rest,
        ["to"]
            | [
                "to",
                "file" | "path" | "disk" | "dir" | "directory" | "folder"
            ]
            | ["path" | "file" | "dir" | "directory" | "folder" | "filename" | "filepath"]
            | ["file" | "dir", "path" | "name"]
            | ["as"]
    )
}

/// Whether a boolean beginning with a verb switches that on: `delete_source`, `notify`.
///
/// Most booleans that begin with a verb shape the answer (`compact`, `remove_images`,
/// `allow_external_links`), so this is a list of those that do not.
fn switches(words: &[&str]) -> bool {
    const CHANGES: [&str; 44] = [
        "unlock",
        "fix",
        "repair",
        "autofix",
        "apply",
        "install",
        "restart",
        "delete",
        "purge",
        "dequeue",
        "consume",
        "claim",
        "archive",
        "notify",
        "send",
        "email",
        "publish",
        "commit",
        "persist",
        "save",
        "charge",
        "dismiss",
        "close",
        "cancel",
        "revoke",
        "reset",
        "lock",
        "register",
        "write",
        "push",
        "upload",
        "advance",
        "pop",
        "lease",
        "unsubscribe",
        "subscribe",
        "invite",
        "post",
        "submit",
        "update",
        "wipe",
        "truncate",
        "erase",
        "destroy",
    ];
    match words {
        [
            "remove" | "clear",
            "after" | "from" | "source" | "original" | "queue" | "read",
            ..,
        ] => true,
        [
            "create" | "make" | "add" | "insert",
            "if" | "missing" | "when",
            ..,
        ] => true,
        [_, "only" | "by" | "level" | "type" | "id" | "mode", ..] => false,
        [first, ..] => CHANGES.contains(first),
        [] => false,
    }
}
