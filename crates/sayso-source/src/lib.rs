//! Where tools are registered in source files, and how a claim is written there.
//!
//! Never does I/O, speaks the protocol or judges a claim: files come in as text, and what comes
//! out is places in them and edits of byte ranges. What is true of a tool is the caller's to say.
//!
//! [`Survey::of`] finds the registrations of a set of files. Each file is parsed by itself into
//! facts (a registration, a constant, a function, a type); what goes from one file to another, a
//! tool's name or a whole definition, is put together afterwards. Nothing is run: a name that is
//! only made while the server runs stays unknown, and is said to be. [`Plan::of`] works out how values get into the source, and refuses what it
//! would have to guess.

mod csharp;
mod edit;
mod facts;
mod go;
mod java;
mod kotlin;
mod language;
mod python;
mod relay;
mod rust;
mod style;
mod survey;
mod syntax;
mod typescript;

pub use edit::{Edit, Outcome, Plan, Refusal, Values};
pub use facts::{Annotations, Form, HintEntry, Literal, Notation, Slot};
pub use language::Language;
pub use relay::{Relay, Step, StepKind};
pub use survey::{Place, Registration, SourceFile, Survey, ToolName};
