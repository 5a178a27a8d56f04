//! The hosts people run MCP servers in, and where each of them keeps its list
//! of servers.
//!
//! Everything known of a host is data: one `hosts/<id>.toml` a host, embedded
//! in the program ([`HostProfile::all`]). This module reads those files, says
//! where a host's configuration lies on a machine ([`configuration_paths`]),
//! and turns the text of such a configuration into [`ServerSpec`]s
//! ([`read_configuration`]). It touches no file, no environment and no
//! network: the text, the environment and the directory listings come from the
//! caller.
//!
//! A configuration is other people's text. One bad entry never hides the
//! others: it becomes a [`ConfigurationProblem`] with the line it stands on.
//! Values that may be secrets stay out of `Debug`, `Display` and every problem
//! ([`ConfiguredValue`]).

mod document;
mod embedded;
mod entry;
mod guess;
mod paths;
mod pointer;
mod problem;
mod profile;
mod read;
mod reference_page;
mod references;
mod server;

pub use guess::guess_format;
pub use paths::{ConfigurationFile, Os, configuration_paths};
pub use pointer::{Pointer, PointerError};
pub use problem::{ConfigurationProblem, Severity};
pub use profile::{
    Confidence, ConfigurationProfile, ConfigurationSource, Fields, FileSpec, Format, HostProfile,
    Paths, ProfileError, Quirk, ReferenceRules, ReferenceSyntax, Scope, Shape, Transports,
    UrlField,
};
pub use read::read_configuration;
pub use reference_page::reference_markdown;
pub use references::Reference;
pub use server::{ConfiguredValue, HttpKind, Launch, ServerSpec};
