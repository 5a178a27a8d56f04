//! Any bytes: the reader answers or refuses, and what it answers is the text it was given.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sayso_core::json::{Document, Limits};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = Document::from_bytes(bytes.to_vec(), &Limits::default()) {
        assert_eq!(document.text().as_bytes(), bytes);
        let mut open = vec![document.root()];
        while let Some(value) = open.pop() {
            assert_eq!(document.text().get(value.span().range()), Some(value.raw()));
            open.extend(value.elements());
            open.extend(value.members().map(|member| member.value));
        }
    }
    let _ = sayso_mcp::listing_from_saved(bytes, "fuzz");
});
