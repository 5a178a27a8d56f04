//! What is traced: the scratch server, a copy of it with a store of its own for every caller, or
//! any server that somebody named.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use sayso_mcp::Target;
use sayso_scratch::folder::Folder;
use sayso_scratch::journal::{Journal, Record};
use sayso_scratch::settings::Assignment;
use sayso_scratch::store::{Change, State, Store};
use tempfile::TempDir;

use crate::error::Failure;
use crate::run::{RunOptions, mcp_target};
use crate::targets::{PlannedTarget, Process};

/// How often the journal is looked at while something is waited for.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What is traced.
#[derive(Debug)]
pub(crate) enum Subject {
    /// The scratch server, with these settings.
    Scratch(Vec<Assignment>),
    /// A server to be started or reached.
    Server(Box<PlannedTarget>),
}

/// One server to trace, with what is needed to look behind it.
pub(super) struct Instance {
    pub(super) target: Target,
    /// The same, as settings would have it.
    pub(super) planned: PlannedTarget,
    pub(super) window: Window,
    scratch: Option<ScratchFolder>,
}

/// The scratch server's folder, which goes when the trace is done.
struct ScratchFolder {
    folder: Folder,
    _directory: TempDir,
}

/// A look into the store and the journal behind a server, where there are any.
pub(super) struct Window(Option<(Store, PathBuf)>);

impl Subject {
    /// Whether it is the scratch server.
    pub(crate) fn is_scratch(&self) -> bool {
        matches!(self, Self::Scratch(_))
    }

    /// How it can be shown.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Scratch(_) => "the scratch server".to_owned(),
            Self::Server(target) => target.name.clone(),
        }
    }

    /// A server for one caller: of the scratch server a fresh one, with `further` settings.
    pub(super) fn instance(
        &self,
        options: &RunOptions,
        further: &[Assignment],
    ) -> Result<Instance, Failure> {
        let (planned, scratch) = match self {
            Self::Server(target) => (PlannedTarget::clone(target), None),
            Self::Scratch(assignments) => {
                let all: Vec<Assignment> = assignments.iter().chain(further).cloned().collect();
                let scratch = ScratchFolder::make(&all)?;
                (scratch.server()?, Some(scratch))
            }
        };
        let store = match &scratch {
            Some(ScratchFolder { folder, .. }) => {
                let store = Store::open(&folder.store()).map_err(broken)?;
                Some((store, folder.journal()))
            }
            None => None,
        };
        Ok(Instance {
            target: wire(&planned, options)?,
            planned,
            window: Window(store),
            scratch,
        })
    }
}

impl Instance {
    /// Changes the scratch server's settings while it runs, and waits until it lists accordingly.
    ///
    /// # Errors
    /// When the settings cannot be changed, or the server does not take them up in time.
    pub(super) async fn change(&self, assignments: &[Assignment]) -> Result<(), Failure> {
        let Some(ScratchFolder { folder, .. }) = &self.scratch else {
            return Err(Failure::usage("only the scratch server can be changed"));
        };
        let before = listings(folder)?;
        folder.set(assignments).map_err(broken)?;
        let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
        while listings(folder)? == before {
            if tokio::time::Instant::now() > deadline {
                let what = "the scratch server did not take up its new settings within 10 s";
                return Err(Failure::usage(what));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(())
    }
}

/// How many listings the server has had.
fn listings(folder: &Folder) -> Result<usize, Failure> {
    let contents = match Journal::read(&folder.journal()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        read => read.map_err(broken)?,
    };
    let listings = contents.entries.iter();
    Ok(listings
        .filter(|entry| matches!(entry.record, Record::Listing { .. }))
        .count())
}

impl ScratchFolder {
    fn make(assignments: &[Assignment]) -> Result<Self, Failure> {
        let directory = tempfile::Builder::new()
            .prefix("sayso-trace-")
            .tempdir()
            .map_err(|error| Failure::usage("cannot make a temporary folder").source(error))?;
        let folder = Folder::open(directory.path()).map_err(broken)?;
        folder.set(assignments).map_err(broken)?;
        Ok(Self {
            folder,
            _directory: directory,
        })
    }

    /// This very program, serving from the folder.
    fn server(&self) -> Result<PlannedTarget, Failure> {
        let unicode = |path: std::path::PathBuf| {
            path.into_os_string().into_string().map_err(|path| {
                let path = path.to_string_lossy();
                Failure::usage(format!("the path `{path}` is not Unicode"))
            })
        };
        let program = std::env::current_exe()
            .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
        let mut server = PlannedTarget::from_command(Process {
            program: unicode(program)?,
            arguments: vec![
                "scratch".to_owned(),
                "--dir".to_owned(),
                unicode(self.folder.path().to_owned())?,
            ],
            environment: Vec::new(),
            directory: None,
        });
        "scratch".clone_into(&mut server.name);
        Ok(server)
    }
}

impl Window {
    /// The store in numbers, where it can be looked into.
    pub(super) fn state(&self) -> Option<State> {
        let (store, _) = self.0.as_ref()?;
        store.state(Timestamp::now()).ok()
    }

    /// How many calls have arrived at the server, where that can be seen.
    pub(super) fn arrived(&self) -> Option<usize> {
        let (_, journal) = self.0.as_ref()?;
        let contents = Journal::read(journal).ok()?;
        let entries = contents.entries.iter();
        let called = entries.filter(|entry| matches!(entry.record, Record::Called { .. }));
        Some(called.count())
    }

    /// How many more there are than there were.
    pub(super) fn arrived_since(&self, before: Option<usize>) -> Option<usize> {
        Some(self.arrived()?.saturating_sub(before?))
    }

    /// What is not as it was, where that can be seen.
    pub(super) fn changes_since(&self, before: Option<&State>) -> Option<Vec<Change>> {
        Some(self.state()?.changes_since(before?))
    }
}

fn wire(target: &PlannedTarget, options: &RunOptions) -> Result<Target, Failure> {
    mcp_target(target, options)
        .map_err(|unreadable| Failure::usage(unreadable.message).hint_if_known(unreadable.hint))
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::usage("the scratch server cannot be used").source(error)
}
