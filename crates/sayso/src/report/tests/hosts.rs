//! What the formats make of hosts and a listing with something of everything in it.

use base64::Engine as _;
use sayso_audit::hosts::{Difference, Matrix, Overlay};
use sha2::{Digest as _, Sha256};

use super::super::hosts::html::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use super::super::hosts::write;
use super::html::assert_well_formed;
use super::{LISTING, assert_nothing_hides, audited};
use crate::audit_report::{Detail, Presentation, TargetDescription, Unreadable};
use crate::cli::HostsFormat;
use crate::hosts::{Freshness, KnownHosts, ModeChoice};
use crate::hosts_report::{Gated, HostsReport, HostsSettings, HostsTarget, Overlaid, Treated};

/// Two targets, one of which cannot be read, with other hints and with what is true.
fn written(format: HostsFormat, presentation: Presentation) -> String {
    let known = KnownHosts::shipped();
    let columns = known.columns(&[], &ModeChoice::Default).unwrap();
    let listing = audited(LISTING, |_| Vec::new()).listing;
    let hints = r#"{"list_files": {"readOnlyHint": true}, "send_mail": {"destructiveHint": true}}"#;
    let hints = Overlay::parse(hints, "hints.json").unwrap();
    let after = hints.over(&listing).unwrap();
    let (before, after) = (
        Matrix::new(&listing, &columns),
        Matrix::new(&after, &columns),
    );
    let place = TargetDescription::File("post office.json".to_owned());
    let unreadable = Unreadable::new("it is \u{1b}[2Kgone");
    let treated = Treated {
        listing: &listing,
        gating: Some(Gated {
            truths: vec![None; before.tools.len()],
            before: before.held_against(&hints),
            after: Some(after.held_against(&hints)),
        }),
        overlaid: Some(Overlaid {
            difference: Difference::between(&before, &after),
            matrix: after,
        }),
        matrix: before,
    };
    let target = |name, outcome| HostsTarget {
        name,
        target: &place,
        configured_in: None,
        outcome,
    };
    let report = HostsReport {
        version: "0.1.0",
        settings: HostsSettings {
            named: false,
            mode: ModeChoice::Default.to_string(),
            tool: None,
            list: false,
            with: Some("hints.json".to_owned()),
            ruling: Some("hints.json".to_owned()),
            freshness: Freshness::new(0),
            settings_file: None,
        },
        known: &known,
        columns: columns.clone(),
        targets: vec![
            target("post\u{202e}office", Ok(treated)),
            target("gone", Err(&unreadable)),
        ],
        notes: vec!["a \u{200b}note".to_owned()],
    };
    let mut bytes = Vec::new();
    write(&report, format, &presentation, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

const PLAIN: Presentation = Presentation {
    color: false,
    width: 80,
    detail: Detail::Verbose,
};

#[test]
fn nothing_a_server_sent_hides_in_any_format() {
    for format in [
        HostsFormat::Human,
        HostsFormat::Json,
        HostsFormat::Markdown,
        HostsFormat::Html,
    ] {
        let text = written(format, PLAIN);
        assert_nothing_hides(&text);
        assert!(text.contains("202e"), "{format:?}");
    }
}

#[test]
fn colour_says_nothing_that_words_do_not() {
    let colored = written(
        HostsFormat::Human,
        Presentation {
            color: true,
            ..PLAIN
        },
    );
    assert!(colored.contains("\u{1b}["));
    let plain = written(HostsFormat::Human, PLAIN);
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

#[test]
fn the_matrix_keeps_to_the_width() {
    for width in [80, 100, 140] {
        let text = written(HostsFormat::Human, Presentation { width, ..PLAIN });
        let long = text
            .lines()
            .find(|line| textwrap::core::display_width(line) > width);
        assert_eq!(long, None, "{width}");
    }
}

#[test]
fn the_page_is_well_formed_and_lets_in_just_its_own_style_and_script() {
    let hash = |text: &str| {
        let digest = Sha256::digest(text);
        format!(
            "sha256-{}",
            base64::engine::general_purpose::STANDARD.encode(digest)
        )
    };
    assert_eq!(hash(STYLE), STYLE_HASH);
    assert_eq!(hash(SCRIPT), SCRIPT_HASH);
    let page = written(HostsFormat::Html, PLAIN);
    assert!(page.contains(&format!("<style>{STYLE}</style>")));
    assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
    assert_well_formed(&page.replace(STYLE, "").replace(SCRIPT, ""));
}
