//! What holds of every listing.

use proptest::prelude::*;
use sayso_audit::hosts::{Column, Difference, HostProfile, Matrix, Modes, Overlay};
use sayso_core::listing::Listing;

use crate::support::listing;

/// What can stand behind a hint's key.
fn value() -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(vec!["true", "false", "null", r#""true""#, "1", "[]"])
}

fn boolean() -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(vec!["true", "false"])
}

/// An `annotations` object, any of its hints left out.
fn annotations(
    value: impl Strategy<Value = &'static str> + Clone,
) -> impl Strategy<Value = String> {
    let hint = prop::option::weighted(0.6, value);
    (hint.clone(), hint.clone(), hint.clone(), hint).prop_map(|(reads, destroys, repeats, open)| {
        let hints = [
            ("readOnlyHint", reads),
            ("destructiveHint", destroys),
            ("idempotentHint", repeats),
            ("openWorldHint", open),
        ];
        let members: Vec<String> = hints
            .into_iter()
            .filter_map(|(key, value)| Some(format!(r#""{key}": {}"#, value?)))
            .collect();
        format!("{{{}}}", members.join(", "))
    })
}

/// A listing of some tools, `t0` and so on, with or without annotations.
fn tools(value: impl Strategy<Value = &'static str> + Clone) -> impl Strategy<Value = Vec<String>> {
    let one = prop::option::weighted(0.8, annotations(value));
    prop::collection::vec(one, 0..12).prop_map(|all| {
        let tools = all.into_iter().enumerate();
        tools
            .map(|(number, annotations)| match annotations {
                Some(annotations) => {
                    format!(r#"{{"name":"t{number}", "annotations": {annotations} }}"#)
                }
                None => format!(r#"{{ "name":"t{number}"}}"#),
            })
            .collect()
    })
}

fn listing_of(tools: &[String]) -> Listing {
    listing(&format!("[{}]", tools.join(",")))
}

fn every_column() -> Vec<Column<'static>> {
    let hosts = HostProfile::all().iter();
    hosts
        .flat_map(|host| Column::of(host, Modes::All))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_matrix_does_not_differ_from_itself(tools in tools(value())) {
        let listing = listing_of(&tools);
        let columns = every_column();
        let matrix = Matrix::new(&listing, &columns);
        let difference = Difference::between(&matrix, &matrix);
        prop_assert!(difference.changes.is_empty());
        for host in difference.hosts {
            prop_assert_eq!(host.asked_before, host.asked_after);
            prop_assert_eq!(host.prompts_gone + host.new_silent + host.new_prompts, 0);
        }
    }

    #[test]
    fn every_tool_is_counted_once(tools in tools(value())) {
        let listing = listing_of(&tools);
        for column in Matrix::new(&listing, &every_column()).columns {
            let figures = column.figures;
            prop_assert_eq!(figures.tools, tools.len());
            let sum = figures.silent
                + figures.asked
                + figures.refused
                + figures.judged
                + figures.unknown
                + figures.lost;
            prop_assert_eq!(sum, figures.tools);
            prop_assert!(figures.silent_may_destroy <= figures.silent);
            let lost = if column.rejection.is_some() { figures.tools } else { 0 };
            prop_assert_eq!(figures.lost, lost);
        }
    }

    #[test]
    fn an_overlay_that_says_what_is_there_changes_nothing(tools in tools(boolean())) {
        let before = listing_of(&tools);
        let text = format!("[{}]", tools.join(","));
        // A file without any hint is refused.
        let Ok(overlay) = Overlay::parse(&text, "tools.json") else { return Ok(()) };
        let after = overlay.over(&before).unwrap();
        let columns = every_column();
        let difference = Difference::between(
            &Matrix::new(&before, &columns),
            &Matrix::new(&after, &columns),
        );
        prop_assert!(difference.changes.is_empty());
    }

    #[test]
    fn a_tool_that_the_overlay_does_not_name_stays_as_it_is(
        tools in tools(value()),
        named in prop::collection::btree_set(0..12_usize, 1..6),
    ) {
        let before = listing_of(&tools);
        let hints: Vec<String> = named
            .iter()
            .map(|number| format!(r#""t{number}":{{"destructiveHint":true}}"#))
            .collect();
        let overlay = Overlay::parse(&format!("{{{}}}", hints.join(",")), "hints.json").unwrap();
        let after = overlay.over(&before).unwrap();
        prop_assert_eq!(before.len(), after.len());
        for (position, (old, new)) in before.tools().zip(after.tools()).enumerate() {
            prop_assert_eq!(old.name(), new.name());
            if named.contains(&position) {
                let is_true = new.claims().states().destructive.boolean();
                prop_assert_eq!(is_true, Some(true));
            } else {
                prop_assert_eq!(old.value().raw(), new.value().raw());
            }
        }
    }
}
