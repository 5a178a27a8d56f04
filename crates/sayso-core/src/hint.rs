//! The four behaviour hints and what a server says about each.

use std::fmt;

/// One of the four boolean hints of `ToolAnnotations` (MCP 2025-03-26 and later).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Hint {
    /// The tool does not modify its environment.
    #[serde(rename = "readOnlyHint")]
    ReadOnly,
    /// The tool may remove or overwrite; means something only when not read-only.
    #[serde(rename = "destructiveHint")]
    Destructive,
    /// A repeat with the same arguments changes nothing further; means something only when not read-only.
    #[serde(rename = "idempotentHint")]
    Idempotent,
    /// The tool may interact with an open world of external entities.
    #[serde(rename = "openWorldHint")]
    OpenWorld,
}

impl Hint {
    /// All four, in the order of the specification's schema.
    pub const ALL: [Self; 4] = [
        Self::ReadOnly,
        Self::Destructive,
        Self::Idempotent,
        Self::OpenWorld,
    ];

    /// The key on the wire.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnlyHint",
            Self::Destructive => "destructiveHint",
            Self::Idempotent => "idempotentHint",
            Self::OpenWorld => "openWorldHint",
        }
    }

    /// What the specification has a client assume when nothing is claimed. Each default
    /// is the reading that promises least.
    #[must_use]
    pub const fn default_value(self) -> bool {
        match self {
            Self::ReadOnly | Self::Idempotent => false,
            Self::Destructive | Self::OpenWorld => true,
        }
    }

    /// The hint with this key on the wire.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hint| hint.key() == key)
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

/// What a server sent for one hint, before anything is made of it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// No such key.
    #[default]
    Absent,
    /// The key with `null`.
    Null,
    /// The key with `true`.
    True,
    /// The key with `false`.
    False,
    /// The key with anything that is neither a boolean nor `null`.
    Malformed,
    /// The key more than once.
    Duplicated,
}

impl Claim {
    /// All six states.
    pub const ALL: [Self; 6] = [
        Self::Absent,
        Self::Null,
        Self::True,
        Self::False,
        Self::Malformed,
        Self::Duplicated,
    ];

    /// The boolean, where the claim is one.
    #[must_use]
    pub const fn boolean(self) -> Option<bool> {
        match self {
            Self::True => Some(true),
            Self::False => Some(false),
            Self::Absent | Self::Null | Self::Malformed | Self::Duplicated => None,
        }
    }

    /// A boolean as a claim.
    #[must_use]
    pub const fn from_boolean(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    /// The state as one word, for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
            Self::Malformed => "malformed",
            Self::Duplicated => "duplicated",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One value for each of the four hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Hints<T> {
    /// For `readOnlyHint`.
    pub read_only: T,
    /// For `destructiveHint`.
    pub destructive: T,
    /// For `idempotentHint`.
    pub idempotent: T,
    /// For `openWorldHint`.
    pub open_world: T,
}

impl<T> Hints<T> {
    /// Makes each value from its hint.
    pub fn from_fn(mut make: impl FnMut(Hint) -> T) -> Self {
        Self {
            read_only: make(Hint::ReadOnly),
            destructive: make(Hint::Destructive),
            idempotent: make(Hint::Idempotent),
            open_world: make(Hint::OpenWorld),
        }
    }

    /// The value of one hint.
    #[must_use]
    pub const fn get(&self, hint: Hint) -> &T {
        match hint {
            Hint::ReadOnly => &self.read_only,
            Hint::Destructive => &self.destructive,
            Hint::Idempotent => &self.idempotent,
            Hint::OpenWorld => &self.open_world,
        }
    }

    /// The value of one hint, to change.
    pub const fn get_mut(&mut self, hint: Hint) -> &mut T {
        match hint {
            Hint::ReadOnly => &mut self.read_only,
            Hint::Destructive => &mut self.destructive,
            Hint::Idempotent => &mut self.idempotent,
            Hint::OpenWorld => &mut self.open_world,
        }
    }

    /// All four with their hints, in the specification's order.
    pub fn iter(&self) -> impl Iterator<Item = (Hint, &T)> {
        Hint::ALL.into_iter().map(|hint| (hint, self.get(hint)))
    }

    /// Another value for each.
    pub fn map<U>(&self, mut change: impl FnMut(Hint, &T) -> U) -> Hints<U> {
        Hints::from_fn(|hint| change(hint, self.get(hint)))
    }
}
