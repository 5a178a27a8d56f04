//! The lock: what was accepted of each server, for a person to review and a program to hold a
//! later listing against.
//!
//! A [`Lock`] keeps of each server who it said it was, how it is launched, its instructions and
//! every tool's definition with the digests of its parts. It is written as TOML in one way only
//! ([`Lock::to_text`]): servers and tools by name, no times, so that equal listings give equal
//! bytes however they were ordered and spelled. What is read ([`Lock::from_text`]) is checked:
//! each digest and claim in it is worked out again from the definition beside it.

mod definition;
mod read;
mod write;

use std::collections::BTreeMap;

use crate::digest::{Digest, Part, Scheme, ToolDigest};
use crate::hint::{Claim, Hints};
use crate::json::{Document, Limits, Value};
use crate::listing::{Completeness, Era, Listing, Page, ServerIdentity};
use crate::tool::Tool;

pub use read::{LockError, normalised};

/// The file format this version reads and writes.
pub const FORMAT: u32 = 1;

/// What was accepted of any number of servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// By the name each server is called here.
    pub servers: BTreeMap<String, PinnedServer>,
}

/// What was accepted of one server. Its listing was complete: there is no other pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedServer {
    /// `serverInfo.name`.
    pub identity: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// The protocol version both sides agreed on.
    pub protocol: Option<String>,
    /// The era it was spoken in; `None` for a saved listing.
    pub era: Option<Era>,
    /// The instructions for the model.
    pub instructions: Option<String>,
    /// What is started or reached.
    pub launch: Launch,
    /// By name.
    pub tools: BTreeMap<String, PinnedTool>,
}

/// What is started or reached to get the listing, as far as it may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Where the listing comes from.
    pub source: LaunchSource,
    /// The directory it is started in, if one is set.
    pub directory: Option<String>,
    /// Names of the environment variables set for it, sorted; never their values.
    pub environment: Vec<String>,
    /// Where it is written down.
    pub configuration: Option<Configured>,
}

/// Where a server is written down.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configured {
    /// The host's configuration, as a path that is not one machine's own.
    pub file: String,
    /// What the server is called there.
    pub server: String,
}

/// Where a listing comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LaunchSource {
    /// A process: its command line as a shell would want it, secrets replaced.
    Command(String),
    /// A server over HTTP: its address without user, password and query.
    Url(String),
    /// A saved listing.
    File(String),
    /// Something that cannot be launched again, such as standard input.
    #[default]
    Elsewhere,
}

/// What was accepted of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedTool {
    /// The digests of the definition.
    pub digest: ToolDigest,
    /// The claims in it.
    pub claims: Hints<Claim>,
    /// The whole definition in canonical form.
    definition: String,
}

/// Why a listing cannot be pinned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// Not all of it is there.
    #[error("the listing is incomplete: {0}")]
    Incomplete(String),
    /// It was another one when it was read again.
    #[error("two readings in a row differ: {0}")]
    Differs(String),
    /// An entry has no name that all readers read alike.
    #[error("tool #{0} has no name to pin it by")]
    Nameless(usize),
    /// Two entries have one name.
    #[error("two tools are called `{0}`")]
    Ambiguous(String),
}

impl PinnedServer {
    /// Pins a listing.
    ///
    /// # Errors
    /// When it is incomplete, or a tool in it cannot be told by its name.
    pub fn of(listing: &Listing, launch: Launch) -> Result<Self, PinError> {
        if let Completeness::Incomplete(why) = &listing.completeness {
            return Err(PinError::Incomplete(why.clone()));
        }
        let mut tools = BTreeMap::new();
        for tool in listing.tools() {
            let name = name(tool).ok_or(PinError::Nameless(tool.position() + 1))?;
            if tools.insert(name.clone(), PinnedTool::of(tool)).is_some() {
                return Err(PinError::Ambiguous(name));
            }
        }
        let ServerIdentity {
            name,
            version,
            protocol_version,
            era,
            instructions,
        } = listing.server.clone();
        Ok(Self {
            identity: name,
            version,
            protocol: protocol_version,
            era,
            instructions,
            launch,
            tools,
        })
    }

    /// The digest of the instructions.
    #[must_use]
    pub fn instructions_digest(&self) -> Option<Digest> {
        self.instructions.as_deref().map(Digest::of_text)
    }

    /// How another reading of the same server differs from this one, in words; `None` when both
    /// give the same pin.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        const SHOWN: usize = 5;
        let mut differences = Vec::new();
        let of_server = [
            ("its name", self.identity != other.identity),
            ("its version", self.version != other.version),
            (
                "the protocol",
                (&self.protocol, self.era) != (&other.protocol, other.era),
            ),
            ("the instructions", self.instructions != other.instructions),
        ];
        differences.extend(
            of_server
                .into_iter()
                .filter(|(_, differs)| *differs)
                .map(|(what, _)| what.to_owned()),
        );
        for (name, tool) in &self.tools {
            match other.tools.get(name) {
                None => differences.push(format!("`{name}` is gone")),
                Some(again) if again.digest != tool.digest => {
                    let moved = tool.digest.parts.moved(&again.digest.parts);
                    let moved: Vec<&str> = moved.into_iter().map(Part::as_str).collect();
                    differences.push(format!("{} of `{name}`", moved.join(", ")));
                }
                Some(_) => {}
            }
        }
        let new = other
            .tools
            .keys()
            .filter(|name| !self.tools.contains_key(*name));
        differences.extend(new.map(|name| format!("`{name}` is new")));
        let more = differences.len().saturating_sub(SHOWN);
        differences.truncate(SHOWN);
        if more > 0 {
            differences.push(format!("{more} more"));
        }
        (!differences.is_empty()).then(|| differences.join("; "))
    }

    /// The accepted listing, as a server would send it with its tools sorted by name; a tool a
    /// page.
    #[must_use]
    pub fn listing(&self) -> Listing {
        let mut listing = Listing::new(ServerIdentity {
            name: self.identity.clone(),
            version: self.version.clone(),
            protocol_version: self.protocol.clone(),
            era: self.era,
            instructions: self.instructions.clone(),
        });
        for tool in self.tools.values() {
            let text = format!("{{\"tools\":[{}]}}", tool.definition);
            // What a document was written from reads again; the two levels around it are ours.
            let Ok(document) = Document::parse(text, &definition::LIMITS) else {
                continue;
            };
            let Some(tools) = document.root().get("tools").map(Value::index) else {
                continue;
            };
            let page = Page {
                document,
                lines_before: 0,
            };
            listing.push_page(page, tools);
        }
        listing
    }
}

impl PinnedTool {
    /// Pins a tool.
    fn of(tool: Tool<'_>) -> Self {
        Self {
            digest: ToolDigest::of(tool),
            claims: tool.claims().states(),
            definition: crate::digest::canonical(tool.value()).1,
        }
    }

    /// The whole definition in canonical form ([`crate::digest::canonical`]).
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The definition without the name, laid out to be read line by line in so many columns
    /// where that is possible: what has no place to break it is longer.
    #[must_use]
    pub fn lines(&self, width: usize) -> Vec<String> {
        definition::lines(&self.definition, width)
    }
}

/// A name to pin a tool by: there once, a string, and Unicode.
fn name(tool: Tool<'_>) -> Option<String> {
    let mut names = tool.value().get_all("name");
    let name = names.next().filter(|_| names.next().is_none())?;
    let readable = Digest::of(name).scheme() == Scheme::Jcs;
    Some(name.as_str().filter(|_| readable)?.into_owned())
}

/// Reads the text of one definition.
fn parse(text: &str) -> Option<Document> {
    let limits: Limits = definition::LIMITS;
    Document::parse(text.to_owned(), &limits).ok()
}
