//! What cannot be true together, in words and at its place.

use toml_edit::{Item, TableLike};

use super::section::Section;
use crate::hint::Hint;
use crate::ruling::{CaseProblem, Contradiction, Ruling};
use crate::rulings::RulingsError;

impl Section<'_> {
    /// A contradiction in words, at the place it shows.
    pub(super) fn contradiction(&self, ruling: &Ruling, problem: Contradiction) -> RulingsError {
        let value = |hint: Hint| {
            let value = |table: &dyn TableLike| {
                let value = table.get("value")?.span()?;
                Some(value.start)
            };
            let table = self.table.get(hint.key()).and_then(Item::as_table_like);
            table
                .and_then(value)
                .unwrap_or_else(|| self.key(hint.key()))
        };
        match problem {
            Contradiction::Empty => self
                .source
                .at(self.start, "nothing is decided of any hint")
                .with_hint("add a table such as `[tool.readOnlyHint]`, or take the ruling out"),
            Contradiction::ReadOnlyAnd(hint) => self
                .source
                .at(value(hint), read_only_and(hint))
                .with_hint(READ_ONLY),
            Contradiction::UndoesItself => self
                .source
                .at(self.key("undo"), "`undo` names the tool itself")
                .with_hint("name the tool that undoes a call, or write `undo = \"none\"`"),
            Contradiction::UndoOfNothing => self
                .source
                .at(
                    self.key("undo"),
                    "`undo` names a tool and `readOnlyHint` is `true`",
                )
                .with_hint("what only reads leaves nothing to undo: take one of them out"),
            Contradiction::Case { position, problem } => self.case(ruling, position, problem),
        }
    }

    fn case(&self, ruling: &Ruling, position: usize, problem: CaseProblem) -> RulingsError {
        let blocks = self.table.get("case").and_then(Item::as_array_of_tables);
        let block = blocks.and_then(|blocks| blocks.get(position));
        let start = block
            .and_then(toml_edit::Table::span)
            .map_or(self.start, |span| span.start);
        let key = |hint: Hint| {
            let key = block.and_then(|block| block.key(hint.key()));
            key.and_then(toml_edit::Key::span)
                .map_or(start, |span| span.start)
        };
        match problem {
            CaseProblem::Empty => self
                .source
                .at(start, "the case says nothing of any hint")
                .with_hint("write the hints that differ, such as `readOnlyHint = true`"),
            CaseProblem::ReadOnlyAnd(hint) => self
                .source
                .at(key(hint), read_only_and(hint))
                .with_hint(READ_ONLY),
            CaseProblem::OutOfBounds(hint) => {
                let whole = ruling.values().get(hint).unwrap_or(hint.default_value());
                let of_case = !whole;
                let message = format!(
                    "`{hint}` is `{of_case}` in this case and `{whole}` for the tool: a case cannot have more risk"
                );
                self.source.at(key(hint), message).with_hint(
                    "the tool's values are those of its worst call: change them, or the case",
                )
            }
            CaseProblem::Repeated => self
                .source
                .at(start, "a second case for the same arguments")
                .with_hint("keep one of them"),
        }
    }
}

const READ_ONLY: &str = "what only reads removes nothing, and changes nothing at a repeat";

fn read_only_and(hint: Hint) -> String {
    let value = hint == Hint::Destructive;
    format!("`{hint}` is `{value}` and `readOnlyHint` is `true`: only one can be")
}
