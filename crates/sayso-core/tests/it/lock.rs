//! One file for all spellings of a listing, which reads back and contradicts nothing.

use proptest::prelude::*;
use sayso_core::digest::{Part, ToolDigest};
use sayso_core::json::{Document, Limits, Value};
use sayso_core::listing::{Completeness, Era, Listing, Page, ServerIdentity};
use sayso_core::lock::{Configured, Launch, LaunchSource, Lock, PinError, PinnedServer};

fn listing(tools: &[String]) -> Listing {
    let text = format!("{{\"tools\":[{}]}}", tools.join(","));
    let document = Document::parse(text, &Limits::default()).unwrap();
    let array = document.root().get("tools").map(Value::index).unwrap();
    let mut listing = Listing::new(ServerIdentity::default());
    let page = Page {
        document,
        lines_before: 0,
    };
    listing.push_page(page, array);
    listing
}

fn pin(tools: &[&str]) -> PinnedServer {
    let tools: Vec<String> = tools.iter().map(|&tool| tool.to_owned()).collect();
    PinnedServer::of(&listing(&tools), Launch::default()).unwrap()
}

fn lock(name: &str, pinned: PinnedServer) -> Lock {
    Lock {
        servers: [(name.to_owned(), pinned)].into(),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole file is shown")]
fn a_lock_is_made_to_be_reviewed() {
    let mut listing = listing(&[
        r#"{"name":"delete_note","description":"Deletes a note.\n\nIt's gone for good: there is no folder of deleted notes, no history and no other way to get it back.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"Which note."},"mode":{"enum":["one","''all''"]}},"required":["id"]},"annotations":{"destructiveHint":true,"readOnlyHint":null}}"#.to_owned(),
        r#"{"name":"a\u200bb","inputSchema":{}}"#.to_owned(),
    ]);
    listing.server = ServerIdentity {
        name: Some("notes".to_owned()),
        version: Some("1.2.0".to_owned()),
        protocol_version: Some("2025-11-25".to_owned()),
        era: Some(Era::Legacy),
        instructions: Some("Ask before \"deleting\". \n".to_owned()),
    };
    let launch = Launch {
        source: LaunchSource::Command("node server.js --token …".to_owned()),
        directory: Some("servers/notes".to_owned()),
        environment: vec!["NOTES_HOME".to_owned()],
        configuration: Some(Configured {
            file: ".mcp.json".to_owned(),
            server: "my-notes".to_owned(),
        }),
    };
    let lock = lock("notes", PinnedServer::of(&listing, launch).unwrap());
    let text = lock.to_text();
    insta::assert_snapshot!(text, @r#"
    # What was accepted of each server: its tools' definitions, and the digests they are held against.
    # Written by `sayso lock`, to be reviewed. `sayso lock --check` says what changed since, and which
    # way; `sayso lock --accept` shows the difference and takes it over.
    format = 1

    [[server]]
    name = "notes"
    identity = "notes"
    version = "1.2.0"
    protocol = "2025-11-25"
    era = "legacy"
    complete = true
    tools = 2

    [server.launch]
    command = "node server.js --token …"
    directory = "servers/notes"
    environment = ["NOTES_HOME"]
    configuration.file = ".mcp.json"
    configuration.server = "my-notes"

    [server.instructions]
    digest = "sha256:3c87b2bc1f68f1c384828ec941b69234c933a094a1e006d89bf7c21c14554c34"
    text = """
    Ask before \"deleting\".\u0020
    """

    [[server.tool]]
    name = "a\u200bb"
    claims.readOnlyHint = "absent"
    claims.destructiveHint = "absent"
    claims.idempotentHint = "absent"
    claims.openWorldHint = "absent"
    digest.whole = "sha256:b4fb0cfb3ae833505c82dc992abe43f9dc3b1fc13ea090b32de5ed6128a222ff"
    digest.text = "sha256:e10808d43975dc400731053386849f864f297e6c4f7519c380f3dbaf7067a840"
    digest.schemas = "sha256:c3d298444c83bd106132a30a382b2a58825572042a56360a3f4689bf4324a1cc"
    digest.annotations = "sha256:e10808d43975dc400731053386849f864f297e6c4f7519c380f3dbaf7067a840"
    digest.rest = "sha256:e10808d43975dc400731053386849f864f297e6c4f7519c380f3dbaf7067a840"
    definition = '''
    {
      "inputSchema": {}
    }
    '''

    [[server.tool]]
    name = "delete_note"
    claims.readOnlyHint = "null"
    claims.destructiveHint = "true"
    claims.idempotentHint = "absent"
    claims.openWorldHint = "absent"
    digest.whole = "sha256:8d4862356bed02f2d14f328122e396cbbf939ca4775837d95cbc442edfdd8304"
    digest.text = "sha256:4daadd3617dadb17e577ac7847d5cfc38ab4e25d2f3d487f6ae5eb0ac46300bc"
    digest.schemas = "sha256:493f57115f1337e2ef5b31fa67a0ffb8828f4be7113c9955e49215a09bce3dc1"
    digest.annotations = "sha256:38e2b196744a3fa4e411cff4631b39aef31544af3a27f9ba40c08abd23906efb"
    digest.rest = "sha256:e10808d43975dc400731053386849f864f297e6c4f7519c380f3dbaf7067a840"
    description = """
    Deletes a note.

    It's gone for good: there is no folder of deleted notes, no history and no other way to get it \
    back."""
    definition = '''
    {
      "annotations": { "destructiveHint": true, "readOnlyHint": null },
      "inputSchema": {
        "properties": {
          "id": { "description": "Which note.", "type": "string" },
          "mode": { "enum": ["one", "'\u0027all'\u0027"] }
        },
        "required": ["id"],
        "type": "object"
      }
    }
    '''
    "#);
    assert_eq!(Lock::from_text(&text).unwrap(), lock);
    // As editors on another system leave it.
    let windows = format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
    assert_eq!(Lock::from_text(&windows).unwrap(), lock);
}

#[test]
fn what_cannot_be_told_by_its_name_is_not_pinned() {
    let refused = |tools: &[&str]| {
        let tools: Vec<String> = tools.iter().map(|&tool| tool.to_owned()).collect();
        PinnedServer::of(&listing(&tools), Launch::default()).unwrap_err()
    };
    let nameless = [
        r#"{"description":"d"}"#,
        "17",
        r#"{"name":1}"#,
        r#"{"name":"a","name":"b"}"#,
        r#"{"name":"\ud800"}"#,
    ];
    for tool in nameless {
        let error = refused(&[r#"{"name":"one"}"#, tool]);
        assert_eq!(error, PinError::Nameless(2), "{tool}");
    }
    assert_eq!(
        refused(&[r#"{"name":"one"}"#, r#"{"title":"t","name":"\u006fne"}"#]),
        PinError::Ambiguous("one".to_owned())
    );
    let mut incomplete = listing(&[]);
    incomplete.completeness = Completeness::Incomplete("page 2 timed out".to_owned());
    assert_eq!(
        PinnedServer::of(&incomplete, Launch::default()).unwrap_err(),
        PinError::Incomplete("page 2 timed out".to_owned())
    );
}

#[test]
fn two_readings_are_told_apart_by_what_moved() {
    let one = pin(&[
        r#"{"name":"a","description":"one"}"#,
        r#"{"name":"b"}"#,
        r#"{"name":"c"}"#,
    ]);
    let other = pin(&[
        r#"{"name":"c"}"#,
        r#"{"description":"two","name":"a","annotations":{"readOnlyHint":true}}"#,
        r#"{"name":"d"}"#,
    ]);
    assert_eq!(
        one.difference(&other).unwrap(),
        "text, annotations of `a`; `b` is gone; `d` is new"
    );
    assert_eq!(one.difference(&one.clone()), None);
}

#[test]
fn a_lock_that_contradicts_itself_is_refused() {
    let text = lock(
        "notes",
        pin(&[
            r#"{"name":"a","description":"does one thing","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#,
        ]),
    )
    .to_text();
    let told = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Lock::from_text(&text.replace(from, to))
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!([
        told("does one thing", "does another"),
        told(r#""type": "object""#, r#""type": "array""#),
        told(r#"readOnlyHint = "true""#, r#"readOnlyHint = "absent""#),
        told(r#""readOnlyHint": true"#, r#""readOnlyHint": false"#),
        told("complete = true", "complete = false"),
        told("tools = 1", "tools = 2"),
        told("{ \"type\": \"object\" }", "17 "),
        told("format = 1", "format = 2"),
        told("name = \"a\"", "name = \"b\""),
        told("definition = '''\n{", "definition = '''\n{ \"name\": \"x\","),
    ].join("\n"), @"
    the definition of `a` of `notes` does not have the digest `whole` beside it
    the definition of `a` of `notes` does not have the digest `whole` beside it
    the definition of `a` of `notes` does not make the claim readOnlyHint beside it
    the definition of `a` of `notes` does not have the digest `whole` beside it
    the listing of `notes` is not complete, and no such listing is ever pinned
    `notes` has 2 tools by its count and 1 by their entries
    the definition of `a` of `notes` does not have the digest `whole` beside it
    it has format 2, and this version reads format 1
    the definition of `b` of `notes` does not have the digest `whole` beside it
    the definition of `a` of `notes` has a name of its own
    ");
}

/// A tool of which spellings are made: members by key, texts with everything that ends a string
/// in one notation or another.
#[derive(Clone, Debug)]
struct Spelt {
    name: String,
    members: Vec<(&'static str, String)>,
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-c ]{0,12}",
        prop::sample::select(vec![
            "'''",
            "''",
            "\"\"\"",
            "\"",
            "\\",
            "\\\n",
            "\n",
            "\r\n",
            "\t",
            " \n",
            "\u{7f}",
            "\u{200b}",
            "\u{202e}",
            "\u{e0041}",
            "é",
            "😀",
            "#",
            "=",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
        "[a-z]{90,130} ",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn tool() -> impl Strategy<Value = Spelt> {
    let word = prop::sample::select(vec![
        "true", "false", "null", "17", "1e400", "{}", "[[], {}]",
    ]);
    let members = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(prop_oneof![
            word.clone().prop_map(str::to_owned),
            text().prop_map(|text| string(&text)),
            r#""\\ud800""#,
        ]),
        prop::option::of((word.clone(), text())),
        prop::option::of(word),
    );
    ("[a-d]", text(), members).prop_map(|(first, rest, (title, description, odd, schema, hint))| {
        let mut members = Vec::new();
        members.extend(title.map(|title| ("title", string(&title))));
        members.extend(description.map(|text| ("description", string(&text))));
        // Where it stands a second time, no reader knows which one counts.
        members.extend(odd.map(|odd| ("description", odd)));
        members.extend(schema.map(|(word, text)| {
            let text = string(&text);
            let schema = format!("{{\"properties\":{{{text}:{word}}},\"const\":[{text},{word}]}}");
            ("inputSchema", schema)
        }));
        members.extend(hint.map(|hint| ("annotations", format!("{{\"readOnlyHint\":{hint}}}"))));
        Spelt {
            name: format!("{first}{rest}"),
            members,
        }
    })
}

impl Spelt {
    fn plain(&self) -> String {
        self.spell(false)
    }

    /// With the members the other way round, repeated ones in their order, and white space.
    fn turned(&self) -> String {
        self.spell(true)
    }

    fn spell(&self, turned: bool) -> String {
        let name = ("name", string(&self.name));
        let mut members: Vec<(&str, String)> = vec![name];
        members.extend(self.members.iter().cloned());
        if turned {
            members.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
        }
        let (colon, comma) = if turned { (" :\n", "\t, ") } else { (":", ",") };
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| {
                let key = if turned {
                    escaped(key)
                } else {
                    (*key).to_owned()
                };
                format!("\"{key}\"{colon}{value}")
            })
            .collect();
        format!("{{{}}}", members.join(comma))
    }
}

fn escaped(key: &str) -> String {
    key.encode_utf16()
        .map(|unit| format!("\\u{unit:04X}"))
        .collect()
}

proptest! {
    #[test]
    fn equal_listings_give_equal_files(tools in prop::collection::vec(tool(), 0..5), server in text()) {
        let mut tools = tools;
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools.dedup_by(|one, other| one.name == other.name);
        let one: Vec<String> = tools.iter().map(Spelt::plain).collect();
        let other: Vec<String> = tools.iter().rev().map(Spelt::turned).collect();
        let of = |tools: &[String]| {
            let mut listing = listing(tools);
            listing.server.instructions = Some(server.clone());
            lock(&server, PinnedServer::of(&listing, Launch::default()).unwrap())
        };
        let (one, other) = (of(&one), of(&other));
        prop_assert_eq!(one.to_text(), other.to_text());
        prop_assert_eq!(&Lock::from_text(&one.to_text()).unwrap(), &one);
    }

    #[test]
    fn the_file_shows_what_it_holds(tool in tool()) {
        let text = lock("s", pin(&[&tool.plain()])).to_text();
        for character in text.chars() {
            let shown = character == '\n' || sayso_core::reveal::hidden(character).is_none();
            prop_assert!(shown, "{character:?}");
        }
        for line in text.lines() {
            prop_assert!(!line.ends_with([' ', '\t']), "{line:?}");
        }
    }

    #[test]
    fn the_accepted_listing_is_the_one_that_was_pinned(tool in tool()) {
        let plain = tool.plain();
        let pinned = pin(&[&plain]);
        let again = pinned.listing();
        let digest = again.tools().map(ToolDigest::of).next().unwrap();
        prop_assert_eq!(digest, pinned.tools.values().next().unwrap().digest);
        let original = listing(&[plain]);
        let moved = original.tools().map(ToolDigest::of).next().unwrap().parts.moved(&digest.parts);
        prop_assert_eq!(moved, Vec::<Part>::new());
    }

    #[test]
    fn no_text_is_too_odd_to_be_refused(cut in 0usize..2000, put in "[\\[\\]{}'\"=\\\\u0-9a-c\n#.]{0,6}") {
        let text = lock("notes", pin(&[r#"{"name":"a","description":"d"}"#])).to_text();
        let cut = cut.min(text.len());
        let odd = format!("{}{put}{}", &text[..cut], &text[cut..]);
        if let Ok(read) = Lock::from_text(&odd) {
            prop_assert_eq!(Lock::from_text(&read.to_text()).unwrap(), read);
        }
    }
}
