//! JSON in which no character hides: what [`sayso_core::reveal::hidden`] names is written as
//! a `\u` escape, so the text is the same to a program and harmless on a terminal.

use std::io::{self, Write};

use sayso_core::reveal::hidden;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// The value as indented JSON with a newline at the end.
///
/// # Errors
/// When the value cannot be written as JSON: a map key that is no string.
pub(super) fn to_string_pretty(value: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, SafeFormatter::default());
    value.serialize(&mut serializer)?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// A text that is JSON already, with those characters escaped: another spelling of the same value.
/// They stand in strings only; nowhere else does JSON have them.
pub(super) fn escape(json: &str) -> String {
    if !json.chars().any(|character| hidden(character).is_some()) {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if hidden(character).is_none() {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}

#[derive(Default)]
struct SafeFormatter {
    pretty: PrettyFormatter<'static>,
}

impl Formatter for SafeFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = 0;
        for (at, character) in fragment
            .char_indices()
            .filter(|(_, character)| hidden(*character).is_some())
        {
            writer.write_all(fragment.get(plain..at).unwrap_or_default().as_bytes())?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = at + character.len_utf8();
        }
        writer.write_all(fragment.get(plain..).unwrap_or_default().as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.pretty.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}
