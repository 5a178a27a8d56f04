use std::collections::VecDeque;

use proptest::prelude::*;

use super::{Frame, FrameReader};

fn frames(chunks: &[&[u8]], max_bytes: usize) -> Vec<String> {
    let mut reader = FrameReader::new(max_bytes);
    let mut frames = VecDeque::new();
    for chunk in chunks {
        reader.push(chunk, &mut frames);
    }
    reader.finish(&mut frames);
    frames.iter().map(describe).collect()
}

fn describe(frame: &Frame) -> String {
    match frame {
        Frame::Message(message) => format!("message {}", message.document().text()),
        Frame::Unclassified(unclassified) => {
            format!("unclassified {}", unclassified.document.text())
        }
        Frame::Broken { error, .. } => format!("broken: {error}"),
        Frame::Noise(text) => format!("noise {text:?}"),
        Frame::Glued(text) => format!("glued {text:?}"),
        Frame::ByteOrderMark => "byte order mark".to_owned(),
        Frame::TooLong => "too long".to_owned(),
    }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn what_stands_on_standard_output_is_sorted() {
    let text = format!(
        "\u{FEFF}{PING}\r\n\n  \r\n\u{2705} started\n{PING}\n{{\"level\":\"info\"}}\nready> {PING}\n{PING}{PING} done\n\
         {{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{{}}}}\nnote {{\"id\":3}} {{ \"id\": 4, \"jsonrpc\": \"2.0\", \"result\": 1 }}\n\
         {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"tools\":[\n[{{\"jsonrpc\":\"2.0\"}}]\n{PING}"
    );
    insta::assert_snapshot!(frames(&[text.as_bytes()], 1000).join("\n"), @r#"
    byte order mark
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    noise "✅ started"
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    unclassified {"level":"info"}
    glued "ready> "
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    glued " done"
    message {"id":1,"jsonrpc":"2.0","result":{}}
    glued "note {\"id\":3} "
    message { "id": 4, "jsonrpc": "2.0", "result": 1 }
    broken: the text ends in the middle of an array at byte 43
    unclassified [{"jsonrpc":"2.0"}]
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    "#);
}

#[test]
fn a_line_past_the_cap_is_reported_once_and_frames_around_it_arrive() {
    let endless = "x".repeat(500);
    let text = format!("{PING}\n{endless}\n{PING}\n{endless}");
    insta::assert_snapshot!(frames(&[text.as_bytes()], 100).join("\n"), @r#"
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    too long
    message {"jsonrpc":"2.0","id":1,"method":"ping"}
    too long
    "#);
}

#[test]
fn a_line_without_end_takes_no_more_room_than_the_cap() {
    let mut reader = super::LineReader::new(10_000);
    let mut lines = VecDeque::new();
    let most = (0..10_000).map(|_| {
        reader.push(&[b'x'; 1000], &mut lines);
        reader.held.capacity()
    });
    assert!(most.max().unwrap() <= 20_000);
    assert_eq!(lines, [super::Line::TooLong]);
}

#[test]
fn a_line_of_many_messages_is_cut_in_one_go() {
    // A copy of the rest of the line for each of them would be 150 GB.
    let count = 100_000;
    let line = format!("log {}", r#"{"jsonrpc":"2.0","method":"x"}"#.repeat(count));
    assert_eq!(frames(&[line.as_bytes()], line.len()).len(), count + 1);
}

#[test]
fn places_without_a_message_are_tried_a_few_times_a_line() {
    let vain = r#"{"id":"#.repeat(super::MAX_ATTEMPTS);
    assert_eq!(
        frames(&[format!("{vain}{PING}").as_bytes()], 1000),
        [format!("glued {vain:?}"), format!("message {PING}")]
    );
    let once_more = format!("{vain}{vain}{PING}");
    assert_eq!(
        frames(&[once_more.as_bytes()], 1000),
        [format!("noise {once_more:?}")]
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_noise_or_a_broken_answer() {
    let seen = frames(
        &[b"caf\xE9\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"caf\xE9\"}\n"],
        1000,
    );
    insta::assert_snapshot!(seen.join("\n"), @r#"
    noise "caf�"
    broken: bytes that are not UTF-8 at byte 37
    "#);
}

/// Pieces that make every branch likely.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(PING.as_bytes().to_vec()),
        Just(br#"{"id":2,"jsonrpc":"2.0","result":{"tools":[]}}"#.to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just("\u{FEFF}".as_bytes().to_vec()),
        Just(br#"{"jsonrpc":"2.0","#.to_vec()),
        proptest::collection::vec(any::<u8>(), 0..40),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn chunks_never_matter(stream in stream(), cuts in proptest::collection::vec(1_usize..50, 1..20)) {
        let mut chunks = Vec::new();
        let mut rest = stream.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, behind) = rest.split_at((*cut).min(rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        prop_assert_eq!(frames(&chunks, 90), frames(&[&stream], 90));
    }

    #[test]
    fn a_message_on_its_own_line_is_never_lost(before in "[^\n]{0,60}", text in "[a-z]{0,20}") {
        let message = format!(r#"{{"jsonrpc":"2.0","id":7,"result":"{text}"}}"#);
        let stream = format!("{before}\n{message}\n");
        let seen = frames(&[stream.as_bytes()], 1000);
        let expected = format!("message {message}");
        prop_assert!(seen.contains(&expected), "{:?}", seen);
    }
}
