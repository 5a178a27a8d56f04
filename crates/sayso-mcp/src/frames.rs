//! Bytes from a pipe, cut into lines and sorted into messages and everything else.
//!
//! The stdio transport has one message a line (MCP, "Transports", stdio). Servers also write
//! logs there, byte order marks, `\r\n`, and text without a line end before a message.

use std::collections::VecDeque;

use sayso_core::json::{Document, Limits, ParseError, ParseErrorKind};

use crate::jsonrpc::{Message, Unclassified};

/// UTF-8's byte order mark.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// How many places of one line are tried as the start of a message.
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
}

impl LineReader {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            held: Vec::new(),
            max_bytes,
            skipping: false,
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
            self.held = Vec::new();
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
    pub(crate) fn new(max_bytes: usize) -> Self {
        let limits = Limits {
            max_bytes,
            ..Limits::default()
        };
        Self {
            reader: LineReader::new(max_bytes),
            lines: VecDeque::new(),
            limits,
        }
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
    let mut rest = line.as_str();
    let mut any = false;
    while let Some(found) = find_message(rest, limits) {
        any = true;
        glued(found.before, frames);
        frames.push_back(Frame::Message(found.message));
        rest = found.behind;
    }
    if any {
        glued(rest, frames);
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

/// A message in the middle of a line.
#[derive(Debug)]
pub(crate) struct FoundMessage<'t> {
    /// What stands before it.
    pub(crate) before: &'t str,
    /// The message.
    pub(crate) message: Message,
    /// What stands behind it.
    pub(crate) behind: &'t str,
}

/// The first message in a text.
pub(crate) fn find_message<'t>(text: &'t str, limits: &Limits) -> Option<FoundMessage<'t>> {
    let starts = memchr::memchr_iter(b'{', text.as_bytes());
    for start in starts
        .filter(|start| opens_envelope(text, *start))
        .take(MAX_ATTEMPTS)
    {
        let (before, candidate) = text.split_at(start);
        let (document, end) = match Document::parse(candidate.to_owned(), limits) {
            Ok(document) => (document, candidate.len()),
            Err(ParseError {
                kind: ParseErrorKind::Trailing,
                offset,
            }) => {
                let head = candidate.get(..offset).unwrap_or_default().trim_end();
                let Ok(document) = Document::parse(head.to_owned(), limits) else {
                    continue;
                };
                (document, head.len())
            }
            Err(_) => continue,
        };
        if let Ok(message) = Message::classify(document) {
            return Some(FoundMessage {
                before,
                message,
                behind: candidate.get(end..).unwrap_or_default(),
            });
        }
    }
    None
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
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::{Frame, FrameReader};

    fn frames(chunks: &[&[u8]], max_bytes: usize) -> Vec<String> {
        let mut reader = FrameReader::new(max_bytes);
        let mut frames = VecDeque::new();
        for chunk in chunks {
            reader.push(chunk, &mut frames);
        }
        reader.finish(&mut frames);
        frames.iter().map(describe).collect()
    }

    fn describe(frame: &Frame) -> String {
        match frame {
            Frame::Message(message) => format!("message {}", message.document().text()),
            Frame::Unclassified(unclassified) => {
                format!("unclassified {}", unclassified.document.text())
            }
            Frame::Broken { error, .. } => format!("broken: {error}"),
            Frame::Noise(text) => format!("noise {text:?}"),
            Frame::Glued(text) => format!("glued {text:?}"),
            Frame::ByteOrderMark => "byte order mark".to_owned(),
            Frame::TooLong => "too long".to_owned(),
        }
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[test]
    fn what_stands_on_standard_output_is_sorted() {
        let text = format!(
            "\u{FEFF}{PING}\r\n\n  \r\n\u{2705} started\n{PING}\n{{\"level\":\"info\"}}\nready> {PING}\n{PING}{PING} done\n\
             {{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{{}}}}\nnote {{\"id\":3}} {{ \"id\": 4, \"jsonrpc\": \"2.0\", \"result\": 1 }}\n\
             {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"tools\":[\n[{{\"jsonrpc\":\"2.0\"}}]\n{PING}"
        );
        insta::assert_snapshot!(frames(&[text.as_bytes()], 1000).join("\n"), @r#"
        byte order mark
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        noise "✅ started"
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        unclassified {"level":"info"}
        glued "ready> "
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        glued " done"
        message {"id":1,"jsonrpc":"2.0","result":{}}
        glued "note {\"id\":3} "
        message { "id": 4, "jsonrpc": "2.0", "result": 1 }
        broken: the text ends in the middle of an array at byte 43
        unclassified [{"jsonrpc":"2.0"}]
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        "#);
    }

    #[test]
    fn a_line_past_the_cap_is_reported_once_and_frames_around_it_arrive() {
        let endless = "x".repeat(500);
        let text = format!("{PING}\n{endless}\n{PING}\n{endless}");
        insta::assert_snapshot!(frames(&[text.as_bytes()], 100).join("\n"), @r#"
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        too long
        message {"jsonrpc":"2.0","id":1,"method":"ping"}
        too long
        "#);
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_noise_or_a_broken_answer() {
        let seen = frames(
            &[b"caf\xE9\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"caf\xE9\"}\n"],
            1000,
        );
        insta::assert_snapshot!(seen.join("\n"), @r#"
        noise "caf�"
        broken: bytes that are not UTF-8 at byte 37
        "#);
    }

    /// Pieces that make every branch likely.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(PING.as_bytes().to_vec()),
            Just(br#"{"id":2,"jsonrpc":"2.0","result":{"tools":[]}}"#.to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just("\u{FEFF}".as_bytes().to_vec()),
            Just(br#"{"jsonrpc":"2.0","#.to_vec()),
            proptest::collection::vec(any::<u8>(), 0..40),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn chunks_never_matter(stream in stream(), cuts in proptest::collection::vec(1_usize..50, 1..20)) {
            let mut chunks = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, behind) = rest.split_at((*cut).min(rest.len()));
                chunks.push(chunk);
                rest = behind;
            }
            prop_assert_eq!(frames(&chunks, 90), frames(&[&stream], 90));
        }

        #[test]
        fn a_message_on_its_own_line_is_never_lost(before in "[^\n]{0,60}", text in "[a-z]{0,20}") {
            let message = format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{text}"}}"#);
            let stream = format!("{before}\n{message}\n");
            let seen = frames(&[stream.as_bytes()], 1000);
            let expected = format!("message {message}");
            prop_assert!(seen.contains(&expected), "{:?}", seen);
        }
    }
}
