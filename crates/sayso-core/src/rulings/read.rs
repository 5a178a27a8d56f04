//! From text to rulings.

mod contradiction;
mod section;

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use toml_edit::{ArrayOfTables, Document, Value};

use super::{Entry, Rulings, RulingsError};
use crate::digest::{Digest, Parts};
use crate::hint::{Hint, Hints};
use crate::json::line_column;
use crate::reveal::reveal_line;
use crate::ruling::{Case, Definition, Reasoned, Ruling, Scalar, Undo};
use section::{Section, Source};

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

impl<'d> Section<'d> {
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

    fn when(&self) -> Result<BTreeMap<String, Vec<Scalar>>, RulingsError> {
        const HINT: &str = "name the arguments it is about: `when = { action = \"delete\" }`";
        let section = self
            .section("when", "a table of arguments")?
            .ok_or_else(|| self.missing("when", HINT))?;
        let mut when = BTreeMap::new();
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
