//! The generated pages of `docs/`, all from what the program itself knows.

mod command_line;
mod drift;
mod exit_codes;
mod profiles;
mod refusals;
mod rules;
mod scenario;
mod settings;

use sayso_audit::hosts;

use crate::report;

/// One generated file.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its path in `docs/`.
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) text: String,
}

/// Every generated file.
pub(crate) fn pages() -> Vec<Page> {
    vec![
        Page {
            name: "guides/what-hosts-do.md",
            text: hosts::guide_markdown(),
        },
        Page {
            name: "reference/cli.md",
            text: command_line::page(),
        },
        Page {
            name: "reference/configuration.md",
            text: settings::page(),
        },
        Page {
            name: "reference/drift.md",
            text: drift::page(),
        },
        Page {
            name: "reference/exit-codes.md",
            text: exit_codes::page(),
        },
        Page {
            name: "reference/fix-report-v1.schema.json",
            text: report::fix::json::schema(),
        },
        Page {
            name: "reference/hosts-report-v1.schema.json",
            text: report::hosts::json::schema(),
        },
        Page {
            name: "reference/hosts.md",
            text: hosts::reference_markdown(),
        },
        Page {
            name: "reference/lock-report-v1.schema.json",
            text: report::lock::json::schema(),
        },
        Page {
            name: "reference/profiles.md",
            text: profiles::page(),
        },
        Page {
            name: "reference/refusals.md",
            text: refusals::page(),
        },
        Page {
            name: "reference/report-v1.schema.json",
            text: report::json::schema(),
        },
        Page {
            name: "reference/rules.md",
            text: rules::page(),
        },
        Page {
            name: "reference/sayso.schema.json",
            text: settings::schema(),
        },
        Page {
            name: "reference/scenario.schema.json",
            text: scenario::schema(),
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
