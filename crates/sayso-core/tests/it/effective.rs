//! What a client acts on, for all combinations of claims.

use sayso_core::effective::{Effective, Provenance};
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
