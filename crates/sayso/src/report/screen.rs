//! Lines of text for a terminal: styled where it takes colour, wrapped to its width. Every
//! text goes through [`reveal`] here, whoever it comes from.

use anstyle::{AnsiColor, Style as Ansi};
use sayso_core::finding::Severity;
use sayso_core::reveal::{reveal, reveal_line};

use crate::audit_report::Presentation;

/// What a piece of text is; how it looks follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A target's name.
    Heading,
    /// A tool's name, a title of a block.
    Strong,
    /// Beside the point.
    Faint,
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// An info.
    Info,
    /// What to do.
    Help,
    /// All is well.
    Good,
}

impl From<Severity> for Style {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Error,
            Severity::Warning => Self::Warning,
            Severity::Info => Self::Info,
        }
    }
}

impl Style {
    const fn ansi(self) -> Ansi {
        let plain = Ansi::new();
        match self {
            Self::Heading => plain.bold().underline(),
            Self::Strong => plain.bold(),
            Self::Faint => plain.dimmed(),
            Self::Error => AnsiColor::BrightRed.on_default().bold(),
            Self::Warning => AnsiColor::Yellow.on_default().bold(),
            Self::Info => AnsiColor::BrightBlue.on_default().bold(),
            Self::Help => AnsiColor::Cyan.on_default(),
            Self::Good => AnsiColor::Green.on_default().bold(),
        }
    }
}

/// The text so far.
pub(super) struct Screen {
    text: String,
    color: bool,
    width: usize,
}

impl Screen {
    pub(super) fn new(presentation: &Presentation) -> Self {
        Self {
            text: String::new(),
            color: presentation.color,
            width: presentation.width.max(40),
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Columns to fill.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// A piece of text in a style, for [`Screen::line`].
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        let text = reveal_line(text);
        if self.color && !text.is_empty() {
            let ansi = style.ansi();
            format!("{ansi}{text}{ansi:#}")
        } else {
            text.into_owned()
        }
    }

    /// A piece of text that is beside the point, for [`Screen::line`].
    pub(super) fn faintly(&self, text: &str) -> String {
        self.paint(Style::Faint, text)
    }

    /// A line as it is; its parts come from [`Screen::paint`] or are revealed already.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end_matches(' '));
        self.text.push('\n');
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line in one style.
    pub(super) fn styled(&mut self, style: Style, text: &str) {
        let line = self.paint(style, text);
        self.line(&line);
    }

    /// Wrapped lines that are beside the point.
    pub(super) fn faint(&mut self, text: &str) {
        self.sentence(Style::Faint, text);
    }

    /// Names with commas, indented, none of them broken; beside the point.
    pub(super) fn names(&mut self, indent: &str, names: &str) {
        for line in self.unbroken(indent, indent, names) {
            self.styled(Style::Faint, &line);
        }
    }

    /// A text with names in it, none of them broken, wrapped as by [`Screen::wrapped`].
    pub(super) fn listed(&mut self, first: &str, next: &str, text: &str) {
        for line in self.unbroken(first, next, text) {
            self.line(&line);
        }
    }

    fn unbroken(&self, first: &str, next: &str, text: &str) -> Vec<String> {
        let text = reveal_line(text);
        let options = textwrap::Options::new(self.width)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .initial_indent(first)
            .subsequent_indent(next);
        let lines = textwrap::wrap(&text, options).into_iter();
        lines.map(std::borrow::Cow::into_owned).collect()
    }

    /// Wrapped lines in one style, indented as the text is.
    pub(super) fn sentence(&mut self, style: Style, text: &str) {
        let indent = " ".repeat(text.len() - text.trim_start().len());
        for line in self.wrap(&indent, &format!("{indent}  "), text.trim_start()) {
            self.styled(style, &line);
        }
    }

    /// `label: text`, the label in a style, the rest wrapped under it.
    pub(super) fn labelled(&mut self, style: Style, label: &str, text: &str) {
        self.labelled_at("", style, label, text);
    }

    /// As [`Screen::labelled`], behind an indentation.
    pub(super) fn labelled_at(&mut self, indent: &str, style: Style, label: &str, text: &str) {
        let label = reveal_line(label).into_owned();
        let first = format!("{indent}{label}: ");
        let next = format!("{indent}  ");
        let mut lines = self.wrap(&first, &next, text).into_iter();
        if let Some(line) = lines.next() {
            let rest = line
                .strip_prefix(&first)
                .or(line.strip_prefix(first.trim_end()))
                .unwrap_or_default();
            let label = self.paint(style, &label);
            self.line(&format!("{indent}{label}: {rest}"));
        }
        for line in lines {
            self.line(&line);
        }
    }

    /// A text on as many lines as it takes, the first one behind `first`, the others behind `next`.
    pub(super) fn wrapped(&mut self, first: &str, next: &str, text: &str) {
        for line in self.wrap(first, next, text) {
            self.line(&line);
        }
    }

    fn wrap(&self, first: &str, next: &str, text: &str) -> Vec<String> {
        let text = reveal(text);
        let options = textwrap::Options::new(self.width)
            .initial_indent(first)
            .subsequent_indent(next);
        textwrap::wrap(&text, options)
            .into_iter()
            .map(|line| line.replace('\t', " "))
            .collect()
    }
}
