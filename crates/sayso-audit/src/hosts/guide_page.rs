//! The guide page on what hosts do with a tool, made from their profiles.

mod across;
mod host;
mod malformed;

use std::fmt::Write as _;

use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};

use super::behaviour::{Behaviour, Outcome};
use super::matrix::{Column, Matrix, MatrixColumn, Modes};
use super::profile::{HostKind, HostProfile};
use super::reference_page::anchor;

/// A tool that stands for many: its name on the page, and its `annotations`.
struct TypicalTool {
    name: &'static str,
    annotations: Option<&'static str>,
}

const TYPICAL_TOOLS: [TypicalTool; 8] = [
    TypicalTool {
        name: "says nothing",
        annotations: None,
    },
    TypicalTool {
        name: "reads",
        annotations: Some(r#"{"readOnlyHint": true}"#),
    },
    TypicalTool {
        name: "reads, open world",
        annotations: Some(r#"{"readOnlyHint": true, "openWorldHint": true}"#),
    },
    TypicalTool {
        name: "reads and destroys (contradiction)",
        annotations: Some(r#"{"readOnlyHint": true, "destructiveHint": true}"#),
    },
    TypicalTool {
        name: "destroys",
        annotations: Some(
            r#"{"readOnlyHint": false, "destructiveHint": true, "openWorldHint": true}"#,
        ),
    },
    TypicalTool {
        name: "adds, closed",
        annotations: Some(
            r#"{"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false}"#,
        ),
    },
    TypicalTool {
        name: "adds, open world",
        annotations: Some(
            r#"{"readOnlyHint": false, "destructiveHint": false, "openWorldHint": true}"#,
        ),
    },
    TypicalTool {
        name: "says only that it writes",
        annotations: Some(r#"{"readOnlyHint": false}"#),
    },
];

const INTRODUCTION: &str = "\
An annotation does nothing by itself: some host reads it and decides. This page tells what each \
host decides, how that is known, and of which version and day the knowledge is. `sayso hosts` \
tells the same of your own tools.

A host that is not read at its source may do otherwise than is told here, and any of them may \
have changed since. In doubt, point it at a server of your own and watch.
";

/// The text of `docs/guides/what-hosts-do.md`.
#[must_use]
pub fn guide_markdown() -> String {
    let mut page = String::from(
        "# What happens to your tool in each host\n\n\
         <!-- Made from crates/sayso-audit/hosts/*.toml and parsers/*.toml by `cargo xtask generate`. \
         Change those, not this page. -->\n\n",
    );
    page.push_str(INTRODUCTION);
    page.push_str("\n## Eight typical tools\n\n");
    typical_tools(&mut page);
    across::sections(&mut page);
    page.push_str("\n## Hints that are no booleans\n\n");
    malformed::section(&mut page);
    page.push_str("\n## The hosts one by one\n");
    for (host, behaviour) in hosts() {
        host::section(&mut page, host, behaviour);
    }
    page
}

/// Every host whose treatment of hints is known.
fn hosts() -> impl Iterator<Item = (&'static HostProfile, &'static Behaviour)> {
    let all = HostProfile::all().iter();
    all.filter_map(|host| Some((host, host.behaviour.as_ref()?)))
}

/// The tools, what becomes of each, and what the words mean.
fn typical_tools(page: &mut String) {
    for tool in &TYPICAL_TOOLS {
        let annotations = match tool.annotations {
            Some(annotations) => format!("`{annotations}`"),
            None => "no `annotations`".to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(page, "- **{}**: {annotations}", tool.name);
    }
    page.push_str(
        "\nWhat each host does with them in its default mode. First come the hosts in which hints \
         decide, then those that treat all tools alike: asking, silent, and the rest. A check before publication accepts or refuses a tool.\n\n| host |",
    );
    for tool in &TYPICAL_TOOLS {
        let _ = write!(page, " {} |", tool.name);
    }
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(TYPICAL_TOOLS.len()));
    page.push('\n');
    let Some(listing) = listing() else { return };
    let columns: Vec<Column<'_>> = hosts()
        .flat_map(|(host, _)| Column::of(host, Modes::Default))
        .collect();
    let matrix = Matrix::new(&listing, &columns);
    let mut rows: Vec<&MatrixColumn<'_>> = matrix.columns.iter().collect();
    rows.sort_by_key(|row| kind_of_answer(row));
    for row in rows {
        let host = row.column.host;
        let _ = write!(
            page,
            "| [{}](#{}){} |",
            host.name,
            anchor(&host.name),
            remark(host.kind)
        );
        for cell in &row.cells {
            let word = cell
                .outcome()
                .map_or("loses the listing", |outcome| word(outcome, host.kind));
            let _ = write!(page, " {word} |");
        }
        page.push('\n');
    }
    page.push('\n');
    for outcome in Outcome::ALL {
        let word = word(outcome, HostKind::Application);
        let _ = writeln!(page, "- *{word}*: the host {}", outcome.meaning());
    }
}

/// The eight tools as a server would list them.
fn listing() -> Option<Listing> {
    let tools = TYPICAL_TOOLS.iter().map(|tool| match tool.annotations {
        Some(annotations) => format!(r#"{{"name":"{}","annotations":{annotations}}}"#, tool.name),
        None => format!(r#"{{"name":"{}"}}"#, tool.name),
    });
    let tools: Vec<String> = tools.collect();
    let text = format!("[{}]", tools.join(","));
    let document = Document::parse(text, &Limits::default()).ok()?;
    let mut listing = Listing::new(ServerIdentity::default());
    let page = Page {
        document,
        lines_before: 0,
    };
    listing.push_page(page, 0);
    Some(listing)
}

/// Where a host stands in the table: hints decide, then alike for all tools by what happens.
fn kind_of_answer(row: &MatrixColumn<'_>) -> (bool, Option<usize>) {
    let first = row.cells.first().and_then(|cell| cell.outcome());
    let is_alike = row.cells.iter().all(|cell| cell.outcome() == first);
    let order = [
        Outcome::Ask,
        Outcome::AskOnce,
        Outcome::AskEvery,
        Outcome::Allow,
    ];
    let place = order
        .iter()
        .position(|outcome| is_alike && Some(*outcome) == first);
    (is_alike, Some(place.unwrap_or(order.len())))
}

/// An outcome in a cell.
const fn word(outcome: Outcome, kind: HostKind) -> &'static str {
    match outcome {
        Outcome::Allow if !kind.calls_tools() => "accepted",
        Outcome::Deny if !kind.calls_tools() => "refused",
        Outcome::Allow => "silent",
        Outcome::Ask => "asks",
        Outcome::AskOnce => "asks once",
        Outcome::AskEvery => "asks each time",
        Outcome::Deny => "refuses",
        Outcome::Hide => "hides",
        Outcome::Judge => "a model decides",
        Outcome::ByName => "goes by the name",
        Outcome::Unknown => "unknown",
    }
}

/// What a reader has to know of a host's kind, after its name.
const fn remark(kind: HostKind) -> &'static str {
    match kind {
        HostKind::Application => "",
        HostKind::Library => " (library or service)",
        HostKind::Directory => " (before publication)",
        HostKind::Former => " (no longer current)",
        HostKind::Model => " (no real host)",
    }
}
