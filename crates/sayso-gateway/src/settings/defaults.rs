//! What holds where a setting is left out: each number stands here, once.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::confine::{Reach, View};

use super::{
    ArgumentSettings, Confine, GateSettings, JournalSettings, LimitSettings, Results,
    ServerSettings, ToolSettings,
};

impl GateSettings {
    /// The store's file; relative to the folder of the settings file, if it is relative.
    #[must_use]
    pub fn store(&self) -> &Path {
        self.store.as_deref().unwrap_or(Path::new("sayso.db"))
    }

    /// The lock's file, relative as [`GateSettings::store`].
    #[must_use]
    pub fn lock(&self) -> &Path {
        self.lock.as_deref().unwrap_or(Path::new("sayso.lock"))
    }

    /// The rulings' file, relative as [`GateSettings::store`].
    #[must_use]
    pub fn rulings(&self) -> &Path {
        let default = Path::new("sayso.rulings.toml");
        self.rulings.as_deref().unwrap_or(default)
    }

    /// The evidence's file, relative as [`GateSettings::store`].
    #[must_use]
    pub fn evidence(&self) -> &Path {
        let default = Path::new("sayso.evidence.json");
        self.evidence.as_deref().unwrap_or(default)
    }

    /// The policies: names of ready sets, or files relative as [`GateSettings::store`].
    #[must_use]
    pub fn policies(&self) -> Vec<&str> {
        if self.policy.is_empty() {
            return vec!["spec-default"];
        }
        self.policy.iter().map(String::as_str).collect()
    }

    /// How long a served tool's name may be, in characters.
    #[must_use]
    pub fn max_name(&self) -> usize {
        self.max_name.unwrap_or(64)
    }

    /// How long a call waits for an answer before it says "pending".
    #[must_use]
    pub fn wait(&self) -> Duration {
        Duration::from_secs(self.wait.unwrap_or(50))
    }

    /// How long an approval can be given and used.
    #[must_use]
    pub fn approval_expires(&self) -> Duration {
        Duration::from_secs(self.approval_expires.unwrap_or(900))
    }

    /// Makes the folders that paths are kept under whole: they are counted from the folder of the
    /// settings file, which has to be whole itself.
    pub fn anchor(&mut self, folder: &Path) {
        let tools = self
            .servers
            .values_mut()
            .flat_map(|server| server.tools.values_mut());
        for argument in tools.flat_map(|tool| tool.arguments.values_mut()) {
            if let Some(under) = &mut argument.under {
                *under = straightened(&folder.join(&*under));
            }
        }
        for server in self.servers.values_mut() {
            let confinement = &mut server.confinement;
            let tools = server.tools.values_mut();
            let tools = tools.filter_map(|tool| tool.confinement.write.as_mut());
            let written = [&mut confinement.write, &mut confinement.state];
            for path in written.into_iter().chain(tools).flatten() {
                *path = straightened(&folder.join(&*path));
            }
        }
    }

    /// The groups a caller is in.
    #[must_use]
    pub fn groups_of(&self, caller: &str) -> Vec<String> {
        let of = |(_, callers): &(&String, &Vec<String>)| callers.iter().any(|name| name == caller);
        let groups = self.groups.iter().filter(of);
        groups.map(|(group, _)| group.clone()).collect()
    }
}

impl LimitSettings {
    /// Bytes of one message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message_bytes.unwrap_or(16 << 20)
    }

    /// Levels a message may be nested.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth.unwrap_or(128)
    }

    /// Connections at once.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.unwrap_or(1024)
    }

    /// Sessions at once.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sessions.unwrap_or(1000)
    }

    /// Requests of one connection that run at once.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.requests.unwrap_or(256)
    }

    /// Calls that run at once, of all hosts together.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.unwrap_or(10_000)
    }
}

impl ServerSettings {
    /// What goes in front of the tools' names of the server called `name`; empty for nothing.
    #[must_use]
    pub fn prefix<'s>(&'s self, name: &'s str) -> &'s str {
        self.prefix.as_deref().unwrap_or(name)
    }

    /// How many conversations there may be with it at once.
    #[must_use]
    pub fn max_instances(&self) -> usize {
        // A conversation over HTTP is a name and a stream, and not a process.
        let default = if self.is_local() { 16 } else { 1000 };
        self.max_instances.unwrap_or(default)
    }

    /// How long a request that is no call of a tool may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.unwrap_or(300))
    }

    /// Whether it is a program on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.command.is_some()
    }

    /// How long a call of a tool may take.
    #[must_use]
    pub fn timeout_of(&self, tool: &str) -> Duration {
        let own = self.tools.get(tool).and_then(|tool| tool.timeout);
        own.map_or_else(|| self.timeout(), Duration::from_secs)
    }

    /// How often a lost call of a tool is repeated, where its effective hints allow that.
    #[must_use]
    pub fn retries_of(&self, tool: &str) -> u32 {
        let own = self.tools.get(tool).and_then(|tool| tool.retries);
        own.unwrap_or(self.retries)
    }

    /// What is done with results of a tool that do not fit.
    #[must_use]
    pub fn results_of(&self, tool: &str) -> Results {
        let own = self.tools.get(tool).and_then(|tool| tool.results);
        own.unwrap_or(self.results)
    }

    /// Which calls of a tool are confined.
    #[must_use]
    pub fn confine_of(&self, tool: &str) -> Confine {
        let own = self.tools.get(tool);
        match own.is_some_and(|tool| tool.confinement.off) {
            true => Confine::Off,
            false => self.confine,
        }
    }

    /// What a confined call of a tool may do: one that only reads, or one that acts; one that may
    /// reach beyond a closed domain, or one that may not.
    #[must_use]
    pub fn view_of(&self, tool: &str, reads: bool, open_world: bool) -> View {
        let own = self.tools.get(tool).map(|tool| &tool.confinement);
        let set = own.and_then(|own| own.write.as_ref());
        let write = set.unwrap_or(&self.confinement.write);
        let set = own.and_then(|own| own.network.as_ref());
        let hosts = set.or(self.confinement.network.as_ref());
        View {
            write: if reads { Vec::new() } else { write.clone() },
            state: self.confinement.state.clone(),
            reach: match hosts {
                _ if !open_world => Reach::Nothing,
                Some(hosts) if hosts.is_empty() => Reach::Nothing,
                Some(hosts) => Reach::Hosts(hosts.clone()),
                None => Reach::Anything,
            },
        }
    }

    /// What is set about a tool; the defaults where nothing is.
    #[must_use]
    pub fn tool(&self, tool: &str) -> ToolSettings {
        self.tools.get(tool).cloned().unwrap_or_default()
    }
}

impl JournalSettings {
    /// Whether the value of an argument of this name is kept out of journal and messages: those
    /// whose name says that they are secret, and those that are set.
    #[must_use]
    pub fn hides(&self, name: &str) -> bool {
        const SECRET: [&str; 11] = [
            "token",
            "secret",
            "password",
            "passwd",
            "passphrase",
            "apikey",
            "api-key",
            "api_key",
            "credential",
            "authorization",
            "private_key",
        ];
        let name = name.to_lowercase();
        SECRET.iter().any(|word| name.contains(word))
            || self.redact.iter().any(|set| set.to_lowercase() == name)
    }
}

impl ArgumentSettings {
    /// The values that are allowed, as JSON. A date is its text.
    #[must_use]
    pub fn allowed_values(&self) -> Option<Vec<serde_json::Value>> {
        let values = self.one_of.as_ref()?;
        Some(values.iter().map(as_json).collect())
    }
}

/// The path without `.` and `..`.
fn straightened(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                straight.pop();
            }
            other => straight.push(other),
        }
    }
    straight
}

fn as_json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(boolean) => (*boolean).into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(values) => values.iter().map(as_json).collect(),
        toml::Value::Table(table) => {
            let members = table
                .iter()
                .map(|(key, value)| (key.clone(), as_json(value)));
            members.collect::<serde_json::Map<_, _>>().into()
        }
    }
}
