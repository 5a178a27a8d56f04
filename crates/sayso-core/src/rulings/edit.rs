//! Changes one tool's block and leaves the rest of the file as it is written.

use std::ops::Range;

use toml_edit::{ArrayOfTables, Document, DocumentMut, Item, RawString, Table, TableLike, Value};

use super::{Rulings, RulingsError, write};
use crate::reveal::reveal_line;
use crate::ruling::Ruling;

/// What a new file begins with.
const OPENING: &str = "\
# What is true of each tool, decided by a person. `sayso classify` writes this file and keeps
# what is changed in it by hand. A ruling holds for the definition its digest stands for.
";

pub(super) fn put(text: &str, file: &str, ruling: &Ruling) -> Result<String, RulingsError> {
    let rulings = Rulings::parse(text, file)?;
    let blocks = blocks(text);
    let position = rulings
        .iter()
        .position(|known| known.server == ruling.server && known.tool == ruling.tool);
    let Some(position) = position else {
        let opened = if text.trim().is_empty() {
            OPENING
        } else {
            text
        };
        let added = add(opened, &rulings, &blocks, ruling);
        return holding(added, file, ruling);
    };
    if rulings.iter().nth(position) == Some(ruling) {
        return Ok(text.to_owned());
    }
    let own = blocks.get(position).map_or(0..0, |block| block.own.clone());
    let splice = |new: &str| {
        let before = text.get(..own.start).unwrap_or_default();
        let after = text.get(own.end..).unwrap_or_default();
        format!("{before}{}{after}", with_line_ends_of(text, new))
    };
    let old = text.get(own.clone()).unwrap_or_default();
    let merged = merged(old, ruling).map(|merged| splice(&merged));
    if let Some(merged) = merged
        && Rulings::parse(&merged, file).is_ok_and(|new| new.iter().nth(position) == Some(ruling))
    {
        return Ok(merged);
    }
    // Written in a way that cannot be changed in place: the block is written anew.
    let anew = splice(&write::block(ruling));
    holding(anew, file, ruling)
}

/// The text, if the ruling reads back from it as it is.
fn holding(text: String, file: &str, ruling: &Ruling) -> Result<String, RulingsError> {
    let rulings = Rulings::parse(&text, file)?;
    if rulings.get(&ruling.server, &ruling.tool) == Some(ruling) {
        return Ok(text);
    }
    let message = format!(
        "the ruling on `{}` says something that no file can hold",
        reveal_line(&ruling.tool)
    );
    Err(RulingsError::at("", file, 0, message)
        .with_hint("an undo tool called `none` cannot be named, nor a year outside 0 to 9999"))
}

pub(super) fn remove(
    text: &str,
    file: &str,
    server: &str,
    tool: &str,
) -> Result<String, RulingsError> {
    let rulings = Rulings::parse(text, file)?;
    let position = rulings
        .iter()
        .position(|known| known.server == server && known.tool == tool);
    let blocks = blocks(text);
    let Some(block) = position.and_then(|position| blocks.get(position)) else {
        return Ok(text.to_owned());
    };
    let end = position
        .and_then(|position| blocks.get(position + 1))
        .map_or(block.own.end, |next| next.begin);
    let before = text.get(..block.begin).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    Ok(format!("{before}{after}"))
}

/// Where a block stands.
struct Block {
    /// Where the comments begin that stand right above its header; its header if there are none.
    begin: usize,
    /// From its header to behind its last line.
    own: Range<usize>,
}

fn blocks(text: &str) -> Vec<Block> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let tables = document.get("tool").and_then(Item::as_array_of_tables);
    let headers: Vec<(Range<usize>, usize)> = tables
        .into_iter()
        .flat_map(ArrayOfTables::iter)
        .map(|table| {
            let header = table.span().map_or(text.len(), |span| span.start);
            let above = table.decor().prefix().and_then(RawString::span);
            (above.unwrap_or(header..header), header)
        })
        .collect();
    let trailing = document
        .trailing()
        .span()
        .map_or(text.len(), |span| span.start);
    headers
        .iter()
        .enumerate()
        .map(|(position, (above, header))| {
            let end = headers
                .get(position + 1)
                .map_or(trailing, |(above, _)| above.start);
            Block {
                begin: above.start + attached(text.get(above.clone()).unwrap_or_default()),
                own: *header..end.max(*header),
            }
        })
        .collect()
}

/// How much of the space above a header does not belong to it: all up to its last blank line.
fn attached(above: &str) -> usize {
    let mut offset = 0;
    let mut attached = 0;
    for line in above.split_inclusive('\n') {
        offset += line.len();
        if line.trim().is_empty() && line.ends_with('\n') {
            attached = offset;
        }
    }
    attached
}

/// The file with one more block: behind the last of its server, or where its server comes by name.
fn add(text: &str, rulings: &Rulings, blocks: &[Block], ruling: &Ruling) -> String {
    let servers: Vec<&str> = rulings.iter().map(|known| known.server.as_str()).collect();
    let behind_own = servers.iter().rposition(|server| *server == ruling.server);
    let next = match behind_own {
        Some(position) => Some(position + 1),
        None => servers.iter().position(|server| **server > *ruling.server),
    };
    let block = with_line_ends_of(text, &write::block(ruling));
    let line_end = with_line_ends_of(text, "\n");
    match next.and_then(|next| blocks.get(next)) {
        Some(next) => {
            let before = text.get(..next.begin).unwrap_or_default();
            let after = text.get(next.begin..).unwrap_or_default();
            let gap = if before.is_empty() || ends_blank(before) {
                ""
            } else {
                &line_end
            };
            format!("{before}{gap}{block}{line_end}{after}")
        }
        None => {
            let ended = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                &line_end
            };
            let gap = if text.is_empty() || ends_blank(text) {
                ""
            } else {
                &line_end
            };
            format!("{text}{ended}{gap}{block}")
        }
    }
}

fn ends_blank(text: &str) -> bool {
    text.ends_with("\n\n") || text.ends_with("\n\r\n")
}

/// The file's own line ends.
fn with_line_ends_of(text: &str, written: &str) -> String {
    let unix = written.replace("\r\n", "\n");
    if text.contains("\r\n") {
        unix.replace('\n', "\r\n")
    } else {
        unix
    }
}

/// A block with what the ruling says otherwise.
fn merged(block: &str, ruling: &Ruling) -> Option<String> {
    let mut document: DocumentMut = block.parse().ok()?;
    let tool = document
        .get_mut("tool")?
        .as_array_of_tables_mut()?
        .get_mut(0)?;
    merge(tool, &write::table(ruling));
    place_new(tool);
    Some(document.to_string())
}

/// Makes one table say what the other does, and changes nothing that says it already.
fn merge(old: &mut dyn TableLike, new: &dyn TableLike) {
    let gone: Vec<String> = old
        .iter()
        .filter(|(key, _)| !new.contains_key(key))
        .map(|(key, _)| key.to_owned())
        .collect();
    for key in gone {
        old.remove(&key);
    }
    for (key, new) in new.iter() {
        let Some(old_item) = old.get_mut(key) else {
            old.insert(key, new.clone());
            continue;
        };
        match (&mut *old_item, new) {
            (Item::ArrayOfTables(old), Item::ArrayOfTables(new)) => merge_blocks(old, new),
            (old, new) if old.is_table_like() && new.is_table_like() => {
                if let (Some(old), Some(new)) = (old.as_table_like_mut(), new.as_table_like()) {
                    merge(old, new);
                }
            }
            (Item::Value(old), Item::Value(new)) => {
                if !says_the_same(old, new) {
                    let mut new = new.clone();
                    *new.decor_mut() = old.decor().clone();
                    *old = new;
                }
            }
            (old, new) => *old = new.clone(),
        }
    }
}

fn merge_blocks(old: &mut ArrayOfTables, new: &ArrayOfTables) {
    while old.len() > new.len() {
        old.remove(old.len() - 1);
    }
    for (position, new) in new.iter().enumerate() {
        match old.get_mut(position) {
            Some(old) => merge(old, new),
            None => old.push(new.clone()),
        }
    }
}

fn says_the_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len()
                && old
                    .iter()
                    .zip(new.iter())
                    .all(|(old, new)| says_the_same(old, new))
        }
        (Value::String(old), Value::String(new)) => old.value() == new.value(),
        (Value::Integer(old), Value::Integer(new)) => old.value() == new.value(),
        (Value::Boolean(old), Value::Boolean(new)) => old.value() == new.value(),
        (Value::Datetime(old), Value::Datetime(new)) => old.value() == new.value(),
        _ => false,
    }
}

/// Gives tables that have no place yet one behind the table that comes before them in a block
/// written anew.
fn place_new(tool: &mut Table) {
    const ORDER: [&str; 6] = [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "case",
        "definition",
    ];
    let mut last = tool.position();
    for key in ORDER {
        match tool.get_mut(key) {
            Some(Item::Table(table)) => last = place(table, last),
            Some(Item::ArrayOfTables(blocks)) => {
                for table in blocks.iter_mut() {
                    last = place(table, last);
                }
            }
            _ => {}
        }
    }
}

fn place(table: &mut Table, last: Option<isize>) -> Option<isize> {
    if table.position().is_none() {
        table.set_position(last);
    }
    // What stands inside a case comes along with it.
    let inner = table
        .iter()
        .filter_map(|(_, item)| item.as_table()?.position())
        .max();
    inner.max(table.position()).max(last)
}
