//! `sayso explain`.

use std::io::{self, Write};

use clap::Args;
use sayso_audit::documentation;
use sayso_audit::rule::RuleMeta;
use sayso_audit::rules;
use sayso_core::suggest::nearest;

use super::to_stdout;
use crate::error::{Failure, Outcome};
use crate::exit;

/// Explain a rule: what it checks, why it matters, what fails and what passes
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The rule's id, such as `missing-annotations`
    #[arg(required_unless_present = "list")]
    rule: Option<String>,

    /// List all rules
    #[arg(long, conflicts_with = "rule")]
    list: bool,
}

impl ExplainArgs {
    pub(super) fn run(self) -> Outcome {
        match self.rule {
            None => to_stdout(list)?,
            Some(id) => {
                let rule = rules::find(&id).ok_or_else(|| unknown(&id))?;
                to_stdout(|out| explain(rule.meta(), out))?;
            }
        }
        Ok(exit::CLEAN)
    }
}

fn unknown(id: &str) -> Failure {
    let failure = Failure::usage(format!("no rule is called `{id}`"));
    match nearest(id, rules::ALL.iter().map(|rule| rule.meta().id)) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint("`sayso explain --list` lists the rules"),
    }
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    let width = rules::ALL
        .iter()
        .map(|rule| rule.meta().id.len())
        .max()
        .unwrap_or_default();
    for rule in rules::ALL {
        let RuleMeta {
            id,
            severity,
            summary,
            ..
        } = rule.meta();
        writeln!(out, "{id:width$}  {severity:7}  {summary}")?;
    }
    Ok(())
}

fn explain(meta: &RuleMeta, out: &mut dyn Write) -> io::Result<()> {
    let RuleMeta {
        id,
        summary,
        severity,
        confidence,
        since,
        ..
    } = meta;
    writeln!(out, "# {id}\n\n{summary}\n")?;
    writeln!(
        out,
        "severity {severity}, confidence {confidence}, since {since}\n"
    )?;
    out.write_all(documentation::markdown(meta).as_bytes())
}
