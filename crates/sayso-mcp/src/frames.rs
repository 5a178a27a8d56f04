//! Bytes from a pipe, cut into lines and sorted into messages and everything else.
//!
//! The stdio transport has one message a line (MCP, "Transports", stdio). Servers also write
//! logs there, byte order marks, `\r\n`, and text without a line end before a message.

use std::collections::VecDeque;

use sayso_core::json::{Document, Limits, ParseError, ParseErrorKind};
use serde_json::value::RawValue;

use crate::jsonrpc::{Message, Unclassified};

/// UTF-8's byte order mark.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// How much is kept of a line past the cap.
const HEAD: usize = 256;

/// How many places of one line are tried in vain as the start of a message.
const MAX_ATTEMPTS: usize = 16;

/// A line, or what became of one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Without its line end.
    Text(Vec<u8>),
    /// Past the cap; the rest up to the next line end is thrown away.
    TooLong,
}

/// Cuts bytes into lines. What it keeps never grows past the cap.
#[derive(Debug)]
pub(crate) struct LineReader {
    held: Vec<u8>,
    max_bytes: usize,
    skipping: bool,
    /// The start of the last line past the cap.
    head: Vec<u8>,
}

impl LineReader {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            held: Vec::new(),
            max_bytes,
            skipping: false,
            head: Vec::new(),
        }
    }

    /// Takes the next bytes and appends the lines that are whole now.
    pub(crate) fn push(&mut self, mut bytes: &[u8], lines: &mut VecDeque<Line>) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(at);
            bytes = rest.get(1..).unwrap_or_default();
            self.hold(line, lines);
            if !std::mem::take(&mut self.skipping) {
                lines.push_back(Line::Text(std::mem::take(&mut self.held)));
            }
        }
        self.hold(bytes, lines);
    }

    /// The last line, if it has no line end.
    pub(crate) fn finish(&mut self, lines: &mut VecDeque<Line>) {
        if !self.skipping && !self.held.is_empty() {
            lines.push_back(Line::Text(std::mem::take(&mut self.held)));
        }
    }

    fn hold(&mut self, bytes: &[u8], lines: &mut VecDeque<Line>) {
        if self.skipping {
            return;
        }
        if self.held.len() + bytes.len() > self.max_bytes {
            self.head = std::mem::take(&mut self.held);
            self.head.extend(bytes.iter().take(HEAD));
            self.head.truncate(HEAD);
            self.head.shrink_to_fit();
            self.skipping = true;
            lines.push_back(Line::TooLong);
        } else {
            self.held.extend_from_slice(bytes);
        }
    }
}

/// What was found on a line.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message.
    Message(Message),
    /// JSON that is no message.
    Unclassified(Box<Unclassified>),
    /// A line that means to hold an answer and cannot be read.
    Broken {
        /// Why not; the offset counts from the start of the line.
        error: ParseError,
        /// The line.
        text: String,
    },
    /// A line without a message.
    Noise(String),
    /// Text on the line of a message, before or behind it.
    Glued(String),
    /// A byte order mark.
    ByteOrderMark,
    /// A line past the cap.
    TooLong,
}

/// Cuts bytes into frames.
#[derive(Debug)]
pub(crate) struct FrameReader {
    reader: LineReader,
    lines: VecDeque<Line>,
    limits: Limits,
}

impl FrameReader {
    #[cfg(test)]
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self::within(Limits {
            max_bytes,
            ..Limits::default()
        })
    }

    /// With all the limits of a message.
    pub(crate) fn within(limits: Limits) -> Self {
        Self {
            reader: LineReader::new(limits.max_bytes),
            lines: VecDeque::new(),
            limits,
        }
    }

    /// The start of the last line past the cap.
    pub(crate) fn head_of_too_long(&self) -> &[u8] {
        &self.reader.head
    }

    /// Takes the next bytes and appends the frames that are whole now.
    pub(crate) fn push(&mut self, bytes: &[u8], frames: &mut VecDeque<Frame>) {
        self.reader.push(bytes, &mut self.lines);
        self.sort_lines(frames);
    }

    /// Takes the end of the stream: a last line needs no line end.
    pub(crate) fn finish(&mut self, frames: &mut VecDeque<Frame>) {
        self.reader.finish(&mut self.lines);
        self.sort_lines(frames);
    }

    fn sort_lines(&mut self, frames: &mut VecDeque<Frame>) {
        for line in self.lines.drain(..) {
            match line {
                Line::TooLong => frames.push_back(Frame::TooLong),
                Line::Text(bytes) => sort(bytes, &self.limits, frames),
            }
        }
    }
}

fn sort(mut line: Vec<u8>, limits: &Limits, frames: &mut VecDeque<Frame>) {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    if line.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        line.drain(..BYTE_ORDER_MARK.len());
        frames.push_back(Frame::ByteOrderMark);
    }
    if line.trim_ascii().is_empty() {
        return;
    }
    let line = match String::from_utf8(line) {
        Ok(line) => line,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            frames.push_back(unreadable(
                text,
                ParseError {
                    kind: ParseErrorKind::NotUtf8,
                    offset,
                },
            ));
            return;
        }
    };
    // Nothing else can start a message, and logs are not worth a copy.
    if line.trim_start().starts_with(['{', '[']) {
        match Document::parse(line.clone(), limits) {
            Ok(document) => frames.push_back(classified(document)),
            Err(error) => recover(line, Some(error), limits, frames),
        }
    } else {
        recover(line, None, limits, frames);
    }
}

fn classified(document: Document) -> Frame {
    match Message::classify(document) {
        Ok(message) => Frame::Message(message),
        Err(unclassified) => Frame::Unclassified(unclassified),
    }
}

/// Finds the messages on a line that also holds other text.
fn recover(line: String, error: Option<ParseError>, limits: &Limits, frames: &mut VecDeque<Frame>) {
    let mut found = EmbeddedMessages::new(&line, limits);
    let mut any = false;
    for (before, message) in found.by_ref() {
        any = true;
        glued(before, frames);
        frames.push_back(Frame::Message(message));
    }
    if any {
        glued(found.rest, frames);
    } else if let Some(error) = error {
        frames.push_back(unreadable(line, error));
    } else {
        frames.push_back(Frame::Noise(line));
    }
}

fn glued(text: &str, frames: &mut VecDeque<Frame>) {
    if !text.trim().is_empty() {
        frames.push_back(Frame::Glued(text.to_owned()));
    }
}

fn unreadable(text: String, error: ParseError) -> Frame {
    let start = text.trim_start();
    let answer = start.starts_with('{') && start.contains("\"jsonrpc\"");
    if answer && (start.contains("\"result\"") || start.contains("\"error\"")) {
        Frame::Broken { error, text }
    } else {
        Frame::Noise(text)
    }
}

/// The messages in the middle of a text, each with what stands between it and the one before.
/// The time it takes grows with the text only, however many messages stand in it.
#[derive(Debug)]
pub(crate) struct EmbeddedMessages<'t> {
    /// What stands behind the last message.
    rest: &'t str,
    /// How many more places without a message are tried.
    attempts: usize,
    limits: Limits,
}

impl<'t> EmbeddedMessages<'t> {
    pub(crate) fn new(text: &'t str, limits: &Limits) -> Self {
        Self {
            rest: text,
            attempts: MAX_ATTEMPTS,
            limits: *limits,
        }
    }

    /// The message that begins at the start of `candidate`, and what stands behind it.
    fn message<'c>(&self, candidate: &'c str) -> Option<(Message, &'c str)> {
        // Finds the end first, so that only the message is copied.
        let mut values = serde_json::Deserializer::from_str(candidate).into_iter::<&RawValue>();
        let value = values.next()?.ok()?.get();
        let document = Document::parse(value.to_owned(), &self.limits).ok()?;
        let message = Message::classify(document).ok()?;
        Some((message, candidate.get(value.len()..).unwrap_or_default()))
    }
}

impl<'t> Iterator for EmbeddedMessages<'t> {
    type Item = (&'t str, Message);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest;
        let starts = memchr::memchr_iter(b'{', text.as_bytes());
        for start in starts.filter(|start| opens_envelope(text, *start)) {
            let (before, candidate) = text.split_at(start);
            if let Some((message, behind)) = self.message(candidate) {
                self.rest = behind;
                return Some((before, message));
            }
            self.attempts = self.attempts.checked_sub(1)?;
        }
        None
    }
}

/// Whether the brace at `start` opens an object whose first key is one of an envelope.
fn opens_envelope(text: &str, start: usize) -> bool {
    let inside = text.get(start + 1..).unwrap_or_default().trim_start();
    let Some(key) = inside.strip_prefix('"') else {
        return false;
    };
    [
        "jsonrpc\"",
        "id\"",
        "method\"",
        "params\"",
        "result\"",
        "error\"",
    ]
    .iter()
    .any(|known| key.starts_with(known))
}

#[cfg(test)]
mod tests;
