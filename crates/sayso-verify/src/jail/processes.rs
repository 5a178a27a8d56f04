//! The processes of this machine, from `/proc`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::process::{Pid, PidfdFlags, Signal};

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

/// Processes by descriptors, which stay theirs.
pub(super) fn held(processes: &[u32]) -> Vec<OwnedFd> {
    let open = |process: &u32| {
        let process = Pid::from_raw(i32::try_from(*process).ok()?)?;
        rustix::process::pidfd_open(process, PidfdFlags::empty()).ok()
    };
    processes.iter().filter_map(open).collect()
}

/// Ends processes, and waits until they are gone, as long as is said for all of them.
pub(super) fn end(processes: &[OwnedFd], patience: Duration) {
    for process in processes {
        // It may be gone.
        let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
    }
    let until = Instant::now() + patience;
    for process in processes {
        let rest = until.saturating_duration_since(Instant::now());
        let rest = PollTimeout::try_from(rest).unwrap_or(PollTimeout::ZERO);
        let _ = poll(&mut [PollFd::new(process.as_fd(), PollFlags::POLLIN)], rest);
    }
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

/// A thread of which something was asked before.
#[derive(Debug)]
struct Known {
    /// Its process.
    process: u32,
    /// Its own name. The file can be read for as long as there is this thread, and not when another has
    /// its number.
    own: File,
    /// The name of its process.
    name: File,
}

/// Threads of which something was asked before. To look up whose they are costs more than all the rest of
/// an event, and programs make most of their calls from the same few threads.
#[derive(Debug, Default)]
pub(super) struct Threads(Mutex<BTreeMap<u32, Known>>);

/// How many threads are kept, with two files each.
const MOST: usize = 64;

impl Threads {
    /// The process that a thread belongs to, and the name of the program it runs, as the kernel has it: 15
    /// bytes at most.
    pub(super) fn process(&self, thread: u32) -> (u32, String) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = known.get(&thread)
            && read_name(&one.own).is_some()
            && let Some(name) = read_name(&one.name)
        {
            return (one.process, name);
        }
        let process = of_thread(thread);
        let open = |process: u32| File::open(format!("/proc/{process}/comm"));
        let (Ok(own), Ok(of_process)) = (open(thread), open(process)) else {
            return (process, String::new());
        };
        let name = read_name(&of_process).unwrap_or_default();
        if known.len() >= MOST {
            known.clear();
        }
        let one = Known {
            process,
            own,
            name: of_process,
        };
        known.insert(thread, one);
        (process, name)
    }
}

/// The name in a process's `comm`; none when the process is gone.
fn read_name(comm: &File) -> Option<String> {
    let mut name = [0; 64];
    let length = comm.read_at(&mut name, 0).ok()?;
    let name = name.get(..length)?.trim_ascii_end();
    Some(String::from_utf8_lossy(name).into_owned())
}

/// A number from a process's `status`.
fn field(process: u32, name: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}
