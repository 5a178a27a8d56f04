//! From claims to the values a client acts on.

use crate::hint::{Claim, Hints};

/// Where an effective value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// The server claims it.
    Claimed,
    /// Nothing usable was claimed, so the specification's default holds.
    Default,
}

/// A value and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveHint {
    /// The value.
    pub value: bool,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// The four values a client that follows the specification works with.
///
/// The defaults, and that destructive and idempotent mean something only for a tool
/// that is not read-only: MCP schema, `ToolAnnotations`, unchanged from 2025-03-26 to
/// 2026-07-28. Only a real boolean counts as a claim: `null`, a malformed or a repeated
/// hint leaves the default, which is the reading that promises least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effective {
    /// Each hint by itself, before one bears on another.
    pub hints: Hints<EffectiveHint>,
}

impl Effective {
    /// The values for these claims, taken as given.
    #[must_use]
    pub fn from_claims(claims: &Hints<Claim>) -> Self {
        Self {
            hints: claims.map(|hint, claim| match claim.boolean() {
                Some(value) => EffectiveHint {
                    value,
                    provenance: Provenance::Claimed,
                },
                None => EffectiveHint {
                    value: hint.default_value(),
                    provenance: Provenance::Default,
                },
            }),
        }
    }

    /// Whether the tool only reads.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.hints.read_only.value
    }

    /// Whether a call may remove or overwrite something.
    #[must_use]
    pub fn may_destroy(&self) -> bool {
        !self.read_only() && self.hints.destructive.value
    }

    /// Whether a second identical call changes nothing further.
    #[must_use]
    pub fn repeatable(&self) -> bool {
        self.read_only() || self.hints.idempotent.value
    }

    /// Whether a call may reach beyond a closed domain; independent of read-only.
    #[must_use]
    pub fn open_world(&self) -> bool {
        self.hints.open_world.value
    }

    /// Whether a client that follows the documented defaults has to ask before it calls:
    /// it asks for whatever may destroy.
    #[must_use]
    pub fn must_confirm(&self) -> bool {
        self.may_destroy()
    }
}
