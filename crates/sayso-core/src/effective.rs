//! From claims, rulings and evidence to the values a client or a gateway acts on.
//!
//! [`Effective::from_claims`] takes claims as given: what a client that follows the specification
//! makes of a server it trusts, and what the linter judges. [`decide`] is for decisions, and the one
//! place where their values are computed:
//!
//! 1. The specification's defaults, each of which promises least.
//! 2. Claims: of a trusted server as given; of any other they only raise risk.
//! 3. A ruling, hint by hint: what it says holds, and may lower.
//! 4. For one call, the cases of the ruling that match its arguments, within the bounds of its
//!    static values ([`within_bounds`]).
//! 5. Evidence: a contradicted hint has its default, whatever was said. What was seen to remove
//!    something, or to change something at a repeat, is not read-only either.
//!
//! `destructive` and `idempotent` mean something only for a tool that is not read-only. So what a
//! claim or ruling says of them while it says read-only means nothing once the tool turns out not
//! to be: they have their defaults then.

use crate::hint::{Claim, Hint, Hints};

/// Where an effective value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// The server claims it.
    Claimed,
    /// Nothing usable was said, so the specification's default holds.
    Default,
    /// The server claims less risk and is not trusted, so the default holds.
    Distrusted,
    /// A ruling says it.
    Ruled,
    /// A case of the ruling says it for the arguments of this call.
    Case,
    /// Evidence contradicts the hint, so the default holds.
    Contradicted,
}

impl Provenance {
    /// The provenance as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Default => "default",
            Self::Distrusted => "distrusted",
            Self::Ruled => "ruled",
            Self::Case => "case",
            Self::Contradicted => "contradicted",
        }
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A value and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveHint {
    /// The value.
    pub value: bool,
    /// Where it comes from.
    pub provenance: Provenance,
}

impl EffectiveHint {
    const fn default_of(hint: Hint, provenance: Provenance) -> Self {
        Self {
            value: hint.default_value(),
            provenance,
        }
    }
}

/// The four values a client that follows the specification works with.
///
/// The defaults, and that destructive and idempotent mean something only for a tool
/// that is not read-only: MCP schema, `ToolAnnotations`, unchanged from 2025-03-26 to
/// 2026-07-28. Only a real boolean counts as a claim: `null`, a malformed or a repeated
/// hint leaves the default, which is the reading that promises least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effective {
    /// Each hint by itself, before one bears on another.
    pub hints: Hints<EffectiveHint>,
}

impl Effective {
    /// The values for these claims, taken as given.
    #[must_use]
    pub fn from_claims(claims: &Hints<Claim>) -> Self {
        Self {
            hints: claims.map(|hint, claim| match claim.boolean() {
                Some(value) => EffectiveHint {
                    value,
                    provenance: Provenance::Claimed,
                },
                None => EffectiveHint::default_of(hint, Provenance::Default),
            }),
        }
    }

    /// Whether the tool only reads.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.hints.read_only.value
    }

    /// Whether a call may remove or overwrite something.
    #[must_use]
    pub fn may_destroy(&self) -> bool {
        !self.read_only() && self.hints.destructive.value
    }

    /// Whether a second identical call changes nothing further.
    #[must_use]
    pub fn repeatable(&self) -> bool {
        self.read_only() || self.hints.idempotent.value
    }

    /// Whether a call may reach beyond a closed domain; independent of read-only.
    #[must_use]
    pub fn open_world(&self) -> bool {
        self.hints.open_world.value
    }

    /// Whether only the server's word says that the tool only reads.
    #[must_use]
    pub fn reads_on_its_word(&self) -> bool {
        self.read_only() && self.hints.read_only.provenance == Provenance::Claimed
    }

    /// The values where that word counts for nothing. What was claimed of a tool that only reads
    /// means nothing for one that does not, so those hints have their defaults, too.
    #[must_use]
    pub fn without_its_word(&self) -> Self {
        if !self.reads_on_its_word() {
            return *self;
        }
        let distrusted = |hint: Hint| EffectiveHint::default_of(hint, Provenance::Distrusted);
        Self {
            hints: Hints::from_fn(|hint| match (hint, *self.hints.get(hint)) {
                (Hint::ReadOnly, _) => distrusted(hint),
                (Hint::Destructive | Hint::Idempotent, value)
                    if value.provenance == Provenance::Claimed =>
                {
                    distrusted(hint)
                }
                (_, value) => value,
            }),
        }
    }

    /// Whether a client that follows the documented defaults has to ask before it calls:
    /// it asks for whatever may destroy.
    #[must_use]
    pub fn must_confirm(&self) -> bool {
        self.may_destroy()
    }
}

/// Whether the operator trusts a server's claims.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Claims count as given.
    Trusted,
    /// Claims only raise risk: "clients MUST consider tool annotations to be untrusted unless they
    /// come from trusted servers" (MCP, server tools).
    #[default]
    Untrusted,
}

/// What watching the tool at work has shown of one hint.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Nothing was observed.
    #[default]
    Untested,
    /// So many observations, and nothing against what is promised. It lowers nothing by itself.
    Consistent(u32),
    /// The tool did what it promised not to do.
    Contradicted,
}

/// Everything the values of a decision are computed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Basis<'a> {
    /// What the server claims.
    pub claims: Hints<Claim>,
    /// Whether its claims are believed.
    pub trust: Trust,
    /// What a ruling says of the tool. A stale ruling is no ruling: leave it out.
    pub ruling: Option<Hints<Option<bool>>>,
    /// What that ruling says for the arguments of this call, in all its cases that match, in any
    /// order; none where the tool is looked at and not a call. A case is bound by the ruling and not
    /// by the server's claims: where it says more risk than they do, it holds.
    pub cases: &'a [Hints<Option<bool>>],
    /// What was observed.
    pub evidence: Hints<Evidence>,
}

/// What became of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cases {
    /// No case matches.
    NoneMatches,
    /// The values are those of the case that matches or, of several, of the one with most risk,
    /// hint by hint.
    Applied,
    /// A case allows more than the static values, by this hint first: no case is applied.
    OutOfBounds(Hint),
}

/// The values for a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decided {
    /// The values, each with its provenance.
    pub effective: Effective,
    /// What became of the cases.
    pub cases: Cases,
}

/// Computes the values for a decision.
///
/// It is total; less trust never lowers a risk; no value promises what evidence contradicts.
#[must_use]
pub fn decide(basis: &Basis<'_>) -> Decided {
    let ruling = basis.ruling.unwrap_or_default();
    let broken = basis
        .cases
        .iter()
        .filter_map(|case| within_bounds(&ruling, case).err())
        .min();
    let (cases, values) = match (broken, basis.cases) {
        (Some(hint), _) => (Cases::OutOfBounds(hint), resolve(basis, &ruling, None)),
        (None, []) => (Cases::NoneMatches, resolve(basis, &ruling, None)),
        (None, [first, others @ ..]) => {
            let first = resolve(basis, &ruling, Some(first));
            let values = others
                .iter()
                .map(|case| resolve(basis, &ruling, Some(case)))
                .fold(first, |one, other| riskier(&one, &other));
            (Cases::Applied, values)
        }
    };
    Decided {
        effective: values,
        cases,
    }
}

/// The values by claims, ruling, one case and evidence.
fn resolve(
    basis: &Basis<'_>,
    ruling: &Hints<Option<bool>>,
    case: Option<&Hints<Option<bool>>>,
) -> Effective {
    let no_case = Hints::default();
    let case = case.unwrap_or(&no_case);
    let value = |hint: Hint, read_only: bool| {
        if contradicted(&basis.evidence, hint) {
            return EffectiveHint::default_of(hint, Provenance::Contradicted);
        }
        // What is said of a tool as read-only means nothing for one that is not.
        let moot = |says_read_only: bool| {
            !read_only && says_read_only && matches!(hint, Hint::Destructive | Hint::Idempotent)
        };
        let said = |hints: &Hints<Option<bool>>, provenance| {
            let value = (*hints.get(hint)).filter(|_| !moot(hints.read_only == Some(true)));
            value.map(|value| EffectiveHint { value, provenance })
        };
        said(case, Provenance::Case)
            .or_else(|| said(ruling, Provenance::Ruled))
            .or_else(|| {
                let claims = basis.claims.map(|_, claim| claim.boolean());
                said(&claims, Provenance::Claimed)
                    .map(|claimed| believed(hint, claimed, basis.trust))
            })
            .unwrap_or(EffectiveHint::default_of(hint, Provenance::Default))
    };
    let read_only = value(Hint::ReadOnly, false);
    Effective {
        hints: Hints::from_fn(|hint| match hint {
            Hint::ReadOnly => read_only,
            other => value(other, read_only.value),
        }),
    }
}

/// Whether evidence speaks against a promise. What was seen to remove something, or to change
/// something further at a repeat, is not read-only either.
fn contradicted(evidence: &Hints<Evidence>, hint: Hint) -> bool {
    let against = |hint: Hint| *evidence.get(hint) == Evidence::Contradicted;
    match hint {
        Hint::ReadOnly => {
            against(Hint::ReadOnly) || against(Hint::Destructive) || against(Hint::Idempotent)
        }
        other => against(other),
    }
}

/// A claim under the trust there is in who makes it.
fn believed(hint: Hint, claimed: EffectiveHint, trust: Trust) -> EffectiveHint {
    // Every default is the value of most risk: nothing claimed can raise above it.
    let raises = claimed.value == hint.default_value();
    match trust {
        Trust::Trusted => claimed,
        Trust::Untrusted if raises => claimed,
        Trust::Untrusted => EffectiveHint::default_of(hint, Provenance::Distrusted),
    }
}

/// Of each hint the value with more risk, where the hint means something.
fn riskier(one: &Effective, other: &Effective) -> Effective {
    let pick = |hint: Hint| {
        let (left, right) = (*one.hints.get(hint), *other.hints.get(hint));
        let meaningless = |effective: &Effective| {
            effective.read_only() && matches!(hint, Hint::Destructive | Hint::Idempotent)
        };
        match (meaningless(one), meaningless(other)) {
            (true, false) => right,
            (false, true) => left,
            _ if left.value == right.value => strongest(left, right),
            _ if left.value == hint.default_value() => left,
            _ => right,
        }
    };
    Effective {
        hints: Hints::from_fn(pick),
    }
}

/// Of two reasons for one value the one that is told, whichever comes first.
fn strongest(one: EffectiveHint, other: EffectiveHint) -> EffectiveHint {
    const ORDER: [Provenance; 6] = [
        Provenance::Contradicted,
        Provenance::Case,
        Provenance::Ruled,
        Provenance::Claimed,
        Provenance::Distrusted,
        Provenance::Default,
    ];
    let place = |hint: EffectiveHint| ORDER.iter().position(|known| *known == hint.provenance);
    if place(one) <= place(other) {
        one
    } else {
        other
    }
}

/// Whether what a case says stays within what the ruling says of the tool as a whole, both after
/// defaults: the conservative bounds of the extension `io.modelcontextprotocol/tool-resolution`
/// (draft of 2026-08-20). What a tool is not at its worst, no case of it is.
///
/// - A read-only tool is read-only in every case.
/// - A tool that changes things and destroys nothing destroys nothing in any case.
/// - A tool that can be repeated can be in every case.
/// - A tool of a closed world is of one in every case.
///
/// # Errors
/// The first hint by which the case goes beyond.
pub fn within_bounds(whole: &Hints<Option<bool>>, case: &Hints<Option<bool>>) -> Result<(), Hint> {
    let bound = whole.map(|hint, value| value.unwrap_or(hint.default_value()));
    let resolved = case.map(|hint, value| value.unwrap_or(*bound.get(hint)));
    let changes = !resolved.read_only;
    let beyond = |hint: Hint| match hint {
        Hint::ReadOnly => bound.read_only && changes,
        Hint::Destructive => {
            !bound.read_only && !bound.destructive && changes && resolved.destructive
        }
        Hint::Idempotent => bound.idempotent && changes && !resolved.idempotent,
        Hint::OpenWorld => !bound.open_world && resolved.open_world,
    };
    match Hint::ALL.into_iter().find(|hint| beyond(*hint)) {
        Some(hint) => Err(hint),
        None => Ok(()),
    }
}
