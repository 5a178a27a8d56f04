//! What is known of each host's treatment of hints: that the data is whole, and that it says what
//! was found out.

mod decisions;
mod parsers;
mod schema;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sayso_audit::hosts::{
    Behaviour, Column, HostKind, HostProfile, Mode, Modes, OnListChange, Outcome, Parser, Seen,
    SeenTool,
};
use sayso_core::hint::{Claim, Hint, Hints};

use crate::support::listing;

/// Every host whose treatment of hints is known.
fn behaviours() -> impl Iterator<Item = (&'static HostProfile, &'static Behaviour)> {
    let all = HostProfile::all().iter();
    all.filter_map(|host| Some((host, host.behaviour.as_ref()?)))
}

fn behaviour(host: &str) -> &'static Behaviour {
    let host = HostProfile::find(host).unwrap();
    host.behaviour.as_ref().unwrap()
}

fn mode(host: &str, mode: &str) -> &'static Mode {
    behaviour(host).mode(mode).unwrap()
}

/// Hints as a host sees them that all its clients read alike.
fn seen(hints: Hints<Seen>) -> SeenTool {
    SeenTool {
        hints,
        unclear: Hints::default(),
    }
}

#[test]
fn every_host_says_what_it_does_with_hints() {
    assert_eq!(behaviours().count(), HostProfile::all().len());
    let real = behaviours().filter(|(host, _)| host.kind != HostKind::Model);
    assert_eq!(real.count(), 45);
    let modes: usize = behaviours()
        .map(|(_, behaviour)| behaviour.modes.len())
        .sum();
    assert_eq!(modes, 128);
}

#[test]
fn every_parser_is_valid_and_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("parsers");
    let on_disk: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            path.file_stem().unwrap().to_str().unwrap().to_owned()
        })
        .collect();
    let mut embedded = BTreeSet::new();
    for (stem, parser) in Parser::embedded() {
        let parser = parser.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(parser.id, stem, "a parser's id is its file's name");
        embedded.insert(stem.to_owned());
    }
    assert_eq!(embedded, on_disk);
    assert_eq!(Parser::all().len(), embedded.len());
}

#[test]
fn the_data_is_written_for_people() {
    for (host, behaviour) in behaviours() {
        let mut sentences = vec![&behaviour.absent];
        sentences.extend(behaviour.notes.iter().chain(&behaviour.bugs));
        sentences.extend(&behaviour.title_note);
        sentences.extend(&behaviour.list_change.note);
        sentences.extend(&behaviour.retry.note);
        for mode in &behaviour.modes {
            sentences.extend(&mode.note);
            sentences.extend(mode.rules.iter().filter_map(|rule| rule.note.as_ref()));
        }
        for sentence in sentences {
            assert!(sentence.ends_with('.'), "{}: {sentence}", host.id);
        }
        assert!(!behaviour.sources.is_empty(), "{} has no source", host.id);
    }
}

#[test]
fn the_hints_that_rules_look_at_are_those_the_host_reads() {
    for (host, behaviour) in behaviours() {
        let read: Vec<Hint> = behaviour
            .reads
            .iter()
            .filter_map(|key| key.hint())
            .collect();
        for hint in Hint::ALL {
            let looks = behaviour.modes.iter().any(|mode| mode.looks_at(hint));
            assert!(!looks || read.contains(&hint), "{}: {hint}", host.id);
        }
    }
}

#[test]
fn every_mode_of_every_host_answers_for_every_state() {
    for (host, behaviour) in behaviours() {
        for mode in &behaviour.modes {
            let mut answers = 0;
            for hints in Seen::combinations() {
                for marked in [false, true] {
                    let decision = mode.decide(&seen(hints), &Marked(marked));
                    let (number, rule) = decision.rule.unwrap();
                    assert_eq!(rule, mode.rules.get(number - 1).unwrap());
                    assert_eq!(rule.then, decision.outcome, "{}:{}", host.id, mode.id);
                }
                answers += 1;
            }
            assert_eq!(answers, 81);
        }
    }
}

/// Every member is `true`, or none.
struct Marked(bool);

impl sayso_audit::hosts::Marks for Marked {
    fn is_marked(&self, _: &str) -> bool {
        self.0
    }
}

/// One tool for each combination of the states that the four hints can be sent in.
fn tool_of_every_claim() -> String {
    let mut tools = Vec::new();
    let states = Claim::ALL.len();
    for number in 0..states.pow(4) {
        let mut rest = number;
        let mut members: Vec<String> = Vec::new();
        for hint in Hint::ALL {
            let value = |value: &str| format!(r#""{hint}":{value}"#);
            match Claim::ALL.get(rest % states).unwrap() {
                Claim::Absent => {}
                Claim::Null => members.push(value("null")),
                Claim::True => members.push(value("true")),
                Claim::False => members.push(value("false")),
                Claim::Malformed => members.push(value(r#""perhaps""#)),
                Claim::Duplicated => members.extend([value("true"), value("false")]),
            }
            rest /= states;
        }
        let members = members.join(",");
        tools.push(format!(
            r#"{{"name":"t{number}","annotations":{{{members}}}}}"#
        ));
    }
    format!("[{}]", tools.join(","))
}

#[test]
fn every_claim_that_can_be_sent_has_an_answer_in_every_host() {
    let listing = listing(&tool_of_every_claim());
    assert_eq!(listing.len(), 1296);
    for (host, behaviour) in behaviours() {
        for tool in listing.tools() {
            let Ok(seen) = behaviour.read(tool) else {
                let claims = tool.claims().states();
                let is_plain = claims
                    .iter()
                    .all(|(_, claim)| claim.boolean().is_some() || *claim == Claim::Absent);
                assert!(!is_plain, "{} refuses a well-formed tool", host.id);
                continue;
            };
            for mode in &behaviour.modes {
                let decision = mode.decide(&seen, &tool);
                let rests_on_unclear = Hint::ALL
                    .into_iter()
                    .any(|hint| *seen.unclear.get(hint) && mode.looks_at(hint));
                assert_eq!(decision.rule.is_none(), rests_on_unclear, "{}", host.id);
                if rests_on_unclear {
                    assert_eq!(decision.outcome, Outcome::Unknown);
                }
            }
        }
    }
}

#[test]
fn a_client_name_belongs_to_one_application() {
    // Parts of one product introduce themselves alike.
    let shared = ["codex-mcp-client", "openai-mcp"];
    let mut names = BTreeSet::new();
    for (host, behaviour) in behaviours() {
        for name in &behaviour.client_names {
            let is_new = names.insert(name);
            assert!(is_new || shared.contains(&name.as_str()), "{}", host.id);
        }
    }
    assert!(names.len() > 20);
}

#[test]
fn a_column_is_named_by_its_host_and_mode() {
    let host = HostProfile::find("gemini-cli").unwrap();
    let labels: Vec<String> = Column::of(host, Modes::All)
        .iter()
        .map(|column| column.label().into_owned())
        .collect();
    insta::assert_snapshot!(labels.join(" "), @"gemini-cli gemini-cli:plan gemini-cli:plan-trusted gemini-cli:headless gemini-cli:trusted gemini-cli:yolo gemini-cli:user-policy");
    assert_eq!(Column::of(host, Modes::Named("plan")).len(), 1);
    assert!(Column::of(host, Modes::Named("nonsense")).is_empty());
}

#[test]
fn a_listing_that_changed_is_read_again_by_some() {
    let hosts_that = |what: OnListChange| {
        let hosts =
            behaviours().filter(|(_, behaviour)| behaviour.list_change.on_notification == what);
        let ids: Vec<&str> = hosts.map(|(host, _)| host.id.as_str()).collect();
        ids.join(" ")
    };
    insta::assert_snapshot!(hosts_that(OnListChange::ListsAgain), @"documented-defaults claude-code claude-agent-sdk vscode gemini-cli zed opencode cline amazon-q crush executor fast-agent pydantic-ai");
    insta::assert_snapshot!(hosts_that(OnListChange::Ignores), @"codex codex-apps codex-legacy-2026-02 chatgpt-developer-mode chatgpt-directory-submission continue continue-cli roo-code hf-chat-ui mcp-use langchain-mcp-adapters openai-agents-python");
}
