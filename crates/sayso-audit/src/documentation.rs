//! A rule's documentation, taken apart section by section.

use crate::rule::RuleMeta;

/// The sections every rule's documentation has, in this order.
pub const SECTIONS: [&str; 5] = [
    "What it checks",
    "Why it matters",
    "Fails",
    "Passes",
    "Limits",
];

/// The documentation as Markdown, without the blank that every doc comment begins with.
#[must_use]
pub fn markdown(meta: &RuleMeta) -> String {
    let mut text = String::with_capacity(meta.documentation.len());
    for line in meta.documentation.lines() {
        text.push_str(line.strip_prefix(' ').unwrap_or(line));
        text.push('\n');
    }
    text
}

/// One section's text; `None` where the documentation has no such section.
#[must_use]
pub fn section(meta: &RuleMeta, title: &str) -> Option<String> {
    let text = markdown(meta);
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            if inside {
                break;
            }
            inside = heading == title;
        } else if inside {
            found.push_str(line);
            found.push('\n');
        }
    }
    (!found.trim().is_empty()).then(|| found.trim().to_owned())
}

/// The JSON blocks of a section.
#[must_use]
pub fn examples(meta: &RuleMeta, title: &str) -> Vec<String> {
    let Some(section) = section(meta, title) else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in section.lines() {
        match (&mut block, line) {
            (None, "```json") => block = Some(String::new()),
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}
