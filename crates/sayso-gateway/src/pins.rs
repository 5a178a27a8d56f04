//! What was accepted of each server, held against what it lists now.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use sayso_core::listing::Listing;
use sayso_core::lock::{Launch, PinError, PinnedServer};
use sayso_core::tool::Tool;

use crate::policy::PinState;
use crate::settings::FirstUse;

/// How much a difference between pin and listing weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Nothing a client acts on: recorded.
    Neutral,
    /// More risk is claimed, less is reached: takes effect at once.
    Tightening,
    /// New, and nobody has looked at it: held back until somebody does.
    Held,
    /// Less risk is claimed, more is reached: blocks.
    Relaxing,
}

impl Weight {
    /// The weight as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Tightening => "tightening",
            Self::Held => "held",
            Self::Relaxing => "relaxing",
        }
    }
}

/// One difference between pin and listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The tool it is about; `None` for the server as a whole.
    pub tool: Option<String>,
    /// How much it weighs.
    pub weight: Weight,
    /// What changed, in one lower-case sentence.
    pub message: String,
}

/// Tells the differences between what was accepted and what is listed.
pub type Compare = Arc<dyn Fn(&PinnedServer, &PinnedServer) -> Vec<Moved> + Send + Sync>;

/// What a tool may be used for, by its pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Admission {
    /// It is listed and called, as policies allow.
    Usable(PinState),
    /// It claims less risk, or gives more reach, than was accepted: it is listed as it was accepted,
    /// and not called.
    Blocked,
    /// It is new, and nobody has accepted it: it is neither listed nor called.
    Held,
}

impl Admission {
    /// Whether it is not called.
    #[must_use]
    pub const fn is_withheld(self) -> bool {
        matches!(self, Self::Blocked | Self::Held)
    }

    /// The admission as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Usable(state) => state.as_str(),
            Self::Blocked => "blocked",
            Self::Held => "held",
        }
    }
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What was accepted of a server, and how.
#[derive(Clone, Copy, Debug)]
pub struct Pin<'a> {
    /// What.
    pub accepted: &'a PinnedServer,
    /// [`PinState::Pinned`] for what the lock holds, [`PinState::TrustedOnce`] for what the first use
    /// pinned.
    pub state: PinState,
}

/// How one server's listing stands to what was accepted of it.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// What each tool that is listed may be used for, by its name. A listed tool that is missing here has
    /// no name to pin it by, and is held.
    pub tools: BTreeMap<String, Admission>,
    /// Everything that differs.
    pub moved: Vec<Moved>,
    /// What the first use pinned, to be kept.
    pub accepted: Option<PinnedServer>,
    /// Why nothing of the server can be used, where that is so.
    pub refused: Option<String>,
}

impl Standing {
    /// Holds a listing against the pin there is, as the server's first use is set.
    #[must_use]
    pub fn of(
        listing: &Listing,
        launch: &Launch,
        pin: Option<Pin<'_>>,
        first_use: FirstUse,
        compare: &Compare,
    ) -> Self {
        let now = PinnedServer::of(listing, launch.clone());
        match (pin, now) {
            (Some(pin), Ok(now)) => Self::against(&pin, &now, compare),
            // Without a pin of the whole, what is listed is as good as new.
            (Some(_), Err(error)) => Self::refused(&error),
            (None, Ok(now)) => Self::first(now, first_use),
            (None, Err(error)) => match first_use {
                FirstUse::Ask if !matches!(error, PinError::Incomplete(_)) => Self {
                    tools: named(listing),
                    ..Self::default()
                },
                _ => Self::refused(&error),
            },
        }
    }

    fn against(pin: &Pin<'_>, now: &PinnedServer, compare: &Compare) -> Self {
        let moved = compare(pin.accepted, now);
        let whole = moved.iter().filter(|moved| moved.tool.is_none());
        let whole = whole.map(|moved| moved.weight).max();
        let of_tool = |name: &str| {
            let of_tool = moved
                .iter()
                .filter(|moved| moved.tool.as_deref() == Some(name));
            of_tool.map(|moved| moved.weight).max()
        };
        let state = |name: &String| {
            if !pin.accepted.tools.contains_key(name) {
                return Admission::Held;
            }
            match of_tool(name).max(whole) {
                None | Some(Weight::Neutral) => Admission::Usable(pin.state),
                Some(Weight::Tightening) => Admission::Usable(PinState::Tightened),
                Some(Weight::Held | Weight::Relaxing) => Admission::Blocked,
            }
        };
        Self {
            tools: now
                .tools
                .keys()
                .map(|name| (name.clone(), state(name)))
                .collect(),
            moved,
            ..Self::default()
        }
    }

    fn first(now: PinnedServer, first_use: FirstUse) -> Self {
        let state = match first_use {
            FirstUse::TrustOnce => Admission::Usable(PinState::TrustedOnce),
            FirstUse::Ask => Admission::Usable(PinState::Unpinned),
            FirstUse::Refuse => Admission::Held,
        };
        let names = now.tools.keys().cloned();
        Self {
            tools: names.map(|name| (name, state)).collect(),
            accepted: (first_use == FirstUse::TrustOnce).then_some(now),
            ..Self::default()
        }
    }

    fn refused(error: &PinError) -> Self {
        Self {
            refused: Some(error.to_string()),
            ..Self::default()
        }
    }

    /// What a listed tool may be used for.
    #[must_use]
    pub fn admission(&self, name: &str) -> Admission {
        self.tools.get(name).copied().unwrap_or(Admission::Held)
    }
}

fn named(listing: &Listing) -> BTreeMap<String, Admission> {
    let names = listing.tools().filter_map(Tool::name);
    let mut states = BTreeMap::new();
    for name in names {
        // Of two tools of one name neither is meant.
        let name = name.into_owned();
        let state = if states.contains_key(&name) {
            Admission::Held
        } else {
            Admission::Usable(PinState::Unpinned)
        };
        states.insert(name, state);
    }
    states
}
