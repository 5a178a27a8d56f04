//! What a tool's name, prose and arguments say, with where they say it.
//!
//! Read once per tool: [`prose`] turns text into sentences without links, code and quotations;
//! [`statements`] finds the verbs a description is built on and the phrases that state a fact;
//! [`arguments`] walks the input schema; [`verdicts`] weighs all of it, hint by hint. Rules
//! compare the verdicts with the claims. A verdict is a guess with its evidence: it never
//! changes an effective value.

pub mod act;
pub mod arguments;
mod effects;
mod further;
mod heads;
mod lexicon;
mod masks;
mod mentions;
pub mod names;
pub mod phrases;
mod prose;
mod senses;
pub mod statements;
pub mod verdicts;

use std::borrow::Cow;

use sayso_core::finding::{Evidence, Location};
use sayso_core::hint::Hint;
use sayso_core::json::Value;
use sayso_core::tool::Tool;

use self::act::Act;
use self::arguments::{Argument, ArgumentReader};
use self::names::NameVerb;
use self::phrases::Fact;
use self::prose::Prose;
use self::statements::{Says, Statement, StatementReader};
use self::verdicts::{MixedModes, Quote, Signal, Weighed};

/// A text of the tool and the value it stands in.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The value.
    pub value: Value<'a>,
    /// The text, decoded.
    pub decoded: Cow<'a, str>,
}

/// What one tool says outside its annotations.
#[derive(Debug)]
pub struct ToolEvidence<'a> {
    /// The texts statements refer to: the description first if there is one, then those of the arguments.
    pub texts: Vec<Text<'a>>,
    /// What they state, in order.
    pub statements: Vec<Statement>,
    /// The arguments.
    pub arguments: Vec<Argument<'a>>,
    /// The verb of the name.
    pub name_verb: Option<NameVerb>,
    name: Option<Text<'a>>,
    described: bool,
    weighed: Weighed,
}

impl<'a> ToolEvidence<'a> {
    /// Reads a tool.
    #[must_use]
    pub fn read(tool: Tool<'a>) -> Self {
        let lexicon = lexicon::lexicon();
        let string = |key: &str| {
            let value = tool.value().get(key)?;
            value.as_str().map(|decoded| Text { value, decoded })
        };
        let name = string("name");
        let (mut arguments, descriptions) = tool
            .input_schema()
            .map(ArgumentReader::read)
            .unwrap_or_default();
        let mut texts: Vec<Text<'a>> = string("description").into_iter().collect();
        let described = texts.len();
        texts.extend(descriptions.into_iter().map(|value| Text {
            value,
            decoded: value.as_str().unwrap_or_default(),
        }));
        for argument in &mut arguments {
            argument.description = argument.description.map(|number| number + described);
        }
        let mut evidence = Self {
            texts,
            statements: Vec::new(),
            name_verb: name
                .as_ref()
                .and_then(|name| names::verb(&name.decoded, lexicon)),
            arguments,
            name,
            described: described > 0,
            weighed: Weighed::default(),
        };
        evidence.statements = evidence.read_statements(described);
        evidence.weighed = verdicts::weigh(&evidence, lexicon);
        evidence
    }

    fn read_statements(&self, described: usize) -> Vec<Statement> {
        let lexicon = lexicon::lexicon();
        let own = |word: &str| {
            self.name.as_ref().is_some_and(|name| name.decoded == word)
                || self.arguments.iter().any(|argument| argument.name == word)
                || self
                    .arguments
                    .iter()
                    .any(|argument| argument.members.iter().any(|member| member == word))
        };
        let mut found = Vec::new();
        let mut prose = Prose::default();
        for (number, text) in self.texts.iter().enumerate() {
            if number >= described && !lexicon.may_speak_of_arguments(&text.decoded) {
                continue;
            }
            prose.read(&text.decoded, lexicon);
            let mut reader = StatementReader {
                text: &text.decoded,
                number,
                lexicon,
                own: &own,
                found: &mut found,
                heads: Vec::new(),
            };
            if number < described {
                reader.description(&prose);
            } else {
                reader.argument(&prose);
            }
        }
        found
    }

    /// What the verbs say the tool does: the first verb of the description, else that of the name.
    #[must_use]
    pub fn act(&self) -> Option<Act> {
        self.heads()
            .next()
            .or_else(|| self.name_verb.as_ref().map(|verb| verb.act))
    }

    /// Whether the tool has a description; it is the first text then.
    fn is_described(&self) -> bool {
        self.described
    }

    /// The verb of the name, as it stands there.
    fn name_word(&self) -> Option<&str> {
        self.name
            .as_ref()?
            .decoded
            .get(self.name_verb.as_ref()?.bytes.clone())
    }

    /// The verbs the description is built on.
    pub fn heads(&self) -> impl Iterator<Item = Act> {
        self.statements
            .iter()
            .filter_map(|statement| match statement.says {
                Says::Head(act) => Some(act),
                _ => None,
            })
    }

    /// The first argument whose values choose between reading and writing.
    #[must_use]
    pub fn mixed_modes(&self) -> Option<MixedModes> {
        let reader = self
            .name_verb
            .as_ref()
            .is_some_and(|verb| verb.act == Act::Read);
        verdicts::mixed_modes(&self.arguments, reader, lexicon::lexicon())
    }

    /// What everything taken together says about a hint, if it says anything.
    #[must_use]
    pub fn verdict(&self, hint: Hint) -> Option<&Signal> {
        self.weighed.verdicts.get(hint).as_ref()
    }

    /// Every verdict there is.
    pub fn verdicts(&self) -> impl Iterator<Item = &Signal> {
        self.weighed
            .verdicts
            .iter()
            .filter_map(|(_, verdict)| verdict.as_ref())
    }

    /// Everything that speaks for this value of a hint, verbs first, then arguments, then prose.
    pub fn signals(&self, hint: Hint, value: bool) -> impl Iterator<Item = &Signal> {
        self.weighed
            .signals
            .iter()
            .filter(move |signal| signal.hint == hint && signal.value == value)
    }

    /// The first sentence of the description that states a fact, for a report.
    #[must_use]
    pub fn fact(&self, fact: Fact, label: &str, page: usize) -> Option<Evidence> {
        let statement = self
            .statements
            .iter()
            .find(|statement| statement.says == Says::Fact(fact))?;
        let quote = Quote::Text {
            text: statement.text,
            sentence: statement.sentence.clone(),
            mark: statement.mark.clone(),
        };
        self.shown(&quote, label, page)
    }

    /// The text a signal rests on, for a report.
    #[must_use]
    pub fn quote(&self, signal: &Signal, page: usize) -> Option<Evidence> {
        self.shown(&signal.quote, signal.label, page)
    }

    /// A place in the tool's texts, for a report.
    pub(crate) fn shown(&self, quote: &Quote, label: &str, page: usize) -> Option<Evidence> {
        let (value, text, mark) = match quote {
            Quote::Text {
                text,
                sentence,
                mark,
            } => {
                let text = self.texts.get(*text)?;
                let quoted = text.decoded.get(sentence.clone())?;
                let mark = mark.start.saturating_sub(sentence.start)
                    ..mark.end.saturating_sub(sentence.start);
                (text.value, quoted.to_owned(), mark)
            }
            Quote::Name { mark } => {
                let name = self.name.as_ref()?;
                (name.value, name.decoded.clone().into_owned(), mark.clone())
            }
            Quote::Argument { argument } => {
                let argument = self.arguments.get(*argument)?;
                (
                    argument.value,
                    argument.name.clone().into_owned(),
                    0..argument.name.len(),
                )
            }
            Quote::Members { argument, member } => {
                let argument = self.arguments.get(*argument)?;
                let mut text = format!("{}: ", argument.name);
                let mut mark = 0..0;
                for (number, name) in argument.members.iter().enumerate() {
                    if number > 0 {
                        text.push_str(" | ");
                    }
                    let start = text.len();
                    text.push_str(name);
                    if number == *member {
                        mark = start..text.len();
                    }
                }
                (argument.value, text, mark)
            }
        };
        let location = Location {
            page,
            pointer: value.pointer(),
            span: value.span(),
        };
        Some(Evidence {
            location,
            text,
            mark,
            label: label.to_owned(),
        })
    }
}
