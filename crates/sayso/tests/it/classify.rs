//! `sayso classify`: with a person at a terminal, and without one.

mod check;
mod files;
#[cfg(target_os = "linux")]
mod session;

use crate::sayso::Sayso;

/// Four tools: one that only reads, one that adds, one that removes, and one that writes to people.
const TOOLS: &str = r#"{
  "tools": [
    {
      "name": "note_list",
      "description": "List the notes of a notebook, newest first.",
      "inputSchema": { "type": "object", "properties": { "notebook": { "type": "string" } } }
    },
    {
      "name": "note_append",
      "title": "Append a note",
      "description": "Append a note to a notebook. Every call adds another note, also when the text is the same.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "notebook": { "type": "string", "description": "Which notebook." },
          "text": { "type": "string" }
        },
        "required": ["notebook", "text"]
      },
      "annotations": { "readOnlyHint": true }
    },
    {
      "name": "note_delete",
      "description": "Delete a note for good, by its id. There is no way to get it back.",
      "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }
    },
    {
      "name": "digest_mail",
      "description": "Send this week's notes by email to the people who asked for them.",
      "inputSchema": { "type": "object" },
      "annotations": { "readOnlyHint": false, "destructiveHint": false }
    }
  ]
}"#;

/// Where the rulings of a run are.
const RULINGS: &str = "sayso.rulings.toml";

/// `sayso classify` on the four tools.
fn classify(arguments: &str) -> Sayso {
    Sayso::new(&format!("classify tools.json {arguments}")).file("tools.json", TOOLS)
}

/// The rulings that a run left.
fn rulings(sayso: &Sayso) -> String {
    std::fs::read_to_string(sayso.directory().join(RULINGS)).unwrap_or_default()
}

/// The names of the tools that a run left rulings on.
fn ruled(sayso: &Sayso) -> Vec<String> {
    let rulings = rulings(sayso);
    let names = rulings
        .lines()
        .filter_map(|line| line.strip_prefix("name = \""));
    names
        .map(|name| name.trim_end_matches('"').to_owned())
        .collect()
}

/// Reviewed answers for the four tools, as somebody would write them by hand.
const ANSWERS: &str = r#"[[tool]]
name = "note_list"
reviewer = "Ada"
reviewed = 2026-11-30
readOnlyHint = { value = true, why = "It lists." }
openWorldHint = { value = false, why = "The notes are here." }

[[tool]]
name = "note_append"
reviewer = "Ada"
reviewed = 2026-11-30
undo = "note_delete"
readOnlyHint = { value = false, why = "It appends." }
destructiveHint = { value = false, why = "Nothing goes." }
idempotentHint = { value = false, why = "Every call adds another note." }
openWorldHint = { value = false, why = "The notes are here." }

[[tool]]
name = "note_delete"
reviewer = "Ada"
reviewed = 2026-11-30
undo = "none"
readOnlyHint = { value = false, why = "It deletes." }
destructiveHint = { value = true, why = "The note is gone." }
idempotentHint = { value = true, why = "What is gone stays gone." }
openWorldHint = { value = false, why = "The notes are here." }

[[tool]]
name = "digest_mail"
reviewer = "Ada"
reviewed = 2026-11-30
undo = "none"
readOnlyHint = { value = false, why = "It sends mail." }
destructiveHint = { value = false, why = "Nothing goes." }
idempotentHint = { value = false, why = "A second call sends a second mail." }
openWorldHint = { value = true, why = "The mail leaves." }
"#;
