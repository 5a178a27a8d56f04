//! The question, what was answered before it, and what is suggested.

use sayso_audit::suggestion::{Suggestion, Undo};
use sayso_core::finding::Evidence;

use crate::classify::Subject;
use crate::classify::effect::EffectClass;
use crate::classify::question::Question;
use crate::classify::session::Session;

use super::super::super::excerpt::Excerpt;
use super::super::super::screen::{Screen, Style};
use super::View;

/// How many pieces of evidence are shown where there is room.
pub(super) const MOST_EVIDENCE: usize = 2;

/// How many names are offered for a tool.
const MOST_NAMES: usize = 6;

pub(super) fn write(
    screen: &mut Screen,
    view: &View<'_, '_>,
    subject: &Subject<'_>,
    question: Question,
    most_evidence: usize,
) {
    let session = view.session;
    let rule = "─".repeat(screen.width());
    screen.styled(Style::Faint, &rule);
    answered(screen, session);
    let words = screen.paint(Style::Strong, question.words());
    let room = screen.width().saturating_sub(question.words().len() + 2);
    match question.hint().filter(|hint| hint.key().len() <= room) {
        Some(hint) => screen.line(&format!("{words}  {}", screen.faintly(hint.key()))),
        None => screen.sentence(Style::Strong, question.words()),
    }
    suggested(screen, subject, question, most_evidence);
    if question.takes_text() {
        screen.wrapped("> ", "  ", &format!("{}_", session.typed()));
        if question == Question::UndoneBy {
            names(screen, session);
        }
    }
    match session.problem() {
        Some(problem) => screen.sentence(Style::Error, problem),
        None => screen.blank(),
    }
    screen.faint(keys(question));
}

/// What the answers so far come to.
fn answered(screen: &mut Screen, session: &Session) {
    let hints = session.draft().hints();
    let Some(class) = EffectClass::of(&hints) else {
        return;
    };
    screen.labelled(Style::Good, class.as_str(), class.meaning());
    screen.wrapped("  dangerous?      ", "    ", class.danger());
    screen.wrapped("  safe to repeat? ", "    ", class.repeat(hints.idempotent));
}

fn suggested(screen: &mut Screen, subject: &Subject<'_>, question: Question, most: usize) {
    let suggestions = &subject.suggestions;
    match question {
        Question::Undone | Question::UndoneBy => {
            let own = subject.tool.label();
            let value = |undo: &Undo| match undo {
                // A second call with other values is no other tool.
                Undo::Tool { name, .. } if *name == own => "leave it open".to_owned(),
                Undo::Tool { name, .. } if question == Question::Undone => {
                    format!("yes, by `{name}`")
                }
                Undo::Tool { name, .. } => format!("`{name}`"),
                Undo::Nothing => "no".to_owned(),
            };
            suggestion(screen, suggestions.undo.as_ref(), value, most);
        }
        Question::Why | Question::Who => {}
        question => {
            let own = question.hint().and_then(|hint| {
                let own = suggestions.hints.get(hint).as_ref()?;
                Some(own)
            });
            let value = |value: &bool| {
                let yes = *value == question.yes_means();
                if yes { "yes" } else { "no" }.to_owned()
            };
            suggestion(screen, own, value, most);
        }
    }
}

fn suggestion<T>(
    screen: &mut Screen,
    suggestion: Option<&Suggestion<T>>,
    value: impl Fn(&T) -> String,
    most: usize,
) {
    let Some(suggestion) = suggestion else {
        screen.faint("  nothing is suggested: neither its name nor its words tell");
        return;
    };
    let text = format!(
        "{}, {} confidence: {}",
        value(&suggestion.value),
        suggestion.confidence,
        suggestion.because
    );
    screen.labelled_at("  ", Style::Help, "suggested", &text);
    // One mark in a sentence is enough: the room is for another sentence.
    let mut shown: Vec<&str> = Vec::new();
    for evidence in &suggestion.evidence {
        if shown.len() < most && !shown.contains(&evidence.text.as_str()) {
            shown.push(&evidence.text);
            picture(screen, evidence, "");
        }
    }
    // What speaks against it is worth the room of one piece that speaks for it.
    if most > 0
        && let Some(evidence) = suggestion.against.first()
    {
        picture(screen, evidence, "but ");
    }
}

/// A piece of evidence with what matters underlined.
fn picture(screen: &mut Screen, evidence: &Evidence, before: &str) {
    const MARGIN: &str = "  | ";
    let excerpt = Excerpt::new(evidence, screen.width().saturating_sub(MARGIN.len()));
    let under = excerpt.underline();
    let marked = screen.paint(Style::Warning, &excerpt.marked);
    screen.line(&format!(
        "{MARGIN}{}{marked}{}",
        excerpt.before, excerpt.after
    ));
    let label = format!("{before}{}", evidence.label);
    let carets = "^".repeat(under.width);
    let line = format!("{MARGIN}{}{carets}", " ".repeat(under.indent));
    let behind = line.chars().count() + 1 + label.chars().count() <= screen.width();
    let front = format!("{MARGIN}{label} ");
    let line = match behind {
        true => format!("{line} {label}"),
        // In front of the carets there is as much room as behind them is missing.
        false if front.chars().count() <= MARGIN.len() + under.indent => {
            let gap = (MARGIN.len() + under.indent).saturating_sub(front.chars().count());
            format!("{front}{}{carets}", " ".repeat(gap))
        }
        false => line,
    };
    screen.styled(Style::Warning, &line);
}

fn names(screen: &mut Screen, session: &Session) {
    let names: Vec<&str> = session.candidates().take(MOST_NAMES).collect();
    if !names.is_empty() {
        screen.names("  ", &names.join(", "));
    }
}

const fn keys(question: Question) -> &'static str {
    match question {
        Question::Undone => "y yes   n no   o leave it open   b back   s skip   q quit   ↑↓ read",
        Question::UndoneBy => "Enter done   Tab complete   Esc back   Ctrl-S skip   Ctrl-C quit",
        question if question.takes_text() => "Enter done   Esc back   Ctrl-S skip   Ctrl-C quit",
        _ => "y yes   n no   b back   s skip this tool   q quit   ↑↓ read",
    }
}

/// What the suggestion for a question rests on.
pub(super) fn evidence<'s>(
    subject: &'s Subject<'_>,
    question: Question,
) -> impl Iterator<Item = &'s Evidence> {
    let suggestions = &subject.suggestions;
    let of_hint = question
        .hint()
        .and_then(|hint| suggestions.hints.get(hint).as_ref())
        .map(|own| &own.evidence);
    let of_undo = matches!(question, Question::Undone | Question::UndoneBy)
        .then_some(suggestions.undo.as_ref())
        .flatten()
        .map(|own| &own.evidence);
    of_hint.or(of_undo).into_iter().flatten()
}
