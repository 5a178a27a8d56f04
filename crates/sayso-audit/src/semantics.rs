//! Meanings the field does not agree on. They are settings, and by default no side is taken.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
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
}
