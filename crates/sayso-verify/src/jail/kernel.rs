//! What the kernel offers and no library wraps safely: the only `unsafe` of the repository.
#![expect(
    unsafe_code,
    reason = "there is no other way to these calls; each block says why it is sound"
)]

use std::ffi::CString;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use libc::{c_int, c_long, sock_filter, sock_fprog};

/// A process after it was made two of.
pub(super) enum Forked {
    /// The new one.
    Child,
    /// The old one, and the new one's id.
    Parent(i32),
}

/// Makes a second process of this one, which must have one thread.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: takes no argument. The caller has one thread, so no lock is held by one that the child
    // does not have.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        id => Ok(Forked::Parent(id)),
    }
}

/// Ends this process without anything that is done on the way out of a whole program.
pub(super) fn exit(status: i32) -> ! {
    // SAFETY: takes a number, does not return, touches no memory.
    unsafe { libc::_exit(status) }
}

/// Lets a broken pipe end a program again, as programs expect it: this one ignores it, and what it starts
/// would too.
pub(super) fn take_up_broken_pipes() {
    // SAFETY: sets a signal to what it is by default; no handler is installed.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Puts the filter on this thread and what it starts; what waits is received from the descriptor.
/// Privileges must have been given up before (`PR_SET_NO_NEW_PRIVS`).
pub(super) fn filter(program: &mut [sock_filter]) -> io::Result<OwnedFd> {
    let len = u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let whole = sock_fprog {
        len,
        filter: program.as_mut_ptr(),
    };
    let listener = 1 << 3; // SECCOMP_FILTER_FLAG_NEW_LISTENER
    // Since Linux 5.19; without it a signal can interrupt a call that waits, which is then made again.
    let killable = 1 << 5; // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
    let put = |flags: c_long| {
        let mode: c_long = libc::SECCOMP_SET_MODE_FILTER.into();
        // SAFETY: `whole` points to `len` instructions that live until after the call; the kernel copies
        // them and checks them.
        unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const whole) }
    };
    let mut descriptor = put(listener | killable);
    if descriptor < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
        descriptor = put(listener);
    }
    let descriptor = RawFd::try_from(descriptor).unwrap_or(-1);
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for this process, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// A system call that waits: which thread makes it, as the receiver counts, and with what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) id: u64,
    pub(super) thread: u32,
    pub(super) call: c_long,
    pub(super) arguments: [u64; 6],
}

// `_IOWR('!', n, …)` and `_IOW('!', n, …)` of `linux/seccomp.h`, the same on all machines this is built for.
const RECEIVE: u64 = ioctl(3, 0, size_of::<libc::seccomp_notif>());
const SEND: u64 = ioctl(3, 1, size_of::<libc::seccomp_notif_resp>());
const IS_VALID: u64 = ioctl(1, 2, size_of::<u64>());
const ADD: u64 = ioctl(1, 3, size_of::<libc::seccomp_notif_addfd>());
const SET_FLAGS: u64 = ioctl(1, 4, size_of::<u64>());

const fn ioctl(direction: u64, number: u64, size: usize) -> u64 {
    direction << 30 | (size as u64) << 16 | (b'!' as u64) << 8 | number
}

/// Lets whoever waits for the other be woken on the other's core: a call and its answer take turns, and
/// the way to another core is longer than all that is done between. Older kernels than 6.6 do as they did.
pub(super) fn take_turns(listener: BorrowedFd<'_>) {
    let flag: c_long = 1; // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
    // SAFETY: the descriptor is open, and this command takes a number.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS as _, flag) };
}

/// The next call that waits; `None` where it is gone before it could be looked at.
pub(super) fn receive(listener: BorrowedFd<'_>) -> io::Result<Option<Waiting>> {
    // SAFETY: a plain structure of integers, of which zero is a value.
    let mut request: libc::seccomp_notif = unsafe { zeroed() };
    // SAFETY: the descriptor is open, and `request` is of the type and size this command writes.
    let done = unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE as _, &raw mut request) };
    if done < 0 {
        let error = io::Error::last_os_error();
        return match error.raw_os_error() {
            Some(libc::ENOENT | libc::EINTR) => Ok(None),
            _ => Err(error),
        };
    }
    Ok(Some(Waiting {
        id: request.id,
        thread: request.pid,
        call: c_long::from(request.data.nr),
        arguments: request.data.args,
    }))
}

/// What a call that waits comes back with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// The kernel makes it.
    Continue,
    /// It is done, and returns this.
    Returns(i64),
    /// It fails with this error number.
    Fails(c_int),
}

/// Lets a call come back. One that is gone is no error.
pub(super) fn answer(listener: BorrowedFd<'_>, id: u64, answer: Answer) {
    let (val, error, flags) = match answer {
        // SECCOMP_USER_NOTIF_FLAG_CONTINUE
        Answer::Continue => (0, 0, 1),
        Answer::Returns(value) => (value, 0, 0),
        Answer::Fails(number) => (0, -number, 0),
    };
    let mut response = libc::seccomp_notif_resp {
        id,
        val,
        error,
        flags,
    };
    // SAFETY: the descriptor is open, and `response` is of the type and size this command reads.
    unsafe { libc::ioctl(listener.as_raw_fd(), SEND as _, &raw mut response) };
}

/// Whether the call still waits, so that what was read of its thread was of that thread.
pub(super) fn is_valid(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the descriptor is open, and the argument is a number of the size this command reads.
    unsafe { libc::ioctl(listener.as_raw_fd(), IS_VALID as _, &raw const id) == 0 }
}

/// Puts a descriptor of ours in the place of one of the thread whose call waits.
pub(super) fn replace(
    listener: BorrowedFd<'_>,
    id: u64,
    ours: BorrowedFd<'_>,
    theirs: u32,
    close_on_exec: bool,
) -> io::Result<()> {
    const SETFD: u32 = 1; // SECCOMP_ADDFD_FLAG_SETFD
    add(listener, id, SETFD, ours, theirs, close_on_exec)
}

/// Lets a call come back with a new descriptor, which is one of ours.
pub(super) fn give(
    listener: BorrowedFd<'_>,
    id: u64,
    ours: BorrowedFd<'_>,
    close_on_exec: bool,
) -> io::Result<()> {
    const SEND: u32 = 2; // SECCOMP_ADDFD_FLAG_SEND
    add(listener, id, SEND, ours, 0, close_on_exec)
}

fn add(
    listener: BorrowedFd<'_>,
    id: u64,
    flags: u32,
    ours: BorrowedFd<'_>,
    theirs: u32,
    close_on_exec: bool,
) -> io::Result<()> {
    let request = libc::seccomp_notif_addfd {
        id,
        flags,
        srcfd: u32::try_from(ours.as_raw_fd()).unwrap_or(u32::MAX),
        newfd: theirs,
        newfd_flags: if close_on_exec {
            libc::O_CLOEXEC.unsigned_abs()
        } else {
            0
        },
    };
    // SAFETY: both descriptors are open, and `request` is of the type and size this command reads.
    match unsafe { libc::ioctl(listener.as_raw_fd(), ADD as _, &raw const request) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Makes a mount read-only or writable again; with everything mounted below it where asked for.
pub(super) fn set_read_only(path: &Path, read_only: bool, recursive: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attribute = libc::MOUNT_ATTR_RDONLY;
    let change = libc::mount_attr {
        attr_set: if read_only { attribute } else { 0 },
        attr_clr: if read_only { 0 } else { attribute },
        propagation: 0,
        userns_fd: 0,
    };
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path ends with a zero, and `change` is as long as is said; both live until after the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    match done {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Keeps every descriptor from this one on from programs that are started.
pub(super) fn close_on_exec_from(first: u32) -> io::Result<()> {
    let flag: c_long = 1 << 2; // CLOSE_RANGE_CLOEXEC
    // SAFETY: takes numbers, and closes nothing now.
    match unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, flag) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Connects a socket to an address as the kernel lays it out.
pub(super) fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> io::Result<()> {
    let length = libc::socklen_t::try_from(address.len()).unwrap_or_default();
    // SAFETY: the descriptor is open, and the kernel reads `length` bytes, which are there, and checks them.
    match unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), length) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
