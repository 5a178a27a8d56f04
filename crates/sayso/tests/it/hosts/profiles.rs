//! Hosts a person adds, and how old what is known of one may be.

use super::Sayso;

const NOTES: &str =
    r#"[{"name": "read_note", "annotations": {"readOnlyHint": true}}, {"name": "drop_note"}]"#;

/// A host that asks about what is not read-only, known since long ago.
const OURS: &str = r#"
id = "ours"
name = "Ours"
documentation = "https://example.com/ours"
date-read = "2020-01-31"

[behaviour]
version = "1.4"
date-read = "2020-01-31"
confidence = "source"
sources = ["src/policy.c, may_call"]
absent = "Nothing is taken for granted."
parser = "typescript-sdk"
title = ["name"]

[[behaviour.mode]]
id = "default"
name = "Default"
default = true

[[behaviour.mode.rule]]
when = { readOnlyHint = true }
then = "allow"

[[behaviour.mode.rule]]
then = "ask"
note = "Only once for each file."
"#;

fn hosts(arguments: &str) -> Sayso {
    Sayso::new(&format!("hosts notes.json {arguments}")).file("notes.json", NOTES)
}

#[test]
fn a_profile_dropped_into_the_own_folder_is_a_host() {
    let sayso = hosts("--host ours").home_file(".config/sayso/hosts/ours.toml", OURS);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    notes.json
    saved listing: notes.json

    what happens to 2 tools in 1 host, each as a new user has it

                 ours
      read_note  allow
      drop_note  ask

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer

    ours: gate rate 50 % (1 of 2); 1 run silently, 0 of which may destroy

    of 1 host: 0 with silent calls that may destroy, 1 that ask, 0 that refuse or hide a tool, 0 that
      lose the whole listing

    old: what is known was read more than 180 days ago
      ours (2020-01-31)
    ");
    let known = hosts("--list")
        .home_file(".config/sayso/hosts/ours.toml", OURS)
        .run();
    assert!(
        known
            .stdout
            .contains("added by [HOME]/.config/sayso/hosts/ours.toml"),
        "{known}"
    );
}

#[test]
fn the_guide_shows_what_works() {
    let guide = include_str!("../../../../../docs/guides/hosts.md");
    let blocks = |language: &str| -> Vec<&str> {
        let fence = format!("```{language}\n");
        let blocks = guide.split(fence.as_str()).skip(1);
        blocks
            .map(|block| block.split("\n```").next().unwrap())
            .collect()
    };
    let [hints] = blocks("json")[..] else {
        panic!()
    };
    let [ruling, profile] = blocks("toml")[..] else {
        panic!()
    };
    let ran =
        Sayso::new("hosts notes.json --host house-agent --with hints.json --ruling truth.toml")
            .file(
                "notes.json",
                r#"[{"name": "delete_note", "annotations": {"readOnlyHint": true}}]"#,
            )
            .file("hints.json", hints)
            .file("truth.toml", ruling)
            .home_file(".config/sayso/hosts/house-agent.toml", profile)
            .run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("delete_note  allow → ask"), "{ran}");
    assert!(
        ran.stdout.contains("1 → 0 under-gated, 0 over-gated"),
        "{ran}"
    );
}

#[test]
fn an_added_host_is_counted_among_the_others() {
    let counted = |sayso: Sayso| {
        let stdout = sayso.run().stdout;
        let line = stdout
            .lines()
            .find(|line| line.starts_with("what happens to"))
            .unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        words[6].parse::<usize>().unwrap()
    };
    let with = hosts("").home_file(".config/sayso/hosts/ours.toml", OURS);
    assert_eq!(counted(with), counted(hosts("")) + 1);
}

#[test]
fn a_folder_can_be_named_on_the_command_line_or_in_the_settings() {
    let elsewhere = |sayso: Sayso| sayso.file("profiles/ours.toml", OURS).run();
    let by_option = elsewhere(hosts("--host ours --hosts-dir profiles"));
    let by_settings = elsewhere(hosts("--host ours").file(
        "sayso.toml",
        "[hosts]\nhosts-dir = \"profiles\"\nstale-after-days = 36500\n",
    ));
    assert_eq!(
        (by_option.code, by_settings.code),
        (Some(0), Some(0)),
        "{by_option} {by_settings}"
    );
    assert!(
        by_option.stdout.contains("ours (2020-01-31)"),
        "{by_option}"
    );
    assert!(!by_settings.stdout.contains("2020-01-31"), "{by_settings}");
}

#[test]
fn a_profile_with_a_known_id_replaces_what_the_host_does() {
    let ours = OURS.replace("\"ours\"", "\"zed\"");
    let ran = hosts("--host zed --hosts-dir profiles")
        .file("profiles/any-name.toml", &ours)
        .run();
    assert!(ran.stdout.contains("read_note  allow\n"), "{ran}");
    assert!(ran.stdout.contains("drop_note  ask\n"), "{ran}");
}

#[test]
fn a_broken_profile_is_told_with_its_place() {
    let broken = |profile: String| {
        hosts("--hosts-dir profiles")
            .file("profiles/ours.toml", profile)
            .shown()
    };
    insta::assert_snapshot!(broken(OURS.replace("\"ask\"", "\"aks\"")), @"
    exit code: 2
    ----- stderr
    error: profiles/ours.toml:26:8: unknown value `aks`
    hint: did you mean `ask`?
    ");
    insta::assert_snapshot!(broken(OURS.replace("then = \"ask\"", "then = \"ask\"\nwhen = { destructiveHint = true }")), @"
    exit code: 2
    ----- stderr
    error: host profile `profiles/ours.toml`: mode `default`: no rule matches readOnlyHint false, destructiveHint false, idempotentHint true, openWorldHint true
    hint: correct it, or take it out of `profiles`
    ");
    insta::assert_snapshot!(broken(OURS.replace("typescript-sdk", "typescript")), @"
    exit code: 2
    ----- stderr
    error: host profile `profiles/ours.toml`: there is no parser `typescript`
    hint: correct it, or take it out of `profiles`
    ");
    insta::assert_snapshot!(broken("id = ".to_owned()), @"
    exit code: 2
    ----- stderr
    error: profiles/ours.toml:1:6: string values must be quoted, expected literal string
    hint: correct it, or take it out of `profiles`
    ");
    let two = hosts("--hosts-dir profiles")
        .file("profiles/a.toml", "id = 1")
        .file("profiles/b.toml", OURS)
        .file("profiles/c.toml", OURS);
    insta::assert_snapshot!(two.shown(), @"
    exit code: 2
    ----- stderr
    error: profiles/a.toml:1:6: invalid type: integer `1`, expected a string
    error: profiles/c.toml: host `ours` has a profile already, in profiles/b.toml
    hint: correct it, or take it out of `profiles`
    ");
    insta::assert_snapshot!(hosts("--hosts-dir none").shown(), @"
    exit code: 2
    ----- stderr
    error: cannot read the host profiles in `none`: No such file or directory (os error 2)
    ");
}

#[test]
fn what_is_known_since_long_ago_is_marked_wherever_it_is_shown() {
    for (days, is_old) in [("180", true), ("1000000", false)] {
        for format in ["human", "markdown", "html"] {
            let ran = hosts("--stale-after-days")
                .argument(days)
                .argument("--format")
                .argument(format)
                .home_file(".config/sayso/hosts/ours.toml", OURS)
                .run();
            assert_eq!(ran.stdout.contains("ours (old)"), is_old, "{format}: {ran}");
            assert_eq!(
                ran.stdout.contains("ours (2020-01-31)"),
                is_old,
                "{format}: {ran}"
            );
        }
    }
}
