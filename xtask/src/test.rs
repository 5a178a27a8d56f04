//! `cargo xtask test`: everything the tests need, all tests, and an honest last line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use crate::{TaskError, While, cargo, install, root};

/// Where a test that cannot run on this machine writes why, one line each.
const SKIPPED: &str = "SAYSO_SKIPPED";

#[derive(Debug, Default)]
struct Totals {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// Test programs that began and did not tell a result, for they were killed or hung up.
    unfinished: usize,
    failed_tests: Vec<String>,
}

/// Installs the test servers and clients, runs every test and sums up.
pub(crate) fn run(cargo_arguments: &[String]) -> Result<ExitCode, TaskError> {
    install::install()?;
    let notes = tempfile::NamedTempFile::new().while_trying("creating a temporary file")?;
    let mut command = Command::new(cargo());
    command
        .current_dir(root())
        .args(["test", "--workspace", "--locked", "--no-fail-fast"])
        .args(cargo_arguments)
        // Tests that need what is installed above are marked as ignored for a bare `cargo test`.
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

    totals.print(&skipped);
    if !status.success() && totals.failed == 0 && totals.unfinished == 0 {
        println!("failed: something did not build; it is told above");
    }
    Ok(if status.success() && totals.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Totals {
    /// The last lines of a run: the counts, then what failed and what was skipped, and why.
    fn print(&self, skipped: &[&str]) {
        println!();
        println!(
            "{} passed, {} failed, {} skipped",
            self.passed.saturating_sub(skipped.len()),
            self.failed,
            skipped.len() + self.ignored
        );
        for test in &self.failed_tests {
            println!("failed: {test}");
        }
        if self.unfinished > 0 {
            println!(
                "failed: {} test programs did not run to their end",
                self.unfinished
            );
        }
        for reason in skipped {
            println!("skipped: {reason}");
        }
        if self.ignored > 0 {
            println!(
                "skipped: {} tests left out by the arguments after `--`",
                self.ignored
            );
        }
    }

    /// Adds up lines such as `test result: ok. 28 passed; 0 failed; 0 ignored; …`.
    fn add(&mut self, line: &str) {
        if let Some(test) = line.strip_prefix("test ") {
            let failed = test.strip_suffix(" ... FAILED");
            self.failed_tests.extend(failed.map(str::to_owned));
        }
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.unfinished += 1;
        }
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        self.unfinished = self.unfinished.saturating_sub(1);
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
        totals.add("running 29 tests");
        totals.add("test result: ok. 28 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.96s");
        totals
            .add("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out");
        totals.add("test a ... ok");
        totals.add("running 1 test");
        totals.add("test b::c ... FAILED");
        assert_eq!((totals.passed, totals.failed, totals.ignored), (30, 3, 1));
        assert_eq!(totals.unfinished, 1);
        assert_eq!(totals.failed_tests, ["b::c"]);
    }
}
