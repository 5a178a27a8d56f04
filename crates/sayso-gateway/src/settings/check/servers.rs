//! What is wrong with the settings of a server and its tools.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sayso_mcp::HttpTarget;

use super::{Checker, SettingProblem, is_plain};
use crate::settings::{ArgumentSettings, Confine, GateSettings, ServerSettings, ToolSettings};

/// A tool that a server has, as far as settings speak of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownTool {
    /// Its name at the server.
    pub name: String,
    /// The arguments that its input schema names.
    pub arguments: Vec<String>,
}

impl GateSettings {
    /// Variables that settings of servers stand on and the gate's environment does not have.
    pub fn missing_variables(&self, is_set: impl Fn(&str) -> bool) -> Vec<SettingProblem> {
        let mut checker = Checker::default();
        for (name, server) in &self.servers {
            for (table, values) in [("env", &server.env), ("headers", &server.headers)] {
                for (key, value) in values {
                    let missing = variables(value).find(|name| !is_set(name));
                    if let Some(missing) = missing {
                        checker.value(
                            &["servers", name, table, key],
                            format!("the environment has no variable `{missing}`"),
                            "set it before the gate is started",
                        );
                    }
                }
            }
        }
        checker.problems
    }

    /// What is set about tools and arguments that a server does not have. `tools` is everything it
    /// has, as it is pinned.
    #[must_use]
    pub fn unknown_tools(&self, server: &str, tools: &[KnownTool]) -> Vec<SettingProblem> {
        let mut checker = Checker::default();
        let settings = self.servers.get(server).map(|server| &server.tools);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        for (name, settings) in settings.into_iter().flatten() {
            let path = ["servers", server, "tools", name];
            match tools.iter().find(|tool| tool.name == *name) {
                None => checker.unknown(
                    &path,
                    format!("server `{server}` has no tool `{name}`"),
                    name,
                    &names,
                ),
                Some(tool) => checker.inside(&path, |checker| settings.check_known(tool, checker)),
            }
        }
        checker.problems
    }
}

impl ServerSettings {
    pub(super) fn check(&self, name: &str, checker: &mut Checker) {
        checker.name(&[], name, "server");
        match (&self.command, &self.url) {
            (None, None) => checker.key(
                &[],
                format!("server `{name}` has neither `command` nor `url`"),
                "say how it is started, `command = \"…\"`, or where it is, `url = \"…\"`",
            ),
            (Some(_), Some(_)) => checker.key(
                &["url"],
                format!("server `{name}` has both `command` and `url`"),
                "keep the one by which the gate should reach it",
            ),
            (Some(command), None) => self.check_command(command, checker),
            (None, Some(url)) => self.check_url(url, checker),
        }
        if let Some(prefix) = &self.prefix
            && (prefix.len() > 64 || !is_plain(prefix))
        {
            checker.value(
                &["prefix"],
                format!("`{prefix}` cannot stand in the name of a tool"),
                "use up to 64 letters, digits, `_`, `.` and `-`, or nothing",
            );
        }
        checker.count("max-instances", self.max_instances);
        checker.seconds("start-timeout", self.start_timeout);
        checker.seconds("timeout", self.timeout);
        checker.retries(self.retries);
        self.check_confinement(checker);
        for (name, tool) in &self.tools {
            checker.inside(&["tools", name], |checker| {
                tool.check(checker);
                tool.check_confinement(self.confine, checker);
            });
        }
    }

    fn check_confinement(&self, checker: &mut Checker) {
        if self.confine != Confine::Off && self.command.is_none() {
            checker.value(
                &["confine"],
                "only a server that the gate starts can be confined".to_owned(),
                "give its `command` instead of the `url`, or take `confine` out",
            );
        }
        let set = &self.confinement;
        checker.inside(&["confinement"], |checker| {
            let is_set = [
                ("write", !set.write.is_empty()),
                ("network", set.network.is_some()),
                ("state", !set.state.is_empty()),
            ];
            for (key, _) in is_set.iter().filter(|(_, is_set)| *is_set) {
                match self.confine {
                    Confine::Off => checker.key(
                        &[key],
                        format!("`{key}` says what is possible in confinement, and there is none"),
                        "set `confine = \"read-only-claims\"` or `confine = \"all\"`, or take it out",
                    ),
                    Confine::ReadOnlyClaims if *key == "write" => check_write(&[key], checker),
                    Confine::ReadOnlyClaims | Confine::All => {}
                }
            }
            check_paths("write", &set.write, checker);
            check_paths("state", &set.state, checker);
            check_hosts(set.network.as_deref().unwrap_or_default(), checker);
        });
    }

    fn check_command(&self, command: &str, checker: &mut Checker) {
        if command.trim().is_empty() {
            checker.value(
                &["command"],
                "the command is empty".to_owned(),
                "name a program; its arguments go into `args`",
            );
        }
        if !self.headers.is_empty() {
            checker.key(
                &["headers"],
                "`headers` are for a server with a `url`".to_owned(),
                "hand settings to a program with `args` or `env`",
            );
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                checker.key(
                    &["env", name],
                    format!("`{name}` cannot be an environment variable"),
                    "a name has no `=` in it, and neither name nor value a NUL character",
                );
            }
        }
        check_references("env", &self.env, checker);
    }

    fn check_url(&self, url: &str, checker: &mut Checker) {
        for (key, is_set) in [
            ("args", !self.args.is_empty()),
            ("env", !self.env.is_empty()),
            ("cwd", self.cwd.is_some()),
        ] {
            if is_set {
                checker.key(
                    &[key],
                    format!("`{key}` is for a server with a `command`"),
                    "take it out, or give the command instead of the `url`",
                );
            }
        }
        match HttpTarget::new(url) {
            Err(error) => checker.value(
                &["url"],
                error.to_string(),
                "write it as `https://mcp.example.com/mcp`",
            ),
            Ok(target) => {
                for name in self.headers.keys() {
                    if let Err(error) = target.clone().with_header(name, "x") {
                        checker.key(
                            &["headers", name],
                            error.to_string(),
                            "take it out, or name another header",
                        );
                    }
                }
            }
        }
        check_references("headers", &self.headers, checker);
    }
}

impl ToolSettings {
    fn check(&self, checker: &mut Checker) {
        checker.seconds("timeout", self.timeout);
        checker.retries(self.retries.unwrap_or_default());
        for (key, words) in [
            ("exclusive", self.exclusive.as_deref().unwrap_or_default()),
            ("labels", self.labels.as_slice()),
        ] {
            for (position, word) in words.iter().enumerate() {
                if word.trim().is_empty() {
                    checker.value(
                        &[key, &position.to_string()],
                        format!("`{key}` has an empty entry"),
                        "fill it in, or take it out",
                    );
                }
            }
        }
        for (name, argument) in &self.arguments {
            checker.inside(&["arguments", name], |checker| {
                argument.check(name, checker)
            });
        }
    }

    fn check_confinement(&self, confine: Confine, checker: &mut Checker) {
        let set = &self.confinement;
        checker.inside(&["confinement"], |checker| {
            let is_set = [
                ("off", set.off),
                ("write", set.write.is_some()),
                ("network", set.network.is_some()),
            ];
            for (key, _) in is_set.iter().filter(|(_, is_set)| *is_set) {
                if confine == Confine::Off {
                    checker.key(
                        &[key],
                        format!("`{key}` is about confinement, and the server is not confined"),
                        "set `confine` of the server, or take it out",
                    );
                } else if *key == "write" && confine == Confine::ReadOnlyClaims {
                    check_write(&[key], checker);
                } else if *key != "off" && set.off {
                    checker.key(
                        &[key],
                        format!("`{key}` says what the tool may do in confinement, and `off` takes it out of that"),
                        "keep one of them",
                    );
                }
            }
            check_paths("write", set.write.as_deref().unwrap_or_default(), checker);
            check_hosts(set.network.as_deref().unwrap_or_default(), checker);
        });
    }

    /// Against what the tool is known to take.
    fn check_known(&self, tool: &KnownTool, checker: &mut Checker) {
        let known: Vec<&str> = tool.arguments.iter().map(String::as_str).collect();
        let message = |name: &str| format!("tool `{}` takes no argument `{name}`", tool.name);
        for name in self.arguments.keys() {
            if !known.contains(&name.as_str()) {
                checker.unknown(&["arguments", name], message(name), name, &known);
            }
        }
        for (position, name) in self.exclusive.iter().flatten().enumerate() {
            if !known.contains(&name.as_str()) {
                let position = position.to_string();
                checker.unknown(&["exclusive", &position], message(name), name, &known);
            }
        }
    }
}

impl ArgumentSettings {
    fn check(&self, name: &str, checker: &mut Checker) {
        let is_empty = self.one_of.as_ref().is_some_and(Vec::is_empty);
        if is_empty {
            checker.value(
                &["one-of"],
                format!("no value of `{name}` is allowed"),
                "name the values that are",
            );
        }
        if self.one_of.is_none() && self.under.is_none() {
            checker.key(
                &[],
                format!("nothing is said about `{name}`"),
                "say which values it may have, `one-of = […]`, or below which folder, `under = \"…\"`",
            );
        }
        if let Some(under) = &self.under
            && under.as_os_str().is_empty()
        {
            checker.value(
                &["under"],
                "the folder is empty".to_owned(),
                "name a folder",
            );
        }
    }
}

fn check_write(keys: &[&str], checker: &mut Checker) {
    checker.key(
        keys,
        "a call that says it only reads writes nowhere".to_owned(),
        "set `confine = \"all\"` to confine calls that write, or name folders of the server's own in `state`",
    );
}

fn check_paths(key: &str, paths: &[PathBuf], checker: &mut Checker) {
    for (position, path) in paths.iter().enumerate() {
        let keys = [key, &position.to_string()];
        if path.as_os_str().is_empty() {
            let message = format!("`{key}` has an empty path");
            checker.value(&keys, message, "name a folder, or take it out");
        } else if path.parent().is_none() {
            checker.value(
                &keys,
                format!("`{key}` has the whole machine in it"),
                "name the folders that are meant",
            );
        }
    }
}

fn check_hosts(hosts: &[String], checker: &mut Checker) {
    for (position, host) in hosts.iter().enumerate() {
        let name = host.strip_prefix("*.").unwrap_or(host);
        if name.is_empty() || name.contains(['/', ' ', '@', '*']) {
            checker.value(
                &["network", &position.to_string()],
                format!("`{host}` is no name of a host"),
                "write the name alone, such as `api.example.com`, or `*.example.com` for all below it",
            );
        }
    }
}

/// Checks how variables of the environment are written, not whether they are there.
fn check_references(table: &str, values: &BTreeMap<String, String>, checker: &mut Checker) {
    for (key, value) in values {
        let is_name = |name: &str| {
            let fits = |character: char| character.is_ascii_alphanumeric() || character == '_';
            !name.is_empty() && name.chars().all(fits)
        };
        let is_open = value
            .rsplit_once("${")
            .is_some_and(|(_, rest)| !rest.contains('}'));
        if is_open || !variables(value).all(is_name) {
            checker.value(
                &[table, key],
                "a `${` without the name of a variable and `}`".to_owned(),
                "write `${NAME}` for a variable of the environment",
            );
        }
    }
}

/// The variables a value stands on.
fn variables(value: &str) -> impl Iterator<Item = &str> {
    let references = value.split("${").skip(1);
    references.filter_map(|rest| Some(rest.split_once('}')?.0))
}
