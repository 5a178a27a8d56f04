//! What a thread meant whose system call waits: the memory its arguments point to, and the files they
//! name, as the thread sees them. All of it can be changed by the server while it is read.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io::IoSliceMut;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::process::{PidfdFlags, PidfdGetfdFlags};

use super::processes;

/// A page: the longest path, and what is read at once of a string.
const PAGE: usize = 4096;

/// How many arguments of a program are kept.
const ARGUMENTS: usize = 64;

/// The thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tracee {
    pub(super) thread: u32,
}

/// An address that was given to `connect` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    Inet(SocketAddr),
    /// A path, as it was given; of an abstract name `@` and the name.
    Unix(PathBuf),
    /// Nowhere: a socket is to let go of where it was.
    Nowhere,
    /// The kernel itself (`netlink(7)`).
    Kernel,
    /// Of another family.
    Other,
    /// It cannot be read.
    Unreadable,
}

thread_local! {
    /// The root of the jail that this thread watches; a thread watches one.
    static ROOT: RefCell<Option<Rc<OwnedFd>>> = const { RefCell::new(None) };
}

impl Tracee {
    /// So many bytes, or as many as there are.
    pub(super) fn bytes(self, address: u64, length: usize) -> Option<Vec<u8>> {
        let base = usize::try_from(address).ok().filter(|base| *base != 0)?;
        let mut bytes = vec![0; length.min(1 << 16)];
        let remote = [RemoteIoVec {
            base,
            len: bytes.len(),
        }];
        let process = Pid::from_raw(i32::try_from(self.thread).ok()?);
        let read = process_vm_readv(process, &mut [IoSliceMut::new(&mut bytes)], &remote).ok()?;
        bytes.truncate(read);
        Some(bytes)
    }

    /// Text up to its zero, a page at most; read to the page's end first, as the next may be missing.
    pub(super) fn text(self, address: u64) -> Option<OsString> {
        let mut text = Vec::new();
        let mut at = address;
        while text.len() < PAGE {
            let in_page = PAGE - usize::try_from(at).ok()? % PAGE;
            let bytes = self.bytes(at, in_page)?;
            if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
                text.extend(bytes.get(..end)?);
                return Some(OsString::from_vec(text));
            }
            if bytes.len() < in_page {
                return None;
            }
            at += u64::try_from(bytes.len()).ok()?;
            text.extend(bytes);
        }
        None
    }

    pub(super) fn number(self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address, 8)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }

    /// The arguments of a program that is to be started.
    pub(super) fn arguments(self, address: u64) -> Vec<String> {
        let texts = (0..ARGUMENTS as u64).map_while(|place| {
            let pointer = self
                .number(address + 8 * place)
                .filter(|pointer| *pointer != 0)?;
            let text = self.text(pointer).unwrap_or_else(|| "…".into());
            Some(text.to_string_lossy().into_owned())
        });
        texts.collect()
    }

    /// An address, and its bytes.
    pub(super) fn address(self, address: u64, length: u64) -> (Address, Vec<u8>) {
        let length = usize::try_from(length & 0xffff_ffff)
            .unwrap_or_default()
            .min(128);
        match self
            .bytes(address, length)
            .filter(|bytes| bytes.len() == length)
        {
            Some(bytes) => (read_address(&bytes).unwrap_or(Address::Unreadable), bytes),
            None => (Address::Unreadable, Vec::new()),
        }
    }

    /// Whether this process may look into it at all. The kernel asks that before it asks whether there is
    /// anything at the address, which there never is.
    pub(super) fn is_open(self) -> bool {
        let nowhere = [RemoteIoVec { base: 0, len: 1 }];
        let Ok(thread) = i32::try_from(self.thread) else {
            return false;
        };
        let mut byte = [0];
        let read = process_vm_readv(
            Pid::from_raw(thread),
            &mut [IoSliceMut::new(&mut byte)],
            &nowhere,
        );
        matches!(read, Ok(_) | Err(Errno::EFAULT))
    }

    /// A file as the thread sees it, by a path without links.
    pub(super) fn open(self, path: &Path) -> Option<OwnedFd> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let below = path.strip_prefix("/").ok()?;
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
        rustix::fs::openat2(&*self.root()?, below, flags, Mode::empty(), resolve).ok()
    }

    /// The file of a name, links followed as far as there are any: of one that is not there its folder
    /// and its name. And whether it is there.
    pub(super) fn file(self, folder: i64, name: &Path, follow: bool) -> (PathBuf, bool) {
        let whole = self.whole(folder, name);
        let Some(root) = self.root() else {
            return (plain(&whole), whole.exists());
        };
        if let Some(path) = look(&root, &whole, follow) {
            return (path, true);
        }
        let parent = whole.parent().and_then(|parent| look(&root, parent, true));
        match (parent, whole.file_name()) {
            (Some(parent), Some(name)) => (parent.join(name), false),
            _ => (plain(&whole), false),
        }
    }

    /// A path from the root, without the ways through `/proc` that lead back to the process itself.
    fn whole(self, folder: i64, name: &Path) -> PathBuf {
        // The thread's own: it may have a folder and descriptors apart from its process's (`clone(2)`).
        let proc = |what: &str| fs::read_link(format!("/proc/{}/{what}", self.thread));
        let whole = if name.is_absolute() {
            name.to_owned()
        } else {
            let base = match i32::try_from(folder) {
                Ok(libc::AT_FDCWD) | Err(_) => proc("cwd"),
                Ok(descriptor) => proc(&format!("fd/{descriptor}")),
            };
            base.unwrap_or_default().join(name)
        };
        let own = ["/proc/self", "/proc/thread-self"];
        let Some(rest) = own.iter().find_map(|own| whole.strip_prefix(own).ok()) else {
            return whole;
        };
        let mut parts = rest.components();
        let target = match parts
            .next()
            .map(Component::as_os_str)
            .and_then(|part| part.to_str())
        {
            Some("root") => Some(PathBuf::from("/")),
            Some("cwd") => proc("cwd").ok(),
            Some("fd") => parts
                .next()
                .and_then(|number| proc(&format!("fd/{}", number.as_os_str().display())).ok()),
            _ => None,
        };
        match target {
            Some(target) => target.join(parts.as_path()),
            None => whole,
        }
    }

    /// Where the jail's paths begin. That is the same for all in it, for as long as it is there: what would
    /// change it (`chroot`, `pivot_root`, `setns`, `unshare`, mounts) is refused.
    fn root(self) -> Option<Rc<OwnedFd>> {
        ROOT.with_borrow_mut(|known| {
            if let Some(root) = known {
                return Some(Rc::clone(root));
            }
            let path = format!("/proc/{}/root", self.thread);
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let root = rustix::fs::open(path, flags, Mode::empty()).ok()?;
            Some(Rc::clone(known.insert(Rc::new(root))))
        })
    }

    /// The file behind a descriptor of the thread.
    pub(super) fn open_file(self, descriptor: u64) -> Option<PathBuf> {
        let descriptor = u32::try_from(descriptor).ok()?;
        fs::read_link(format!("/proc/{}/fd/{descriptor}", self.thread)).ok()
    }

    /// Whether what is open has no name: a pipe, memory, a file that was removed.
    pub(super) fn is_nameless(self, descriptor: u64) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let file = fs::metadata(format!("/proc/{}/fd/{descriptor}", self.thread));
        file.is_ok_and(|file| file.nlink() == 0)
    }

    /// A descriptor of the thread, for ourselves.
    pub(super) fn descriptor(self, number: u64) -> Option<OwnedFd> {
        let process = i32::try_from(processes::of_thread(self.thread)).ok()?;
        let process = rustix::process::Pid::from_raw(process)?;
        let process = rustix::process::pidfd_open(process, PidfdFlags::empty()).ok()?;
        let number = i32::try_from(u32::try_from(number).ok()?).ok()?;
        rustix::process::pidfd_getfd(process, number, PidfdGetfdFlags::empty()).ok()
    }

    /// Whether a descriptor of the thread is a local socket of packets.
    pub(super) fn has_packets(self, number: u64) -> bool {
        let socket = self.descriptor(number);
        socket.is_some_and(|socket| is_of_packets(&socket))
    }

    /// The flags of a descriptor of the thread (`O_NONBLOCK`, `O_CLOEXEC`).
    pub(super) fn flags(self, descriptor: u64) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", self.thread));
        let text = text.unwrap_or_default();
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        flags
            .and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok())
            .unwrap_or_default()
    }

    /// Which process a process descriptor of the thread is for, as this machine counts.
    pub(super) fn process_of(self, descriptor: u64) -> Option<u32> {
        let text = fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", self.thread)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pid:"))?;
        line.trim().parse().ok()
    }
}

/// Whether a socket is a local one of packets (`SOCK_SEQPACKET`).
pub(super) fn is_of_packets(socket: &OwnedFd) -> bool {
    use rustix::net::{AddressFamily, SocketType, sockopt};
    sockopt::socket_type(socket) == Ok(SocketType::SEQPACKET)
        && sockopt::socket_domain(socket) == Ok(AddressFamily::UNIX)
}

/// The path that a path leads to, below this root.
fn look(root: &OwnedFd, path: &Path, follow: bool) -> Option<PathBuf> {
    let mut flags = OFlags::PATH | OFlags::CLOEXEC;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    let below = path.strip_prefix("/").unwrap_or(path);
    let below = if below.as_os_str().is_empty() {
        Path::new(".")
    } else {
        below
    };
    let found =
        rustix::fs::openat2(root, below, flags, Mode::empty(), ResolveFlags::IN_ROOT).ok()?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&found);
    let path = rustix::fs::readlinkat(CWD, format!("/proc/self/fd/{number}"), Vec::new()).ok()?;
    Some(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

/// A path without `.` and `..`, by its text alone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(name) => plain.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    plain
}

/// Reads a `struct sockaddr`.
fn read_address(bytes: &[u8]) -> Option<Address> {
    let family = u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?);
    let port = || Some(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?));
    match i32::from(family) {
        libc::AF_INET => {
            let ip: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
            Some(Address::Inet(SocketAddr::new(
                Ipv4Addr::from(ip).into(),
                port()?,
            )))
        }
        libc::AF_INET6 => {
            let ip: [u8; 16] = bytes.get(8..24)?.try_into().ok()?;
            let ip = IpAddr::from(Ipv6Addr::from(ip)).to_canonical();
            Some(Address::Inet(SocketAddr::new(ip, port()?)))
        }
        libc::AF_UNIX => {
            let name = bytes.get(2..)?;
            let (is_abstract, name) = match name.split_first() {
                Some((0, name)) => (true, name),
                _ => (
                    false,
                    name.split(|byte| *byte == 0).next().unwrap_or_default(),
                ),
            };
            let mut path = OsString::from(if is_abstract { "@" } else { "" });
            path.push(std::ffi::OsStr::from_bytes(name));
            Some(Address::Unix(path.into()))
        }
        libc::AF_UNSPEC => Some(Address::Nowhere),
        libc::AF_NETLINK => Some(Address::Kernel),
        _ => Some(Address::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let inet = [2, 0, 0, 80, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        let read = read_address(&inet);
        assert_eq!(read, Some(Address::Inet(([127, 0, 0, 1], 80).into())));
        let mut mapped = vec![10, 0, 1, 187, 0, 0, 0, 0];
        mapped.extend([
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1, 0, 0, 0, 0,
        ]);
        let read = read_address(&mapped);
        assert_eq!(read, Some(Address::Inet(([10, 0, 0, 1], 443).into())));
        let read = |bytes: &[u8]| read_address(bytes);
        assert_eq!(
            read(b"\x01\0/run/x\0rest"),
            Some(Address::Unix("/run/x".into()))
        );
        assert_eq!(read(b"\x01\0\0name"), Some(Address::Unix("@name".into())));
        assert_eq!(read(b"\x10\0"), Some(Address::Kernel));
        assert_eq!(read(b"\0\0"), Some(Address::Nowhere));
        assert_eq!(read(b"\x28\0"), Some(Address::Other));
        assert_eq!(read(b"\x02\0\0"), None);
        assert_eq!(read(b""), None);
    }

    #[test]
    fn a_path_is_made_plain() {
        let of = |path: &str| plain(Path::new(path));
        assert_eq!(of("/a/./b/../c"), Path::new("/a/c"));
        assert_eq!(of("/../../a"), Path::new("/a"));
        assert_eq!(of("a"), Path::new("/a"));
    }
}
