//! The rules and the tools of one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Rules;
use crate::catalogue::{Catalogue, Contribution};
use crate::refusal::{ReasonCode, Refusal};

/// The rules and the tools of one moment. Whatever is judged is judged by one of these from its
/// beginning to its end.
#[derive(Debug)]
pub struct Picture {
    /// The rules.
    pub rules: Arc<Rules>,
    catalogue: Result<Catalogue, String>,
    /// Servers whose tools are left out, and why.
    pub left_out: BTreeMap<String, String>,
    /// Whether there is a server that is being started for the first time.
    pub is_starting: bool,
}

impl Picture {
    pub(super) fn empty(rules: &Rules) -> Self {
        Self {
            is_starting: !rules.settings.servers.is_empty(),
            ..Self::new(Arc::new(rules.clone()), &[])
        }
    }

    /// The picture these servers make. One whose tools do not fit beside those of the others, or that
    /// the policies do not fit, is left out, and the others go on.
    pub(super) fn new(rules: Arc<Rules>, contributions: &[Contribution<'_>]) -> Self {
        let catalogue = |of: &[Contribution<'_>]| {
            Catalogue::new(of, &rules.settings, &rules.rulings, &rules.policies)
        };
        let mut left_out = BTreeMap::new();
        let whole = match catalogue(contributions) {
            Ok(whole) => Ok(whole),
            Err(_) => {
                let mut fitting: Vec<Contribution<'_>> = Vec::new();
                // Servers in the lock come first, so that no other takes a name from them.
                let is_locked = |server: &str| rules.lock.servers.contains_key(server);
                let (locked, others): (Vec<&Contribution<'_>>, Vec<_>) = contributions
                    .iter()
                    .partition(|contribution| is_locked(contribution.server.name()));
                for contribution in locked.into_iter().chain(others) {
                    fitting.push(*contribution);
                    if let Err(error) = catalogue(&fitting) {
                        fitting.pop();
                        left_out.insert(contribution.server.name().to_owned(), error.to_string());
                    }
                }
                catalogue(&fitting).map_err(|error| error.to_string())
            }
        };
        Self {
            rules,
            catalogue: whole,
            left_out,
            is_starting: false,
        }
    }

    /// The tools and policies.
    ///
    /// # Errors
    /// When the policies cannot be used at all.
    pub fn catalogue(&self) -> Result<&Catalogue, Refusal> {
        self.catalogue.as_ref().map_err(|error| Refusal {
            kept_back: Some(error.clone()),
            ..Refusal::new(
                ReasonCode::PolicyFailed,
                "the policies of the gate cannot be used",
            )
        })
    }
}
