//! What the supervisor of system calls has seen a server do, or try to do.
//!
//! An event is an attempt: whether it had an effect is told by the files. What it names was read
//! from memory the program can change, so it is evidence and decides nothing.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// How long after the jail's start.
    pub at: Duration,
    /// The process, as this machine counts them.
    pub process: u32,
    /// The program that process ran, its file's name.
    pub program: String,
    /// What it tried.
    pub act: Act,
    /// Why the jail refused it, as the error's name (`EROFS`); `None` where the kernel was left to
    /// decide.
    pub refused: Option<String>,
}

/// What was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum Act {
    /// Opening a file for writing, with what else the flags ask for.
    Open {
        /// The file.
        path: PathBuf,
        /// It is made if it is not there.
        create: bool,
        /// What it holds is thrown away.
        truncate: bool,
        /// It is opened for reading too: programs that only read ask for that where they may.
        read: bool,
        /// It was there before.
        existed: bool,
    },
    /// Changing a file or a folder by its name.
    Change {
        /// What.
        kind: ChangeKind,
        /// The file; the source of a rename or a link.
        path: PathBuf,
        /// The destination of a rename or a link.
        to: Option<PathBuf>,
    },
    /// Starting a program.
    Execute {
        /// The program's file.
        path: PathBuf,
        /// Its arguments, the program's name first.
        arguments: Vec<String>,
    },
    /// Asking for the address of a name.
    Resolve {
        /// The name.
        name: String,
    },
    /// Connecting, or sending without a connection.
    Connect(Connection),
    /// Waiting for connections.
    Listen {
        /// Where, in words: `127.0.0.1:80`, a path, `@name`.
        address: String,
    },
    /// Sending a signal.
    Signal {
        /// To whom, as the program counts processes; negative for a group.
        target: i64,
        /// Which.
        signal: i32,
        /// Whether that is a process of the server itself.
        own: bool,
    },
    /// Making a socket of a family that nothing may use here.
    Socket {
        /// The family's name: `AF_UNIX`.
        family: String,
    },
    /// Anything else that acts on more than the program itself: the system call's name.
    Other {
        /// `ptrace`, `io_uring_setup`, `unshare`, `mount`, `shmget`, …
        call: String,
    },
}

/// How a file was to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Removed.
    Remove,
    /// Renamed.
    Rename,
    /// Given another name.
    Link,
    /// A symbolic link made.
    Symlink,
    /// A folder made.
    MakeFolder,
    /// A pipe, a socket or a device made.
    MakeNode,
    /// Cut or grown.
    Truncate,
    /// Its mode.
    Mode,
    /// Its owner.
    Owner,
    /// Its times.
    Times,
    /// An extended attribute.
    Attribute,
    /// Space kept for it, or a hole made in it.
    Allocate,
}

/// A connection that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// `tcp`, `udp` or `unix`.
    pub protocol: String,
    /// The name it is to, where one was asked for before.
    pub host: Option<String>,
    /// The address; of a Unix socket its path, or `@` and its name.
    pub address: String,
    /// The port, where there is one.
    pub port: Option<u16>,
    /// How far that is.
    pub scope: Scope,
    /// Whether it was let out to where it is to, so that what came of it is not seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// The first line that was sent, where somebody read it: the request line, the name of a TLS
    /// handshake.
    pub first: Option<String>,
}

/// How far a connection reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// A program of this machine by a socket in its files or by an abstract name.
    Local,
    /// This machine.
    Loopback,
    /// A private network.
    PrivateNetwork,
    /// Anything else.
    OpenWorld,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Local => "this machine, by a socket",
            Self::Loopback => "this machine",
            Self::PrivateNetwork => "a private network",
            Self::OpenWorld => "the open world",
        })
    }
}
