//! Listings as strange as they come: no format falls over, none lets anything through.

use proptest::prelude::*;
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_core::finding::{Evidence, Finding, Severity};
use sayso_core::hint::Hints;

use super::html::assert_well_formed;
use super::{assert_nothing_hides, audited, finding, report, written_as};
use crate::audit_report::{
    AuditReport, Detail, Format, Presentation, TargetDescription, TargetReport,
};

/// What would be markup, a command, an escape or an entity if it got through.
const BAIT: &str = "<script>alert(1)</script>";

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(BAIT.to_owned()),
        Just("'\"><img src=x onerror=alert(1)>".to_owned()),
        Just("]]><x>&amp;\u{0}\u{1b}[31m\r\n::error::x".to_owned()),
        Just("e\u{301}\u{202e}漢字👩‍👩‍👧\u{e0041}\u{200d}\u{feff}".to_owned()),
        "\\PC{0,40}",
        ".{0,200}",
        any::<String>(),
    ]
}

fn tool() -> impl Strategy<Value = serde_json::Value> {
    let hint = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        text().prop_map(Into::into),
    ];
    let annotations = prop_oneof![
        text().prop_map(Into::into),
        prop::collection::btree_map(
            prop_oneof![
                Just("readOnlyHint".to_owned()),
                Just("openWorldHint".to_owned()),
                Just("title".to_owned()),
                text()
            ],
            hint,
            0..4
        )
        .prop_map(|members| members
            .into_iter()
            .collect::<serde_json::Map<_, _>>()
            .into()),
    ];
    (text(), text(), prop::option::of(annotations)).prop_map(|(name, description, annotations)| {
        let mut tool = serde_json::json!({"name": name, "description": description});
        if let Some(annotations) = annotations {
            tool["annotations"] = annotations;
        }
        tool
    })
}

prop_compose! {
    fn odd_report()(
        tools in prop::collection::vec(prop_oneof![4 => tool(), 1 => text().prop_map(Into::into)], 0..8),
        name in text(),
        message in text(),
        sentence in text(),
        marks in (0_usize..250, 0_usize..250),
        suggestion in prop::option::of(any::<bool>()),
        file in any::<bool>(),
        position in prop::option::of(0_usize..10),
    ) -> AuditReport {
        let audited = audited(&serde_json::json!({"tools": tools}).to_string(), |listing| {
            let mut findings: Vec<Finding> = judge(listing, &JudgeOptions::default());
            findings.push(Finding {
                tool: position,
                evidence: vec![Evidence {
                    location: listing.tool(0).map(|tool| listing.location(0, tool.value())).unwrap_or_default(),
                    text: sentence,
                    mark: marks.0..marks.1,
                    label: message.clone(),
                }],
                help: Some(message.clone()),
                suggestion: Hints::from_fn(|_| suggestion),
                ..finding(listing, "odd", Severity::Error, position, &message)
            });
            findings
        });
        let target = if file { TargetDescription::File(name.clone()) } else { TargetDescription::Command(name.clone()) };
        report(vec![TargetReport { name, target, configured_in: None, outcome: Ok(audited) }])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_format_falls_over_or_lets_anything_through(
        report in odd_report(),
        width in 0_usize..130,
    ) {
        let presentation = Presentation { color: false, width, detail: Detail::Verbose };
        for format in <Format as clap::ValueEnum>::value_variants() {
            let text = written_as(&report, *format, &presentation);
            assert_nothing_hides(&text);
            match format {
                Format::Html => {
                    assert_well_formed(&text);
                    prop_assert!(!text.contains("<script>alert") && !text.contains("<img"));
                }
                Format::Markdown => prop_assert!(outside_code(&text).all(|line| !line.contains("<script") && !line.contains("<img"))),
                Format::Junit => {
                    quick_junit::Report::deserialize_from_str(&text).unwrap();
                }
                Format::Json | Format::Sarif => {
                    serde_json::from_str::<serde_json::Value>(&text).unwrap();
                }
                Format::Github => prop_assert!(text.lines().all(|line| !line.starts_with("::error::x"))),
                Format::Human => {}
            }
        }
    }
}

/// The lines of Markdown that stand in no code block, without their code spans.
fn outside_code(text: &str) -> impl Iterator<Item = String> {
    let mut fence: Option<usize> = None;
    text.lines().filter_map(move |line| {
        let ticks = line
            .chars()
            .take_while(|character| *character == '`')
            .count();
        match fence {
            Some(opened) if ticks >= opened && line.trim_start_matches('`').is_empty() => {
                fence = None;
                None
            }
            Some(_) => None,
            None if ticks >= 3 && !line.trim_start_matches('`').contains('`') => {
                fence = Some(ticks);
                None
            }
            None => Some(without_code_spans(line)),
        }
    })
}

fn without_code_spans(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        plain.push_str(&rest[..at]);
        let ticks = rest[at..]
            .chars()
            .take_while(|character| *character == '`')
            .count();
        let fence = "`".repeat(ticks);
        let behind = &rest[at + ticks..];
        match closing(behind, &fence) {
            Some(end) => rest = &behind[end..],
            None => {
                plain.push_str(&fence);
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Where the run of exactly as many backticks ends.
fn closing(text: &str, fence: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..]
            .chars()
            .take_while(|character| *character == '`')
            .count();
        if run == fence.len() {
            return Some(start + run);
        }
        at = start + run;
    }
    None
}
