//! `sayso doctor`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::report_arguments::ReportArgs;
use super::settings_arguments::SettingsArgs;
use super::{gate, output};
use crate::audit_report::{Detail, Presentation};
use crate::doctor::{self, Finding};
use crate::error::Outcome;
use crate::report::doctor::DoctorFormat;
use crate::{config, exit, report};

/// Say what is wrong with a gate, and how to mend it
///
/// Looks at the settings, at the programs of the servers, at lock, rulings, policies and journal, at
/// the address to listen on, and at the entries by which hosts run a gate. Starts no server and
/// writes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 all will do, 1 something has to be mended, 2 wrong usage")]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    settings: SettingsArgs,

    #[command(flatten)]
    report: ReportArgs<DoctorFormat>,
}

impl DoctorArgs {
    pub(super) fn run(self) -> Outcome {
        output::check_directories([&self.report.output])?;
        let mut findings = match self.settings.read() {
            Err(failure) => vec![Finding::failure("settings", &failure, "mend the file")],
            Ok(read) => match &read.path {
                None => vec![no_settings()],
                Some(file) => doctor::gate(&gate::place(&read), &whole(file)),
            },
        };
        findings.extend(doctor::hosts());
        let write = |_: &Presentation, out: &mut dyn std::io::Write| {
            report::doctor::write(&findings, self.report.format, out)
        };
        self.report.write(Detail::Normal, write)?;
        Ok(if findings.iter().any(Finding::is_problem) {
            exit::FINDINGS
        } else {
            exit::CLEAN
        })
    }
}

fn no_settings() -> Finding {
    Finding::nothing_set(config::FILE_NAME)
}

fn whole(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}
