//! A tool with the policies that can be about it.

use super::arguments::Fields;
use super::facts::ToolFacts;
use super::question::Action;
use super::rule::Rule;
use super::scope::Scope;

/// A tool with its slice of the policies.
#[derive(Debug)]
pub(super) struct Tool {
    /// Its place among the tools.
    pub(super) index: usize,
    pub(super) facts: ToolFacts,
    pub(super) fields: Fields,
    /// The rules whose scope fits a call of it.
    pub(super) calls: Vec<usize>,
    /// The rules whose scope fits a listing of it.
    pub(super) lists: Vec<usize>,
    /// Whether any of these looks at the time.
    pub(super) reads_now: bool,
    /// Why it cannot be decided about.
    pub(super) problem: Option<String>,
}

impl Tool {
    pub(super) fn new(index: usize, facts: ToolFacts, rules: &[Rule], scopes: &[Scope]) -> Self {
        let key = facts.key();
        let fitting = |action| {
            let scopes = scopes.iter().enumerate();
            let fits = |scope: &Scope| scope.fits_action(action) && scope.fits_tool(&key);
            let fitting = scopes.filter(|(_, scope)| fits(scope));
            fitting.map(|(index, _)| index).collect::<Vec<usize>>()
        };
        let calls = fitting(Action::Call);
        let lists = fitting(Action::List);
        let mut bearing = calls.iter().chain(&lists);
        let reads_now = bearing.any(|index| rules.get(*index).is_some_and(|rule| rule.reads.now));
        let schema = facts.input_schema.as_ref();
        Self {
            index,
            fields: Fields::of_schema(schema.map(sayso_core::json::Document::root)),
            facts,
            calls,
            lists,
            reads_now,
            problem: None,
        }
    }
}
