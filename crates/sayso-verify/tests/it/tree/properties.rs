//! What holds of any change.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use sayso_verify::change::{Loss, What};
use sayso_verify::tree::Names;

use super::Files;

/// Something done to one of a few files.
#[derive(Clone, Debug)]
enum Act {
    Write(u8, Vec<u8>),
    Append(u8, Vec<u8>),
    Remove(u8),
    Rename(u8, u8),
    Folder(u8),
}

fn act() -> impl Strategy<Value = Act> {
    let bytes = || prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), any::<u8>()], 0..40);
    prop_oneof![
        (0..6u8, bytes()).prop_map(|(file, bytes)| Act::Write(file, bytes)),
        (0..6u8, bytes()).prop_map(|(file, bytes)| Act::Append(file, bytes)),
        (0..6u8).prop_map(Act::Remove),
        (0..6u8, 0..6u8).prop_map(|(from, to)| Act::Rename(from, to)),
        (0..6u8).prop_map(Act::Folder),
    ]
}

fn name(file: u8) -> String {
    let end = ["txt", "json", "jsonl"][usize::from(file) % 3];
    format!("{file}.{end}")
}

/// An act that cannot be done is not done.
fn perform(files: &Files, act: &Act) {
    let _ = match act {
        Act::Write(file, bytes) => fs::write(files.at(&name(*file)), bytes),
        Act::Append(file, bytes) => fs::read(files.at(&name(*file))).and_then(|held| {
            let held = [held, bytes.clone()].concat();
            fs::write(files.at(&name(*file)), held)
        }),
        Act::Remove(file) => {
            let path = files.at(&name(*file));
            fs::remove_file(&path).or_else(|_| fs::remove_dir(&path))
        }
        Act::Rename(from, to) => fs::rename(files.at(&name(*from)), files.at(&name(*to))),
        Act::Folder(file) => fs::create_dir(files.at(&name(*file))),
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn adding_at_the_end_loses_nothing(
        before in prop::collection::vec(any::<u8>(), 0..200),
        more in prop::collection::vec(any::<u8>(), 1..200),
        file in 0..6u8,
    ) {
        let mut files = Files::new();
        fs::write(files.at(&name(file)), &before).unwrap();
        let changes = files.changes(|files| perform(files, &Act::Append(file, more)));
        prop_assert_eq!(changes.len(), 1);
        prop_assert_eq!(&changes[0].what, &What::Changed);
        prop_assert_eq!(&changes[0].lost, &Loss::Nothing);
    }

    #[test]
    fn records_in_another_order_are_all_there(
        (before, after) in prop::collection::vec(0..9u8, 2..20)
            .prop_flat_map(|numbers| (Just(numbers.clone()), Just(numbers).prop_shuffle())),
    ) {
        let text = |numbers: &[u8]| -> String {
            numbers.iter().map(|number| format!("{{\"n\": [{number}], \"of\": \"x\"}}\n")).collect()
        };
        let mut files = Files::new();
        files.write("r.jsonl", &text(&before));
        let changes = files.changes(|files| files.write("r.jsonl", &text(&after)));
        prop_assert!(changes.iter().all(|change| !change.lost.is_loss()), "{changes:?}");
    }

    #[test]
    fn no_more_is_lost_than_there_was(
        first in prop::collection::vec(act(), 0..12),
        then in prop::collection::vec(act(), 0..12),
    ) {
        let mut files = Files::new();
        first.iter().for_each(|act| perform(&files, act));
        let held: u64 = (0..6)
            .filter_map(|file| fs::metadata(files.at(&name(file))).ok())
            .filter(fs::Metadata::is_file)
            .map(|status| status.len())
            .sum();
        let before = files.tree.look(&BTreeSet::new()).unwrap();
        then.iter().for_each(|act| perform(&files, act));
        let after = files.tree.look(&BTreeSet::new()).unwrap();
        let names = Names::default();
        let changes = files.tree.between(&before, &after, &names);
        let lost: u64 = changes
            .iter()
            .map(|change| match &change.lost {
                Loss::Bytes(count) => *count,
                Loss::Items { count, .. } => *count,
                Loss::Nothing | Loss::Recoverable(_) | Loss::Unknown => 0,
            })
            .sum();
        prop_assert!(lost <= held, "{lost} of {held}: {changes:?}");
        prop_assert!(changes.is_sorted_by(|one, other| one.path <= other.path));
        prop_assert_eq!(&files.tree.between(&before, &after, &names), &changes);
        prop_assert_eq!(files.tree.between(&after, &after, &names), []);
    }
}
