//! One server in its jail, with its fixture and what is known of its files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use sayso_core::digest::Digest;
use sayso_core::listing::Listing;
use sayso_mcp::{Client, ReadError, ReadOptions, Target};
use tokio::time::Instant;

use super::noise::Noise;
use super::place::{NAME_OF_WORKSPACE, Scratch, Site};
use super::{Options, SILENCE, SessionError, Subject};
use crate::change::{Change, What};
use crate::drive::Call;
use crate::event::{Act, Event};
use crate::fixture::{Built, Fixture};
use crate::jail::{Jail, Mark};
use crate::judge;
use crate::observation::Observation;
use crate::plan::Plan;
use crate::tree::{self, Look, Names, Tree};

/// How much longer than the least a call is watched while there is no silence.
const LONGEST: Duration = Duration::from_secs(20);

/// How many events are kept of one call.
const EVENTS: usize = 2000;

/// A server that is watched. Dropping it ends the server and removes its folders.
pub(super) struct Server {
    pub(super) listing: Listing,
    pub(super) built: Built,
    pub(super) fixture: Digest,
    pub(super) plan: Plan,
    pub(super) client: Option<Client>,
    pub(super) options: Options,
    jail: Jail,
    tree: Tree,
    names: Names,
    /// The files as they were last seen.
    seen: Look,
    noise: Noise,
    notes: Vec<String>,
    is_lost: bool,
    /// Goes last.
    scratch: Scratch,
}

/// What was seen between two moments.
#[derive(Debug, Default)]
pub(super) struct Window {
    pub(super) changes: Vec<Change>,
    pub(super) events: Vec<Event>,
    pub(super) late: Vec<Event>,
}

impl Server {
    pub(super) async fn start(
        subject: &Subject,
        fixture: &Fixture,
        options: &Options,
    ) -> Result<Self, SessionError> {
        let scratch = Scratch::new()
            .map_err(|error| SessionError::around("cannot make a temporary folder", error))?;
        let workspace = scratch.path().join("workspace");
        let mut built = fixture
            .build(&workspace)
            .map_err(|error| SessionError::around("cannot build the fixture", error))?;
        let loopback = loopback(&built);
        let site = Site::new(&scratch, &built.root, &loopback, subject, options)
            .map_err(|error| SessionError::around("cannot prepare the jail's folders", error))?;
        let mut env = site.plan.env.iter();
        let home = env.find(|(name, _)| name == "HOME");
        built.home = home.map(|(_, home)| home.into());
        let mut tree = Tree::new(site.folders, site.contents);
        let mut names = Names {
            server: words(subject),
            made_at_start: Vec::new(),
        };
        let before = look(&mut tree, &BTreeSet::new())?;
        let digest = tree.digest(&before);
        let jail = Jail::prepare(&site.plan, &options.launcher).map_err(|refused| {
            SessionError::Start {
                message: refused.reason,
                hint: Some(refused.hint),
                details: Vec::new(),
            }
        })?;
        let (client, listing) = match connect(&jail, options).await {
            Ok(connected) => connected,
            Err(error) => return Err(never_started(&jail, &error, options)),
        };
        let after = look(&mut tree, &tree::mapped(&jail.processes()))?;
        let started = tree.between(&before, &after, &names);
        let made = started.iter().filter(|change| change.what == What::Created);
        names.made_at_start = made.map(|change| change.path.clone()).collect();
        Ok(Self {
            notes: notes_of_start(&started),
            listing,
            built,
            fixture: digest,
            plan: site.plan,
            client: Some(client),
            options: options.clone(),
            jail,
            tree,
            names,
            seen: after,
            noise: Noise::default(),
            is_lost: false,
            scratch,
        })
    }

    /// Watches it for as long as a call while nothing is asked of it.
    pub(super) async fn listen_to_itself(&mut self) {
        let mark = self.jail.mark();
        if let Ok(window) = self.window(mark, None).await {
            self.noise = Noise::of(&window);
            let data = window
                .changes
                .iter()
                .filter(|change| Noise::is_grave(change));
            let shown: Vec<String> = data
                .map(|change| change.path.display().to_string())
                .collect();
            if !shown.is_empty() {
                let shown = shown.join(", ");
                self.notes
                    .push(format!("changed while nothing was asked of it: {shown}"));
            }
        }
    }

    /// Makes a call and the same one again.
    pub(super) async fn observe(&mut self, call: &Call) -> Result<Observation, SessionError> {
        super::call::observe(self, call).await
    }

    pub(super) fn mark(&self) -> Mark {
        self.jail.mark()
    }

    /// Waits until it is quiet, and says what was seen since a mark; `reply` is when the reply came.
    pub(super) async fn window(
        &mut self,
        mark: Mark,
        reply: Option<Mark>,
    ) -> Result<Window, SessionError> {
        self.settle().await;
        let mapped = tree::mapped(&self.jail.processes());
        let now = look(&mut self.tree, &mapped)?;
        let changes = self.tree.between(&self.seen, &now, &self.names);
        self.seen = now;
        let mut events = self.jail.since(mark);
        events.truncate(EVENTS);
        let mut late = reply
            .map(|reply| self.jail.since(reply))
            .unwrap_or_default();
        late.truncate(EVENTS);
        let window = Window {
            changes,
            events,
            late,
        };
        Ok(self.noise.taken_off(window))
    }

    async fn settle(&self) {
        let begun = Instant::now();
        let least = self.options.settle;
        loop {
            let passed = begun.elapsed();
            let quiet = self.jail.quiet_for();
            let is_quiet = quiet >= SILENCE.min(least.max(Duration::from_millis(1)));
            if passed >= least && (is_quiet || passed >= least + LONGEST) {
                return;
            }
            let rest = least
                .saturating_sub(passed)
                .max(SILENCE.saturating_sub(quiet))
                .max(Duration::from_millis(5));
            tokio::time::sleep(rest.min(SILENCE)).await;
        }
    }

    /// Ports of the fixture, and those the server has listened on so far.
    pub(super) fn loopback(&self) -> BTreeSet<u16> {
        let events = self.jail.since(Mark::default());
        let own = events.iter().filter_map(|event| match &event.act {
            Act::Listen { address } => address.rsplit_once(':')?.1.parse().ok(),
            _ => None,
        });
        own.chain(loopback(&self.built)).collect()
    }

    /// The folders that have other paths in each run.
    pub(super) fn places(&self) -> Vec<(PathBuf, &'static str)> {
        let scratch = self.scratch.path();
        let mut places = vec![
            (self.built.root.clone(), NAME_OF_WORKSPACE),
            (scratch.join("temporary"), "{temporary}"),
        ];
        // Not a home that is the root of everything.
        let home = self.built.home.clone();
        let home = home.filter(|home| home.components().count() > 1);
        places.extend(home.map(|home| (home, "{home}")));
        places.push((scratch.to_owned(), "{scratch}"));
        places
    }

    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Ends it in good order.
    pub(super) async fn end(mut self) {
        if let Some(client) = self.client.take() {
            client.close().await;
        }
    }
}

fn look(tree: &mut Tree, mapped: &BTreeSet<PathBuf>) -> Result<Look, SessionError> {
    tree.look(mapped)
        .map_err(|error| SessionError::around("cannot look at the files", error))
}

fn loopback(built: &Built) -> BTreeSet<u16> {
    built.pages.iter().map(|pages| pages.port()).collect()
}

async fn connect(jail: &Jail, options: &Options) -> Result<(Client, Listing), ReadError> {
    let read = ReadOptions {
        start_timeout: Some(options.start_timeout),
        request_timeout: options.timeout,
        close_timeout: Duration::from_millis(500),
        ..ReadOptions::default()
    };
    let mut client = Client::connect(Target::Stdio(jail.command()), read).await?;
    let listing = client.list().await?;
    Ok((client, listing))
}

/// Why there is no server, with what it tried.
fn never_started(jail: &Jail, error: &ReadError, options: &Options) -> SessionError {
    if let Some(refused) = jail.failure() {
        return SessionError::Start {
            message: format!("the jail ({}) cannot be made: {refused}", options.mode),
            hint: Some(refused.hint),
            details: Vec::new(),
        };
    }
    let events = jail.since(Mark::default());
    let refused = events.iter().filter_map(judge::refused);
    let mut details: Vec<String> = refused
        .map(|refused| format!("the jail refused: {}", refused.line))
        .collect();
    details.dedup();
    details.truncate(10);
    details.extend(error.stderr_tail.iter().cloned());
    SessionError::Start {
        message: format!(
            "the server does not start in the jail ({}): {}",
            options.mode, error.kind
        ),
        hint: error
            .hint()
            .or_else(|| Some("try whether it starts without one: `sayso audit`".to_owned())),
        details,
    }
}

/// What the server changed before anything was asked of it, where that is not its own.
fn notes_of_start(changes: &[Change]) -> Vec<String> {
    let grave = changes.iter().filter(|change| Noise::is_grave(change));
    let shown: Vec<String> = grave
        .take(5)
        .map(|change| change.path.display().to_string())
        .collect();
    match shown.is_empty() {
        true => Vec::new(),
        false => vec![format!("changed when it started: {}", shown.join(", "))],
    }
}

/// Words that a folder of the server's own may carry.
fn words(subject: &Subject) -> Vec<String> {
    let mut words = vec![subject.name.clone()];
    let files = std::iter::once(&subject.program).chain(&subject.arguments);
    for word in files {
        let path = std::path::Path::new(word);
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        let is_package = stem.contains("mcp") || stem.contains("server");
        if is_package && !stem.starts_with('-') {
            words.push(stem.to_owned());
        }
    }
    words.sort();
    words.dedup();
    words
}
