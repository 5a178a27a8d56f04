//! What every format makes of one small run with something of everything in it.

#![expect(
    clippy::string_slice,
    clippy::too_many_lines,
    reason = "tests cut where they know a character begins, and hold what people see as it is"
)]

mod github;
mod hosts;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod odd;
mod sarif;

use std::time::Duration;

use sayso_audit::admit::{Admitted, HiddenCounts};
use sayso_audit::semantics::Semantics;
use sayso_audit::summary::Summary;
use sayso_core::finding::{Confidence, Evidence, Finding, Location, Severity};
use sayso_core::hint::{Hint, Hints};
use sayso_core::json::{Document, Limits, Value};
use sayso_core::listing::{Completeness, Era, Listing, ObservationKind, Page, ServerIdentity};

use crate::audit_report::{
    AuditReport, Audited, ConfiguredIn, Detail, FailOn, Format, Presentation, ReportSettings,
    SettingsFinding, TargetDescription, TargetReport, Unreadable,
};

/// Five tools: three that say nothing, one that says it wrongly, one that hides something.
const LISTING: &str = r#"{"tools": [
  {"name": "list_files", "title": "List files", "inputSchema": {"type": "object"}},
  {"name": "read_file", "inputSchema": {"type": "object"}},
  {"name": "stat_file", "inputSchema": {"type": "object"}},
  {"name": "send_mail",
   "description": "宛先に手紙を送ります。Before it is handed to the post office the letter is weighed, stamped and entered in the book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy for ninety days and then burns it, unless somebody asks for it.",
   "inputSchema": {"type": "object", "properties": {"mode": {"type": "string", "enum": ["draft", "send"]}}},
   "annotations": {"title": "Send <mail>", "readOnlyHint": false, "destructiveHint": null, "openWorldHint": "no"}},
  {"name": "burn\u202eliam",
   "description": "Burns a letter.\u200b\u001b[2K Idempotent.",
   "inputSchema": {"type": "object"},
   "annotations": {"readOnlyHint": true, "destructiveHint": true}}
]}
"#;

/// A run over three targets: a saved listing, a configured server, one that cannot be read.
fn run() -> AuditReport {
    let mut live = audited(
        "{\"tools\": [{\"name\": \"ping\", \"annotations\": {\"readOnlyHint\": true, \"openWorldHint\": false}}]}",
        |_| Vec::new(),
    );
    live.listing.server = ServerIdentity {
        name: Some("pinger".to_owned()),
        version: Some("1.2.0".to_owned()),
        protocol_version: Some("2025-11-25".to_owned()),
        era: Some(Era::Legacy),
        instructions: None,
    };
    live.listing
        .observe(ObservationKind::NotJson, 2, "starting \u{1b}[32mup");
    live.listing.completeness = Completeness::Incomplete("page 2 never came".to_owned());
    live.stderr_tail = vec!["listening".to_owned(), "bye\u{7}".to_owned()];
    report(vec![
        TargetReport {
            name: "post-office".to_owned(),
            target: TargetDescription::File("fixtures/post office.json".to_owned()),
            configured_in: None,
            outcome: Ok(audited(LISTING, findings)),
        },
        TargetReport {
            name: "pinger".to_owned(),
            target: TargetDescription::Command("pinger --stdio".to_owned()),
            configured_in: Some(ConfiguredIn {
                host: "zed".to_owned(),
                file: ".zed/settings.json".to_owned(),
                line: 7,
            }),
            outcome: Ok(live),
        },
        TargetReport {
            name: "broken".to_owned(),
            target: TargetDescription::Url("http://127.0.0.1:9/mcp".to_owned()),
            configured_in: None,
            outcome: Err(Unreadable {
                message: "could not connect: connection refused".to_owned(),
                hint: Some("start the server, or correct the port".to_owned()),
                details: vec!["\u{1b}]0;owned\u{7}last words".to_owned()],
            }),
        },
    ])
}

fn report(targets: Vec<TargetReport>) -> AuditReport {
    AuditReport {
        version: "0.1.0",
        settings: ReportSettings {
            profile: None,
            baseline: None,
            fail_on: FailOn::Error,
            semantics: Semantics::default(),
            settings_file: Some("sayso.toml".to_owned()),
        },
        targets,
        settings_findings: vec![SettingsFinding {
            rule: "unused-suppression",
            severity: Severity::Warning,
            message: "the suppression of `half-declared` suppresses nothing".to_owned(),
            file: "sayso.toml".to_owned(),
            line: 3,
            help: "delete it".to_owned(),
        }],
        notes: vec!["`old` in .zed/settings.json is disabled and was left out".to_owned()],
        duration: Duration::from_millis(1500),
    }
}

/// A listing of one page and what was found in it.
fn audited(text: &str, findings: impl FnOnce(&Listing) -> Vec<Finding>) -> Audited {
    let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
    let root = document.root();
    let tools = root.get("tools").unwrap_or(root).index();
    let mut listing = Listing::default();
    listing.push_page(
        Page {
            document,
            lines_before: 0,
        },
        tools,
    );
    let findings = findings(&listing);
    Audited {
        summary: Summary::new(&listing, &findings),
        listing,
        hosts: Vec::new(),
        registered: Vec::new(),
        admitted: Admitted {
            findings,
            hidden: HiddenCounts {
                off: 1,
                suppressed: 2,
            },
            used: Vec::new(),
        },
        stderr_tail: Vec::new(),
        duration: Duration::from_millis(250),
    }
}

fn findings(listing: &Listing) -> Vec<Finding> {
    let mut found: Vec<Finding> = (0..3)
        .map(|tool| Finding {
            help: Some(
                "declare what the tool does; each hint left out keeps its worst-case default"
                    .to_owned(),
            ),
            ..finding(
                listing,
                "missing-annotations",
                Severity::Warning,
                Some(tool),
                "no annotations: clients assume the worst of all four hints",
            )
        })
        .collect();
    let mut sends = finding(
        listing,
        "prose-contacts-person",
        Severity::Error,
        Some(3),
        "the description says it contacts a person; `openWorldHint` does not",
    );
    sends.hint = Some(Hint::OpenWorld);
    sends.evidence = vec![evidence(
        listing,
        3,
        &["description"],
        "contacts a real person",
        "reaches somebody outside",
    )];
    sends.help = Some("declare `openWorldHint: true`".to_owned());
    sends.suggestion.open_world = Some(true);
    let mut mode = finding(
        listing,
        "mixed-mode-argument",
        Severity::Warning,
        Some(3),
        "`mode` chooses between reading and writing",
    );
    mode.evidence = vec![evidence(
        listing,
        3,
        &["inputSchema", "properties", "mode", "enum"],
        "\"send\"",
        "writes, while the other member does not; a client that asks before one has to ask before both",
    )];
    let mut hides = finding(
        listing,
        "invisible-text",
        Severity::Error,
        Some(4),
        "the description holds invisible characters",
    );
    hides.evidence = vec![evidence(
        listing,
        4,
        &["description"],
        "\u{200b}",
        "U+200B, zero width space",
    )];
    let mut both = finding(
        listing,
        "read-only-destructive",
        Severity::Info,
        Some(4),
        "read-only and destructive at once",
    );
    both.suggestion = Hints {
        destructive: Some(false),
        ..Hints::default()
    };
    let mut undo = finding(
        listing,
        "prose-destroys",
        Severity::Warning,
        Some(3),
        "the description says that it cannot be undone",
    );
    undo.evidence = vec![evidence(
        listing,
        3,
        &["description"],
        "cannot be undone",
        "no way back",
    )];
    undo.help = Some("set destructiveHint to true".to_owned());
    undo.suggestion.destructive = Some(true);
    found.extend([sends, undo, mode, hides, both]);
    found.push(finding(
        listing,
        "duplicate-names",
        Severity::Info,
        None,
        "no two tools share a name, which is worth a note",
    ));
    found
}

fn finding(
    listing: &Listing,
    rule: &'static str,
    severity: Severity,
    tool: Option<usize>,
    message: &str,
) -> Finding {
    let location = tool
        .and_then(|position| listing.tool(position))
        .map_or_else(Location::default, |tool| {
            let value = tool.value().get("name").unwrap_or(tool.value());
            listing.location(tool.page(), value)
        });
    Finding {
        rule,
        severity,
        confidence: Confidence::High,
        tool,
        hint: None,
        message: message.to_owned(),
        location,
        evidence: Vec::new(),
        help: None,
        suggestion: Hints::default(),
    }
}

fn evidence(listing: &Listing, tool: usize, path: &[&str], marked: &str, label: &str) -> Evidence {
    let tool = listing.tool(tool).unwrap();
    let value = tool.value().at(path).unwrap();
    let text =
        Value::as_str(value).map_or_else(|| value.raw().to_owned(), std::borrow::Cow::into_owned);
    let start = text.find(marked).unwrap();
    Evidence {
        location: listing.location(tool.page(), value),
        mark: start..start + marked.len(),
        text,
        label: label.to_owned(),
    }
}

/// The report as it would be printed, without colour, 100 columns wide.
fn written(report: &AuditReport, format: Format) -> String {
    written_as(
        report,
        format,
        &Presentation {
            color: false,
            width: 100,
            detail: Detail::Normal,
        },
    )
}

fn written_as(report: &AuditReport, format: Format, presentation: &Presentation) -> String {
    let mut bytes = Vec::new();
    super::write(report, format, presentation, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// No character that drives a terminal or hides is left, whatever the format.
fn assert_nothing_hides(text: &str) {
    let hidden = text
        .chars()
        .find(|character| sayso_core::reveal::hidden(*character).is_some());
    assert_eq!(hidden, None);
}

#[test]
fn a_wide_character_takes_two_columns() {
    let audited = audited(LISTING, findings);
    let evidence = evidence(&audited.listing, 3, &["description"], "送ります", "sends");
    let mut finding = finding(&audited.listing, "odd", Severity::Info, Some(3), "odd");
    finding.evidence = vec![evidence];
    let pictures = super::excerpt::pictures(&[&finding], 40);
    let under = pictures[0].sights[0].under;
    assert!(
        pictures[0].line.starts_with("宛先に手紙を送ります。Before"),
        "{}",
        pictures[0].line
    );
    assert_eq!((under.indent, under.width), (12, 8));
}
