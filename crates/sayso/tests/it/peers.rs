//! A server built with the official SDK, in both eras, over both transports.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::fixtures::{Background, Report, example};
use crate::sayso::Sayso;

/// The server over HTTP, and its URL.
fn over_http(era: &str) -> (Background, String) {
    let mut command = Command::new(example("rmcp_server"));
    let mut server = Background::start(command.args(["http", era]).stdout(Stdio::piped()));
    let mut url = String::new();
    let output = server.child().stdout.take().unwrap();
    BufReader::new(output).read_line(&mut url).unwrap();
    (server, url.trim().to_owned())
}

/// The report on a server that speaks one era or both, to a client that was asked to.
fn audited(transport: &str, server_era: &str, asked_era: &str) -> Report {
    let audit = Sayso::new("audit --format json --fail-on never --era").argument(asked_era);
    let ran = if transport == "http" {
        let (_server, url) = over_http(server_era);
        audit.argument(url).run()
    } else {
        let audit = audit.argument("--").argument(example("rmcp_server"));
        audit.argument("stdio").argument(server_era).run()
    };
    Report::of(&ran)
}

/// That every one of the 81 combinations is reported as the name of its tool tells.
fn every_combination_arrives(report: &Report) {
    assert_eq!(report.code, Some(0));
    let tools = report.tools();
    let mut names = report.names();
    names.sort_unstable();
    names.dedup();
    assert_eq!((tools.len(), names.len()), (81, 81));
    for tool in tools {
        let letters = tool["name"].as_str().unwrap().strip_prefix("tool_");
        let letters: Vec<char> = letters.unwrap().chars().collect();
        let hints = [
            ("readOnlyHint", false),
            ("destructiveHint", true),
            ("idempotentHint", false),
            ("openWorldHint", true),
        ];
        assert_eq!(letters.len(), hints.len());
        for (letter, (hint, default)) in letters.into_iter().zip(hints) {
            let (claim, value, provenance) = match letter {
                'a' => ("absent", default, "default"),
                't' => ("true", true, "claimed"),
                _ => ("false", false, "claimed"),
            };
            assert_eq!(tool["claims"][hint], claim, "{hint} of {tool:#}");
            let effective = &tool["effective"][hint];
            assert_eq!(effective["value"], value, "{hint} of {tool:#}");
            assert_eq!(effective["provenance"], provenance, "{hint} of {tool:#}");
        }
    }
}

/// The protocol version and era a report tells of.
fn spoken(report: &Report) -> (&str, &str) {
    let word = |key: &str| report.listing()["server"][key].as_str().unwrap();
    (word("protocol_version"), word("era"))
}

#[test]
fn every_combination_arrives_in_each_era_over_each_transport() {
    const LEGACY: (&str, &str) = ("2025-11-25", "legacy");
    const MODERN: (&str, &str) = ("2026-07-28", "modern");
    for transport in ["stdio", "http"] {
        for (server, asked, expected) in [
            ("legacy", "legacy", LEGACY),
            ("legacy", "auto", LEGACY),
            ("modern", "modern", MODERN),
            // Nobody had to say that it is a modern one.
            ("modern", "auto", MODERN),
            ("both", "legacy", LEGACY),
            ("both", "modern", MODERN),
            ("both", "auto", LEGACY),
        ] {
            let report = audited(transport, server, asked);
            assert_eq!(spoken(&report), expected, "{transport} {server} {asked}");
            every_combination_arrives(&report);
        }
    }
}

#[test]
fn both_eras_list_the_same() {
    for transport in ["stdio", "http"] {
        let report = audited(transport, "both", "both");
        every_combination_arrives(&report);
        assert_eq!(report.observations(), "", "{transport}");
        assert_eq!(report.found_by("eras-differ"), "", "{transport}");
        // With one era there is nothing to compare, and the listing is read all the same.
        for (server, era) in [("legacy", "legacy"), ("modern", "modern")] {
            let report = audited(transport, server, "both");
            assert_eq!(spoken(&report).1, era, "{transport}");
            every_combination_arrives(&report);
        }
    }
}

#[test]
fn a_server_asked_in_an_era_it_does_not_speak() {
    for transport in ["stdio", "http"] {
        let refused = |server: &str, asked: &str| {
            let report = audited(transport, server, asked);
            assert_eq!(report.code, Some(3));
            report.error().to_owned()
        };
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused("modern", "legacy"), @"the server supports protocol 2026-07-28 only, not 2025-11-25");
            insta::assert_snapshot!(refused("legacy", "modern"), @"the server supports protocol 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 only, not 2026-07-28");
        }
    }
}
