//! A server as a host's configuration describes it.

use std::fmt;

/// How to reach one server, as one entry of a configuration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// The name the configuration gives it.
    pub name: String,
    /// Id of the host whose configuration it is.
    pub host: String,
    /// The project the entry is for, where one file holds entries of several:
    /// the key under which it stood, usually a directory.
    pub project: Option<String>,
    /// How the host starts or reaches it.
    pub launch: Launch,
    /// Whether the configuration switches it off.
    pub disabled: bool,
    /// Line of the entry, from 1.
    pub line: usize,
}

/// How a server is started or reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// A process that speaks on stdin and stdout.
    Stdio {
        /// The program.
        command: ConfiguredValue,
        /// Its arguments.
        args: Vec<ConfiguredValue>,
        /// Environment variables set for it, in the order of the file.
        env: Vec<(String, ConfiguredValue)>,
        /// The directory to start it in.
        cwd: Option<ConfiguredValue>,
    },
    /// A server reached over HTTP.
    Http {
        /// Its address.
        url: ConfiguredValue,
        /// Headers sent with every request, in the order of the file.
        headers: Vec<(String, ConfiguredValue)>,
        /// Which of the HTTP transports.
        kind: HttpKind,
    },
}

/// Which HTTP transport an entry asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpKind {
    /// Streamable HTTP.
    StreamableHttp,
    /// HTTP with server-sent events, the transport of 2024-11-05.
    Sse,
    /// The entry does not say; hosts try the one and fall back to the other.
    Unknown,
}

/// A value from a configuration, its references resolved. `Debug` and `Display`
/// give what is safe to show: for environment variables and headers nothing of
/// the value, for the rest the text as it stands in the file, with no
/// reference resolved and no password or query of an address.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfiguredValue {
    value: String,
    shown: String,
}

/// What stands for a value that is not shown.
const HIDDEN: &str = "…";

impl ConfiguredValue {
    /// A value of which nothing is shown.
    pub(super) fn hidden(value: String) -> Self {
        Self {
            value,
            shown: HIDDEN.to_owned(),
        }
    }

    /// A value shown as `written`.
    pub(super) fn shown(value: String, written: &str) -> Self {
        Self {
            value,
            shown: written.to_owned(),
        }
    }

    /// An address shown as `written`, without user information and query.
    pub(super) fn address(value: String, written: &str) -> Self {
        Self {
            value,
            shown: shown_address(written),
        }
    }

    /// The value itself: for use, never for showing.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.value
    }
}

impl fmt::Display for ConfiguredValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for ConfiguredValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown, formatter)
    }
}

fn shown_address(written: &str) -> String {
    let (front, query) = match written.split_once(['?', '#']) {
        Some((front, _)) => (front, "?…"),
        None => (written, ""),
    };
    let (scheme, rest) = match front.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), front),
    };
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, format!("/{path}")),
        None => (rest, String::new()),
    };
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}{HIDDEN}@{host}{path}{query}"),
        None => format!("{scheme}{authority}{path}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{ConfiguredValue, shown_address};

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let shown = [
            "https://mcp.example.com/mcp",
            "https://user:pass@mcp.example.com/mcp?key=abc",
            "https://mcp.example.com?key=abc#frag",
            "http://[::1]:8080/${PATH_PART}?a=b",
            "user:pass@host/?q",
        ]
        .map(shown_address);
        insta::assert_snapshot!(shown.join("\n"), @r"
        https://mcp.example.com/mcp
        https://…@mcp.example.com/mcp?…
        https://mcp.example.com?…
        http://[::1]:8080/${PATH_PART}?…
        …@host/?…
        ");
    }

    #[test]
    fn debug_shows_no_hidden_value() {
        let value = ConfiguredValue::hidden("topsecret".to_owned());
        assert_eq!(format!("{value:?} {value}"), "\"…\" …");
        assert_eq!(value.expose(), "topsecret");
    }
}
