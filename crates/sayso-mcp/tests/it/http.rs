//! Listings over HTTP, from a server that is well- and ill-behaved by path.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod failures;

use std::time::Duration;

use sayso_core::listing::{Completeness, Listing};
use sayso_mcp::{EraChoice, HttpKind, HttpTarget, ReadError, ReadOptions, Target};

use crate::http_server::{HttpServer, tools};
use crate::support::skip;

/// The token that `/secured` wants; no error may show it.
const TOKEN: &str = "hush-hush";

pub(crate) async fn read(target: HttpTarget, options: &ReadOptions) -> Result<Listing, ReadError> {
    let reading = sayso_mcp::read_listing(&Target::Http(target), options).await?;
    Ok(reading.listing)
}

fn target(server: &HttpServer, path: &str) -> HttpTarget {
    let target = HttpTarget::new(&server.url(path)).unwrap();
    target.with_bearer(TOKEN).unwrap()
}

async fn listing(server: &HttpServer, path: &str) -> Listing {
    read(target(server, path), &ReadOptions::default())
        .await
        .unwrap()
}

pub(crate) fn names(listing: &Listing) -> Vec<String> {
    listing
        .tools()
        .map(|tool| tool.label().into_owned())
        .collect()
}

/// What a person reads when the reading fails, with the port taken out.
pub(crate) fn told(error: &ReadError) -> String {
    let hint = error
        .hint()
        .map(|hint| format!("\nhint: {hint}"))
        .unwrap_or_default();
    let text = format!("{error}{hint}");
    assert!(
        !text.contains("hush") && !format!("{error:?}").contains("hush"),
        "{error:?}"
    );
    without_ports(&text)
}

/// A text without the ports, which differ from run to run.
fn without_ports(text: &str) -> String {
    let mut parts = text.split("://");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let end = part.find(['/', '\n', ' ']).unwrap_or(part.len());
        let (authority, behind) = part.split_at(end);
        let host = authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host);
        format!("{shown}://{host}{behind}")
    })
}

#[tokio::test]
async fn every_way_to_answer_gives_the_same_listing() {
    for path in [
        "json",
        "sse",
        "ping",
        "session",
        "resume",
        "redirect-307",
        "secured",
        "dual",
        "modern",
        "modern-headers",
        "old",
        "old-named",
        "pages",
        "older",
    ] {
        let server = HttpServer::start().await;
        let listing = listing(&server, path).await;
        assert_eq!(names(&listing), ["read_note", "drop_note"], "{path}");
        assert_eq!(listing.completeness, Completeness::Complete, "{path}");
        let received: Vec<serde_json::Value> = listing
            .tools()
            .map(|tool| serde_json::from_str(tool.value().raw()).unwrap())
            .collect();
        assert_eq!(serde_json::Value::from(received), tools(), "{path}");
    }
}

#[tokio::test]
async fn a_request_of_the_server_is_answered_before_its_own_answer_comes() {
    let server = HttpServer::start().await;
    listing(&server, "ping").await;
    insta::assert_snapshot!(server.log(), @r#"
    POST /ping initialize
    POST /ping notifications/initialized
    POST /ping tools/list
    POST /ping answer to "p1"
    "#);
}

#[tokio::test]
async fn a_session_is_kept_and_ended() {
    let server = HttpServer::start().await;
    listing(&server, "session").await;
    let lines: Vec<String> = server
        .seen()
        .iter()
        .map(|seen| {
            let header = |name: &str| seen.header(name).unwrap_or("-").to_owned();
            let (session, version) = (header("mcp-session-id"), header("mcp-protocol-version"));
            format!(
                "{} {} {session} {version} {}",
                seen.method,
                seen.body["method"],
                header("accept")
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    POST "initialize" - - application/json, text/event-stream
    POST "notifications/initialized" s-1 2025-06-18 application/json, text/event-stream
    POST "tools/list" s-1 2025-06-18 application/json, text/event-stream
    DELETE null s-1 2025-06-18 application/json, text/event-stream
    "#);
}

#[tokio::test]
async fn a_modern_server_sees_in_the_headers_what_stands_in_the_message() {
    let server = HttpServer::start().await;
    let options = ReadOptions {
        era: EraChoice::Modern,
        ..ReadOptions::default()
    };
    read(target(&server, "modern"), &options).await.unwrap();
    insta::assert_snapshot!(server.log(), @r#"
    POST /modern server/discover
    POST /modern tools/list
    "#);
    for seen in server.seen() {
        assert_eq!(seen.header("mcp-method"), seen.body["method"].as_str());
        let meta = &seen.body["params"]["_meta"];
        assert_eq!(
            seen.header("mcp-protocol-version"),
            meta["io.modelcontextprotocol/protocolVersion"].as_str()
        );
        assert_eq!(
            (seen.header("mcp-name"), seen.header("mcp-session-id")),
            (None, None)
        );
    }
}

#[tokio::test]
async fn a_modern_server_that_refuses_the_handshake_is_read_all_the_same() {
    let server = HttpServer::start().await;
    let listing = listing(&server, "modern").await;
    assert_eq!(
        listing.server.protocol_version.as_deref(),
        Some("2026-07-28")
    );
    insta::assert_snapshot!(server.log(), @r#"
    POST /modern initialize
    POST /modern server/discover
    POST /modern tools/list
    "#);
}

#[tokio::test]
async fn a_server_that_does_not_take_a_notification_is_read_all_the_same() {
    let server = HttpServer::start().await;
    let options = ReadOptions {
        request_timeout: Duration::from_secs(1),
        ..ReadOptions::default()
    };
    let mut notes = String::new();
    for path in ["picky", "deaf"] {
        let target = Target::Http(target(&server, path));
        let reading = sayso_mcp::read_listing(&target, &options).await.unwrap();
        assert_eq!(names(&reading.listing), ["read_note", "drop_note"]);
        notes += &format!("{path}: {}\n", reading.notes.join("\n"));
    }
    insta::assert_snapshot!(notes, @"
    picky: `notifications/initialized` was not taken: the server answered 400 Bad Request: Error 400 really really really really really really really really really really really really really really really really really really really really really rea…
    deaf: `notifications/initialized` was not taken: the server did not answer `notifications/initialized` within 1.0 s
    ");
}

#[tokio::test]
async fn an_older_server_that_is_asked_in_the_modern_way_is_told_to_be_one() {
    let server = HttpServer::start().await;
    let options = ReadOptions {
        era: EraChoice::Modern,
        ..ReadOptions::default()
    };
    let mut said = Vec::new();
    for path in ["old", "json", "status-404"] {
        let error = read(target(&server, path), &options).await.unwrap_err();
        assert!(error.is_other_era());
        said.push(told(&error));
    }
    insta::assert_snapshot!(said.join("\n"), @"
    http://127.0.0.1/old: the server does not speak protocol version 2026-07-28: it answered `server/discover` with 405 Method Not Allowed
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    http://127.0.0.1/json: the server does not speak protocol version 2026-07-28: it refused `server/discover`: Method not found (-32601)
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    http://127.0.0.1/status-404: the server does not speak protocol version 2026-07-28: it answered `server/discover` with 404 Not Found
    hint: read it with `--era auto`; if that fails too, check that this is an MCP server
    ");
    let error = read(target(&server, "status-503"), &options)
        .await
        .unwrap_err();
    assert!(!error.is_other_era());
}

#[tokio::test]
async fn an_older_version_is_offered_when_the_server_names_it() {
    let server = HttpServer::start().await;
    listing(&server, "older").await;
    let asked: Vec<String> = server
        .seen()
        .iter()
        .filter_map(|seen| {
            seen.body["params"]["protocolVersion"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(asked, ["2025-11-25", "2025-03-26"]);
}

#[tokio::test]
async fn a_server_of_2024_is_found_by_falling_back() {
    let server = HttpServer::start().await;
    listing(&server, "old").await;
    insta::assert_snapshot!(server.log(), @r#"
    POST /old initialize
    GET /old
    POST /old/messages?session=1 initialize
    POST /old/messages?session=1 notifications/initialized
    POST /old/messages?session=1 tools/list
    "#);
}

#[tokio::test]
async fn the_transport_can_be_chosen() {
    let server = HttpServer::start().await;
    read(
        target(&server, "old").with_kind(HttpKind::Sse),
        &ReadOptions::default(),
    )
    .await
    .unwrap();
    assert!(
        server
            .log()
            .starts_with("GET /old\nPOST /old/messages?session=1 initialize"),
        "{}",
        server.log()
    );

    let streamable = target(&server, "old").with_kind(HttpKind::Streamable);
    let error = read(streamable, &ReadOptions::default()).await.unwrap_err();
    insta::assert_snapshot!(told(&error), @r#"
    http://127.0.0.1/old: the server answered 405 Method Not Allowed
    hint: this URL takes no messages: check that it is the server's MCP endpoint
    "#);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_resumed() {
    let server = HttpServer::start().await;
    listing(&server, "resume").await;
    assert!(
        server
            .log()
            .ends_with("POST /resume tools/list\nGET /resume"),
        "{}",
        server.log()
    );
}

#[tokio::test]
async fn ten_megabytes_are_read_in_one_piece() {
    for path in ["big", "big-stream"] {
        let server = HttpServer::start().await;
        let listing = listing(&server, path).await;
        assert_eq!(listing.len(), 10_000, "{path}");
        let bytes: usize = listing
            .pages()
            .iter()
            .map(|page| page.document.text().len())
            .sum();
        assert!(bytes > 10_000_000, "{path}: {bytes} bytes");
    }
}

#[tokio::test]
async fn an_answer_past_the_cap_is_refused() {
    for path in ["big", "big-stream"] {
        let server = HttpServer::start().await;
        let mut options = ReadOptions::default();
        options.limits.message_bytes = 1_000_000;
        let outcome = read(target(&server, path), &options).await;
        assert!(
            outcome.unwrap_err().to_string().contains("1000000 bytes"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_url_is_used_as_it_stands() {
    let server = HttpServer::start().await;
    read(
        target(&server, "json/?team=a%2Fb&x"),
        &ReadOptions::default(),
    )
    .await
    .unwrap();
    assert_eq!(server.seen().first().unwrap().uri, "/json/?team=a%2Fb&x");
}

#[tokio::test]
async fn headers_go_with_every_request() {
    let server = HttpServer::start().await;
    let target = target(&server, "session")
        .with_header("X-Team", "blue")
        .unwrap();
    read(target, &ReadOptions::default()).await.unwrap();
    for seen in server.seen() {
        assert_eq!(
            (seen.header("x-team"), seen.header("authorization")),
            (Some("blue"), Some("Bearer hush-hush"))
        );
        assert!(seen.header("user-agent").unwrap().starts_with("sayso/"));
    }
}

#[tokio::test]
async fn an_ipv6_host_is_a_host() {
    let Some(server) = HttpServer::start_on("[::1]:0").await else {
        return skip(
            "http::an_ipv6_host_is_a_host",
            "there is no IPv6 loopback address here",
        );
    };
    assert_eq!(
        names(&listing(&server, "json").await),
        ["read_note", "drop_note"]
    );
}
