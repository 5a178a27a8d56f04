//! Clients and servers that people use, with the gate between them and what they are used to.

mod hosts;
mod persons;
mod rust_sdk;
mod servers;
