//! The last lines of a server's standard error, in bounded room.

use std::collections::VecDeque;

use tokio::time::Instant;

/// Lines kept.
const MAX_LINES: usize = 100;

/// Bytes kept of each line.
const MAX_LINE_BYTES: usize = 1024;

/// A ring of lines that drops the oldest. It never holds more than 100 lines of 1 KiB.
#[derive(Debug, Default)]
pub(super) struct StderrTail {
    lines: VecDeque<String>,
    open: Vec<u8>,
    cut: bool,
    count: usize,
    last: Option<Instant>,
}

impl StderrTail {
    /// Takes the next bytes and tells `on_line` of each line that is whole now.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut on_line: impl FnMut(&str)) {
        self.last = Some(Instant::now());
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(at);
            bytes = rest.get(1..).unwrap_or_default();
            self.hold(line);
            self.finish(&mut on_line);
        }
        self.hold(bytes);
    }

    /// Takes the end of the stream.
    pub(super) fn finish(&mut self, mut on_line: impl FnMut(&str)) {
        let mut line = String::from_utf8_lossy(self.open.trim_ascii_end()).into_owned();
        if std::mem::take(&mut self.cut) {
            line.push('…');
        }
        self.open.clear();
        if line.is_empty() {
            return;
        }
        on_line(&line);
        self.count += 1;
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES
            .saturating_sub(self.open.len())
            .min(bytes.len());
        self.open
            .extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.cut |= room < bytes.len();
    }

    /// How many lines there were in all, also one that is not whole yet.
    pub(super) fn count(&self) -> usize {
        self.count + usize::from(!self.open.is_empty())
    }

    /// When the last bytes came.
    pub(super) fn last(&self) -> Option<Instant> {
        self.last
    }

    /// The whole lines that were kept so far, oldest first.
    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.iter().cloned().collect()
    }

    /// The lines that were kept, oldest first.
    pub(super) fn into_lines(mut self) -> Vec<String> {
        self.finish(|_| ());
        self.lines.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, MAX_LINES, StderrTail};

    #[test]
    fn the_last_lines_are_kept_and_long_ones_cut() {
        let mut tail = StderrTail::default();
        let mut told = 0;
        for number in 0..500 {
            tail.push(format!("line {number}\r\n\n").as_bytes(), |_| told += 1);
        }
        tail.push(&vec![b'x'; 1 << 20], |_| told += 1);
        assert_eq!((told, tail.count()), (500, 501));
        let lines = tail.into_lines();
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines[0], "line 401");
        assert_eq!(lines[MAX_LINES - 1].len(), MAX_LINE_BYTES + "…".len());
    }
}
