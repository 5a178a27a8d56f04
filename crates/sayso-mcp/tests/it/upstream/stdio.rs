//! With a process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use sayso_mcp::upstream::{Introduction, Outbound, Upstream, UpstreamOptions};
use sayso_mcp::{EraChoice, StdioCommand, Target};
use tokio::time::{Instant, sleep, timeout};

use super::{PATIENCE, Recorder, SHORT, call, key, open, open_with, params, told, told_of};
use crate::support::server;

const ERAS: [(&str, EraChoice); 2] = [
    ("calls", EraChoice::Legacy),
    ("calls-modern", EraChoice::Modern),
];

fn target(behaviour: &str) -> Target {
    Target::Stdio(server(&[behaviour]))
}

#[tokio::test]
async fn either_era_is_found_out() {
    for (behaviour, era) in ERAS {
        let (upstream, _) = open(&target(behaviour), EraChoice::Auto).await;
        let hello = upstream.hello().root().raw();
        match era {
            EraChoice::Modern => assert!(hello.contains("supportedVersions"), "{hello}"),
            _ => {
                insta::assert_snapshot!(hello, @r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"misbehave","version":"1"}}"#)
            }
        }
        let version = upstream.protocol_version().to_owned();
        assert_eq!(version == "2026-07-28", era == EraChoice::Modern);
        upstream.close(PATIENCE).await;
    }
}

#[tokio::test]
async fn a_thousand_calls_are_answered_in_reverse_order() {
    let (upstream, _) = open(&target("crowd"), EraChoice::Legacy).await;
    let calls = (0..1000).map(|number| {
        let upstream = upstream.clone();
        async move {
            let params =
                format!(r#"{{"name":"gather","arguments":{{"of":1000,"number":{number}}}}}"#);
            let outcome = call(&upstream, &params, PATIENCE).await;
            let told = told(&outcome);
            assert!(told.contains(&format!(r#""number":{number}}}"#)), "{told}");
        }
    });
    join_all(calls).await;
    let closed = upstream.close(PATIENCE).await;
    assert_eq!((closed.late_answers, closed.observations.len()), (0, 0));
}

#[tokio::test]
async fn params_are_sent_byte_for_byte() {
    let (upstream, _) = open(&target("calls"), EraChoice::Legacy).await;
    let params =
        "{ \"b\":1.0e2,\"name\":\"echo\", \"a\" :[1,\r\n\n2],\"b\":\"\\u0041\\n\",\"_meta\":{} }";
    let outcome = call(&upstream, params, PATIENCE).await;
    insta::assert_snapshot!(told(&outcome), @r#"answered: {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{ "b":1.0e2,"name":"echo", "a" :[1,   2],"b":"\u0041\n","_meta":{} }}"#);
}

#[tokio::test]
async fn a_request_of_the_server_is_answered_while_a_call_runs() {
    let (upstream, recorder) = open(&target("calls"), EraChoice::Legacy).await;
    insta::assert_snapshot!(told_of(&upstream, "ask", EraChoice::Legacy).await, @r#"answered: {"jsonrpc":"2.0","id":"e","result":{"action": "decline"}}"#);
    insta::assert_snapshot!(recorder.heard(), @"None asks elicitation/create");
}

#[tokio::test]
async fn a_request_of_the_server_that_runs_is_dropped_at_the_end() {
    let recorder = Recorder {
        silent: true,
        ..Recorder::default()
    };
    let options = UpstreamOptions::default();
    let (upstream, recorder) =
        open_with(&target("calls"), EraChoice::Legacy, options, recorder).await;
    let outcome = call(&upstream, &params("ask", EraChoice::Legacy), SHORT).await;
    assert_eq!(told(&outcome), "TimedOut: no answer in time");
    assert_eq!(recorder.dropped.load(Ordering::Relaxed), 0);
    upstream.close(PATIENCE).await;
    // The task is told to end, and does so when it is its turn.
    let gone = async {
        while recorder.dropped.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(PATIENCE, gone).await.unwrap();
}

#[tokio::test]
async fn notifications_come_in_order_and_a_subscription_is_told_from_another() {
    let (upstream, recorder) = open(&target("calls-modern"), EraChoice::Modern).await;
    let key = key();
    let meta = params("x", EraChoice::Modern);
    let meta = meta.split_once(r#""name":"x""#).unwrap().0;
    let listen = format!(r#"{meta}"notifications":{{"toolsListChanged":true}}}}"#);
    let subscription = upstream.request(Outbound::new(key, "subscriptions/listen", Some(&listen)));
    let calls = async {
        recorder.waits_for("acknowledged").await;
        told_of(&upstream, "change", EraChoice::Modern).await;
        told_of(&upstream, "change", EraChoice::Modern).await;
        told_of(&upstream, "unsubscribe", EraChoice::Modern).await
    };
    let (ended, over) = tokio::join!(subscription, calls);
    assert_eq!(over, "answered: over");
    assert!(ended.unwrap().document().text().contains("complete"));
    let heard = recorder
        .heard()
        .replace(&format!("Some({key})"), "Some(key)");
    insta::assert_snapshot!(heard, @r#"
    Some(key) {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    Some(key) {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    Some(key) {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}
    "#);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled() {
    for (behaviour, era) in ERAS {
        let (upstream, _) = open(&target(behaviour), era).await;
        let params = params("ignore", era);
        let outbound = Outbound::new(key(), "tools/call", Some(&params));
        // Dropped after it was sent.
        assert!(timeout(SHORT, upstream.request(outbound)).await.is_err());
        let quiet = Outbound {
            cancel_on_drop: false,
            ..outbound
        };
        assert!(timeout(SHORT, upstream.request(quiet)).await.is_err());
        let late = call(&upstream, &params, SHORT).await;
        assert_eq!(told(&late), "TimedOut: no answer in time");
        assert_eq!(
            told_of(&upstream, "cancelled", era).await,
            "answered: [2,4]",
            "{behaviour}"
        );
    }
}

#[tokio::test]
async fn a_late_answer_is_dropped_and_counted() {
    let (upstream, _) = open(&target("calls"), EraChoice::Legacy).await;
    let held = call(&upstream, &params("hold", EraChoice::Legacy), SHORT).await;
    assert_eq!(told(&held), "TimedOut: no answer in time");
    told_of(&upstream, "fail", EraChoice::Legacy).await;
    assert_eq!(upstream.late_answers(), 1);
    let (upstream, _) = open(&target("crowd"), EraChoice::Legacy).await;
    assert_eq!(
        told_of(&upstream, "unasked", EraChoice::Legacy).await,
        "answered: once"
    );
    told_of(&upstream, "echo", EraChoice::Legacy).await;
    let closed = upstream.close(PATIENCE).await;
    let observed: Vec<_> = closed
        .observations
        .iter()
        .map(|observation| (observation.kind, observation.count))
        .collect();
    insta::assert_snapshot!(format!("{} {observed:?}", closed.late_answers), @"1 [(UnknownId, 1)]");
}

#[tokio::test]
async fn a_server_that_dies_fails_every_call_that_runs() {
    for (behaviour, era) in ERAS {
        let (upstream, recorder) = open(&target(behaviour), era).await;
        let running = params("ignore", era);
        let running = call(&upstream, &running, PATIENCE);
        let (running, dying) = tokio::join!(running, told_of(&upstream, "die", era));
        let after = told_of(&upstream, "echo", era).await;
        let ended = upstream.closed().await;
        let lines = [told(&running), dying, after, format!("{ended:?}")];
        insta::allow_duplicates! {
            insta::assert_snapshot!(lines.join("\n"), @r#"
            ConnectionLost: the server ended with exit status 7
            ConnectionLost: the server ended with exit status 7
            not sent: the server ended with exit status 7
            Exited("ended with exit status 7")
            "#);
        }
        assert!(upstream.is_closed());
        assert_eq!(recorder.stderr.load(Ordering::Relaxed), 1);
        let closed = upstream.close(PATIENCE).await;
        assert_eq!(closed.exit.as_deref(), Some("ended with exit status 7"));
        assert_eq!(closed.stderr_tail, ["out of memory"]);
        // Told once.
        insta::allow_duplicates! {
            insta::assert_snapshot!(recorder.heard(), @"closed: the server ended with exit status 7");
        }
    }
}

#[tokio::test]
async fn a_server_that_stops_reading_holds_nobody_up() {
    let (upstream, _) = open(&target("crowd"), EraChoice::Legacy).await;
    let legacy = EraChoice::Legacy;
    assert_eq!(told_of(&upstream, "deaf", legacy).await, "answered: what?");
    // More than any pipe holds.
    let filling = format!(r#"{{"name":"x","arguments":"{}"}}"#, "x".repeat(1 << 20));
    let begun = Instant::now();
    let filled = call(&upstream, &filling, SHORT);
    let waiting = params("y", legacy);
    let waiting = async {
        sleep(SHORT / 3).await;
        call(&upstream, &waiting, SHORT).await
    };
    let (filled, waiting) = tokio::join!(filled, waiting);
    assert!(begun.elapsed() < Duration::from_secs(5));
    insta::assert_snapshot!([told(&filled), told(&waiting)].join("\n"), @"
    TimedOut: no answer in time
    not sent: the server does not read its standard input: the request still waited for it
    ");
    // It does not read that its input is closed either.
    let begun = Instant::now();
    upstream.close(SHORT).await;
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn too_much_for_a_server_that_does_not_read_is_not_sent() {
    let options = UpstreamOptions {
        queue_bytes: 3 << 20,
        ..UpstreamOptions::default()
    };
    let target = target("crowd");
    let (upstream, _) = open_with(&target, EraChoice::Legacy, options, Recorder::default()).await;
    told_of(&upstream, "deaf", EraChoice::Legacy).await;
    let filling = format!(r#"{{"name":"x","arguments":"{}"}}"#, "x".repeat(1 << 20));
    let outcomes = join_all((0..4).map(|_| call(&upstream, &filling, SHORT))).await;
    let lines: Vec<_> = outcomes.iter().map(told).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    TimedOut: no answer in time
    not sent: the server does not read its standard input: the request still waited for it
    not sent: the server does not read its standard input
    not sent: the server does not read its standard input
    ");
}

#[tokio::test]
async fn what_cannot_be_read_fails_its_own_call_only() {
    let (upstream, _) = open(&target("crowd"), EraChoice::Legacy).await;
    let legacy = EraChoice::Legacy;
    let patient = r#"{"name":"gather","arguments":{"of":2}}"#;
    let patient = call(&upstream, patient, PATIENCE);
    let others = async {
        let mut lines = Vec::new();
        for tool in ["noisy", "cut", "huge", "deep", "log"] {
            let line = told_of(&upstream, tool, legacy).await;
            lines.push(format!("{tool}: {line}"));
        }
        call(
            &upstream,
            r#"{"name":"gather","arguments":{"of":2}}"#,
            PATIENCE,
        )
        .await
        .unwrap();
        lines
    };
    let (patient, lines) = tokio::join!(patient, others);
    assert!(told(&patient).starts_with("answered"));
    insta::assert_snapshot!(lines.join("\n"), @"
    noisy: answered: heard
    cut: answered: whole
    huge: Malformed: a message of more than 16777216 bytes
    deep: Malformed: the answer is not JSON: more than the allowed 128 levels of nesting at byte 160: …[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]…
    log: answered: logged
    ");
}

#[tokio::test]
async fn progress_gives_a_call_more_time() {
    let (upstream, recorder) = open(&target("crowd"), EraChoice::Legacy).await;
    let params = r#"{"_meta":{"progressToken":"t"},"name":"progress","arguments":{}}"#;
    for (keep_alive_on_progress, expected) in [
        (true, "answered: done"),
        (false, "TimedOut: no answer in time"),
    ] {
        let outbound = Outbound {
            // Twice as long as from one to the next, and half as long as all of them.
            deadline: Some(Instant::now() + Duration::from_millis(300)),
            keep_alive_on_progress,
            ..Outbound::new(key(), "tools/call", Some(params))
        };
        assert_eq!(told(&upstream.request(outbound).await), expected);
    }
    assert!(recorder.heard().starts_with("None {"));
}

#[tokio::test]
async fn what_cannot_be_started_is_told() {
    let target = Target::Stdio(StdioCommand::new("no-such-server-anywhere", [""; 0]));
    let introduction = Introduction::default();
    let options = UpstreamOptions::default();
    let recorder = Arc::new(Recorder::default());
    let error = Upstream::open(&target, &introduction, &options, recorder).await;
    insta::assert_snapshot!(error.unwrap_err(), @"no-such-server-anywhere: the command `no-such-server-anywhere` was not found");
}

#[tokio::test]
async fn dropping_the_last_clone_ends_the_process() {
    let (upstream, recorder) = open(&target("calls"), EraChoice::Legacy).await;
    let clone = upstream.clone();
    drop(upstream);
    assert!(!clone.is_closed());
    drop(clone);
    insta::assert_snapshot!(recorder.heard(), @"closed: the conversation was closed");
}
