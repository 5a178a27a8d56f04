//! The hosts people run MCP servers in: where each of them keeps its list of
//! servers, and what each of them does with the hints.
//!
//! Everything known of a host is data: one `hosts/<id>.toml` a host, embedded
//! in the program ([`HostProfile::all`]). This module reads those files, says
//! where a host's configuration lies on a machine ([`configuration_paths`]),
//! turns the text of such a configuration into [`ServerSpec`]s
//! ([`read_configuration`]), and says what a host does with a tool: its
//! [`Parser`] first, then the rules of a [`Mode`]. It touches no file, no environment and no
//! network: the text, the environment and the directory listings come from the
//! caller.
//!
//! A configuration is other people's text. One bad entry never hides the
//! others: it becomes a [`ConfigurationProblem`] with the line it stands on.
//! Values that may be secrets stay out of `Debug`, `Display` and every problem
//! ([`ConfiguredValue`]).

mod behaviour;
mod document;
mod embedded;
mod entry;
mod guess;
mod guide_page;
mod matrix;
mod paths;
mod pointer;
mod problem;
mod profile;
mod read;
mod reference_page;
mod references;
mod server;

pub use behaviour::{
    AbsentHints, Behaviour, Condition, Decision, Duplicates, Facet, ListChange, Marks, Mode,
    OnListChange, Outcome, Parser, ParserEvidence, ReadKey, Rejection, Retry, RetryCause, Rule,
    Seen, SeenTool, TitleSource, Treatment,
};
pub use guess::guess_format;
pub use guide_page::guide_markdown;
pub use matrix::{
    Cell, Change, ChangeKind, Column, Difference, Disagreement, Figures, Gating, GatingCounts,
    HostDifference, HostGating, Matrix, MatrixColumn, Modes, Overlay, OverlayError, OverlayTool,
};
pub use paths::{ConfigurationFile, Os, configuration_paths};
pub use pointer::{Pointer, PointerError};
pub use problem::{ConfigurationProblem, Severity};
pub use profile::{
    Confidence, ConfigurationProfile, ConfigurationSource, Fields, FileSpec, Format, HostKind,
    HostProfile, Paths, ProfileError, Quirk, ReferenceRules, ReferenceSyntax, Scope, Shape,
    Transports, UrlField,
};
pub use read::read_configuration;
pub use reference_page::reference_markdown;
pub use references::Reference;
pub use server::{ConfiguredValue, HttpKind, Launch, ServerSpec};
