//! What is found in source files, and what is written into them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod csharp;
mod edit;
mod go;
mod java;
mod kotlin;
mod python;
mod rust;
mod support;
mod typescript;
mod wrapper;
