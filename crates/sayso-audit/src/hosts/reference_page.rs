//! The reference page on hosts, made from their profiles.

use std::fmt::Write as _;

use super::pointer::Pointer;
use super::profile::{
    Confidence, ConfigurationProfile, Fields, FileSpec, HostProfile, Quirk, ReferenceSyntax, Shape,
    Transports,
};
use super::server::HttpKind;

/// The text of `docs/reference/hosts.md`.
#[must_use]
pub fn reference_markdown() -> String {
    let mut page = String::from(
        "# Hosts and their configurations\n\n\
         <!-- Made from crates/sayso-audit/hosts/*.toml. Change those, not this page. -->\n\n\
         Where each host keeps its list of MCP servers and how an entry of it is written. In paths, `~` is \
         the home directory, `.` the project, `${NAME:-otherwise}` an environment variable with a \
         replacement, and `*` any name.\n\n\
         | host | id | files | facts from | looked up |\n\
         |---|---|---|---|---|\n",
    );
    let hosts = || {
        let all = HostProfile::all().iter();
        all.filter_map(|host| Some((host, host.configuration.as_ref()?)))
    };
    for (host, configuration) in hosts() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| [{}](#{}) | `{}` | {} | {} | {} |",
            host.name,
            anchor(&host.name),
            host.id,
            scopes(configuration),
            facts(configuration.confidence),
            host.date_read,
        );
    }
    for (host, configuration) in hosts() {
        section(&mut page, host, configuration);
    }
    page
}

fn section(page: &mut String, host: &HostProfile, configuration: &ConfigurationProfile) {
    let _ = write!(
        page,
        "\n## {}\n\n[Documentation]({})\n",
        host.name, host.documentation
    );
    for file in &configuration.files {
        file_section(page, file);
    }
    page.push_str("\n| part of an entry | where |\n|---|---|\n");
    for (part, places) in parts(&configuration.fields) {
        let _ = writeln!(page, "| {part} | {places} |");
    }
    let transports = transports(&configuration.transports);
    if !transports.is_empty() {
        let _ = write!(page, "\nTransports: {}.\n", transports.join("; "));
    }
    let _ = write!(
        page,
        "\nReferences in values: {}.\n",
        references(configuration)
    );
    let quirks = configuration.quirks.iter().map(|quirk| quirk.sentence());
    let remarks: Vec<&str> = quirks
        .chain(configuration.notes.iter().map(String::as_str))
        .collect();
    if !remarks.is_empty() {
        page.push('\n');
    }
    for remark in remarks {
        let _ = writeln!(page, "- {remark}");
    }
}

fn file_section(page: &mut String, file: &FileSpec) {
    let shape = match file.shape {
        Shape::Map => "a table by name",
        Shape::List => "a list",
    };
    let _ = write!(
        page,
        "\n**{} file**, {}; servers under {}, {shape}:\n\n",
        capital(&file.scope.to_string()),
        file.format,
        keys(&file.servers),
    );
    let systems = [
        ("", &file.paths.all),
        ("Linux: ", &file.paths.linux),
        ("macOS: ", &file.paths.macos),
        ("Windows: ", &file.paths.windows),
    ];
    for (system, paths) in systems {
        for path in paths {
            let _ = writeln!(page, "- {system}`{path}`");
        }
    }
    if !file.disabled_names.is_empty() {
        let _ = write!(
            page,
            "\nNames under {} are switched off.\n",
            keys(&file.disabled_names)
        );
    }
    if !file.allowed_names.is_empty() {
        let _ = write!(
            page,
            "\nWith names under {}, every other server is switched off.\n",
            keys(&file.allowed_names)
        );
    }
}

/// The parts of an entry that the host has, each with its places.
fn parts(fields: &Fields) -> Vec<(&'static str, String)> {
    let urls = fields.url.iter().map(|url| match url.kind {
        HttpKind::StreamableHttp => format!("`{}` (Streamable HTTP)", url.at.dotted()),
        HttpKind::Sse => format!("`{}` (SSE)", url.at.dotted()),
        HttpKind::Unknown => format!("`{}`", url.at.dotted()),
    });
    let urls: Vec<String> = urls.collect();
    let all = [
        ("name", keys(&fields.name)),
        ("command", keys(&fields.command)),
        ("arguments", keys(&fields.args)),
        ("environment", keys(&fields.env)),
        ("variables handed on by name", keys(&fields.env_names)),
        ("file of variables (not read)", keys(&fields.env_file)),
        ("working directory", keys(&fields.cwd)),
        ("address", urls.join(", ")),
        ("headers", keys(&fields.headers)),
        ("headers from variables", keys(&fields.header_env_names)),
        (
            "variable with a bearer token",
            keys(&fields.bearer_env_name),
        ),
        ("transport", keys(&fields.transport)),
        ("switched off by `true`", keys(&fields.disabled)),
        ("switched off by `false`", keys(&fields.enabled)),
        (
            "marks what the host provides itself",
            keys(&fields.provided),
        ),
    ];
    all.into_iter()
        .filter(|(_, places)| !places.is_empty())
        .collect()
}

fn transports(transports: &Transports) -> Vec<String> {
    let kinds = [
        ("a process", &transports.stdio),
        ("Streamable HTTP", &transports.streamable_http),
        ("SSE", &transports.sse),
        ("HTTP of either kind", &transports.http),
        ("provided by the host", &transports.provided),
    ];
    kinds
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("{} is {kind}", names.join(" or "))
        })
        .collect()
}

fn references(configuration: &ConfigurationProfile) -> String {
    let rules = &configuration.references;
    let syntax = rules
        .syntax
        .iter()
        .map(|syntax| format!("`{}`", syntax.written()));
    let named = rules
        .project
        .iter()
        .chain(&rules.home)
        .map(|name| format!("`${{{name}}}`"));
    let elsewhere = rules
        .elsewhere
        .iter()
        .map(|word| format!("`${{{word}:…}}`"));
    let all: Vec<String> = syntax.chain(named).chain(elsewhere).collect();
    if all.is_empty() {
        "none known".to_owned()
    } else {
        all.join(", ")
    }
}

fn scopes(configuration: &ConfigurationProfile) -> String {
    let mut scopes: Vec<String> = Vec::new();
    for file in &configuration.files {
        let scope = file.scope.to_string();
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes.join(", ")
}

fn facts(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Source => "its source",
        Confidence::Docs => "its documentation",
        Confidence::Secondary => "what others write of it",
        Confidence::Hearsay => "threads and forum posts",
    }
}

fn keys(pointers: &[Pointer]) -> String {
    let keys: Vec<String> = pointers
        .iter()
        .map(|pointer| format!("`{}`", pointer.dotted()))
        .collect();
    keys.join(", ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The anchor that Markdown viewers give a heading.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

impl ReferenceSyntax {
    /// The syntax as written in profiles and the reference page.
    fn written(self) -> &'static str {
        match self {
            Self::Braced => "${NAME}",
            Self::BracedDefault => "${NAME:-text}",
            Self::Bare => "$NAME",
            Self::EnvBraced => "${env:NAME}",
            Self::EnvPlain => "{env:NAME}",
            Self::FilePlain => "{file:PATH}",
            Self::Template => "${{ WORD.NAME }}",
        }
    }
}

impl Quirk {
    /// The quirk in a sentence.
    fn sentence(self) -> &'static str {
        match self {
            Self::CommandIsList => "`command` is a list: the program, then its arguments.",
            Self::CommandMayBeTable => "`command` may be a table with `path`, `args` and `env`.",
            Self::UnsetNamesAreSkipped => {
                "A variable that is to be handed on but is not set is left out without an error."
            }
            Self::UrlBeforeCommand => {
                "An entry with both an address and a command is reached by its address."
            }
        }
    }
}
