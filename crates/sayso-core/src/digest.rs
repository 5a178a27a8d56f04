//! Digests of what a server sent: the same for all spellings of one value, another for
//! every other value.
//!
//! A digest is SHA-256 over the JSON Canonicalization Scheme (JCS, [RFC 8785]): members sorted,
//! no white space, numbers and strings in one spelling. JCS is defined only for JSON that a
//! JavaScript engine can hold (I-JSON, RFC 7493). A server can send more than that, and what it
//! sends beyond must not share a digest with anything else. So where JCS has no answer, the
//! canonical form goes on exactly, and the digest has another label ([`Scheme::Exact`]):
//!
//! - a repeated key stands as often as it was sent, its values in the order they came;
//! - a number that no double is (`18446744073709551615`, `1e400`) is written as its digits
//!   without zeros at either end and its exponent: `18446744073709551615e0`, `1e400`;
//! - a surrogate without its partner is written as its escape, `\ud800`.
//!
//! [RFC 8785]: https://www.rfc-editor.org/rfc/rfc8785

mod canonical;
mod number;
mod tool;

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::json::Value;
use canonical::Node;
pub use tool::{Part, Parts, ToolDigest};

/// How a value was written before it was digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// As RFC 8785 says.
    Jcs,
    /// RFC 8785 has no answer for something in it; see the [module](self).
    Exact,
}

impl Scheme {
    /// What stands before the digest.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Jcs => "sha256:",
            Self::Exact => "sha256-exact:",
        }
    }
}

/// The digest of one JSON value, shown as `sha256:` and 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    scheme: Scheme,
    bytes: [u8; 32],
}

impl Digest {
    /// The digest of a value.
    #[must_use]
    pub fn of(value: Value<'_>) -> Self {
        Self::of_node(Node::Value(value))
    }

    /// The digest of a text, such as a server's instructions: that of the JSON string.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::of_canonical(Scheme::Jcs, &canonical::write_string(text))
    }

    /// The digest of a text byte for byte, whatever it is: for what is long and compared with nothing
    /// that is only spelled differently.
    #[must_use]
    pub fn of_bytes(text: &str) -> Self {
        Self::of_canonical(Scheme::Exact, text)
    }

    /// How the value was written.
    #[must_use]
    pub const fn scheme(self) -> Scheme {
        self.scheme
    }

    /// The 32 bytes; two digests are equal only if their schemes are, too.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    fn of_node(node: Node<'_>) -> Self {
        let (scheme, text) = canonical::write(node);
        Self::of_canonical(scheme, &text)
    }

    fn of_canonical(scheme: Scheme, text: &str) -> Self {
        Self {
            scheme,
            bytes: Sha256::digest(text.as_bytes()).into(),
        }
    }
}

/// A value in canonical form, and by which scheme.
#[must_use]
pub fn canonical(value: Value<'_>) -> (Scheme, String) {
    canonical::write(Node::Value(value))
}

/// A JSON number in canonical form.
pub(crate) fn canonical_number(raw: &str) -> String {
    match number::canonical(raw) {
        number::Number::Double(text) | number::Number::Beyond(text) => text,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme.label())?;
        f.write_str(hexadecimal(&self.bytes, &mut [0; 64]))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no digest: expected `sha256:` and 64 hexadecimal digits in lower case")]
pub struct DigestError(String);

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (scheme, digits) = [Scheme::Jcs, Scheme::Exact]
                .into_iter()
                .find_map(|scheme| Some((scheme, text.strip_prefix(scheme.label())?)))?;
            let mut bytes = [0; 32];
            let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
            if pairs.len() != bytes.len() || !rest.is_empty() {
                return None;
            }
            for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
                *byte = nibble(*high)? << 4 | nibble(*low)?;
            }
            Some(Self { scheme, bytes })
        };
        read().ok_or_else(|| DigestError(text.to_owned()))
    }
}

/// 32 bytes as digits in lower case, all at once: entries of the journal have several of them.
pub(crate) fn hexadecimal<'a>(bytes: &[u8; 32], text: &'a mut [u8; 64]) -> &'a str {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    std::str::from_utf8(text).unwrap_or_default()
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
