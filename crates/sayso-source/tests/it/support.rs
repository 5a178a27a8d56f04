//! Sources in, a survey in a few lines out.

use std::fmt::Write as _;

use sayso_core::hint::Hint;
use sayso_source::{Annotations, Language, SourceFile, Survey, ToolName};

/// Files with their texts.
pub(crate) fn sources(files: &[(&str, &str)]) -> Vec<SourceFile> {
    let files = files.iter().map(|(path, text)| SourceFile {
        path: (*path).to_owned(),
        language: Language::of(path).unwrap(),
        text: (*text).to_owned(),
    });
    files.collect()
}

/// Every registration on a line, then the relays with what they drop.
pub(crate) fn survey(files: &[(&str, &str)]) -> String {
    told(&sources(files))
}

/// Every registration on a line, then the relays with what they drop.
pub(crate) fn told(files: &[SourceFile]) -> String {
    let survey = Survey::of(files);
    let mut told = String::new();
    for registration in &survey.registrations {
        let name = match &registration.name {
            ToolName::Known(name) => name.clone(),
            ToolName::Unknown(expression) => format!("unknown `{expression}`"),
        };
        let annotations = match &registration.annotations {
            Annotations::Absent(_) => "none".to_owned(),
            Annotations::Literal(_) => hints(&registration.annotations),
            Annotations::Expression { text } => format!("expression `{text}`"),
            Annotations::Unreachable => "no place".to_owned(),
        };
        let place = &registration.place;
        let path = &files.get(place.file).unwrap().path;
        let (line, column, form) = (place.line, place.column, registration.form);
        writeln!(
            told,
            "{path}:{line}:{column} {name} ({form:?}): {annotations}"
        )
        .unwrap();
    }
    for relay in &survey.relays {
        let at = &relay.place;
        let function = relay.function.as_deref().unwrap_or("-");
        let carries = if relay.carries_annotations {
            "carries"
        } else {
            "drops"
        };
        writeln!(
            told,
            "{carries} {}:{} in {function}: {}",
            files.get(at.file).unwrap().path,
            at.line,
            relay.keys.join(" ")
        )
        .unwrap();
        for step in &relay.steps {
            writeln!(
                told,
                "  {:?} {} {}:{} `{}`",
                step.kind,
                step.subject,
                files.get(step.place.file).unwrap().path,
                step.place.line,
                step.add
            )
            .unwrap();
        }
    }
    told
}

fn hints(annotations: &Annotations) -> String {
    let hints = annotations.hints();
    let letters = [
        (Hint::ReadOnly, 'r'),
        (Hint::Destructive, 'd'),
        (Hint::Idempotent, 'i'),
        (Hint::OpenWorld, 'o'),
    ];
    let told = letters.map(|(hint, letter)| match hints.get(hint) {
        Some(true) => letter.to_ascii_uppercase(),
        Some(false) => letter,
        None => '-',
    });
    told.iter().collect()
}
