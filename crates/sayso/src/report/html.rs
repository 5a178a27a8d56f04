//! One page that needs nothing else: no network, no font, no file beside it. It reads without
//! its script, which only filters; its content policy lets no other script or style in.

mod page;
mod view;

use askama::Template;

use crate::audit_report::AuditReport;

/// The style sheet, which the page carries along.
pub(super) const STYLE: &str = include_str!("html/report.css");
/// The SHA-256 of [`STYLE`], for the content policy.
pub(super) const STYLE_HASH: &str = "sha256-cdCohOa1EeCNJ6rk/dISznAkSovJRizD8h7qteakWyU=";
/// The script that filters, which the page carries along.
pub(super) const SCRIPT: &str = include_str!("html/report.js");
/// The SHA-256 of [`SCRIPT`], for the content policy.
pub(super) const SCRIPT_HASH: &str = "sha256-tYcSHqZGlvuLBHwJJrfsD9dx+tVvdfdwxd4HiYnoASg=";

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    style: &'static str,
    style_hash: &'static str,
    script: &'static str,
    script_hash: &'static str,
    report: page::Report,
}

/// The whole page.
///
/// # Errors
/// None in practice: nothing the template writes can fail.
pub(super) fn render(report: &AuditReport) -> Result<String, askama::Error> {
    Page {
        style: STYLE,
        style_hash: STYLE_HASH,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
        report: page::Report::new(report),
    }
    .render()
}
