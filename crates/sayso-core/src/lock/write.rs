//! A lock as text.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use super::definition::WIDTH;
use super::{FORMAT, Launch, LaunchSource, Lock, PinnedServer, PinnedTool, definition};
use crate::digest::Part;
use crate::reveal::hidden;

const HEAD: &str = "\
# What was accepted of each server: its tools' definitions, and the digests they are held against.
# Written by `sayso lock`, to be reviewed. `sayso lock --check` says what changed since, and which
# way; `sayso lock --accept` shows the difference and takes it over.
";

impl Lock {
    /// The one text of this lock.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = HEAD.to_owned();
        let _ = writeln!(out, "format = {FORMAT}");
        for (name, pinned) in &self.servers {
            server(name, pinned, &mut out);
        }
        out
    }
}

fn server(name: &str, pinned: &PinnedServer, out: &mut String) {
    out.push_str("\n[[server]]\n");
    pair("name", name, out);
    for (key, value) in [
        ("identity", &pinned.identity),
        ("version", &pinned.version),
        ("protocol", &pinned.protocol),
    ] {
        if let Some(value) = value {
            pair(key, value, out);
        }
    }
    if let Some(era) = pinned.era {
        pair("era", super::read::era_word(era), out);
    }
    let _ = writeln!(out, "complete = true\ntools = {}", pinned.tools.len());
    launch(&pinned.launch, out);
    if let (Some(text), Some(digest)) = (&pinned.instructions, pinned.instructions_digest()) {
        let _ = writeln!(out, "\n[server.instructions]\ndigest = \"{digest}\"");
        prose("text", text, out);
    }
    for (name, pinned) in &pinned.tools {
        tool(name, pinned, out);
    }
}

fn launch(launch: &Launch, out: &mut String) {
    out.push_str("\n[server.launch]\n");
    match &launch.source {
        LaunchSource::Command(line) => pair("command", line, out),
        LaunchSource::Url(url) => pair("url", url, out),
        LaunchSource::File(file) => pair("file", file, out),
        LaunchSource::Elsewhere => {}
    }
    if let Some(directory) = &launch.directory {
        pair("directory", directory, out);
    }
    if !launch.environment.is_empty() {
        list("environment", &launch.environment, out);
    }
    if let Some(configured) = &launch.configuration {
        pair("configuration.file", &configured.file, out);
        pair("configuration.server", &configured.server, out);
    }
}

fn tool(name: &str, pinned: &PinnedTool, out: &mut String) {
    out.push_str("\n[[server.tool]]\n");
    pair("name", name, out);
    for (hint, claim) in pinned.claims.iter() {
        let _ = writeln!(out, "claims.{hint} = \"{claim}\"");
    }
    let _ = writeln!(out, "digest.whole = \"{}\"", pinned.digest.whole);
    for part in Part::ALL {
        let digest = pinned.digest.parts.get(part);
        let _ = writeln!(out, "digest.{part} = \"{digest}\"");
    }
    let Some(taken) = definition::take_apart(&pinned.definition, WIDTH) else {
        return;
    };
    if let Some(description) = &taken.description {
        prose("description", description, out);
    }
    let _ = writeln!(out, "definition = '''\n{}\n'''", taken.rest);
}

fn pair(key: &str, value: &str, out: &mut String) {
    let _ = write!(out, "{key} = ");
    quoted(value, out);
    out.push('\n');
}

fn list(key: &str, values: &[String], out: &mut String) {
    let mut items = String::new();
    for value in values {
        items.push_str(if items.is_empty() { "" } else { ", " });
        quoted(value, &mut items);
    }
    if key.len() + items.chars().count() + 5 <= WIDTH {
        let _ = writeln!(out, "{key} = [{items}]");
        return;
    }
    let _ = writeln!(out, "{key} = [");
    for value in values {
        out.push_str("  ");
        quoted(value, out);
        out.push_str(",\n");
    }
    out.push_str("]\n");
}

/// A basic string on one line.
fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => escaped(other, out),
        }
    }
    out.push('"');
}

/// A multi-line string: a line for each line of the text, long ones broken behind a space with
/// TOML's backslash, which takes the break out again.
fn prose(key: &str, text: &str, out: &mut String) {
    let _ = writeln!(out, "{key} = \"\"\"");
    let mut column = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let before = out.len();
        let ends_line = matches!(characters.peek(), None | Some('\n'));
        match character {
            '\n' => out.push('\n'),
            // Editors and patches lose white space at the end of a line.
            ' ' if ends_line => out.push_str("\\u0020"),
            '\t' if ends_line => out.push_str("\\t"),
            other => escaped(other, out),
        }
        column = match character {
            '\n' => 0,
            _ => column + out.len() - before,
        };
        // What follows the backslash loses its white space.
        let breaks = characters.peek().is_some_and(|next| !next.is_whitespace());
        if character == ' ' && breaks && column + next_word(&characters) > WIDTH {
            out.push_str("\\\n");
            column = 0;
        }
    }
    out.push_str("\"\"\"\n");
}

/// How long the next word is, as far as it matters.
fn next_word(from: &Peekable<Chars<'_>>) -> usize {
    from.clone()
        .take(WIDTH)
        .take_while(|character| !character.is_whitespace())
        .count()
}

fn escaped(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push('\t'),
        other if hidden(other).is_some() => {
            let code = u32::from(other);
            let _ = if code > 0xFFFF {
                write!(out, "\\U{code:08x}")
            } else {
                write!(out, "\\u{code:04x}")
            };
        }
        other => out.push(other),
    }
}
