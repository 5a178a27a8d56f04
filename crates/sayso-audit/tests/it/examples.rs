//! Every rule's documentation is complete, and its examples do what it says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use sayso_audit::documentation::{SECTIONS, examples, section};
use sayso_audit::example::Example;
use sayso_audit::rules;
use sayso_core::finding::Severity;

#[test]
fn every_file_is_a_registered_rule_of_that_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            path.file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .replace('_', "-")
        })
        .collect();
    let registered: BTreeSet<String> = rules::ids().map(str::to_owned).collect();
    assert_eq!(files, registered);
    assert!(
        rules::ids().is_sorted(),
        "rules::ALL is in alphabetical order"
    );
}

#[test]
fn every_rule_is_documented_in_the_same_sections() {
    for rule in rules::ALL {
        let meta = rule.meta();
        for title in SECTIONS {
            assert!(
                section(meta, title).is_some(),
                "{}: no section `{title}`",
                meta.id
            );
        }
        let headings: Vec<&str> = meta
            .documentation
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("## "))
            .collect();
        assert_eq!(headings, SECTIONS, "{}", meta.id);
        assert!(
            !meta.summary.ends_with('.'),
            "{}: the summary is no sentence",
            meta.id
        );
    }
}

#[test]
fn failing_examples_fire_their_rule_and_passing_ones_do_not() {
    let mut wrong = String::new();
    for rule in rules::ALL {
        let id = rule.meta().id;
        for (title, fires) in [("Fails", true), ("Passes", false)] {
            let written = examples(rule.meta(), title);
            assert!(!written.is_empty(), "{id}: no example under {title}");
            for text in written {
                let example = Example::parse(&text)
                    .unwrap_or_else(|error| panic!("{id}, {title}: {error}\n{text}"));
                let fired = example.judge().iter().any(|finding| finding.rule == id);
                if fired != fires {
                    writeln!(wrong, "{id}, {title}: fires is {fired}\n{text}").unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What else each example sets off, as a warning or worse. A failing example should fire its
/// own rule and little else; a passing one should be clean.
#[test]
fn examples_and_the_other_rules() {
    let mut table = String::new();
    for rule in rules::ALL {
        let id = rule.meta().id;
        for title in ["Fails", "Passes"] {
            for text in examples(rule.meta(), title) {
                let found: BTreeSet<String> = Example::parse(&text)
                    .unwrap()
                    .judge()
                    .iter()
                    .filter(|finding| finding.rule != id && finding.severity > Severity::Info)
                    .map(|finding| format!("{} ({})", finding.rule, finding.severity))
                    .collect();
                if !found.is_empty() {
                    let found: Vec<String> = found.into_iter().collect();
                    writeln!(table, "{id}, {title}: {}", found.join(", ")).unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}
