//! Which host a configuration of unknown origin is written for.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::document::{self, Node, Value};
use super::paths::fits;
use super::problem::{ConfigurationProblem, Severity};
use super::profile::{ConfigurationSource, Format, HostProfile, Shape};
use super::read::{holds_servers, read_document};
use super::references::Reference;

/// Finds the host whose configuration the text fits best, by its shape and the
/// file's name. Hosts that share a shape are told apart by the keys their
/// entries use; where nothing tells them apart, the first in
/// [`HostProfile::all`] is taken.
///
/// # Errors
///
/// When the text is none of the formats, or no known host keeps servers where
/// this file has them; the problem lists the known places.
pub fn guess_format(
    text: &str,
    file: &str,
) -> Result<ConfigurationSource<'static>, ConfigurationProblem> {
    let mut broken = None;
    for format in likely_formats(text, file) {
        match document::parse(text, format, file) {
            Ok(document) => {
                if let Some(source) = document.root.and_then(|root| best(&root, format, file)) {
                    return Ok(source);
                }
            }
            // The likeliest format comes first, and its error says most.
            Err(problem) => broken = broken.or(Some(problem)),
        }
    }
    Err(broken.unwrap_or_else(|| unknown_shape(file)))
}

/// The formats a file may have, likeliest first.
fn likely_formats(text: &str, file: &str) -> Vec<Format> {
    let extension = file
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("toml") => vec![Format::Toml],
        Some("yaml" | "yml") => vec![Format::Yaml],
        Some("json" | "jsonc" | "json5") => vec![Format::Json],
        _ if text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with(['{', '/']) =>
        {
            vec![Format::Json]
        }
        _ => vec![Format::Toml, Format::Yaml],
    }
}

fn best(root: &Node, format: Format, file: &str) -> Option<ConfigurationSource<'static>> {
    let sources = HostProfile::all().iter().flat_map(HostProfile::sources);
    let fitting: Vec<ConfigurationSource<'static>> = sources
        .filter(|source| same_format(source.file.format, format) && has_shape(root, *source))
        .collect();
    // `max_by_key` keeps the last of equals, and the first is wanted.
    fitting
        .into_iter()
        .rev()
        .max_by_key(|source| rank(root, *source, file))
}

fn same_format(known: Format, read: Format) -> bool {
    let json = |format| matches!(format, Format::Json | Format::Jsonc);
    known == read || (json(known) && json(read))
}

/// Whether servers, or an empty place for them, stand where the host reads them.
fn has_shape(root: &Node, source: ConfigurationSource<'_>) -> bool {
    let fields = &source.configuration.fields;
    let mut found = source
        .file
        .servers
        .iter()
        .flat_map(|pointer| pointer.find(root, None));
    found.any(|at| match (&at.node.value, source.file.shape) {
        (Value::Table(members), Shape::Map) => members.is_empty() || holds_servers(at.node, fields),
        (Value::List(elements), Shape::List) => {
            elements.is_empty() || holds_servers(at.node, fields)
        }
        _ => false,
    })
}

/// How well a host fits: how much of the path it knows, how many servers it
/// reads, and how few complaints it has.
fn rank(
    root: &Node,
    source: ConfigurationSource<'_>,
    file: &str,
) -> (usize, usize, Reverse<usize>) {
    let path = source
        .file
        .paths
        .every()
        .map(|template| common_tail(template, file))
        .max();
    let mut problems = Vec::new();
    // Any text that is also an address answers every reference.
    let anything = |_: Reference<'_>| Some("https://host.invalid".to_owned());
    let servers = read_document(root, source, file, &anything, &mut problems);
    (path.unwrap_or(0), servers.len(), Reverse(problems.len()))
}

/// How many components, from the end, a path has in common with a template.
/// One with a `*` fits, but tells nothing.
fn common_tail(template: &str, path: &str) -> usize {
    let components = template.rsplit('/').zip(path.rsplit(['/', '\\']));
    let common = components.take_while(|(pattern, name)| fits(pattern, name));
    common.filter(|(pattern, _)| !pattern.contains('*')).count()
}

fn unknown_shape(file: &str) -> ConfigurationProblem {
    let sources = HostProfile::all().iter().flat_map(HostProfile::sources);
    let places: BTreeSet<String> = sources
        .flat_map(|source| {
            let shape = match source.file.shape {
                Shape::Map => "table",
                Shape::List => "list",
            };
            let family = match source.file.format {
                Format::Json | Format::Jsonc => "JSON",
                Format::Toml => "TOML",
                Format::Yaml => "YAML",
            };
            source
                .file
                .servers
                .iter()
                .map(move |at| format!("`{}` (a {shape} in {family})", at.dotted()))
        })
        .collect();
    let places: Vec<String> = places.into_iter().collect();
    let message = "no known host keeps its servers the way this file does".to_owned();
    ConfigurationProblem::new(Severity::Error, file, document::Position::START, message)
        .hint(format!("servers are looked for in {}", places.join(", ")))
}
