//! The nearest known word to one that is not known.

/// The known word most like `word`, if one is like enough to be a slip of the finger.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|candidate| {
            (
                strsim::normalized_damerau_levenshtein(word, candidate),
                candidate,
            )
        })
        .filter(|(similarity, _)| *similarity >= 0.6)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}
