//! Texts that have a name, across files.

use std::collections::BTreeMap;

use crate::facts::Facts;

/// The constants of every file.
pub(crate) struct Constants {
    files: Vec<BTreeMap<String, Option<String>>>,
    all: BTreeMap<String, Option<String>>,
}

impl Constants {
    pub(crate) fn of(facts: &[Facts]) -> Self {
        let mut all = BTreeMap::new();
        let files = facts.iter().map(|facts| {
            let mut own = BTreeMap::new();
            for (path, value) in &facts.constants {
                insert(&mut own, path, value);
                insert(&mut all, path, value);
            }
            own
        });
        Self {
            files: files.collect(),
            all,
        }
    }

    /// What a path stands for: in the file itself, or else in whichever file declares it, if all
    /// that do agree. The first part of a path may name the module that was imported.
    pub(crate) fn get(&self, file: usize, path: &str) -> Option<String> {
        let own = self.files.get(file).and_then(|own| own.get(path));
        let found = own.or_else(|| self.all.get(path)).or_else(|| {
            let (_, within) = path.split_once('.')?;
            self.all.get(within)
        });
        found.cloned().flatten()
    }
}

/// Two values under one path leave it without one.
fn insert(into: &mut BTreeMap<String, Option<String>>, path: &str, value: &str) {
    let value = Some(value.to_owned());
    match into.get_mut(path) {
        Some(known) if *known != value => *known = None,
        Some(_) => {}
        None => {
            into.insert(path.to_owned(), value);
        }
    }
}
