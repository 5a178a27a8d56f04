//! Servers behind the gate: real processes, both eras.

use std::time::Duration;

use sayso_core::json::{Document, Limits};
use sayso_core::listing::Completeness;
use sayso_gateway::host::AskError;
use sayso_gateway::server::{Asked, Doubt, Event, HostChoice, Launcher, Lost, Phase, Server};
use sayso_gateway::settings::{Instances, ServerEra, ServerSettings};
use sayso_mcp::downstream::Era;
use tokio::time::{sleep, timeout};

use crate::server_support::{
    PATIENCE, call, exchange, exchange_of, exchange_with, launcher, ready, settings, start, text,
    until, who,
};

fn modern() -> ServerSettings {
    ServerSettings {
        era: ServerEra::Modern,
        ..settings(&["--modern"])
    }
}

fn shared() -> ServerSettings {
    ServerSettings {
        instances: Instances::Shared,
        ..settings(&[])
    }
}

#[tokio::test]
async fn all_pages_are_read_as_they_are() {
    for settings in [settings(&[]), modern()] {
        let server = ready(&settings, HostChoice::Many).await;
        let state = until(&server, |state| state.prompts.is_some()).await;
        let listing = state.listing.clone().unwrap();
        assert_eq!(listing.completeness, Completeness::Complete);
        assert_eq!(listing.len(), 10);
        insta::allow_duplicates! {
            insta::assert_snapshot!(listing.tool(9).unwrap().value().raw(), @r#"{ "name":"input", "x":1.0, "inputSchema":{"type":"object"} }"#);
            let prompts = state.prompts.clone().unwrap();
            insta::assert_snapshot!(prompts.items().next().unwrap().raw(), @r#"{"name":"p", "y":1.0}"#);
            assert!(state.notes.is_empty(), "{:?}", state.notes);
        }
        server.stop(Duration::ZERO).await;
    }
}

#[tokio::test]
async fn a_cursor_that_comes_again_leaves_a_marked_listing() {
    let server = ready(&settings(&["--loop"]), HostChoice::Many).await;
    let state = server.state();
    let listing = state.listing.clone().unwrap();
    assert_eq!(listing.len(), 8);
    insta::assert_debug_snapshot!(listing.completeness, @r#"
    Incomplete(
        "the server repeats itself from the cursor \"4\" on, so there may be more tools",
    )
    "#);
}

#[tokio::test]
async fn lists_are_read_again_when_their_time_is_over() {
    let settings = ServerSettings {
        era: ServerEra::Modern,
        ..settings(&["--modern", "--ttl", "1"])
    };
    let launcher = Launcher {
        freshness: Some(Duration::from_millis(50)),
        ..launcher()
    };
    let server = Server::start("files", &settings, launcher, HostChoice::Many);
    // Nobody tells of a change.
    until(&server, |state| {
        state.listing.as_ref().is_some_and(|all| all.len() >= 13)
    })
    .await;
}

#[tokio::test]
async fn the_era_decides_what_a_server_is_told() {
    let members = r#","arguments":{"n": 1.50},"_meta":{"own":[1],"io.modelcontextprotocol/clientCapabilities":{"x":1}}"#;
    let legacy = ready(&settings(&[]), HostChoice::Many).await;
    let told = text(call(&legacy, "echo", members, &exchange(1)).await);
    insta::assert_snapshot!(told, @r#"{"name":"echo","arguments":{"n": 1.50},"_meta":{"own":[1]}}"#);
    let modern = ready(&modern(), HostChoice::Many).await;
    let told = text(call(&modern, "echo", members, &exchange(1)).await);
    insta::assert_snapshot!(told, @r#"{"name":"echo","arguments":{"n": 1.50},"_meta":{"own":[1],"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"}}}"#);
    let told = text(call(&modern, "echo", "", &exchange(1)).await);
    insta::assert_snapshot!(told, @r#"{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}"#);
}

#[tokio::test]
async fn progress_finds_its_host_under_the_hosts_own_token() {
    for settings in [settings(&[]), shared(), modern()] {
        let server = ready(&settings, HostChoice::Many).await;
        let (one, first) = exchange_of(Era::Legacy, 1, "{}", Err(AskError::Impossible));
        let (other, second) = exchange_of(Era::Legacy, 2, "{}", Err(AskError::Impossible));
        let members = r#","_meta":{"progressToken":"t"}"#;
        let (a, b) = tokio::join!(
            call(&server, "progress", members, &one),
            call(&server, "progress", members, &other)
        );
        assert_eq!((text(a), text(b)), ("done".to_owned(), "done".to_owned()));
        for host in [first, second] {
            let heard = host.heard();
            let progress: Vec<&str> = heard
                .lines()
                .filter(|line| line.starts_with("notifications/progress"))
                .collect();
            insta::allow_duplicates! {
                insta::assert_snapshot!(progress.join("\n"), @r#"
                notifications/progress {"progressToken":"t","progress":1.0}
                notifications/progress {"progressToken":"t","progress":2.0}
                notifications/progress {"progressToken":"t","progress":3.0}
                "#);
            }
        }
    }
}

#[tokio::test]
async fn a_host_that_can_be_asked_is_asked_and_any_other_not() {
    let members = r#","arguments":{"method":"roots/list","params":{"a": 1.0}}"#;
    for settings in [settings(&[]), shared()] {
        let server = ready(&settings, HostChoice::Many).await;
        let roots = Ok(r#"{"roots": []}"#.to_owned());
        let (asked, host) = exchange_of(Era::Legacy, 1, r#"{"roots":{}}"#, roots);
        let answer = text(call(&server, "ask", members, &asked).await);
        insta::allow_duplicates! {
            insta::assert_snapshot!(answer, @r#"{"jsonrpc":"2.0","id":1,"result":{"roots": []}}"#);
            insta::assert_snapshot!(host.heard(), @r#"asked roots/list {"a": 1.0}"#);
        }
        for method in ["roots/list", "sampling/createMessage", "elicitation/create"] {
            let members = format!(r#","arguments":{{"method":"{method}"}}"#);
            let answer = text(call(&server, "ask", &members, &exchange(2)).await);
            assert!(answer.contains("-32601"), "{method}: {answer}");
        }
        let error = r#"{"code":-1,"message":"not now"}"#.to_owned();
        let refused = Err(AskError::Refused(error));
        let (refusing, _) = exchange_of(Era::Legacy, 3, r#"{"roots":{}}"#, refused);
        let answer = text(call(&server, "ask", members, &refusing).await);
        assert!(
            answer.contains(r#""error":{"code":-1,"message":"not now"}"#),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn what_is_meant_for_one_of_several_hosts_is_refused_on_a_shared_conversation() {
    let server = ready(&shared(), HostChoice::Many).await;
    let waiting = exchange(1);
    let (asked, host) = exchange_of(Era::Legacy, 2, r#"{"roots":{}}"#, Ok("{}".to_owned()));
    let members = r#","arguments":{"method":"roots/list"}"#;
    let answer = tokio::select! {
        _ = call(&server, "wait", "", &waiting) => panic!("it waits"),
        answer = async {
            sleep(Duration::from_millis(200)).await;
            call(&server, "ask", members, &asked).await
        } => text(answer),
    };
    assert!(answer.contains("several hosts"), "{answer}");
    assert_eq!(host.heard(), "");
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_server() {
    for settings in [shared(), modern()] {
        let server = ready(&settings, HostChoice::Many).await;
        let exchange = exchange(1);
        let waiting = call(&server, "wait", "", &exchange);
        timeout(Duration::from_millis(300), waiting)
            .await
            .unwrap_err();
        let cancelled = async {
            while !who(&server, &exchange).await.1.contains("cancelled 1") {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, cancelled).await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_says_that_its_outcome_is_open() {
    let server = ready(&shared(), HostChoice::Many).await;
    let asked = Asked {
        method: "tools/call",
        params: Some(r#"{"name":"wait"}"#),
        name: Some("wait"),
        input_schema: None,
        kept: None,
        timeout: Some(Duration::from_millis(200)),
    };
    let lost = server.request(asked, &exchange(1)).await.unwrap_err();
    let Lost::Unknown { why, .. } = lost else {
        panic!("{lost:?}");
    };
    assert_eq!(why, Doubt::TimedOut);
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_comes_back_and_the_call_is_not_repeated() {
    for settings in [shared(), modern()] {
        let server = ready(&settings, HostChoice::Many).await;
        let exchange = exchange(1);
        let (before, _) = who(&server, &exchange).await;
        let lost = call(&server, "die", "", &exchange).await.unwrap_err();
        let Lost::Unknown { why, said } = lost else {
            panic!("{lost:?}");
        };
        assert_eq!(why, Doubt::ConnectionLost);
        assert!(
            said.contains("exit status 3") || said.contains("closed"),
            "{said}"
        );
        // Down, with the listing as it was.
        until(&server, |state| matches!(state.phase, Phase::Down { .. })).await;
        assert_eq!(server.state().listing.as_ref().unwrap().len(), 10);
        // The next call waits for it.
        let (after, rest) = who(&server, &exchange).await;
        assert_ne!(before, after);
        assert!(rest.starts_with("calls 1,"), "{rest}");
        assert_eq!(server.state().restarts, 1);
    }
}

#[tokio::test]
async fn a_dead_command_is_shown_and_takes_nobody_down() {
    let dead = ServerSettings {
        command: Some("no-such-command-at-all".to_owned()),
        ..ServerSettings::default()
    };
    let dead = start(&dead, HostChoice::Many);
    let alive = ready(&shared(), HostChoice::Many).await;
    let state = until(&dead, |state| matches!(state.phase, Phase::Down { .. })).await;
    let Phase::Down {
        reason, retry_in, ..
    } = &state.phase
    else {
        panic!("{state:?}");
    };
    insta::assert_snapshot!(reason, @"the command `no-such-command-at-all` was not found");
    assert!(retry_in.is_some());
    who(&alive, &exchange(1)).await;
    let lost = call(&dead, "echo", "", &exchange(1)).await.unwrap_err();
    assert!(matches!(lost, Lost::Down { .. }), "{lost:?}");
}

#[tokio::test]
async fn settings_that_name_no_server_are_said_once() {
    let missing = ServerSettings {
        env: [("KEY".to_owned(), "${SAYSO_TEST_NEVER_SET}".to_owned())].into(),
        ..settings(&[])
    };
    for (settings, why) in [
        (ServerSettings::default(), "neither `command` nor `url`"),
        (missing, "`SAYSO_TEST_NEVER_SET` is not set"),
    ] {
        let server = start(&settings, HostChoice::Many);
        let lost = call(&server, "echo", "", &exchange(1)).await.unwrap_err();
        let Lost::Down { reason, retry_in } = lost else {
            panic!("{lost:?}");
        };
        assert!(reason.contains(why), "{reason}");
        assert_eq!(retry_in, None);
    }
}

#[tokio::test]
async fn a_call_waits_for_a_server_that_starts_slowly() {
    let slow = ServerSettings {
        instances: Instances::Shared,
        ..settings(&["--slow-start"])
    };
    let server = start(&slow, HostChoice::Many);
    assert_eq!(server.state().phase, Phase::Starting);
    assert_eq!(
        text(call(&server, "flood", "", &exchange(1)).await),
        "flooded"
    );
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nothing() {
    let server = ready(&shared(), HostChoice::Many).await;
    for _ in 0..3 {
        assert_eq!(
            text(call(&server, "flood", "", &exchange(1)).await),
            "flooded"
        );
    }
}

#[tokio::test]
async fn a_storm_of_changes_is_read_once_or_twice() {
    for settings in [shared(), modern()] {
        let server = ready(&settings, HostChoice::Many).await;
        until(&server, |state| state.prompts.is_some()).await;
        // The modern server tells once its stream is open.
        sleep(Duration::from_millis(200)).await;
        let before = *server.changes().borrow();
        assert_eq!(
            text(call(&server, "storm", "", &exchange(1)).await),
            "stormed"
        );
        let listed = |state: &sayso_gateway::server::State| {
            state.listing.as_ref().is_some_and(|all| all.len() == 210)
        };
        until(&server, listed).await;
        sleep(Duration::from_millis(1500)).await;
        let moved = *server.changes().borrow() - before;
        assert!((1..=6).contains(&moved), "{moved}");
    }
}

#[tokio::test]
async fn each_session_has_its_own_process_with_its_own_capabilities() {
    let two = ServerSettings {
        max_instances: Some(2),
        ..settings(&[])
    };
    let server = ready(&two, HostChoice::Many).await;
    let (one, _) = exchange_of(Era::Legacy, 1, r#"{"roots":{}}"#, Err(AskError::Impossible));
    let (first, rest) = who(&server, &one).await;
    assert!(rest.contains(r#"capabilities {"roots":{}}"#), "{rest}");
    let (second, rest) = who(&server, &exchange(2)).await;
    assert!(rest.contains("capabilities {}"), "{rest}");
    assert_ne!(first, second);
    let again = who(&server, &one).await;
    assert_eq!(again.0, first);
    assert!(again.1.starts_with("calls 2,"), "{}", again.1);
    // There are as many as there may be, until a session ends.
    let lost = call(&server, "who", "", &exchange(3)).await.unwrap_err();
    assert_eq!(lost, Lost::Busy);
    server.leave(2);
    let seated = async {
        while call(&server, "who", "", &exchange(3)).await.is_err() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, seated).await.unwrap();
    // One that dies takes no other with it, and is there again for the next call.
    call(&server, "die", "", &exchange(3)).await.unwrap_err();
    assert_eq!(who(&server, &one).await.0, first);
    who(&server, &exchange(3)).await;
}

#[tokio::test]
async fn the_one_host_takes_over_the_first_conversation() {
    let server = start(&settings(&[]), HostChoice::One);
    server.introduce(r#"{"roots":{}}"#);
    let roots = Ok(r#"{"roots":[]}"#.to_owned());
    let (host, line) = exchange_of(Era::Legacy, 1, r#"{"roots":{}}"#, roots);
    let (process, rest) = who(&server, &host).await;
    assert!(rest.contains(r#"capabilities {"roots":{}}"#), "{rest}");
    // Its roots changed: that is told to the process which has its calls, which asks for them
    // though no call runs.
    server
        .notify(1, "notifications/roots/list_changed", None)
        .await;
    let asked = async {
        while !who(&server, &host).await.1.contains(r#"{\"roots\":[]}"#) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, asked).await.unwrap();
    assert_eq!(line.heard(), "asked roots/list ");
    assert_eq!(who(&server, &host).await.0, process);
}

#[tokio::test]
async fn resources_are_subscribed_to_in_either_era() {
    for settings in [shared(), modern(), settings(&[])] {
        let server = ready(&settings, HostChoice::Many).await;
        let mut events = server.events();
        let exchange = exchange(1);
        let asked = Asked {
            method: "resources/subscribe",
            params: Some(r#"{"uri":"a:b"}"#),
            name: None,
            input_schema: None,
            kept: None,
            timeout: None,
        };
        server.request(asked, &exchange).await.unwrap();
        let updated = async {
            loop {
                // The modern server opens another stream for it first.
                call(
                    &server,
                    "update",
                    r#","arguments":{"uri":"a:b"}"#,
                    &exchange,
                )
                .await
                .unwrap();
                let next = timeout(Duration::from_millis(300), events.recv()).await;
                if let Ok(Ok(Event::ResourceUpdated { uri, params, .. })) = next {
                    return (uri, params);
                }
            }
        };
        let (uri, params) = timeout(PATIENCE, updated).await.unwrap();
        assert_eq!((uri.as_str(), params.as_str()), ("a:b", r#"{"uri":"a:b"}"#));
    }
}

#[tokio::test]
async fn a_subscription_outlives_the_server() {
    let server = ready(&shared(), HostChoice::Many).await;
    let asked = Asked {
        method: "resources/subscribe",
        params: Some(r#"{"uri":"a:b"}"#),
        name: None,
        input_schema: None,
        kept: None,
        timeout: None,
    };
    server.request(asked, &exchange(1)).await.unwrap();
    call(&server, "die", "", &exchange(1)).await.unwrap_err();
    until(&server, |state| {
        state.restarts == 1 && state.phase == Phase::Ready
    })
    .await;
    let (_, rest) = who(&server, &exchange(1)).await;
    assert!(rest.contains(r#"subscribed "a:b""#), "{rest}");
}

#[tokio::test]
async fn a_modern_server_may_ask_for_input() {
    let server = ready(&modern(), HostChoice::Many).await;
    let answer = text(call(&server, "input", "", &exchange(1)).await);
    insta::assert_snapshot!(answer, @r#"input required: {"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}"#);
    let members = r#","requestState":"s","inputResponses":{}"#;
    assert_eq!(
        text(call(&server, "input", members, &exchange(1)).await),
        "\"s\""
    );
}

#[tokio::test]
async fn stopping_lets_calls_end_and_takes_no_more() {
    let server = ready(&shared(), HostChoice::Many).await;
    let exchange = exchange(1);
    let (call_ended, ()) = tokio::join!(call(&server, "flood", "", &exchange), async {
        sleep(Duration::from_millis(5)).await;
        server.stop(Duration::from_secs(10)).await;
    });
    assert_eq!(text(call_ended), "flooded");
    let lost = call(&server, "echo", "", &exchange).await.unwrap_err();
    assert!(
        matches!(lost, Lost::Down { retry_in: None, .. }),
        "{lost:?}"
    );
}

#[tokio::test]
async fn a_legacy_server_is_told_the_log_level_of_the_host() {
    let server = ready(&shared(), HostChoice::Many).await;
    let meta = r#"{"io.modelcontextprotocol/logLevel":"warning"}"#;
    let quiet = exchange_with(Era::Modern, 1, Some(meta));
    assert!(who(&server, &quiet).await.1.contains("level warning,"));
    // Shared with one who wants to hear more, it is told that; and stays so.
    let meta = r#"{"io.modelcontextprotocol/logLevel":"info"}"#;
    let talkative = exchange_with(Era::Modern, 2, Some(meta));
    assert!(who(&server, &talkative).await.1.contains("level info,"));
    assert!(who(&server, &quiet).await.1.contains("level info,"));
}

#[tokio::test]
async fn http_servers_are_called_in_both_eras() {
    for era in ["--legacy", "--modern"] {
        let (_process, behind, _folder) = http(&[era]).await;
        let server = ready(&behind, HostChoice::Many).await;
        let (one, host) = exchange_of(Era::Legacy, 1, "{}", Err(AskError::Impossible));
        let members = r#","_meta":{"progressToken":7}"#;
        assert_eq!(text(call(&server, "progress", members, &one).await), "done");
        assert_eq!(host.heard().matches(r#""progressToken":7"#).count(), 3);
        assert!(who(&server, &one).await.1.starts_with("calls 2,"));
        call(&server, "storm", "", &one).await.unwrap();
        until(&server, |state| {
            state.listing.as_ref().is_some_and(|all| all.len() == 210)
        })
        .await;
    }
}

#[tokio::test]
async fn arguments_that_stand_in_headers_are_put_there() {
    let (_process, behind, _folder) = http(&["--modern"]).await;
    let server = ready(&behind, HostChoice::Many).await;
    let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    let schema = Document::parse(schema.to_owned(), &Limits::default()).unwrap();
    let asked = Asked {
        method: "tools/call",
        params: Some(r#"{"name":"headers","arguments":{"region":"größe"}}"#),
        name: Some("headers"),
        input_schema: Some(schema.root()),
        kept: None,
        timeout: None,
    };
    let answer = server.request(asked, &exchange(1)).await;
    assert_eq!(text(answer), "mcp-param-region: größe");
}

#[tokio::test]
async fn an_http_server_that_comes_back_is_called_again() {
    for era in ["--legacy", "--modern"] {
        let (mut process, behind, folder) = http(&[era]).await;
        let server = ready(&behind, HostChoice::Many).await;
        let exchange = exchange(1);
        let (before, _) = who(&server, &exchange).await;
        let lost = call(&server, "die", "", &exchange).await.unwrap_err();
        let is_open = matches!(
            lost,
            Lost::Unknown {
                why: Doubt::ConnectionLost,
                ..
            }
        );
        assert!(is_open, "{lost:?}");
        process.wait().await.unwrap();
        until(&server, |state| matches!(state.phase, Phase::Down { .. })).await;
        assert!(server.state().listing.is_some());
        // The same port, another process: the sessions of the first are over.
        let port = port(&folder.path().join("port")).await.to_string();
        let (_process, ..) = http(&[era, "--port", &port]).await;
        let back = async {
            loop {
                if call(&server, "who", "", &exchange).await.is_ok() {
                    break;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(PATIENCE, back).await.unwrap();
        assert_ne!(who(&server, &exchange).await.0, before);
    }
}

#[tokio::test]
async fn many_sessions_have_conversations_with_one_http_server() {
    let (_process, behind, _folder) = http(&["--legacy"]).await;
    let server = ready(&behind, HostChoice::Many).await;
    // More than there may be processes.
    for session in 1..=40 {
        who(&server, &exchange(session)).await;
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_again() {
    let (mut process, behind, folder) = http(&["--legacy"]).await;
    let server = ready(&behind, HostChoice::Many).await;
    let exchange = exchange(1);
    let (before, _) = who(&server, &exchange).await;
    process.kill().await.unwrap();
    let port = port(&folder.path().join("port")).await.to_string();
    let (_process, ..) = http(&["--legacy", "--port", &port]).await;
    let (after, rest) = who(&server, &exchange).await;
    assert_ne!(before, after);
    assert!(rest.starts_with("calls 1,"), "{rest}");
}

/// A fixture server over HTTP, and settings that lead to it.
async fn http(args: &[&str]) -> (tokio::process::Child, ServerSettings, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("port");
    let process = spawn(&[args, &["--http", file.to_str().unwrap()]].concat());
    let port = port(&file).await;
    let behind = ServerSettings {
        url: Some(format!("http://127.0.0.1:{port}/mcp")),
        ..ServerSettings::default()
    };
    (process, behind, folder)
}

fn spawn(args: &[&str]) -> tokio::process::Child {
    let mut command = tokio::process::Command::new(crate::server_support::fixture());
    command.args(args).kill_on_drop(true);
    command.spawn().unwrap()
}

async fn port(file: &std::path::Path) -> u16 {
    let waiting = async {
        loop {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if let Some(port) = text.strip_suffix('\n') {
                return port.parse().unwrap();
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap()
}
