//! How calls of a tool are answered.

use std::fmt;
use std::time::Duration;

use jiff::SignedDuration;

use super::{Key, SettingsError, error};

/// How calls of a tool are answered. The tool does its work at once in any case: a client that
/// hears nothing cannot know that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// As soon as the work is done.
    #[default]
    AtOnce,
    /// In another way.
    Withheld {
        /// In which way.
        how: Withheld,
        /// For how many calls from the first on; all of them if not set.
        calls: Option<u64>,
    },
}

/// How an answer is kept from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// There is no answer.
    Never,
    /// The answer comes after this time.
    Late(Duration),
    /// The connection is broken in place of an answer.
    Disconnect,
}

/// The longest time that can be set.
const LONGEST: Duration = Duration::from_secs(3600);

impl Answer {
    /// `never`, `late:DURATION` or `disconnect`, behind a colon the number of calls.
    pub(super) fn parse(key: Key, text: &str) -> Result<Self, SettingsError> {
        let mut parts = text.split(':');
        let how = match (parts.next(), text) {
            (Some("never"), _) => Withheld::Never,
            (Some("disconnect"), _) => Withheld::Disconnect,
            (Some("late"), _) => {
                let time = parts.next().filter(|time| !time.is_empty());
                let time = time.ok_or_else(|| {
                    SettingsError::new(format!("`{key}` is `{text}`, but how late is not said"))
                        .hint("write it as `late:5s`")
                })?;
                Withheld::Late(duration(key, time)?)
            }
            (word, _) => {
                let possible = ["never", "late", "disconnect", super::DEFAULT];
                return Err(error::value(key, word.unwrap_or_default(), &possible));
            }
        };
        let calls = match (parts.next(), parts.next()) {
            (None, _) => None,
            (Some(calls), None) if calls.parse::<u64>().is_ok_and(|calls| calls > 0) => {
                calls.parse().ok()
            }
            _ => {
                let error = SettingsError::new(format!(
                    "`{key}` is `{text}`: behind `:` stands for how many calls, as a number from 1 on"
                ));
                return Err(error.hint("such as `never:2` or `late:5s:1`"));
            }
        };
        Ok(Self::Withheld { how, calls })
    }
}

impl fmt::Display for Answer {
    /// As it is written in the settings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Withheld { how, calls } = self else {
            return f.write_str(super::DEFAULT);
        };
        match how {
            Withheld::Never => f.write_str("never")?,
            Withheld::Late(time) => write!(f, "late:{}ms", time.as_millis())?,
            Withheld::Disconnect => f.write_str("disconnect")?,
        }
        match calls {
            Some(calls) => write!(f, ":{calls}"),
            None => Ok(()),
        }
    }
}

/// A time such as `500ms`, `8s` or `2m`; a number alone is seconds.
pub(super) fn duration(key: Key, text: &str) -> Result<Duration, SettingsError> {
    let with_unit = if text.parse::<f64>().is_ok() {
        format!("{text}s")
    } else {
        text.to_owned()
    };
    with_unit
        .parse::<SignedDuration>()
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .filter(|duration| *duration <= LONGEST)
        .ok_or_else(|| {
            SettingsError::new(format!("`{key}` cannot be `{text}`"))
                .hint("write a time of up to an hour, such as `500ms`, `8s` or `2m`")
        })
}
