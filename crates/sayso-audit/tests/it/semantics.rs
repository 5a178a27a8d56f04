//! Meanings people do not agree on: what each answer to them reports.

use sayso_audit::example::Example;
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::semantics::{Reading, Semantics};
use sayso_core::hint::Hint;
use serde_json::{Value, json};

/// What is said about one hint of a tool: the severity and the value suggested.
fn told(
    description: &str,
    annotations: &Value,
    hint: Hint,
    answer: impl FnOnce(&mut Semantics),
) -> String {
    let mut semantics = Semantics::default();
    answer(&mut semantics);
    let tool = json!({
        "name": "a_tool", "title": "A tool", "description": description,
        "inputSchema": { "type": "object" }, "annotations": annotations,
    });
    let example = Example::parse(&tool.to_string()).unwrap();
    let options = JudgeOptions {
        semantics,
        ..JudgeOptions::default()
    };
    judge(&example.listing, &options)
        .iter()
        .filter(|finding| finding.rule != "half-declared")
        .filter(|finding| finding.hint == Some(hint) || finding.suggestion.get(hint).is_some())
        .map(|finding| {
            let value = finding.suggestion.get(hint);
            let value = value.map_or("nothing".to_owned(), |value| value.to_string());
            format!("{} {value}", finding.severity)
        })
        .collect::<Vec<_>>()
        .join(", ")
}

/// A write that claims everything but one hint, which has this value or is left out.
fn claims(hint: Hint, value: Option<bool>) -> Value {
    let mut claims = json!({
        "readOnlyHint": false, "destructiveHint": true,
        "idempotentHint": false, "openWorldHint": true,
    });
    let object = claims.as_object_mut().unwrap();
    object.remove(hint.key());
    if let Some(value) = value {
        object.insert(hint.key().to_owned(), value.into());
    }
    claims
}

#[track_caller]
fn each_answer(description: &str, hint: Hint, answer: fn(&mut Semantics, Reading)) {
    let told = |claim, reading| {
        told(description, &claims(hint, claim), hint, |semantics| {
            answer(semantics, reading);
        })
    };
    for claim in [Some(true), Some(false), None] {
        assert_eq!(told(claim, Reading::Either), "", "{claim:?} under either");
    }
    assert_eq!(told(Some(false), Reading::Yes), "warning true");
    assert_eq!(told(Some(true), Reading::Yes), "");
    assert_eq!(told(Some(true), Reading::No), "warning false");
    assert_eq!(told(Some(false), Reading::No), "");
    assert_eq!(told(None, Reading::Yes), "info true");
    assert_eq!(told(None, Reading::No), "info false");
}

#[test]
fn sending_is_destructive_or_not_as_it_is_set() {
    let send = |semantics: &mut Semantics, reading| semantics.send_is_destructive = reading;
    each_answer("Sends a message.", Hint::Destructive, send);
    each_answer("Invite someone to connect.", Hint::Destructive, send);
}

#[test]
fn deleting_twice_is_idempotent_or_not_as_it_is_set() {
    each_answer("Deletes a note.", Hint::Idempotent, |semantics, reading| {
        semantics.delete_is_idempotent = reading;
    });
}

#[test]
fn updating_is_destructive_or_not_as_it_is_set() {
    each_answer(
        "Updates a note.",
        Hint::Destructive,
        |semantics, reading| semantics.update_is_destructive = reading,
    );
    // By the letter of the specification it is.
    assert_eq!(Semantics::default().update_is_destructive, Reading::Yes);
}

#[test]
fn plain_words_stand_whatever_is_set() {
    let claims = claims(Hint::Destructive, Some(false));
    let told = |description: &str| {
        told(description, &claims, Hint::Destructive, |semantics| {
            semantics.update_is_destructive = Reading::No;
            semantics.send_is_destructive = Reading::No;
        })
    };
    assert_eq!(told("Overwrites a note."), "warning true");
    assert_eq!(
        told("Updates a note; the old text is lost."),
        "warning true"
    );
}
