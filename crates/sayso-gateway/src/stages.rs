//! The stages a call goes through, in the order of their use.

pub mod inspect;
pub mod validate;
