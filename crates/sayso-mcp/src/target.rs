//! Where a server is and how it is started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::http::HttpTarget;

/// An MCP server.
#[derive(Clone, Debug)]
pub enum Target {
    /// A command that speaks over its standard input and output.
    Stdio(StdioCommand),
    /// A URL.
    Http(HttpTarget),
}

impl Target {
    /// The server in a few words, without what may be a secret.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Stdio(command) => command.shown(),
            Self::Http(http) => http.shown_url(),
        }
    }
}

/// A command that starts a server.
///
/// [`Debug`](fmt::Debug) shows neither the values of environment variables nor arguments that
/// look like a secret.
#[derive(Clone, Default)]
pub struct StdioCommand {
    /// The program: a path, or a name to look for in `PATH`.
    pub command: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables on top of this process's own.
    pub env: Vec<(OsString, OsString)>,
    /// The directory to start it in; this process's own if there is none.
    pub cwd: Option<PathBuf>,
    /// What is kept from it. Needs a [`Supervisor`], and Linux.
    pub isolation: Isolation,
    /// The program that watches over the server's processes. Without one a daemon that leaves
    /// its process group is not caught.
    pub supervisor: Option<Supervisor>,
}

/// What a server is kept from while its listing is taken. It can still read files, and speak
/// to services on this machine through sockets in the file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// Any network but a loopback of its own.
    pub no_network: bool,
    /// Changing any file: it has an empty home and scratch directories in memory, and
    /// everything else is read-only.
    pub private_home: bool,
}

impl Isolation {
    /// Whether anything is kept from the server.
    #[must_use]
    pub fn any(self) -> bool {
        self.no_network || self.private_home
    }
}

/// How to run [`supervise`](crate::supervisor::supervise) in a process of its own. The
/// supervisor's own arguments are put behind `args`.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// The program, most often this one.
    pub program: PathBuf,
    /// What makes it supervise.
    pub args: Vec<OsString>,
}

impl StdioCommand {
    /// A command with arguments and nothing else.
    #[must_use]
    pub fn new<A: Into<OsString>>(
        command: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            command: command.into(),
            args: args.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The command line on one line, without what may be a secret.
    #[must_use]
    pub fn shown(&self) -> String {
        let words = std::iter::once(self.command.to_string_lossy().into_owned());
        let line: Vec<String> = words.chain(self.shown_args()).collect();
        sayso_core::reveal::reveal_line(&line.join(" ")).into_owned()
    }

    /// Whether the command fetches the server before it starts it, which takes its time.
    #[must_use]
    pub fn downloads_first(&self) -> bool {
        const FETCHING: [&str; 14] = [
            "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx", "docker", "podman",
            "deno", "dnx", "go",
        ];
        const SHELLS: [&str; 7] = ["cmd", "env", "sh", "bash", "zsh", "powershell", "pwsh"];
        let is_among = |names: &[&str], program: &OsStr| {
            let name = Path::new(program).file_stem().unwrap_or_default();
            names.iter().any(|known| name == *known)
        };
        let words = self.args.iter().flat_map(|arg| {
            let arg = arg.to_str().unwrap_or_default();
            arg.split_ascii_whitespace().map(OsStr::new)
        });
        is_among(&FETCHING, &self.command)
            || is_among(&SHELLS, &self.command)
                && words.into_iter().any(|word| is_among(&FETCHING, word))
    }

    fn shown_args(&self) -> impl Iterator<Item = String> {
        let mut value_of_secret = false;
        self.args.iter().map(move |arg| {
            let arg = arg.to_string_lossy();
            let hide = std::mem::replace(&mut value_of_secret, names_secret(&arg));
            match arg.split_once('=') {
                Some((name, _)) if names_secret(name) => format!("{name}=***"),
                _ if hide && !arg.starts_with('-') || looks_random(&arg) => "***".to_owned(),
                _ => arg.into_owned(),
            }
        })
    }
}

fn names_secret(name: &str) -> bool {
    const SECRET: [&str; 8] = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "api-key",
        "api_key",
        "credential",
    ];
    let name = name.to_ascii_lowercase();
    name.starts_with('-') && !name.contains('=') && SECRET.iter().any(|word| name.contains(word))
}

/// A long word in which letters and digits take turns, as in keys and not in names and paths.
fn looks_random(arg: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'=');
    let turns = arg.as_bytes().windows(2).filter(
        |pair| matches!(pair, [one, other] if one.is_ascii_digit() != other.is_ascii_digit()),
    );
    arg.len() >= 20 && arg.bytes().all(word) && turns.count() >= 5
}

impl fmt::Debug for StdioCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("StdioCommand")
            .field("command", &self.command)
            .field("args", &self.shown_args().collect::<Vec<_>>())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .field("isolation", &self.isolation)
            .field("supervisor", &self.supervisor)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::StdioCommand;

    #[test]
    fn secrets_are_not_shown() {
        let mut command = StdioCommand::new(
            "npx",
            [
                "-y",
                "@acme/mcp-server@1.2.0",
                "--api-key",
                "hush",
                "--token=hush",
                "sk-live-3f9c07a1be524d68",
                "--stdio",
                "my-long-server-name-20261130",
            ],
        );
        command.env.push(("ACME_KEY".into(), "hush".into()));
        insta::assert_snapshot!(command.shown(), @"npx -y @acme/mcp-server@1.2.0 --api-key *** --token=*** *** --stdio my-long-server-name-20261130");
        assert!(!format!("{command:?}").contains("hush"));
        assert!(format!("{command:?}").contains("ACME_KEY"));
    }

    #[test]
    fn commands_that_fetch_are_known_by_name() {
        let fetches = |command: &str| StdioCommand::new(command, [""; 0]).downloads_first();
        assert!(fetches("npx") && fetches("/usr/local/bin/uvx") && fetches("npx.cmd"));
        assert!(!fetches("node") && !fetches("./server"));
        let through = |shell: &str, args: &[&str]| StdioCommand::new(shell, args).downloads_first();
        assert!(through("cmd", &["/c", "npx", "-y", "files"]));
        assert!(through("sh", &["-c", "cd /srv && exec uvx files"]));
        assert!(!through("sh", &["-c", "exec ./server"]) && !through("node", &["npx"]));
    }
}
