//! Levels, suppressions, and what is said of suppressions that should not stand.

use std::collections::BTreeMap;

use sayso_audit::admit::{Admission, Date, Level, Suppression, admit, stale_suppressions};
use sayso_audit::profile::Profile;
use sayso_core::finding::Severity;
use sayso_core::hint::Hint;

use crate::support::{judged, listing, shown};

const BARE: &str = r#"[
    {"name": "a", "title": "A", "description": "A.", "inputSchema": {"type": "object"}},
    {"name": "b", "title": "B", "description": "B.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "x"}}]"#;

fn suppression(rule: &str, tool: Option<&str>) -> Suppression {
    Suppression {
        rule: rule.to_owned(),
        tool: tool.map(str::to_owned),
        server: None,
        hint: None,
        reason: "known".to_owned(),
        expires: None,
        line: 7,
    }
}

fn admission(suppressions: Vec<Suppression>) -> Admission {
    Admission {
        suppressions,
        today: Some("2026-11-30".parse().unwrap()),
        ..Admission::default()
    }
}

#[test]
fn levels_change_severities_and_off_is_counted() {
    let listing = listing(BARE);
    let levels = BTreeMap::from([
        ("missing-annotations".to_owned(), Level::Error),
        ("malformed-hint".to_owned(), Level::Off),
    ]);
    let admitted = admit(
        judged(&listing),
        &listing,
        None,
        &Admission {
            levels,
            ..Admission::default()
        },
    );
    assert_eq!((admitted.hidden.off, admitted.hidden.suppressed), (1, 0));
    assert_eq!(admitted.worst(), Some(Severity::Error));
    insta::assert_snapshot!(shown(&listing, &admitted.findings), @r"
    a: error missing-annotations: no annotations: clients assume the worst of all four hints
      at /0/name
      help: declare what the tool does; each hint left out keeps its worst-case default
    ");
}

#[test]
fn a_suppression_hides_what_it_names_and_nothing_else() {
    let listing = listing(BARE);
    let left = |suppression: Suppression, server: Option<&str>| {
        let admitted = admit(
            judged(&listing),
            &listing,
            server,
            &admission(vec![suppression]),
        );
        let rules: Vec<&str> = admitted
            .findings
            .iter()
            .map(|finding| finding.rule)
            .collect();
        (
            rules.join(" "),
            admitted.hidden.suppressed,
            admitted.used[0],
        )
    };
    let both = "missing-annotations malformed-hint".to_owned();
    let one = "malformed-hint".to_owned();
    let rule = || suppression("missing-annotations", None);
    assert_eq!(left(rule(), None), (one.clone(), 1, true));
    assert_eq!(
        left(suppression("missing-annotations", Some("a")), None),
        (one.clone(), 1, true)
    );
    assert_eq!(
        left(suppression("missing-annotations", Some("b")), None),
        (both.clone(), 0, false)
    );
    let on = |server: &str| Suppression {
        server: Some(server.to_owned()),
        ..rule()
    };
    assert_eq!(left(on("files"), Some("files")), (one, 1, true));
    assert_eq!(left(on("files"), Some("mail")), (both.clone(), 0, false));
    assert_eq!(left(on("files"), None), (both.clone(), 0, false));
    let hint = |hint: Hint| Suppression {
        hint: Some(hint),
        ..suppression("malformed-hint", None)
    };
    assert_eq!(
        left(hint(Hint::ReadOnly), None),
        ("missing-annotations".to_owned(), 1, true)
    );
    assert_eq!(left(hint(Hint::OpenWorld), None), (both, 0, false));
}

#[test]
fn an_expired_suppression_hides_nothing_and_is_told() {
    let listing = listing(BARE);
    let until = |date: &str| Suppression {
        expires: Some(date.parse().unwrap()),
        ..suppression("malformed-hint", None)
    };
    let admission = admission(vec![
        until("2026-11-29"),
        until("2026-11-30"),
        suppression("null-hint", None),
    ]);
    let admitted = admit(judged(&listing), &listing, None, &admission);
    assert_eq!(
        admitted.hidden.suppressed, 1,
        "the last day is still a day it holds"
    );
    let stale = stale_suppressions(&admission, &[admitted.used]);
    let told: Vec<String> = stale
        .iter()
        .map(|stale| {
            let finding = &stale.finding;
            format!(
                "line {}: {} {}: {}",
                stale.line, finding.severity, finding.rule, finding.message
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    line 7: warning expired-suppression: the suppression of `malformed-hint` expired on 2026-11-29: it hides nothing any more
    line 7: warning unused-suppression: the suppression of `null-hint` hides nothing
    ");
}

#[test]
fn unused_is_decided_over_all_servers() {
    let admission = admission(vec![
        suppression("a", None),
        suppression("b", Some("t")),
        suppression("c", None),
    ]);
    let used = [vec![true, false, false], vec![false, false, true]];
    let stale: Vec<usize> = stale_suppressions(&admission, &used)
        .iter()
        .map(|stale| stale.index)
        .collect();
    assert_eq!(stale, [1]);
}

#[test]
fn the_two_rules_about_suppressions_obey_levels() {
    let mut admission = admission(vec![suppression("a", None)]);
    admission
        .levels
        .insert("unused-suppression".to_owned(), Level::Off);
    assert!(stale_suppressions(&admission, &[]).is_empty());
    admission
        .levels
        .insert("unused-suppression".to_owned(), Level::Error);
    assert_eq!(
        stale_suppressions(&admission, &[])[0].finding.severity,
        Severity::Error
    );
}

#[test]
fn configuration_wins_over_a_profile() {
    let profile = Profile::find("anthropic-connectors").unwrap();
    let mut admission = Admission::default();
    admission
        .levels
        .insert("half-declared".to_owned(), Level::Info);
    admission.add_profile(&profile);
    assert_eq!(admission.levels["half-declared"], Level::Info);
    assert_eq!(admission.levels["title-missing"], Level::Off);
}

#[test]
fn dates() {
    for good in ["2026-07-28", "2028-02-29", "2000-02-29"] {
        assert_eq!(good.parse::<Date>().unwrap().to_string(), good);
    }
    for bad in [
        "2026-7-28",
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-04-31",
        "26-04-30",
        "2026-04-30-1",
        "",
        "+026-01-01",
    ] {
        assert!(bad.parse::<Date>().is_err(), "{bad}");
    }
    assert!("2026-09-30".parse::<Date>().unwrap() < "2026-10-01".parse::<Date>().unwrap());
}
