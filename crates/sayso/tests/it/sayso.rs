//! Runs the program in a place of its own.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The program with an empty working directory, an empty home and hardly any environment.
pub(crate) struct Sayso {
    place: TempDir,
    arguments: Vec<OsString>,
    environment: Vec<(String, String)>,
    input: Vec<u8>,
}

/// What came of a run. Paths into the place of the run are written as `[DIR]` and `[HOME]`.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sayso {
    /// `sayso` with arguments, split at white space.
    pub(crate) fn new(arguments: &str) -> Self {
        let place = TempDir::new().unwrap();
        // A repository's root: no settings file above it is looked for.
        for directory in ["work/.git", "home"] {
            std::fs::create_dir_all(place.path().join(directory)).unwrap();
        }
        let arguments = arguments.split_whitespace().map(OsString::from).collect();
        Self {
            place,
            arguments,
            environment: Vec::new(),
            input: Vec::new(),
        }
    }

    /// The working directory.
    pub(crate) fn directory(&self) -> PathBuf {
        self.place.path().join("work")
    }

    /// The home directory.
    pub(crate) fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// One more argument, with white space or not.
    pub(crate) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With a file in the working directory.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write_file(&self.directory().join(name), content.as_ref());
        self
    }

    /// With a file in the home directory.
    pub(crate) fn home_file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write_file(&self.home().join(name), content.as_ref());
        self
    }

    /// With an environment variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this on standard input.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs the program again in the same place, with other arguments and nothing on standard input.
    pub(crate) fn again(&self, arguments: &str) -> Ran {
        let mut command = self.command_of(arguments.split_whitespace());
        let output = command.stdin(Stdio::null()).output().unwrap();
        self.ran(&output)
    }

    /// The command that is run.
    pub(crate) fn command(&self) -> Command {
        self.command_of(&self.arguments)
    }

    fn command_of(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command
            .args(arguments)
            .current_dir(self.directory())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("NO_COLOR", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self) -> Ran {
        let mut child = self.command().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // The program may end without reading its input.
        let _ = input.write_all(&self.input);
        drop(input);
        let output = child.wait_with_output().unwrap();
        self.ran(&output)
    }

    fn ran(&self, output: &Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: self.scrub(&output.stdout),
            stderr: self.scrub(&output.stderr),
        }
    }

    /// Runs it, and what came of it as one text.
    pub(crate) fn shown(&self) -> String {
        self.run().to_string()
    }

    fn scrub(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.replace(&self.directory().display().to_string(), "[DIR]")
            .replace(&self.home().display().to_string(), "[HOME]")
            .replace(env!("CARGO_BIN_EXE_sayso"), "[SAYSO]")
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        match self.code {
            Some(code) => writeln!(text, "exit code: {code}")?,
            None => writeln!(text, "ended by a signal")?,
        }
        for (name, content) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !content.is_empty() {
                writeln!(text, "----- {name}\n{}", content.trim_end())?;
            }
        }
        f.write_str(text.trim_end())
    }
}

fn write_file(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}
