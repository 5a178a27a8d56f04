//! What the crate does at its boundaries.

mod http;
mod http_server;
mod http_tls;
