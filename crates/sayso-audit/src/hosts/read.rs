//! From the text of a configuration to its servers.

use super::document::{self, Node, Value};
use super::entry::{Entry, read_entry};
use super::paths::fits;
use super::pointer::{Found, Pointer};
use super::problem::{ConfigurationProblem, Severity};
use super::profile::{ConfigurationSource, Fields, HostProfile, Shape};
use super::references::{Reference, Resolver};
use super::server::ServerSpec;

/// Reads the servers of a host's configuration, in the order of the file.
///
/// `file` names the file in problems. `resolver` answers for what values refer
/// to; a reference it has no answer for leaves that server out and becomes a
/// problem. The same goes for an entry that cannot be read: the other entries
/// are not touched by it. A configuration without servers is not a problem.
pub fn read_configuration(
    text: &str,
    source: ConfigurationSource<'_>,
    file: &str,
    resolver: &dyn Fn(Reference<'_>) -> Option<String>,
) -> (Vec<ServerSpec>, Vec<ConfigurationProblem>) {
    match document::parse(text, source.file.format, file) {
        Ok(document) => {
            let mut problems = document.notes;
            let servers = match &document.root {
                Some(root) => read_document(root, source, file, resolver, &mut problems),
                None => Vec::new(),
            };
            (servers, problems)
        }
        Err(problem) => (Vec::new(), vec![problem]),
    }
}

/// Reads the servers of a parsed configuration.
pub(super) fn read_document(
    root: &Node,
    source: ConfigurationSource<'_>,
    file: &str,
    resolver: &Resolver<'_>,
    problems: &mut Vec<ConfigurationProblem>,
) -> Vec<ServerSpec> {
    let mut servers = Vec::new();
    let mut found_any = false;
    for pointer in &source.file.servers {
        for found in pointer.find(root, None) {
            found_any = true;
            let entries = match entries(&found, pointer, source, file, problems) {
                Ok(entries) => entries,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            for mut entry in entries {
                entry.switched_off = switched_off(root, source, &found, entry.name);
                let (server, told) = read_entry(&entry, source, file, resolver);
                servers.extend(server);
                problems.extend(told);
            }
        }
    }
    if !found_any {
        problems.extend(misplaced(root, source, file));
    }
    servers
}

/// The entries of a table or list of servers.
fn entries<'n>(
    found: &Found<'n>,
    pointer: &Pointer,
    source: ConfigurationSource<'_>,
    file: &str,
    problems: &mut Vec<ConfigurationProblem>,
) -> Result<Vec<Entry<'n>>, ConfigurationProblem> {
    let Found { node, wildcard } = *found;
    match (&node.value, source.file.shape) {
        (Value::Null, _) => Ok(Vec::new()),
        (Value::Table(members), Shape::Map) => {
            let mut entries: Vec<Entry<'n>> = Vec::new();
            for member in members {
                if let Some(earlier) = entries.iter().position(|entry| entry.name == member.key) {
                    let message = "its name is given twice; the later entry counts".to_owned();
                    let problem =
                        ConfigurationProblem::new(Severity::Note, file, member.at, message);
                    problems.push(
                        problem
                            .server(&member.key)
                            .hint("rename or remove one of them"),
                    );
                    entries.remove(earlier);
                }
                entries.push(Entry::new(&member.key, member.at, &member.value, wildcard));
            }
            Ok(entries)
        }
        (Value::List(elements), Shape::List) => {
            let mut entries = Vec::new();
            for element in elements {
                let name = source.configuration.fields.name.iter();
                let name = name
                    .filter_map(|at| at.first(element))
                    .find_map(Node::as_str);
                if let Some(name) = name {
                    entries.push(Entry::new(name, element.at, element, wildcard));
                } else {
                    let message = "a server has no name".to_owned();
                    let problem =
                        ConfigurationProblem::new(Severity::Error, file, element.at, message);
                    problems.push(problem.hint("give it a `name`"));
                }
            }
            Ok(entries)
        }
        (_, shape) => {
            let wanted = match shape {
                Shape::Map => "a table of servers by name",
                Shape::List => "a list of servers",
            };
            let message = format!("`{}` is {}, not {wanted}", pointer.dotted(), node.kind());
            Err(
                ConfigurationProblem::new(Severity::Error, file, node.at, message)
                    .hint(format!("see {}", source.host.documentation)),
            )
        }
    }
}

/// Whether a list of names elsewhere in the file switches the server off.
fn switched_off(
    root: &Node,
    source: ConfigurationSource<'_>,
    found: &Found<'_>,
    name: &str,
) -> bool {
    let lists = |pointers: &[Pointer]| -> Vec<Vec<String>> {
        pointers
            .iter()
            .filter(|pointer| found.wildcard.is_some() || !pointer.has_wildcard())
            .flat_map(|pointer| pointer.find(root, found.wildcard))
            .filter(|list| matches!(list.node.value, Value::List(_)))
            .map(|list| {
                list.node
                    .elements()
                    .iter()
                    .filter_map(Node::as_str)
                    .map(str::to_owned)
                    .collect()
            })
            .collect()
    };
    let holds_name = |list: &Vec<String>| list.iter().any(|listed| fits(listed, name));
    lists(&source.file.disabled_names).iter().any(holds_name)
        || lists(&source.file.allowed_names)
            .iter()
            .any(|list| !holds_name(list))
}

/// A note when the servers stand where another host would keep them.
fn misplaced(
    root: &Node,
    source: ConfigurationSource<'_>,
    file: &str,
) -> Option<ConfigurationProblem> {
    let elsewhere = HostProfile::all()
        .iter()
        .flat_map(HostProfile::sources)
        .find_map(|other| {
            let fields = &other.configuration.fields;
            other.file.servers.iter().find_map(|pointer| {
                let found = pointer
                    .find(root, None)
                    .into_iter()
                    .find(|at| holds_servers(at.node, fields))?;
                Some((pointer, found.node.at))
            })
        });
    let own = source.file.servers.first()?.dotted();
    let (pointer, at) = elsewhere?;
    let (pointer, host) = (pointer.dotted(), &source.host.name);
    let message = format!("there are servers under `{pointer}`, but {host} reads `{own}`");
    let problem = ConfigurationProblem::new(Severity::Note, file, at, message);
    Some(problem.hint(format!("move them to `{own}` if {host} is to see them")))
}

/// Whether a table or list has entries with a command or an address.
pub(super) fn holds_servers(node: &Node, fields: &Fields) -> bool {
    let is_server = |entry: &Node| {
        let urls = fields.url.iter().map(|url| &url.at);
        fields
            .command
            .iter()
            .chain(urls)
            .chain(&fields.provided)
            .any(|at| at.first(entry).is_some())
    };
    node.members()
        .iter()
        .map(|member| &member.value)
        .chain(node.elements())
        .any(is_server)
}
