//! Wrong usage: exit code 2, what is wrong, and what to do.

use crate::sayso::Sayso;

#[test]
fn nothing_to_audit() {
    insta::assert_snapshot!(Sayso::new("audit").shown(), @r"
    exit code: 2
    ----- stderr
    error: there is nothing to audit
    hint: name a URL or a saved listing, or put a server's command behind `--`; `sayso audit --example` shows what comes of it
    ");
}

#[test]
fn an_unknown_option() {
    insta::assert_snapshot!(Sayso::new("audit --basline x.json").shown(), @r"
    exit code: 2
    ----- stderr
    error: unexpected argument '--basline' found

      tip: a similar argument exists: '--baseline'
      tip: to pass '--basline' as a value, use '-- --basline'

    Usage: sayso audit --baseline <FILE> [TARGET]... [-- <COMMAND>...]

    For more information, try '--help'.
    ");
}

#[test]
fn values_that_make_no_sense() {
    insta::assert_snapshot!(Sayso::new("audit --timeout soon x.json").shown(), @r"
    exit code: 2
    ----- stderr
    error: invalid value 'soon' for '--timeout <DURATION>': write it as a number of seconds or with a unit, such as 500ms, 30s or 2m

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(Sayso::new("audit --jobs 0 x.json").shown(), @r"
    exit code: 2
    ----- stderr
    error: invalid value '0' for '--jobs <N>': number would be zero for non-zero type

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(Sayso::new("audit --header nothing http://127.0.0.1:9").shown(), @"
    exit code: 2
    ----- stderr
    error: a value of `--header` has no name or no colon
    hint: write it as `--header 'NAME: VALUE'`
    ");
}

#[test]
fn a_malformed_value_is_not_repeated() {
    for option in ["--header=Authorization hush", "--env=hush"] {
        let ran = Sayso::new("audit http://127.0.0.1:9")
            .argument(option)
            .argument("--")
            .argument("true")
            .run();
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(!format!("{ran}").contains("hush"), "{ran}");
    }
}

#[test]
fn a_header_without_a_url() {
    insta::assert_snapshot!(Sayso::new("audit tools.json").argument("--header=X-Key: hush").shown(), @r"
    exit code: 2
    ----- stderr
    error: there is no URL to send a header to
    hint: name one as a target; for a configured server write the header in its configuration
    ");
}

#[test]
fn a_header_that_cannot_be_sent_is_not_shown() {
    let ran = Sayso::new("audit http://127.0.0.1:9")
        .argument("--header=X-Key: hush\nhush")
        .run();
    insta::assert_snapshot!(ran, @"
    exit code: 2
    ----- stderr
    error: the value of `x-key` cannot stand in a header
    hint: a value is one line of visible characters
    ");
    assert!(!ran.stderr.contains("hush"));
}

#[test]
fn a_token_that_is_not_there() {
    insta::assert_snapshot!(Sayso::new("audit http://127.0.0.1:9 --bearer-env TOKEN").shown(), @r"
    exit code: 2
    ----- stderr
    error: the environment variable `TOKEN` is not set
    hint: `--bearer-env` takes the name of a variable that holds the token: set `TOKEN` first
    ");
    insta::assert_snapshot!(Sayso::new("audit http://127.0.0.1:9 --bearer-env TOKEN").env("TOKEN", "").shown(), @r"
    exit code: 2
    ----- stderr
    error: the environment variable `TOKEN` is empty
    ");
}

#[test]
fn environment_without_a_command() {
    insta::assert_snapshot!(Sayso::new("audit --env A=b http://127.0.0.1:9").shown(), @r"
    exit code: 2
    ----- stderr
    error: the following required arguments were not provided:
      <COMMAND>...

    Usage: sayso audit --env <NAME=VALUE> <TARGET>... -- <COMMAND>...

    For more information, try '--help'.
    ");
}

#[test]
fn a_server_name_without_a_configuration() {
    insta::assert_snapshot!(Sayso::new("audit --server files").shown(), @r"
    exit code: 2
    ----- stderr
    error: `--server` chooses among configured servers, and there is no configuration
    hint: add `--config FILE` or `--discover`
    ");
}

#[test]
fn a_baseline_that_is_not_there() {
    insta::assert_snapshot!(Sayso::new("audit tools.json --baseline old.json").file("tools.json", "[]").shown(), @r"
    exit code: 2
    ----- stderr
    error: the baseline: cannot read `old.json`: No such file or directory (os error 2)
    hint: a baseline is a saved listing; `sayso audit --save FILE` writes one
    ");
}

#[test]
fn a_baseline_for_two_targets() {
    let sayso = Sayso::new("audit a.json b.json --baseline a.json")
        .file("a.json", "[]")
        .file("b.json", "[]");
    insta::assert_snapshot!(sayso.shown(), @r"
    exit code: 2
    ----- stderr
    error: `--baseline` is about one target, and there are 2
    hint: audit one target at a time; `--server NAME` chooses one of a configuration
    ");
}

#[test]
fn an_unknown_profile() {
    insta::assert_snapshot!(Sayso::new("audit --example --profile openai-app").shown(), @r"
    exit code: 2
    ----- stderr
    error: no profile is called `openai-app`
    hint: did you mean `openai-apps`?
    ");
    insta::assert_snapshot!(Sayso::new("audit --example --profile acme").shown(), @r"
    exit code: 2
    ----- stderr
    error: no profile is called `acme`
    hint: there are `anthropic-connectors`, `anthropic-mcpb`, `openai-apps`, `spec-2026-07-28`
    ");
}

#[test]
fn a_report_that_cannot_be_written() {
    let sayso = Sayso::new("audit tools.json --output no/such/place.txt").file("tools.json", "[]");
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 2
    ----- stderr
    error: cannot write `no/such/place.txt`: there is no directory `no/such`
    hint: create the directory first
    ");
}

#[test]
fn a_header_that_cannot_be_sent() {
    let with = |header: &str| Sayso::new("audit http://127.0.0.1:1/mcp --header").argument(header);
    insta::assert_snapshot!(with("X Key: hush").shown(), @"
    exit code: 2
    ----- stderr
    error: `X Key` is no header name
    hint: write a header as `NAME: VALUE`
    ");
    insta::assert_snapshot!(with("Mcp-Session-Id: hush").shown(), @"
    exit code: 2
    ----- stderr
    error: `mcp-session-id` is set by the protocol
    hint: leave this header out
    ");
}

#[test]
fn an_unknown_rule_to_explain() {
    insta::assert_snapshot!(Sayso::new("explain missing-anotations").shown(), @r"
    exit code: 2
    ----- stderr
    error: no rule is called `missing-anotations`
    hint: did you mean `missing-annotations`?
    ");
    insta::assert_snapshot!(Sayso::new("explain xyz").shown(), @r"
    exit code: 2
    ----- stderr
    error: no rule is called `xyz`
    hint: `sayso explain --list` lists the rules
    ");
    assert_eq!(Sayso::new("explain").run().code, Some(2));
}

#[test]
fn help_and_version_are_no_failure() {
    insta::assert_snapshot!(Sayso::new("--version").shown(), @r"
    exit code: 0
    ----- stdout
    sayso 0.1.0
    ");
    let help = Sayso::new("audit --help").run();
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    assert!(help.stdout.contains("Exit codes: 0 clean"));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = Sayso::new("completions").argument(shell).run();
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("fail-on"), "{shell}");
        assert!(
            !ran.stdout.contains("generate-reference"),
            "{shell} completes a hidden command"
        );
    }
}

#[test]
fn every_rule_is_listed_and_explained() {
    let list = Sayso::new("explain --list").run();
    assert_eq!(list.code, Some(0));
    let ids: Vec<&str> = list
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(ids.contains(&"missing-annotations"));
    for id in ids {
        let explained = Sayso::new("explain").argument(id).run();
        assert_eq!(explained.code, Some(0));
        for part in [
            &format!("# {id}\n"),
            "## What it checks",
            "## Fails",
            "## Passes",
        ] {
            assert!(explained.stdout.contains(part), "{id}: {part}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::io::Read as _;
    let mut child = Sayso::new("explain --list").command().spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}
