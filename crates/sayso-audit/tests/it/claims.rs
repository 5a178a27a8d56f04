//! What is said about every way the four hints can stand on the wire.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sayso_core::hint::{Claim, Hint, Hints};

use crate::support::{judged, listing};

/// How a claim is written, each with its separating comma.
fn written(hint: Hint, claim: Claim) -> String {
    let key = hint.key();
    match claim {
        Claim::Absent => String::new(),
        Claim::Null => format!(r#""{key}": null,"#),
        Claim::True => format!(r#""{key}": true,"#),
        Claim::False => format!(r#""{key}": false,"#),
        Claim::Malformed => format!(r#""{key}": "maybe","#),
        Claim::Duplicated => format!(r#""{key}": true, "{key}": false,"#),
    }
}

/// A tool whose name and text say nothing about its hints.
fn tool(claims: Hints<Claim>) -> String {
    let annotations: String = claims
        .iter()
        .map(|(hint, claim)| written(hint, *claim))
        .collect();
    format!(
        r#"{{"name": "thing", "title": "Thing", "description": "A thing.", "inputSchema": {{"type": "object"}}, "annotations": {{{}}}}}"#,
        annotations.trim_end_matches(',')
    )
}

fn rules(claims: Hints<Claim>) -> Vec<String> {
    let listing = listing(&tool(claims));
    assert_eq!(
        listing.tool(0).unwrap().claims().states(),
        claims,
        "the wire says what was written"
    );
    judged(&listing)
        .iter()
        .map(|finding| {
            assert_eq!(finding.tool, Some(0));
            match finding.hint {
                Some(hint) => format!("{} of {hint} ({})", finding.rule, finding.severity),
                None => format!("{} ({})", finding.rule, finding.severity),
            }
        })
        .collect()
}

fn say(claims: Hints<Claim>) -> String {
    let said: Vec<String> = claims.iter().map(|(_, claim)| claim.to_string()).collect();
    said.join(" ")
}

/// Each of the four hints absent, true or false: 81 tools, and what is said of each.
#[test]
fn all_combinations_of_absent_true_and_false() {
    let mut by_findings: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for number in 0..81_usize {
        let digit = |place: u32| {
            [Claim::Absent, Claim::True, Claim::False][number / 3_usize.pow(place) % 3]
        };
        let claims = Hints {
            read_only: digit(3),
            destructive: digit(2),
            idempotent: digit(1),
            open_world: digit(0),
        };
        by_findings
            .entry(rules(claims))
            .or_default()
            .push(say(claims));
    }
    let mut table = String::from("readOnly destructive idempotent openWorld\n");
    for (findings, combinations) in by_findings {
        let findings = if findings.is_empty() {
            "nothing".to_owned()
        } else {
            findings.join(", ")
        };
        writeln!(table, "\n{findings}: {}", combinations.len()).unwrap();
        for combination in combinations {
            writeln!(table, "  {combination}").unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

/// Each hint alone in each state that is no boolean.
#[test]
fn every_malformed_state_of_every_hint() {
    let mut table = String::new();
    for hint in Hint::ALL {
        for claim in [Claim::Null, Claim::Malformed, Claim::Duplicated] {
            let mut claims = Hints::default();
            *claims.get_mut(hint) = claim;
            writeln!(table, "{hint} {claim}: {}", rules(claims).join(", ")).unwrap();
        }
    }
    insta::assert_snapshot!(table, @r"
    readOnlyHint null: null-hint of readOnlyHint (error)
    readOnlyHint malformed: malformed-hint of readOnlyHint (error)
    readOnlyHint duplicated: duplicated-key of readOnlyHint (error)
    destructiveHint null: null-hint of destructiveHint (error)
    destructiveHint malformed: malformed-hint of destructiveHint (error)
    destructiveHint duplicated: duplicated-key of destructiveHint (error)
    idempotentHint null: null-hint of idempotentHint (error)
    idempotentHint malformed: malformed-hint of idempotentHint (error)
    idempotentHint duplicated: duplicated-key of idempotentHint (error)
    openWorldHint null: null-hint of openWorldHint (error)
    openWorldHint malformed: malformed-hint of openWorldHint (error)
    openWorldHint duplicated: duplicated-key of openWorldHint (error)
    ");
}

/// All 6⁴ states: each malformed state is reported exactly once, whatever the others are.
#[test]
fn no_state_hides_another() {
    for number in 0..6_usize.pow(4) {
        let digit = |place: u32| Claim::ALL[number / 6_usize.pow(place) % 6];
        let claims = Hints {
            read_only: digit(3),
            destructive: digit(2),
            idempotent: digit(1),
            open_world: digit(0),
        };
        let found = rules(claims);
        for (hint, claim) in claims.iter() {
            for (state, rule) in [
                (Claim::Null, "null-hint"),
                (Claim::Malformed, "malformed-hint"),
                (Claim::Duplicated, "duplicated-key"),
            ] {
                let expected = usize::from(*claim == state);
                let reported = found
                    .iter()
                    .filter(|found| found.starts_with(&format!("{rule} of {hint} ")))
                    .count();
                assert_eq!(
                    reported,
                    expected,
                    "{rule} of {hint} in {}: {found:?}",
                    say(claims)
                );
            }
        }
    }
}

/// Values other than `true` and `false`, and what each family of clients makes of them.
#[test]
fn malformed_values_in_words() {
    let mut table = String::new();
    for value in [
        r#""true""#,
        r#""No""#,
        r#""maybe""#,
        "1",
        "0",
        "2",
        "1.0",
        "[]",
        "{}",
    ] {
        let text = format!(
            r#"{{"name": "thing", "title": "Thing", "description": "A thing.", "inputSchema": {{"type": "object"}}, "annotations": {{"readOnlyHint": {value}}}}}"#
        );
        for finding in judged(&listing(&text)) {
            writeln!(
                table,
                "{value}: {}; {}",
                finding.message,
                finding.help.unwrap_or_default()
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(table, @r#"
    "true": readOnlyHint is the string "true", not a boolean: the Python SDK reads true, the TypeScript and Rust SDKs refuse the whole list; write the JSON literal `true`
    "No": readOnlyHint is the string "No", not a boolean: the Python SDK reads false, the TypeScript and Rust SDKs refuse the whole list; write the JSON literal `false`
    "maybe": readOnlyHint is the string "maybe", not a boolean: every SDK that validates refuses the whole list; write `true` or `false`
    1: readOnlyHint is the number 1, not a boolean: the Python SDK reads true, the TypeScript and Rust SDKs refuse the whole list; write the JSON literal `true`
    0: readOnlyHint is the number 0, not a boolean: the Python SDK reads false, the TypeScript and Rust SDKs refuse the whole list; write the JSON literal `false`
    2: readOnlyHint is the number 2, not a boolean: every SDK that validates refuses the whole list; write `true` or `false`
    1.0: readOnlyHint is the number 1.0, not a boolean: the Python SDK reads true, the TypeScript and Rust SDKs refuse the whole list; write the JSON literal `true`
    []: readOnlyHint is an array, not a boolean: every SDK that validates refuses the whole list; write `true` or `false`
    {}: readOnlyHint is an object, not a boolean: every SDK that validates refuses the whole list; write `true` or `false`
    "#);
}
