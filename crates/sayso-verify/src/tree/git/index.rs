//! The index: git writes it whenever it looks at files whose times have moved.

use std::path::Path;

use super::super::between::Moments;

/// Whether a change of the index changed only what git remembers of files' times: a refresh.
pub(in super::super) fn is_refreshed_index(moments: &Moments<'_>, path: &Path) -> bool {
    if super::below_git(path).is_none_or(|below| below != Path::new("index")) {
        return false;
    }
    let read = |look| entries(&moments.bytes(look, path)?);
    match (read(moments.before), read(moments.after)) {
        (Some(before), Some(after)) => before == after,
        _ => false,
    }
}

/// The entries of an index of version 2 or 3: mode, object, flags and name (gitformat-index). Times,
/// device, inode, owner and size are left out.
fn entries(index: &[u8]) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?))
    };
    if index.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let (mut found, mut at) = (Vec::new(), 12);
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        let extended = if flags & 0x4000 == 0 { 0 } else { 2 };
        let name = index.get(at + 62 + extended..)?;
        let length = name.iter().position(|byte| *byte == 0)?;
        let mut entry = index.get(at + 24..at + 28)?.to_vec();
        entry.extend(index.get(at + 40..at + 62)?);
        entry.extend(name.get(..length)?);
        found.push(entry);
        // Padded with zeros to a multiple of eight, one at least.
        at += (62 + extended + length) / 8 * 8 + 8;
    }
    Some(found)
}
