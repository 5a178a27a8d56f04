//! What a client acts on, for all combinations of claims.

use proptest::prelude::*;
use sayso_core::drift::Promises;
use sayso_core::effective::{
    Basis, Cases, Effective, Evidence, Provenance, Trust, decide, within_bounds,
};
use sayso_core::hint::{Claim, Hint, Hints};

fn all_states() -> impl Iterator<Item = Hints<Claim>> {
    (0..6usize.pow(4)).map(|index| {
        let mut place = 0;
        Hints::from_fn(|_| {
            place += 1;
            Claim::ALL[index / 6usize.pow(place - 1) % 6]
        })
    })
}

#[test]
fn only_real_booleans_lower_anything() {
    for states in all_states() {
        let effective = Effective::from_claims(&states);
        for (hint, state) in states.iter() {
            let got = effective.hints.get(hint);
            match state {
                Claim::True | Claim::False => {
                    assert_eq!(Some(got.value), state.boolean());
                    assert_eq!(got.provenance, Provenance::Claimed);
                }
                _ => {
                    assert_eq!(got.value, hint.default_value());
                    assert_eq!(got.provenance, Provenance::Default);
                }
            }
        }
    }
}

#[test]
fn read_only_settles_destruction_and_repeats_but_not_reach() {
    for states in all_states() {
        let effective = Effective::from_claims(&states);
        if states.read_only == Claim::True {
            assert!(
                !effective.may_destroy() && effective.repeatable() && !effective.must_confirm()
            );
        } else {
            assert_eq!(effective.may_destroy(), states.destructive != Claim::False);
            assert_eq!(effective.repeatable(), states.idempotent == Claim::True);
        }
        assert_eq!(effective.open_world(), states.open_world != Claim::False);
    }
}

#[test]
fn a_silent_tool_gets_the_worst_of_all_four() {
    let effective = Effective::from_claims(&Hints::default());
    assert_eq!(
        Hint::ALL.map(|hint| effective.hints.get(hint).value),
        [false, true, false, true]
    );
    assert!(effective.must_confirm());
}

fn booleans() -> impl Strategy<Value = Hints<Option<bool>>> {
    prop::array::uniform4(any::<Option<bool>>()).prop_map(|[a, b, c, d]| Hints {
        read_only: a,
        destructive: b,
        idempotent: c,
        open_world: d,
    })
}

fn evidence() -> impl Strategy<Value = Hints<Evidence>> {
    let one = prop_oneof![
        3 => Just(Evidence::Untested),
        1 => Just(Evidence::Consistent(7)),
        1 => Just(Evidence::Contradicted),
    ];
    prop::array::uniform4(one).prop_map(|[a, b, c, d]| Hints {
        read_only: a,
        destructive: b,
        idempotent: c,
        open_world: d,
    })
}

fn claims() -> impl Strategy<Value = Hints<Claim>> {
    prop::array::uniform4(prop::sample::select(Claim::ALL.to_vec())).prop_map(|[a, b, c, d]| {
        Hints {
            read_only: a,
            destructive: b,
            idempotent: c,
            open_world: d,
        }
    })
}

/// Whether the first promises nothing that the second does not.
fn no_more_promises(one: &Effective, other: &Effective) -> bool {
    let (one, other) = (Promises::of(one), Promises::of(other));
    Hint::ALL
        .iter()
        .all(|hint| !one.get(*hint) || other.get(*hint))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn less_trust_never_lowers_a_risk(
        claims in claims(), ruling in prop::option::of(booleans()),
        cases in prop::collection::vec(booleans(), 0..3), evidence in evidence(),
    ) {
        let basis = Basis { claims, trust: Trust::Trusted, ruling, cases: &cases, evidence };
        let trusted = decide(&basis);
        let untrusted = decide(&Basis { trust: Trust::Untrusted, ..basis });
        prop_assert!(no_more_promises(&untrusted.effective, &trusted.effective));
        prop_assert_eq!(trusted.cases, untrusted.cases);
    }

    #[test]
    fn nothing_promises_what_evidence_contradicts(
        claims in claims(), ruling in prop::option::of(booleans()),
        cases in prop::collection::vec(booleans(), 0..3), evidence in evidence(),
    ) {
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let basis = Basis { claims, trust, ruling, cases: &cases, evidence };
            let effective = decide(&basis).effective;
            for (hint, evidence) in evidence.iter() {
                if *evidence == Evidence::Contradicted {
                    prop_assert!(!Promises::of(&effective).get(hint));
                    prop_assert_eq!(effective.hints.get(hint).provenance, Provenance::Contradicted);
                }
            }
            // Evidence only raises.
            let without = decide(&Basis { evidence: Hints::default(), ..basis }).effective;
            prop_assert!(no_more_promises(&effective, &without));
        }
    }

    #[test]
    fn without_ruling_or_evidence_a_trusted_server_gets_what_it_claims(claims in claims()) {
        let decided = decide(&Basis { claims, trust: Trust::Trusted, ..Basis::default() });
        let given = Effective::from_claims(&claims);
        prop_assert_eq!(Promises::of(&decided.effective), Promises::of(&given));
        let untrusted = decide(&Basis { claims, ..Basis::default() });
        let silent = Effective::from_claims(&Hints::default());
        prop_assert_eq!(Promises::of(&untrusted.effective), Promises::of(&silent));
    }

    #[test]
    fn a_full_ruling_holds_whatever_is_claimed(claims in claims(), values in prop::array::uniform4(any::<bool>())) {
        let [read_only, destructive, idempotent, open_world] = values.map(Some);
        let ruling = Hints { read_only, destructive, idempotent, open_world };
        for trust in [Trust::Trusted, Trust::Untrusted] {
            let basis = Basis { claims, trust, ruling: Some(ruling), ..Basis::default() };
            let effective = decide(&basis).effective;
            prop_assert_eq!(effective.hints.map(|_, hint| Some(hint.value)), ruling);
        }
    }

    #[test]
    fn the_order_of_cases_does_not_matter(
        claims in claims(), ruling in booleans(), evidence in evidence(),
        cases in prop::collection::vec(booleans(), 0..4),
    ) {
        let basis = Basis { claims, trust: Trust::Trusted, ruling: Some(ruling), cases: &cases, evidence };
        let mut turned = cases.clone();
        turned.reverse();
        let turned = decide(&Basis { cases: &turned, ..basis });
        prop_assert_eq!(decide(&basis), turned);
        // One more case that matches never lowers a risk.
        if let [fewer @ .., _] = cases.as_slice() && !fewer.is_empty() {
            let (all, fewer) = (decide(&basis), decide(&Basis { cases: fewer, ..basis }));
            if all.cases == Cases::Applied {
                prop_assert!(no_more_promises(&all.effective, &fewer.effective));
            }
        }
    }

    #[test]
    fn no_case_goes_beyond_the_ruling(ruling in booleans(), case in booleans()) {
        let basis = Basis { ruling: Some(ruling), ..Basis::default() };
        let tool = decide(&basis);
        let cases = [case];
        let call = decide(&Basis { cases: &cases, ..basis });
        let (whole, resolved) = (&tool.effective, &call.effective);
        prop_assert!(!whole.read_only() || resolved.read_only());
        prop_assert!(whole.read_only() || whole.may_destroy() || !resolved.may_destroy());
        prop_assert!(!whole.hints.idempotent.value || resolved.repeatable());
        prop_assert!(whole.open_world() || !resolved.open_world());
        match within_bounds(&ruling, &case) {
            Ok(()) => prop_assert_eq!(call.cases, Cases::Applied),
            Err(hint) => {
                prop_assert_eq!(call.cases, Cases::OutOfBounds(hint));
                prop_assert_eq!(resolved, whole);
            }
        }
    }
}

fn said(
    read_only: Option<bool>,
    destructive: Option<bool>,
    idempotent: Option<bool>,
) -> Hints<Option<bool>> {
    Hints {
        read_only,
        destructive,
        idempotent,
        open_world: None,
    }
}

#[test]
fn what_was_said_of_a_read_only_tool_means_nothing_once_it_writes() {
    let basis = Basis {
        claims: Hints {
            read_only: Claim::True,
            destructive: Claim::False,
            idempotent: Claim::True,
            open_world: Claim::False,
        },
        trust: Trust::Trusted,
        ruling: Some(said(Some(true), Some(false), Some(true))),
        evidence: Hints {
            read_only: Evidence::Contradicted,
            ..Hints::default()
        },
        ..Basis::default()
    };
    let effective = decide(&basis).effective;
    assert!(effective.may_destroy() && !effective.repeatable());
    assert!(!effective.open_world());
    let provenance = effective.hints.map(|_, hint| hint.provenance);
    assert_eq!(provenance.read_only, Provenance::Contradicted);
    assert_eq!(provenance.destructive, Provenance::Default);
    assert_eq!(provenance.open_world, Provenance::Claimed);
}

#[test]
fn a_ruling_lowers_where_a_claim_may_not() {
    let claims = Hints {
        read_only: Claim::True,
        ..Hints::default()
    };
    let silent = decide(&Basis {
        claims,
        ..Basis::default()
    })
    .effective;
    assert_eq!(silent.hints.read_only.provenance, Provenance::Distrusted);
    assert!(silent.must_confirm());
    let ruling = Some(said(Some(true), None, None));
    let ruled = decide(&Basis {
        claims,
        ruling,
        ..Basis::default()
    })
    .effective;
    assert_eq!(ruled.hints.read_only.provenance, Provenance::Ruled);
    assert!(!ruled.must_confirm());
}

#[test]
fn the_case_that_matches_decides_and_of_several_the_worst() {
    let basis = Basis {
        ruling: Some(said(Some(false), Some(true), None)),
        ..Basis::default()
    };
    let (list, edit) = (
        said(Some(true), None, None),
        said(None, Some(false), Some(true)),
    );
    let one = |cases: &[Hints<Option<bool>>]| {
        let decided = decide(&Basis { cases, ..basis });
        assert_eq!(decided.cases, Cases::Applied);
        decided.effective
    };
    assert!(one(&[list]).read_only());
    assert!(!one(&[edit]).must_confirm());
    let both = one(&[list, edit]);
    assert!(!both.read_only() && !both.may_destroy() && both.repeatable());
    assert_eq!(both.hints.destructive.provenance, Provenance::Case);
}
