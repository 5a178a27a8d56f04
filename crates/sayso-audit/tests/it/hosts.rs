//! Reading the configurations of hosts.

mod behaviour;
mod fixtures;
mod guesses;
mod guide;
mod matrix;
mod paths;
mod properties;
mod trouble;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{
    ConfigurationProblem, ConfigurationSource, HostProfile, Launch, Os, Reference, ServerSpec,
    guess_format, read_configuration, reference_markdown,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hosts");

/// What the tests' machine knows: three variables, a home and a project.
fn machine(reference: Reference<'_>) -> Option<String> {
    let value = match reference {
        Reference::Environment("HOME") | Reference::HomeDirectory => "/people/ada",
        Reference::Environment("TOKEN") => "t0ken-from-environment",
        Reference::Environment("TEAM") => "blue",
        Reference::Environment("DATABASE") => "postgres://db.example.com/shop",
        Reference::ProjectDirectory => "/srv/shop",
        _ => return None,
    };
    Some(value.to_owned())
}

/// The hosts whose list of servers lies in a file.
fn configurable() -> impl Iterator<Item = &'static HostProfile> {
    let all = HostProfile::all().iter();
    all.filter(|host| host.configuration.is_some())
}

/// Every fixture with its host, in the order of the hosts.
fn fixtures() -> Vec<(&'static HostProfile, PathBuf)> {
    let mut fixtures = Vec::new();
    for host in configurable() {
        let folder = Path::new(FIXTURES).join(&host.id);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        fixtures.extend(files.into_iter().map(|file| (host, file)));
    }
    fixtures
}

/// The host's file that has the fixture's name.
fn source_of(host: &'static HostProfile, fixture: &Path) -> ConfigurationSource<'static> {
    let name = fixture.file_name().unwrap().to_str().unwrap();
    let environment = |name: &str| (name == "HOME").then(|| "/people/ada".to_owned());
    host.configuration_paths(Os::Linux, &environment, Some(Path::new("/srv/shop")))
        .into_iter()
        .find(|file| {
            let known = file.path.file_name().unwrap().to_str().unwrap();
            known == name
                || known
                    .strip_prefix('*')
                    .is_some_and(|end| name.ends_with(end))
        })
        .unwrap_or_else(|| panic!("{} has no file called {name}", host.id))
        .source
}

/// Reads a fixture and tells all of it, secrets too.
fn read(id: &str, name: &str) -> String {
    let path = Path::new(FIXTURES).join(id).join(name);
    let host = HostProfile::find(id).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let (servers, problems) = read_configuration(&text, source_of(host, &path), name, &machine);
    tell(&servers, &problems)
}

fn tell(servers: &[ServerSpec], problems: &[ConfigurationProblem]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for server in servers {
        let off = if server.disabled { " (off)" } else { "" };
        let project = server
            .project
            .as_deref()
            .map(|at| format!(" in {at}"))
            .unwrap_or_default();
        lines.push(format!("{}: {}{project}{off}", server.line, server.name));
        match &server.launch {
            Launch::Stdio {
                command,
                args,
                env,
                cwd,
            } => {
                let words: Vec<&str> = args.iter().map(|word| word.expose()).collect();
                lines.push(format!("    {} {words:?}", command.expose()));
                lines.extend(
                    env.iter()
                        .map(|(name, value)| format!("    {name}={}", value.expose())),
                );
                lines.extend(cwd.iter().map(|cwd| format!("    in {}", cwd.expose())));
            }
            Launch::Http { url, headers, kind } => {
                lines.push(format!("    {kind:?} {}", url.expose()));
                lines.extend(
                    headers
                        .iter()
                        .map(|(name, value)| format!("    {name}: {}", value.expose())),
                );
            }
        }
    }
    lines.extend(
        problems
            .iter()
            .map(|problem| format!("{:?} {problem}", problem.severity)),
    );
    lines.join("\n")
}

#[test]
fn every_profile_is_valid_and_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts");
    let on_disk: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let mut embedded = BTreeSet::new();
    for (stem, profile) in HostProfile::embedded() {
        let profile = profile.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(profile.id, stem, "a profile's id is its file's name");
        embedded.insert(stem.to_owned());
    }
    assert_eq!(
        embedded, on_disk,
        "hosts/*.toml and hosts/embedded.rs list the same hosts"
    );
    assert_eq!(HostProfile::all().len(), embedded.len());
}

#[test]
fn an_unknown_key_in_a_profile_is_refused() {
    let text =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/hosts/cursor.toml")).unwrap();
    let misspelt = text
        .replace("disabled-names", "")
        .replace("headers =", "haeders =");
    let error = HostProfile::parse(&misspelt, "cursor.toml").unwrap_err();
    assert!(
        error.to_string().contains("unknown field `haeders`"),
        "{error}"
    );
    let outside = text.replace("./.cursor/mcp.json", "~/.cursor/mcp.json");
    let error = HostProfile::parse(&outside, "cursor.toml").unwrap_err();
    insta::assert_snapshot!(error, @"host profile `cursor.toml`: path `~/.cursor/mcp.json`: project paths, and only they, begin with `./`");
}

#[test]
fn every_host_has_a_fixture_that_gives_servers_and_is_guessed() {
    for (host, fixture) in fixtures() {
        let text = fs::read_to_string(&fixture).unwrap();
        let (servers, _) =
            read_configuration(&text, source_of(host, &fixture), "fixture", &machine);
        assert!(!servers.is_empty(), "{fixture:?} gives no server");
        let guessed = guess_format(&text, fixture.to_str().unwrap()).unwrap();
        let (again, _) = read_configuration(&text, guessed, "fixture", &machine);
        assert!(
            again.len() >= servers.len(),
            "{fixture:?} read as {} loses servers",
            guessed.host.id
        );
    }
}

#[test]
fn the_reference_page_tells_of_every_configuration() {
    let page = reference_markdown();
    for host in configurable() {
        assert!(
            page.contains(&format!("\n## {}\n", host.name)),
            "{} is missing",
            host.id
        );
        assert!(
            page.contains(&host.documentation),
            "{} has no link",
            host.id
        );
    }
    let start = page.find("## Codex").unwrap();
    let end = page.find("## Gemini CLI").unwrap();
    insta::assert_snapshot!(page[start..end], @r"
    ## Codex

    [Documentation](https://developers.openai.com/codex/mcp)

    **User file**, TOML; servers under `mcp_servers`, a table by name:

    - `${CODEX_HOME:-~/.codex}/config.toml`

    **Project file**, TOML; servers under `mcp_servers`, a table by name:

    - `./.codex/config.toml`

    | part of an entry | where |
    |---|---|
    | command | `command` |
    | arguments | `args` |
    | environment | `env` |
    | variables handed on by name | `env_vars` |
    | working directory | `cwd` |
    | address | `url` (Streamable HTTP) |
    | headers | `http_headers` |
    | headers from variables | `env_http_headers` |
    | variable with a bearer token | `bearer_token_env_var` |
    | switched off by `false` | `enabled` |

    References in values: none known.

    - A variable that is to be handed on but is not set is left out without an error.
    - An entry with keys of both kinds, such as `command` and `url`, is refused by the host.
    - A project's file counts only in projects the person has marked as trusted.
    ");
}
