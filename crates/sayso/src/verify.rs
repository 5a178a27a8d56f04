//! Everything one run of `sayso verify` has to tell, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use sayso_core::digest::Digest;
use sayso_core::hint::Hint;
use sayso_verify::evidence::EvidenceFile;
use sayso_verify::jail::Refused;
use sayso_verify::judge::{ToolVerdict, Verdict};
use sayso_verify::plan::Mode;

use crate::audit_report::AuditReport;

/// One run over any number of servers.
pub(crate) struct Verified {
    /// What every format of an audit can tell: the targets, and what was found.
    pub(crate) audit: AuditReport,
    /// What was made of each of its targets, in the same order; none where it could not be verified.
    pub(crate) servers: Vec<Option<VerifiedServer>>,
    /// How the servers were kept from the machine.
    pub(crate) mode: Mode,
    /// Why that is not the better way, where it is not.
    pub(crate) why_not_better: Option<Refused>,
    /// What they worked on.
    pub(crate) fixture: String,
    /// The file the evidence is in, if it is kept.
    pub(crate) evidence: Option<String>,
}

/// What was made of one server.
pub(crate) struct VerifiedServer {
    /// For each tool, in the order of the listing.
    pub(crate) verdicts: Vec<ToolVerdict>,
    /// Contradictions that a baseline has already.
    pub(crate) accepted: Vec<(String, Hint)>,
    /// What a person should know besides.
    pub(crate) notes: Vec<String>,
    /// From the first start to the last end.
    pub(crate) duration: Duration,
}

/// The contradictions of a run that a baseline has already, of the same definition of the same tool.
pub(crate) fn accepted(
    baseline: &EvidenceFile,
    server: &str,
    definitions: &BTreeMap<String, Digest>,
    verdicts: &[ToolVerdict],
) -> Vec<(String, Hint)> {
    let Some(server) = crate::evidence::server(baseline, server) else {
        return Vec::new();
    };
    let current = baseline.current(server, definitions);
    let mut accepted = Vec::new();
    for verdict in verdicts {
        let Some(known) = current.witnesses.get(&verdict.tool) else {
            continue;
        };
        for (hint, made) in verdict.verdicts.iter() {
            if matches!(made, Verdict::Contradicted(_)) && known.get(hint).is_some() {
                accepted.push((verdict.tool.clone(), hint));
            }
        }
    }
    accepted
}

/// A text with the folders of a run by what they are: their paths are others in each run.
pub(crate) fn without_places(text: &str, places: &[(PathBuf, &'static str)]) -> String {
    let mut text = text.to_owned();
    for (path, name) in places {
        if let Some(path) = path.to_str() {
            text = text.replace(path, name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_places;

    #[test]
    fn folders_of_a_run_are_called_by_what_they_are() {
        let places = [("/tmp/sayso-x/workspace".into(), "{workspace}")];
        assert_eq!(
            without_places("removes /tmp/sayso-x/workspace/a.txt", &places),
            "removes {workspace}/a.txt"
        );
    }
}
