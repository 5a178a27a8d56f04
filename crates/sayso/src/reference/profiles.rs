//! `profiles.md`.

use std::fmt::Write as _;

use sayso_audit::profile::Profile;

use super::{cell, made_from};

pub(super) fn page() -> String {
    let mut page = format!(
        "# Profiles\n\n{}",
        made_from("crates/sayso-audit/profiles/*.toml")
    );
    page.push_str(
        "\nA profile is what a specification or a directory asks of a listing on a certain day. \
         `sayso audit --profile ID` holds a listing against one; its requirements are reported by the \
         rule [`profile-requirement`](rules.md#profile-requirement).\n",
    );
    for profile in Profile::all() {
        section(&mut page, profile);
    }
    page
}

fn section(page: &mut String, profile: &Profile) {
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "\n## `{}`\n\n{}, as of {}. {}\n",
        profile.id, profile.name, profile.date, profile.summary
    );
    if !profile.requirements.is_empty() {
        page.push_str("\n| requirement | severity | what is asked | source |\n|---|---|---|---|\n");
    }
    for requirement in &profile.requirements {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | <{}> ({}) |",
            requirement.id,
            requirement.severity,
            cell(&requirement.message),
            requirement.source,
            requirement.date
        );
    }
    if !profile.levels.is_empty() {
        page.push_str("\nIt sets the level of these rules, unless `sayso.toml` does:\n\n");
    }
    for (rule, level) in &profile.levels {
        let level = level.severity().map_or("off", |severity| severity.as_str());
        let _ = writeln!(page, "- [`{rule}`](rules.md#{rule}): {level}");
    }
    page.push_str("\nSources:\n\n");
    for source in &profile.sources {
        let _ = writeln!(page, "- <{source}>");
    }
}
