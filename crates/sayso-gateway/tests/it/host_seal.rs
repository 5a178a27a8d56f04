//! A `requestState` opens for the request it was made for, unchanged and in time, and never else.

use proptest::prelude::*;
use sayso_core::json::{Document, Limits};
use sayso_gateway::host::{Bound, OpenError, Seal, Sealed};

fn bound(caller: &str, method: &str, params: &str) -> Bound {
    let params = Document::parse(params.to_owned(), &Limits::default()).unwrap();
    Bound::of(caller, method, Some(params.root()))
}

fn params(name: &str, value: i64) -> String {
    format!(r#"{{"name":"{name}","arguments":{{"value":{value}}}}}"#)
}

fn sealed() -> impl Strategy<Value = Sealed> {
    prop_oneof![
        (".*", any::<Option<u128>>()).prop_map(|(state, note)| Sealed::Server { state, note }),
        any::<u128>().prop_map(|note| Sealed::Note { note }),
        any::<u128>().prop_map(|slot| Sealed::Parked { slot }),
    ]
}

proptest! {
    #[test]
    fn it_opens_for_its_own_request(sealed in sealed(), value: i64, now in 0..i64::MAX / 2) {
        let seal = Seal::new(&[1; 32]);
        let bound = bound("me", "tools/call", &params("read", value));
        let state = seal.seal(&sealed, &bound, now + 1).unwrap();
        prop_assert_eq!(seal.open(&state, &bound, now), Ok(sealed));
    }

    #[test]
    fn it_opens_for_nothing_else(
        sealed in sealed(),
        callers in ("[a-z]{1,3}", "[a-z]{1,3}"),
        names in ("[a-z]{1,3}", "[a-z]{1,3}"),
        values in (0..3_i64, 0..3_i64),
    ) {
        let seal = Seal::new(&[1; 32]);
        let one = bound(&callers.0, "tools/call", &params(&names.0, values.0));
        let other = bound(&callers.1, "tools/call", &params(&names.1, values.1));
        let state = seal.seal(&sealed, &one, 10).unwrap();
        let opened = seal.open(&state, &other, 0);
        if one == other {
            prop_assert_eq!(opened, Ok(sealed));
        } else {
            prop_assert_eq!(opened, Err(OpenError::Foreign));
        }
    }

    #[test]
    fn a_changed_character_spoils_it(sealed in sealed(), at: prop::sample::Index, with in "[A-Za-z0-9_-]") {
        let seal = Seal::new(&[1; 32]);
        let bound = bound("me", "tools/call", &params("read", 1));
        let state = seal.seal(&sealed, &bound, 10).unwrap();
        let at = at.index(state.len());
        let mut changed = state.clone();
        changed.replace_range(at..=at, &with);
        prop_assume!(changed != state);
        prop_assert_eq!(seal.open(&changed, &bound, 0), Err(OpenError::Foreign));
    }

    #[test]
    fn anything_else_does_not_open(state in ".*") {
        let bound = bound("me", "tools/call", &params("read", 1));
        let opened = Seal::new(&[1; 32]).open(&state, &bound, 0);
        prop_assert_eq!(opened, Err(OpenError::Foreign));
    }

    #[test]
    fn it_expires(life in 0..1000_i64, late in 0..1000_i64) {
        let seal = Seal::new(&[1; 32]);
        let bound = bound("me", "tools/call", &params("read", 1));
        let state = seal.seal(&Sealed::Parked { slot: 1 }, &bound, life).unwrap();
        prop_assert_eq!(seal.open(&state, &bound, life + late), Err(OpenError::Expired));
    }
}

#[test]
fn another_gate_does_not_open_it() {
    let bound = bound("me", "tools/call", &params("read", 1));
    let state = Seal::new(&[1; 32])
        .seal(&Sealed::Parked { slot: 1 }, &bound, 10)
        .unwrap();
    let opened = Seal::new(&[2; 32]).open(&state, &bound, 0);
    assert_eq!(opened, Err(OpenError::Foreign));
}

#[test]
fn the_answers_and_meta_are_not_part_of_the_request() {
    let first = bound("me", "tools/call", r#"{"name":"read","arguments":{"a":1}}"#);
    let second = bound(
        "me",
        "tools/call",
        r#"{"arguments":{"a":1.0},"requestState":"x","_meta":{"x":1},"inputResponses":{},"name":"read"}"#,
    );
    assert_eq!(first, second);
    let other_method = bound(
        "me",
        "prompts/get",
        r#"{"name":"read","arguments":{"a":1}}"#,
    );
    assert_ne!(first, other_method);
    let more = bound(
        "me",
        "tools/call",
        r#"{"name":"read","arguments":{"a":1},"task":{}}"#,
    );
    assert_ne!(first, more);
}

#[test]
fn a_state_shows_nothing_of_what_is_in_it() {
    let sealed = Sealed::Server {
        state: "what only the server knows".to_owned(),
        note: None,
    };
    let bound = bound("me", "tools/call", &params("read", 1));
    let seal = Seal::new(&[1; 32]);
    let one = seal.seal(&sealed, &bound, 10).unwrap();
    let other = seal.seal(&sealed, &bound, 10).unwrap();
    assert_ne!(one, other);
    assert!(!one.contains("server"));
}
