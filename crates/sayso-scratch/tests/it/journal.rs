//! The journal: lines that are whole, and lines that are not.

use proptest::prelude::*;
use sayso_scratch::journal::{Contents, Entry, Journal, Json, Record};
use tempfile::TempDir;

fn received(method: &str) -> Record {
    Record::Received {
        method: method.to_owned(),
    }
}

/// The entries without what is another each time.
fn records(entries: Vec<Entry>) -> Vec<(u64, Option<u64>, Record)> {
    let parts = |entry: Entry| (entry.sequence, entry.connection, entry.record);
    entries.into_iter().map(parts).collect()
}

#[test]
fn what_was_written_is_read() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("journal.jsonl");
    let journal = Journal::open(&path).unwrap();
    journal.append(None, received("before"));
    let called = Record::Called {
        request_id: "\"a\"".to_owned(),
        tool: "append_note".to_owned(),
        arguments: Json::new("{\"page\": 1.50,\n\"page\": 2}"),
        declared: None,
    };
    journal.append(Some(3), called);
    assert!(journal.take_failure().is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    // Arguments stand there as they came, on one line.
    assert!(
        text.contains(r#""arguments":{"page": 1.50, "page": 2}"#),
        "{text}"
    );
    let contents = Journal::read(&path).unwrap();
    assert_eq!(contents.bad_lines, []);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Later lines are later, by both clocks.
    assert!(
        lines
            .iter()
            .all(|line| line["time"].as_str().unwrap().len() == 24)
    );
    let read = records(contents.entries);
    assert_eq!(read.first().unwrap(), &(0, None, received("before")));
    assert!(matches!(
        read.get(1).unwrap(),
        (1, Some(3), Record::Called { .. })
    ));
}

#[test]
fn a_line_cut_off_by_a_kill_costs_no_other() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("journal.jsonl");
    Journal::open(&path).unwrap().append(None, received("one"));
    let mut cut = std::fs::read_to_string(&path).unwrap();
    cut.push_str("{\"time\":\"2026-01-0");
    std::fs::write(&path, cut).unwrap();
    Journal::open(&path).unwrap().append(None, received("two"));
    let contents = Journal::read(&path).unwrap();
    assert_eq!(
        records(contents.entries),
        [(0, None, received("one")), (0, None, received("two"))]
    );
    let bad: Vec<String> = contents.bad_lines.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(bad.join("\n"), @"line 2: EOF while parsing a string (column 18)");
}

#[test]
fn a_bad_line_is_told_with_its_number() {
    let text = r#"{"time":"2026-11-30T10:00:00.000Z","offset_ms":1,"sequence":0,"process":7,"event":"received","method":"ping"}
not json

{"time":"2026-11-30T10:00:00.000Z","offset_ms":1,"sequence":0,"process":7,"event":"exploded"}
{"time":"yesterday","offset_ms":1,"sequence":0,"process":7,"event":"received","method":"ping"}
{"time":"2026-11-30T10:00:00.000Z","offset_ms":1,"sequence":0,"process":7,"event":"received"}
[]
"#;
    let contents = Contents::parse(text.as_bytes());
    assert_eq!(contents.entries.len(), 1);
    let bad: Vec<String> = contents.bad_lines.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(bad.join("\n"), @"
    line 2: expected ident (column 2)
    line 4: unknown variant `exploded`, expected one of `started`, `settings`, `settings-refused`, `listing`, `connected`, `disconnected`, `introduced`, `listed`, `called`, `worked`, `answered`, `cancelled`, `asked`, `person-answered`, `notified`, `stream-opened`, `stream-closed`, `received`, `refused` (column 93)
    line 5: failed to parse four digit integer as year: invalid digit, expected 0-9 but got y (column 19)
    line 6: missing field `method` (column 93)
    line 7: invalid type: sequence, expected an object with an event
    ");
}

#[test]
fn what_is_read_is_written_the_same() {
    for line in include_str!("../../../../fixtures/scratch/two-hosts.jsonl").lines() {
        let entry: Entry = serde_json::from_str(line).unwrap();
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), value);
    }
}

#[test]
fn several_writers_share_a_file() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("journal.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let journal = Journal::open(path).unwrap();
                for _ in 0..200 {
                    journal.append(Some(writer), received(&"x".repeat(300)));
                }
            });
        }
    });
    let contents = Journal::read(&path).unwrap();
    assert_eq!(contents.bad_lines, []);
    assert_eq!(contents.entries.len(), 800);
    // Each writer's lines stand in its order.
    for writer in 0..4 {
        let own = contents.entries.iter();
        let own: Vec<u64> = own
            .filter(|entry| entry.connection == Some(writer))
            .map(|entry| entry.sequence)
            .collect();
        assert!(own.is_sorted() && own.len() == 200);
    }
}

proptest! {
    #[test]
    fn junk_between_lines_loses_none(junk in prop::collection::vec("[^\\n]{0,30}", 0..8)) {
        let good = r#"{"time":"2026-11-30T10:00:00.000Z","offset_ms":1.5,"sequence":0,"process":7,"event":"received","method":"ping"}"#;
        let mut text = format!("{good}\n");
        let mut is_junk = 0;
        for junk in &junk {
            text.push_str(&format!("{junk}\n{good}\n"));
            is_junk += usize::from(!junk.trim_ascii().is_empty());
        }
        let contents = Contents::parse(text.as_bytes());
        prop_assert_eq!(contents.entries.len(), junk.len() + 1);
        prop_assert_eq!(contents.bad_lines.len(), is_junk);
    }
}
