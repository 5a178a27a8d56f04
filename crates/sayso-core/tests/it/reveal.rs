//! Server text, made safe to show.

use proptest::prelude::*;
use sayso_core::reveal::{hidden, reveal, reveal_line};

#[test]
fn hidden_characters_are_written_out() {
    insta::assert_snapshot!(reveal("a\u{202e}b\u{200b}c\u{1b}[2Jd\u{e0041}é😀👩\u{200d}💻\n"), @r"a\u{202e}b\u{200b}c\u{1b}[2Jd\u{e0041}é😀👩‍💻");
    assert_eq!(reveal_line("a\nb\tc"), "a\\nb\\tc");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_hidden_is_left(text in any::<String>()) {
        prop_assert!(!reveal(&text).chars().any(|character| hidden(character).is_some()));
        prop_assert!(!reveal_line(&text).contains(['\n', '\t', '\r']));
    }

    #[test]
    fn plain_text_stays_as_it_is(text in "[ -~\u{e9}\u{4e2d}]*") {
        prop_assert_eq!(reveal(&text), text.as_str());
    }
}
