//! The server: what it lists, what a call does, what is written down.

mod beginning;
mod call;
mod listen;
mod watch;
mod witness;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sayso_mcp::server::{Answer, Call, Changes, Event, Identity, Peer, Service, Transport};

use beginning::KnownClient;
pub use listen::PATH;

use crate::folder::{Folder, FolderError};
use crate::journal::Journal;
use crate::listing::{DeclaredByTool, Listing};
use crate::settings::Settings;
use crate::store::Store;

/// The server's name in the protocol.
pub const NAME: &str = "sayso-scratch";

/// What it tells the model about itself.
const INSTRUCTIONS: &str = "A server to try tools on. Everything in it is made up and can be put \
                            back; calls act on a small database and nothing else.";

/// The scratch server over one folder: one listing, one store, one journal, for all its
/// connections.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
    store: Arc<Store>,
    journal: Arc<Journal>,
    current: RwLock<Arc<Current>>,
    /// The connections that are open, by number.
    clients: Mutex<BTreeMap<u64, KnownClient>>,
    /// The version of the program, for the journal.
    version: String,
    transport: Transport,
}

/// What holds until the settings change.
#[derive(Debug)]
struct Current {
    /// The settings file's text.
    text: String,
    settings: Settings,
    listing: Listing,
    revision: u64,
    /// What earlier listings declared, by their numbers.
    earlier: BTreeMap<u64, DeclaredByTool>,
    /// What connected clients were last told of, or got at first.
    told: Listing,
}

impl Scratch {
    /// Opens a folder's store, journal and settings and writes down that a server began.
    ///
    /// # Errors
    /// When one of them cannot be used.
    pub fn open(folder: Folder, transport: Transport, version: &str) -> Result<Self, FolderError> {
        let text = folder.settings_text()?;
        let settings = folder.parse_settings(&text)?;
        let store = Store::open(&folder.store())?;
        let path = folder.journal();
        let journal = Journal::open(&path).map_err(FolderError::file("write", &path))?;
        let listing = Listing::of(&settings);
        let scratch = Self {
            folder,
            store: Arc::new(store),
            journal: Arc::new(journal),
            current: RwLock::new(Arc::new(Current {
                text,
                settings,
                told: listing.clone(),
                listing,
                revision: 1,
                earlier: BTreeMap::new(),
            })),
            clients: Mutex::default(),
            version: version.to_owned(),
            transport,
        };
        scratch.begin(false)?;
        Ok(scratch)
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What is set now.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.current().settings.clone()
    }

    /// Takes up changes of the settings file, and tells of a changed listing, for as long as it
    /// is polled. Gives the error when the journal can no longer be written: an experiment
    /// without its record is none.
    ///
    /// A file that is wrong changes nothing; `on_problem` is told why.
    pub async fn watch(
        &self,
        changes: &Changes,
        on_problem: impl FnMut(&FolderError) + Send,
    ) -> FolderError {
        watch::watch(self, changes, on_problem).await
    }

    fn current(&self) -> Arc<Current> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    fn replace(&self, new: Current) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(new);
    }
}

impl Service for Scratch {
    fn identity(&self) -> Identity {
        Identity {
            name: NAME.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: Some(INSTRUCTIONS.to_owned()),
        }
    }

    async fn list(&self, _: &Peer) -> Vec<String> {
        self.current().listing.tools.clone()
    }

    async fn call(&self, peer: &Peer, call: Call) -> Answer {
        self.answer(peer, call).await
    }

    fn witness(&self, peer: &Peer, event: Event<'_>) {
        self.write_down(peer, event);
    }
}
