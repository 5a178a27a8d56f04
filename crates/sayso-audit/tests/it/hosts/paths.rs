//! Where configurations lie.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{HostProfile, Os, Scope, configuration_paths};

fn paths(id: &str, os: Os, variables: &[(&str, &str)]) -> String {
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    // Joining two Windows paths works on Windows only.
    let project = (os != Os::Windows).then_some(Path::new("/srv/shop"));
    let host = HostProfile::find(id).unwrap();
    let files = host.configuration_paths(os, &environment, project);
    let lines: Vec<String> = files
        .iter()
        .map(|file| format!("{} {} {}", file.scope, file.format, file.path.display()))
        .collect();
    lines.join("\n")
}

#[test]
fn paths_follow_the_operating_system() {
    let linux = [("HOME", "/people/ada"), ("XDG_CONFIG_HOME", "/conf")];
    insta::assert_snapshot!(paths("vscode", Os::Linux, &linux), @r"
    user JSON with comments /conf/Code/User/mcp.json
    user JSON with comments /conf/Code/User/profiles/*/mcp.json
    user JSON with comments /conf/Code - Insiders/User/mcp.json
    user JSON with comments /conf/VSCodium/User/mcp.json
    user JSON with comments /people/ada/.vscode-server/data/User/mcp.json
    project JSON with comments /srv/shop/.vscode/mcp.json
    user JSON with comments /conf/Code/User/settings.json
    project JSON with comments /srv/shop/.vscode/settings.json
    ");
    insta::assert_snapshot!(paths("claude-code", Os::MacOs, &[("HOME", "/Users/ada")]), @r"
    managed JSON /Library/Application Support/ClaudeCode/managed-mcp.json
    user JSON /Users/ada/.claude.json
    project JSON /srv/shop/.mcp.json
    ");
    let windows = [
        ("USERPROFILE", "C:\\Users\\ada"),
        ("APPDATA", "D:\\Roaming"),
    ];
    insta::assert_snapshot!(paths("claude-desktop", Os::Windows, &windows), @r"
    user JSON D:\Roaming\Claude\claude_desktop_config.json
    ");
    // A variable that is empty is as good as not set.
    let fallback = [("USERPROFILE", "C:\\Users\\ada"), ("APPDATA", "")];
    insta::assert_snapshot!(paths("zed", Os::Windows, &fallback), @r"
    user JSON with comments C:\Users\ada\AppData\Roaming\Zed\settings.json
    ");
    insta::assert_snapshot!(paths("codex", Os::Linux, &[("HOME", "/people/ada"), ("CODEX_HOME", "/c")]), @r"
    user TOML /c/config.toml
    project TOML /srv/shop/.codex/config.toml
    ");
}

#[test]
fn without_a_home_or_a_project_only_fixed_places_are_left() {
    let files = configuration_paths(Os::Linux, &|_| None, None);
    assert!(!files.is_empty());
    assert!(
        files.iter().all(|file| file.scope == Scope::Managed),
        "{files:#?}"
    );
}

#[test]
fn every_configuration_has_a_place_on_every_system() {
    let environment =
        |name: &str| matches!(name, "HOME" | "USERPROFILE").then(|| "/people/ada".to_owned());
    for host in super::configurable() {
        for os in [Os::Linux, Os::MacOs, Os::Windows] {
            let files = host.configuration_paths(os, &environment, None);
            assert!(
                files.iter().any(|file| file.scope == Scope::User),
                "{} on {os:?}",
                host.id
            );
        }
    }
}

#[test]
fn a_pattern_stands_for_what_is_there() {
    let environment = |name: &str| (name == "HOME").then(|| "/people/ada".to_owned());
    let files =
        HostProfile::find("vscode")
            .unwrap()
            .configuration_paths(Os::Linux, &environment, None);
    let pattern = files.iter().find(|file| file.is_pattern()).unwrap();
    let names = |directory: &Path| -> Vec<OsString> {
        let profiles = Path::new("/people/ada/.config/Code/User/profiles");
        if directory == profiles {
            vec!["work".into(), "-1f2e".into()]
        } else {
            Vec::new()
        }
    };
    let found = pattern.matches(&names);
    let expected = ["-1f2e", "work"].map(|name| {
        PathBuf::from(format!(
            "/people/ada/.config/Code/User/profiles/{name}/mcp.json"
        ))
    });
    assert_eq!(found, expected);
    let plain = files.iter().find(|file| !file.is_pattern()).unwrap();
    assert_eq!(
        plain.matches(&|_| Vec::new()),
        std::slice::from_ref(&plain.path)
    );
}
