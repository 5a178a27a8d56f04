//! Arguments against the pinned input schema and what the operator allows.

mod allowed;
mod defaults;

use sayso_core::json::{Document, Limits, Pointer, Value};
use serde_json::{Map, Value as Json};

pub use super::schema::{Invalid, Problem, SchemaProblem};

use super::parse::same_letters;
use super::schema::Schema;
use crate::settings::{Defaults, JournalSettings, ToolSettings, UnknownArguments};
use allowed::Allowed;

/// What the arguments of one tool are held against. Compiled once for each pinned definition.
#[derive(Debug)]
pub struct Validator {
    schema: Schema,
    allowed: Vec<Allowed>,
    apply_defaults: bool,
}

/// The arguments to send, now that they fit.
#[derive(Clone, Debug)]
pub enum Judged {
    /// As they came: the same bytes, or none where none came.
    AsCame,
    /// With defaults of the schema written in; all else byte for byte as it came.
    WithDefaults(Document),
}

impl Judged {
    /// The arguments to judge further and to send; `came` are those that were checked.
    #[must_use]
    pub fn arguments<'a>(&'a self, came: Option<Value<'a>>) -> Option<Value<'a>> {
        match self {
            Self::AsCame => came,
            Self::WithDefaults(document) => Some(document.root()),
        }
    }
}

impl Validator {
    /// Compiles a tool's `inputSchema`, given as its text.
    ///
    /// A schema without `$schema` is read as 2020-12, as the specification has it (MCP
    /// 2025-11-25, Basic §JSON Schema Usage). A value `journal` hides is in no message.
    ///
    /// # Errors
    /// When the schema cannot be used: no tool is called unchecked.
    pub fn compile(
        input_schema: &str,
        settings: &ToolSettings,
        journal: &JournalSettings,
    ) -> Result<Self, SchemaProblem> {
        let refuse = settings.unknown_arguments == UnknownArguments::Refuse;
        let adapt = |schema: &mut Map<String, Json>| {
            if refuse {
                refuse_unknown(schema);
            }
        };
        Ok(Self {
            schema: Schema::compile(input_schema, journal, adapt)?,
            allowed: settings
                .arguments
                .iter()
                .map(|(name, settings)| Allowed::new(name, settings, journal))
                .collect(),
            apply_defaults: settings.defaults == Defaults::Apply,
        })
    }

    /// For a server on this machine: a path counts as where its symbolic links lead, as far as it
    /// exists.
    #[must_use]
    pub fn on_this_machine(mut self) -> Self {
        for allowed in &mut self.allowed {
            allowed.follow_links();
        }
        self
    }

    /// Holds arguments against the schema and what is allowed. None are an empty object. This
    /// reads links from the file system where paths are restricted, and nothing else.
    ///
    /// # Errors
    /// When they do not fit, with all that is wrong.
    pub fn check(&self, arguments: Option<Value<'_>>) -> Result<Judged, Invalid> {
        let empty;
        let given = match arguments {
            Some(given) => given,
            None => {
                empty = read("{}".to_owned())?;
                empty.root()
            }
        };
        if !given.is_object() {
            let message = format!(
                "the arguments are {}, not an object",
                given.kind().describe()
            );
            return Err(Invalid::one(Problem::whole(&message)));
        }
        let judged = match self.with_defaults(given) {
            Some(text) => Judged::WithDefaults(read(text)?),
            None => Judged::AsCame,
        };
        let value = judged.arguments(Some(given)).unwrap_or(given);
        let mut invalid = self.schema.check(value).err().unwrap_or_default();
        for allowed in &self.allowed {
            allowed.check(value, &mut invalid);
        }
        self.check_spelling(value, &mut invalid);
        if invalid.problems().is_empty() {
            Ok(judged)
        } else {
            Err(invalid)
        }
    }

    /// Refuses an argument that only the case of its letters keeps apart from one that is judged:
    /// a server that does not tell them apart would run with the other's value.
    fn check_spelling(&self, arguments: Value<'_>, into: &mut Invalid) {
        let properties = self.schema.text().get("properties");
        let properties = properties.and_then(Json::as_object);
        let named = properties.into_iter().flat_map(Map::keys);
        let named = named.map(String::as_str);
        let known: Vec<&str> = named
            .chain(self.allowed.iter().map(Allowed::name))
            .collect();
        for member in arguments.members() {
            if known.contains(&&*member.key) {
                continue;
            }
            if let Some(meant) = known.iter().find(|name| same_letters(name, &member.key)) {
                let at = Pointer::default().join(&member.key);
                let message = "differs from an argument of the tool in capital letters only";
                into.add(Problem::at(&at, message).with_nearest(Some((*meant).to_owned())));
            }
        }
    }

    fn with_defaults(&self, given: Value<'_>) -> Option<String> {
        if !self.apply_defaults {
            return None;
        }
        defaults::applied(self.schema.text(), given)
    }
}

/// Reads arguments made here. They are hardly larger than what came, which was within limits.
fn read(text: String) -> Result<Document, Invalid> {
    Document::parse(text, &Limits::default()).map_err(|error| {
        let message = format!("with the schema's defaults they cannot be read: {error}");
        Invalid::one(Problem::whole(&message))
    })
}

/// Adds the keyword that refuses what the schema does not name: `unevaluatedProperties` sees also
/// what is named in an `allOf` or behind a reference; draft-07 has only `additionalProperties`.
fn refuse_unknown(schema: &mut Map<String, Json>) {
    let dialect = schema
        .get("$schema")
        .and_then(Json::as_str)
        .unwrap_or("2020-12");
    let keyword = if dialect.contains("2020-12") || dialect.contains("2019-09") {
        schema.remove("additionalProperties");
        "unevaluatedProperties"
    } else {
        "additionalProperties"
    };
    schema.insert(keyword.to_owned(), Json::Bool(false));
}
