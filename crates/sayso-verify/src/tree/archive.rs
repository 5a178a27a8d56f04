//! Zip archives, and the office formats that are some: what is lost of their members and texts.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, escape};

use super::records::lost;
use crate::change::Loss;

/// How many bytes the members of an archive may have when they are unpacked, all together.
const ROOM: u64 = 64 << 20;

/// How many changed parts are named.
const NAMED: usize = 3;

/// What says by whom and when a file was saved.
const SAVED: [&str; 2] = ["docProps/", "meta.xml"];

/// What only says what else there is, is worked out again when a file is saved, or holds texts that are
/// weighed where they are used.
const BOOKKEEPING: [&str; 6] = [
    "[Content_Types].xml",
    "_rels/",
    "xl/calcChain.xml",
    "xl/sharedStrings.xml",
    "META-INF/",
    "Thumbnails/",
];

/// Elements within a text, of which it may have any number.
const WITHIN: [&[u8]; 5] = [b"t", b"r", b"rPr", b"span", b"is"];

type Archive<'bytes> = zip::ZipArchive<Cursor<&'bytes [u8]>>;

/// What is lost of an archive, and in words what changed in it; `None` where it is none, before or after.
pub(super) fn of(old: &[u8], new: &[u8]) -> Option<(Loss, Option<String>)> {
    let (mut old, mut new) = (open(old)?, open(new)?);
    let (before, after) = (members(&mut old)?, members(&mut new)?);
    if is_office(&before) && is_office(&after) {
        let things = things(&mut old, &before).zip(things(&mut new, &after));
        if let Some((had, has)) = things {
            let (loss, _) = lost(&had, &has, "text or part");
            return Some((loss, told(&before, &after)));
        }
    }
    let listed = |members: &Members| -> Vec<String> {
        let kept = members.iter().filter(|(name, _)| !is_bookkeeping(name));
        kept.map(|(name, sum)| format!("{name} {sum:08x}"))
            .collect()
    };
    Some(lost(&listed(&before), &listed(&after), "member"))
}

/// Names of members with the checksums of what they hold, however it is packed.
type Members = BTreeMap<String, u32>;

fn open(bytes: &[u8]) -> Option<Archive<'_>> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    zip::ZipArchive::new(Cursor::new(bytes)).ok()
}

fn members(archive: &mut Archive<'_>) -> Option<Members> {
    let all = (0..archive.len()).map(|place| {
        let member = archive.by_index_raw(place).ok()?;
        Some((member.name().ok()?.into_owned(), member.crc32()))
    });
    all.collect()
}

/// Whether it is of the Open Packaging Conventions (ECMA-376 part 2) or an OpenDocument package (its part
/// 2).
fn is_office(members: &Members) -> bool {
    members.contains_key("[Content_Types].xml")
        || (members.contains_key("mimetype") && members.contains_key("content.xml"))
}

fn is_bookkeeping(name: &str) -> bool {
    let mut known = SAVED.iter().chain(&BOOKKEEPING);
    known.any(|known| name.starts_with(known) || (known.ends_with('/') && name.contains(known)))
}

/// Whether two archives hold the same, but for when they were saved.
pub(super) fn is_same(old: &[u8], new: &[u8]) -> bool {
    let held = |bytes| {
        let mut held = members(&mut open(bytes)?)?;
        held.retain(|name, _| !SAVED.iter().any(|saved| name.starts_with(saved)));
        Some(held)
    };
    held(old).is_some_and(|old| held(new) == Some(old))
}

/// What a document holds: the texts in its parts, what is not text by its checksum, and how many parts of
/// each kind there are. Programs write all of a document anew when they save it, in their own words.
fn things(archive: &mut Archive<'_>, members: &Members) -> Option<Vec<String>> {
    let mut room = ROOM;
    let mut things = Vec::new();
    for (name, sum) in members {
        let is_text = name.ends_with(".xml");
        if is_text && (!is_bookkeeping(name) || name == "xl/sharedStrings.xml") {
            let mut bytes = Vec::new();
            let mut member = archive.by_name(name).ok()?.take(room + 1);
            member.read_to_end(&mut bytes).ok()?;
            room = room.checked_sub(u64::try_from(bytes.len()).ok()?)?;
            texts(&bytes, &mut things)?;
        }
        if is_bookkeeping(name) || name.ends_with(".vml") || name.ends_with('/') {
            continue;
        }
        things.push(if is_text {
            format!("part {}", kind(name))
        } else {
            format!("bytes {sum:08x}")
        });
    }
    Some(things)
}

/// The name of a part without its folder and number, which depend on the program that saves it.
fn kind(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_suffix(".xml").unwrap_or(name);
    name.trim_end_matches(|end: char| end.is_ascii_digit())
        .trim_end_matches('s')
}

/// Where in a table's cell a reader is.
#[derive(Default)]
struct Cell {
    /// Its value is the number of a text that is kept elsewhere.
    is_reference: bool,
    /// Its value is what a formula comes to.
    has_formula: bool,
    is_in_value: bool,
}

/// The texts of a part: of a paragraph, a cell, a formula.
fn texts(part: &[u8], into: &mut Vec<String>) -> Option<()> {
    let mut reader = Reader::from_reader(part);
    let mut cell = Cell::default();
    let mut text = String::new();
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return Some(()),
            Event::Start(element) => cell.enter(&element),
            Event::Text(found) => text.push_str(&String::from_utf8_lossy(&found)),
            Event::CData(found) => text.push_str(&String::from_utf8_lossy(&found)),
            Event::GeneralRef(reference) => text.push_str(&meant(&reference)),
            Event::End(element) if WITHIN.contains(&element.local_name().as_ref()) => {}
            Event::End(_) => {
                let kept = cell.keep(text.trim());
                into.extend(kept.map(|text| format!("text {text}")));
                text.clear();
                cell.is_in_value = false;
            }
            _ => {}
        }
    }
}

impl Cell {
    fn enter(&mut self, element: &BytesStart<'_>) {
        match element.local_name().as_ref() {
            b"c" => {
                let kind = element.try_get_attribute("t").ok().flatten();
                *self = Self {
                    is_reference: kind.is_some_and(|kind| kind.value.as_ref() == b"s"),
                    ..Self::default()
                };
            }
            b"f" => self.has_formula = true,
            b"v" => self.is_in_value = true,
            _ => {}
        }
    }

    /// A text, if it is one that nothing else says.
    fn keep(&self, text: &str) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        if !self.is_in_value {
            return Some(text.to_owned());
        }
        if self.is_reference || self.has_formula {
            return None;
        }
        // Programs write the same number in different ways.
        let number = text.parse::<f64>().map(|number| number.to_string());
        Some(number.unwrap_or_else(|_| text.to_owned()))
    }
}

/// The character that a reference stands for.
fn meant(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name = String::from_utf8_lossy(reference);
    escape::resolve_predefined_entity(&name).map_or_else(|| format!("&{name};"), str::to_owned)
}

/// In words which parts are others than before.
fn told(before: &Members, after: &Members) -> Option<String> {
    let mut changed = Vec::new();
    for (name, sum) in before.iter().filter(|(name, _)| !is_bookkeeping(name)) {
        match after.get(name) {
            None => changed.push(format!("part {name} gone")),
            Some(other) if other != sum => changed.push(format!("part {name} changed")),
            Some(_) => {}
        }
    }
    let new = after
        .keys()
        .filter(|name| !before.contains_key(*name) && !is_bookkeeping(name));
    changed.extend(new.map(|name| format!("part {name} added")));
    let more = changed.len().saturating_sub(NAMED);
    changed.truncate(NAMED);
    if more > 0 {
        changed.push(format!("{more} more"));
    }
    (!changed.is_empty()).then(|| changed.join(", "))
}
