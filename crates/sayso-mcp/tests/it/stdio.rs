//! What stands on a server's standard output and standard error besides messages.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_mcp::{OnProgress, Progress, ReadOptions, StdioCommand};

use crate::support::{impatient, options, read, server, show, told, told_with};

#[test]
fn an_ordinary_server() {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&steps);
    let on_progress = OnProgress::new(move |progress: Progress<'_>| {
        seen.lock().unwrap().push(format!("{progress:?}"))
    });
    let reading = read(
        server(&["ordinary"]),
        &ReadOptions {
            on_progress: Some(on_progress),
            ..options()
        },
    );
    insta::assert_snapshot!(show(&reading), @r"
    tools: a
    Complete
    ");
    let reading = reading.unwrap();
    insta::assert_debug_snapshot!(reading.listing.server, @r#"
    ServerIdentity {
        name: Some(
            "misbehave",
        ),
        version: Some(
            "1",
        ),
        protocol_version: Some(
            "2025-11-25",
        ),
        era: Some(
            Legacy,
        ),
        instructions: None,
    }
    "#);
    let tool = reading.listing.tool(0).unwrap();
    let location = reading.listing.location(tool.page(), tool.value());
    assert_eq!(location.pointer.as_str(), "/result/tools/0");
    assert_eq!(
        tool.value().raw(),
        r#"{"name":"a","inputSchema":{"type":"object"}}"#
    );
    assert_eq!(reading.stderr_tail, [""; 0]);
    insta::assert_snapshot!(steps.lock().unwrap().join("\n"), @r#"
    Starting
    Agreed("2025-11-25")
    Page { pages: 1, tools: 1 }
    Closing
    "#);
}

#[test]
fn logs_on_standard_output_are_counted_and_passed_over() {
    insta::assert_snapshot!(told(&["banner"]), @r"
    tools: a
    Complete
    NotJson x6: ✅ started
    ");
    insta::assert_snapshot!(told(&["json-log"]), @r#"
    tools: a
    Complete
    NotJsonRpc x4: {"level":"info"}
    "#);
    insta::assert_snapshot!(told(&["glued"]), @r"
    tools: a
    Complete
    GluedMessage x2: loading...
    ");
    insta::assert_snapshot!(told(&["doubled"]), @r"
    tools: a
    Complete
    ");
    // A log of the answer, cut short.
    insta::assert_snapshot!(told(&["cut-log"]), @r#"
    tools: a
    Complete
    NotJson x2: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11...
    "#);
    // A terminal echoes what is written to it.
    insta::assert_snapshot!(told(&["terminal"]), @r#"
    tools: a
    Complete
    NotJsonRpc x2: its own input sent back: {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sayso","…
    "#);
    // Buffered until the end, as Python does.
    insta::assert_snapshot!(told(&["late-print"]), @r"
    tools: a
    Complete
    NotJson x1: a line that was buffered
    ");
}

#[test]
fn windows_line_ends_and_blank_lines_are_nothing_odd() {
    insta::assert_snapshot!(told(&["crlf"]), @r"
    tools: a
    Complete
    ");
}

#[test]
fn a_byte_order_mark_is_told() {
    insta::assert_snapshot!(told(&["bom"]), @r"
    tools: a
    Complete
    ByteOrderMark x2: at the start of a line on standard output
    ");
}

#[test]
fn a_full_standard_error_stops_nothing() {
    for (bytes, shape) in [("262144", "lines"), ("1048576", "one-line")] {
        let reading = read(server(&["stderr", bytes, shape]), &options()).unwrap();
        assert_eq!(reading.listing.len(), 1);
        let kept: usize = reading.stderr_tail.iter().map(String::len).sum();
        assert!(
            (100..=110_000).contains(&kept),
            "{kept} bytes of standard error kept"
        );
    }
}

#[test]
fn messages_in_pieces_of_one_byte() {
    insta::assert_snapshot!(told(&["trickle"]), @r"
    tools: a
    Complete
    ");
}

#[test]
fn lines_of_many_megabytes() {
    for bytes in [2_100_000, 12 << 20] {
        let reading = read(server(&["big", &bytes.to_string()]), &options()).unwrap();
        let tool = reading.listing.tool(0).unwrap();
        assert_eq!(tool.description().unwrap().len(), bytes);
        assert!(reading.listing.observations.is_empty());
    }
    let reading = read(server(&["many", "200000"]), &ReadOptions::default()).unwrap();
    assert_eq!(reading.listing.len(), 200_000);
}

#[test]
fn a_line_past_the_cap_names_the_cap() {
    insta::assert_snapshot!(told(&["endless-line"]), @"
    misbehave endless-line: the server sent a message of more than the allowed 16777216 bytes when asked `tools/list`
    hint: the server has to list its tools in pages
    ");
    let mut small = options();
    small.limits.message_bytes = 1000;
    insta::assert_snapshot!(told_with(&["big", "2000"], &small), @"
    misbehave big 2000: the server sent a message of more than the allowed 1000 bytes when asked `tools/list`
    hint: the server has to list its tools in pages
    ");
    // What came before it is not lost.
    insta::assert_snapshot!(told_with(&["oversize-mid-list"], &small), @r#"
    tools: first
    Incomplete("page 2 is missing: the server sent a message of more than the allowed 1000 bytes when asked `tools/list`")
    SignalledToStop x1: it was still running 2 s after its input closed
    "#);
}

#[test]
fn a_slow_start_is_waited_for_and_shown() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&lines);
    let on_progress = OnProgress::new(move |progress: Progress<'_>| {
        if let Progress::Stderr(line) = progress {
            seen.lock().unwrap().push(line.to_owned());
        }
    });
    let reading = read(
        server(&["slow"]),
        &ReadOptions {
            on_progress: Some(on_progress),
            ..options()
        },
    )
    .unwrap();
    assert_eq!(reading.listing.len(), 1);
    assert_eq!(lines.lock().unwrap().len(), 4);
    assert_eq!(reading.stderr_tail.last().unwrap(), "downloading 4 of 4");
}

#[test]
fn the_start_may_take_longer_for_a_command_that_downloads() {
    let target = |command: &str| sayso_mcp::Target::Stdio(StdioCommand::new(command, [""; 0]));
    let options = ReadOptions::default();
    assert_eq!(
        options.start_timeout_for(&target("node")),
        Duration::from_secs(60)
    );
    assert_eq!(
        options.start_timeout_for(&target("npx")),
        Duration::from_secs(120)
    );
}

#[test]
fn no_time_is_too_long_to_wait() {
    let for_ever = ReadOptions {
        start_timeout: Some(Duration::MAX),
        request_timeout: Duration::MAX,
        listing_timeout: Duration::MAX,
        close_timeout: Duration::MAX,
        ..options()
    };
    insta::assert_snapshot!(told_with(&["ordinary"], &for_ever), @r"
    tools: a
    Complete
    ");
}

#[test]
fn a_server_that_ends_before_it_answers() {
    insta::assert_snapshot!(told(&["exit"]), @r"
    misbehave exit: the server ended with exit status 3 before it answered `initialize`
    hint: run the command by hand; servers often end at once when a setting or a credential is missing
    stderr: reading settings
    stderr: ACME_KEY is not set
    ");
    #[cfg(target_os = "linux")]
    insta::assert_snapshot!(told(&["killed"]), @r"
    misbehave killed: the server was ended by signal 9 (SIGKILL) before it answered `initialize`
    hint: run the command by hand; servers often end at once when a setting or a credential is missing
    ");
}

#[test]
fn a_server_that_never_answers() {
    let silent = told_with(&["silent"], &impatient());
    insta::assert_snapshot!(without_times(&silent), @"
    misbehave silent: the server did not answer `initialize` within N s; it may still be starting: it wrote to its standard error just now
    hint: give it more time with `--start-timeout`, or install it beforehand
    stderr: waiting for something
    ");
    #[cfg(unix)]
    insta::assert_snapshot!(without_times(&told_with(&["never-reads"], &impatient())), @r"
    misbehave never-reads: the server did not answer `initialize` within N s and wrote nothing at all
    hint: check that this command starts an MCP server that speaks over standard input and output
    ");
    insta::assert_snapshot!(without_times(&told_with(&["closes-stdout"], &impatient())), @"
    misbehave closes-stdout: the server closed its standard output before it answered `initialize`
    hint: a server has to keep its standard output open until its input ends
    ");
}

#[test]
#[cfg(unix)]
fn a_server_that_asks_and_takes_no_answer() {
    let told = told_with(&["asks-for-ever"], &impatient());
    assert!(told.contains("did not answer `initialize`"), "{told}");
}

/// Times differ a little from run to run.
fn without_times(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let number = word.trim_end_matches(',');
        if number.parse::<f64>().is_ok() && number.contains('.') {
            "N"
        } else {
            word
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn answers_with_another_id() {
    let other = told_with(&["other-id"], &impatient());
    insta::assert_snapshot!(without_times(&other), @r#"
    misbehave other-id: the server did not answer `tools/list` within N s; it answered with an id nobody asked with: {"jsonrpc":"2.0","id":299,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}
    hint: the server has to send back the `id` it was asked with, of the same type
    "#);
    insta::assert_snapshot!(without_times(&told_with(&["string-id"], &impatient())), @r#"
    misbehave string-id: the server did not answer `tools/list` within N s; it answered with an id nobody asked with: {"jsonrpc":"2.0","id":"2","result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}
    hint: the server has to send back the `id` it was asked with, of the same type
    "#);
    // The same number, as languages without integers write it.
    insta::assert_snapshot!(told(&["float-id"]), @r"
    tools: a
    Complete
    ");
    insta::assert_snapshot!(told(&["other-id-first"]), @r#"
    tools: a
    Complete
    UnknownId x2: {"jsonrpc":"2.0","id":"x","result":{}}
    "#);
}

#[test]
fn a_program_that_is_no_server_and_sends_back_what_it_is_sent() {
    insta::assert_snapshot!(without_times(&told_with(&["parrot"], &impatient())), @r#"
    misbehave parrot: the server did not answer `initialize` within N s; its standard output has lines that are no messages: its own input sent back: {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sayso","…
    hint: check that this command starts an MCP server that speaks over standard input and output
    "#);
}

#[test]
fn an_error_without_an_id_is_the_answer_if_no_other_comes() {
    insta::assert_snapshot!(told(&["cannot-read"]), @"
    misbehave cannot-read: the server refused `initialize`: what? (-32700)
    hint: the server's own log may say more
    ");
}

#[test]
fn answers_that_are_no_messages_are_refused_at_once() {
    insta::assert_snapshot!(told(&["batch"]), @"
    misbehave batch: the answer to `tools/list` is no valid JSON-RPC message: a batch of messages, which MCP had in version 2025-03-26 only
    hint: the server has to be mended: other clients fail on this too, or misread it
    ");
    insta::assert_snapshot!(told(&["two-ids"]), @"
    misbehave two-ids: the answer to `tools/list` is no valid JSON-RPC message: the key `id` stands more than once, so two readers may read two different messages
    hint: the server has to be mended: other clients fail on this too, or misread it
    ");
    insta::assert_snapshot!(told(&["broken-json"]), @r#"
    misbehave broken-json: the answer to `tools/list` cannot be read: expected a key in double quotes at byte 55: {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a",}]}}
    hint: each message has to be one line of UTF-8 JSON, and nothing else may write to standard output
    "#);
}

#[test]
fn commands_that_cannot_be_started() {
    let missing = StdioCommand::new("no-such-command-anywhere", ["x"]);
    insta::assert_snapshot!(show(&read(missing, &options())), @r"
    no-such-command-anywhere x: the command `no-such-command-anywhere` was not found
    hint: check its spelling and that it is in PATH, or give the program's full path
    ");
    let mut homeless = server(&["ordinary"]);
    homeless.command = "sh".into();
    homeless.cwd = Some("/no/such/directory".into());
    insta::assert_snapshot!(show(&read(homeless, &options())), @r"
    sh ordinary: cannot start `sh`: its directory `/no/such/directory` does not exist
    hint: check that the program is executable and made for this machine, and that its directory exists
    ");
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("server");
    std::fs::write(&script, "no program\n").unwrap();
    let mut supervised = server(&[]);
    supervised.command = script.clone().into();
    insta::assert_snapshot!(show(&read(supervised.clone(), &options())).replace(directory.path().to_str().unwrap(), "DIR"), @"
    DIR/server: cannot start `DIR/server`: it is not executable
    hint: check that the program is executable and made for this machine, and that its directory exists
    ");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        insta::assert_snapshot!(show(&read(supervised, &options())).replace(directory.path().to_str().unwrap(), "DIR"), @r"
        DIR/server: cannot start `DIR/server`: it is neither a program for this machine nor a script with a `#!` line
        hint: check that the program is executable and made for this machine, and that its directory exists
        ");
    }
}

#[test]
fn environment_and_directory_reach_the_server() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("here"), "found").unwrap();
    let mut command = server(&["tries", "variable:SAYSO_TEST", "read:here"]);
    command.env.push(("SAYSO_TEST".into(), "set".into()));
    command.cwd = Some(directory.path().to_owned());
    let reading = read(command, &options()).unwrap();
    let told: Vec<_> = reading
        .listing
        .tools()
        .map(|tool| tool.description().unwrap().into_owned())
        .collect();
    assert_eq!(told, ["set", "found"]);
}
