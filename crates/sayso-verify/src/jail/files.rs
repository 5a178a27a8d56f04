//! Which files a system call that waits is about, and whether the plan lets them be changed.

use std::path::{Path, PathBuf};

use libc::c_long;

use super::kernel::Waiting;
use super::tracee::Tracee;
use crate::event::{Act, ChangeKind};
use crate::plan::{Mode as JailMode, Plan};

const AT_FDCWD: i64 = libc::AT_FDCWD as i64;

/// Where a call has what it is about.
#[derive(Clone, Copy)]
enum Named {
    /// By a name in this argument.
    By(usize),
    /// By a folder in this argument and a name in the next; an empty name means the folder's descriptor.
    Below(usize),
    /// By a descriptor in the first argument.
    Open,
    /// By two names, in these arguments.
    Two(usize, usize),
    /// By two folders and names, beginning at these arguments.
    TwoBelow(usize, usize),
}

use ChangeKind::{
    Allocate, Attribute, Link, MakeFolder, MakeNode, Mode, Owner, Remove, Rename, Symlink, Times,
    Truncate,
};
use Named::{Below, By, Open, Two, TwoBelow};

/// The calls that change a file, what they do, and whether the last link of the name is followed.
const CALLS: &[(c_long, ChangeKind, Named, bool)] = &[
    (libc::SYS_unlinkat, Remove, Below(0), false),
    (libc::SYS_renameat, Rename, TwoBelow(0, 2), false),
    (libc::SYS_renameat2, Rename, TwoBelow(0, 2), false),
    (libc::SYS_linkat, Link, TwoBelow(0, 2), false),
    (libc::SYS_symlinkat, Symlink, Below(1), false),
    (libc::SYS_mkdirat, MakeFolder, Below(0), false),
    (libc::SYS_mknodat, MakeNode, Below(0), false),
    (libc::SYS_truncate, Truncate, By(0), true),
    (libc::SYS_ftruncate, Truncate, Open, true),
    (libc::SYS_fallocate, Allocate, Open, true),
    (libc::SYS_fchmod, Mode, Open, true),
    (libc::SYS_fchmodat, Mode, Below(0), true),
    (452, Mode, Below(0), true),
    (libc::SYS_fchown, Owner, Open, true),
    (libc::SYS_fchownat, Owner, Below(0), true),
    (libc::SYS_utimensat, Times, Below(0), true),
    (libc::SYS_setxattr, Attribute, By(0), true),
    (libc::SYS_lsetxattr, Attribute, By(0), false),
    (libc::SYS_fsetxattr, Attribute, Open, true),
    (463, Attribute, Below(0), true),
    (libc::SYS_removexattr, Attribute, By(0), true),
    (libc::SYS_lremovexattr, Attribute, By(0), false),
    (libc::SYS_fremovexattr, Attribute, Open, true),
    (466, Attribute, Below(0), true),
];

#[cfg(target_arch = "x86_64")]
const OLD_CALLS: &[(c_long, ChangeKind, Named, bool)] = &[
    (libc::SYS_unlink, Remove, By(0), false),
    (libc::SYS_rmdir, Remove, By(0), false),
    (libc::SYS_rename, Rename, Two(0, 1), false),
    (libc::SYS_link, Link, Two(0, 1), false),
    (libc::SYS_symlink, Symlink, By(1), false),
    (libc::SYS_mkdir, MakeFolder, By(0), false),
    (libc::SYS_mknod, MakeNode, By(0), false),
    (libc::SYS_chmod, Mode, By(0), true),
    (libc::SYS_chown, Owner, By(0), true),
    (libc::SYS_lchown, Owner, By(0), false),
    (libc::SYS_utime, Times, By(0), true),
    (libc::SYS_utimes, Times, By(0), true),
    (libc::SYS_futimesat, Times, Below(0), true),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: &[(c_long, ChangeKind, Named, bool)] = &[];

/// What a call is about.
pub(super) enum About {
    /// Files, and what is tried with them.
    Files(Act),
    /// A file that is only read, or none that lasts: a pipe, memory.
    Nothing,
    /// A name that cannot be read.
    Unreadable,
    /// Not files.
    Else,
}

/// Reads a call.
pub(super) fn about(waiting: &Waiting, tracee: Tracee) -> About {
    if let Some(opened) = opening(waiting, tracee) {
        return opened;
    }
    let mut calls = CALLS.iter().chain(OLD_CALLS);
    let Some((_, kind, named, follow)) = calls.find(|(call, ..)| *call == waiting.call) else {
        return About::Else;
    };
    let names = Names {
        waiting,
        tracee,
        follow: *follow && !meant_itself(waiting),
    };
    let found = match *named {
        By(place) => names.by(AT_FDCWD, place).map(|path| (path, None)),
        Below(place) => names.below(place).map(|path| (path, None)),
        Open => names.open(0).map(|path| (path, None)),
        Two(from, to) => names
            .by(AT_FDCWD, from)
            .zip(names.by(AT_FDCWD, to).map(Some)),
        TwoBelow(from, to) => names.below(from).zip(names.below(to).map(Some)),
    };
    let Some(((path, is_there), to)) = found else {
        return About::Unreadable;
    };
    // It fails by itself: what is to be made is there, or what is to be changed is not.
    let makes = matches!(kind, MakeFolder | MakeNode | Symlink);
    // What is linked may have had no name.
    let fails = if matches!(kind, Link) {
        to.as_ref().is_some_and(|to| to.1)
    } else {
        is_there == makes
    };
    if fails || !path.is_absolute() {
        return About::Nothing;
    }
    let to = to.map(|(to, _)| to);
    About::Files(Act::Change {
        kind: *kind,
        path,
        to,
    })
}

/// Whether the flags of a call say that a link at the end of the name is meant itself.
fn meant_itself(waiting: &Waiting) -> bool {
    let place = match waiting.call {
        463 | 466 => 2, // setxattrat, removexattrat
        452 | libc::SYS_utimensat => 3,
        libc::SYS_fchownat => 4,
        _ => return false,
    };
    let flags = waiting.arguments.get(place).copied().unwrap_or_default();
    flags & u64::from(libc::AT_SYMLINK_NOFOLLOW.unsigned_abs()) != 0
}

struct Names<'a> {
    waiting: &'a Waiting,
    tracee: Tracee,
    follow: bool,
}

/// A file's path, and whether it is there.
type Found = (PathBuf, bool);

impl Names<'_> {
    fn argument(&self, place: usize) -> u64 {
        self.waiting
            .arguments
            .get(place)
            .copied()
            .unwrap_or_default()
    }

    fn by(&self, folder: i64, place: usize) -> Option<Found> {
        let name = self.tracee.text(self.argument(place))?;
        Some(self.tracee.file(folder, Path::new(&name), self.follow))
    }

    fn below(&self, place: usize) -> Option<Found> {
        let folder = self.argument(place);
        // `utimensat(2)` without a name means the descriptor.
        if self.argument(place + 1) == 0 {
            return self.open(place);
        }
        match self.tracee.text(self.argument(place + 1)) {
            Some(name) if name.is_empty() => self.open(place),
            Some(name) => Some(
                self.tracee
                    .file(descriptor(folder), Path::new(&name), self.follow),
            ),
            None => None,
        }
    }

    /// The file of a descriptor. What has no name any more, or never had one, is no file.
    fn open(&self, place: usize) -> Option<Found> {
        let number = u64::from(self.argument(place) as u32);
        let nothing = (PathBuf::new(), true);
        if self.tracee.is_nameless(number) {
            return Some(nothing);
        }
        Some(
            self.tracee
                .open_file(number)
                .map_or(nothing, |path| (path, true)),
        )
    }
}

/// A descriptor as it stands in a register: the upper half means nothing.
fn descriptor(argument: u64) -> i64 {
    i64::from(argument as u32 as i32)
}

/// Opening a file for more than reading it.
fn opening(waiting: &Waiting, tracee: Tracee) -> Option<About> {
    let [first, second, third, ..] = waiting.arguments;
    let (folder, name, flags) = match waiting.call {
        libc::SYS_openat => (descriptor(first), second, third),
        libc::SYS_openat2 => (
            descriptor(first),
            second,
            tracee.number(third).unwrap_or_default(),
        ),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => (AT_FDCWD, first, second),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => {
            let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;
            (AT_FDCWD, first, u64::from(flags.unsigned_abs()))
        }
        _ => return None,
    };
    let has = |flag: i32| flags & u64::from(flag.unsigned_abs()) != 0;
    let writes = has(libc::O_WRONLY) || has(libc::O_RDWR);
    if !writes && !has(libc::O_CREAT) && !has(libc::O_TRUNC) {
        return Some(About::Nothing);
    }
    let Some(name) = tracee.text(name) else {
        return Some(About::Unreadable);
    };
    let (path, existed) = tracee.file(folder, Path::new(&name), !has(libc::O_NOFOLLOW));
    let makes = has(libc::O_CREAT);
    let is_unnamed = flags & u64::from(libc::O_TMPFILE.unsigned_abs())
        == u64::from(libc::O_TMPFILE.unsigned_abs());
    // It is read, or it fails by itself. What is of other processes is told all the same: here they are not
    // to be seen.
    let is_harmless = if existed {
        !writes && !has(libc::O_TRUNC)
    } else {
        !makes && !is_unnamed
    };
    if is_harmless && !is_unnamed && !path.starts_with("/proc") {
        return Some(About::Nothing);
    }
    Some(About::Files(Act::Open {
        path,
        create: makes || is_unnamed,
        truncate: has(libc::O_TRUNC),
        read: !has(libc::O_WRONLY),
        existed: existed && !is_unnamed,
    }))
}

/// What is written by everybody and keeps nothing, or only for the process itself.
fn is_nobodys(mode: JailMode, path: &Path) -> bool {
    const DEVICES: [&str; 7] = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];
    const OWN: [&str; 5] = [
        "comm",
        "oom_score_adj",
        "timerslack_ns",
        "coredump_filter",
        "clear_refs",
    ];
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    match path.parent() {
        Some(parent) if parent == Path::new("/dev") => DEVICES.contains(&name),
        Some(parent) if parent.starts_with("/proc") => OWN.contains(&name),
        // Empty in namespaces, and everybody's otherwise.
        Some(parent) if parent.starts_with("/dev/shm") => mode == JailMode::Namespaces,
        Some(parent) => parent.starts_with("/dev/pts"),
        None => false,
    }
}

/// What the plan says of changing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// It may be changed.
    Given,
    /// Nobody needs to know.
    Quiet,
    /// It may not.
    Refused,
}

/// Whether a file may be changed.
pub(super) fn leave(plan: &Plan, path: &Path) -> Leave {
    if is_nobodys(plan.mode, path) {
        return Leave::Quiet;
    }
    let below = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let covered = || {
        plan.overlays
            .iter()
            .any(|overlay| path.starts_with(&overlay.lower))
    };
    let given =
        below(&plan.writable) || !below(&plan.read_only) && (below(&plan.empty) || covered());
    if given { Leave::Given } else { Leave::Refused }
}
