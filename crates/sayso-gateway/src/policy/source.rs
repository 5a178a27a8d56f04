//! Where policies come from: files, and the sets in the box.

/// The text of one file of policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySource {
    /// The file, or the name of a ready set; for errors and reasons.
    pub name: String,
    /// Policies in Cedar.
    pub text: String,
}

impl PolicySource {
    /// The ready set of this name.
    #[must_use]
    pub fn ready(name: &str) -> Option<Self> {
        let set = READY_SETS.iter().find(|set| set.name == name)?;
        Some(Self {
            name: set.name.to_owned(),
            text: set.text.to_owned(),
        })
    }
}

/// A set of policies in the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadySet {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The policies in Cedar.
    pub text: &'static str,
}

/// The sets in the box.
pub const READY_SETS: &[ReadySet] = &[
    ReadySet {
        name: "spec-default",
        about: "runs what only reads, and asks about everything else",
        text: include_str!("../../policies/spec-default.cedar"),
    },
    ReadySet {
        name: "read-only",
        about: "runs what only reads, and nothing else",
        text: include_str!("../../policies/read-only.cedar"),
    },
    ReadySet {
        name: "additive",
        about: "runs what only reads or adds, and denies what may destroy",
        text: include_str!("../../policies/additive.cedar"),
    },
    ReadySet {
        name: "locked",
        about: "runs what the operator ruled to be read-only and pinned, and nothing else",
        text: include_str!("../../policies/locked.cedar"),
    },
    ReadySet {
        name: "two-of-three",
        about: "with another set: asks before a session that has read private data and untrusted content reaches out",
        text: include_str!("../../policies/two-of-three.cedar"),
    },
];
