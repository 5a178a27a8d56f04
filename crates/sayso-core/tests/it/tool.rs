//! From wire to claim: every state of every hint, and where it stands.

use sayso_core::hint::{Claim, Hint};
use sayso_core::json::{Document, Limits};
use sayso_core::tool::{AnnotationsShape, Tool};

fn with_tool<R>(text: &str, look: impl FnOnce(Tool<'_>) -> R) -> R {
    let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
    look(Tool::new(document.root(), 0, 0))
}

fn spelling(claim: Claim) -> &'static [&'static str] {
    match claim {
        Claim::Absent => &[""],
        Claim::Null => &["\"KEY\":null"],
        Claim::True => &["\"KEY\":true"],
        Claim::False => &["\"KEY\" : false"],
        Claim::Malformed => &[
            "\"KEY\":\"true\"",
            "\"KEY\":1",
            "\"KEY\":[]",
            "\"KEY\":{}",
            "\"KEY\":0.0",
        ],
        Claim::Duplicated => &["\"KEY\":true,\"KEY\":true", "\"KEY\":null,\"KEY\":false"],
    }
}

#[test]
fn every_combination_of_states_is_read_as_it_stands() {
    for index in 0..6usize.pow(4) {
        let states: Vec<Claim> = (0..4)
            .map(|hint| Claim::ALL[index / 6usize.pow(hint) % 6])
            .collect();
        for variant in 0..5 {
            let members: Vec<String> = Hint::ALL
                .iter()
                .zip(&states)
                .map(|(hint, claim)| {
                    let spellings = spelling(*claim);
                    spellings[variant % spellings.len()].replace("KEY", hint.key())
                })
                .filter(|member| !member.is_empty())
                .collect();
            let text = format!(r#"{{"name":"t","annotations":{{{}}}}}"#, members.join(","));
            with_tool(&text, |tool| {
                let claims = tool.claims();
                assert_eq!(claims.shape, AnnotationsShape::Object);
                for (hint, state) in Hint::ALL.into_iter().zip(&states) {
                    let located = claims.hints.get(hint);
                    assert_eq!(located.claim, *state, "{hint} in {text}");
                    for value in &located.values {
                        assert_eq!(value.pointer().to_string(), format!("/annotations/{hint}"));
                        assert_eq!(&text[value.span().range()], value.raw());
                    }
                }
            });
        }
    }
}

#[test]
fn every_shape_of_annotations_is_told_apart() {
    let shape = |text: &str| with_tool(text, |tool| tool.claims().shape);
    assert_eq!(shape(r#"{"name":"t"}"#), AnnotationsShape::Absent);
    assert_eq!(shape(r#"{"annotations":null}"#), AnnotationsShape::Null);
    assert_eq!(shape(r#"{"annotations":{}}"#), AnnotationsShape::Object);
    assert!(matches!(
        shape(r#"{"annotations":[]}"#),
        AnnotationsShape::Malformed(_)
    ));
    assert_eq!(
        shape(r#"{"annotations":{},"annotations":{}}"#),
        AnnotationsShape::Duplicated
    );
    assert_eq!(shape("7"), AnnotationsShape::Absent);
}

#[test]
fn a_hint_in_one_of_two_annotations_objects_is_no_claim() {
    with_tool(
        r#"{"annotations":{"readOnlyHint":true},"annotations":{}}"#,
        |tool| {
            assert_eq!(tool.claims().hints.read_only.claim, Claim::Duplicated);
            assert_eq!(tool.claims().hints.destructive.claim, Claim::Absent);
        },
    );
}

#[test]
fn a_spelling_with_escapes_is_the_same_key() {
    with_tool(r#"{"annotations":{"read\u004fnlyHint":true}}"#, |tool| {
        assert_eq!(tool.claims().hints.read_only.claim, Claim::True);
    });
}

#[test]
fn unknown_members_are_kept_and_seen() {
    with_tool(
        r#"{"annotations":{"title":"T","category":"x","openWorldHint":false}}"#,
        |tool| {
            let unknown: Vec<_> = tool
                .claims()
                .unknown_members()
                .map(|member| member.key.into_owned())
                .collect();
            assert_eq!(unknown, ["category"]);
            assert_eq!(tool.annotation_title().unwrap(), "T");
        },
    );
}

#[test]
fn a_tool_without_a_usable_name_is_called_by_its_place() {
    let label = |text: &str| with_tool(text, |tool| tool.label().into_owned());
    assert_eq!(label(r#"{"name":"a"}"#), "a");
    assert_eq!(label(r#"{"name":""}"#), "#1");
    assert_eq!(label(r#"{"name":5}"#), "#1");
    assert_eq!(label("null"), "#1");
}
