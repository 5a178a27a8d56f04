//! The stages a call goes through, in the order of their use: a file each. What any of them refuses
//! goes no further.

mod schema;

pub mod parse;
pub mod identify;
pub mod resolve;
pub mod validate;
pub mod decide;
pub mod repeat;
pub mod approve;
pub mod exclusive;
pub mod intent;
pub mod forward;
pub mod inspect;
pub mod outcome;
