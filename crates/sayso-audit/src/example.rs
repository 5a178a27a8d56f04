//! Listings written inside a rule's documentation, read the way the rule needs them.
//!
//! An example is a `tools/list` result or one tool. What a listing alone cannot show
//! stands beside it under the key `sayso`: `profile`, `semantics`, `baseline`,
//! `observations`, `observed`, `incomplete`, `server`, `suppressions` and `today`. Both the tests and
//! the documentation read examples here.

use sayso_core::finding::Finding;
use sayso_core::json::{Document, Limits, ParseError, Value};
use sayso_core::listing::{Completeness, Listing, ObservationKind, Page, ServerIdentity};

use crate::admit::{Admission, Admitted, Date, Suppression, admit, stale_suppressions};
use crate::judge::{JudgeOptions, judge};
use crate::observed;
use crate::profile::{Profile, ProfileError};
use crate::semantics::Semantics;

/// A listing and everything else its rule looks at.
#[derive(Debug, Default)]
pub struct Example {
    /// The listing.
    pub listing: Listing,
    /// What it has to satisfy.
    pub profile: Option<Profile>,
    /// How contested meanings are read.
    pub semantics: Semantics,
    /// What it is compared with.
    pub baseline: Option<Listing>,
    /// What was observed of its tools at work.
    pub observed: Option<observed::Observed>,
    /// What somebody decided to live with, and the day it is.
    pub admission: Admission,
}

/// Why an example cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExampleError {
    /// It is not JSON.
    #[error("the example is not JSON: {0}")]
    Json(#[from] ParseError),
    /// What stands under `sayso` is not understood.
    #[error("the example's `sayso` key: {0}")]
    Setting(#[from] serde_json::Error),
    /// It names a profile that there is not.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A date is not a date.
    #[error("`{0}` is not a date such as 2026-07-28")]
    Date(String),
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    profile: Option<String>,
    semantics: Semantics,
    baseline: Option<Box<serde_json::value::RawValue>>,
    observations: Vec<Observation>,
    observed: Option<observed::Observed>,
    incomplete: Option<String>,
    server: Option<String>,
    suppressions: Vec<Suppressed>,
    today: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Observation {
    kind: ObservationKind,
    count: usize,
    detail: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppressed {
    rule: String,
    tool: Option<String>,
    reason: String,
    expires: Option<String>,
}

impl Example {
    /// Reads an example.
    ///
    /// # Errors
    /// When it is not JSON, or its `sayso` key asks for something unknown.
    pub fn parse(text: &str) -> Result<Self, ExampleError> {
        let document = Document::parse(text.to_owned(), &Limits::default())?;
        let settings = match document.root().get("sayso") {
            Some(settings) => serde_json::from_str(settings.raw())?,
            None => Settings::default(),
        };
        let mut example = Self {
            profile: settings.profile.as_deref().map(Profile::find).transpose()?,
            semantics: settings.semantics,
            observed: settings.observed,
            admission: Admission {
                suppressions: settings
                    .suppressions
                    .into_iter()
                    .map(suppression)
                    .collect::<Result<_, _>>()?,
                today: settings.today.as_deref().map(date).transpose()?,
                ..Admission::default()
            },
            ..Self::default()
        };
        if let Some(baseline) = settings.baseline {
            example.baseline = Some(listing(
                Document::parse(baseline.get().to_owned(), &Limits::default())?,
                None,
            ));
        }
        example.listing = listing(document, settings.server);
        for observation in settings.observations {
            example
                .listing
                .observe(observation.kind, observation.count, observation.detail);
        }
        if let Some(reason) = settings.incomplete {
            example.listing.completeness = Completeness::Incomplete(reason);
        }
        Ok(example)
    }

    /// Everything the rules find in it, after suppressions.
    #[must_use]
    pub fn judge(&self) -> Vec<Finding> {
        let options = JudgeOptions {
            semantics: self.semantics,
            profile: self.profile.as_ref(),
            baseline: self.baseline.as_ref(),
            observed: self.observed.as_ref(),
        };
        let found = judge(&self.listing, &options);
        let server = self.listing.server.name.as_deref();
        let Admitted {
            mut findings, used, ..
        } = admit(found, &self.listing, server, &self.admission);
        findings.extend(
            stale_suppressions(&self.admission, &[used])
                .into_iter()
                .map(|stale| stale.finding),
        );
        findings
    }
}

/// A listing from one document: its `tools`, an array of tools, or a single tool.
fn listing(document: Document, server: Option<String>) -> Listing {
    let mut listing = Listing::new(ServerIdentity {
        name: server,
        ..ServerIdentity::default()
    });
    let root = document.root();
    let tools = root
        .get("tools")
        .filter(|tools| tools.is_array())
        .or(root.is_array().then_some(root));
    if let Some(tools) = tools.map(Value::index) {
        listing.push_page(
            Page {
                document,
                lines_before: 0,
            },
            tools,
        );
        return listing;
    }
    // One tool: wrapped without touching its bytes, so that spans stay those of a listing.
    let wrapped = format!("[{}]", document.text().trim());
    if let Ok(document) = Document::parse(wrapped, &Limits::default()) {
        listing.push_page(
            Page {
                document,
                lines_before: 0,
            },
            0,
        );
    }
    listing
}

fn suppression(written: Suppressed) -> Result<Suppression, ExampleError> {
    Ok(Suppression {
        rule: written.rule,
        tool: written.tool,
        server: None,
        hint: None,
        reason: written.reason,
        expires: written.expires.as_deref().map(date).transpose()?,
        line: 1,
    })
}

fn date(text: &str) -> Result<Date, ExampleError> {
    text.parse()
        .map_err(|_| ExampleError::Date(text.to_owned()))
}
