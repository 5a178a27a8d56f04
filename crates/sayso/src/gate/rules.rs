//! The rules of the gate: settings, lock, rulings and policies, read together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use sayso_audit::semantics::Semantics;
use sayso_core::lock::{Launch, Lock};
use sayso_gateway::gate::{Observed, Rules};
use sayso_gateway::pins::{self, Compare, Moved};
use sayso_gateway::policy::{PolicySource, READY_SETS};
use sayso_gateway::settings::GateSettings;
use sayso_verify::evidence::EvidenceFile;

use super::targets;
use crate::classify::file::RulingsFile;
use crate::error::Failure;
use crate::evidence;
use crate::lock::change::{self, Weight};
use crate::lock::{file, launch};
use crate::saved;

/// Where the rules are read from.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The settings of the gate.
    pub(crate) settings: GateSettings,
    /// What paths in them are counted from.
    pub(crate) folder: PathBuf,
}

impl Place {
    /// The file of the lock.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(self.settings.lock())
    }

    /// The file of the rulings.
    pub(crate) fn rulings(&self) -> PathBuf {
        self.folder.join(self.settings.rulings())
    }

    /// The file of the evidence.
    pub(crate) fn evidence(&self) -> PathBuf {
        self.folder.join(self.settings.evidence())
    }

    /// The file of the store.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.join(self.settings.store())
    }

    /// The policies, in the order of the settings.
    ///
    /// # Errors
    /// When there is no ready set and no file of a name.
    pub(crate) fn policies(&self) -> Result<Vec<PolicySource>, Failure> {
        let names = self.settings.policies().into_iter();
        names.map(|name| self.policy(name)).collect()
    }

    fn policy(&self, name: &str) -> Result<PolicySource, Failure> {
        if let Some(ready) = PolicySource::ready(name) {
            return Ok(ready);
        }
        let path = self.folder.join(name);
        let text = saved::read_text(&path).map_err(|error| {
            let sets = READY_SETS.iter().map(|set| set.name);
            let failure = Failure::usage(format!("cannot read the policy `{name}`")).source(error);
            if name.contains(['.', '/']) {
                return failure;
            }
            failure.hint(format!(
                "it is no file, and the sets in the box are {}",
                crate::error::quoted(sets)
            ))
        })?;
        Ok(PolicySource {
            name: name.to_owned(),
            text,
        })
    }

    /// All rules.
    ///
    /// # Errors
    /// When one of the files cannot be read, or has something wrong in it.
    pub(crate) fn read(&self, semantics: Semantics) -> Result<Rules, Failure> {
        let launches = self.launches();
        let evidence = self.observed(&launches)?;
        Ok(Rules {
            settings: self.settings.clone(),
            lock: file::read(&self.lock())?.unwrap_or_else(Lock::default),
            rulings: RulingsFile::new(self.rulings()).read()?,
            evidence,
            policies: self.policies()?,
            launches,
            compare: compare(semantics),
        })
    }

    /// How each server is launched, by its name.
    pub(crate) fn launches(&self) -> BTreeMap<String, Launch> {
        let planned = targets::planned(&self.settings, &self.folder);
        let launches = planned.iter();
        launches
            .map(|target| (target.name.clone(), launch::of(target)))
            .collect()
    }

    /// What was observed of the servers as the gate launches them. What is of others is told in the
    /// log.
    fn observed(&self, launches: &BTreeMap<String, Launch>) -> Result<Observed, Failure> {
        let (observed, notes) = evidence::by_definition(&self.evidence_file()?, launches);
        for note in notes {
            tracing::warn!("{note}");
        }
        Ok(observed)
    }

    /// The file of evidence; one that is named has to be there.
    pub(crate) fn evidence_file(&self) -> Result<EvidenceFile, Failure> {
        match self.settings.evidence {
            Some(_) => evidence::read(&self.evidence()),
            None => evidence::read_if_there(&self.evidence()),
        }
    }

    /// Every file whose change changes the rules, besides the settings.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let policies = self.settings.policy.iter();
        let policies = policies
            .filter(|name| PolicySource::ready(name).is_none())
            .map(|name| self.folder.join(name));
        [self.lock(), self.rulings(), self.evidence()]
            .into_iter()
            .chain(policies)
            .collect()
    }
}

/// The differences as `sayso lock --check` weighs them: a gate and a pipeline that read one lock
/// judge alike.
fn compare(semantics: Semantics) -> Compare {
    Arc::new(move |before, now| {
        let changes = change::between(before, now, semantics).into_iter();
        changes
            .map(|change| Moved {
                tool: change.tool,
                weight: match change.weight {
                    Weight::Neutral => pins::Weight::Neutral,
                    Weight::Tightening => pins::Weight::Tightening,
                    Weight::Held => pins::Weight::Held,
                    Weight::Relaxing => pins::Weight::Relaxing,
                },
                message: change.message,
            })
            .collect()
    })
}
