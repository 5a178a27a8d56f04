//! What a rule asks of a tool.

use std::fmt;

use sayso_core::hint::{Hint, Hints};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// One hint as a host's policy sees it, behind its parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Seen {
    /// `true`.
    True,
    /// `false`.
    False,
    /// Nothing.
    #[default]
    Absent,
}

impl Seen {
    /// All three.
    pub const ALL: [Self; 3] = [Self::True, Self::False, Self::Absent];

    /// The word in profiles and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Absent => "absent",
        }
    }

    /// A boolean as it is seen.
    #[must_use]
    pub const fn from_boolean(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    /// All 81 states the four hints can be seen in.
    pub fn combinations() -> impl Iterator<Item = Hints<Self>> {
        (0..81_usize).map(|number| {
            let mut rest = number;
            Hints::from_fn(|_| {
                let digit = rest % 3;
                rest /= 3;
                match digit {
                    0 => Self::True,
                    1 => Self::False,
                    _ => Self::Absent,
                }
            })
        })
    }
}

/// What has to hold for a rule to match: values of hints, and members of the tool that have to
/// be `true`. In a profile: `{ readOnlyHint = true, destructiveHint = "absent" }`, and
/// `{ "/_meta/example.com~1confirm" = true }` for a member by its JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    /// What each hint has to be; `None` for any.
    pub hints: Hints<Option<Seen>>,
    /// JSON pointers (RFC 6901) to members of the tool that have to be `true`.
    pub marks: Vec<String>,
}

impl Condition {
    /// Whether it holds; `is_marked` says whether the member at a pointer is `true`.
    #[must_use]
    pub fn holds(&self, seen: &Hints<Seen>, is_marked: &dyn Fn(&str) -> bool) -> bool {
        let hints = self
            .hints
            .iter()
            .all(|(hint, wanted)| wanted.is_none_or(|wanted| wanted == *seen.get(hint)));
        hints && self.marks.iter().all(|mark| is_marked(mark))
    }

    /// Whether everything matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.hints.iter().all(|(_, wanted)| wanted.is_none())
    }
}

impl fmt::Display for Condition {
    /// `readOnlyHint is true and destructiveHint is absent`; `anything else` when empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hints = self.hints.iter().filter_map(|(hint, wanted)| {
            wanted.map(|wanted| format!("{hint} is {}", wanted.as_str()))
        });
        let marks = self.marks.iter().map(|mark| format!("`{mark}` is true"));
        let parts: Vec<String> = hints.chain(marks).collect();
        if parts.is_empty() {
            return f.write_str("anything else");
        }
        f.write_str(&parts.join(" and "))
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ConditionVisitor)
    }
}

struct ConditionVisitor;

#[derive(Deserialize)]
#[serde(untagged)]
enum Wanted {
    Boolean(bool),
    Word(String),
}

impl<'de> Visitor<'de> for ConditionVisitor {
    type Value = Condition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of hints with `true`, `false` or \"absent\"")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Condition, M::Error> {
        let mut condition = Condition::default();
        while let Some(key) = map.next_key::<String>()? {
            let wanted = map.next_value::<Wanted>()?;
            if key.starts_with('/') {
                let Wanted::Boolean(true) = wanted else {
                    return Err(M::Error::custom(format!(
                        "`{key}` can only be asked to be true"
                    )));
                };
                condition.marks.push(key);
                continue;
            }
            let Some(hint) = Hint::from_key(&key) else {
                let known = Hint::ALL.map(Hint::key).join("`, `");
                return Err(M::Error::custom(format!(
                    "unknown hint `{key}`, expected `{known}` or a JSON pointer"
                )));
            };
            *condition.hints.get_mut(hint) = Some(match wanted {
                Wanted::Boolean(value) => Seen::from_boolean(value),
                Wanted::Word(word) if word == "absent" => Seen::Absent,
                Wanted::Word(word) => {
                    return Err(M::Error::custom(format!(
                        "`{key}` is \"{word}\", expected true, false or \"absent\""
                    )));
                }
            });
        }
        Ok(condition)
    }
}
