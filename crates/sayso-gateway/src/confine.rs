//! Confinement: a second instance of a server on this machine that the kernel keeps from acting,
//! for calls that are let through on the server's word alone. The claim becomes a constraint.
//!
//! How a process is confined is not known here: a [`Confiner`] does that, and tells what the process
//! tried and was refused. What a call may still do there is a [`View`].

mod record;

use std::fmt;
use std::path::PathBuf;

use sayso_core::hint::Hint;
use sayso_mcp::StdioCommand;
use tokio::sync::watch;

pub(crate) use record::{Label, Record, Report, Turn};

/// Confines servers.
pub trait Confiner: Send + Sync {
    /// How servers would be confined here, in a word. Really tried, within a bounded time.
    ///
    /// # Errors
    /// When nothing can be confined: why, and what would enable it.
    fn possible(&self) -> Result<&'static str, String>;

    /// Makes ready to start one process. It is not started yet: the command that comes back starts
    /// it.
    ///
    /// # Errors
    /// When it cannot be confined: why, and what would enable it.
    fn confine(&self, command: &StdioCommand, view: &View) -> Result<Box<dyn Confined>, String>;
}

/// One process that is confined. Dropping it ends the process.
pub trait Confined: Send + Sync {
    /// What starts it, once.
    fn command(&self) -> StdioCommand;

    /// What was refused since this was last asked, in order. What honest reading comes with is not
    /// among it.
    fn attempts(&self) -> Vec<Attempt>;

    /// Moves when something was refused.
    fn changed(&self) -> watch::Receiver<u64>;

    /// How it is confined, in a word.
    fn mode(&self) -> &'static str;

    /// Why the process was never started, where the confinement failed.
    fn failure(&self) -> Option<String>;
}

/// What a confined process may do besides reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View {
    /// Files and folders that are written as they are.
    pub write: Vec<PathBuf>,
    /// Folders that it may write to, and of which nothing is left behind.
    pub state: Vec<PathBuf>,
    /// What it reaches over the network.
    pub reach: Reach,
}

impl View {
    /// The view in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let files = match self.write.len() {
            0 => "nothing is written".to_owned(),
            1 => "one place is written to".to_owned(),
            places => format!("{places} places are written to"),
        };
        let network = match &self.reach {
            Reach::Nothing => "nothing is connected to".to_owned(),
            Reach::Anything => "the network is reached".to_owned(),
            Reach::Hosts(hosts) => format!("of the network {} are reached", hosts.join(", ")),
        };
        format!("{files}, {network}")
    }
}

/// What a confined process reaches over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing, and no socket either.
    #[default]
    Nothing,
    /// These hosts: a name, or `*.` and a name.
    Hosts(Vec<String>),
    /// Whatever there is.
    Anything,
}

/// Something a confined process tried, and was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// What, in words: `remove /srv/notes/a.txt`.
    pub what: String,
    /// The program that tried it, its file's name.
    pub program: String,
    /// The hint it speaks against; none where honest programs try so, too.
    pub against: Option<Hint>,
}

impl Attempt {
    /// The promise it breaks, of a call that was judged by these values: what was never promised is
    /// not broken.
    #[must_use]
    pub fn breaks(&self, read_only: bool, open_world: bool) -> Option<Hint> {
        self.against.filter(|hint| match hint {
            Hint::ReadOnly => read_only,
            Hint::OpenWorld => !open_world,
            Hint::Destructive | Hint::Idempotent => false,
        })
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (by {})", self.what, self.program)
    }
}

/// How the calls of a tool stand to confinement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Confinement {
    /// They are not confined: the settings say so.
    #[default]
    Off,
    /// They are confined where the server's word alone says that they only read.
    Claims,
    /// All of them are confined.
    All,
    /// They should be confined and cannot be, and why: the server's word counts for nothing then.
    NotEnforced(String),
}

impl Confinement {
    /// Why it is not enforced, where it should be and is not.
    #[must_use]
    pub fn not_enforced(&self) -> Option<&str> {
        match self {
            Self::NotEnforced(why) => Some(why),
            Self::Off | Self::Claims | Self::All => None,
        }
    }
}
