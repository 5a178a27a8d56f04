//! `sayso classify`: from suggestions and a person's answers to rulings. What is told of it is in
//! [`crate::report::classify`].

pub(crate) mod annotations;
pub(crate) mod answers;
pub(crate) mod check;
pub(crate) mod effect;
pub(crate) mod file;
pub(crate) mod question;
pub(crate) mod ruled;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod standing;
pub(crate) mod suggested;

pub(crate) use server::{Server, Subject};
pub(crate) use standing::Standing;
