use std::fmt::Write as _;

use sayso_core::finding::{Evidence, Severity};
use sayso_core::json::{Kind, Value};
use sayso_core::reveal::{Hidden, reveal_line};

use crate::concealed::{Concealed, concealed, suspicious};
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no text of a tool (name, titles, descriptions, anything in its schemas) holds
    /// characters a person does not see or that turn the text around: Unicode tags, zero-width
    /// characters, direction overrides, control characters, variation selectors without anything
    /// to vary.
    ///
    /// ## Why it matters
    /// The model reads them and the person who approves does not. Whole instructions fit into
    /// Unicode tags; control characters can rewrite what a terminal shows.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "list_files", "title": "List files", "inputSchema": {"type": "object"},
    ///  "description": "Lists files.\udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65",
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "list_files", "title": "List files", "inputSchema": {"type": "object"},
    ///  "description": "Lists files \ud83d\udc68\u200d\ud83d\udcbb\u2705\ufe0f",
    ///  "annotations": {"readOnlyHint": true}}
    /// ```
    ///
    /// ## Limits
    /// What builds emoji and scripts is let be: joiners between emoji or letters that join,
    /// a variation selector behind a character, flags made of tags, direction marks in text that
    /// runs from right to left. A lone zero-width space or soft hyphen in a description is a
    /// warning.
    HiddenCharacters {
        id: "hidden-characters",
        summary: "characters a person does not see",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for HiddenCharacters {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn tool(&self, _context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let root = tool.tool.value();
        // Almost every tool ends here: nothing in its bytes can be such a character.
        if !suspicious(root.raw()) {
            return;
        }
        let mut pending = vec![root];
        while let Some(value) = pending.pop() {
            if let Some(text) = value.as_str() {
                look(tool, value, &text, findings);
            }
            for member in value.members() {
                look(tool, member.value, &member.key, findings);
                pending.push(member.value);
            }
            pending.extend(value.elements());
        }
    }
}

fn look(tool: &ToolReading<'_>, value: Value<'_>, text: &str, findings: &mut Findings) {
    let found = concealed(text);
    let Some(first) = found.first() else { return };
    let short = is_short_text(value);
    let grave = short || found.len() > 3 || found.iter().any(|concealed| concealed.grave());
    let page = tool.tool.page();
    findings
        .about(&HiddenCharacters::META, tool, message(&found))
        .at(page, value)
        .severity(if grave {
            Severity::Error
        } else {
            Severity::Warning
        })
        .evidence(shown(page, value, text, &found, first))
        .help("write the text without them")
        .report();
}

/// Whether the value is a name or a title, where even one hidden character is no accident.
fn is_short_text(value: Value<'_>) -> bool {
    value.kind() == Kind::String
        && value
            .key_span()
            .and_then(|span| value.document().text().get(span.range()))
            .is_some_and(|key| matches!(key, "\"name\"" | "\"title\""))
}

fn message(found: &[Concealed]) -> String {
    let mut tags = String::new();
    for concealed in found {
        tags.extend(concealed.tag_letter());
    }
    let what = match found.first().map(|first| first.why) {
        Some(Hidden::Bidirectional) => "turn the direction of the text",
        Some(Hidden::Control) => "control a terminal",
        _ => "are invisible",
    };
    let mut message = if found.len() == 1 {
        format!("one character in this text {}", singular(what))
    } else {
        format!("{} characters in this text {what}", found.len())
    };
    if tags.trim().len() > 1 {
        // Writing to a string cannot fail.
        let _ = write!(
            message,
            "; to a model they read \"{}\"",
            tags.chars().take(60).collect::<String>()
        );
    }
    message
}

fn singular(what: &str) -> &'static str {
    match what {
        "turn the direction of the text" => "turns the direction of the text",
        "control a terminal" => "controls a terminal",
        _ => "is invisible",
    }
}

/// The text around the first of them, with all of them made visible.
fn shown(
    page: usize,
    value: Value<'_>,
    text: &str,
    found: &[Concealed],
    first: &Concealed,
) -> Evidence {
    const AROUND: usize = 40;
    let before = text
        .get(..first.at)
        .unwrap_or_default()
        .chars()
        .rev()
        .take(AROUND)
        .count();
    let skipped = text.get(..first.at).unwrap_or_default().chars().count() - before;
    let mut shown = String::new();
    let mut mark = 0..0;
    let mut hits = found.iter().peekable();
    for (at, character) in text.char_indices().skip(skipped).take(before + AROUND) {
        let start = shown.len();
        if hits.next_if(|hit| hit.at == at).is_some() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push_str(&reveal_line(character.encode_utf8(&mut [0; 4])));
        }
        if at == first.at {
            mark = start..shown.len();
        }
    }
    Evidence {
        location: excerpt::place(page, value),
        text: shown,
        mark,
        label: "here".to_owned(),
    }
}
