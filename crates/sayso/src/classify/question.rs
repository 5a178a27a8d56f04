//! The questions about one tool, in the order in which each still means something.

use sayso_core::hint::{Hint, Hints};

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// Does it change anything?
    Changes,
    /// Does it remove or overwrite what was there?
    Removes,
    /// Is a second identical call a further change?
    ChangesAgain,
    /// Does its effect or its input reach beyond this system?
    Reaches,
    /// Can it be undone?
    Undone,
    /// By which tool?
    UndoneBy,
    /// Why are these the answers?
    Why,
    /// Who says so?
    Who,
}

impl Question {
    /// The question, to be shown to a person.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Changes => "Does it change anything?",
            Self::Removes => "Does it remove or overwrite what was there?",
            Self::ChangesAgain => "Is a second identical call a further change?",
            Self::Reaches => "Does its effect or its input reach beyond this system?",
            Self::Undone => "Can it be undone?",
            Self::UndoneBy => "By which tool is it undone?",
            Self::Why => "Why? One line for whoever reads this ruling later",
            Self::Who => "Who is answering?",
        }
    }

    /// The hint a yes or no decides.
    pub(crate) const fn hint(self) -> Option<Hint> {
        match self {
            Self::Changes => Some(Hint::ReadOnly),
            Self::Removes => Some(Hint::Destructive),
            Self::ChangesAgain => Some(Hint::Idempotent),
            Self::Reaches => Some(Hint::OpenWorld),
            Self::Undone | Self::UndoneBy | Self::Why | Self::Who => None,
        }
    }

    /// What a yes says of the hint: two of the questions ask for the opposite of theirs, as
    /// `readOnlyHint` and `idempotentHint` say what does not happen.
    pub(crate) const fn yes_means(self) -> bool {
        !matches!(self, Self::Changes | Self::ChangesAgain)
    }

    /// Whether it is answered with a line of text.
    pub(crate) const fn takes_text(self) -> bool {
        matches!(self, Self::UndoneBy | Self::Why | Self::Who)
    }
}

/// Whether a call can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// By a tool of the same server.
    Yes,
    /// By none.
    No,
    /// Nothing is said of it.
    Open,
}

/// What was answered about one tool so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    changes: Option<bool>,
    removes: Option<bool>,
    changes_again: Option<bool>,
    reaches: Option<bool>,
    undone: Option<Undone>,
    undone_by: Option<String>,
    why: Option<String>,
}

impl Draft {
    /// The next question that means something; `None` when all are answered.
    pub(crate) fn next(&self, reviewer_is_known: bool) -> Option<Question> {
        let writes = self.changes == Some(true);
        let by_a_tool = self.undone == Some(Undone::Yes);
        let asked = [
            (Question::Changes, self.changes.is_none()),
            (Question::Removes, writes && self.removes.is_none()),
            (
                Question::ChangesAgain,
                writes && self.changes_again.is_none(),
            ),
            (Question::Reaches, self.reaches.is_none()),
            (Question::Undone, writes && self.undone.is_none()),
            (Question::UndoneBy, by_a_tool && self.undone_by.is_none()),
            (Question::Why, self.why.is_none()),
            (Question::Who, !reviewer_is_known),
        ];
        let first = asked.into_iter().find(|(_, open)| *open);
        first.map(|(question, _)| question)
    }

    /// Answers a question with yes or no; nothing for those that take something else.
    pub(super) fn choose(&mut self, question: Question, yes: bool) {
        match question {
            Question::Changes => self.changes = Some(yes),
            Question::Removes => self.removes = Some(yes),
            Question::ChangesAgain => self.changes_again = Some(yes),
            Question::Reaches => self.reaches = Some(yes),
            Question::Undone | Question::UndoneBy | Question::Why | Question::Who => {}
        }
    }

    pub(super) fn set_undone(&mut self, undone: Undone) {
        self.undone = Some(undone);
    }

    /// Answers a question with a line of text; nothing for those that take something else.
    pub(super) fn write(&mut self, question: Question, text: &str) {
        match question {
            Question::UndoneBy => self.undone_by = Some(text.to_owned()),
            Question::Why => self.why = Some(text.to_owned()),
            _ => {}
        }
    }

    /// The answer to a question of yes or no.
    pub(crate) fn answer(&self, question: Question) -> Option<bool> {
        match question {
            Question::Changes => self.changes,
            Question::Removes => self.removes,
            Question::ChangesAgain => self.changes_again,
            Question::Reaches => self.reaches,
            Question::Undone | Question::UndoneBy | Question::Why | Question::Who => None,
        }
    }

    /// What the answers say of the hints; nothing of those that mean nothing for a reader.
    pub(crate) fn hints(&self) -> Hints<Option<bool>> {
        let value = |question: Question| {
            let yes = self.answer(question)?;
            Some(yes == question.yes_means())
        };
        Hints {
            read_only: value(Question::Changes),
            destructive: value(Question::Removes),
            idempotent: value(Question::ChangesAgain),
            open_world: value(Question::Reaches),
        }
    }

    /// All of it; `None` while something is open.
    pub(super) fn finish(self, reviewer: &str) -> Option<Answers> {
        if self.next(true).is_some() {
            return None;
        }
        let hints = self.hints();
        Some(Answers {
            read_only: hints.read_only?,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
            open_world: hints.open_world?,
            undo: match self.undone {
                Some(Undone::Yes) => Some(UndoneBy::Tool(self.undone_by?)),
                Some(Undone::No) => Some(UndoneBy::Nothing),
                Some(Undone::Open) | None => None,
            },
            why: self.why?,
            reviewer: reviewer.to_owned(),
        })
    }
}

/// What undoes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UndoneBy {
    /// A tool of the same server.
    Tool(String),
    /// None of them.
    Nothing,
}

/// All answers about one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answers {
    /// `readOnlyHint`.
    pub(crate) read_only: bool,
    /// `destructiveHint`; `None` for a tool that only reads.
    pub(crate) destructive: Option<bool>,
    /// `idempotentHint`; `None` for a tool that only reads.
    pub(crate) idempotent: Option<bool>,
    /// `openWorldHint`.
    pub(crate) open_world: bool,
    /// What undoes a call; `None` where nothing is said of it.
    pub(crate) undo: Option<UndoneBy>,
    /// Why.
    pub(crate) why: String,
    /// Who says so.
    pub(crate) reviewer: String,
}
