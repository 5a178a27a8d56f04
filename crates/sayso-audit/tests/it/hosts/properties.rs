//! Promises that hold for any text.

use std::fs;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use sayso_audit::hosts::{
    ConfigurationSource, HostProfile, Severity, guess_format, read_configuration,
};

use super::{fixtures, machine};

fn any_source() -> impl Strategy<Value = ConfigurationSource<'static>> {
    let sources: Vec<_> = HostProfile::all()
        .iter()
        .flat_map(HostProfile::sources)
        .collect();
    select(sources)
}

fn any_fixture() -> impl Strategy<Value = String> {
    let texts: Vec<String> = fixtures()
        .into_iter()
        .map(|(_, path)| fs::read_to_string(path).unwrap())
        .collect();
    select(texts)
}

/// Reads the text and checks what must hold of every reading.
fn check(text: &str, source: ConfigurationSource<'_>) -> Result<(), TestCaseError> {
    let (servers, problems) = read_configuration(text, source, "file", &machine);
    let lines = text.split('\n').count();
    for server in &servers {
        prop_assert!((1..=lines).contains(&server.line));
        prop_assert_eq!(&server.host, &source.host.id);
    }
    for problem in &problems {
        prop_assert!((1..=lines).contains(&problem.line), "{}", problem);
        prop_assert!(problem.column >= 1);
        let is_error = problem.severity == Severity::Error;
        prop_assert!(problem.hint.is_some() || !is_error, "no hint: {}", problem);
    }
    let (again, problems_again) = read_configuration(text, source, "file", &machine);
    prop_assert_eq!(servers, again);
    prop_assert_eq!(problems, problems_again);
    Ok(())
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), source in any_source()) {
        check(&text, source)?;
        let _ = guess_format(&text, "file");
    }

    #[test]
    fn nor_text_of_the_right_characters(
        text in r#"[{}\[\]":,\\/*#'$a-c0-9\n =.~<&!|>%@`-]{0,200}"#,
        source in any_source(),
    ) {
        check(&text, source)?;
        let _ = guess_format(&text, "file");
    }

    #[test]
    fn nor_a_fixture_cut_off_or_changed(
        text in any_fixture(),
        source in any_source(),
        cut in any::<Index>(),
        other in any::<char>(),
    ) {
        let chars: Vec<char> = text.chars().collect();
        let at = cut.index(chars.len());
        let truncated: String = chars[..at].iter().collect();
        check(&truncated, source)?;
        let _ = guess_format(&truncated, "file");
        let mut changed = chars;
        changed[at] = other;
        check(&changed.into_iter().collect::<String>(), source)?;
    }

    #[test]
    fn an_entry_that_cannot_be_read_leaves_the_others_as_they_were(
        junk in "[a-z0-9:{}\\[\\], ]{0,20}",
        value in select(vec!["null", "7", "true", "\"npx\"", "[]", "{}", "{\"command\":{}}"]),
    ) {
        let source = HostProfile::find("kiro").unwrap().sources().next().unwrap();
        let bad = format!(r#""bad {junk}": {value}"#);
        let with = format!(r#"{{"mcpServers": {{"a": {{"command": "x"}}, {bad}, "b": {{"url": "http://b"}}}}}}"#);
        let (servers, problems) = read_configuration(&with, source, "file", &machine);
        let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
        prop_assert_eq!(names, ["a", "b"]);
        prop_assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    }
}

#[test]
fn deep_and_long_texts_are_read_or_refused() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "- ".repeat(100_000),
        "a = [".repeat(10_000),
    ] {
        for host in HostProfile::all() {
            for source in host.sources() {
                let (servers, _) = read_configuration(&text, source, "file", &machine);
                assert_eq!(servers, []);
            }
        }
    }
    // Aliases that would multiply to more than memory holds.
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let previous = level - 1;
        bomb += &format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{previous}"); 9].join(", ")
        );
    }
    let source = HostProfile::find("goose")
        .unwrap()
        .sources()
        .next()
        .unwrap();
    let (servers, problems) = read_configuration(&bomb, source, "file", &machine);
    assert_eq!(servers, []);
    insta::assert_snapshot!(problems[0], @r"
    file:6:20: not YAML: it is nested too deep or too large
    hint: the host cannot read the file either; mend it there
    ");
}
