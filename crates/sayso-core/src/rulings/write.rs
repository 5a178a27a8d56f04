//! From a ruling to its block.

use toml_edit::{
    Array, ArrayOfTables, Date, Datetime, DocumentMut, InlineTable, Item, Table, Value, value,
};

use super::read::NOTHING;
use crate::digest::Part;
use crate::reveal::hidden;
use crate::ruling::{Case, Reasoned, Ruling, Scalar, Undo};

/// How long a list may be on one line.
const LINE: usize = 88;

/// A ruling as a block of the file.
pub(super) fn block(ruling: &Ruling) -> String {
    let mut tools = ArrayOfTables::new();
    tools.push(table(ruling));
    let mut document = DocumentMut::new();
    document.insert("tool", Item::ArrayOfTables(tools));
    document.to_string()
}

/// A ruling as a table, its keys in the order they are written.
pub(super) fn table(ruling: &Ruling) -> Table {
    let mut table = Table::new();
    let text = |text: &str| value(text_value(text));
    table.insert("server", text(&ruling.server));
    table.insert("name", text(&ruling.tool));
    table.insert("reviewer", text(&ruling.reviewer));
    table.insert("reviewed", value(date(ruling.reviewed)));
    match &ruling.undo {
        Some(Undo::Tool(undo)) => drop(table.insert("undo", text(undo))),
        Some(Undo::Nothing) => drop(table.insert("undo", text(NOTHING))),
        None => {}
    }
    for (key, note) in [
        ("reversibility", &ruling.reversibility),
        ("cost", &ruling.cost),
    ] {
        if let Some(note) = note {
            table.insert(key, text(note));
        }
    }
    for (hint, reasoned) in ruling.hints.iter() {
        if let Some(reasoned) = reasoned {
            table.insert(hint.key(), Item::Table(reasoned_table(reasoned)));
        }
    }
    if !ruling.cases.is_empty() {
        let cases: ArrayOfTables = ruling.cases.iter().map(case_table).collect();
        table.insert("case", Item::ArrayOfTables(cases));
    }
    let mut definition = Table::new();
    definition.insert("digest", value(ruling.definition.digest.to_string()));
    for part in Part::ALL {
        if let Some(digest) = ruling.definition.parts.get(part) {
            definition.insert(part.as_str(), value(digest.to_string()));
        }
    }
    table.insert("definition", Item::Table(definition));
    table
}

fn reasoned_table(reasoned: &Reasoned) -> Table {
    let mut table = Table::new();
    table.insert("value", value(reasoned.value));
    reasons(&mut table, &reasoned.why, &reasoned.evidence);
    table
}

fn case_table(case: &Case) -> Table {
    let mut when = InlineTable::new();
    for (name, values) in &case.when {
        let value = match values.as_slice() {
            [one] => scalar(one),
            several => several.iter().map(scalar).collect::<Array>().into(),
        };
        when.insert(name, value);
    }
    when.fmt();
    let mut table = Table::new();
    table.insert("when", value(when));
    for (hint, said) in case.hints.iter() {
        if let Some(said) = said {
            table.insert(hint.key(), value(*said));
        }
    }
    reasons(&mut table, &case.why, &case.evidence);
    table
}

fn reasons(table: &mut Table, why: &str, evidence: &[String]) {
    table.insert("why", value(text_value(why)));
    if evidence.is_empty() {
        return;
    }
    let mut list: Array = evidence.iter().map(|text| text_value(text)).collect();
    list.fmt();
    if "evidence = ".len() + list.to_string().chars().count() > LINE {
        for entry in list.iter_mut() {
            entry.decor_mut().set_prefix("\n  ");
        }
        list.set_trailing("\n");
        list.set_trailing_comma(true);
    }
    table.insert("evidence", value(list));
}

fn scalar(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Boolean(value) => (*value).into(),
        Scalar::Integer(value) => (*value).into(),
        Scalar::String(text) => text_value(text),
    }
}

/// A string, with its escapes where a reader of the file would otherwise not see what is there.
fn text_value(text: &str) -> Value {
    if !text.chars().any(|character| hidden(character).is_some()) {
        return text.into();
    }
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            shown if hidden(shown).is_none() => literal.push(shown),
            other => literal.push_str(&format!("\\U{:08X}", u32::from(other))),
        }
    }
    literal.push('"');
    literal.parse().unwrap_or_else(|_| text.into())
}

fn date(date: jiff::civil::Date) -> Datetime {
    Datetime {
        date: Some(Date {
            year: u16::try_from(date.year()).unwrap_or_default(),
            month: date.month().unsigned_abs(),
            day: date.day().unsigned_abs(),
        }),
        time: None,
        offset: None,
    }
}
