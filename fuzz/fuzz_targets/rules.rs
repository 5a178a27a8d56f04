//! Any listing: every rule answers, and every finding stands in the listing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_audit::judge::{JudgeOptions, judge};

fuzz_target!(|bytes: &[u8]| {
    let Ok(listing) = sayso_mcp::listing_from_saved(bytes, "fuzz") else { return };
    for finding in judge(&listing, &JudgeOptions::default()) {
        if let Some(page) = listing.pages().get(finding.location.page) {
            assert!(page.document.text().get(finding.location.span.range()).is_some());
        }
        for evidence in &finding.evidence {
            assert!(evidence.text.get(evidence.mark.clone()).is_some());
        }
    }
});
