//! No process is left behind, ever.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sayso_mcp::{ReadOptions, StdioCommand};

use crate::support::{example, impatient, options, read, server, show};

/// A word that stands on the command line of every process of one test and of no other.
fn mark(test: &str) -> String {
    format!("sayso-test-{test}-{}", std::process::id())
}

/// The command lines of processes that carry a mark.
fn with_mark(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark)).collect()
}

/// Reads a fixture server and tells what is left of it.
fn read_and_look(behaviour: &str, options: &ReadOptions) -> String {
    let mark = mark(behaviour);
    let shown = show(&read(server(&[behaviour, &mark]), options));
    let left = with_mark(&mark);
    assert!(left.is_empty(), "left behind: {left:?}");
    let program = example("misbehave");
    shown
        .replace(&mark, "MARK")
        .replace(program.to_str().unwrap(), "misbehave")
}

#[test]
fn a_server_that_does_not_end_with_its_input_is_signalled() {
    let options = ReadOptions {
        close_timeout: Duration::from_millis(200),
        ..options()
    };
    insta::assert_snapshot!(read_and_look("ignores-eof", &options), @r"
    tools: a
    Complete
    SignalledToStop x1: it was still running 0.2 s after its input closed
    ");
    insta::assert_snapshot!(read_and_look("ignores-everything", &options), @r"
    tools: a
    Complete
    SignalledToStop x1: it was still running 0.2 s after its input closed
    ");
}

#[test]
fn a_wrapper_goes_with_the_server_it_wraps() {
    let options = ReadOptions {
        close_timeout: Duration::from_millis(200),
        ..options()
    };
    insta::assert_snapshot!(read_and_look("wrapper", &options), @r"
    tools: a
    Complete
    SignalledToStop x1: it was still running 0.2 s after its input closed
    LeftoverProcess x1: misbehave ignores-everything MARK
    ");
}

#[test]
fn daemons_are_found_out_and_ended() {
    insta::assert_snapshot!(read_and_look("leaves-daemon", &options()), @r"
    tools: a
    Complete
    LeftoverProcess x1: misbehave daemon-itself MARK
    ");
    insta::assert_snapshot!(read_and_look("leaves-daemon-with-pipes", &options()), @r"
    tools: a
    Complete
    LeftoverProcess x1: misbehave daemon-itself MARK
    ");
    insta::assert_snapshot!(read_and_look("exits-leaving-daemon", &options()), @r"
    misbehave exits-leaving-daemon MARK: the server ended with exit status 4 before it answered `initialize`
    hint: run the command by hand; servers often end at once when a setting or a credential is missing
    stderr: cannot go on
    ");
}

#[test]
fn nothing_is_left_of_a_server_that_never_answers() {
    let shown = read_and_look("silent", &impatient());
    assert!(shown.contains("did not answer"), "{shown}");
}

#[test]
fn nothing_is_left_when_a_reading_is_given_up() {
    let mark = mark("given-up");
    let target = sayso_mcp::Target::Stdio(server(&["leaves-daemon", "silent", &mark]));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let options = ReadOptions {
        start_timeout: Some(Duration::from_secs(60)),
        ..options()
    };
    let hung = server(&["silent", &mark]);
    runtime.block_on(async {
        let reading = sayso_mcp::read_listing(&target, &options);
        let _ = tokio::time::timeout(Duration::from_millis(1), reading).await;
        let hung = sayso_mcp::Target::Stdio(hung);
        let reading = sayso_mcp::read_listing(&hung, &options);
        let _ = tokio::time::timeout(Duration::from_millis(400), reading).await;
    });
    wait_until_gone(&mark);
}

#[test]
fn nothing_is_left_when_the_client_is_killed() {
    let mark = mark("orphaned");
    // Not where scratch directories are: its own view of those hides the client's.
    let directory = tempfile::tempdir_in(std::env::current_dir().unwrap()).unwrap();
    let (report, home) = (
        directory.path().join("report"),
        directory.path().join("home"),
    );
    std::fs::write(&report, "").unwrap();
    std::fs::create_dir(&home).unwrap();
    // A shell in the client's place: it starts the supervisor and is killed.
    let script = r#""$0" --report "$1" --private-home "$2" -- "$3" leaves-daemon "$4" & wait"#;
    let mut client = Command::new("sh");
    client
        .args(["-c", script])
        .arg(example("supervise"))
        .arg(&report)
        .arg(&home)
        .arg(example("misbehave"))
        .arg(&mark);
    let mut client = client
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !with_mark(&mark)
        .iter()
        .any(|line| line.contains("daemon-itself"))
    {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the daemon never started"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    client.kill().unwrap();
    client.wait().unwrap();
    wait_until_gone(&mark);
    for trace in [report, home] {
        assert!(
            !trace.exists(),
            "{} is of no use to anybody",
            trace.display()
        );
    }
}

fn wait_until_gone(mark: &str) {
    let started = Instant::now();
    while !with_mark(mark).is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "left behind: {:?}",
            with_mark(mark)
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn without_a_supervisor_the_process_group_is_ended() {
    let mark = mark("unsupervised");
    let command = StdioCommand::new(example("misbehave"), ["wrapper", mark.as_str()]);
    let options = ReadOptions {
        close_timeout: Duration::from_millis(200),
        ..options()
    };
    assert_eq!(read(command, &options).unwrap().listing.len(), 1);
    wait_until_gone(&mark);
}

#[test]
fn a_supervisor_ends_as_its_server_does() {
    let status = |args: &[&str]| {
        let mut command = Command::new(example("supervise"));
        command
            .arg("--")
            .args(args)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command.status().unwrap().to_string()
    };
    assert_eq!(status(&["sh", "-c", "exit 7"]), "exit status: 7");
    assert_eq!(
        status(&["sh", "-c", "kill -KILL $$"]),
        "signal: 9 (SIGKILL)"
    );
    assert_eq!(
        status(&["sh", "-c", "kill -TERM $$"]),
        "signal: 15 (SIGTERM)"
    );
    assert_eq!(status(&["/no/such/program"]), "exit status: 125");
    // The server sees default signals; the C library keeps the highest two to itself.
    for line in ["SigBlk:\t0*", "SigIgn:\t0*[18]*0000000"] {
        let look = format!("grep -q '^{line}$' /proc/self/status");
        assert_eq!(status(&["sh", "-c", &look]), "exit status: 0", "{line}");
    }
}
