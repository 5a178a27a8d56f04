//! What a specification or a directory asks of a listing, as dated data.
//!
//! The profiles are files under `profiles/`; a requirement there names one of a closed set
//! of checks ([`Check`]), which the rule `profile-requirement` carries out.

mod requirement;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use requirement::{Check, Requirement, Which};

use crate::admit::{Date, Level};
use crate::rules;
use crate::semantics::{Reading, Semantics};
use sayso_core::suggest::nearest;

/// A dated set of requirements.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its id, as given on the command line.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// What it is, in a sentence or two of Markdown.
    pub summary: String,
    /// The day whose rules it states.
    #[serde(deserialize_with = "requirement::date")]
    pub date: Date,
    /// Where the rules are published.
    pub sources: Vec<String>,
    /// How it answers questions the field does not agree on.
    #[serde(default)]
    pub semantics: Semantics,
    /// Levels it gives to rules, by id.
    #[serde(default)]
    pub levels: BTreeMap<String, Level>,
    /// What it asks.
    #[serde(default, rename = "requirement")]
    pub requirements: Vec<Requirement>,
}

/// Why there is no such profile, or why its file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No profile has this id.
    #[error("no profile is called `{id}`{}", hint(suggestion.as_deref()))]
    Unknown {
        /// What was asked for.
        id: String,
        /// The nearest id there is.
        suggestion: Option<String>,
    },
    /// The file does not say what a profile file has to say.
    #[error("profile `{file}`: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(
        || {
            let all: Vec<&str> = FILES.iter().map(|(id, _)| *id).collect();
            format!("; hint: there are {}", all.join(", "))
        },
        |nearest| format!("; hint: did you mean `{nearest}`?"),
    )
}

/// The profile files, by id.
const FILES: [(&str, &str); 4] = [
    (
        "anthropic-connectors",
        include_str!("../profiles/anthropic-connectors.toml"),
    ),
    (
        "anthropic-mcpb",
        include_str!("../profiles/anthropic-mcpb.toml"),
    ),
    ("openai-apps", include_str!("../profiles/openai-apps.toml")),
    (
        "spec-2026-07-28",
        include_str!("../profiles/spec-2026-07-28.toml"),
    ),
];

static ALL: LazyLock<Vec<Result<Profile, ProfileError>>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|(id, text)| Profile::parse(id, text))
        .collect()
});

impl Profile {
    /// Every profile that comes with this version, by id.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ALL.iter().filter_map(|profile| profile.as_ref().ok())
    }

    /// The profile with this id.
    ///
    /// # Errors
    /// When there is none; the error has the nearest id.
    pub fn find(id: &str) -> Result<Self, ProfileError> {
        match FILES
            .iter()
            .position(|(known, _)| *known == id)
            .and_then(|index| ALL.get(index))
        {
            Some(profile) => profile.clone(),
            None => Err(ProfileError::Unknown {
                id: id.to_owned(),
                suggestion: nearest(id, FILES.iter().map(|(known, _)| *known)).map(str::to_owned),
            }),
        }
    }

    /// Reads a profile file; `id` has to be the one inside.
    ///
    /// # Errors
    /// When the file has an unknown key, an unknown rule, no source, or another id.
    pub fn parse(id: &str, text: &str) -> Result<Self, ProfileError> {
        let malformed = |problem: String| ProfileError::Malformed {
            file: format!("{id}.toml"),
            problem,
        };
        let profile: Self = toml::from_str(text).map_err(|error| malformed(error.to_string()))?;
        if profile.id != id {
            return Err(malformed(format!("its id is `{}`", profile.id)));
        }
        if profile.sources.is_empty() {
            return Err(malformed("it names no source".to_owned()));
        }
        if let Some(rule) = profile
            .levels
            .keys()
            .find(|rule| rules::find(rule).is_none())
        {
            let near = nearest(rule, rules::ids());
            let hint = near
                .map(|near| format!("; hint: did you mean `{near}`?"))
                .unwrap_or_default();
            return Err(malformed(format!("there is no rule `{rule}`{hint}")));
        }
        Ok(profile)
    }

    /// How contested questions are answered: a set answer stands, an open one takes the profile's.
    #[must_use]
    pub fn answer(&self, asked: Semantics) -> Semantics {
        let pick =
            |own: Reading, profile: Reading| if own == Reading::Either { profile } else { own };
        Semantics {
            delete_is_idempotent: pick(
                asked.delete_is_idempotent,
                self.semantics.delete_is_idempotent,
            ),
            send_is_destructive: pick(
                asked.send_is_destructive,
                self.semantics.send_is_destructive,
            ),
            own_tenant_is_open_world: pick(
                asked.own_tenant_is_open_world,
                self.semantics.own_tenant_is_open_world,
            ),
            // The specification answers this one; only a person's setting changes it.
            update_is_destructive: asked.update_is_destructive,
        }
    }
}
