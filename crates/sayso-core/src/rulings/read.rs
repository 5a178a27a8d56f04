//! From text to rulings.

use std::collections::HashMap;

use jiff::civil::Date;
use toml_edit::{ArrayOfTables, Document, Item, TableLike, Value};

use super::{Entry, Rulings, RulingsError};
use crate::digest::{Digest, Parts};
use crate::hint::{Hint, Hints};
use crate::json::line_column;
use crate::reveal::reveal_line;
use crate::ruling::{Case, CaseProblem, Contradiction, Definition, Reasoned, Ruling, Scalar, Undo};

/// The keys of a tool's block.
const TOOL_KEYS: [&str; 13] = [
    "server",
    "name",
    "reviewer",
    "reviewed",
    "undo",
    "reversibility",
    "cost",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
    "case",
    "definition",
];
const HINT_KEYS: [&str; 3] = ["value", "why", "evidence"];
const CASE_KEYS: [&str; 7] = [
    "when",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
    "why",
    "evidence",
];
const DEFINITION_KEYS: [&str; 5] = ["digest", "text", "schemas", "annotations", "rest"];

/// What stands for "nothing undoes it".
pub(super) const NOTHING: &str = "none";

pub(super) fn read(text: &str, file: &str) -> Result<Rulings, RulingsError> {
    let source = Source { text, file };
    let document = Document::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        source.at(offset, error.message().trim_end().replace('\n', ": "))
    })?;
    let root = Section {
        source: &source,
        table: document.as_table(),
        name: String::new(),
        start: 0,
    };
    root.only(&["tool"])?;
    let mut rulings = Rulings::default();
    let Some(blocks) = root.blocks("tool", "[[tool]]")? else {
        return Ok(rulings);
    };
    let mut first_places = HashMap::new();
    for table in blocks.iter() {
        let start = table.span().map_or(0, |span| span.start);
        let section = Section {
            source: &source,
            table,
            name: String::new(),
            start,
        };
        let ruling = section.ruling()?;
        let place = line_column(text, start);
        let tool = (ruling.server.clone(), ruling.tool.clone());
        if let Some(line) = first_places.insert(tool, place.line) {
            let message = format!(
                "a second ruling on `{}` of server `{}`",
                reveal_line(&ruling.tool),
                reveal_line(&ruling.server)
            );
            let error = source.at(section.key("name"), message);
            return Err(
                error.with_hint(format!("the first begins on line {line}; keep one of them"))
            );
        }
        rulings.entries.push(Entry { ruling, place });
    }
    Ok(rulings)
}

struct Source<'t> {
    text: &'t str,
    file: &'t str,
}

impl Source<'_> {
    fn at(&self, offset: usize, message: impl Into<String>) -> RulingsError {
        RulingsError::at(self.text, self.file, offset, message)
    }
}

/// A table of the file.
struct Section<'d> {
    source: &'d Source<'d>,
    table: &'d dyn TableLike,
    /// Its keys before this one, with a dot behind: `case.when.`.
    name: String,
    /// Where it begins.
    start: usize,
}

impl<'d> Section<'d> {
    /// That no key is there but these.
    fn only(&self, known: &[&str]) -> Result<(), RulingsError> {
        for (key, _) in self.table.iter() {
            if !known.contains(&key) {
                let message = format!("unknown key `{}{}`", self.name, reveal_line(key));
                let error = self.source.at(self.key(key), message);
                return Err(error.suggest(key, known));
            }
        }
        Ok(())
    }

    /// Where a key stands; where the table begins if it is not there.
    fn key(&self, key: &str) -> usize {
        let span = self.table.key(key).and_then(toml_edit::Key::span);
        span.map_or(self.start, |span| span.start)
    }

    fn value_place(&self, key: &str, item: &Item) -> usize {
        item.span().map_or_else(|| self.key(key), |span| span.start)
    }

    fn missing(&self, key: &str, hint: &str) -> RulingsError {
        let message = format!("`{}{key}` is missing", self.name);
        self.source.at(self.start, message).with_hint(hint)
    }

    fn wrong_type(&self, key: &str, item: &Item, expected: &str) -> RulingsError {
        let message = format!(
            "`{}{key}` is of type {}; it has to be {expected}",
            self.name,
            item.type_name()
        );
        self.source.at(self.value_place(key, item), message)
    }

    fn text(&self, key: &str) -> Result<Option<String>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let text = item
            .as_str()
            .ok_or_else(|| self.wrong_type(key, item, "a string"))?;
        if text.trim().is_empty() {
            let message = format!("`{}{key}` is empty", self.name);
            return Err(self.source.at(self.value_place(key, item), message));
        }
        Ok(Some(text.to_owned()))
    }

    fn needed_text(&self, key: &str, hint: &str) -> Result<String, RulingsError> {
        self.text(key)?.ok_or_else(|| self.missing(key, hint))
    }

    fn boolean(&self, key: &str) -> Result<Option<bool>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        item.as_bool()
            .map(Some)
            .ok_or_else(|| self.wrong_type(key, item, "`true` or `false`"))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(Vec::new());
        };
        let wrong = || self.wrong_type(key, item, "a list of strings");
        let list = item.as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect()
    }

    /// The table under a key.
    fn section(&self, key: &str, expected: &str) -> Result<Option<Section<'d>>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let table = item
            .as_table_like()
            .ok_or_else(|| self.wrong_type(key, item, expected))?;
        Ok(Some(Section {
            source: self.source,
            table,
            name: format!("{}{key}.", self.name),
            start: self.value_place(key, item),
        }))
    }

    fn blocks(&self, key: &str, header: &str) -> Result<Option<&'d ArrayOfTables>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let wrong = || self.wrong_type(key, item, &format!("blocks that begin with `{header}`"));
        item.as_array_of_tables().map(Some).ok_or_else(wrong)
    }

    fn ruling(&self) -> Result<Ruling, RulingsError> {
        self.only(&TOOL_KEYS)?;
        let ruling = Ruling {
            server: self.needed_text("server", "write the server's name: `server = \"…\"`")?,
            tool: self.needed_text("name", "write the tool's name as listed: `name = \"…\"`")?,
            reviewer: self.needed_text("reviewer", "write who decided: `reviewer = \"…\"`")?,
            reviewed: self.date("reviewed")?,
            undo: self.text("undo")?.map(|undo| match undo.as_str() {
                NOTHING => Undo::Nothing,
                _ => Undo::Tool(undo),
            }),
            reversibility: self.text("reversibility")?,
            cost: self.text("cost")?,
            hints: self.hints()?,
            cases: self.cases()?,
            definition: self.definition()?,
        };
        ruling
            .check()
            .map_err(|problem| self.contradiction(&ruling, problem))?;
        Ok(ruling)
    }

    fn date(&self, key: &str) -> Result<Date, RulingsError> {
        const HINT: &str = "write the day of the review: `reviewed = 2026-07-28`";
        let item = self.table.get(key).ok_or_else(|| self.missing(key, HINT))?;
        let wrong = || self.wrong_type(key, item, "a date").with_hint(HINT);
        let written = item.as_datetime().ok_or_else(wrong)?;
        match (written.date, written.time, written.offset) {
            (Some(date), None, None) => {
                let narrow = |number: u8| i8::try_from(number).unwrap_or_default();
                let year = i16::try_from(date.year).unwrap_or_default();
                Date::new(year, narrow(date.month), narrow(date.day)).map_err(|_| wrong())
            }
            _ => Err(wrong()),
        }
    }

    fn hints(&self) -> Result<Hints<Option<Reasoned>>, RulingsError> {
        let mut hints = Hints::default();
        for hint in Hint::ALL {
            *hints.get_mut(hint) = self.reasoned(hint)?;
        }
        Ok(hints)
    }

    fn reasoned(&self, hint: Hint) -> Result<Option<Reasoned>, RulingsError> {
        const VALUE: &str = "write `value = true` or `value = false`";
        let key = hint.key();
        let expected = format!("a table `[tool.{key}]` with `value` and `why`");
        let Some(section) = self.section(key, &expected)? else {
            return Ok(None);
        };
        section.only(&HINT_KEYS)?;
        Ok(Some(Reasoned {
            value: section
                .boolean("value")?
                .ok_or_else(|| section.missing("value", VALUE))?,
            why: section.why()?,
            evidence: section.texts("evidence")?,
        }))
    }

    fn why(&self) -> Result<String, RulingsError> {
        self.needed_text("why", "a ruling needs its reason: `why = \"…\"`")
    }

    fn cases(&self) -> Result<Vec<Case>, RulingsError> {
        let blocks = self.blocks("case", "[[tool.case]]")?;
        let case = |table: &'d toml_edit::Table| {
            let section = Section {
                source: self.source,
                table,
                name: "case.".to_owned(),
                start: table.span().map_or(self.start, |span| span.start),
            };
            section.only(&CASE_KEYS)?;
            let mut hints = Hints::default();
            for hint in Hint::ALL {
                *hints.get_mut(hint) = section.boolean(hint.key())?;
            }
            Ok(Case {
                when: section.when()?,
                hints,
                why: section.why()?,
                evidence: section.texts("evidence")?,
            })
        };
        blocks
            .into_iter()
            .flat_map(ArrayOfTables::iter)
            .map(case)
            .collect()
    }

    fn when(&self) -> Result<std::collections::BTreeMap<String, Vec<Scalar>>, RulingsError> {
        const HINT: &str = "name the arguments it is about: `when = { action = \"delete\" }`";
        let section = self
            .section("when", "a table of arguments")?
            .ok_or_else(|| self.missing("when", HINT))?;
        let mut when = std::collections::BTreeMap::new();
        for (name, item) in section.table.iter() {
            let wrong = || {
                let expected = "a string, a whole number, a boolean or a list of them";
                section.wrong_type(&reveal_line(name), item, expected)
            };
            let values = match item.as_array() {
                Some(list) if !list.is_empty() => list.iter().map(scalar).collect(),
                Some(_) => None,
                None => item.as_value().and_then(scalar).map(|value| vec![value]),
            };
            when.insert(name.to_owned(), values.ok_or_else(wrong)?);
        }
        if when.is_empty() {
            let error = self.source.at(section.start, "`case.when` is empty");
            return Err(error.with_hint(HINT));
        }
        Ok(when)
    }

    fn definition(&self) -> Result<Definition, RulingsError> {
        const HINT: &str = "`sayso classify` writes it; a ruling holds for the tool it was made on";
        let section = self
            .section("definition", "a table `[tool.definition]` with `digest`")?
            .ok_or_else(|| self.missing("definition", HINT))?;
        section.only(&DEFINITION_KEYS)?;
        let parts = Parts {
            text: section.digest("text")?,
            schemas: section.digest("schemas")?,
            annotations: section.digest("annotations")?,
            rest: section.digest("rest")?,
        };
        let digest = section.digest("digest")?;
        Ok(Definition {
            digest: digest.ok_or_else(|| section.missing("digest", HINT))?,
            parts,
        })
    }

    fn digest(&self, key: &str) -> Result<Option<Digest>, RulingsError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| {
            let place = self
                .table
                .get(key)
                .map_or(self.start, |item| self.value_place(key, item));
            let error = self
                .source
                .at(place, format!("`{}{key}` is no digest", self.name));
            error.with_hint("expected `sha256:` and 64 hexadecimal digits in lower case")
        })
    }

    /// A contradiction in words, at the place it shows.
    fn contradiction(&self, ruling: &Ruling, problem: Contradiction) -> RulingsError {
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

fn scalar(value: &Value) -> Option<Scalar> {
    if let Some(text) = value.as_str() {
        Some(Scalar::String(text.to_owned()))
    } else if let Some(value) = value.as_bool() {
        Some(Scalar::Boolean(value))
    } else {
        value.as_integer().map(Scalar::Integer)
    }
}
