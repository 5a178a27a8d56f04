//! What a server may see and touch, before anything is started.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a server is kept from the rest of the machine. Always named in what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// User, mount, process, IPC and network namespaces: everything is read-only, and folders
    /// that may be written lie under an overlay (`user_namespaces(7)`).
    Namespaces,
    /// Landlock and a system call filter, where user namespaces are refused: folders that may be
    /// written are scratch folders (`landlock(7)`, `seccomp(2)`).
    Landlock,
}

impl Mode {
    /// The word for it in settings, output and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the jail is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Everything is tried as if it were allowed, on copies and overlays, and recorded.
    Observe,
    /// What would act is refused by the kernel, and the attempt is recorded.
    Confine,
}

/// A folder under an overlay: the server reads `lower` at its own path and writes to `upper`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// The folder as it is; also the path the server sees.
    pub lower: PathBuf,
    /// Where what the server writes lands. Empty and private at the start.
    pub upper: PathBuf,
    /// What the kernel needs beside it, on the same file system.
    pub work: PathBuf,
}

/// What the server can reach over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No socket but of its own process pairs; asking for one fails and is recorded. For
    /// [`Purpose::Confine`].
    #[default]
    None,
    /// Names resolve to made-up addresses and connections are recorded with the name they are to;
    /// what happens to them is the rest. Nothing leaves the machine but to `live` hosts.
    Recorded {
        /// What a connection that goes nowhere meets.
        meets: Meets,
        /// Hosts that are really reached: a name or an address, `*.` and a name, or `*` for every one.
        live: Vec<String>,
        /// Loopback ports of this machine that the server may reach, such as a fixture's pages.
        loopback: Vec<u16>,
    },
}

/// What a connection meets that is not let out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meets {
    /// "Network is unreachable".
    #[default]
    Refusal,
    /// A server that answers plain HTTP with a short page and ends everything else after its
    /// first bytes: shows what a program does that believes it is online.
    Sink,
}

/// What one jail is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// How.
    pub mode: Mode,
    /// What for.
    pub purpose: Purpose,
    /// The program and its arguments. The program is looked up in the `PATH` of `env`.
    pub command: Vec<OsString>,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// The folder it is started in.
    pub cwd: PathBuf,
    /// Folders and files of this machine that are written as they are: scratch folders, and what
    /// an operator allows.
    pub writable: Vec<PathBuf>,
    /// Folders under an overlay. [`Mode::Namespaces`] only.
    pub overlays: Vec<Overlay>,
    /// What stays the machine's own, read-only, though it is below an overlay or an empty folder.
    pub read_only: Vec<PathBuf>,
    /// Folders of which the server gets an empty one of its own, in memory. [`Mode::Namespaces`] only;
    /// with [`Mode::Landlock`] point `TMPDIR` at a scratch folder.
    pub empty: Vec<PathBuf>,
    /// The network.
    pub network: Network,
}
