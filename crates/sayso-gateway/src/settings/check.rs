//! What is wrong in settings that can be read, and where.

mod servers;

pub use servers::KnownTool;

use std::net::SocketAddr;

use sayso_core::suggest::{nearest, quoted};

use super::{GateSettings, JournalSettings, LimitSettings};

/// Something wrong in the settings. All text is fit to show: no value that may be secret is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingProblem {
    /// Where, from `[gate]` on: keys, and positions in lists from 0.
    pub path: Vec<String>,
    /// Whether the key is meant, not the value.
    pub is_about_key: bool,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// The longest time that can be set, in seconds: a year.
const MAX_SECONDS: u64 = 366 * 24 * 60 * 60;

impl GateSettings {
    /// Everything that is wrong with the settings as they stand, without a look at the machine.
    #[must_use]
    pub fn check(&self) -> Vec<SettingProblem> {
        let mut checker = Checker::default();
        self.check_listening(&mut checker);
        self.check_rules(&mut checker);
        self.check_callers(&mut checker);
        self.journal.check(&mut checker);
        self.limits.check(&mut checker);
        for (name, server) in &self.servers {
            checker.inside(&["servers", name], |checker| server.check(name, checker));
        }
        checker.problems
    }

    /// The address to listen on; nothing where there is none, or none that could be read.
    #[must_use]
    pub fn listen_address(&self) -> Option<SocketAddr> {
        let listen = self.listen.as_deref()?;
        let port = listen.strip_prefix("localhost:");
        port.map_or_else(
            || listen.parse().ok(),
            |port| Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?))),
        )
    }

    fn check_listening(&self, checker: &mut Checker) {
        if let Some(listen) = &self.listen {
            match self.listen_address() {
                None => checker.value(
                    &["listen"],
                    format!("`{listen}` is no address with a port"),
                    "write it as `127.0.0.1:8931`",
                ),
                Some(address) if !address.ip().is_loopback() => checker.value(
                    &["listen"],
                    format!("`{listen}` can be reached from other machines, and identity is not configured"),
                    "listen on `127.0.0.1` or `[::1]`, which only this machine reaches",
                ),
                Some(_) => {}
            }
        }
        for (position, host) in self.hosts.iter().enumerate() {
            if host.is_empty() || host.contains(['/', ' ', '@']) {
                checker.value(
                    &["hosts", &position.to_string()],
                    format!("`{host}` is no name of a host"),
                    "write the name alone, such as `gate.example.com`",
                );
            }
        }
        for (position, origin) in self.origins.iter().enumerate() {
            if !is_origin(origin) {
                checker.value(
                    &["origins", &position.to_string()],
                    format!("`{origin}` is no origin"),
                    "write scheme and host, and the port where it is not the usual one, such as `https://app.example.com`",
                );
            }
        }
    }

    fn check_rules(&self, checker: &mut Checker) {
        const LEAST_NAME: usize = 8;
        if let Some(most) = self.max_name
            && most < LEAST_NAME
        {
            checker.value(
                &["max-name"],
                format!("names of {most} characters at most leave no room for any"),
                &format!("allow {LEAST_NAME} at least"),
            );
        }
        for (position, policy) in self.policy.iter().enumerate() {
            if policy.trim().is_empty() {
                checker.value(
                    &["policy", &position.to_string()],
                    "the name of a policy is empty".to_owned(),
                    "name a ready set or a Cedar file",
                );
            }
        }
        checker.seconds("wait", self.wait);
        checker.seconds("approval-expires", self.approval_expires);
        if self.wait() > self.approval_expires() {
            let key = if self.wait.is_some() {
                "wait"
            } else {
                "approval-expires"
            };
            checker.value(
                &[key],
                format!(
                    "a call would wait {} seconds for an approval that expires after {}",
                    self.wait().as_secs(),
                    self.approval_expires().as_secs()
                ),
                "let an approval live at least as long as a call waits for it",
            );
        }
    }

    fn check_callers(&self, checker: &mut Checker) {
        for (group, callers) in &self.groups {
            checker.name(&["groups", group], group, "group");
            for (position, caller) in callers.iter().enumerate() {
                if caller.trim().is_empty() {
                    checker.value(
                        &["groups", group, &position.to_string()],
                        "the name of a caller is empty".to_owned(),
                        "name a caller, such as `local`",
                    );
                }
            }
        }
    }
}

impl JournalSettings {
    fn check(&self, checker: &mut Checker) {
        for (position, name) in self.redact.iter().enumerate() {
            if name.trim().is_empty() {
                checker.value(
                    &["journal", "redact", &position.to_string()],
                    "the name of an argument is empty".to_owned(),
                    "name an argument whose values are replaced, or take the entry out",
                );
            }
        }
    }
}

impl LimitSettings {
    fn check(&self, checker: &mut Checker) {
        const LEAST_BYTES: usize = 4096;
        const MOST_BYTES: usize = 1 << 30;
        const MOST_DEPTH: usize = 128;
        checker.inside(&["limits"], |checker| {
            checker.count("connections", self.connections);
            checker.count("sessions", self.sessions);
            checker.count("requests", self.requests);
            checker.count("calls", self.calls);
            if let Some(bytes) = self.message_bytes
                && !(LEAST_BYTES..=MOST_BYTES).contains(&bytes)
            {
                checker.value(
                    &["message-bytes"],
                    format!("messages of {bytes} bytes at most cannot be worked with"),
                    &format!("allow between {LEAST_BYTES} and {MOST_BYTES}"),
                );
            }
            if let Some(depth) = self.depth
                && !(8..=MOST_DEPTH).contains(&depth)
            {
                checker.value(
                    &["depth"],
                    format!("messages of {depth} levels at most cannot be worked with"),
                    &format!("allow between 8 and {MOST_DEPTH}"),
                );
            }
        });
    }
}

/// Whether a text is the origin of a page (RFC 6454 §6.2).
fn is_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(scheme, host)| {
        let is_word = |text: &str, more: &[char]| {
            let fits =
                |character: char| character.is_ascii_alphanumeric() || more.contains(&character);
            !text.is_empty() && text.chars().all(fits)
        };
        is_word(scheme, &['+', '-', '.']) && is_word(host, &['.', '-', ':', '[', ']', '_'])
    })
}

/// Whether a text can stand in the name of a tool.
fn is_plain(text: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    text.chars().all(fits)
}

/// Collects problems, and knows where it is.
#[derive(Debug, Default)]
struct Checker {
    path: Vec<String>,
    problems: Vec<SettingProblem>,
}

impl Checker {
    fn inside(&mut self, keys: &[&str], check: impl FnOnce(&mut Self)) {
        let before = self.path.len();
        self.path.extend(keys.iter().map(|key| (*key).to_owned()));
        check(self);
        self.path.truncate(before);
    }

    fn value(&mut self, keys: &[&str], message: String, hint: &str) {
        self.add(keys, false, message, Some(hint.to_owned()));
    }

    fn key(&mut self, keys: &[&str], message: String, hint: &str) {
        self.add(keys, true, message, Some(hint.to_owned()));
    }

    /// A key that is none of those known: with the likely one, or all.
    fn unknown(&mut self, keys: &[&str], message: String, written: &str, known: &[&str]) {
        let hint = match nearest(written, known.iter().copied()) {
            Some(likely) => Some(format!("did you mean `{likely}`?")),
            None if (1..=12).contains(&known.len()) => {
                Some(format!("possible here: {}", quoted(known.iter().copied())))
            }
            None => None,
        };
        self.add(keys, true, message, hint);
    }

    fn add(&mut self, keys: &[&str], is_about_key: bool, message: String, hint: Option<String>) {
        let keys = keys.iter().map(|key| (*key).to_owned());
        self.problems.push(SettingProblem {
            path: self.path.iter().cloned().chain(keys).collect(),
            is_about_key,
            message,
            hint,
        });
    }

    fn seconds(&mut self, key: &str, seconds: Option<u64>) {
        match seconds {
            Some(0) => self.value(
                &[key],
                format!("`{key}` is no time at all"),
                "allow a second at least, or leave it out",
            ),
            Some(seconds) if seconds > MAX_SECONDS => self.value(
                &[key],
                format!("`{key}` is longer than a year"),
                "the number is in seconds",
            ),
            _ => {}
        }
    }

    fn count(&mut self, key: &str, count: Option<usize>) {
        if count == Some(0) {
            self.value(
                &[key],
                format!("`{key}` of 0 lets nothing through"),
                "allow one at least, or leave it out",
            );
        }
    }

    fn retries(&mut self, retries: u32) {
        const MOST: u32 = 10;
        if retries > MOST {
            self.value(
                &["retries"],
                format!("{retries} repeats of one call are too many"),
                &format!("allow {MOST} at most"),
            );
        }
    }

    fn name(&mut self, keys: &[&str], name: &str, what: &str) {
        const MOST: usize = 64;
        if name.is_empty() || name.len() > MOST || !is_plain(name) {
            self.key(
                keys,
                format!("`{name}` cannot be the name of a {what}"),
                &format!("use up to {MOST} letters, digits, `_`, `.` and `-`"),
            );
        }
    }
}
