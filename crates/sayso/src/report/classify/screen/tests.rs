//! The screen of any tool, in a terminal of any size, after any keys.

use proptest::prelude::*;
use sayso_audit::semantics::Semantics;
use sayso_core::reveal::hidden;
use sayso_core::rulings::Rulings;
use textwrap::core::display_width;

use super::{Room, View, lines};
use crate::classify::Server;
use crate::classify::annotations::Prompts;
use crate::classify::session::{Key, Session};
use crate::hosts::KnownHosts;

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-z]{1,9}",
        2 => Just("delete".to_owned()),
        2 => Just("Sends".to_owned()),
        1 => Just("\u{202e}\u{1b}[2J".to_owned()),
        1 => Just("日本語の説明".to_owned()),
        1 => Just("\t\r\n".to_owned()),
        1 => "[a-z]{90,130}",
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

fn tool() -> impl Strategy<Value = serde_json::Value> {
    (
        text(),
        text(),
        prop::collection::btree_map(text(), text(), 0..6),
    )
        .prop_map(|(name, description, arguments)| {
            let properties = arguments.into_iter().map(|(name, description)| {
                let schema = serde_json::json!({ "type": "string", "description": description });
                (name, schema)
            });
            serde_json::json!({
                "name": format!("a{name}"),
                "description": description,
                "inputSchema": {
                    "type": "object",
                    "properties": properties.collect::<serde_json::Map<_, _>>(),
                },
            })
        })
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        6 => prop::sample::select(vec!['y', 'n', 'o', 'b', 's']).prop_map(Key::Char),
        2 => any::<char>().prop_map(Key::Char),
        2 => Just(Key::Enter),
        1 => Just(Key::Back),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_screen_fits_and_hides_nothing(
        tool in tool(),
        keys in prop::collection::vec(key(), 0..12),
        width in 40_usize..120,
        height in 1_usize..50,
        scroll in 0_usize..30,
        color in any::<bool>(),
    ) {
        let listing = serde_json::json!([tool]).to_string();
        let listing = sayso_mcp::listing_from_saved(listing.as_bytes(), "tools.json").unwrap();
        let rulings = Rulings::default();
        let hosts = KnownHosts::default();
        let server = Server::new("tools", &listing, &rulings, &Semantics::default(), &hosts, None);
        let subjects: Vec<_> = server.subjects.iter().collect();
        let mut session = Session::new(server.names(), server.names(), None);
        for key in keys {
            session.press(key);
            let view = View {
                server: server.name,
                subjects: &subjects,
                session: &session,
                prompts: Prompts::default(),
                file: "sayso.rulings.toml",
                scroll,
            };
            let (shown, _) = lines(&view, Room { width, height, color });
            prop_assert!(shown.len() <= height);
            for line in shown {
                prop_assert!(display_width(&line) <= width, "{width}: {line:?}");
                let plain = line.replace("\u{1b}[", "");
                prop_assert!(plain.chars().all(|character| hidden(character).is_none()), "{line:?}");
                prop_assert!(color || !line.contains('\u{1b}'), "{line:?}");
            }
        }
    }
}
