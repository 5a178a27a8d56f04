//! JSON, JSON lines and archives: what is lost of their records.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::archive;
use crate::change::Loss;

/// How many pairs of records are compared with one another.
const PAIRS: usize = 100_000;

/// What is lost of a file of records, and in words; `None` where it is none, before or after.
pub(super) fn of(path: &Path, old: &[u8], new: &[u8]) -> Option<(Loss, Option<String>)> {
    if let Some(told) = archive::of(old, new) {
        return Some(told);
    }
    if let (Some(old), Some(new)) = (lines(path, old), lines(path, new)) {
        return Some(told(gone(&old, &new), gone(&new, &old), "record"));
    }
    let (old, new) = (document(old)?, document(new)?);
    match (&old, &new) {
        (Value::Array(old), Value::Array(new)) => {
            Some(told(gone(old, new), gone(new, old), "record"))
        }
        (Value::Object(_), Value::Object(_)) => {
            Some(told(missing(&old, &new), missing(&new, &old), "member"))
        }
        _ => None,
    }
}

/// In words what was added to a file of records that has lost nothing.
pub(super) fn added(path: &Path, old: &[u8], new: &[u8]) -> Option<String> {
    match of(path, old, new) {
        Some((Loss::Nothing, detail)) => detail,
        _ => None,
    }
}

/// The records of a file of which each line is a JSON object or array. It is called so, or has more
/// than one.
fn lines(path: &Path, text: &[u8]) -> Option<Vec<Value>> {
    let is_called_so = path
        .extension()
        .is_some_and(|end| end == "jsonl" || end == "ndjson");
    let text = std::str::from_utf8(text).ok()?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let records = lines.map(|line| document(line.as_bytes()));
    let records = records.collect::<Option<Vec<_>>>()?;
    (records.len() > usize::from(!is_called_so)).then_some(records)
}

/// A JSON object or array.
fn document(text: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(text).ok()?;
    (document.is_object() || document.is_array()).then_some(document)
}

/// How many records of `before` no record of `after` holds, whatever their place. A record to which
/// something was added holds what it was.
fn gone(before: &[Value], after: &[Value]) -> u64 {
    let mut same: BTreeMap<String, usize> = BTreeMap::new();
    for record in after {
        *same.entry(canonical(record)).or_default() += 1;
    }
    let mut left = Vec::new();
    for record in before {
        match same.get_mut(&canonical(record)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => left.push(record),
        }
    }
    let mut others: Vec<&Value> = Vec::new();
    for record in after.iter().rev() {
        if let Some(count) = same.get_mut(&canonical(record)).filter(|count| **count > 0) {
            *count -= 1;
            others.push(record);
        }
    }
    others.reverse();
    if left.len().saturating_mul(others.len()) > PAIRS {
        return u64::try_from(left.len()).unwrap_or(u64::MAX);
    }
    let mut count = 0;
    for record in left {
        let mut found = others.iter();
        match found.position(|other| missing(record, other) == 0) {
            Some(place) => drop(others.remove(place)),
            None => count += 1,
        }
    }
    count
}

/// How much of a value another one does not hold: members of objects, elements of arrays, and itself.
fn missing(before: &Value, after: &Value) -> u64 {
    match (before, after) {
        (one, other) if one == other => 0,
        (Value::Object(one), Value::Object(other)) => one
            .iter()
            .map(|(name, value)| other.get(name).map_or(1, |other| missing(value, other)))
            .sum(),
        (Value::Array(one), Value::Array(other)) => gone(one, other),
        (Value::String(one), Value::String(other)) if other.contains(one.as_str()) => 0,
        _ => 1,
    }
}

/// The same text for equal values, in whatever order their members stand.
fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

/// What of `before` is not in `after`, whatever its place, and how many are new.
pub(super) fn lost(before: &[String], after: &[String], of: &str) -> (Loss, Option<String>) {
    let mut kept: BTreeMap<&str, u64> = BTreeMap::new();
    for one in after {
        *kept.entry(one).or_default() += 1;
    }
    let mut gone = 0;
    for one in before {
        match kept.get_mut(one.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => gone += 1,
        }
    }
    told(gone, kept.values().sum(), of)
}

fn told(gone: u64, new: u64, of: &str) -> (Loss, Option<String>) {
    let detail = match (gone, new) {
        (0, 0) => return (Loss::Nothing, None),
        (0, new) => format!("{new} {of}(s) added"),
        (gone, 0) => format!("{gone} {of}(s) gone"),
        (gone, new) => format!("{gone} {of}(s) gone, {new} new"),
    };
    let loss = match gone {
        0 => Loss::Nothing,
        count => Loss::Items {
            count,
            of: of.to_owned(),
        },
    };
    (loss, Some(detail))
}
