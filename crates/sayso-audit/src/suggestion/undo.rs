//! What undoes a call: another tool of the same listing whose verb is the opposite and whose
//! object is the same, as `message_delete` is to `message_send`; the tool itself where a second
//! call sets things back; or nothing.

mod inverses;

use std::collections::{BTreeSet, HashMap};

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::Hints;

use super::Suggestion;
use super::objects::{self, Named};
use crate::context::{Context, ToolReading};
use crate::evidence::act::Act;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::{Says, Statement};
use crate::evidence::verdicts::Quote;

/// What undoes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// A tool of the same listing; the tool itself where a second call sets things back.
    Tool {
        /// Its position in the listing, from 0.
        position: usize,
        /// Its name.
        name: String,
    },
    /// No tool of the listing.
    Nothing,
}

/// For every tool of a listing, given what is suggested for its hints.
pub(super) fn suggest(
    context: &Context<'_>,
    hints: &[Hints<Option<Suggestion>>],
) -> Vec<Option<Suggestion<Undo>>> {
    let reads = |position: usize| {
        let read_only = hints.get(position)?.read_only.as_ref()?;
        Some(read_only.value)
    };
    let tools: Vec<Undoable<'_, '_>> = context
        .tools
        .iter()
        .enumerate()
        .map(|(position, tool)| Undoable {
            position,
            tool,
            named: Named::readings(tool),
            writes: reads(position).map(|reads| !reads),
        })
        .collect();
    let mut about: About<'_> = HashMap::new();
    for tool in tools.iter().filter(|tool| tool.writes != Some(false)) {
        for named in &tool.named {
            about
                .entry(&named.all)
                .or_default()
                .push((tool.position, named));
        }
    }
    tools
        .iter()
        .map(|tool| undo(tool, &tools, &about))
        .collect()
}

/// The tools that may change anything, by what they are about.
type About<'t> = HashMap<&'t BTreeSet<String>, Vec<(usize, &'t Named)>>;

/// More tools about one thing are not looked at.
const MOST: usize = 32;

/// A tool as one end of an undoing.
struct Undoable<'t, 'a> {
    position: usize,
    tool: &'t ToolReading<'a>,
    /// Its name, taken apart, once for each verb in it; the likeliest first.
    named: Vec<Named>,
    /// Whether it changes anything, as far as is known.
    writes: Option<bool>,
}

fn undo(
    tool: &Undoable<'_, '_>,
    tools: &[Undoable<'_, '_>],
    about: &About<'_>,
) -> Option<Suggestion<Undo>> {
    if tool.writes == Some(false) {
        return None;
    }
    if let Some(last_word) = tool.irreversible() {
        return tool.writes.map(|_| nothing(tool, Some(last_word)));
    }
    let mut best: Option<(Fit, &Named, &Undoable<'_, '_>, &Named)> = None;
    for named in &tool.named {
        let thing: BTreeSet<String> = named.last.iter().cloned().collect();
        let found = [&named.all, &named.object, &thing]
            .into_iter()
            .filter_map(|words| about.get(words))
            .flat_map(|group| group.iter().take(MOST));
        for (position, opposite) in found {
            let Some(other) = tools.get(*position).filter(|_| *position != tool.position) else {
                continue;
            };
            let fit = opposes((tool.tool, named), (other.tool, opposite));
            // The first of equals.
            if let Some(fit) = fit.filter(|fit| best.is_none_or(|(before, ..)| before < *fit)) {
                best = Some((fit, named, other, opposite));
            }
        }
    }
    if let Some((fit, named, other, opposite)) = best {
        return Some(by_another(tool, named, other, opposite, fit));
    }
    tool.writes?;
    Some(by_itself(tool).unwrap_or_else(|| nothing(tool, None)))
}

/// How well one tool fits as the opposite of another; the better fit is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Whether both are about the same by name.
    same: Same,
    /// Whether the two name each other, or one takes what the other is about.
    tied: bool,
    /// How usual the pair of verbs is, more being more.
    usual: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Same {
    /// The thing has the same name: `add_issue_comment`, `delete_comment`.
    Thing,
    /// Every word is the same.
    Words,
}

fn opposes(
    (tool, named): (&ToolReading<'_>, &Named),
    (other, opposite): (&ToolReading<'_>, &Named),
) -> Option<Fit> {
    let usual = inverses::usual(&named.verb, &opposite.verb)?;
    let same = if named.all == opposite.all {
        Same::Words
    } else {
        Same::Thing
    };
    // What is put somewhere was there before, and its opposite is not to do away with it:
    // `list_add_lead` is not undone by `lead_delete`.
    let refers = same == Same::Thing && takes(tool, opposite);
    // Nothing but what the call is given can come back: what is removed from a set can be put
    // in again, what is deleted cannot be made again.
    let lost = inverses::gives_back(&named.verb) && !same_arguments(tool, other);
    if refers || lost {
        return None;
    }
    let tied = mentions(other, tool).is_some()
        || mentions(tool, other).is_some()
        || takes(other, opposite);
    Some(Fit { same, tied, usual })
}

fn by_another(
    tool: &Undoable<'_, '_>,
    named: &Named,
    other: &Undoable<'_, '_>,
    opposite: &Named,
    fit: Fit,
) -> Suggestion<Undo> {
    let name = other.tool.tool.label().into_owned();
    let (confidence, because) = match (fit.same, fit.tied) {
        (Same::Words, true) => (
            Confidence::High,
            format!("{name} does the opposite, and takes what this call is about"),
        ),
        (Same::Words, false) => (
            Confidence::Medium,
            format!("by its name {name} does the opposite"),
        ),
        (Same::Thing, true) => (
            Confidence::Medium,
            format!("{name} does the opposite to the same kind of thing"),
        ),
        (Same::Thing, false) => (
            Confidence::Low,
            format!("by its name {name} does the opposite to the same kind of thing"),
        ),
    };
    let evidence = [
        verb_of(tool.tool, named, "what is done"),
        verb_of(other.tool, opposite, "the opposite"),
        mentions(other.tool, tool.tool),
        mentions(tool.tool, other.tool),
    ];
    Suggestion {
        value: Undo::Tool {
            position: other.position,
            name,
        },
        confidence,
        evidence: evidence.into_iter().flatten().collect(),
        against: Vec::new(),
        because,
    }
}

/// A second call with other values: the old ones, if anybody has kept them.
fn by_itself(tool: &Undoable<'_, '_>) -> Option<Suggestion<Undo>> {
    let evidence = &tool.tool.evidence;
    let named = evidence.name_verb.as_ref().map(|verb| verb.act);
    // `edit_file`, which makes edits to a file.
    let act = match evidence.act() {
        None | Some(Act::Make | Act::Run) => named?,
        Some(act) => act,
    };
    let toggles = act == Act::Step && tool.named.iter().any(Named::toggles);
    let keyed = evidence.arguments.iter().any(|argument| argument.top);
    let because = match act {
        _ if toggles => "a second call switches back",
        Act::Update | Act::Select if keyed => {
            "a second call sets the old values again, if they are known"
        }
        Act::Replace if keyed && !tool.resets() => {
            "a second call puts the old content back, if it is known"
        }
        Act::Move if keyed => "a second call moves it back",
        _ => return None,
    };
    let verb = tool
        .tool
        .evidence
        .statements
        .iter()
        .find(|statement| matches!(statement.says, Says::Head(_)))
        .and_then(|statement| tool.quote(statement, "what is done"));
    Some(Suggestion {
        value: Undo::Tool {
            position: tool.position,
            name: tool.tool.tool.label().into_owned(),
        },
        confidence: if toggles {
            Confidence::Medium
        } else {
            Confidence::Low
        },
        evidence: verb.into_iter().collect(),
        against: Vec::new(),
        because: because.to_owned(),
    })
}

/// That nothing in a listing undoes a call is never more than a guess.
fn nothing(tool: &Undoable<'_, '_>, told: Option<&Statement>) -> Suggestion<Undo> {
    let because = if told.is_some() {
        "its description says that it cannot be undone"
    } else {
        "no tool of this listing seems to do the opposite"
    };
    Suggestion {
        value: Undo::Nothing,
        confidence: Confidence::Low,
        evidence: told
            .and_then(|told| tool.quote(told, "says that it cannot be undone"))
            .into_iter()
            .collect(),
        against: Vec::new(),
        because: because.to_owned(),
    }
}

impl Undoable<'_, '_> {
    /// Where the description says that it is final.
    fn irreversible(&self) -> Option<&Statement> {
        let statements = &self.tool.evidence.statements;
        statements
            .iter()
            .find(|statement| statement.says == Says::Fact(Fact::Irreversible))
    }

    /// Whether what it puts in place is not the caller's to choose.
    fn resets(&self) -> bool {
        self.named
            .first()
            .is_some_and(|named| inverses::resets(&named.verb))
    }

    fn quote(&self, statement: &Statement, label: &str) -> Option<Evidence> {
        let quote = Quote::Text {
            text: statement.text,
            sentence: statement.sentence.clone(),
            mark: statement.mark.clone(),
        };
        self.tool
            .evidence
            .shown(&quote, label, self.tool.tool.page())
    }
}

/// The verb of a tool's name.
fn verb_of(tool: &ToolReading<'_>, named: &Named, label: &str) -> Option<Evidence> {
    let mark = named.mark.clone();
    let page = tool.tool.page();
    tool.evidence.shown(&Quote::Name { mark }, label, page)
}

/// Whether a tool asks for the thing another one is about: `message_id`, `message`, `id`.
fn takes(tool: &ToolReading<'_>, named: &Named) -> bool {
    tool.evidence.arguments.iter().any(|argument| {
        let parts: Vec<String> = argument
            .parts()
            .iter()
            .map(|part| objects::singular(part))
            .collect();
        let (last, rest) = match parts.split_last() {
            Some((last, rest)) => (last.as_str(), rest),
            None => return false,
        };
        let identifies = matches!(
            last,
            "id" | "key" | "name" | "path" | "ref" | "slug" | "uuid"
        );
        argument.top
            && argument.required
            && (identifies && (rest.is_empty() || rest.iter().all(|part| named.has(part)))
                || parts.iter().all(|part| named.has(part)))
    })
}

/// Whether two tools have to be given the same.
fn same_arguments(one: &ToolReading<'_>, other: &ToolReading<'_>) -> bool {
    let needed = |tool: &ToolReading<'_>| {
        let mut names: Vec<String> = tool
            .evidence
            .arguments
            .iter()
            .filter(|argument| argument.top && argument.required)
            .map(|argument| argument.name.to_ascii_lowercase())
            .collect();
        names.sort();
        names
    };
    let needed_by = needed(one);
    !needed_by.is_empty() && needed_by == needed(other)
}

/// Where one tool speaks of another by name.
fn mentions(tool: &ToolReading<'_>, other: &ToolReading<'_>) -> Option<Evidence> {
    let name = other.tool.name()?;
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    for (number, text) in tool.evidence.texts.iter().enumerate() {
        let found = text.decoded.match_indices(name.as_ref()).find(|(at, _)| {
            let before = text
                .decoded
                .get(..*at)
                .and_then(|text| text.chars().next_back());
            let after = text
                .decoded
                .get(at + name.len()..)
                .and_then(|text| text.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        });
        if let Some((at, _)) = found {
            let quote = Quote::Text {
                text: number,
                sentence: sentence_around(&text.decoded, at),
                mark: at..at + name.len(),
            };
            return tool
                .evidence
                .shown(&quote, "speaks of the other", tool.tool.page());
        }
    }
    None
}

/// The bytes of the sentence around a place.
fn sentence_around(text: &str, at: usize) -> std::ops::Range<usize> {
    let start = text
        .get(..at)
        .and_then(|before| before.rfind(". "))
        .map_or(0, |stop| stop + 2);
    let end = text
        .get(at..)
        .and_then(|after| after.find(". "))
        .map_or(text.len(), |stop| at + stop + 1);
    start..end
}
