//! One entry of a configuration.

mod launch;
mod values;

use super::document::{Node, Position, Value};
use super::pointer::Pointer;
use super::problem::{ConfigurationProblem, Severity};
use super::profile::{ConfigurationProfile, ConfigurationSource, Fields, Quirk, UrlField};
use super::references::Resolver;
use super::server::{HttpKind, Launch, ServerSpec};

/// An entry that is about to be read.
pub(super) struct Entry<'n> {
    pub(super) name: &'n str,
    pub(super) at: Position,
    pub(super) node: &'n Node,
    pub(super) project: Option<&'n str>,
    /// Whether something outside the entry switches it off.
    pub(super) switched_off: bool,
}

impl<'n> Entry<'n> {
    pub(super) fn new(
        name: &'n str,
        at: Position,
        node: &'n Node,
        project: Option<&'n str>,
    ) -> Self {
        Self {
            name,
            at,
            node,
            project,
            switched_off: false,
        }
    }
}

/// Reads one entry; `None` with the reason among the problems when it gives no
/// server.
pub(super) fn read_entry(
    entry: &Entry<'_>,
    source: ConfigurationSource<'_>,
    file: &str,
    resolver: &Resolver<'_>,
) -> (Option<ServerSpec>, Vec<ConfigurationProblem>) {
    let mut reader = Reader {
        entry,
        host: &source.host.name,
        documentation: &source.host.documentation,
        profile: source.configuration,
        file,
        resolver,
        problems: Vec::new(),
    };
    let disabled = entry.switched_off || reader.is_disabled();
    let launch = reader.launch();
    let mut problems = reader.problems;
    // What keeps a server that is off anyway from starting is only worth a note.
    if disabled {
        for problem in &mut problems {
            problem.severity = Severity::Note;
        }
    }
    let server = launch.map(|launch| ServerSpec {
        name: entry.name.to_owned(),
        host: source.host.id.clone(),
        project: entry.project.map(str::to_owned),
        launch,
        disabled,
        line: entry.at.line,
    });
    (server, problems)
}

struct Reader<'a> {
    entry: &'a Entry<'a>,
    host: &'a str,
    documentation: &'a str,
    profile: &'a ConfigurationProfile,
    file: &'a str,
    resolver: &'a Resolver<'a>,
    problems: Vec<ConfigurationProblem>,
}

/// What the name of the transport says.
enum Transport {
    Stdio,
    Http(HttpKind),
    Provided,
    Unspecified,
}

/// How much of a value may be shown.
#[derive(Clone, Copy)]
enum Showing {
    Nothing,
    Written,
    Address,
}

/// A key of the entry that is there and not null, with its value.
struct Field<'a> {
    path: String,
    node: &'a Node,
}

impl<'a> Reader<'a> {
    fn fields(&self) -> &'a Fields {
        &self.profile.fields
    }

    fn field(&self, places: &[Pointer]) -> Option<Field<'a>> {
        places.iter().find_map(|place| {
            let node = place.first(self.entry.node)?;
            (!matches!(node.value, Value::Null)).then(|| Field {
                path: place.dotted(),
                node,
            })
        })
    }

    fn url_field(&self) -> Option<(&'a UrlField, Field<'a>)> {
        let mut urls = self.profile.fields.url.iter();
        urls.find_map(|url| Some((url, self.field(std::slice::from_ref(&url.at))?)))
    }

    fn has(&self, quirk: Quirk) -> bool {
        self.profile.quirks.contains(&quirk)
    }

    fn tell(&mut self, severity: Severity, at: Position, message: String, hint: impl Into<String>) {
        let problem = ConfigurationProblem::new(severity, self.file, at, message);
        self.problems
            .push(problem.server(self.entry.name).hint(hint));
    }

    fn wrong_kind(&mut self, field: &Field<'_>, wanted: &str) {
        let message = format!("`{}` is {}, not {wanted}", field.path, field.node.kind());
        self.tell(
            Severity::Error,
            field.node.at,
            message,
            format!("see {}", self.documentation),
        );
    }

    fn is_disabled(&mut self) -> bool {
        let fields = self.fields();
        let off = self.flag(&fields.disabled).unwrap_or(false);
        let on = self.flag(&fields.enabled).unwrap_or(true);
        off || !on
    }

    fn flag(&mut self, places: &[Pointer]) -> Option<bool> {
        let field = self.field(places)?;
        if let Value::Bool(flag) = field.node.value {
            return Some(flag);
        }
        let message = format!(
            "`{}` is {}, not true or false",
            field.path,
            field.node.kind()
        );
        self.tell(
            Severity::Note,
            field.node.at,
            message,
            "it is taken as not being there",
        );
        None
    }

    fn launch(&mut self) -> Option<Launch> {
        if !matches!(self.entry.node.value, Value::Table(_)) {
            let message = format!("the entry is {}, not a table", self.entry.node.kind());
            let hint = format!("see {}", self.documentation);
            self.tell(Severity::Error, self.entry.node.at, message, hint);
            return None;
        }
        let transport = self.transport();
        let command = self.field(&self.fields().command);
        let url = self.url_field();
        match (transport, command, url) {
            (Transport::Provided, _, _) => self.provided(),
            (Transport::Stdio, Some(command), _) => self.stdio(&command),
            (Transport::Http(kind), _, Some((_, url))) => self.http(&url, kind),
            (Transport::Stdio, None, _) => self.missing("a process", "command"),
            (Transport::Http(_), _, None) => self.missing("an HTTP server", "url"),
            (Transport::Unspecified, Some(command), None) => self.stdio(&command),
            (Transport::Unspecified, None, Some((field, url))) => self.http(&url, field.kind),
            (Transport::Unspecified, Some(command), Some((field, url))) => {
                let by_url = self.has(Quirk::UrlBeforeCommand);
                let taken = if by_url { &url.path } else { &command.path };
                let message = format!(
                    "has both `{}` and `{}`; `{taken}` counts",
                    command.path, url.path
                );
                self.tell(Severity::Note, self.entry.at, message, "remove the other");
                if by_url {
                    self.http(&url, field.kind)
                } else {
                    self.stdio(&command)
                }
            }
            (Transport::Unspecified, None, None) => {
                if self.field(&self.fields().provided).is_some() {
                    return self.provided();
                }
                self.neither()
            }
        }
    }

    fn transport(&mut self) -> Transport {
        let Some(field) = self.field(&self.fields().transport) else {
            return Transport::Unspecified;
        };
        let Some(name) = field.node.as_str() else {
            let message = format!("`{}` is {}, not a string", field.path, field.node.kind());
            self.tell(
                Severity::Note,
                field.node.at,
                message,
                "it is taken as not being there",
            );
            return Transport::Unspecified;
        };
        let known = &self.profile.transports;
        let is_in = |names: &[String]| names.iter().any(|known| known == name);
        if is_in(&known.stdio) {
            Transport::Stdio
        } else if is_in(&known.streamable_http) {
            Transport::Http(HttpKind::StreamableHttp)
        } else if is_in(&known.sse) {
            Transport::Http(HttpKind::Sse)
        } else if is_in(&known.http) {
            Transport::Http(HttpKind::Unknown)
        } else if is_in(&known.provided) {
            Transport::Provided
        } else {
            if !is_in(&known.unspecified) {
                let lists = [
                    &known.stdio,
                    &known.streamable_http,
                    &known.sse,
                    &known.http,
                ];
                let names: Vec<String> = lists
                    .into_iter()
                    .flatten()
                    .map(|name| format!("`{name}`"))
                    .collect();
                let message = format!(
                    "{} is not known to have a transport `{}`",
                    self.host,
                    name.escape_debug()
                );
                self.tell(
                    Severity::Note,
                    field.node.at,
                    message,
                    format!("known are {}", names.join(", ")),
                );
            }
            Transport::Unspecified
        }
    }

    fn provided(&mut self) -> Option<Launch> {
        let message = format!(
            "{} brings it itself; there is no server to start or reach",
            self.host
        );
        let problem = ConfigurationProblem::new(Severity::Note, self.file, self.entry.at, message);
        self.problems.push(problem.server(self.entry.name));
        None
    }

    fn missing(&mut self, kind: &str, field: &str) -> Option<Launch> {
        let message = format!("its transport is that of {kind}, but it has no `{field}`");
        let hint = self
            .likely(field)
            .unwrap_or_else(|| format!("see {}", self.documentation));
        self.tell(Severity::Error, self.entry.at, message, hint);
        None
    }

    fn neither(&mut self) -> Option<Launch> {
        let message = "has neither a command nor an address".to_owned();
        let hint = ["command", "url"]
            .into_iter()
            .find_map(|field| self.likely(field));
        let hint = hint.unwrap_or_else(|| format!("see {}", self.documentation));
        self.tell(Severity::Error, self.entry.at, message, hint);
        None
    }

    /// A key of the entry that may be a misspelt `field`.
    fn likely(&self, field: &str) -> Option<String> {
        let fields = self.fields();
        let urls = fields.url.iter().map(|url| &url.at);
        let own: Vec<&str> = match field {
            "command" => fields
                .command
                .iter()
                .filter_map(Pointer::first_key)
                .collect(),
            _ => urls.filter_map(Pointer::first_key).collect(),
        };
        let keys = self
            .entry
            .node
            .members()
            .iter()
            .map(|member| member.key.as_str());
        let mut pairs = keys.flat_map(|key| own.iter().map(move |own| (key, *own)));
        // What other hosts call it is as good a guess as a slip of the finger.
        let synonyms = ["command", "cmd", "url", "uri", "serverUrl", "httpUrl"];
        let (key, own) = pairs.find(|(key, own)| {
            let same_kind = key.to_lowercase().contains("ur") == own.to_lowercase().contains("ur");
            strsim::damerau_levenshtein(&key.to_lowercase(), &own.to_lowercase()) <= 2
                || (same_kind && synonyms.contains(key))
        })?;
        Some(format!(
            "{} calls it `{own}`, not `{}`",
            self.host,
            key.escape_debug()
        ))
    }
}
