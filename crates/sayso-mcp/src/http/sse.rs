//! Event streams: the `text/event-stream` format of the WHATWG HTML standard, § 9.2
//! "Server-sent events", read as bytes arrive.
//!
//! One deliberate difference: the standard decodes the stream as UTF-8 with replacement
//! characters. Data is kept as bytes here, so that a message with broken UTF-8 is seen
//! as such and not repaired on the way.

use memchr::memchr2;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// The value of `event:`; empty where there was none, which means `message`.
    pub(crate) name: String,
    /// The `data:` lines, joined by newlines.
    pub(crate) data: Vec<u8>,
}

impl Event {
    /// Whether the event carries a message: it has no name, or this one.
    pub(crate) fn is_message(&self) -> bool {
        self.name.is_empty() || self.name == "message"
    }
}

/// An event or a line that goes past the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong {
    /// The cap, in bytes.
    pub(crate) max_bytes: usize,
}

/// Turns bytes into events, however they are cut into chunks.
#[derive(Debug)]
pub(crate) struct EventParser {
    max_bytes: usize,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// The last byte was a CR: an LF right behind it belongs to it.
    after_carriage_return: bool,
    /// No line was complete yet: a byte order mark may stand in front.
    at_start: bool,
    event: Event,
    /// At least one `data:` line came, if only an empty one.
    has_data: bool,
    last_event_id: Option<String>,
    retry_milliseconds: Option<u64>,
}

impl EventParser {
    /// A parser for a new stream; `max_bytes` holds for each event and each line.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            line: Vec::new(),
            after_carriage_return: false,
            at_start: true,
            event: Event::default(),
            has_data: false,
            last_event_id: None,
            retry_milliseconds: None,
        }
    }

    /// The last `id:` of the stream, to resume it with; `None` where there was none or it was reset.
    pub(crate) fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// The last `retry:` of the stream, in milliseconds.
    pub(crate) fn retry_milliseconds(&self) -> Option<u64> {
        self.retry_milliseconds
    }

    /// Takes the next bytes; every event they complete is added to `events`. What stands
    /// behind the last empty line when a stream ends is no event and stays unsaid.
    ///
    /// # Errors
    /// When a line or an event goes past the cap. Events completed before are in `events`.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        events: &mut impl Extend<Event>,
    ) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                bytes = bytes.split_at(1).1;
                continue;
            }
            let end = memchr2(b'\r', b'\n', bytes);
            let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + text.len() > self.max_bytes {
                return Err(TooLong {
                    max_bytes: self.max_bytes,
                });
            }
            self.line.extend_from_slice(text);
            let Some((&terminator, rest)) = rest.split_first() else {
                break;
            };
            self.after_carriage_return = terminator == b'\r';
            bytes = rest;
            let line = std::mem::take(&mut self.line);
            self.line(&line, events)?;
            // Keeps the room for the next line, unless it was an unusually long one.
            if line.capacity() <= 64 << 10 {
                self.line = line;
                self.line.clear();
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], events: &mut impl Extend<Event>) -> Result<(), TooLong> {
        let line = match line.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if self.at_start => rest,
            _ => line,
        };
        self.at_start = false;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) {
                events.extend([event]);
            }
            return Ok(());
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.strip_prefix(b":").unwrap_or(value);
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, b"".as_slice()),
        };
        self.field(field, value)
    }

    fn field(&mut self, field: &[u8], value: &[u8]) -> Result<(), TooLong> {
        match field {
            b"data" => {
                let separator = usize::from(self.has_data);
                if self.event.data.len() + separator + value.len() > self.max_bytes {
                    return Err(TooLong {
                        max_bytes: self.max_bytes,
                    });
                }
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => {
                let id = String::from_utf8_lossy(value).into_owned();
                self.last_event_id = (!id.is_empty()).then_some(id);
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry_milliseconds = std::str::from_utf8(value)
                    .ok()
                    .and_then(|digits| digits.parse().ok());
            }
            // Comments start with a colon, so their field name is empty; unknown fields are ignored.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Event, EventParser, TooLong};

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.to_owned(),
            data: data.as_bytes().to_vec(),
        }
    }

    fn read(stream: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        EventParser::new(1 << 20).push(stream, &mut events).unwrap();
        events
    }

    #[test]
    fn all_three_line_ends_end_a_line() {
        for end in ["\n", "\r", "\r\n"] {
            let stream = "event: endpoint|data: /messages||data: a||".replace('|', end);
            assert_eq!(
                read(stream.as_bytes()),
                [event("endpoint", "/messages"), event("", "a")],
                "{end:?}"
            );
        }
    }

    #[test]
    fn lines_of_data_are_joined_and_one_space_is_taken_off() {
        assert_eq!(
            read(b"data:a\ndata:  b\ndata\ndata: c\n\n"),
            [event("", "a\n b\n\nc")]
        );
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_at_the_start_only() {
        assert_eq!(
            read(b"\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\ndata: c\n\n"),
            [event("", "a"), event("", "c")]
        );
    }

    #[test]
    fn comments_unknown_fields_and_events_without_data_say_nothing() {
        assert_eq!(
            read(b": keep-alive\n\nfoo: bar\n\nevent: ping\n\ndata: a\n\n"),
            [event("", "a")]
        );
    }

    #[test]
    fn an_empty_data_line_makes_an_event_with_empty_data() {
        assert_eq!(read(b"id: 7\ndata:\n\n"), [event("", "")]);
    }

    #[test]
    fn an_event_the_stream_ends_in_is_not_one() {
        assert_eq!(read(b"data: a\n\ndata: b\n"), [event("", "a")]);
    }

    #[test]
    fn the_last_id_and_retry_are_kept() {
        let mut parser = EventParser::new(100);
        let mut events: Vec<Event> = Vec::new();
        parser
            .push(
                b"id: 7\nretry: 250\ndata: a\n\nid: \x007\nretry: 2s\ndata: b\n\n",
                &mut events,
            )
            .unwrap();
        assert_eq!(
            (parser.last_event_id(), parser.retry_milliseconds()),
            (Some("7"), Some(250))
        );
        parser.push(b"id\n", &mut events).unwrap();
        assert_eq!(parser.last_event_id(), None);
    }

    #[test]
    fn broken_utf_8_reaches_the_reader_as_it_came() {
        assert_eq!(
            read(b"data: \xFF\n\n"),
            [Event {
                name: String::new(),
                data: vec![0xFF]
            }]
        );
    }

    #[test]
    fn the_cap_holds_for_a_line_and_for_an_event() {
        let mut events: Vec<Event> = Vec::new();
        let too_long = Err(TooLong { max_bytes: 10 });
        assert_eq!(
            EventParser::new(10).push(b"data: endless", &mut events),
            too_long
        );
        assert_eq!(
            EventParser::new(10).push(b"data:123\ndata:456\ndata:789\n", &mut events),
            too_long
        );
        let comments = b": quiet\n".repeat(1000);
        assert_eq!(EventParser::new(10).push(&comments, &mut events), Ok(()));
        assert!(events.is_empty());
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            pieces in prop::collection::vec(
                prop_oneof![
                    Just("data"), Just("event"), Just("id"), Just("retry"), Just(":"), Just(" "),
                    Just("\r"), Just("\n"), Just("\r\n"), Just("\n\n"), Just("\u{FEFF}"), Just("7"),
                    Just("é"), Just("{}"), Just("\0"),
                ],
                0..60,
            ),
            cuts in prop::collection::vec(0usize..8, 0..200),
        ) {
            let stream = pieces.concat().into_bytes();
            let mut parser = EventParser::new(1 << 10);
            let mut events = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts {
                let (chunk, behind) = rest.split_at(cut.min(rest.len()));
                parser.push(chunk, &mut events).unwrap();
                rest = behind;
            }
            parser.push(rest, &mut events).unwrap();

            let mut whole = EventParser::new(1 << 10);
            let mut expected = Vec::new();
            whole.push(&stream, &mut expected).unwrap();
            prop_assert_eq!(events, expected);
            prop_assert_eq!(parser.last_event_id(), whole.last_event_id());
            prop_assert_eq!(parser.retry_milliseconds(), whole.retry_milliseconds());
        }

        #[test]
        fn what_was_framed_is_read_back(
            messages in prop::collection::vec("[^\r\n]{0,40}(\n[^\r\n]{0,40}){0,3}", 0..8),
        ) {
            let stream: String = messages
                .iter()
                .map(|message| {
                    let lines: String = message.split('\n').map(|line| format!("data: {line}\n")).collect();
                    format!(": comment\n{lines}\n")
                })
                .collect();
            let read: Vec<Event> = read(stream.as_bytes());
            let expected: Vec<Event> = messages.iter().map(|message| event("", message)).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
