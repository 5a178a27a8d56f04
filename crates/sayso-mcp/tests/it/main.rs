//! What the crate does at its boundaries.

mod calls;
mod calls_http;
mod downstream;
mod http;
mod http_server;
mod http_tls;
#[cfg(target_os = "linux")]
mod isolation;
mod lists;
#[cfg(target_os = "linux")]
mod processes;
mod serve_http;
mod serve_pipe;
mod serve_support;
mod stdio;
mod support;
mod upstream;
mod versions;
