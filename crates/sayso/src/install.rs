//! Puts a host's servers behind the gate, and takes them out again: its configuration gets one
//! entry that runs `sayso gate`, and the servers go into the gate's settings.
//!
//! Nothing is lost on the way. A configuration is edited only when it could be read, and what
//! comes out is read again and has to say the same but for what was to change; the file as it was
//! stays beside it; the host's file is the last one written.

mod by_hand;
mod edit;
mod gate_settings;
mod place;
mod record;
mod servers;
mod steps;
mod takeout;

pub(crate) use by_hand::ByHand;
pub(crate) use place::{HostFile, find_host, host_files, read_host_file};
pub(crate) use servers::{Left, Servers, Taken};
pub(crate) use steps::{Installation, Nothing, Planned};
pub(crate) use takeout::Removal;
