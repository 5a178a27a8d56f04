//! Kinds of trouble that people reported of clients, gateways and servers, each made again with
//! a small server and held to what a reader should do about it.

mod claims;
mod lifecycle;
mod listing;
mod wire;
