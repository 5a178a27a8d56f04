//! The chain of entries: how one is bound to the one before it, and how that is checked.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Record, Timestamp};
use crate::digest::hexadecimal;

/// The hash of one entry, shown as 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// What stands in the first entry for the one before it.
    pub const NONE: Self = Self([0; 32]);
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(hexadecimal(&self.0, &mut [0; 64]))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no hash of an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no hash: expected 64 hexadecimal digits in lower case")]
pub struct HashError(String);

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let read = || {
            let (pairs, rest) = text.as_bytes().as_chunks::<2>();
            let mut bytes = [0; 32];
            if pairs.len() != bytes.len() || !rest.is_empty() {
                return None;
            }
            for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
                *byte = nibble(*high)? << 4 | nibble(*low)?;
            }
            Some(Self(bytes))
        };
        read().ok_or_else(|| HashError(text.to_owned()))
    }
}

impl Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1 without a gap.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The hash of the entry before it; [`Hash::NONE`] for the first.
    pub previous: Hash,
    /// Its own hash.
    pub hash: Hash,
    /// What it says.
    pub record: Record,
}

/// One entry as it is written down: the record as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenEntry {
    /// Its number.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The hash of the entry before it.
    pub previous: Hash,
    /// Its own hash.
    pub hash: Hash,
    /// The kind of the record.
    pub kind: String,
    /// The members of the record, in canonical JSON.
    pub record: String,
}

impl WrittenEntry {
    /// Writes a record down behind the entry with this number and hash.
    #[must_use]
    pub fn seal(previous: Hash, seq: u64, at: Timestamp, record: &Record) -> Self {
        let kind = record.kind().to_owned();
        let record = record.text();
        Self {
            hash: hash_written(previous, seq, at, &kind, &record),
            seq,
            at,
            previous,
            kind,
            record,
        }
    }

    /// Reads the record.
    ///
    /// # Errors
    /// When its text is no record of its kind.
    pub fn read(&self) -> Result<Entry, WhyBroken> {
        let text = format!(
            "{{\"kind\":{},\"record\":{}}}",
            json_string(&self.kind),
            self.record
        );
        let record = serde_json::from_str(&text)
            .map_err(|error| WhyBroken::Unreadable(error.to_string()))?;
        Ok(Entry {
            seq: self.seq,
            at: self.at,
            previous: self.previous,
            hash: self.hash,
            record,
        })
    }

    /// The entry as one line of canonical JSON. Without its member `hash` it is what the hash is of.
    #[must_use]
    pub fn line(&self) -> String {
        let (before, after) = around(
            self.previous,
            self.seq,
            self.at,
            &self.kind,
            Some(self.hash),
        );
        [&before, self.record.as_str(), &after].concat()
    }

    /// Reads what [`WrittenEntry::line`] wrote.
    ///
    /// # Errors
    /// When it is something else.
    pub fn from_line(line: &str) -> Result<Self, WhyBroken> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Line<'a> {
            at: Timestamp,
            hash: Hash,
            kind: String,
            previous: Hash,
            #[serde(borrow)]
            record: &'a serde_json::value::RawValue,
            seq: u64,
        }
        let Line {
            at,
            hash,
            kind,
            previous,
            record,
            seq,
        } = serde_json::from_str(line).map_err(|error| WhyBroken::Unreadable(error.to_string()))?;
        Ok(Self {
            seq,
            at,
            previous,
            hash,
            kind,
            record: record.get().to_owned(),
        })
    }
}

impl Entry {
    /// The entry as it is written down.
    #[must_use]
    pub fn written(&self) -> WrittenEntry {
        WrittenEntry {
            seq: self.seq,
            at: self.at,
            previous: self.previous,
            hash: self.hash,
            kind: self.record.kind().to_owned(),
            record: self.record.text(),
        }
    }
}

/// The hash of an entry: SHA-256 over canonical JSON of its time, kind, predecessor's hash, record
/// and number.
#[must_use]
pub fn hash(previous: Hash, seq: u64, at: Timestamp, record: &Record) -> Hash {
    hash_written(previous, seq, at, record.kind(), &record.text())
}

/// As [`hash`], of a record as it is written down. The text is taken as it is: what is not
/// canonical has another hash.
#[must_use]
pub fn hash_written(previous: Hash, seq: u64, at: Timestamp, kind: &str, record: &str) -> Hash {
    let (before, after) = around(previous, seq, at, kind, None);
    let hasher = Sha256::new()
        .chain_update(before)
        .chain_update(record)
        .chain_update(after);
    Hash(hasher.finalize().into())
}

/// What stands before the record in the line of an entry, and what behind it.
fn around(
    previous: Hash,
    seq: u64,
    at: Timestamp,
    kind: &str,
    hash: Option<Hash>,
) -> (String, String) {
    let mut before = String::with_capacity(256);
    // Writing to a string cannot fail.
    let _ = write!(before, "{{\"at\":{}", at.0);
    if let Some(hash) = hash {
        let _ = write!(before, ",\"hash\":\"{hash}\"");
    }
    let kind = json_string(kind);
    let _ = write!(
        before,
        ",\"kind\":{kind},\"previous\":\"{previous}\",\"record\":"
    );
    (before, format!(",\"seq\":{seq}}}"))
}

fn json_string(text: &str) -> String {
    // A string never fails.
    serde_json::to_string(text).unwrap_or_default()
}

/// What was found of a chain that holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many entries there are.
    pub entries: u64,
    /// The number of the last one.
    pub last: u64,
    /// Its hash; [`Hash::NONE`] where there is none.
    pub head: Hash,
}

/// The first entry by which a chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("entry {seq}: {why}")]
pub struct Broken {
    /// The number that the entry has or should have.
    pub seq: u64,
    /// What is wrong with it.
    pub why: WhyBroken,
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhyBroken {
    /// It is not there.
    #[error("it is missing; the next one there is {0}")]
    Missing(u64),
    /// It names another predecessor.
    #[error(
        "it does not follow the entry before it: that has the hash {expected}, and it names {found}"
    )]
    Previous {
        /// The hash of the entry before.
        expected: Hash,
        /// What it names.
        found: Hash,
    },
    /// What it says is not what was hashed.
    #[error("it was changed: what it says has the hash {expected}, and it carries {found}")]
    Changed {
        /// The hash of what it says.
        expected: Hash,
        /// The hash it carries.
        found: Hash,
    },
    /// What it says cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// Goes along a chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verifier {
    verified: Verified,
}

impl Verifier {
    /// From the first entry on.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From the entry behind the one with this number and hash on, which are taken as they are.
    #[must_use]
    pub const fn behind(seq: u64, hash: Hash) -> Self {
        Self {
            verified: Verified {
                entries: 0,
                last: seq,
                head: hash,
            },
        }
    }

    /// Checks the next entry.
    ///
    /// # Errors
    /// By what the chain does not hold.
    pub fn check(&mut self, entry: &WrittenEntry) -> Result<Entry, Broken> {
        let expected = self.verified.last.saturating_add(1);
        if entry.seq != expected {
            let why = WhyBroken::Missing(entry.seq);
            return Err(Broken { seq: expected, why });
        }
        let broken = |why| Broken {
            seq: entry.seq,
            why,
        };
        if entry.previous != self.verified.head {
            return Err(broken(WhyBroken::Previous {
                expected: self.verified.head,
                found: entry.previous,
            }));
        }
        let hash = hash_written(
            entry.previous,
            entry.seq,
            entry.at,
            &entry.kind,
            &entry.record,
        );
        if hash != entry.hash {
            return Err(broken(WhyBroken::Changed {
                expected: hash,
                found: entry.hash,
            }));
        }
        let read = entry.read().map_err(broken)?;
        self.verified = Verified {
            entries: self.verified.entries + 1,
            last: entry.seq,
            head: entry.hash,
        };
        Ok(read)
    }

    /// What was found so far.
    #[must_use]
    pub const fn verified(&self) -> Verified {
        self.verified
    }
}

/// Checks a whole chain, from its first entry on.
///
/// # Errors
/// The first entry by which it does not hold.
pub fn verify<'a>(entries: impl IntoIterator<Item = &'a WrittenEntry>) -> Result<Verified, Broken> {
    let mut verifier = Verifier::new();
    for entry in entries {
        verifier.check(entry)?;
    }
    Ok(verifier.verified())
}
