//! What tools and prompts of the servers are called here.

use std::collections::BTreeMap;

use sayso_core::digest::Digest;

/// Hexadecimal digits that stand for what was cut off a name.
const SUFFIX_DIGITS: usize = 8;

/// The name of something of a server, as hosts see it: `prefix_name`, and no longer than `max`
/// characters. A longer one is cut, and ends in `_` and eight digits of the SHA-256 of the whole, so that
/// it is the same every time and names that begin alike stay apart.
#[must_use]
pub fn served(prefix: Option<&str>, name: &str, max: usize) -> String {
    let whole = match prefix {
        None | Some("") => name.to_owned(),
        Some(prefix) => format!("{prefix}_{name}"),
    };
    if whole.chars().count() <= max {
        return whole;
    }
    let digest = Digest::of_text(&whole);
    let digits = digest
        .bytes()
        .iter()
        .take(SUFFIX_DIGITS / 2)
        .map(|byte| format!("{byte:02x}"));
    let kept = max.saturating_sub(SUFFIX_DIGITS + 1);
    let mut short: String = whole.chars().take(kept).collect();
    short.push('_');
    short.extend(digits);
    short
}

/// Two things that would be called the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{first_name}` of server `{first_server}` and `{second_name}` of server `{second_server}` \
     would both be called `{served}`\nhint: give one of the servers another `prefix`"
)]
pub struct Collision {
    /// The name.
    pub served: String,
    /// The server of the one.
    pub first_server: String,
    /// Its name there.
    pub first_name: String,
    /// The server of the other.
    pub second_server: String,
    /// Its name there.
    pub second_name: String,
}

/// Who answers to which name: server and name there, by the name here.
///
/// # Errors
/// Every collision.
pub fn assign<'a>(
    all: impl IntoIterator<Item = (String, &'a str, &'a str)>,
) -> Result<BTreeMap<String, (&'a str, &'a str)>, Vec<Collision>> {
    let mut assigned: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    let mut collisions = Vec::new();
    for (served, server, name) in all {
        match assigned.get(&served) {
            // A server that lists a name twice has one thing of that name.
            Some(first) if *first == (server, name) => {}
            Some((first_server, first_name)) => collisions.push(Collision {
                first_server: (*first_server).to_owned(),
                first_name: (*first_name).to_owned(),
                second_server: server.to_owned(),
                second_name: name.to_owned(),
                served,
            }),
            None => {
                assigned.insert(served, (server, name));
            }
        }
    }
    if collisions.is_empty() {
        Ok(assigned)
    } else {
        Err(collisions)
    }
}

#[cfg(test)]
mod tests {
    use super::{assign, served};

    #[test]
    fn short_names_are_whole() {
        assert_eq!(served(None, "read", 64), "read");
        assert_eq!(served(Some(""), "read", 64), "read");
        assert_eq!(served(Some("files"), "read", 64), "files_read");
    }

    #[test]
    fn long_names_keep_their_beginning_and_stay_apart() {
        let one = served(Some("files"), &format!("{}1", "x".repeat(80)), 64);
        let two = served(Some("files"), &format!("{}2", "x".repeat(80)), 64);
        assert_eq!(one.len(), 64);
        assert!(one.starts_with("files_xxx"));
        assert_ne!(one, two);
        assert_eq!(
            one,
            served(Some("files"), &format!("{}1", "x".repeat(80)), 64)
        );
    }

    #[test]
    fn a_name_of_many_bytes_is_cut_between_characters() {
        let name = served(None, &"é".repeat(80), 64);
        assert_eq!(name.chars().count(), 64);
    }

    #[test]
    fn one_name_for_two_things_is_refused() {
        let all = [
            ("a_b_c".to_owned(), "a", "b_c"),
            ("a_b_c".to_owned(), "a_b", "c"),
            ("a_b_d".to_owned(), "a_b", "d"),
        ];
        let collisions = assign(all).unwrap_err();
        insta::assert_snapshot!(collisions[0], @"
        `b_c` of server `a` and `c` of server `a_b` would both be called `a_b_c`
        hint: give one of the servers another `prefix`
        ");
    }
}
