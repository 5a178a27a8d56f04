use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use super::super::html::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use super::{assert_nothing_hides, run, written};
use crate::audit_report::Format;

/// Elements that have no end tag.
const VOID: [&str; 4] = ["meta", "input", "br", "rect"];

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let page = written(&run(), Format::Html);
    assert_nothing_hides(&page);
    assert_well_formed(&page);
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        // The one address is a target's, as text.
        let page = page.replace("address: http://127.0.0.1:9/mcp", "");
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("Send &#60;mail&#62;"));
    assert!(page.contains("<mark>contacts a real person</mark>"));
}

#[test]
fn the_content_policy_lets_in_just_its_own_style_and_script() {
    let hash = |text: &str| {
        format!(
            "sha256-{}",
            base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
        )
    };
    assert_eq!(hash(STYLE), STYLE_HASH);
    assert_eq!(hash(SCRIPT), SCRIPT_HASH);
    let page = written(&run(), Format::Html);
    assert!(page.contains(&format!("<style>{STYLE}</style>")));
    assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
}

/// Every element that is begun is ended, in order.
pub(super) fn assert_well_formed(page: &str) {
    let page = page.replace(STYLE, "").replace(SCRIPT, "");
    let mut open: Vec<String> = Vec::new();
    let mut rest = page.as_str();
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').expect("a tag that ends");
        rest = after;
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        if tag.starts_with('!') || VOID.contains(&name.as_str()) {
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()));
        } else {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<String>::new());
}
