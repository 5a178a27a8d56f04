//! `rules.md`.

use std::fmt::Write as _;

use sayso_audit::documentation;
use sayso_audit::rule::RuleMeta;
use sayso_audit::rules;

use super::{cell, made_from};

pub(super) fn page() -> String {
    let mut page = format!("# Rules\n\n{}", made_from("crates/sayso-audit/src/rules"));
    page.push_str(
        "\n`sayso explain RULE` prints the same text. What a rule's findings count as is set in \
         [`sayso.toml`](configuration.md); both examples of every rule are run as tests.\n\n\
         | rule | severity | confidence | finds |\n|---|---|---|---|\n",
    );
    for rule in rules::ALL {
        let RuleMeta {
            id,
            severity,
            confidence,
            summary,
            ..
        } = rule.meta();
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| [`{id}`](#{id}) | {severity} | {confidence} | {} |",
            cell(summary)
        );
    }
    for rule in rules::ALL {
        section(&mut page, rule.meta());
    }
    page
}

fn section(page: &mut String, meta: &RuleMeta) {
    let RuleMeta {
        id,
        severity,
        confidence,
        since,
        ..
    } = meta;
    let _ = write!(
        page,
        "\n## {id}\n\nSeverity {severity}, confidence {confidence}, since {since}.\n\n"
    );
    let mut in_code = false;
    for line in documentation::markdown(meta).lines() {
        in_code ^= line.starts_with("```");
        // A rule's own sections stand one level below its heading here.
        let deeper = if line.starts_with('#') && !in_code {
            "#"
        } else {
            ""
        };
        let _ = writeln!(page, "{deeper}{line}");
    }
}
