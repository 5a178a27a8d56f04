//! Versions and eras.

use sayso_mcp::{EraChoice, ReadOptions};

use crate::support::{impatient, options, read, server, show, told, told_with};

fn era(era: EraChoice) -> ReadOptions {
    ReadOptions { era, ..options() }
}

#[test]
fn any_known_version_is_accepted() {
    insta::assert_snapshot!(told(&["version", "2024-11-05"]), @r"
    tools: a
    Complete
    VersionNegotiated x1: asked for 2025-11-25, agreed on 2024-11-05
    ");
    insta::assert_snapshot!(told(&["version", "2025-11-25"]), @r"
    tools: a
    Complete
    ");
    insta::assert_snapshot!(told(&["version", "2099-01-01"]), @r"
    misbehave version 2099-01-01: the server wants to speak protocol version `2099-01-01`, which is not known
    hint: the server must offer a published protocol version
    ");
    insta::assert_snapshot!(told(&["no-version"]), @"
    misbehave no-version: the answer to `initialize` has no `protocolVersion`
    hint: the server has to be mended: other clients fail on this too, or misread it
    ");
}

#[test]
fn a_refused_version_is_tried_again_with_one_both_know() {
    insta::assert_snapshot!(told(&["refuses-version"]), @r"
    tools: a
    Complete
    VersionNegotiated x1: asked for 2025-11-25, agreed on 2024-11-05
    ");
}

#[test]
fn the_handshake_is_finished_before_anything_is_asked() {
    insta::assert_snapshot!(told(&["strict"]), @r"
    tools: a
    Complete
    ");
}

#[test]
fn a_server_of_the_modern_era_alone() {
    for refusal in [
        "modern-only",
        "modern-only-plain",
        "modern-only-meta",
        "modern-only-header",
    ] {
        let reading = read(server(&[refusal]), &options()).unwrap();
        assert_eq!(
            reading.listing.server.protocol_version.as_deref(),
            Some("2026-07-28")
        );
        assert_eq!(reading.listing.server.name.as_deref(), Some("modern"));
        insta::allow_duplicates! {
            insta::assert_snapshot!(show(&Ok(reading)), @r"
            tools: a b
            Complete
            ");
        }
    }
    insta::assert_snapshot!(told_with(&["modern-only"], &era(EraChoice::Legacy)), @"
    misbehave modern-only: the server supports protocol 2026-07-28 only, not 2025-11-25
    hint: read it with `--era auto`
    ");
    insta::assert_snapshot!(told_with(&["modern-only"], &era(EraChoice::Modern)), @r"
    tools: a b
    Complete
    ");
}

#[test]
fn a_legacy_server_that_is_asked_in_the_modern_way() {
    let modern = |args: &[&str]| {
        let reading = read(
            server(args),
            &ReadOptions {
                era: EraChoice::Modern,
                ..impatient()
            },
        );
        assert!(
            reading
                .as_ref()
                .is_err_and(sayso_mcp::ReadError::is_other_era)
        );
        show(&reading)
    };
    insta::assert_snapshot!(modern(&["refuses-discovery", "-32601"]), @"
    misbehave refuses-discovery -32601: the server does not speak protocol version 2026-07-28: it refused `server/discover`: what? (-32601)
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    ");
    insta::assert_snapshot!(modern(&["refuses-discovery", "-32602"]), @"
    misbehave refuses-discovery -32602: the server does not speak protocol version 2026-07-28: it refused `server/discover`: what? (-32602)
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    ");
    insta::assert_snapshot!(modern(&["dies-when-discovered"]), @"
    misbehave dies-when-discovered: the server does not speak protocol version 2026-07-28: it ended when asked `server/discover`
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    ");
    let silent = modern(&["silent-when-discovered"]);
    assert!(
        silent.contains("it did not answer `server/discover` within"),
        "{silent}"
    );
    // By default it is never asked so.
    for args in [
        &["dies-when-discovered"][..],
        &["silent-when-discovered"],
        &["refuses-discovery", "-32601"],
    ] {
        assert_eq!(read(server(args), &options()).unwrap().listing.len(), 1);
    }
}

#[test]
fn our_own_server_speaks_both_eras() {
    let mut command = server(&[]);
    command.command = crate::support::example("serve").into();
    for choice in [EraChoice::Legacy, EraChoice::Modern] {
        let reading = read(command.clone(), &era(choice)).unwrap();
        assert_eq!(reading.listing.server.name.as_deref(), Some("served"));
        insta::allow_duplicates! {
            insta::assert_snapshot!(show(&Ok(reading)), @r"
            tools: look touch
            Complete
            ");
        }
    }
}
