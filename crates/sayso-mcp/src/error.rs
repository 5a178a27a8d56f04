//! Why a listing could not be read, in words a person can act on.

use std::time::Duration;

use sayso_core::json::{ParseError, ParseErrorKind};

use crate::http::HttpError;
use crate::jsonrpc::{ErrorObject, Fault, code};
use crate::version;

/// Why there is no listing. What is to be done about it is in [`ReadError::hint`].
#[derive(Debug, thiserror::Error)]
#[error("{server}: {kind}")]
pub struct ReadError {
    /// Which server, without what may be a secret.
    pub server: String,
    /// What happened.
    pub kind: Box<ReadErrorKind>,
    /// The last lines the server wrote to its standard error, oldest first, as they came.
    pub stderr_tail: Vec<String>,
}

/// What kept a listing from being read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The command does not exist.
    #[error("the command `{command}` was not found")]
    CommandNotFound {
        /// The command.
        command: String,
    },
    /// The command exists and could not be started.
    #[error("cannot start `{command}`: {reason}")]
    Spawn {
        /// The command.
        command: String,
        /// What the system says.
        reason: String,
    },
    /// The server cannot be isolated as asked; it was not started.
    #[error("cannot isolate the server as asked, so it was not started: {reason}")]
    Isolation {
        /// What is missing.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The process ended before it answered.
    #[error("the server {exit} before it answered `{request}`")]
    Exited {
        /// What it was asked.
        request: &'static str,
        /// How it ended, such as `ended with exit status 1`.
        exit: String,
    },
    /// The server stopped talking while its process lives on.
    #[error("the server closed its standard output before it answered `{request}`")]
    Closed {
        /// What it was asked.
        request: &'static str,
    },
    /// No answer in time.
    #[error("the server did not answer `{request}` within {}{heard}", seconds(*.waited))]
    NeverAnswered {
        /// What it was asked.
        request: &'static str,
        /// How long it had.
        waited: Duration,
        /// What it did instead.
        heard: Heard,
    },
    /// The handshake offers a version nobody knows.
    #[error("the server wants to speak protocol version `{offered}`, which is not known")]
    UnknownVersion {
        /// The version.
        offered: String,
    },
    /// The server supports none of the versions asked for.
    #[error("the server supports protocol {} only, not {asked}", versions(.supported))]
    NoCommonVersion {
        /// The version asked for.
        asked: &'static str,
        /// What it supports, in its own words.
        supported: Vec<String>,
    },
    /// The server does not speak the modern era, which alone was asked for.
    #[error(
        "the server does not speak protocol version {}: {reason}",
        version::LATEST_MODERN
    )]
    NotModern {
        /// How it shows.
        reason: String,
    },
    /// The answer is an error.
    #[error("the server refused `{request}`: {error}")]
    Refused {
        /// What it was asked.
        request: &'static str,
        /// The error.
        error: ErrorObject,
    },
    /// The answer is not JSON, or too much of it.
    #[error("the answer to `{request}` cannot be read: {error}: {excerpt}")]
    BrokenAnswer {
        /// What was asked.
        request: &'static str,
        /// What is wrong with it.
        error: ParseError,
        /// The text around that place.
        excerpt: String,
    },
    /// The answer is JSON but no message.
    #[error("the answer to `{request}` is no valid JSON-RPC message: {fault}")]
    InvalidAnswer {
        /// What was asked.
        request: &'static str,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The answer is a message with a result that MCP does not know.
    #[error("the answer to `{request}` {problem}")]
    MalformedResult {
        /// What was asked.
        request: &'static str,
        /// What is wrong with it, continuing "the answer …".
        problem: String,
    },
    /// A message past the cap.
    #[error(
        "the server sent a message of more than the allowed {max_bytes} bytes when asked `{request}`"
    )]
    TooLong {
        /// What it was asked.
        request: &'static str,
        /// The cap.
        max_bytes: usize,
    },
    /// Something HTTP.
    #[error(transparent)]
    Http(HttpError),
    /// The system refused.
    #[error("talking to the server failed: {0}")]
    Io(std::io::Error),
}

/// What a server did while it did not answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// How many lines it wrote to its standard error.
    pub stderr_lines: usize,
    /// How long ago it wrote the last of them.
    pub stderr_quiet: Option<Duration>,
    /// The first answer it gave to a question nobody asked.
    pub other_id: Option<String>,
    /// The first line on its standard output that is no message.
    pub noise: Option<String>,
}

impl Heard {
    /// A server that wrote to its standard error a moment ago may still be starting.
    fn still_busy(&self) -> bool {
        self.stderr_quiet
            .is_some_and(|quiet| quiet < Duration::from_secs(15))
    }
}

impl std::fmt::Display for Heard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(other_id) = &self.other_id {
            return write!(f, "; it answered with an id nobody asked with: {other_id}");
        }
        if let Some(noise) = &self.noise {
            write!(
                f,
                "; its standard output has lines that are no messages: {noise}"
            )?;
        }
        match self.stderr_quiet {
            Some(quiet) if self.still_busy() => {
                let ago = match quiet.as_secs() {
                    0 => "just now".to_owned(),
                    _ => format!("{} ago", seconds(quiet)),
                };
                write!(
                    f,
                    "; it may still be starting: it wrote to its standard error {ago}"
                )
            }
            Some(quiet) => write!(
                f,
                "; its standard error has been silent for {}",
                seconds(quiet)
            ),
            None if self.noise.is_none() => f.write_str(" and wrote nothing at all"),
            None => Ok(()),
        }
    }
}

impl ReadError {
    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.kind.hint()
    }

    /// Whether the server is merely of the other era, which is no fault of it.
    #[must_use]
    pub fn is_other_era(&self) -> bool {
        matches!(
            *self.kind,
            ReadErrorKind::NotModern { .. } | ReadErrorKind::NoCommonVersion { .. }
        )
    }
}

impl ReadErrorKind {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::CommandNotFound { command } => return Some(not_found_hint(command).to_owned()),
            Self::Isolation { hint, .. } => return hint.clone(),
            Self::Http(error) => return error.hint(),
            Self::NeverAnswered { heard, .. } if heard.other_id.is_some() => {
                "the server has to send back the `id` it was asked with, of the same type"
            }
            Self::NeverAnswered { heard, .. } if heard.still_busy() => {
                "give it more time with `--start-timeout`, or install it beforehand"
            }
            Self::NeverAnswered { .. } => {
                "check that this command starts an MCP server that speaks over standard input and output"
            }
            Self::Spawn { .. } => {
                "check that the program is executable and made for this machine, and that its directory exists"
            }
            Self::Exited { .. } => {
                "run the command by hand; servers often end at once when a setting or a credential is missing"
            }
            Self::UnknownVersion { .. } => "the server must offer a published protocol version",
            Self::TooLong { .. } => "the server has to list its tools in pages",
            Self::Refused { error, .. } if error.code == code::METHOD_NOT_FOUND => {
                "the server has no tools to list, or is no MCP server"
            }
            Self::BrokenAnswer { error, .. } if error.kind.is_limit() => {
                "no client has to read so much: keep each message within these bounds"
            }
            Self::BrokenAnswer { .. } => {
                "each message has to be one line of UTF-8 JSON, and nothing else may write to standard output"
            }
            Self::Closed { .. } => {
                "a server has to keep its standard output open until its input ends"
            }
            Self::NotModern { .. } => {
                "read it with `--era auto`; if that fails too, check that this is an MCP server"
            }
            Self::NoCommonVersion { supported, .. } if version::any_known(supported) => {
                "read it with `--era auto`"
            }
            Self::NoCommonVersion { .. } => "one of the two is too old: update it",
            Self::Refused { .. } => "the server's own log may say more",
            Self::InvalidAnswer { .. } | Self::MalformedResult { .. } => {
                "the server has to be mended: other clients fail on this too, or misread it"
            }
            Self::Io(_) => return None,
        };
        Some(hint.to_owned())
    }
}

fn not_found_hint(command: &str) -> &'static str {
    match command {
        "npx" | "npm" | "node" => "install Node.js, or give the program's full path",
        "uvx" | "uv" => "install uv, or give the program's full path",
        "python" | "python3" | "pipx" => "install Python, or give the program's full path",
        "docker" | "podman" => "install a container runtime, or give the program's full path",
        _ => "check its spelling and that it is in PATH, or give the program's full path",
    }
}

/// A duration as people say it.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(10) && duration.subsec_millis() != 0 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} s", duration.as_secs())
    }
}

/// These words, unless a text may be JSON and there is only too much of it.
pub(crate) fn unless_limit<'w>(words: &'w str, kind: &ParseErrorKind) -> &'w str {
    if kind.is_limit() { "" } else { words }
}

fn versions(supported: &[String]) -> String {
    if supported.is_empty() {
        return "versions it does not name".to_owned();
    }
    sayso_core::reveal::reveal_line(&supported.join(", ")).into_owned()
}
