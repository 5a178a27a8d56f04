//! Fixture servers, and what a reading of one looks like.

#![expect(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test may panic, and says why it cannot run"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use sayso_mcp::{ReadError, ReadOptions, Reading, StdioCommand, Supervisor, Target};

/// An example of this crate, which `cargo test` has built.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(2).unwrap();
    let path = target
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing: `cargo test` builds it, `cargo test --test it` does not",
        path.display()
    );
    path
}

/// Tells that a test cannot run on this machine; `cargo xtask test` ends with what was told so.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("skipped {test}: {why}");
    if let Some(notes) = std::env::var_os("SAYSO_SKIPPED") {
        let mut notes = std::fs::File::options().append(true).open(notes).unwrap();
        std::io::Write::write_all(&mut notes, format!("sayso-mcp {test}: {why}\n").as_bytes())
            .unwrap();
    }
}

/// A fixture server that misbehaves in this way, watched over.
pub(crate) fn server(args: &[&str]) -> StdioCommand {
    let mut command = StdioCommand::new(example("misbehave"), args);
    command.supervisor = Some(Supervisor {
        program: example("supervise"),
        args: Vec::new(),
    });
    command
}

/// Patience for servers that answer at once.
pub(crate) fn options() -> ReadOptions {
    ReadOptions {
        start_timeout: Some(Duration::from_secs(20)),
        request_timeout: Duration::from_secs(20),
        ..ReadOptions::default()
    }
}

/// Little patience, for servers that never answer.
pub(crate) fn impatient() -> ReadOptions {
    ReadOptions {
        start_timeout: Some(Duration::from_millis(800)),
        request_timeout: Duration::from_millis(500),
        close_timeout: Duration::from_millis(200),
        ..ReadOptions::default()
    }
}

pub(crate) fn read(command: StdioCommand, options: &ReadOptions) -> Result<Reading, ReadError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(sayso_mcp::read_listing(&Target::Stdio(command), options))
}

/// What a person is told about a fixture server.
pub(crate) fn told(args: &[&str]) -> String {
    told_with(args, &options())
}

pub(crate) fn told_with(args: &[&str], options: &ReadOptions) -> String {
    show(&read(server(args), options))
}

/// A reading in a few lines, or the error with everything that belongs to it.
pub(crate) fn show(reading: &Result<Reading, ReadError>) -> String {
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => return show_error(error),
    };
    let listing = &reading.listing;
    let labels: Vec<_> = listing
        .tools()
        .map(|tool| tool.label().into_owned())
        .collect();
    let mut out = match labels.len() {
        0..=12 => format!("tools: {}", labels.join(" ")),
        many => format!("tools: {many}"),
    };
    write!(out, "\n{:?}", listing.completeness).unwrap();
    for observation in &listing.observations {
        write!(
            out,
            "\n{:?} x{}: {}",
            observation.kind, observation.count, observation.detail
        )
        .unwrap();
    }
    for note in &reading.notes {
        write!(out, "\nnote: {note}").unwrap();
    }
    out
}

fn show_error(error: &ReadError) -> String {
    // The path differs from machine to machine.
    let mut out = match error.to_string().split_once("misbehave") {
        Some((path, rest)) if !path.contains(": ") => format!("misbehave{rest}"),
        _ => error.to_string(),
    };
    if let Some(hint) = error.hint() {
        write!(out, "\nhint: {hint}").unwrap();
    }
    for line in &error.stderr_tail {
        write!(out, "\nstderr: {line}").unwrap();
    }
    out
}
