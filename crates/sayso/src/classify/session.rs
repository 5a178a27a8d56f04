//! A person answering: which tool and which question it is, what a key does, and what is
//! recorded. Pure, so that every sequence of keys can be tried.
//!
//! The state is what the moves so far lead to, from the beginning; going back takes the last
//! move away and plays the rest again, so that it cannot but lead to the former state.

use sayso_core::reveal::hidden;
use sayso_core::suggest::nearest;

use super::question::{Answers, Draft, Question, Undone};

/// The longest line that can be typed, in characters.
const MAX_TEXT: usize = 500;

/// A key, as far as it means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A character.
    Char(char),
    /// The end of a line of text. It never answers a question of yes or no.
    Enter,
    /// Takes back the last character typed.
    Erase,
    /// Completes the name of a tool.
    Complete,
    /// Back to the question before.
    Back,
    /// Leaves this tool as it is.
    Skip,
    /// Ends the session.
    Quit,
}

/// Where a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A question about the tool at this position among those asked about.
    Asking(usize, Question),
    /// Every tool was answered or skipped; Enter ends the session, and Back is still possible.
    Finished,
    /// Ended.
    Over,
}

/// What a person did that led somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Move {
    Choose(bool),
    Undone(Undone),
    Write(String),
    /// With the line that was typed by then.
    Skip(String),
}

/// What the moves lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progress {
    position: usize,
    draft: Draft,
    reviewer: Option<String>,
    recorded: Vec<Option<Answers>>,
}

/// A person answering the questions about some tools.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    asked: Vec<String>,
    names: Vec<String>,
    reviewer: Option<String>,
    moves: Vec<Move>,
    progress: Progress,
    typed: String,
    problem: Option<String>,
    over: bool,
}

impl Session {
    /// A session about the tools called `asked`, of a server whose tools have these `names`;
    /// `reviewer` is who answers, if that is known.
    pub(crate) fn new(asked: Vec<String>, names: Vec<String>, reviewer: Option<String>) -> Self {
        Self {
            names,
            progress: Progress {
                position: 0,
                draft: Draft::default(),
                reviewer: reviewer.clone(),
                recorded: vec![None; asked.len()],
            },
            asked,
            reviewer,
            moves: Vec::new(),
            typed: String::new(),
            problem: None,
            over: false,
        }
    }

    /// Where it stands.
    pub(crate) fn stage(&self) -> Stage {
        if self.over {
            return Stage::Over;
        }
        match self.progress.question() {
            Some(question) => Stage::Asking(self.progress.position, question),
            None => Stage::Finished,
        }
    }

    /// What was answered about the tool it stands at.
    pub(crate) fn draft(&self) -> &Draft {
        &self.progress.draft
    }

    /// The line typed so far.
    pub(crate) fn typed(&self) -> &str {
        &self.typed
    }

    /// What is wrong with the last key, if something is.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Who answers, if that is known by now.
    pub(crate) fn reviewer(&self) -> Option<&str> {
        self.progress.reviewer.as_deref()
    }

    /// The answers about each tool asked about; `None` where they are not complete.
    pub(crate) fn recorded(&self) -> &[Option<Answers>] {
        &self.progress.recorded
    }

    /// The names that begin as what was typed, of the other tools of the server.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = &str> {
        let typed = self.typed.trim();
        self.others().filter(move |name| name.starts_with(typed))
    }

    /// The names of the other tools of the server.
    fn others(&self) -> impl Iterator<Item = &str> {
        let own = self.asked.get(self.progress.position);
        let names = self.names.iter().filter(move |name| own != Some(name));
        names.map(String::as_str)
    }

    /// Takes a key; whether what is recorded changed.
    pub(crate) fn press(&mut self, key: Key) -> bool {
        self.problem = None;
        match (self.stage(), key) {
            (Stage::Over, _) => false,
            (_, Key::Quit) => {
                self.over = true;
                false
            }
            (_, Key::Back) => self.back(),
            (Stage::Finished, Key::Enter | Key::Char('q')) => {
                self.over = true;
                false
            }
            (Stage::Finished, Key::Char('b')) => self.back(),
            (Stage::Finished, _) => false,
            (Stage::Asking(..), Key::Skip) => self.skip(),
            (Stage::Asking(_, question), key) if question.takes_text() => self.edit(question, key),
            (Stage::Asking(_, question), key) => self.choose(question, key),
        }
    }

    /// A key at a question of yes or no.
    fn choose(&mut self, question: Question, key: Key) -> bool {
        let Key::Char(character) = key else {
            if key == Key::Enter {
                self.problem = Some("Enter alone answers nothing: press y or n".to_owned());
            }
            return false;
        };
        match (question, character.to_ascii_lowercase()) {
            (_, 'b') => self.back(),
            (_, 's') => self.skip(),
            (_, 'q') => {
                self.over = true;
                false
            }
            (Question::Undone, 'y') => self.take(Move::Undone(Undone::Yes)),
            (Question::Undone, 'n') => self.take(Move::Undone(Undone::No)),
            (Question::Undone, 'o') => self.take(Move::Undone(Undone::Open)),
            (_, 'y') => self.take(Move::Choose(true)),
            (_, 'n') => self.take(Move::Choose(false)),
            _ => false,
        }
    }

    /// A key at a question that is answered with a line of text.
    fn edit(&mut self, question: Question, key: Key) -> bool {
        match key {
            Key::Char(character) => {
                let fits = self.typed.chars().count() < MAX_TEXT;
                if fits && hidden(character).is_none() && !matches!(character, '\n' | '\t') {
                    self.typed.push(character);
                }
                false
            }
            Key::Erase => {
                self.typed.pop();
                false
            }
            Key::Complete if question == Question::UndoneBy => {
                let name = self.candidates().next().map(str::to_owned);
                self.typed = name.unwrap_or_else(|| self.typed.clone());
                false
            }
            Key::Enter => match self.refuse(question) {
                Some(problem) => {
                    self.problem = Some(problem);
                    false
                }
                None => self.take(Move::Write(self.typed.clone())),
            },
            Key::Complete | Key::Back | Key::Skip | Key::Quit => false,
        }
    }

    /// Why the line typed is no answer.
    fn refuse(&self, question: Question) -> Option<String> {
        let text = self.typed.trim();
        if text.is_empty() {
            return Some("this needs an answer".to_owned());
        }
        if question != Question::UndoneBy || self.others().any(|name| name == text) {
            return None;
        }
        if self
            .asked
            .get(self.progress.position)
            .is_some_and(|own| own == text)
        {
            return Some("a tool does not undo itself: go back, and leave it open".to_owned());
        }
        Some(match nearest(text, self.others()) {
            Some(near) => format!("no tool is called `{text}`; did you mean `{near}`?"),
            None => format!("no tool of this server is called `{text}`"),
        })
    }

    fn skip(&mut self) -> bool {
        self.take(Move::Skip(self.typed.clone()))
    }

    fn take(&mut self, step: Move) -> bool {
        let before = self.progress.recorded_count();
        self.progress.apply(&step);
        self.moves.push(step);
        self.typed.clear();
        self.progress.recorded_count() != before
    }

    fn back(&mut self) -> bool {
        let Some(last) = self.moves.pop() else {
            return false;
        };
        let before = self.progress.recorded_count();
        self.progress = Progress {
            position: 0,
            draft: Draft::default(),
            reviewer: self.reviewer.clone(),
            recorded: vec![None; self.progress.recorded.len()],
        };
        self.moves.iter().for_each(|step| self.progress.apply(step));
        self.typed = match last {
            Move::Write(text) | Move::Skip(text) => text,
            Move::Choose(_) | Move::Undone(_) => String::new(),
        };
        self.progress.recorded_count() != before
    }
}

impl Progress {
    /// The question that is open; `None` behind the last tool.
    fn question(&self) -> Option<Question> {
        (self.position < self.recorded.len())
            .then(|| self.draft.next(self.reviewer.is_some()))
            .flatten()
    }

    fn recorded_count(&self) -> usize {
        self.recorded.iter().flatten().count()
    }

    fn apply(&mut self, step: &Move) {
        let Some(question) = self.question() else {
            return;
        };
        match step {
            Move::Skip(_) => return self.proceed(),
            Move::Choose(yes) => self.draft.choose(question, *yes),
            Move::Undone(undone) => self.draft.set_undone(*undone),
            Move::Write(text) if question == Question::Who => {
                self.reviewer = Some(text.trim().to_owned());
            }
            Move::Write(text) => self.draft.write(question, text.trim()),
        }
        if let Some(reviewer) = &self.reviewer
            && let Some(answers) = self.draft.clone().finish(reviewer)
        {
            if let Some(slot) = self.recorded.get_mut(self.position) {
                *slot = Some(answers);
            }
            self.proceed();
        }
    }

    fn proceed(&mut self) {
        self.position += 1;
        self.draft = Draft::default();
    }
}

#[cfg(test)]
mod tests;
