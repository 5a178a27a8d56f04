//! Watching one server at work: a fresh one in a jail for each tool, and everything its calls do until
//! it is quiet again.
//!
//! For each tool: the fixture is built anew, the server is started and lists its tools, and for as long
//! as a call is watched nothing is asked of it, so that what it does by itself is known. Then each call
//! is made, watched until it is quiet, and made once more. All servers but those behind a pipe are out
//! of reach: their effects are elsewhere.

mod call;
mod limits;
mod noise;
mod place;
mod server;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use sayso_core::listing::Listing;
use sayso_core::tool::Tool;

pub use place::{NAME_OF_WORKSPACE, Scratch};

use crate::drive::{self, Call, Made};
use crate::fixture::{Built, Fixture};
use crate::jail::Launcher;
use crate::observation::{Observation, Setting};
use crate::plan::{Meets, Mode};
use crate::scenario::Scenario;
use server::Server;

/// How long there has to be silence before a call is over.
pub const SILENCE: Duration = Duration::from_millis(300);

/// How long a call is watched at least, unless something else is asked for: effects were seen a second
/// after the reply.
pub const SETTLE: Duration = Duration::from_millis(1500);

/// A server that is started to be watched.
#[derive(Clone)]
pub struct Subject {
    /// The name it is called here.
    pub name: String,
    /// The program: a path, or a name to look for in `PATH`.
    pub program: OsString,
    /// Its arguments. `{workspace}` in them, and in `env`, stands for the fixture's folder.
    pub arguments: Vec<OsString>,
    /// What its environment has besides the little that every program needs.
    pub env: Vec<(OsString, OsString)>,
    /// The directory it is started in; the fixture's folder if there is none.
    pub directory: Option<PathBuf>,
}

// Arguments and variables may be secrets.
impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// How a server is watched.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the jail is made.
    pub launcher: Launcher,
    /// Its kind.
    pub mode: Mode,
    /// How long each call is watched at least.
    pub settle: Duration,
    /// How long the first answer is waited for.
    pub start_timeout: Duration,
    /// How long any other answer is waited for.
    pub timeout: Duration,
    /// What connections meet that are not let out.
    pub meets: Meets,
    /// Hosts that are really reached.
    pub live: Vec<String>,
    /// The tools that are called; all of them if none is named.
    pub tools: Vec<String>,
    /// How many further variants of arguments are tried for each tool.
    pub explore: usize,
    /// The folder that is copied for the server to work on, where that is not a fixture's: it stands in
    /// the server's arguments under its own path.
    pub workspace: Option<PathBuf>,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Script {
    /// Each tool by itself, with arguments that are made for it.
    Made,
    /// The steps of a scenario, one after the other, on one server.
    Scenario(Scenario),
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The server is started and lists its tools.
    Starting,
    /// A tool's turn; counted from 1.
    Tool {
        /// Its name.
        name: &'a str,
        /// Which it is.
        number: usize,
        /// Of how many.
        of: usize,
    },
    /// A call of that tool.
    Call {
        /// What is tried with it.
        step: &'a str,
    },
}

/// What came of watching a server.
#[derive(Debug)]
pub struct Watched {
    /// What it listed.
    pub listing: Listing,
    /// What all was seen in.
    pub setting: Setting,
    /// Every call that is judged.
    pub observations: Vec<Observation>,
    /// Every call that only prepared others.
    pub setup: Vec<Observation>,
    /// Tools that were not called, and why, in the order of the listing.
    pub not_called: Vec<(String, String)>,
    /// Ports of this machine that belong to the fixture or to the server itself.
    pub loopback: BTreeSet<u16>,
    /// The folders of this run, which have other paths in each, by what they are.
    pub places: Vec<(PathBuf, &'static str)>,
    /// What a person should know besides.
    pub notes: Vec<String>,
}

/// What keeps a server from being watched.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It did not start in the jail.
    #[error("{message}")]
    Start {
        /// What happened.
        message: String,
        /// What to do next.
        hint: Option<String>,
        /// What it tried that the jail refused, and its last lines on standard error.
        details: Vec<String>,
    },
    /// Something around it failed.
    #[error("{0}")]
    Around(String),
}

impl SessionError {
    fn around(what: &str, error: impl std::fmt::Display) -> Self {
        Self::Around(format!("{what}: {error}"))
    }
}

/// Watches a server. `tell` is told how far it is.
///
/// # Errors
/// When there is no jail, no fixture or no server to be watched. A server that ends while it is watched
/// is no error: the call says so.
pub async fn watch(
    subject: &Subject,
    fixture: &Fixture,
    script: &Script,
    options: &Options,
    tell: &dyn Fn(Step<'_>),
) -> Result<Watched, SessionError> {
    tell(Step::Starting);
    let mut first = Server::start(subject, fixture, options).await?;
    let listing = first.listing.clone();
    let setting = Setting {
        mode: options.mode,
        fixture: first.fixture,
        settle: options.settle,
    };
    let mut run = Run {
        subject,
        fixture,
        options,
        tell,
        watched: Watched {
            listing,
            setting,
            observations: Vec::new(),
            setup: Vec::new(),
            not_called: Vec::new(),
            loopback: BTreeSet::new(),
            places: Vec::new(),
            notes: first.take_notes(),
        },
    };
    match script {
        Script::Scenario(scenario) => {
            let calls = scenario
                .calls(&first.built)
                .map_err(|error| SessionError::around("the scenario cannot be used", error))?;
            let skipped = scenario.skipped();
            let skipped = skipped.map(|(tool, why)| (tool.to_owned(), format!("skipped: {why}")));
            run.watched.not_called.extend(skipped);
            run.calls(first, &calls).await;
        }
        Script::Made => {
            let planned = run.plan(&first.built);
            // It stays for the first tool: nothing was asked of it yet.
            run.tools(first, &planned).await?;
        }
    }
    Ok(run.watched)
}

struct Run<'a> {
    subject: &'a Subject,
    fixture: &'a Fixture,
    options: &'a Options,
    tell: &'a dyn Fn(Step<'_>),
    watched: Watched,
}

impl Run<'_> {
    /// The tools that are called, in the order of the listing.
    fn plan(&mut self, built: &Built) -> Vec<String> {
        let mut planned = Vec::new();
        for tool in self.watched.listing.tools() {
            let Some(name) = tool.name() else { continue };
            if !self.options.tools.is_empty() && !self.options.tools.iter().any(|one| *one == *name)
            {
                continue;
            }
            match drive::calls_for(tool.value(), built, self.options.explore) {
                Made::Calls(_) => planned.push(name.into_owned()),
                Made::Nothing { why } => self.watched.not_called.push((name.into_owned(), why)),
            }
        }
        planned
    }

    async fn tools(&mut self, first: Server, planned: &[String]) -> Result<(), SessionError> {
        let mut ready = Some(first);
        for (index, name) in planned.iter().enumerate() {
            (self.tell)(Step::Tool {
                name,
                number: index + 1,
                of: planned.len(),
            });
            let server = match ready.take() {
                Some(server) => server,
                None => Server::start(self.subject, self.fixture, self.options).await?,
            };
            let calls = {
                let tool = find(&server.listing, name);
                tool.map(|tool| drive::calls_for(tool.value(), &server.built, self.options.explore))
            };
            match calls {
                Some(Made::Calls(calls)) => self.calls(server, &calls).await,
                Some(Made::Nothing { why }) => self.watched.not_called.push((name.clone(), why)),
                None => {
                    let why = "a fresh server does not list it".to_owned();
                    self.watched.not_called.push((name.clone(), why));
                }
            }
        }
        Ok(())
    }

    /// Makes calls on one server, and ends it.
    async fn calls(&mut self, mut server: Server, calls: &[Call]) {
        server.listen_to_itself().await;
        self.watched.loopback.extend(server.loopback());
        self.watched.places.extend(server.places());
        for (place, call) in calls.iter().enumerate() {
            (self.tell)(Step::Call { step: &call.step });
            let failed = match server.observe(call).await {
                Ok(observation) if call.is_setup => {
                    let failed = observation.reply.failure();
                    self.watched.setup.push(observation);
                    failed
                }
                Ok(observation) => {
                    self.watched.observations.push(observation);
                    None
                }
                Err(error) => {
                    let why = format!("`{}`: {error}", call.step);
                    self.watched.not_called.push((call.tool.clone(), why));
                    call.is_setup.then(|| error.to_string())
                }
            };
            if let Some(said) = failed {
                let said = format!("the set-up `{}` failed: {said}", call.step);
                let after = calls.iter().skip(place + 1);
                let after = after.map(|call| (call.tool.clone(), said.clone()));
                self.watched.not_called.extend(after);
                self.watched.notes.push(said.clone());
                break;
            }
            if server.is_lost() {
                break;
            }
        }
        self.watched.notes.extend(server.take_notes());
        server.end().await;
        self.watched.notes.sort();
        self.watched.notes.dedup();
    }
}

fn find<'a>(listing: &'a Listing, name: &str) -> Option<Tool<'a>> {
    listing
        .tools()
        .find(|tool| tool.name().is_some_and(|one| one == name))
}
