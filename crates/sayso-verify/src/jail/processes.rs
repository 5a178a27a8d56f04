//! The processes of this machine, from `/proc`.

use std::collections::BTreeMap;
use std::fs;

/// Everything that was started below a process, as far as it is still there.
pub(super) fn descendants(process: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (child, parent) in parents() {
        children.entry(parent).or_default().push(child);
    }
    let (mut found, mut open) = (Vec::new(), vec![process]);
    while let Some(next) = open.pop() {
        for child in children.remove(&next).into_iter().flatten() {
            found.push(child);
            open.push(child);
        }
    }
    found.sort_unstable();
    found
}

/// Each process with its parent. What ended and is not yet reaped is left out.
fn parents() -> impl Iterator<Item = (u32, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let status = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name stands in parentheses and may have any of these characters itself.
        let (_, behind) = status.rsplit_once(')')?;
        let mut fields = behind.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (state != "Z").then_some((process, parent))
    })
}

/// The process that a thread belongs to.
pub(super) fn of_thread(thread: u32) -> u32 {
    field(thread, "Tgid:").unwrap_or(thread)
}

/// A number from a process's `status`.
fn field(process: u32, name: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}

/// The name of the program a process runs, as the kernel has it: 15 bytes at most.
pub(super) fn name(process: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}
