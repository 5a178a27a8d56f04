//! What a server lists in one era and not, or otherwise, in the other.

use std::collections::BTreeMap;

use sayso_core::listing::Listing;
use sayso_core::reveal::reveal_line;

/// A sentence for each tool that is not the same in both listings, by name.
pub(super) fn differences(legacy: &Listing, modern: &Listing) -> Vec<String> {
    let (old, new) = (by_name(legacy), by_name(modern));
    let mut differences = Vec::new();
    for (name, tools) in &old {
        match new.get(name) {
            None => differences.push(format!("`{name}` is listed only up to 2025-11-25")),
            Some(others) if others != tools => {
                differences.push(format!("`{name}` is listed otherwise from 2026-07-28 on"));
            }
            Some(_) => {}
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        differences.push(format!("`{name}` is listed only from 2026-07-28 on"));
    }
    differences
}

/// Tools of one name are kept together: the same name twice is another finding.
fn by_name(listing: &Listing) -> BTreeMap<String, Vec<serde_json::Value>> {
    let mut tools: BTreeMap<String, Vec<serde_json::Value>> = BTreeMap::new();
    for tool in listing.tools() {
        let value = tool.value();
        let content = value.to_serde().unwrap_or_else(|| value.raw().into());
        tools
            .entry(reveal_line(&tool.label()).into_owned())
            .or_default()
            .push(content);
    }
    tools
}
