//! `cargo xtask test`: everything the tests need, all tests, and an honest last line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use crate::{TaskError, While, cargo, root, servers};

/// Where a test that cannot run on this machine writes why, one line each.
const SKIPPED: &str = "SAYSO_SKIPPED";

#[derive(Debug, Default)]
struct Totals {
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// Installs the test servers, runs every test and sums up.
pub(crate) fn run(cargo_arguments: &[String]) -> Result<ExitCode, TaskError> {
    servers::install()?;
    let notes = tempfile::NamedTempFile::new().while_trying("creating a temporary file")?;
    let mut command = Command::new(cargo());
    command
        .current_dir(root())
        .args(["test", "--workspace", "--locked", "--no-fail-fast"])
        .args(cargo_arguments)
        // Tests that need the servers installed above are marked as ignored for a bare `cargo test`.
        .args(["--", "--include-ignored"])
        .env(SKIPPED, notes.path())
        .stdout(Stdio::piped());
    let mut tests = command.spawn().while_trying("starting cargo test")?;
    let mut totals = Totals::default();
    if let Some(output) = tests.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.while_trying("reading the output of cargo test")?;
            println!("{line}");
            totals.add(&line);
        }
    }
    let status = tests.wait().while_trying("waiting for cargo test")?;
    let skipped = fs::read_to_string(notes.path()).while_trying("reading what was skipped")?;
    let mut skipped: Vec<&str> = skipped.lines().collect();
    skipped.sort_unstable();
    skipped.dedup();

    println!();
    println!(
        "{} passed, {} failed, {} skipped",
        totals.passed.saturating_sub(skipped.len()),
        totals.failed,
        skipped.len() + totals.ignored
    );
    for reason in skipped {
        println!("skipped: {reason}");
    }
    if totals.ignored > 0 {
        println!(
            "skipped: {} tests left out by the arguments after `--`",
            totals.ignored
        );
    }
    if !status.success() && totals.failed == 0 {
        println!("failed: something did not build or did not run to its end; it is told above");
    }
    Ok(if status.success() && totals.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Totals {
    /// Adds up lines such as `test result: ok. 28 passed; 0 failed; 0 ignored; …`.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        for part in counts.split("; ") {
            let Some((number, what)) = part.split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<usize>() else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    #[test]
    fn results_add_up() {
        let mut totals = Totals::default();
        totals.add("test result: ok. 28 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.96s");
        totals
            .add("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out");
        totals.add("test a ... ok");
        assert_eq!((totals.passed, totals.failed, totals.ignored), (30, 3, 1));
    }
}
