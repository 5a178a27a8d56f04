//! Edits of a host's configuration that leave everything else as it is, comments included.

mod json;
mod toml;

use std::path::Path;

use sayso_audit::hosts::{ConfigurationSource, Format, Pointer, Quirk, ReferenceSyntax, Shape};
use serde_json::{Map, Value, json};

/// The entry that runs the gate.
#[derive(Clone, Debug)]
pub(crate) struct GateEntry {
    /// What the host calls it.
    pub(crate) name: String,
    /// The program.
    pub(crate) command: String,
    /// The gate's settings.
    pub(crate) settings: String,
    /// Variables that the gate has to find in its environment.
    pub(crate) variables: Vec<String>,
}

/// What is changed: these entries go, and these come, all in the host's table of servers.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) remove: Vec<String>,
    /// The first stands where the first of those stood that go.
    pub(super) insert: Vec<(String, Value)>,
}

/// Why a file is not edited.
pub(super) type Refusal = String;

/// Where the servers stand: the keys that lead to their table.
type Keys = Vec<String>;

/// The settings file of a command line that runs the gate.
pub(super) fn is_gate_command<'w>(command: &str, words: &[&'w str]) -> Option<&'w str> {
    let program = Path::new(command).file_stem()?.to_str()?;
    let after = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    (program == "sayso" && words.first() == Some(&"gate")).then(|| after("--settings"))?
}

impl GateEntry {
    /// The command line.
    pub(super) fn args(&self) -> [&str; 3] {
        ["gate", "--settings", &self.settings]
    }

    /// The entry as the host's configuration has such entries.
    pub(super) fn value(&self, source: ConfigurationSource<'_>) -> Result<Value, Refusal> {
        let profile = source.configuration;
        let fields = &profile.fields;
        let place = |places: &[Pointer], what: &str| {
            let mut keys = places
                .iter()
                .filter_map(|place| match place.keys()?.as_slice() {
                    [key] => Some((*key).to_owned()),
                    _ => None,
                });
            keys.next()
                .ok_or_else(|| format!("it is not known how {} has {what}", source.host.name))
        };
        let mut entry = Map::new();
        let transports = &profile.transports;
        let named = transports.stdio.first().or(transports.unspecified.first());
        if let (Some(word), false) = (named, fields.transport.is_empty()) {
            entry.insert(place(&fields.transport, "a transport")?, json!(word));
        }
        let command = place(&fields.command, "a command")?;
        if profile.quirks.contains(&Quirk::CommandIsList) {
            let words = std::iter::once(self.command.as_str()).chain(self.args());
            entry.insert(command, words.collect());
        } else {
            entry.insert(command, json!(self.command));
            entry.insert(place(&fields.args, "arguments")?, json!(self.args()));
        }
        if self.variables.is_empty() {
            return Ok(Value::Object(entry));
        }
        if let Ok(names) = place(&fields.env_names, "names of variables") {
            entry.insert(names, json!(self.variables));
        } else if let Some(syntax) = profile.references.syntax.iter().find_map(reference) {
            let pairs = self.variables.iter();
            let pairs = pairs.map(|name| (name.clone(), json!(syntax.replace("NAME", name))));
            let env: Map<String, Value> = pairs.collect();
            entry.insert(place(&fields.env, "an environment")?, Value::Object(env));
        }
        Ok(Value::Object(entry))
    }
}

/// How a reference to a variable is written, where this is one.
fn reference(syntax: &ReferenceSyntax) -> Option<&'static str> {
    match syntax {
        ReferenceSyntax::Braced => Some("${NAME}"),
        ReferenceSyntax::Bare => Some("$NAME"),
        ReferenceSyntax::EnvBraced => Some("${env:NAME}"),
        ReferenceSyntax::EnvPlain => Some("{env:NAME}"),
        ReferenceSyntax::BracedDefault | ReferenceSyntax::FilePlain | ReferenceSyntax::Template => {
            None
        }
    }
}

/// The text with the change made, and nothing else changed.
pub(super) fn edit(
    text: &str,
    source: ConfigurationSource<'_>,
    change: &Change,
) -> Result<String, Refusal> {
    if source.file.shape == Shape::List {
        return Err("its servers are a list, which is not edited".to_owned());
    }
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let places: Vec<Keys> = places(source);
    let after = match source.file.format {
        Format::Json | Format::Jsonc => json::edit(body, &places, change)?,
        Format::Toml => toml::edit(body, &places, change)?,
        Format::Yaml => return Err("it is YAML, which is not edited".to_owned()),
    };
    let [before, made] = [body, &after].map(|text| read(text, source.file.format));
    if expected(before?, &places, change).as_ref() != Some(&made?) {
        return Err("it would have said something else afterwards, so nothing was done".to_owned());
    }
    Ok(format!("{mark}{after}"))
}

/// The entries with these names as the file has them.
pub(super) fn entries(
    text: &str,
    source: ConfigurationSource<'_>,
    names: &[String],
) -> Result<Vec<(String, Value)>, Refusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = read(text, source.file.format)?;
    let places = places(source);
    let tables: Vec<&Value> = places.iter().filter_map(|keys| at(&root, keys)).collect();
    let found = |name: &String| {
        let entry = tables.iter().find_map(|table| table.get(name))?;
        Some((name.clone(), entry.clone()))
    };
    Ok(names.iter().filter_map(found).collect())
}

/// The tables of servers that hold for all projects.
fn places(source: ConfigurationSource<'_>) -> Vec<Keys> {
    let owned = |keys: Vec<&str>| keys.into_iter().map(str::to_owned).collect();
    let pointers = source.file.servers.iter();
    pointers.filter_map(Pointer::keys).map(owned).collect()
}

fn at<'v>(root: &'v Value, keys: &[String]) -> Option<&'v Value> {
    keys.iter().try_fold(root, |value, key| value.get(key))
}

/// Which of the places is edited: where the first that goes stands, otherwise the first that is
/// there.
fn chosen<'p>(
    places: &'p [Keys],
    has: impl Fn(&Keys, Option<&str>) -> bool,
    change: &Change,
) -> Option<&'p Keys> {
    let first = change.remove.first().map(String::as_str);
    let holding = places
        .iter()
        .find(|keys| first.is_some() && has(keys, first));
    holding.or_else(|| places.iter().find(|keys| has(keys, None)))
}

/// The configuration as plain data.
fn read(text: &str, format: Format) -> Result<Value, Refusal> {
    match format {
        Format::Toml => {
            let value: ::toml::Value = ::toml::from_str(text).map_err(|error| error.to_string())?;
            serde_json::to_value(value).map_err(|error| error.to_string())
        }
        _ => json::read(text),
    }
}

/// What the configuration has to say afterwards.
fn expected(mut root: Value, places: &[Keys], change: &Change) -> Option<Value> {
    let has = |keys: &Keys, name: Option<&str>| {
        let table = at(&root, keys).and_then(Value::as_object);
        table.is_some_and(|table| name.is_none_or(|name| table.contains_key(name)))
    };
    let chosen = chosen(places, has, change).or(places.first())?.clone();
    for keys in places {
        if let Some(table) = at_mut(&mut root, keys) {
            for name in &change.remove {
                table.shift_remove(name);
            }
        }
    }
    let mut table = &mut root;
    for key in &chosen {
        table = table
            .as_object_mut()?
            .entry(key.clone())
            .or_insert_with(|| json!({}));
    }
    for (name, value) in &change.insert {
        table.as_object_mut()?.insert(name.clone(), value.clone());
    }
    Some(root)
}

fn at_mut<'v>(root: &'v mut Value, keys: &[String]) -> Option<&'v mut Map<String, Value>> {
    keys.iter()
        .try_fold(root, |value, key| value.get_mut(key))?
        .as_object_mut()
}
