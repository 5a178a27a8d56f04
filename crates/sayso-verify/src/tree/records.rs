//! JSON lines and archives: what is lost of records and members.

use std::collections::BTreeMap;
use std::io::Cursor;

use sayso_core::digest::Digest;
use sayso_core::json::{Document, Limits};

use crate::change::Loss;

/// Whether each line of this is a JSON object or array, and there is more than one, or it is called so.
pub(super) fn lines(text: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(text).ok()?;
    let limits = Limits::default();
    let records = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let record = Document::parse(line.to_owned(), &limits).ok()?;
            let root = record.root();
            (root.is_object() || root.is_array()).then(|| Digest::of(root).to_string())
        });
    records
        .collect::<Option<Vec<_>>>()
        .filter(|records| !records.is_empty())
}

/// The members of a zip archive: names with checksums.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<String>> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let members = (0..archive.len()).map(|place| {
        let member = archive.by_index_raw(place).ok()?;
        Some(format!("{} {:08x}", member.name().ok()?, member.crc32()))
    });
    members.collect()
}

/// What of `before` is not in `after`, whatever its place, and how many are new.
pub(super) fn lost(before: &[String], after: &[String], of: &str) -> (Loss, Option<String>) {
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
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
    let new: usize = kept.values().sum();
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
