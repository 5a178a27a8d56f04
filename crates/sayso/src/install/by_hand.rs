//! What a person has to write by hand where a host's file is not edited: both stanzas, ready to paste.

use sayso_audit::hosts::{Format, Pointer, Shape};
use serde_json::{Map, Value, json};

use super::edit::GateEntry;
use super::gate_settings;
use super::place::HostFile;
use super::servers::Servers;
use crate::error::Failure;

/// What is to be written, and where.
pub(crate) struct ByHand {
    /// Why it is not done here.
    pub(crate) why: String,
    /// The host's file.
    pub(crate) file: HostFile,
    /// The servers that go behind the gate.
    pub(crate) servers: Servers,
    /// The gate's settings file.
    pub(crate) settings: String,
    /// What comes into that.
    pub(crate) settings_stanza: String,
    /// What comes into the host's file in the place of the servers.
    pub(crate) host_stanza: String,
}

impl ByHand {
    /// # Errors
    /// When an entry of this host cannot be written down at all.
    pub(super) fn new(
        file: HostFile,
        servers: Servers,
        entry: &GateEntry,
        why: String,
    ) -> Result<Self, Failure> {
        let failure = |why: String| {
            Failure::usage(format!("cannot edit `{}`: {why}", file.shown())).hint(format!(
                "put the servers into `{}` under `[gate.servers.NAME]` by hand, and in their place \
                 let {} run `{} {}`",
                entry.settings,
                file.source.host.name,
                entry.command,
                entry.args().join(" ")
            ))
        };
        let host_stanza = host_stanza(&file, entry).map_err(&failure)?;
        let settings_stanza =
            gate_settings::stanza(&servers.taken).map_err(|refused| failure(refused.message))?;
        Ok(Self {
            why,
            settings: entry.settings.clone(),
            settings_stanza,
            host_stanza,
            file,
            servers,
        })
    }

    /// How the command ends.
    pub(crate) fn failure(&self) -> Failure {
        let failure = format!("cannot edit `{}`: {}", self.file.shown(), self.why);
        Failure::usage(failure).hint("write by hand what was printed")
    }
}

/// The entry that runs the gate, as it stands in the host's file.
fn host_stanza(file: &HostFile, entry: &GateEntry) -> Result<String, String> {
    let source = file.source;
    let key = |places: &[Pointer]| {
        let mut keys = places.iter().filter_map(Pointer::keys);
        keys.next()
            .and_then(|keys| Some((*keys.first()?).to_owned()))
    };
    let mut value = Map::new();
    let fields = &source.configuration.fields;
    let is_list = source.file.shape == Shape::List;
    if let Some(name) = key(&fields.name).filter(|_| is_list) {
        value.insert(name, json!(entry.name));
    }
    if let Value::Object(members) = entry.value(source)? {
        value.extend(members);
    }
    if let Some(enabled) = key(&fields.enabled) {
        value.insert(enabled, json!(true));
    }
    let mut stanza = match is_list {
        true => json!([value]),
        false => json!({ entry.name.clone(): value }),
    };
    let place = source.file.servers.iter().find_map(Pointer::keys);
    for key in place.into_iter().flatten().rev() {
        stanza = json!({ key: stanza });
    }
    match source.file.format {
        Format::Yaml => Ok(yaml(&stanza)),
        Format::Toml => toml::to_string_pretty(&stanza).map_err(|error| error.to_string()),
        Format::Json | Format::Jsonc => {
            serde_json::to_string_pretty(&stanza).map_err(|error| error.to_string())
        }
    }
}

/// JSON as YAML in block style. Every scalar of JSON is one of YAML.
fn yaml(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                text.push_str(&format!("{indent}{}:", plain(key)));
                below(member, depth, text);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for element in elements {
                let mut inner = String::new();
                block(element, depth + 1, &mut inner);
                let inner = inner.trim_start();
                text.push_str(&format!("{indent}- {inner}"));
            }
        }
        scalar => text.push_str(&format!("{indent}{scalar}\n")),
    }
}

/// What stands behind a key: on its line, or below it.
fn below(member: &Value, depth: usize, text: &mut String) {
    let is_empty = match member {
        Value::Object(members) => members.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        _ => true,
    };
    if is_empty {
        text.push_str(&format!(" {member}\n"));
    } else {
        text.push('\n');
        block(member, depth + 1, text);
    }
}

/// A key, in quotes where YAML might take it for something else.
fn plain(key: &str) -> String {
    let is_plain = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
        && !matches!(
            key.to_ascii_lowercase().as_str(),
            "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
        );
    match is_plain {
        true => key.to_owned(),
        false => Value::from(key).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::yaml;

    #[test]
    fn json_is_written_as_yaml() {
        let value = json!({
            "mcpServers": [{
                "name": "a: b # c",
                "args": ["--x", "yes", ""],
                "on": null,
                "env": {},
                "nested": { "deep": [{ "one": 1, "two": [true] }, "end"] },
            }],
        });
        insta::assert_snapshot!(yaml(&value), @r#"
        mcpServers:
          - name: "a: b # c"
            args:
              - "--x"
              - "yes"
              - ""
            "on": null
            env: {}
            nested:
              deep:
                - one: 1
                  two:
                    - true
                - "end"
        "#);
    }
}
