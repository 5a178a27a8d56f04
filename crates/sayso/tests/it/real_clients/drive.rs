//! The scratch server, and a client driven against it.
//!
//! `fixtures/clients/drivers/README.md` says what the drivers read and print.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixtures::Background;

/// A client that takes longer than this for a script hangs.
const LONGEST: Duration = Duration::from_secs(120);

/// A client, by its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    environment: &'static str,
}

impl Client {
    pub(crate) const fn npm(name: &'static str) -> Self {
        let environment = "npm";
        Self { name, environment }
    }

    /// One that lives in an environment of Python packages.
    pub(crate) const fn python(name: &'static str, environment: &'static str) -> Self {
        Self { name, environment }
    }

    /// The driver, ready for its script.
    fn command(self) -> Command {
        let installed = root().join(".clients").join(self.environment);
        assert!(
            installed.exists(),
            "{} is missing: `cargo xtask test` installs it",
            installed.display()
        );
        let drivers = root().join("fixtures/clients/drivers");
        let (program, driver) = match self.environment {
            "npm" => (PathBuf::from("node"), format!("{}.mjs", self.name)),
            _ if cfg!(windows) => (
                installed.join("Scripts/python.exe"),
                format!("{}.py", self.name),
            ),
            _ => (installed.join("bin/python"), format!("{}.py", self.name)),
        };
        let mut command = Command::new(program);
        command.arg(drivers.join(driver));
        // Nothing of the person's own settings, such as where to report what an agent does.
        command.env_clear().env("PYTHONDONTWRITEBYTECODE", "1");
        for kept in ["PATH", "SystemRoot"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// How a client reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Stdio,
    Http,
}

/// A scratch server in a folder of its own.
pub(crate) struct Scratch {
    place: TempDir,
}

impl Scratch {
    /// With its first contents, and these settings.
    pub(crate) fn new(settings: &[&str]) -> Self {
        let place = TempDir::new().unwrap();
        fs::create_dir(place.path().join("home")).unwrap();
        let scratch = Self { place };
        if !settings.is_empty() {
            scratch.set(settings);
        }
        scratch
    }

    /// `sayso scratch set`.
    pub(crate) fn set(&self, settings: &[&str]) {
        self.sayso(&[&["set"], settings].concat());
    }

    /// `sayso scratch report`.
    pub(crate) fn report(&self) -> Value {
        self.report_with(&[])
    }

    /// The same with further arguments.
    pub(crate) fn report_with(&self, arguments: &[&str]) -> Value {
        let arguments = [&["report", "--format", "json"], arguments].concat();
        serde_json::from_str(&self.sayso(&arguments)).unwrap()
    }

    /// Waits until the report says so.
    pub(crate) fn until(&self, what: &str, said: impl Fn(&Value) -> bool) {
        let started = Instant::now();
        while !said(&self.report()) {
            assert!(started.elapsed() < LONGEST, "{what}: {:#}", self.report());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn sayso(&self, arguments: &[&str]) -> String {
        let output = self
            .scratch()
            .args(arguments)
            .arg("--dir")
            .arg(self.folder())
            .output();
        let output = output.unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn scratch(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.arg("scratch").env("HOME", self.home());
        command
    }

    /// Where the server keeps everything.
    pub(crate) fn folder(&self) -> PathBuf {
        self.place.path().join("scratch")
    }

    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Takes a client through the steps.
    pub(crate) fn drive(&self, client: Client, over: Over, script: Value) -> Driven {
        self.drive_while(client, over, script, |_| ())
    }

    /// The same; at the step [`change`] the client waits until `change` has been done.
    pub(crate) fn drive_while(
        &self,
        client: Client,
        over: Over,
        mut script: Value,
        change: impl FnOnce(&Self),
    ) -> Driven {
        let served = (over == Over::Http).then(|| self.serve());
        match &served {
            Some(served) => script["url"] = json!(served.url),
            None => {
                let program = env!("CARGO_BIN_EXE_sayso");
                script["command"] = json!([program, "scratch", "--dir", self.folder()]);
            }
        }
        let changes = script["steps"]
            .as_array()
            .unwrap()
            .contains(&super::change());
        let mut running = Running::start(client, &script, self.place.path(), &self.home());
        if changes {
            running.change(|| change(self));
        }
        running.finish()
    }

    /// The server over HTTP.
    pub(crate) fn serve(&self) -> Served {
        let mut command = self.scratch();
        command
            .args(["--http", "127.0.0.1:0", "--dir"])
            .arg(self.folder());
        let mut server = Background::start(command.stdout(Stdio::null()).stderr(Stdio::piped()));
        let mut told = BufReader::new(server.child().stderr.take().unwrap());
        // First it tells what is set.
        let url = loop {
            let mut line = String::new();
            assert_ne!(told.read_line(&mut line).unwrap(), 0, "it serves nowhere");
            if let Some(url) = line.trim().strip_prefix("serving at ") {
                break url.to_owned();
            }
        };
        Served {
            url,
            _server: server,
            _told: told,
        }
    }
}

/// The scratch server over HTTP.
pub(crate) struct Served {
    pub(crate) url: String,
    _server: Background,
    _told: BufReader<ChildStderr>,
}

/// A driver at work.
pub(crate) struct Running {
    client: Client,
    child: Child,
    place: PathBuf,
}

impl Running {
    /// Starts one in a folder, with a home directory.
    pub(crate) fn start(client: Client, script: &Value, place: &Path, home: &Path) -> Self {
        let file = |name: &str| File::create(place.join(name)).unwrap();
        let mut command = client.command();
        command
            .arg(script.to_string())
            .current_dir(place)
            .env("HOME", home)
            .stdin(Stdio::null())
            .stdout(file("out"))
            .stderr(file("err"));
        let child = command.spawn().unwrap();
        Self {
            client,
            child,
            place: place.to_owned(),
        }
    }

    /// Waits for the driver to come to the step [`change`](super::change), does it, and lets the
    /// driver go on.
    pub(crate) fn change(&mut self, change: impl FnOnce()) {
        let started = Instant::now();
        while !self.place.join("reached").exists() {
            let ended = self.child.try_wait().unwrap().is_some();
            if ended || started.elapsed() > LONGEST {
                self.fail("did not come to the change");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        change();
        File::create(self.place.join("changed")).unwrap();
    }

    /// Waits for its end, and takes what came of each step.
    pub(crate) fn finish(mut self) -> Driven {
        let started = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if started.elapsed() > LONGEST {
                self.fail("did not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let out = fs::read_to_string(self.place.join("out")).unwrap();
        let document = out
            .lines()
            .last()
            .and_then(|line| serde_json::from_str(line).ok());
        let mut document: Value = document.unwrap_or_else(|| self.fail("printed no document"));
        let Value::Array(steps) = document["steps"].take() else {
            panic!("{document}");
        };
        Driven {
            client: self.client,
            steps,
            document,
        }
    }

    fn fail(&mut self, what: &str) -> ! {
        let _ = self.child.kill();
        let told = fs::read_to_string(self.place.join("err")).unwrap_or_default();
        panic!("{} {what}\n{told}", self.client.name);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came of a script, step by step.
pub(crate) struct Driven {
    client: Client,
    steps: Vec<Value>,
    document: Value,
}

impl Driven {
    /// How often the client was told that the tools changed.
    pub(crate) fn told(&self) -> u64 {
        self.document["told"].as_u64().unwrap()
    }

    /// What the person at the client was asked.
    pub(crate) fn asked(&self) -> &[Value] {
        self.document["asked"].as_array().unwrap()
    }

    /// The tools as the client held them at a step.
    pub(crate) fn tools(&self, step: usize) -> &[Value] {
        let tools = self.steps[step]["tools"].as_array();
        tools.unwrap_or_else(|| panic!("{}: {:#}", self.client.name, self.steps[step]))
    }

    /// A hint of a tool as the client held it at a step: `true`, `false` or `None`.
    pub(crate) fn hint(&self, step: usize, tool: &str, hint: &str) -> String {
        let mut tools = self.tools(step).iter();
        let found = tools.find(|found| found["name"] == tool).unwrap();
        shown(&found["annotations"][hint])
    }

    /// All hints as the client held them at a step, a tool a line.
    pub(crate) fn hints(&self, step: usize) -> String {
        let line = |tool: &Value| {
            let name = tool["name"].as_str().unwrap();
            let hint = |key: &str| shown(&tool["annotations"][key]);
            format!(
                "{name:<18} readOnly={} destructive={} idempotent={} openWorld={}\n",
                hint("readOnlyHint"),
                hint("destructiveHint"),
                hint("idempotentHint"),
                hint("openWorldHint"),
            )
        };
        self.tools(step).iter().map(line).collect()
    }

    /// What a step's calls gave.
    pub(crate) fn answers(&self, step: usize) -> &[Value] {
        let answers = self.steps[step]["answers"].as_array();
        answers.unwrap_or_else(|| panic!("{}: {:#}", self.client.name, self.steps[step]))
    }

    /// The error that ended a step, if one did.
    pub(crate) fn error(&self, step: usize) -> Option<&str> {
        self.steps[step]["error"].as_str()
    }
}

fn shown(hint: &Value) -> String {
    if hint.is_null() {
        "None".to_owned()
    } else {
        hint.to_string()
    }
}
