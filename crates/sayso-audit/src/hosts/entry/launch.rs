//! The two ways to reach a server, as an entry describes them.

use super::{Field, Reader, Showing};
use crate::hosts::document::Value;
use crate::hosts::pointer::Pointer;
use crate::hosts::problem::Severity;
use crate::hosts::profile::Quirk;
use crate::hosts::server::{ConfiguredValue, HttpKind, Launch};

/// What a `command` says: the program, and in some hosts more.
#[derive(Default)]
struct Program {
    command: Option<ConfiguredValue>,
    args: Vec<ConfiguredValue>,
    env: Vec<(String, ConfiguredValue)>,
}

impl<'a> Reader<'a> {
    pub(super) fn stdio(&mut self, command: &Field<'a>) -> Option<Launch> {
        let before = self.errors();
        let Program {
            command,
            mut args,
            mut env,
        } = self.program(command);
        let fields = self.fields();
        args.extend(self.list(&fields.args));
        env.extend(self.table(&fields.env));
        for (name, value) in self.names(&fields.env_names) {
            if env.iter().all(|(set, _)| *set != name) {
                env.push((name, value));
            }
        }
        let cwd = self.field(&fields.cwd);
        let cwd = cwd.and_then(|field| self.text(field.node, &field.path, Showing::Written));
        if let Some(file) = self.field(&fields.env_file) {
            let message = format!(
                "the variables in the file that `{}` names are not read",
                file.path
            );
            let hint = "set them in the environment beforehand";
            self.tell(Severity::Note, file.node.at, message, hint);
        }
        let command = command.filter(|_| self.errors() == before)?;
        Some(Launch::Stdio {
            command,
            args,
            env,
            cwd,
        })
    }

    fn program(&mut self, field: &Field<'a>) -> Program {
        let is_list = self.has(Quirk::CommandIsList);
        match &field.node.value {
            Value::String(text) if !is_list => {
                if text.trim().is_empty() {
                    self.no_program(field, "is empty");
                }
                let command = self.text(field.node, &field.path, Showing::Written);
                Program {
                    command,
                    ..Program::default()
                }
            }
            Value::List(parts) if is_list => {
                if parts.is_empty() {
                    self.no_program(field, "is empty");
                }
                let mut words = self.words(parts, &field.path).into_iter();
                Program {
                    command: words.next(),
                    args: words.collect(),
                    env: Vec::new(),
                }
            }
            Value::Table(_) if self.has(Quirk::CommandMayBeTable) => self.program_table(field),
            _ => {
                let list = "a list of the program and its arguments";
                self.wrong_kind(field, if is_list { list } else { "a string" });
                Program::default()
            }
        }
    }

    /// A `command` that is a table with `path`, `args` and `env`.
    fn program_table(&mut self, field: &Field<'a>) -> Program {
        let inner = |key: &str| {
            let node = field.node.member(key)?;
            Some(Field {
                path: format!("{}.{key}", field.path),
                node,
            })
        };
        let Some(path) = inner("path") else {
            self.no_program(field, "has no `path`");
            return Program::default();
        };
        Program {
            command: self.text(path.node, &path.path, Showing::Written),
            args: inner("args")
                .map(|args| self.list_of(&args))
                .unwrap_or_default(),
            env: inner("env")
                .map(|env| self.table_of(&env))
                .unwrap_or_default(),
        }
    }

    fn no_program(&mut self, field: &Field<'_>, why: &str) {
        let message = format!("`{}` {why}", field.path);
        self.tell(
            Severity::Error,
            field.node.at,
            message,
            "name the program to start",
        );
    }

    pub(super) fn http(&mut self, url: &Field<'a>, kind: HttpKind) -> Option<Launch> {
        let before = self.errors();
        let address = self.text(url.node, &url.path, Showing::Address);
        let is_http = |address: &ConfiguredValue| {
            let address = address.expose().to_ascii_lowercase();
            address.starts_with("http://") || address.starts_with("https://")
        };
        if address.as_ref().is_some_and(|address| !is_http(address)) {
            let message = format!("`{}` is not an http or https address", url.path);
            self.tell(
                Severity::Error,
                url.node.at,
                message,
                "give the whole address, with `https://`",
            );
        }
        let fields = self.fields();
        let mut headers = self.table(&fields.headers);
        headers.extend(self.headers_from_environment(&fields.header_env_names));
        headers.extend(self.bearer(&fields.bearer_env_name));
        let url = address.filter(|_| self.errors() == before)?;
        Some(Launch::Http { url, headers, kind })
    }

    fn headers_from_environment(&mut self, places: &[Pointer]) -> Vec<(String, ConfiguredValue)> {
        let Some(field) = self.field(places) else {
            return Vec::new();
        };
        let mut headers = Vec::new();
        for member in field.node.members() {
            let path = format!("{}.{}", field.path, member.key);
            match member.value.as_str() {
                Some(variable) => {
                    let value = self.variable(variable, member.value.at, &path);
                    headers.extend(
                        value.map(|value| (member.key.clone(), ConfiguredValue::hidden(value))),
                    );
                }
                None => self.wrong_kind(
                    &Field {
                        path,
                        node: &member.value,
                    },
                    "the name of a variable",
                ),
            }
        }
        headers
    }

    fn bearer(&mut self, places: &[Pointer]) -> Option<(String, ConfiguredValue)> {
        let field = self.field(places)?;
        let Some(variable) = field.node.as_str() else {
            self.wrong_kind(&field, "the name of a variable");
            return None;
        };
        let token = self.variable(variable, field.node.at, &field.path)?;
        Some((
            "Authorization".to_owned(),
            ConfiguredValue::hidden(format!("Bearer {token}")),
        ))
    }
}
