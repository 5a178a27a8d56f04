//! The program's exit codes. Other programs rely on them: they do not change within a major version.

/// One exit code and what it tells.
#[derive(Debug)]
pub(crate) struct ExitCode {
    /// The number.
    pub(crate) code: u8,
    /// What happened.
    pub(crate) meaning: &'static str,
}

/// Everything was read, and nothing found reaches `--fail-on`.
pub(crate) const CLEAN: u8 = 0;
/// A finding reaches `--fail-on`.
pub(crate) const FINDINGS: u8 = 1;
/// The command line or the settings file is wrong, or a file that is not a target cannot be used.
pub(crate) const USAGE: u8 = 2;
/// A target could not be read, or its listing not to the end. The report has all that was read.
pub(crate) const UNREADABLE: u8 = 3;
/// Stopped by Ctrl-C: 128 and the signal's number, as shells count.
pub(crate) const INTERRUPTED: u8 = 130;
/// Stopped by a request to terminate: 128 and the signal's number.
pub(crate) const TERMINATED: u8 = 143;

/// What a run over targets ends with: whether all of them were read, and whether anything was found
/// that fails it. See [`PRECEDENCE`].
pub(crate) const fn of(whole: bool, fails: bool) -> u8 {
    match (whole, fails) {
        (false, _) => UNREADABLE,
        (true, true) => FINDINGS,
        (true, false) => CLEAN,
    }
}

/// Every exit code with its meaning, for the reference.
pub(crate) const ALL: &[ExitCode] = &[
    ExitCode {
        code: CLEAN,
        meaning: "everything was read, and no finding of `sayso audit` or `sayso verify` and no change that `sayso lock` tells reaches `--fail-on`; every ruling that `sayso classify --check` looked at holds, and everything that was ruled stands where `sayso fix` looked for it; every case of `sayso policy test` is decided as expected; the journal that `sayso journal verify` looked at holds; nothing that `sayso doctor` looked at has to be mended",
    },
    ExitCode {
        code: FINDINGS,
        meaning: "a finding of `sayso audit` or `sayso verify` or a change since `sayso lock` is as grave as `--fail-on` or graver, or a listing cannot be pinned, or a ruling that `sayso classify --check` looked at does not hold, or something that was ruled does not stand where `sayso fix` looked for it, or a case of `sayso policy test` is decided otherwise than expected, or the journal that `sayso journal verify` looked at does not hold, or something that `sayso doctor` looked at has to be mended",
    },
    ExitCode {
        code: USAGE,
        meaning: "the command line or `sayso.toml` is wrong, or a file that is not a target cannot be read or written, or there is nobody to ask",
    },
    ExitCode {
        code: UNREADABLE,
        meaning: "a target could not be read or verified, or its listing not to the end; the report has all that was read",
    },
    ExitCode {
        code: INTERRUPTED,
        meaning: "stopped by Ctrl-C; every server that was started is stopped too",
    },
    ExitCode {
        code: TERMINATED,
        meaning: "stopped by SIGTERM; every server that was started is stopped too",
    },
];

/// How the codes rank when more than one thing happened, for the reference.
pub(crate) const PRECEDENCE: &str = "When several apply, 2 comes before 3 and 3 before 1: a run that could not see \
everything says so first, and its findings are in the report. `--fail-on never` turns 1 into 0; it never hides 2 or 3.";
