//! A file of reviewed answers: rulings in which what can be known without a person may be left out.
//!
//! What `sayso classify --suggest` prints is one as soon as somebody has reviewed it: `reviewed = false`
//! has become a date, or `true` for today. `server` may be left out where there is one target,
//! `reviewer` where it is told on the command line, and `definition` in what is written by hand.

use jiff::civil::Date;
use sayso_core::digest::{Part, ToolDigest};
use sayso_core::ruling::Ruling;
use sayso_core::rulings::{Rulings, RulingsError};
use toml_edit::{Document, Item, Table};

use crate::error::{Failure, quoted};

/// What is known without the file.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    /// The only server there is.
    pub(crate) server: Option<&'k str>,
    /// Who reviewed what has no reviewer.
    pub(crate) reviewer: Option<&'k str>,
    /// Today.
    pub(crate) today: Date,
    /// The digests of a tool as it is listed now, by server and name; or why there is none.
    pub(crate) listed: &'k dyn Fn(&str, &str) -> Result<ToolDigest, Failure>,
}

/// Reads answers; `file` names them in errors.
///
/// # Errors
/// When something is wrong in the file, with its place; when an answer is not reviewed, or nobody is
/// told who reviewed it.
pub(crate) fn read(text: &str, file: &str, known: &Known<'_>) -> Result<Vec<Ruling>, Failure> {
    let completed = match Document::parse(text) {
        Ok(document) => complete(text, file, &document, known)?,
        // The reader of rulings says it, as for any file of rulings.
        Err(_) => Completed::default_of(text),
    };
    let rulings = Rulings::parse(&completed.text, file)
        .map_err(|error| wrong(&error, file, &completed.added))?;
    Ok(rulings.iter().cloned().collect())
}

/// A file with what was left out written in.
struct Completed {
    text: String,
    /// The lines of the file as it was behind which lines were added, and how many.
    added: Vec<(usize, usize)>,
}

impl Completed {
    fn default_of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            added: Vec::new(),
        }
    }
}

fn complete(
    text: &str,
    file: &str,
    document: &Document<&str>,
    known: &Known<'_>,
) -> Result<Completed, Failure> {
    let tables = document.get("tool").and_then(Item::as_array_of_tables);
    let tables: Vec<&Table> = tables
        .into_iter()
        .flat_map(|tables| tables.iter())
        .collect();
    refuse_unreviewed(file, &tables)?;
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    let mut added = Vec::new();
    for table in tables {
        let lines = left_out(table, known)?;
        if table.get("reviewer").is_some_and(is_empty) && known.reviewer.is_none() {
            let name = table.get("name").and_then(Item::as_str).unwrap_or_default();
            return Err(Failure::usage(format!(
                "{file}: nobody is told to have reviewed `{name}`"
            ))
            .hint("write `reviewer = \"…\"`, or add `--reviewer NAME`"));
        }
        let reviewed = table
            .get("reviewed")
            .filter(|item| item.as_bool() == Some(true));
        if let Some(span) = reviewed.and_then(Item::span) {
            edits.push((span, known.today.to_string()));
        }
        let nobody = table.get("reviewer").filter(|item| is_empty(item));
        if let (Some(span), Some(reviewer)) = (nobody.and_then(Item::span), known.reviewer) {
            edits.push((span, toml_edit::Value::from(reviewer).to_string()));
        }
        let header = table.span().map_or(0, |span| span.start);
        let rest = text.get(header..).unwrap_or_default();
        let behind = rest.find('\n').map_or(text.len(), |end| header + end + 1);
        if !lines.is_empty() {
            let line = text.get(..header).unwrap_or_default().matches('\n').count() + 1;
            added.push((line, lines.matches('\n').count()));
            let gap = if text.get(..behind).is_some_and(|text| text.ends_with('\n')) {
                ""
            } else {
                "\n"
            };
            edits.push((behind..behind, format!("{gap}{lines}")));
        }
    }
    edits.sort_by_key(|(span, _)| span.start);
    let mut completed = text.to_owned();
    for (span, new) in edits.into_iter().rev() {
        completed.replace_range(span, &new);
    }
    Ok(Completed {
        text: completed,
        added,
    })
}

/// A text of nothing but white space.
fn is_empty(item: &Item) -> bool {
    item.as_str().is_some_and(|text| text.trim().is_empty())
}

fn refuse_unreviewed(file: &str, tables: &[&Table]) -> Result<(), Failure> {
    let unreviewed: Vec<&str> = tables
        .iter()
        .filter(|table| {
            let reviewed = table.get("reviewed");
            reviewed.is_none_or(|reviewed| reviewed.as_bool() == Some(false))
        })
        .map(|table| table.get("name").and_then(Item::as_str).unwrap_or("?"))
        .collect();
    if unreviewed.is_empty() {
        return Ok(());
    }
    const SHOWN: usize = 8;
    let more = unreviewed.len().saturating_sub(SHOWN);
    let mut names = quoted(unreviewed.iter().copied().take(SHOWN));
    if more > 0 {
        names.push_str(&format!(" and {more} more"));
    }
    Err(
        Failure::usage(format!("{file}: not reviewed: {names}")).hint(
            "look at each, correct it, and write the day of the review or `reviewed = true`; \
             take out what you do not decide",
        ),
    )
}

/// The lines that a block needs and does not have, of those that can be told.
fn left_out(table: &Table, known: &Known<'_>) -> Result<String, Failure> {
    let mut lines = String::new();
    let text = |text: &str| toml_edit::Value::from(text).to_string();
    let mut add = |key: &str, value: &str| lines.push_str(&format!("{key} = {value}\n"));
    let server = table.get("server").and_then(Item::as_str).or(known.server);
    if let (None, Some(server)) = (table.get("server"), known.server) {
        add("server", &text(server));
    }
    if let (None, Some(reviewer)) = (table.get("reviewer"), known.reviewer) {
        add("reviewer", &text(reviewer));
    }
    let name = table.get("name").and_then(Item::as_str);
    if let (None, Some(server), Some(name)) = (table.get("definition"), server, name) {
        let digest = (known.listed)(server, name)?;
        add("definition.digest", &text(&digest.whole.to_string()));
        for part in Part::ALL {
            let key = format!("definition.{part}");
            add(&key, &text(&digest.parts.get(part).to_string()));
        }
    }
    Ok(lines)
}

/// An error about the file as it was.
fn wrong(error: &RulingsError, file: &str, added: &[(usize, usize)]) -> Failure {
    let place = error.place();
    let before = format!("{file}:{}:{}: ", place.line, place.column);
    let told = error.to_string();
    let message = told.strip_prefix(&before).unwrap_or(&told);
    let mut line = place.line;
    for (behind, count) in added {
        if line > *behind {
            line = (line.saturating_sub(*count)).max(*behind);
        }
    }
    Failure::usage(format!("{file}:{line}:{}: {message}", place.column)).hint_if_known(error.hint())
}
