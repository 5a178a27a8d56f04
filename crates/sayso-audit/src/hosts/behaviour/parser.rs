//! What becomes of a hint between the wire and a host's policy: each SDK reads the states that
//! the specification does not know in its own way, and some lose the whole listing over one.

use std::sync::LazyLock;

use sayso_core::hint::{Claim, Hint, Hints};
use sayso_core::json::{Kind, Value};
use sayso_core::tool::{AnnotationsShape, Tool};
use serde::Deserialize;

use super::super::profile::ProfileError;
use super::{Behaviour, Seen};

/// File stem and text of every `parsers/*.toml`.
const PARSERS: &[(&str, &str)] = &[
    (
        "typescript-sdk",
        include_str!("../../../parsers/typescript-sdk.toml"),
    ),
    (
        "python-sdk",
        include_str!("../../../parsers/python-sdk.toml"),
    ),
    ("rust-sdk", include_str!("../../../parsers/rust-sdk.toml")),
    ("go-sdk", include_str!("../../../parsers/go-sdk.toml")),
    (
        "serde-option",
        include_str!("../../../parsers/serde-option.toml"),
    ),
    (
        "truthiness",
        include_str!("../../../parsers/truthiness.toml"),
    ),
    (
        "booleans-only",
        include_str!("../../../parsers/booleans-only.toml"),
    ),
];

/// How one family of clients reads a listing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parser {
    /// Its short name; also the file's stem.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The version that was looked at.
    pub version: String,
    /// The day it was looked at, `YYYY-MM-DD`.
    pub date_read: String,
    /// How it is known, in a sentence.
    pub evidence: String,
    /// A hint that is not there.
    #[serde(default)]
    pub absent: AbsentHints,
    /// A hint that is `null`.
    pub null: Treatment,
    /// A hint that is a string.
    pub string: Treatment,
    /// A hint that is a number.
    pub number: Treatment,
    /// A hint that is a list or an object.
    pub container: Treatment,
    /// `annotations` that are `null`.
    pub annotations_null: Treatment,
    /// `annotations` that are neither `null` nor an object.
    pub annotations_malformed: Treatment,
    /// A title, of the tool or in `annotations`, that is `null`.
    pub title_null: Treatment,
    /// A title that is neither `null` nor a string.
    pub title_malformed: Treatment,
    /// A key that stands more than once.
    pub duplicated: Duplicates,
    /// What else is to be said.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What hints that are not there are read as, where that is not "absent".
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct AbsentHints {
    /// Hints read as `false` in an `annotations` object that lacks them.
    pub read_as_false: Vec<Hint>,
}

/// What becomes of a state that the specification does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// Read as if it were not there.
    Absent,
    /// The whole listing is refused: every tool of the server is lost.
    RejectsListing,
    /// Read as a boolean where it can pass for one (`"true"`, `"yes"`, `"on"`, `1` and their
    /// opposites); anything else loses the whole listing.
    Coerced,
    /// Read as JavaScript reads a condition: anything but an empty string, `0` and `null` is true.
    Truthiness,
    /// Nobody has found out.
    Unknown,
}

/// Which of several members with the same key counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// The last.
    Last,
    /// The whole listing is refused.
    RejectsListing,
    /// Nobody has found out.
    Unknown,
}

/// Why a host loses a whole listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The position of the tool that makes it, in the listing, from 0.
    pub tool: usize,
    /// What it stumbles over: a place in the tool and its state, such as "`annotations.readOnlyHint` is null".
    pub reason: String,
}

/// A tool as a host's policy sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SeenTool {
    /// Each hint. Of one that nobody knows the reading of, [`SeenTool::unclear`] is true.
    pub hints: Hints<Seen>,
    /// The hints nobody knows the reading of.
    pub unclear: Hints<bool>,
}

/// Which of the members with a key counts.
enum Chosen<'a> {
    None,
    One(Value<'a>),
    Unclear,
    Rejected,
}

/// One value, read.
enum ReadValue {
    Seen(Seen),
    Unclear,
    Rejected,
}

impl Parser {
    /// Every parser that ships with the program.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Parser>> = LazyLock::new(|| {
            // A test parses every embedded file, so none is lost here.
            let parsed = Parser::embedded().into_iter();
            parsed.filter_map(|(_, parsed)| parsed.ok()).collect()
        });
        &ALL
    }

    /// The parser with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|parser| parser.id == id)
    }

    /// File stems of the parsers that ship with the program, and what their files say.
    #[must_use]
    pub fn embedded() -> Vec<(&'static str, Result<Self, ProfileError>)> {
        let parse = |(stem, text): &(&'static str, &str)| {
            let parsed = toml::from_str(text)
                .map_err(|error| ProfileError::new(&format!("{stem}.toml"), error.to_string()));
            (*stem, parsed)
        };
        PARSERS.iter().map(parse).collect()
    }

    /// Reads a tool as the client does.
    ///
    /// # Errors
    ///
    /// When the client would lose the whole listing over it.
    pub fn read(&self, tool: Tool<'_>) -> Result<SeenTool, Rejection> {
        let rejected = |reason: String| Rejection {
            tool: tool.position(),
            reason,
        };
        let annotations = match self.member(tool.value(), "annotations") {
            Chosen::None => None,
            Chosen::One(value) => Some(value),
            Chosen::Unclear => return Ok(SeenTool::unclear()),
            Chosen::Rejected => return Err(rejected("`annotations` stands twice".to_owned())),
        };
        self.check_title(tool.value(), "title").map_err(rejected)?;
        let Some(annotations) = annotations else {
            return Ok(SeenTool::default());
        };
        let treatment = match annotations.kind() {
            Kind::Object => {
                self.check_title(annotations, "annotations.title")
                    .map_err(rejected)?;
                return self.read_hints(annotations).map_err(rejected);
            }
            Kind::Null => self.annotations_null,
            _ => self.annotations_malformed,
        };
        match treatment {
            Treatment::RejectsListing | Treatment::Coerced => {
                let state = annotations.kind().describe();
                Err(rejected(format!("`annotations` is {state}")))
            }
            Treatment::Unknown => Ok(SeenTool::unclear()),
            Treatment::Absent | Treatment::Truthiness => Ok(SeenTool::default()),
        }
    }

    /// The member of an object that counts.
    fn member<'a>(&self, object: Value<'a>, key: &str) -> Chosen<'a> {
        let mut all = object.get_all(key);
        let Some(first) = all.next() else {
            return Chosen::None;
        };
        match (all.last(), self.duplicated) {
            (None, _) => Chosen::One(first),
            (Some(last), Duplicates::Last) => Chosen::One(last),
            (Some(_), Duplicates::RejectsListing) => Chosen::Rejected,
            (Some(_), Duplicates::Unknown) => Chosen::Unclear,
        }
    }

    fn read_hints(&self, annotations: Value<'_>) -> Result<SeenTool, String> {
        let mut read = SeenTool::default();
        for hint in Hint::ALL {
            let seen = match self.member(annotations, hint.key()) {
                Chosen::One(value) => match self.read_value(hint, value) {
                    ReadValue::Seen(seen) => Some(seen),
                    ReadValue::Unclear => None,
                    ReadValue::Rejected => {
                        let state = value.kind().describe();
                        return Err(format!("`annotations.{hint}` is {state}"));
                    }
                },
                Chosen::None => Some(self.nothing(hint)),
                Chosen::Unclear => None,
                Chosen::Rejected => return Err(format!("`annotations.{hint}` stands twice")),
            };
            match seen {
                Some(seen) => *read.hints.get_mut(hint) = seen,
                None => *read.unclear.get_mut(hint) = true,
            }
        }
        Ok(read)
    }

    /// A hint that is not there, in `annotations` that are.
    fn nothing(&self, hint: Hint) -> Seen {
        if self.absent.read_as_false.contains(&hint) {
            Seen::False
        } else {
            Seen::Absent
        }
    }

    fn read_value(&self, hint: Hint, value: Value<'_>) -> ReadValue {
        let treatment = match value.kind() {
            Kind::Bool(value) => return ReadValue::Seen(Seen::from_boolean(value)),
            Kind::Null => self.null,
            Kind::String => self.string,
            Kind::Number => self.number,
            Kind::Array | Kind::Object => self.container,
        };
        match treatment {
            Treatment::Absent => ReadValue::Seen(self.nothing(hint)),
            Treatment::RejectsListing => ReadValue::Rejected,
            Treatment::Unknown => ReadValue::Unclear,
            Treatment::Truthiness => ReadValue::Seen(truthiness(value)),
            Treatment::Coerced => match coerced(value) {
                Some(value) => ReadValue::Seen(Seen::from_boolean(value)),
                None => ReadValue::Rejected,
            },
        }
    }

    /// That the client does not stumble over a title; `place` names it in what is said if it does.
    fn check_title(&self, object: Value<'_>, place: &str) -> Result<(), String> {
        let value = match self.member(object, "title") {
            Chosen::One(value) => value,
            Chosen::Rejected => return Err(format!("`{place}` stands twice")),
            Chosen::None | Chosen::Unclear => return Ok(()),
        };
        let treatment = match value.kind() {
            Kind::String => return Ok(()),
            Kind::Null => self.title_null,
            _ => self.title_malformed,
        };
        match treatment {
            Treatment::RejectsListing => Err(format!("`{place}` is {}", value.kind().describe())),
            _ => Ok(()),
        }
    }
}

impl Behaviour {
    /// Reads a tool as this host does.
    ///
    /// # Errors
    ///
    /// When the host would lose the whole listing over it.
    pub fn read(&self, tool: Tool<'_>) -> Result<SeenTool, Rejection> {
        match self.parser.as_deref().and_then(Parser::find) {
            Some(parser) => parser.read(tool),
            None => Ok(read_alike(tool)),
        }
    }
}

/// Booleans, and hints that are not there, are read alike everywhere; of the rest nobody knows.
fn read_alike(tool: Tool<'_>) -> SeenTool {
    let claims = tool.claims();
    let states = claims.states();
    let mut seen = SeenTool::from_booleans(&states.map(|_, claim| claim.boolean()));
    let is_plain = matches!(
        claims.shape,
        AnnotationsShape::Absent | AnnotationsShape::Object
    );
    seen.unclear =
        states.map(|_, claim| !is_plain || claim.boolean().is_none() && *claim != Claim::Absent);
    seen
}

impl SeenTool {
    fn unclear() -> Self {
        Self {
            unclear: Hints::from_fn(|_| true),
            ..Self::default()
        }
    }

    /// A tool whose claims are read as they are: booleans, and nothing for everything else.
    #[must_use]
    pub fn from_booleans(booleans: &Hints<Option<bool>>) -> Self {
        Self {
            hints: booleans.map(|_, value| value.map_or(Seen::Absent, Seen::from_boolean)),
            unclear: Hints::default(),
        }
    }
}

/// As JavaScript reads a condition. A falsy value that is not `false` counts as absent: hosts
/// test whether it is truthy.
fn truthiness(value: Value<'_>) -> Seen {
    let is_truthy = match value.kind() {
        Kind::Null => false,
        Kind::Bool(value) => value,
        Kind::String => value.as_str().is_some_and(|text| !text.is_empty()),
        Kind::Number => value.as_f64().is_some_and(|number| number != 0.0),
        Kind::Array | Kind::Object => true,
    };
    if is_truthy { Seen::True } else { Seen::Absent }
}

/// What a lenient validator takes for a boolean.
fn coerced(value: Value<'_>) -> Option<bool> {
    match value.kind() {
        Kind::String => {
            let text = value.as_str()?.to_ascii_lowercase();
            match text.as_str() {
                "true" | "t" | "yes" | "y" | "on" | "1" => Some(true),
                "false" | "f" | "no" | "n" | "off" | "0" => Some(false),
                _ => None,
            }
        }
        Kind::Number => match value.as_f64()? {
            1.0 => Some(true),
            0.0 => Some(false),
            _ => None,
        },
        _ => None,
    }
}
