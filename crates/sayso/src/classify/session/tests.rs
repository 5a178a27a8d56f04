//! Any sequence of keys, and the order of the questions.

use proptest::prelude::*;

use super::super::question::{Answers, Question, UndoneBy};
use super::{Key, Session, Stage};

fn session(reviewer: Option<&str>) -> Session {
    let names = ["note_add", "note_delete", "note_list"].map(str::to_owned);
    let reviewer = reviewer.map(str::to_owned);
    Session::new(names.to_vec(), names.to_vec(), reviewer)
}

/// Presses `keys`: letters as they are, `⏎` for Enter, `⇥` to complete, `←` back, `→` skip.
fn press(session: &mut Session, keys: &str) {
    for character in keys.chars() {
        session.press(match character {
            '⏎' => Key::Enter,
            '⇥' => Key::Complete,
            '←' => Key::Back,
            '→' => Key::Skip,
            other => Key::Char(other),
        });
    }
}

fn questions(keys: &str) -> Vec<Question> {
    let mut session = session(Some("R. Viewer"));
    let mut asked = Vec::new();
    for key in keys.chars() {
        if let Stage::Asking(0, question) = session.stage()
            && asked.last() != Some(&question)
        {
            asked.push(question);
        }
        press(&mut session, &key.to_string());
    }
    assert!(session.recorded()[0].is_some(), "{keys}: {session:?}");
    asked
}

#[test]
fn each_question_is_asked_only_if_it_means_something() {
    use Question::{Changes, ChangesAgain, Reaches, Removes, Undone, UndoneBy, Why};
    assert_eq!(questions("nnw⏎"), [Changes, Reaches, Why]);
    assert_eq!(
        questions("ynyynw⏎"),
        [Changes, Removes, ChangesAgain, Reaches, Undone, Why]
    );
    assert_eq!(
        questions("yyyyynote_list⏎w⏎"),
        [
            Changes,
            Removes,
            ChangesAgain,
            Reaches,
            Undone,
            UndoneBy,
            Why
        ]
    );
    assert_eq!(
        questions("yyyyow⏎"),
        [Changes, Removes, ChangesAgain, Reaches, Undone, Why]
    );
}

#[test]
fn a_yes_means_what_the_question_asks() {
    let mut session = session(Some("R. Viewer"));
    // Changes, removes nothing, changes again, stays here, is undone by note_delete.
    press(&mut session, "ynynynote_d⇥⏎adds a note ⏎");
    let expected = Answers {
        read_only: false,
        destructive: Some(false),
        idempotent: Some(false),
        open_world: false,
        undo: Some(UndoneBy::Tool("note_delete".to_owned())),
        why: "adds a note".to_owned(),
        reviewer: "R. Viewer".to_owned(),
    };
    assert_eq!(session.recorded()[0].as_ref(), Some(&expected));
}

#[test]
fn enter_alone_answers_nothing() {
    let mut session = session(None);
    press(&mut session, "⏎⏎⏎");
    assert_eq!(session.stage(), Stage::Asking(0, Question::Changes));
    press(&mut session, "nn⏎  ⏎");
    assert_eq!(session.stage(), Stage::Asking(0, Question::Why));
    assert_eq!(session.problem(), Some("this needs an answer"));
}

#[test]
fn who_answers_is_asked_once() {
    let mut session = session(None);
    press(&mut session, "nnfirst⏎");
    assert_eq!(session.stage(), Stage::Asking(0, Question::Who));
    press(&mut session, "Ada⏎nnsecond⏎");
    assert_eq!(session.stage(), Stage::Asking(2, Question::Changes));
    let reviewer = |answers: &Option<Answers>| Some(answers.as_ref()?.reviewer.clone());
    let reviewers: Vec<_> = session.recorded().iter().map(reviewer).collect();
    assert_eq!(reviewers, [Some("Ada".into()), Some("Ada".into()), None]);
}

#[test]
fn only_a_tool_of_the_server_undoes() {
    let mut session = session(Some("Ada"));
    press(&mut session, "ynnnynote_delet⏎");
    assert_eq!(
        session.problem(),
        Some("no tool is called `note_delet`; did you mean `note_delete`?")
    );
    assert_eq!(session.stage(), Stage::Asking(0, Question::UndoneBy));
    press(&mut session, "←ynote_add⏎");
    assert_eq!(
        session.problem(),
        Some("a tool does not undo itself: go back, and leave it open")
    );
}

#[test]
fn back_takes_an_answer_out_of_what_is_recorded() {
    let mut session = session(Some("Ada"));
    press(&mut session, "nnbecause⏎");
    assert!(session.recorded()[0].is_some());
    assert!(session.press(Key::Back));
    assert!(session.recorded()[0].is_none());
    assert_eq!(session.stage(), Stage::Asking(0, Question::Why));
    assert_eq!(session.typed(), "because");
}

#[test]
fn a_skipped_tool_is_not_recorded() {
    let mut session = session(Some("Ada"));
    press(&mut session, "y→nnwhy⏎ys");
    assert_eq!(session.stage(), Stage::Finished);
    let answered: Vec<bool> = session.recorded().iter().map(Option::is_some).collect();
    assert_eq!(answered, [false, true, false]);
    press(&mut session, "⏎");
    assert_eq!(session.stage(), Stage::Over);
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        8 => prop::sample::select(vec!['y', 'n', 'o', 'b', 's', 'x', ' ', 'Y', '\u{202e}', 'é'])
            .prop_map(Key::Char),
        2 => any::<char>().prop_map(Key::Char),
        4 => Just(Key::Enter),
        1 => Just(Key::Erase),
        2 => Just(Key::Complete),
        2 => Just(Key::Back),
        1 => Just(Key::Skip),
    ]
}

/// What a person can tell of a session, but for the message about the last key.
fn seen(session: &Session) -> (Stage, String, String, Vec<Option<Answers>>) {
    let draft = format!("{:?}", session.draft());
    let typed = session.typed().to_owned();
    (session.stage(), draft, typed, session.recorded().to_vec())
}

proptest! {
    #[test]
    fn nothing_is_recorded_that_was_not_answered(
        keys in prop::collection::vec(key(), 0..120),
        known in any::<bool>(),
    ) {
        let mut session = session(known.then_some("Ada"));
        for key in keys {
            let before: Vec<bool> = session.recorded().iter().map(Option::is_some).collect();
            let changed = session.press(key);
            let after: Vec<bool> = session.recorded().iter().map(Option::is_some).collect();
            prop_assert_eq!(changed, before != after);
            for answers in session.recorded().iter().flatten() {
                prop_assert!(!answers.why.trim().is_empty());
                prop_assert!(!answers.reviewer.trim().is_empty());
                prop_assert_eq!(answers.read_only, answers.destructive.is_none());
                prop_assert_eq!(answers.read_only, answers.idempotent.is_none());
                prop_assert!(!answers.read_only || answers.undo.is_none());
                if let Some(UndoneBy::Tool(name)) = &answers.undo {
                    prop_assert!(name.starts_with("note_"));
                }
            }
        }
    }

    #[test]
    fn back_leads_to_the_former_state(keys in prop::collection::vec(key(), 0..120)) {
        let mut session = session(None);
        for key in keys {
            let before = seen(&session);
            let moves = session.moves.len();
            session.press(key);
            if session.moves.len() > moves {
                let mut again = session.clone();
                again.press(Key::Back);
                prop_assert_eq!(seen(&again), before);
            }
        }
    }

    #[test]
    fn enter_never_answers_a_yes_or_no(keys in prop::collection::vec(key(), 0..60)) {
        let mut session = session(None);
        for key in keys {
            session.press(key);
            if let Stage::Asking(_, question) = session.stage() && !question.takes_text() {
                let mut again = session.clone();
                again.press(Key::Enter);
                prop_assert_eq!(seen(&again), seen(&session));
            }
        }
    }

    #[test]
    fn a_session_that_was_quit_takes_no_key(keys in prop::collection::vec(key(), 0..60)) {
        let mut session = session(None);
        let (first, second) = keys.split_at(keys.len() / 2);
        first.iter().for_each(|key| { session.press(*key); });
        session.press(Key::Quit);
        let quit = seen(&session);
        second.iter().for_each(|key| { session.press(*key); });
        prop_assert_eq!(seen(&session), quit);
    }
}
