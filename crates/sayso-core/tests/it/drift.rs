//! Which way a hint moved.

use sayso_core::drift::{Direction, direction, tool_direction};
use sayso_core::hint::{Claim, Hint, Hints};

#[test]
fn absent_and_the_default_are_the_same() {
    for hint in Hint::ALL {
        let default = Claim::from_boolean(hint.default_value());
        for silent in [
            Claim::Absent,
            Claim::Null,
            Claim::Malformed,
            Claim::Duplicated,
        ] {
            assert_eq!(direction(hint, silent, default), Direction::Neutral);
            assert_eq!(direction(hint, default, silent), Direction::Neutral);
        }
    }
}

#[test]
fn away_from_the_default_relaxes_and_back_tightens() {
    for hint in Hint::ALL {
        let brave = Claim::from_boolean(!hint.default_value());
        assert_eq!(direction(hint, Claim::Absent, brave), Direction::Relaxing);
        assert_eq!(direction(hint, brave, Claim::Absent), Direction::Tightening);
        assert_eq!(direction(hint, brave, brave), Direction::Neutral);
    }
}

#[test]
fn a_tool_that_becomes_read_only_relaxes_whatever_else_it_says() {
    let before = Hints {
        destructive: Claim::False,
        idempotent: Claim::True,
        ..Hints::default()
    };
    let after = Hints {
        read_only: Claim::True,
        destructive: Claim::True,
        ..Hints::default()
    };
    assert_eq!(tool_direction(&before, &after), Direction::Relaxing);
    assert_eq!(tool_direction(&after, &before), Direction::Tightening);
}

#[test]
fn a_moot_hint_of_a_read_only_tool_moves_nothing() {
    let before = Hints {
        read_only: Claim::True,
        ..Hints::default()
    };
    let after = Hints {
        read_only: Claim::True,
        destructive: Claim::False,
        ..Hints::default()
    };
    assert_eq!(tool_direction(&before, &after), Direction::Neutral);
}
