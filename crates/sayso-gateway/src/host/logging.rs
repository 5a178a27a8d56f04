//! Log messages: what is severe, and what a host wants to see.

use std::fmt;

use sayso_core::json::{Document, Limits};

/// How severe a log message is (RFC 5424, as MCP has it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Detail for finding faults.
    Debug,
    /// What happens.
    Info,
    /// What happens and matters.
    Notice,
    /// What may go wrong.
    Warning,
    /// What went wrong.
    Error,
    /// What has to be looked at.
    Critical,
    /// What has to be done something about at once.
    Alert,
    /// Nothing works.
    Emergency,
}

impl Level {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Debug, "debug"),
        (Self::Info, "info"),
        (Self::Notice, "notice"),
        (Self::Warning, "warning"),
        (Self::Error, "error"),
        (Self::Critical, "critical"),
        (Self::Alert, "alert"),
        (Self::Emergency, "emergency"),
    ];

    /// The level of this name.
    #[must_use]
    pub fn read(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, known)| *known == name)?;
        Some(found.0)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(level, _)| level == self);
        f.write_str(found.map_or("debug", |(_, name)| name))
    }
}

/// Whether a log message is at least as severe as wanted. What is of no known level is passed on:
/// nobody can say that it is not.
pub(super) fn is_wanted(wanted: &str, params: Option<&str>) -> bool {
    let params = params.and_then(|raw| Document::parse(raw.into(), &Limits::default()).ok());
    let level = params
        .as_ref()
        .and_then(|params| params.root().get("level")?.as_str());
    match (
        Level::read(wanted),
        level.and_then(|name| Level::read(&name)),
    ) {
        (Some(wanted), Some(level)) => level >= wanted,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn what_is_less_severe_is_not_wanted() {
        assert!(is_wanted("warning", Some(r#"{"level":"error","data":1}"#)));
        assert!(is_wanted("warning", Some(r#"{"level":"warning"}"#)));
        assert!(!is_wanted("warning", Some(r#"{"level":"info"}"#)));
    }

    #[test]
    fn an_unknown_level_passes() {
        assert!(is_wanted("warning", Some(r#"{"level":"loud"}"#)));
        assert!(is_wanted("warning", None));
    }
}
