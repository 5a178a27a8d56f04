//! A Markdown comment that fits where GitHub takes one.

use std::fmt::Write as _;

use super::wording::plural;

/// The longest comment, in characters. GitHub takes 65,536; the rest is for whoever adds a
/// line of their own.
pub(super) const LIMIT: usize = 60_000;

/// The comment so far: blocks as long as there is room.
pub(super) struct Comment {
    text: String,
    characters: usize,
    left_out: usize,
    command: &'static str,
    footer: String,
}

impl Comment {
    /// A comment with a head and a foot; `command` is what shows all of it.
    pub(super) fn new(text: String, command: &'static str, footer: String) -> Self {
        // Room for the footer and for the line that says what was left out.
        let characters = text.chars().count() + footer.chars().count() + 200;
        Self {
            text,
            characters,
            left_out: 0,
            command,
            footer,
        }
    }

    /// Adds a block. After the first that finds no room, none is taken: the order stays true.
    pub(super) fn push(&mut self, block: String) {
        let characters = block.chars().count();
        if self.left_out > 0 || self.characters + characters > LIMIT {
            self.left_out += 1;
        } else {
            self.characters += characters;
            self.text.push_str(&block);
        }
    }

    /// The whole comment, with a line that says what was left out.
    pub(super) fn finish(mut self) -> String {
        if self.left_out > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.text,
                "> **Cut to fit a comment:** {} left out here; `{}` without `--format markdown` shows all.\n",
                plural(self.left_out, "more block"),
                self.command
            );
        }
        self.text.push_str(&self.footer);
        self.text
    }
}
