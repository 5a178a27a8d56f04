//! What is known of one host, as its `hosts/<id>.toml` says it.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use super::behaviour::Behaviour;
use super::embedded::PROFILES;
use super::pointer::Pointer;
use super::server::HttpKind;

/// One host. Parsed strictly: an unknown key is an error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostProfile {
    /// Short name in lower case with hyphens; also the file's stem.
    pub id: String,
    /// The name its makers use.
    pub name: String,
    /// What kind of thing it is.
    #[serde(default)]
    pub kind: HostKind,
    /// The page of the host's documentation that says most about its MCP servers.
    pub documentation: String,
    /// The day the facts about its configuration were looked up, `YYYY-MM-DD`.
    pub date_read: String,
    /// Where its list of MCP servers lies and how it is written; `None` for a host that keeps
    /// none a file can be read from.
    pub configuration: Option<ConfigurationProfile>,
    /// What it does with the hints; `None` when that is not known.
    pub behaviour: Option<Behaviour>,
}

/// What kind of thing a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostKind {
    /// A program people work with.
    #[default]
    Application,
    /// A library or service others build with.
    Library,
    /// A check that a listing has to pass before it is published.
    Directory,
    /// A build that is no longer current, kept to see what changed.
    Former,
    /// No host at all: the specification's documented defaults, acted on to the letter.
    Model,
}

/// Where a host keeps its list of servers and how an entry is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfigurationProfile {
    /// What the facts rest on.
    pub confidence: Confidence,
    /// What is uncertain or unusual, in sentences for people.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The files, those with more say first.
    #[serde(rename = "file")]
    pub files: Vec<FileSpec>,
    /// The keys of an entry.
    pub fields: Fields,
    /// The names of transports.
    #[serde(default)]
    pub transports: Transports,
    /// How values refer to the environment and the like.
    #[serde(default)]
    pub references: ReferenceRules,
    /// What sets the host apart.
    #[serde(default)]
    pub quirks: Vec<Quirk>,
}

/// What facts about a host rest on, surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The host's own source was read.
    Source,
    /// Others who quote or describe the host.
    Secondary,
    /// The host's own documentation.
    Docs,
    /// Threads and forum posts.
    Hearsay,
}

impl Confidence {
    /// The word in profiles and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Secondary => "secondary",
            Self::Docs => "docs",
            Self::Hearsay => "hearsay",
        }
    }
}

/// One configuration file, or several written alike.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileSpec {
    /// Whom the file speaks for.
    pub scope: Scope,
    /// How it is written.
    pub format: Format,
    /// Where it lies, by operating system.
    pub paths: Paths,
    /// Where the servers stand in it. All that exist are read.
    pub servers: Vec<Pointer>,
    /// Whether the servers are a table by name or a list.
    #[serde(default)]
    pub shape: Shape,
    /// Lists of names, elsewhere in the same file, of servers switched off; `*`
    /// and `?` in a name stand for any text and any character. A `*` in the
    /// pointer means the key that the `*` of [`FileSpec::servers`] stood for.
    #[serde(default)]
    pub disabled_names: Vec<Pointer>,
    /// A list of names which, where it exists, switches off every other server.
    #[serde(default)]
    pub allowed_names: Vec<Pointer>,
}

/// Whom a configuration speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One person, in all projects.
    User,
    /// One project, usually shared through its repository.
    Project,
    /// A whole machine, set by an administrator.
    Managed,
}

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Plain JSON.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// How the servers are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A table whose keys are the servers' names.
    #[default]
    Map,
    /// A list of entries that carry their name.
    List,
}

/// Path templates of a file: `~` is the home directory, `./` the project,
/// `${NAME}` and `${NAME:-otherwise}` an environment variable, `*` within a
/// component any name. Written with `/` everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Paths {
    /// Wherever the host runs.
    #[serde(default)]
    pub all: Vec<String>,
    /// On Linux only.
    #[serde(default)]
    pub linux: Vec<String>,
    /// On macOS only.
    #[serde(default)]
    pub macos: Vec<String>,
    /// On Windows only.
    #[serde(default)]
    pub windows: Vec<String>,
}

/// Where in an entry its parts stand. Of several places the first that exists
/// counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Fields {
    /// The name, in a [`Shape::List`].
    pub name: Vec<Pointer>,
    /// The program.
    pub command: Vec<Pointer>,
    /// Its arguments, a list.
    pub args: Vec<Pointer>,
    /// Its environment, a table.
    pub env: Vec<Pointer>,
    /// Names of environment variables handed on to it, a list.
    pub env_names: Vec<Pointer>,
    /// A file with further environment variables.
    pub env_file: Vec<Pointer>,
    /// The directory it starts in.
    pub cwd: Vec<Pointer>,
    /// The address of an HTTP server.
    pub url: Vec<UrlField>,
    /// Its headers, a table.
    pub headers: Vec<Pointer>,
    /// Headers whose values are environment variables, a table of their names.
    pub header_env_names: Vec<Pointer>,
    /// The environment variable that holds a bearer token.
    pub bearer_env_name: Vec<Pointer>,
    /// The name of the transport.
    pub transport: Vec<Pointer>,
    /// `true` switches the server off.
    pub disabled: Vec<Pointer>,
    /// `false` switches the server off.
    pub enabled: Vec<Pointer>,
    /// Marks an entry whose server comes with the host or an extension of it.
    pub provided: Vec<Pointer>,
}

/// A place where an address may stand, and the transport it then means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UrlField {
    /// Where.
    pub at: Pointer,
    /// The transport when the entry names none.
    pub kind: HttpKind,
}

/// What the names of transports mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Transports {
    /// A process on stdin and stdout.
    pub stdio: Vec<String>,
    /// Streamable HTTP.
    pub streamable_http: Vec<String>,
    /// HTTP with server-sent events.
    pub sse: Vec<String>,
    /// HTTP of either kind.
    pub http: Vec<String>,
    /// Tools the host brings itself: there is no server to reach.
    pub provided: Vec<String>,
    /// Says nothing of the transport.
    pub unspecified: Vec<String>,
}

/// How values refer to something outside the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ReferenceRules {
    /// The ways to write a reference.
    pub syntax: Vec<ReferenceSyntax>,
    /// Names that mean the project's directory, as in `${workspaceFolder}`.
    pub project: Vec<String>,
    /// Names that mean the home directory, as in `${userHome}`.
    pub home: Vec<String>,
    /// Words before a colon, as in `${input:token}`, that mean the host asks
    /// the person or looks elsewhere.
    pub elsewhere: Vec<String>,
}

/// A way to write a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum ReferenceSyntax {
    /// `${NAME}`: an environment variable.
    #[serde(rename = "${NAME}")]
    Braced,
    /// `${NAME:-text}`: an environment variable, or the text when unset.
    #[serde(rename = "${NAME:-text}")]
    BracedDefault,
    /// `$NAME`: an environment variable.
    #[serde(rename = "$NAME")]
    Bare,
    /// `${env:NAME}`: an environment variable.
    #[serde(rename = "${env:NAME}")]
    EnvBraced,
    /// `{env:NAME}`: an environment variable.
    #[serde(rename = "{env:NAME}")]
    EnvPlain,
    /// `{file:PATH}`: the text of a file.
    #[serde(rename = "{file:PATH}")]
    FilePlain,
    /// `${{ secrets.NAME }}`: a value the host keeps.
    #[serde(rename = "${{ WORD.NAME }}")]
    Template,
}

/// What sets a host's configuration apart from the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// `command` is a list: the program and its arguments.
    CommandIsList,
    /// `command` may be a table with `path`, `args` and `env`.
    CommandMayBeTable,
    /// A variable to hand on that is not set is left out, not missed.
    UnsetNamesAreSkipped,
    /// An entry with both an address and a command is reached by its address.
    UrlBeforeCommand,
}

/// One file of one host: what [`super::read_configuration`] needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigurationSource<'p> {
    /// The host.
    pub host: &'p HostProfile,
    /// How the host's configuration is written.
    pub configuration: &'p ConfigurationProfile,
    /// The file.
    pub file: &'p FileSpec,
}

/// A host profile that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("host profile `{file}`: {message}")]
pub struct ProfileError {
    file: String,
    message: String,
}

impl ProfileError {
    pub(super) fn new(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            message: message.into().trim_end().to_owned(),
        }
    }
}

impl HostKind {
    /// Whether it calls tools at all; a directory only accepts or refuses them.
    #[must_use]
    pub const fn calls_tools(self) -> bool {
        !matches!(self, Self::Directory)
    }
}

impl HostProfile {
    /// Every host that ships with the program.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<HostProfile>> = LazyLock::new(|| {
            // A test parses every embedded profile, so none is lost here.
            PROFILES
                .iter()
                .filter_map(|(id, text)| HostProfile::parse(text, &format!("{id}.toml")).ok())
                .collect()
        });
        &ALL
    }

    /// The host with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|profile| profile.id == id)
    }

    /// Ids of the profiles that ship with the program, whether or not they parse.
    #[must_use]
    pub fn embedded() -> Vec<(&'static str, Result<Self, ProfileError>)> {
        PROFILES
            .iter()
            .map(|(id, text)| (*id, Self::parse(text, &format!("{id}.toml"))))
            .collect()
    }

    /// Reads a profile. `file` is used in errors.
    ///
    /// # Errors
    ///
    /// When the text is not TOML, a key is unknown or missing, or the profile
    /// could never be used: no file, a file without path or pointer, a project
    /// path outside the project, a list without a field for the name, a mode whose rules leave a
    /// state of the hints open.
    pub fn parse(text: &str, file: &str) -> Result<Self, ProfileError> {
        let error = |message: String| ProfileError::new(file, message);
        let profile: Self = toml::from_str(text).map_err(|problem| error(problem.to_string()))?;
        profile.check().map_err(error)?;
        Ok(profile)
    }

    /// The files of the host, each with the host.
    pub fn sources(&self) -> impl Iterator<Item = ConfigurationSource<'_>> {
        self.configuration.iter().flat_map(move |configuration| {
            let source = move |file| ConfigurationSource {
                host: self,
                configuration,
                file,
            };
            configuration.files.iter().map(source)
        })
    }

    fn check(&self) -> Result<(), String> {
        if !is_id(&self.id) {
            return Err(format!(
                "id `{}` is not lower-case letters, digits and hyphens",
                self.id
            ));
        }
        if !self.documentation.starts_with("https://") {
            return Err("documentation is not an https address".to_owned());
        }
        if !is_date(&self.date_read) {
            return Err(format!("date-read `{}` is not YYYY-MM-DD", self.date_read));
        }
        if self.configuration.is_none() && self.behaviour.is_none() {
            return Err("it says neither `configuration` nor `behaviour`".to_owned());
        }
        if let Some(configuration) = &self.configuration {
            configuration.check()?;
        }
        match &self.behaviour {
            Some(behaviour) => behaviour.check(),
            None => Ok(()),
        }
    }
}

impl ConfigurationProfile {
    fn check(&self) -> Result<(), String> {
        if self.files.is_empty() {
            return Err("no file is given".to_owned());
        }
        self.files.iter().try_for_each(|file| self.check_file(file))
    }

    fn check_file(&self, file: &FileSpec) -> Result<(), String> {
        if file.servers.is_empty() {
            return Err("a file has no pointer to its servers".to_owned());
        }
        if file.paths.every().next().is_none() {
            return Err("a file has no path".to_owned());
        }
        if file.shape == Shape::List && self.fields.name.is_empty() {
            return Err("servers are a list, but fields.name is not given".to_owned());
        }
        let in_project = file.scope == Scope::Project;
        match file
            .paths
            .every()
            .find(|path| path.starts_with("./") != in_project)
        {
            Some(path) => Err(format!(
                "path `{path}`: project paths, and only they, begin with `./`"
            )),
            None => Ok(()),
        }
    }
}

impl Paths {
    /// Every template, whatever the operating system.
    pub fn every(&self) -> impl Iterator<Item = &String> {
        self.all
            .iter()
            .chain(&self.linux)
            .chain(&self.macos)
            .chain(&self.windows)
    }
}

/// Whether it is lower-case letters, digits and hyphens.
pub(super) fn is_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(is_plain)
}

pub(super) fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.char_indices().all(|(index, c)| match index {
            4 | 7 => c == '-',
            _ => c.is_ascii_digit(),
        })
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Managed => "managed",
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Json => "JSON",
            Self::Jsonc => "JSON with comments",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
        })
    }
}
