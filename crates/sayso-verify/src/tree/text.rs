//! What is lost of a text or of bytes.

use std::collections::BTreeMap;

use crate::change::Loss;

/// What of `before` is not in `after`: of text by lines, of bytes by what stands between a common
/// beginning and a common end.
pub(super) fn lost(before: &[u8], after: &[u8]) -> Loss {
    let front = before
        .iter()
        .zip(after)
        .take_while(|(one, other)| one == other)
        .count();
    let room = before.len().min(after.len()) - front;
    let ends = before.iter().rev().zip(after.iter().rev());
    let back = ends
        .take(room)
        .take_while(|(one, other)| one == other)
        .count();
    let middle = |bytes: &'_ [u8]| {
        bytes
            .get(front..bytes.len() - back)
            .unwrap_or_default()
            .to_vec()
    };
    let (gone, new) = (middle(before), middle(after));
    if gone.is_empty() {
        return Loss::Nothing;
    }
    if before.contains(&0) {
        return if new.is_empty() {
            Loss::Bytes(length(&gone))
        } else {
            Loss::Unknown
        };
    }
    // Lines may only have moved.
    let mut kept: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in after.split(|byte| *byte == b'\n') {
        *kept.entry(line).or_default() += 1;
    }
    let mut bytes = 0;
    for line in before.split(|byte| *byte == b'\n') {
        match kept.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => bytes += length(line),
        }
    }
    match bytes {
        0 => Loss::Nothing,
        // Of one long line only a part may have changed.
        bytes => Loss::Bytes(bytes.min(length(&gone)).max(1)),
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_gone_is_lost() {
        for (before, after, is) in [
            ("a\nb\n", "a\nb\nc\n", Loss::Nothing),
            ("a\nb\n", "a\nx\nb\n", Loss::Nothing),
            ("a\nb\n", "b\na\n", Loss::Nothing),
            ("a\nbcd\n", "a\n", Loss::Bytes(3)),
            ("a\nbcd\n", "", Loss::Bytes(4)),
            ("", "a", Loss::Nothing),
            ("{\"n\": 1}", "{\"n\": 2}", Loss::Bytes(1)),
            ("\0ab", "\0ab\0", Loss::Nothing),
            ("\0abc", "\0axc", Loss::Unknown),
        ] {
            assert_eq!(
                lost(before.as_bytes(), after.as_bytes()),
                is,
                "{before:?} {after:?}"
            );
        }
    }
}
