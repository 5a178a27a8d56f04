//! `sayso.rulings.toml`: the rulings of a project, made to be read in a review.
//!
//! A block a tool, the blocks of a server together, in the order the server lists its tools. Each hint
//! is a small table with its value, the reason and what that rests on; the digests a machine needs stand
//! last. A change of one hint is a change of two or three lines.
//!
//! ```
//! # use sayso_core::rulings::Rulings;
//! # let text = r##"
//! [[tool]]
//! server = "crm"
//! name = "message"
//! reviewer = "Ada Example"
//! reviewed = 2026-11-30
//! undo = "none"
//! reversibility = "What was deleted is gone; what was edited can be edited back."
//! cost = "One credit of the day's hundred."
//!
//! [tool.readOnlyHint]
//! value = false
//! why = "Edits and deletes messages, by its argument `action`."
//! evidence = ["src/messages.ts:80", "argument `action`: list, edit, delete"]
//!
//! [tool.destructiveHint]
//! value = true
//! why = "`delete` removes the message for both sides."
//! evidence = ["src/messages.ts:112"]
//!
//! [tool.openWorldHint]
//! value = true
//! why = "The recipient is outside."
//!
//! [[tool.case]]
//! when = { action = "list" }
//! readOnlyHint = true
//! why = "Lists and changes nothing."
//!
//! [[tool.case]]
//! when = { action = ["edit", "mark"] }
//! destructiveHint = false
//! idempotentHint = true
//! why = "Sets one message to a value; the text before it is kept."
//!
//! [tool.definition]
//! digest = "sha256:a0318c4e4ae1ae6f5b1b4f0f1b1f2e3cd9a1c1b80eac9e8e4b6dd42f0a5fd3b1"
//! text = "sha256:0f6e1bd8f3cf0db90b3a9a9ff1d3f0e6a4bb2d6e3a9d4a9a7f1f1b1b5f0c2d3e"
//! schemas = "sha256:1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
//! annotations = "sha256:2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a"
//! rest = "sha256:3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b"
//! # "##;
//! # let rulings = Rulings::parse(text, "sayso.rulings.toml").unwrap();
//! # assert_eq!(rulings.get("crm", "message").unwrap().cases.len(), 2);
//! # // As it would be written anew.
//! # assert_eq!(rulings.to_toml(), text.trim_start());
//! ```
//!
//! # Keys
//!
//! | key | of | holds |
//! |---|---|---|
//! | `server`, `name` | tool | which tool: the server by the name it is known under here, the tool as listed |
//! | `reviewer`, `reviewed` | tool | who decided, and the date |
//! | `undo` | tool | the tool of the same server that undoes a call, or `"none"`; left out, nobody has looked |
//! | `reversibility`, `cost` | tool | notes for whoever approves a call |
//! | `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint` | tool | a table of `value`, `why` and, where there is any, `evidence`; left out, the hint is not decided |
//! | `case` | tool | what holds for certain arguments: `when` names them with a value or a list of them; the hints that differ stand beside it, with `why` and `evidence` |
//! | `definition` | tool | `digest` of the tool as it was reviewed, and of its parts `text`, `schemas`, `annotations` and `rest` |
//!
//! A tool's values are those of its worst call: a case may say less risk and never more. Everything in
//! the file is checked when it is read, and an unknown key is an error.

mod edit;
mod error;
mod read;
mod write;

use crate::digest::ToolDigest;
use crate::json::LineColumn;
use crate::ruling::{Ruling, State};
pub use error::RulingsError;

/// The name of the file.
pub const FILE_NAME: &str = "sayso.rulings.toml";

/// All rulings of a file, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rulings {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    ruling: Ruling,
    place: LineColumn,
}

impl Rulings {
    /// Reads a file; `file` names it in errors.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place and what to do.
    pub fn parse(text: &str, file: &str) -> Result<Self, RulingsError> {
        read::read(text, file)
    }

    /// All rulings in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Ruling> {
        self.entries.iter().map(|entry| &entry.ruling)
    }

    /// The ruling on a tool of a server, whether it is still current or not.
    #[must_use]
    pub fn get(&self, server: &str, tool: &str) -> Option<&Ruling> {
        self.iter()
            .find(|ruling| ruling.server == server && ruling.tool == tool)
    }

    /// Where the ruling on a tool begins in the file.
    #[must_use]
    pub fn place(&self, server: &str, tool: &str) -> Option<LineColumn> {
        let of_tool = |entry: &&Entry| entry.ruling.server == server && entry.ruling.tool == tool;
        self.entries.iter().find(of_tool).map(|entry| entry.place)
    }

    /// What there is for a tool of a server as it is listed now.
    #[must_use]
    pub fn state(&self, server: &str, tool: &str, listed: &ToolDigest) -> State<'_> {
        self.get(server, tool)
            .map_or(State::Missing, |ruling| ruling.state(listed))
    }

    /// The rulings as a new file. To change one and keep the rest as it is written, use [`put`].
    #[must_use]
    pub fn to_toml(&self) -> String {
        let blocks: Vec<String> = self.iter().map(write::block).collect();
        blocks.join("\n")
    }
}

impl FromIterator<Ruling> for Rulings {
    fn from_iter<I: IntoIterator<Item = Ruling>>(rulings: I) -> Self {
        let place = LineColumn { line: 1, column: 1 };
        let entries = rulings
            .into_iter()
            .map(|ruling| Entry { ruling, place })
            .collect();
        Self { entries }
    }
}

/// The text of a file with this ruling in place of the one on the same tool, or added behind those on
/// its server. Everything outside the tool's block stays byte for byte, and inside it what does not
/// change, comments included.
///
/// # Errors
/// When `text` is no such file, or the ruling cannot be in one.
pub fn put(text: &str, file: &str, ruling: &Ruling) -> Result<String, RulingsError> {
    edit::put(text, file, ruling)
}

/// The text of a file without the ruling on this tool and the comments right above it; everything else
/// stays byte for byte.
///
/// # Errors
/// When `text` is no such file.
pub fn remove(text: &str, file: &str, server: &str, tool: &str) -> Result<String, RulingsError> {
    edit::remove(text, file, server, tool)
}
