//! What `sayso approvals` shows. The person sees what will run: every argument, with characters
//! that hide written out.

mod human;

use std::io;

use sayso_core::approval::Approval;
use sayso_core::journal::Timestamp;

use super::safe_json;
use crate::audit_report::Presentation;

/// The formats approvals can be shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ApprovalsFormat {
    /// For people
    #[default]
    Human,
    /// A versioned JSON document
    Json,
}

/// A versioned document. Arguments stand in it as they will be sent, so it is put together of texts;
/// members may be added to it, none goes away and none changes its meaning.
fn json(approvals: &[Approval], now: Timestamp) -> io::Result<String> {
    let mut text = "{\n  \"version\": 1,\n  \"approvals\": [".to_owned();
    for (position, approval) in approvals.iter().enumerate() {
        let comma = if position > 0 { "," } else { "" };
        let members = serde_json::to_string(approval)?;
        let members = members.strip_prefix('{').unwrap_or_default();
        let state = approval.state(now).as_str();
        text.push_str(&format!("{comma}\n    {{\"state\":\"{state}\",{members}"));
    }
    text.push_str(if approvals.is_empty() {
        "]\n}\n"
    } else {
        "\n  ]\n}\n"
    });
    Ok(safe_json::escape(&text))
}

/// Writes a list.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_list(
    approvals: &[Approval],
    now: Timestamp,
    format: ApprovalsFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        ApprovalsFormat::Human => {
            out.write_all(human::list(approvals, now, presentation).as_bytes())
        }
        ApprovalsFormat::Json => out.write_all(json(approvals, now)?.as_bytes()),
    }
}

/// Writes one, with everything.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn write_one(
    approval: &Approval,
    now: Timestamp,
    format: ApprovalsFormat,
    presentation: &Presentation,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        ApprovalsFormat::Human => out.write_all(human::one(approval, now, presentation).as_bytes()),
        ApprovalsFormat::Json => {
            out.write_all(json(std::slice::from_ref(approval), now)?.as_bytes())
        }
    }
}
