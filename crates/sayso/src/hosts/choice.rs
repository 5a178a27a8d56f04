//! `NAME[:MODE]` and `--mode`, as people write them.

use std::convert::Infallible;
use std::str::FromStr;

/// A host, and a mode of it where one is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The host's id.
    pub(crate) host: String,
    /// The mode's id.
    pub(crate) mode: Option<String>,
}

/// Which modes of the hosts are asked for, where they are not named with the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ModeChoice {
    /// The one a new user has.
    #[default]
    Default,
    /// Each.
    All,
    /// The one with this id.
    Named(String),
}

impl FromStr for Choice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (host, mode) = match text.split_once(':') {
            Some((host, mode)) => (host, Some(mode.to_owned())),
            None => (text, None),
        };
        Ok(Self {
            host: host.to_owned(),
            mode,
        })
    }
}

impl FromStr for ModeChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "all" => Self::All,
            id => Self::Named(id.to_owned()),
        })
    }
}

impl std::fmt::Display for ModeChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::All => "all",
            Self::Named(id) => id,
        })
    }
}
