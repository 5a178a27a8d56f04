//! The stages a call goes through, in the order of their use: a file each. What any of them refuses
//! goes no further.

mod schema;

pub mod approve;
pub mod confined;
pub mod decide;
pub mod exclusive;
pub mod forward;
pub mod identify;
pub mod inspect;
pub mod intent;
pub mod outcome;
pub mod parse;
pub mod repeat;
pub mod resolve;
pub mod validate;
