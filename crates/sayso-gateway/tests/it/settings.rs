//! Settings against what is there: the environment, and the tools of servers.

use std::path::Path;

use sayso_gateway::settings::{GateSettings, KnownTool, SettingProblem};

const SETTINGS: &str = r#"
    [servers.search]
    command = "search"
    env = { A = "${SET}", B = "x${SET}${UNSET}" }
    [servers.search.tools.rebuild_indx]
    [servers.search.tools.rebuild]
    exclusive = ["index", "shard"]
    arguments.indexes.one-of = ["wiki", 1979-05-27, { a = [1.5, true] }]
    arguments.index.under = "../data/./x"
"#;

fn settings() -> GateSettings {
    toml::from_str(SETTINGS).expect("settings")
}

fn told(problems: &[SettingProblem]) -> String {
    let lines: Vec<_> = problems
        .iter()
        .map(|problem| {
            let hint = problem.hint.as_deref().unwrap_or("-");
            format!("{}: {} ({hint})", problem.path.join("/"), problem.message)
        })
        .collect();
    lines.join("\n")
}

#[test]
fn variables_that_are_not_set() {
    insta::assert_snapshot!(told(&settings().missing_variables(|name| name == "SET")), @"servers/search/env/B: the environment has no variable `UNSET` (set it before the gate is started)");
    assert_eq!(settings().missing_variables(|_| true), []);
}

#[test]
fn tools_and_arguments_that_are_not_there() {
    let tool = |name: &str, arguments: &[&str]| KnownTool {
        name: name.to_owned(),
        arguments: arguments.iter().map(|name| (*name).to_owned()).collect(),
    };
    let tools = [
        tool("rebuild", &["index", "force"]),
        tool("rebuild_index", &[]),
    ];
    insta::assert_snapshot!(told(&settings().unknown_tools("search", &tools)), @"
    servers/search/tools/rebuild/arguments/indexes: tool `rebuild` takes no argument `indexes` (did you mean `index`?)
    servers/search/tools/rebuild/exclusive/1: tool `rebuild` takes no argument `shard` (possible here: `index`, `force`)
    servers/search/tools/rebuild_indx: server `search` has no tool `rebuild_indx` (did you mean `rebuild_index`?)
    ");
    assert_eq!(settings().unknown_tools("other", &tools), []);
}

#[test]
fn allowed_values_are_json() {
    let settings = settings();
    let arguments = &settings.servers["search"].tools["rebuild"].arguments;
    let allowed = arguments["indexes"].allowed_values().unwrap();
    assert_eq!(
        serde_json::Value::from(allowed).to_string(),
        r#"["wiki","1979-05-27",{"a":[1.5,true]}]"#
    );
}

#[test]
fn folders_are_counted_from_the_settings_file() {
    let mut settings = settings();
    settings.anchor(Path::new("/srv/gate/."));
    let argument = &settings.servers["search"].tools["rebuild"].arguments["index"];
    assert_eq!(argument.under.as_deref(), Some(Path::new("/srv/data/x")));
}

#[test]
fn what_is_left_out_is_what_the_reference_says() {
    let settings = GateSettings::default();
    assert_eq!(settings.check(), []);
    assert_eq!(settings.policies(), ["spec-default"]);
    assert_eq!((settings.wait().as_secs(), settings.max_name()), (50, 64));
    assert_eq!(settings.approval_expires().as_secs(), 900);
    let limits = &settings.limits;
    assert_eq!((limits.message_bytes(), limits.depth()), (16 << 20, 128));
}

#[test]
fn values_of_some_names_are_hidden() {
    let settings: GateSettings = toml::from_str("journal.redact = ['Body']").unwrap();
    for hidden in [
        "password",
        "API_KEY",
        "githubToken",
        "body",
        "Authorization",
    ] {
        assert!(settings.journal.hides(hidden), "{hidden}");
    }
    for shown in ["index", "bodies", "path"] {
        assert!(!settings.journal.hides(shown), "{shown}");
    }
}
