//! From a tool as a host sees it to what the host does.

use sayso_core::hint::{Hint, Hints};
use sayso_core::tool::Tool;

use super::{Behaviour, Facet, Mode, Outcome, RetryCause, Rule, Seen, SeenTool};

/// Which members of a tool are `true`, by JSON pointer: what rules with marks look at.
pub trait Marks {
    /// Whether the member there is `true`.
    fn is_marked(&self, pointer: &str) -> bool;
}

impl Marks for Tool<'_> {
    fn is_marked(&self, pointer: &str) -> bool {
        let keys: Vec<String> = pointer
            .split('/')
            .skip(1)
            .map(|key| key.replace("~1", "/").replace("~0", "~"))
            .collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        self.value().at(&keys).and_then(|value| value.as_bool()) == Some(true)
    }
}

/// Nothing is marked.
impl Marks for () {
    fn is_marked(&self, _: &str) -> bool {
        false
    }
}

/// What a host does with a tool in one mode, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision<'p> {
    /// What it does.
    pub outcome: Outcome,
    /// The rule that matched, with its number from 1; `None` when a hint that the rules look at
    /// has a reading nobody knows.
    pub rule: Option<(usize, &'p Rule<Outcome>)>,
}

impl Mode {
    /// What happens to a tool: the first rule that matches decides.
    #[must_use]
    pub fn decide(&self, seen: &SeenTool, marks: &dyn Marks) -> Decision<'_> {
        let is_marked = |pointer: &str| marks.is_marked(pointer);
        if self.rests_on_unclear(seen) {
            return Decision {
                outcome: Outcome::Unknown,
                rule: None,
            };
        }
        let matching = self
            .rules
            .iter()
            .enumerate()
            .find(|(_, rule)| rule.when.holds(&seen.hints, &is_marked));
        Decision {
            // A profile whose rules leave a state open is refused when it is read.
            outcome: matching.map_or(Outcome::Unknown, |(_, rule)| rule.then),
            rule: matching.map(|(index, rule)| (index + 1, rule)),
        }
    }

    /// Whether any hint that has an unknown reading is looked at by a rule.
    fn rests_on_unclear(&self, seen: &SeenTool) -> bool {
        seen.unclear
            .iter()
            .any(|(hint, unclear)| *unclear && self.looks_at(hint))
    }

    /// Whether any rule looks at a hint.
    #[must_use]
    pub fn looks_at(&self, hint: Hint) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.when.hints.get(hint).is_some())
    }

    /// Whether any rule looks at any hint.
    #[must_use]
    pub fn looks_at_any(&self) -> bool {
        Hint::ALL.into_iter().any(|hint| self.looks_at(hint))
    }
}

impl Facet<bool> {
    /// Whether the host does it for a tool; `None` when no rule matches.
    #[must_use]
    pub fn applies(&self, seen: &Hints<Seen>) -> Option<bool> {
        first(&self.rules, seen)
    }
}

impl Behaviour {
    /// How many times at most the host sends a call of this tool again after `cause`, by itself.
    #[must_use]
    pub fn repeats(&self, seen: &Hints<Seen>, cause: RetryCause) -> u8 {
        let retry = &self.retry;
        let repeats = retry.after.contains(&cause) && first(&retry.rules, seen) == Some(true);
        if repeats { retry.times } else { 0 }
    }
}

fn first<T: Copy>(rules: &[Rule<T>], seen: &Hints<Seen>) -> Option<T> {
    rules
        .iter()
        .find(|rule| rule.when.holds(seen, &|_| false))
        .map(|rule| rule.then)
}
