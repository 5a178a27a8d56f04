//! What a key inside `annotations` is, when it is none the specification knows.

use sayso_core::hint::Hint;

/// What an unknown key most likely is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKey {
    /// A hint in snake case, as in `read_only_hint`.
    SnakeCase(Hint),
    /// A hint with another spelling.
    Misspelt(Hint),
    /// Annotations inside annotations.
    Nested,
    /// A key somebody has proposed, and where.
    Proposed(&'static str),
    /// A key of another kind of annotations.
    OfContent,
    /// Nothing known.
    Unknown,
}

/// Proposals that put a key inside `annotations`; none is accepted as of 2026-07-28.
const PROPOSED: [(&str, &str); 25] = [
    ("agencyHint", "SEP-1938"),
    ("aiProcessingHint", "SEP-1984"),
    ("approvalRecommendation", "proposal 2793"),
    ("attribution", "SEP-1913"),
    ("blastRadius", "proposal 2793"),
    ("inputMetadata", "SEP-1913"),
    ("maliciousActivityHint", "SEP-1913"),
    ("minTrustLevel", "proposal 2793"),
    ("modelPreferences", "SEP-2417"),
    ("privilegedAccessHint", "SEP-1984"),
    ("recovery", "proposal 3172"),
    ("requiresReview", "the action-metadata extension"),
    ("resourceIntensiveHint", "SEP-1984"),
    ("returnMetadata", "SEP-1913"),
    ("reversibility", "proposal 2793"),
    ("reversibleHint", "SEP-1984"),
    ("riskLevel", "proposal 2793"),
    ("safeForContextHint", "issue 1561"),
    ("secretHint", "issue 1560"),
    ("sensitiveDataHint", "SEP-1984"),
    ("sideEffects", "proposal 2793"),
    ("slowExecutionHint", "SEP-1984"),
    ("trustedHint", "issue 1487"),
    ("unsafeOutputHint", "issue 1561"),
    ("untrustedContentHint", "WebMCP"),
];

/// What an unknown key most likely is.
#[must_use]
pub(crate) fn classify(key: &str) -> UnknownKey {
    if key == "annotations" {
        return UnknownKey::Nested;
    }
    if let Ok(index) = PROPOSED.binary_search_by(|(proposed, _)| (*proposed).cmp(key)) {
        return PROPOSED
            .get(index)
            .map_or(UnknownKey::Unknown, |(_, source)| {
                UnknownKey::Proposed(source)
            });
    }
    if matches!(key, "audience" | "priority" | "lastModified") {
        return UnknownKey::OfContent;
    }
    match meant(key) {
        Some(hint) if snake_case(hint) == key => UnknownKey::SnakeCase(hint),
        Some(hint) => UnknownKey::Misspelt(hint),
        None => UnknownKey::Unknown,
    }
}

/// The hint a key was meant to be.
fn meant(key: &str) -> Option<Hint> {
    let mut letters: String = key
        .chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if letters.ends_with("hints") {
        letters.pop();
    }
    let stem = letters.strip_suffix("hint").unwrap_or(&letters);
    let stem = stem.strip_prefix("is").unwrap_or(stem);
    Hint::ALL.into_iter().find(|hint| {
        let right = match hint {
            Hint::ReadOnly => "readonly",
            Hint::Destructive => "destructive",
            Hint::Idempotent => "idempotent",
            Hint::OpenWorld => "openworld",
        };
        // Two slips at most, and never in the first letter: `idempotency`, `destuctive`.
        stem.len() >= right.len() - 2
            && stem.chars().next() == right.chars().next()
            && strsim::damerau_levenshtein(stem, right) <= 2
    })
}

/// A hint's key in snake case.
#[must_use]
pub(crate) fn snake_case(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "read_only_hint",
        Hint::Destructive => "destructive_hint",
        Hint::Idempotent => "idempotent_hint",
        Hint::OpenWorld => "open_world_hint",
    }
}
