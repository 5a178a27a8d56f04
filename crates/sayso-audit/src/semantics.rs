//! Meanings the field does not agree on. They are settings; by default no side is taken
//! unless the specification takes one.

use crate::evidence::verdicts::Contested;

/// How a contested question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// Yes: a claim of the opposite is reported.
    Yes,
    /// No: a claim of the opposite is reported.
    No,
    /// Both answers are respected.
    #[default]
    Either,
}

/// How contested meanings are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Semantics {
    /// Is deleting the same thing twice idempotent? By the state afterwards: yes. By the
    /// second answer ("not found"): no.
    pub delete_is_idempotent: Reading,
    /// Is sending a message destructive? By the letter of the specification: no, it only
    /// adds. By most directories: yes, it cannot be taken back.
    pub send_is_destructive: Reading,
    /// Is the user's own tenant of an online service an open world?
    pub own_tenant_is_open_world: Reading,
    /// Is changing what is there destructive? By the letter of the specification: yes, as
    /// `destructiveHint: false` means that only something is added. A fair part of the field
    /// keeps the word for what cannot be got back.
    pub update_is_destructive: Reading,
}

impl Default for Semantics {
    fn default() -> Self {
        Self {
            delete_is_idempotent: Reading::Either,
            send_is_destructive: Reading::Either,
            own_tenant_is_open_world: Reading::Either,
            update_is_destructive: Reading::Yes,
        }
    }
}

impl Semantics {
    /// How one contested question is answered.
    #[must_use]
    pub const fn reading(&self, contested: Contested) -> Reading {
        match contested {
            Contested::DeleteIdempotent => self.delete_is_idempotent,
            Contested::SendDestructive => self.send_is_destructive,
            Contested::OwnTenant => self.own_tenant_is_open_world,
            Contested::UpdateDestructive => self.update_is_destructive,
        }
    }
}
