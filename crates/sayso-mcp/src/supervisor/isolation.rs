//! A server's view of the machine: without the network, or with a home of its own and
//! everything else read-only.
//!
//! It takes a user namespace (`user_namespaces(7)`), so an ordinary user can do it where the
//! kernel lets them. The server keeps its user id and gets no capability at all, so it can
//! undo nothing. What this does not keep it from: reading files, and speaking to services
//! through sockets in the file system, such as that of a container engine.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use rustix::fs::{AtFlags, OFlags, StatVfsMountFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};
use rustix::thread::CapabilitySet;

use super::{Failure, Options, PRIVATE_VARIABLES};

/// Where programs write without asking. The server gets empty ones.
const SCRATCH: [&str; 2] = ["/tmp", "/var/tmp"];

/// The devices that hold nothing of anybody. Files on a read-only mount may not be written;
/// devices may, and root's server could write to a disk.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// What programs expect to find beside them.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Where the sockets of a person's session are.
const SESSION_SOCKETS: &str = "/run/user";

/// Puts this process, and so the server it will start, into the view that was asked for.
pub(super) fn apply(options: &Options) -> Result<(), Failure> {
    let mut flags = CloneFlags::empty();
    if options.no_network {
        flags |= CloneFlags::CLONE_NEWNET;
    }
    if options.private_home.is_some() {
        flags |= CloneFlags::CLONE_NEWNS;
    }
    if flags.is_empty() {
        return Ok(());
    }
    enter(flags).map_err(|error| refused("a user namespace", &error))?;
    if options.no_network {
        raise_loopback().map_err(|error| refused("a loopback of its own", &error))?;
    }
    if let Some(home) = &options.private_home {
        let paths = options.paths();
        make_private(home, &paths)
            .map_err(|error| refused("a read-only view of the files", &error))?;
    }
    drop_capabilities().map_err(|error| refused("a start without capabilities", &error))
}

fn refused(what: &str, error: &io::Error) -> Failure {
    let hint = match error.raw_os_error() {
        Some(code)
            if code == Errno::PERM.raw_os_error() || code == Errno::ACCESS.raw_os_error() =>
        {
            "this system keeps user namespaces from ordinary programs: in a container allow them in its \
             seccomp profile, on Ubuntu set `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
        }
        Some(code) if code == Errno::NOSPC.raw_os_error() => {
            "this system allows no more user namespaces: raise `sysctl user.max_user_namespaces`"
        }
        _ => "read the listing without isolation in a container or a virtual machine",
    };
    Failure::Isolation {
        reason: format!("the system refuses {what} ({error})"),
        hint: Some(hint.to_owned()),
    }
}

/// Into new namespaces, with the same user and group ids as before.
fn enter(flags: CloneFlags) -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    unshare(flags | CloneFlags::CLONE_NEWUSER)?;
    // Without this a group map may not be written (`user_namespaces(7)`).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Nothing this process starts has a capability: not even as root, and not by a set-user-id program.
///
/// # Errors
/// When the kernel refuses it.
pub fn drop_capabilities() -> io::Result<()> {
    for capability in (0..u64::BITS).map(|bit| CapabilitySet::from_bits_retain(1 << bit)) {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Past the last one the kernel knows.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Sets `lo`, which is interface 1 in every network namespace, up: `rtnetlink(7)`.
///
/// # Errors
/// When this process may not do that.
pub fn raise_loopback() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST_ACK: u16 = 1 | 4;
    const IFF_UP: u32 = 1;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(NLM_F_REQUEST_ACK.to_ne_bytes());
    message.extend([0; 8]); // sequence number and port
    message.extend([0; 4]); // family, padding, device type
    message.extend(1_i32.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes()); // flags
    message.extend(IFF_UP.to_ne_bytes()); // which of them to change
    ask(&message)
}

/// Makes every address of a family one of this network namespace's own: what is sent anywhere arrives at
/// whoever listens there in it (`rtnetlink(7)`; `ip route add local default dev lo`).
///
/// # Errors
/// When this process may not do that, or the kernel has not the family.
pub fn own_all_addresses(family: AddressFamily) -> io::Result<()> {
    const RTM_NEWROUTE: u16 = 24;
    const NLM_F_REQUEST_ACK_EXCL_CREATE: u16 = 1 | 4 | 0x200 | 0x400;
    const RT_TABLE_LOCAL: u8 = 255;
    const RTPROT_BOOT: u8 = 3;
    const RT_SCOPE_HOST: u8 = 254;
    const RTN_LOCAL: u8 = 2;
    const RTA_OIF: u16 = 4;
    let family = u8::try_from(family.as_raw()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut message = Vec::with_capacity(36);
    message.extend(36_u32.to_ne_bytes());
    message.extend(RTM_NEWROUTE.to_ne_bytes());
    message.extend(NLM_F_REQUEST_ACK_EXCL_CREATE.to_ne_bytes());
    message.extend([0; 8]); // sequence number and port
    // Every destination and source: no bit of their addresses counts.
    message.extend([family, 0, 0, 0]);
    message.extend([RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL]);
    message.extend([0; 4]); // flags
    message.extend(8_u16.to_ne_bytes());
    message.extend(RTA_OIF.to_ne_bytes());
    message.extend(1_i32.to_ne_bytes());
    ask(&message)
}

/// Sends the kernel one message about the network, and waits for what it says.
fn ask(message: &[u8]) -> io::Result<()> {
    // No protocol is protocol 0, which is `NETLINK_ROUTE`.
    let family = AddressFamily::NETLINK;
    let socket = rustix::net::socket_with(family, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    rustix::net::sendto(
        &socket,
        message,
        SendFlags::empty(),
        &netlink::SocketAddrNetlink::new(0, 0),
    )?;
    let mut answer = [0; 64];
    let (count, _) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    // `struct nlmsghdr`, then the error: 0, or a negative error number.
    match answer
        .get(16..20)
        .and_then(|error| error.try_into().ok())
        .map(i32::from_ne_bytes)
    {
        Some(0) if count >= 20 => Ok(()),
        Some(error) if count >= 20 => Err(io::Error::from_raw_os_error(-error)),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Makes every file read-only, and an empty home and empty scratch directories in memory.
fn make_private(home: &Path, paths: &[PathBuf]) -> io::Result<()> {
    mount_at(None, Path::new("/"), MsFlags::MS_REC | MsFlags::MS_PRIVATE)?;
    let mounts = Mount::all()?;
    for mount in &mounts {
        mount.make_read_only()?;
    }
    mounts.iter().try_for_each(Mount::check_read_only)?;
    let mut home_is_in_scratch = false;
    for scratch in SCRATCH.map(Path::new) {
        // What the server itself lives in has to stay.
        if !scratch.is_dir() || paths.iter().any(|path| path.starts_with(scratch)) {
            continue;
        }
        mount_in_memory(scratch, 0o1777)?;
        home_is_in_scratch |= home.starts_with(scratch);
    }
    if Path::new(SESSION_SOCKETS).is_dir() {
        mount_in_memory(Path::new(SESSION_SOCKETS), 0o755)?;
    }
    if home_is_in_scratch {
        fs::create_dir_all(home)?;
    } else {
        mount_in_memory(home, 0o700)?;
    }
    let places = PRIVATE_VARIABLES.iter().filter_map(|(_, place)| *place);
    for place in places.filter(|place| !place.is_empty()) {
        fs::create_dir_all(home.join(place))?;
    }
    // As the specification of XDG_RUNTIME_DIR demands.
    fs::set_permissions(home.join(".run"), fs::Permissions::from_mode(0o700))?;
    make_devices_private(&home.join(".dev"))
}

/// Puts a directory with harmless devices, and terminals and shared memory of its own, in the
/// place of `/dev`. It is built at `place`, which is gone afterwards.
fn make_devices_private(place: &Path) -> io::Result<()> {
    fs::create_dir(place)?;
    mount_in_memory(place, 0o755)?;
    for name in DEVICES {
        let device = Path::new("/dev").join(name);
        if device.exists() {
            File::create(place.join(name))?;
            mount_at(Some(&device), &place.join(name), MsFlags::MS_BIND)?;
        }
    }
    for (name, target) in DEVICE_LINKS {
        std::os::unix::fs::symlink(target, place.join(name))?;
    }
    fs::create_dir(place.join("shm"))?;
    fs::set_permissions(place.join("shm"), fs::Permissions::from_mode(0o1777))?;
    fs::create_dir(place.join("pts"))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    let options = Some("newinstance,ptmxmode=0666,mode=0620");
    mount(
        Some("devpts"),
        &place.join("pts"),
        Some("devpts"),
        flags,
        options,
    )?;
    mount_at(Some(place), Path::new("/dev"), MsFlags::MS_MOVE)?;
    fs::remove_dir(place)
}

fn mount_in_memory(path: &Path, mode: u32) -> io::Result<()> {
    let options = format!("mode={mode:o}");
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    Ok(mount(
        Some("tmpfs"),
        path,
        Some("tmpfs"),
        flags,
        Some(options.as_str()),
    )?)
}

fn mount_at(source: Option<&Path>, path: &Path, flags: MsFlags) -> io::Result<()> {
    Ok(mount(source, path, None::<&str>, flags, None::<&str>)?)
}

/// A mount and the flags that must stay as they are (`mount_namespaces(7)`, "locked").
struct Mount {
    path: PathBuf,
    flags: MsFlags,
}

impl Mount {
    fn all() -> io::Result<Vec<Self>> {
        let table = fs::read_to_string("/proc/self/mountinfo")?;
        Ok(table.lines().filter_map(Self::read).collect())
    }

    /// A line of `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`): the fifth field is the
    /// mount point, the sixth its flags.
    fn read(line: &str) -> Option<Self> {
        let mut fields = line.split(' ').skip(4);
        let path = PathBuf::from(unescape(fields.next()?));
        let mut flags = MsFlags::empty();
        for flag in fields.next()?.split(',') {
            flags |= match flag {
                "nosuid" => MsFlags::MS_NOSUID,
                "nodev" => MsFlags::MS_NODEV,
                "noexec" => MsFlags::MS_NOEXEC,
                "noatime" => MsFlags::MS_NOATIME,
                "nodiratime" => MsFlags::MS_NODIRATIME,
                "relatime" => MsFlags::MS_RELATIME,
                _ => MsFlags::empty(),
            };
        }
        // Neither `noatime` nor `relatime` means that every access is noted.
        if !flags.intersects(MsFlags::MS_NOATIME | MsFlags::MS_RELATIME) {
            flags |= MsFlags::MS_STRICTATIME;
        }
        Some(Self { path, flags })
    }

    fn make_read_only(&self) -> io::Result<()> {
        let flags = self.flags | MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
        match mount_at(None, &self.path, flags) {
            Err(error) if is(&error, &OUT_OF_REACH) => Ok(()),
            // It may lie below another mount; that is looked at when all is done.
            Err(error) if is(&error, &[Errno::INVAL]) => Ok(()),
            other => other.map_err(|error| self.named(&error)),
        }
    }

    /// Makes sure that nothing at this place can be written.
    fn check_read_only(&self) -> io::Result<()> {
        match rustix::fs::statvfs(&self.path).map_err(io::Error::from) {
            Ok(status) if status.f_flag.contains(StatVfsMountFlags::RDONLY) => Ok(()),
            Ok(_) => Err(self.named(&io::Error::other("it stays writable"))),
            Err(error) if is(&error, &OUT_OF_REACH) => Ok(()),
            Err(error) => Err(self.named(&error)),
        }
    }

    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }
}

/// What cannot be reached cannot be written either: the server has fewer rights than this
/// process.
const OUT_OF_REACH: [Errno; 3] = [Errno::NOENT, Errno::ACCESS, Errno::NOTDIR];

fn is(error: &io::Error, codes: &[Errno]) -> bool {
    codes
        .iter()
        .any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

/// Space, tab, newline and backslash stand as three octal digits there.
fn unescape(field: &str) -> String {
    let escapes = [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ];
    escapes
        .iter()
        .fold(field.to_owned(), |field, (escape, character)| {
            field.replace(escape, character)
        })
}

/// What the client made for a server and cannot remove when it is killed.
pub(super) struct Traces(Vec<Trace>);

struct Trace {
    directory: OwnedFd,
    path: PathBuf,
    flags: AtFlags,
}

impl Traces {
    /// Opens the directories they are in, as the client sees them.
    pub(super) fn open(options: &Options) -> Self {
        let report = options.report.iter();
        let home = options.private_home.iter();
        let traces = report
            .map(|path| (path, AtFlags::empty()))
            .chain(home.map(|path| (path, AtFlags::REMOVEDIR)));
        let opened = traces.filter_map(|(path, flags)| {
            let open = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let mode = rustix::fs::Mode::empty();
            Some(Trace {
                directory: rustix::fs::open(path.parent()?, open, mode).ok()?,
                path: path.clone(),
                flags,
            })
        });
        Self(opened.collect())
    }

    /// Removes them.
    pub(super) fn remove(self) {
        for Trace {
            directory,
            path,
            flags,
        } in self.0
        {
            // A directory that is a mount point here cannot be removed.
            let _ = umount2(&path, MntFlags::MNT_DETACH);
            if let Some(name) = path.file_name() {
                let _ = rustix::fs::unlinkat(&directory, name, flags);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use nix::mount::MsFlags;

    use super::Mount;

    #[test]
    fn the_mount_table_is_read() {
        let line = r"36 35 98:0 /mnt1 /my\040disk rw,nosuid,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let mount = Mount::read(line).unwrap();
        assert_eq!(mount.path, Path::new("/my disk"));
        assert_eq!(mount.flags, MsFlags::MS_NOSUID | MsFlags::MS_NOATIME);
        assert!(Mount::read("36 35").is_none());
    }
}
