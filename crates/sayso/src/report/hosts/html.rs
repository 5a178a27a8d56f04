//! One page that needs nothing else: no network, no font, no file beside it. It reads without
//! its script, which only filters; its content policy lets no other script or style in.

mod page;
mod view;

use askama::Template;

use super::super::html;
use crate::hosts_report::HostsReport;

/// The style sheet of this page, beside the one that all pages have.
pub(in crate::report) const STYLE: &str = include_str!("html/hosts.css");
/// The SHA-256 of [`STYLE`], for the content policy.
pub(in crate::report) const STYLE_HASH: &str =
    "sha256-QNJsx3JW+HteGxRnVJco5hUbCcoJDsEB2/rusfS72JY=";
/// The script that filters, which the page carries along.
pub(in crate::report) const SCRIPT: &str = include_str!("html/hosts.js");
/// The SHA-256 of [`SCRIPT`], for the content policy.
pub(in crate::report) const SCRIPT_HASH: &str =
    "sha256-/2R2ThSItaKPisarLyIy/CSiySQl2rmIFUBXyZKO4+s=";

#[derive(Template)]
#[template(path = "hosts.html")]
struct Page {
    common_style: &'static str,
    common_style_hash: &'static str,
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
pub(super) fn render(report: &HostsReport<'_>) -> Result<String, askama::Error> {
    Page {
        common_style: html::STYLE,
        common_style_hash: html::STYLE_HASH,
        style: STYLE,
        style_hash: STYLE_HASH,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
        report: page::Report::new(report),
    }
    .render()
}
