//! The arguments of a call, held against what the tool takes.

use std::collections::BTreeMap;

use sayso_core::json::Value;

use super::{Parameter, Tool};
use sayso_core::suggest::{nearest, quoted};

/// Arguments that fit their tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments(BTreeMap<&'static str, String>);

/// How arguments do not fit. Names the argument and shows the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Not an object.
    #[error("the arguments are {0}; they have to be an object")]
    NotAnObject(&'static str),
    /// One that the tool does not take.
    #[error("there is no argument `{name}`: {hint}")]
    Unknown {
        /// Its name.
        name: String,
        /// What there is.
        hint: String,
    },
    /// One that stands there more than once.
    #[error("the argument `{0}` is there more than once")]
    Repeated(&'static str),
    /// One that is not there.
    #[error("the argument `{0}` is missing")]
    Missing(&'static str),
    /// One that is no string.
    #[error("the argument `{name}` is {value}; it has to be a string")]
    NotAString {
        /// Its name.
        name: &'static str,
        /// Its value, shortened.
        value: String,
    },
    /// An empty one.
    #[error("the argument `{0}` is empty")]
    Empty(&'static str),
    /// One that is too long.
    #[error(
        "the argument `{name}` is {length} characters long: {value}; at most {max_length} are taken"
    )]
    TooLong {
        /// Its name.
        name: &'static str,
        /// Its value, shortened.
        value: String,
        /// Its length in characters.
        length: usize,
        /// The longest that is taken.
        max_length: usize,
    },
}

/// Characters of a value that an error shows.
const SHOWN: usize = 60;

impl Arguments {
    /// Checks the arguments of a call of `tool`; none at all is the same as an empty object.
    ///
    /// # Errors
    /// The first way in which they do not fit.
    pub fn check(tool: Tool, arguments: Option<Value<'_>>) -> Result<Self, ArgumentError> {
        let parameters = tool.parameters();
        if let Some(value) = arguments {
            if !value.is_object() {
                return Err(ArgumentError::NotAnObject(value.kind().describe()));
            }
            let unknown = value
                .members()
                .find(|member| !parameters.iter().any(|known| known.name == member.key));
            if let Some(member) = unknown {
                return Err(unknown_argument(&member.key, parameters));
            }
        }
        let checked = parameters.iter().map(|parameter| {
            let value = parameter.check(arguments)?;
            Ok((parameter.name, value))
        });
        checked.collect::<Result<_, _>>().map(Self)
    }

    /// Arguments for another tool: these where they have the same names, stand-ins for the rest.
    #[must_use]
    pub(crate) fn fitted_to(&self, tool: Tool) -> Self {
        let fitted = tool.parameters().iter().map(|parameter| {
            let value = self.0.get(parameter.name).map(String::as_str);
            let value = value.unwrap_or(parameter.stand_in);
            (parameter.name, value.to_owned())
        });
        Self(fitted.collect())
    }

    /// The value of an argument; empty if the tool takes none of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

impl Parameter {
    fn check(&self, arguments: Option<Value<'_>>) -> Result<String, ArgumentError> {
        let name = self.name;
        let mut values = arguments
            .into_iter()
            .flat_map(|arguments| arguments.get_all(name));
        let value = values.next().ok_or(ArgumentError::Missing(name))?;
        if values.next().is_some() {
            return Err(ArgumentError::Repeated(name));
        }
        let text = value.as_str().ok_or_else(|| ArgumentError::NotAString {
            name,
            value: shortened(value.raw()),
        })?;
        let length = text.chars().count();
        if length == 0 {
            Err(ArgumentError::Empty(name))
        } else if length > self.max_length {
            Err(ArgumentError::TooLong {
                name,
                value: shortened(value.raw()),
                length,
                max_length: self.max_length,
            })
        } else {
            Ok(text.into_owned())
        }
    }
}

fn unknown_argument(name: &str, parameters: &[Parameter]) -> ArgumentError {
    let known = || parameters.iter().map(|parameter| parameter.name);
    let hint = match nearest(name, known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if parameters.is_empty() => "the tool takes none".to_owned(),
        None => format!("the tool takes {}", quoted(known())),
    };
    ArgumentError::Unknown {
        name: shortened(name),
        hint,
    }
}

/// A value in at most so many characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
