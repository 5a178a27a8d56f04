//! What becomes of hints that are no booleans, by the code that reads the listing.

use std::fmt::Write as _;

use super::super::behaviour::{Duplicates, Parser, Treatment};
use super::super::reference_page::anchor;

pub(super) fn section(page: &mut String) {
    page.push_str(
        "A hint is `true`, `false` or not there. What else is sent meets the code that reads the \
         listing before it meets any policy, and some of that code then loses the whole listing: \
         every tool of the server is gone, not only the one at fault. So leave a hint out rather \
         than send `null`.\n\n\
         | reader | `null` | text | a number | a list or an object | `annotations: null` | other `annotations` | `title: null` | a key twice |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for parser in Parser::all() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| [{}](#{}) | {} | {} | {} | {} | {} | {} | {} | {} |",
            parser.name,
            anchor(&parser.name),
            word(parser.null),
            word(parser.string),
            word(parser.number),
            word(parser.container),
            word(parser.annotations_null),
            word(parser.annotations_malformed),
            word(parser.title_null),
            duplicates(parser.duplicated),
        );
    }
    page.push_str(
        "\n- *lost*: the whole listing is refused\n\
         - *absent*: read as if it were not there\n\
         - *coerced*: `\"true\"`, `\"yes\"`, `\"on\"`, `1` and their opposites are read as booleans; \
         for anything else the listing is lost\n\
         - *truthy*: anything but an empty text, `0` and `null` is read as true\n",
    );
    for parser in Parser::all() {
        let _ = write!(page, "\n### {}\n\n", parser.name);
        if parser.version != "any" {
            let _ = write!(page, "Version {}, ", parser.version);
            let _ = writeln!(
                page,
                "looked at on {}. {}",
                parser.date_read, parser.evidence
            );
        } else {
            let _ = writeln!(page, "{}", parser.evidence);
        }
        for note in &parser.notes {
            let _ = writeln!(page, "{note}");
        }
    }
}

const fn word(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Absent => "absent",
        Treatment::RejectsListing => "lost",
        Treatment::Coerced => "coerced",
        Treatment::Truthiness => "truthy",
        Treatment::Unknown => "unknown",
    }
}

const fn duplicates(duplicates: Duplicates) -> &'static str {
    match duplicates {
        Duplicates::Last => "the last counts",
        Duplicates::RejectsListing => "lost",
        Duplicates::Unknown => "unknown",
    }
}
