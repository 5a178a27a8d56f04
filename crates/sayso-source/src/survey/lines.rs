//! Lines and columns.

/// Where the lines of a text begin.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1));
        Self {
            starts: starts.collect(),
        }
    }

    /// The line and the column in characters, from 1.
    pub(super) fn position(&self, text: &str, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line
            .checked_sub(1)
            .and_then(|line| self.starts.get(line))
            .copied();
        let before = text.get(start.unwrap_or(0)..at).unwrap_or_default();
        (line.max(1), before.chars().count() + 1)
    }
}
