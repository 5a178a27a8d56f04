//! Splicing: what is changed is changed, and every other byte stays.

use proptest::prelude::*;
use sayso_core::json::{Document, Limits, Splice, Value};

fn read(text: &str) -> Document {
    Document::parse(text.to_owned(), &Limits::default()).expect("valid JSON")
}

fn spliced(text: &str, edit: impl for<'a> FnOnce(&mut Splice<'a>, Value<'a>)) -> String {
    let document = read(text);
    let mut splice = Splice::new(document.root());
    edit(&mut splice, document.root());
    let made = splice.finish();
    read(&made);
    made
}

#[test]
fn a_value_is_replaced_and_the_rest_stays() {
    let made = spliced(
        r#"{ "a" : 1.00,"b":[ 1e2 , {"c":null} ] }"#,
        |splice, root| {
            let b = root.get("b").unwrap();
            splice.replace(b.elements().next().unwrap(), "true");
            splice.replace(b.elements().nth(1).unwrap().get("c").unwrap(), "{}");
        },
    );
    assert_eq!(made, r#"{ "a" : 1.00,"b":[ true , {"c":{}} ] }"#);
}

#[test]
fn a_member_is_set_in_place_or_behind_the_last() {
    let made = spliced(r#"{"a": 1, "n": {}}"#, |splice, root| {
        splice.set(root, "a", "2").set(root, "b\"", "3");
        splice.set(root, "c", "4").set(root, "b\"", "5");
        splice.set(root.get("n").unwrap(), "d", "[]");
        splice.set(root.get("a").unwrap(), "no object", "0");
    });
    assert_eq!(made, r#"{"a": 2, "n": {"d":[]},"b\"":5,"c":4}"#);
}

#[test]
fn a_repeated_member_is_set_once() {
    let made = spliced(r#"{"a":1, "x":0, "\u0061":2, "a":3}"#, |splice, root| {
        splice.set(root, "a", "9");
    });
    assert_eq!(made, r#"{"a":9, "x":0}"#);
}

#[test]
fn members_and_elements_are_removed_with_their_commas() {
    let without = |keys: &[&str]| {
        spliced(r#"{ "a":1, "b":2 , "c":3 }"#, |splice, root| {
            for key in keys {
                splice.remove(root.get(key).unwrap());
            }
        })
    };
    assert_eq!(without(&["a"]), r#"{ "b":2 , "c":3 }"#);
    assert_eq!(without(&["b"]), r#"{ "a":1 , "c":3 }"#);
    assert_eq!(without(&["c"]), r#"{ "a":1, "b":2 }"#);
    assert_eq!(without(&["a", "b"]), r#"{ "c":3 }"#);
    assert_eq!(without(&["b", "c"]), r#"{ "a":1 }"#);
    assert_eq!(without(&["a", "c"]), r#"{ "b":2 }"#);
    assert_eq!(without(&["a", "b", "c"]), "{  }");
    let made = spliced("[1, [2], 3]", |splice, root| {
        let middle = root.elements().nth(1).unwrap();
        splice.replace(middle.elements().next().unwrap(), "9");
        splice.remove(root.elements().next().unwrap());
        splice.remove(middle);
        splice.remove(root);
    });
    assert_eq!(made, "[3]");
}

#[test]
fn the_last_member_goes_and_another_comes() {
    let made = spliced(r#"{"a":{"b":1}}"#, |splice, root| {
        splice.set(root.get("a").unwrap(), "lost", "1");
        splice.remove(root.get("a").unwrap());
        splice.set(root, "c", "2");
    });
    assert_eq!(made, r#"{"c":2}"#);
}

#[test]
fn a_removed_member_that_is_set_again_stays() {
    let made = spliced(r#"{"a":1,"b":2}"#, |splice, root| {
        splice.remove(root.get("a").unwrap()).set(root, "a", "3");
    });
    assert_eq!(made, r#"{"a":3,"b":2}"#);
}

#[test]
fn an_inner_value_is_its_own_text() {
    let document = read(r#" {"a": {"b": 1}, "c": 2} "#);
    let inner = document.root().get("a").unwrap();
    let mut splice = Splice::new(inner);
    assert_eq!(splice.finish(), r#"{"b": 1}"#);
    splice.replace(document.root().get("c").unwrap(), "9");
    splice.replace(document.root(), "9");
    assert!(splice.is_untouched());
    splice.set(inner, "d", "2");
    assert_eq!(splice.finish(), r#"{"b": 1,"d":2}"#);
    let part = Document::part(inner);
    let mut splice = Splice::new(part.root());
    splice.remove(part.root().get("b").unwrap());
    assert_eq!(splice.finish(), "{}");
}

/// What is done to the value that so many others stand before.
#[derive(Clone, Debug)]
enum Edit {
    Replace(usize, serde_json::Value),
    Remove(usize),
    Set(usize, String, serde_json::Value),
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "[a-c\"\\\\é\n]{0,3}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map("[a-e\"é]{1,2}", inner, 0..5).prop_map(|members| members
                .into_iter()
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..40_usize;
    prop_oneof![
        (at.clone(), json()).prop_map(|(at, raw)| Edit::Replace(at, raw)),
        at.clone().prop_map(Edit::Remove),
        (at, "[a-e\"é]{1,2}", json()).prop_map(|(at, key, raw)| Edit::Set(at, key, raw)),
    ]
}

/// The same changes, made on the tree: the value as it becomes, or nothing where it is removed.
fn expected(value: Value<'_>, edits: &[(u32, Edit)]) -> Option<serde_json::Value> {
    let mut own = None;
    for (at, edit) in edits {
        // Setting a key that is there changes the member.
        let Edit::Set(_, key, raw) = edit else {
            let changes_it = *at == value.index() && !(*at == 0 && matches!(edit, Edit::Remove(_)));
            if changes_it {
                own = Some(match edit {
                    Edit::Replace(_, raw) => Some(raw.clone()),
                    _ => None,
                });
            }
            continue;
        };
        let parent = value.parent();
        let is_it = parent.is_some_and(|parent| {
            parent.index() == *at && parent.get(key).map(Value::index) == Some(value.index())
        });
        if is_it {
            own = Some(Some(raw.clone()));
        }
    }
    if let Some(own) = own {
        return own;
    }
    if value.is_array() {
        let elements = value
            .elements()
            .filter_map(|element| expected(element, edits));
        return Some(elements.collect::<Vec<_>>().into());
    }
    if value.is_object() {
        let mut members: serde_json::Map<_, _> = value
            .members()
            .filter_map(|member| Some((member.key.into_owned(), expected(member.value, edits)?)))
            .collect();
        for (at, edit) in edits {
            if let Edit::Set(_, key, raw) = edit
                && *at == value.index()
                && value.get(key).is_none()
            {
                members.insert(key.clone(), raw.clone());
            }
        }
        return Some(members.into());
    }
    value.to_serde()
}

fn count(value: Value<'_>) -> u32 {
    let members = value.members().map(|member| count(member.value));
    1 + members.sum::<u32>() + value.elements().map(count).sum::<u32>()
}

proptest! {
    #[test]
    fn exactly_the_edits_are_in_the_result(
        tree in json(),
        pretty: bool,
        edits in prop::collection::vec(edit(), 0..6),
    ) {
        let text = if pretty {
            serde_json::to_string_pretty(&tree).unwrap()
        } else {
            tree.to_string()
        };
        let document = read(&text);
        let values = count(document.root()) as usize;
        let mut splice = Splice::new(document.root());
        let mut placed = Vec::new();
        for edit in edits {
            let (Edit::Replace(at, _) | Edit::Remove(at) | Edit::Set(at, ..)) = &edit;
            let index = u32::try_from(at % values).unwrap();
            let value = document.value(index).unwrap();
            match &edit {
                Edit::Replace(_, raw) => splice.replace(value, raw.to_string()),
                Edit::Remove(_) => splice.remove(value),
                Edit::Set(_, key, raw) => splice.set(value, key, raw.to_string()),
            };
            placed.push((index, edit));
        }
        let made = splice.finish();
        let read: serde_json::Value = serde_json::from_str(&made).expect("valid JSON");
        prop_assert_eq!(Some(read), expected(document.root(), &placed), "{} became {}", text, made);
    }

    #[test]
    fn the_untouched_keeps_its_bytes(tree in json(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&tree).unwrap() } else { tree.to_string() };
        let document = read(&text);
        prop_assert_eq!(Splice::new(document.root()).finish(), text);
    }

    #[test]
    fn bytes_around_a_replaced_value_stay(tree in json(), at in 0..40_usize) {
        let text = serde_json::to_string_pretty(&tree).unwrap();
        let document = read(&text);
        let index = u32::try_from(at % count(document.root()) as usize).unwrap();
        let value = document.value(index).unwrap();
        let span = value.span();
        let mut splice = Splice::new(document.root());
        splice.replace(value, "\"new\"");
        prop_assert_eq!(splice.finish(), format!("{}\"new\"{}", &text[..span.start], &text[span.end..]));
    }
}
