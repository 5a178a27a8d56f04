//! The generated pages of `docs/reference/`, all from what the program itself knows.

mod command_line;
mod exit_codes;
mod profiles;
mod rules;
mod settings;

use sayso_audit::hosts;

use crate::report;

/// One generated file.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its name in `docs/reference/`.
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) text: String,
}

/// Every generated file.
pub(crate) fn pages() -> Vec<Page> {
    vec![
        Page {
            name: "cli.md",
            text: command_line::page(),
        },
        Page {
            name: "configuration.md",
            text: settings::page(),
        },
        Page {
            name: "exit-codes.md",
            text: exit_codes::page(),
        },
        Page {
            name: "hosts-report-v1.schema.json",
            text: report::hosts::json::schema(),
        },
        Page {
            name: "hosts.md",
            text: hosts::reference_markdown(),
        },
        Page {
            name: "profiles.md",
            text: profiles::page(),
        },
        Page {
            name: "report-v1.schema.json",
            text: report::json::schema(),
        },
        Page {
            name: "rules.md",
            text: rules::page(),
        },
        Page {
            name: "sayso.schema.json",
            text: settings::schema(),
        },
    ]
}

/// The remark at the head of a page that nobody should edit.
fn made_from(what: &str) -> String {
    format!("<!-- Made from {what} by `cargo xtask generate`. Change that, not this page. -->\n")
}

/// Text that can stand in a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
