//! What becomes of a system call that waits.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use super::connect::DNS;
use super::files::{self, About, Leave};
use super::kernel::{Answer, Waiting};
use super::network::{self, Names};
use super::tracee::{Address, Tracee};
use super::watch::Shared;
use super::{filter, processes};
use crate::event::{Act, Connection, Scope};
use crate::plan::{Mode, Network, Plan, Purpose};

/// What becomes of a call, and what is told of it.
pub(super) struct Decision {
    /// None where another thread lets it come back.
    pub(super) answer: Option<Answer>,
    pub(super) act: Option<Act>,
    pub(super) refused: Option<&'static str>,
}

impl Decision {
    pub(super) const QUIET: Self = Self {
        answer: Some(Answer::Continue),
        act: None,
        refused: None,
    };

    /// Nothing is told of it.
    pub(super) const fn quietly(answer: Answer) -> Self {
        Self {
            answer: Some(answer),
            act: None,
            refused: None,
        }
    }

    pub(super) fn let_through(act: Act) -> Self {
        Self {
            act: Some(act),
            ..Self::QUIET
        }
    }

    pub(super) fn refused(act: Act, (number, name): Error) -> Self {
        Self {
            answer: Some(Answer::Fails(number)),
            act: Some(act),
            refused: Some(name),
        }
    }
}

pub(super) type Error = (i32, &'static str);
const READ_ONLY: Error = (libc::EROFS, "EROFS");
const NO_ACCESS: Error = (libc::EACCES, "EACCES");
const NOT_PERMITTED: Error = (libc::EPERM, "EPERM");
pub(super) const UNREACHABLE: Error = (libc::ENETUNREACH, "ENETUNREACH");
pub(super) const NOBODY: Error = (libc::ECONNREFUSED, "ECONNREFUSED");
const MISSING: Error = (libc::ENOSYS, "ENOSYS");

/// Decides, by the plan.
pub(super) struct Judge {
    plan: Plan,
    shared: Arc<Shared>,
    filter: Arc<OwnedFd>,
    names: Names,
    /// Sockets the server itself made: paths, abstract names, loopback ports.
    bound: Mutex<(BTreeSet<PathBuf>, BTreeSet<u16>)>,
    has_begun: std::sync::atomic::AtomicBool,
}

impl Judge {
    pub(super) fn new(plan: &Plan, shared: Arc<Shared>, filter: Arc<OwnedFd>) -> Self {
        Self {
            plan: with_real_paths(plan),
            shared,
            filter,
            names: Names::default(),
            bound: Mutex::default(),
            has_begun: false.into(),
        }
    }

    /// Nothing is let through that was not looked at: a process whose memory cannot be read, such as one
    /// that hides it (`PR_SET_DUMPABLE`), makes no call that waits.
    pub(super) fn decide(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let is_start = self.is_start(waiting);
        if is_start {
            return Decision::QUIET;
        }
        let hidden = || {
            let call = format!("system call {} of a process that hides", waiting.call);
            Decision::refused(Act::Other { call }, NOT_PERMITTED)
        };
        if !tracee.is_open() {
            return hidden();
        }
        let decision = match files::about(waiting, tracee) {
            About::Files(act) => self.files(act),
            About::Nothing => Decision::QUIET,
            About::Unreadable => Decision::quietly(Answer::Fails(libc::EFAULT)),
            About::Else => self.others(waiting, tracee),
        };
        // It may have hidden while it was looked at.
        let goes_on = matches!(decision.answer, Some(Answer::Continue));
        if goes_on && !tracee.is_open() {
            hidden()
        } else {
            decision
        }
    }

    /// The first program that is executed is the server's own.
    fn is_start(&self, waiting: &Waiting) -> bool {
        let executes = matches!(waiting.call, libc::SYS_execve | libc::SYS_execveat);
        executes && !self.has_begun.swap(true, Ordering::Relaxed)
    }

    fn files(&self, act: Act) -> Decision {
        let (first, second) = match &act {
            Act::Open { path, .. } => (Some(path), None),
            Act::Change { path, to, .. } => (Some(path), to.as_ref()),
            _ => (None, None),
        };
        let leaves = [first, second].map(|path| path.map(|path| files::leave(&self.plan, path)));
        if leaves.contains(&Some(Leave::Refused)) {
            let error = match self.plan.mode {
                Mode::Namespaces => READ_ONLY,
                Mode::Landlock => NO_ACCESS,
            };
            return Decision::refused(act, error);
        }
        if leaves.contains(&Some(Leave::Given)) {
            return Decision::let_through(act);
        }
        Decision::QUIET
    }

    fn others(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [first, second, third, ..] = waiting.arguments;
        let other = |call: &str| Act::Other {
            call: call.to_owned(),
        };
        match waiting.call {
            libc::SYS_execve => self.execute(tracee, first, second),
            libc::SYS_execveat => self.execute(tracee, second, third),
            libc::SYS_connect => self.connect(waiting, tracee),
            libc::SYS_bind => self.bind(tracee, tracee.address(second, third).0),
            libc::SYS_listen => self.listen(first, tracee),
            libc::SYS_sendto | libc::SYS_sendmsg | libc::SYS_sendmmsg => self.send(waiting, tracee),
            libc::SYS_socket => self.socket(waiting),
            // Its ends could send anywhere.
            libc::SYS_socketpair => Decision::refused(
                Act::Socket {
                    family: family(first),
                },
                NO_ACCESS,
            ),
            libc::SYS_prlimit64 => self.limit(first, third),
            libc::SYS_kill
            | libc::SYS_tkill
            | libc::SYS_tgkill
            | libc::SYS_rt_sigqueueinfo
            | libc::SYS_rt_tgsigqueueinfo
            | libc::SYS_pidfd_send_signal => self.signal(waiting, tracee),
            libc::SYS_pidfd_open if self.is_own(tracee, i64::from(first as u32 as i32)) => {
                Decision::QUIET
            }
            libc::SYS_io_uring_setup if filter::refuses_rings(&self.plan) => {
                Decision::refused(other("io_uring_setup"), MISSING)
            }
            libc::SYS_io_uring_setup => Decision::let_through(other("io_uring_setup")),
            libc::SYS_unshare | libc::SYS_clone | libc::SYS_setns => {
                let new = first & u64::from(filter::NAMESPACES) != 0;
                match waiting.call {
                    libc::SYS_unshare if !new => Decision::QUIET,
                    libc::SYS_unshare => Decision::refused(other("unshare"), NOT_PERMITTED),
                    libc::SYS_clone => Decision::refused(other("clone"), NOT_PERMITTED),
                    _ => Decision::refused(other("setns"), NOT_PERMITTED),
                }
            }
            // Private to who makes it, and to its children.
            libc::SYS_shmget | libc::SYS_msgget | libc::SYS_semget if first as u32 == 0 => {
                Decision::QUIET
            }
            call => match shared_memory(call) {
                Some(name) if self.plan.purpose == Purpose::Observe => {
                    // With namespaces nobody else sees it.
                    match self.plan.mode {
                        Mode::Namespaces => Decision::let_through(other(name)),
                        Mode::Landlock => Decision::refused(other(name), NO_ACCESS),
                    }
                }
                Some(name) => Decision::refused(other(name), NO_ACCESS),
                None => Decision::refused(other(named(call)), NOT_PERMITTED),
            },
        }
    }

    fn execute(&self, tracee: Tracee, path: u64, arguments: u64) -> Decision {
        let path = tracee.text(path).map(PathBuf::from).unwrap_or_default();
        let arguments = tracee.arguments(arguments);
        // C libraries look for a program in each folder of `PATH`.
        if path.is_absolute() && !path.exists() {
            return Decision::QUIET;
        }
        Decision::let_through(Act::Execute { path, arguments })
    }

    fn signal(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [first, second, third, ..] = waiting.arguments;
        let (target, signal) = match waiting.call {
            libc::SYS_tgkill | libc::SYS_rt_tgsigqueueinfo => (first, third),
            _ => (first, second),
        };
        let (target, signal) = (i64::from(target as u32 as i32), signal as u32 as i32);
        if signal == 0 {
            return Decision::QUIET;
        }
        let is_own = match waiting.call {
            libc::SYS_pidfd_send_signal => tracee
                .process_of(first)
                .is_some_and(|process| self.processes().contains(&process)),
            _ => self.is_own(tracee, target),
        };
        let act = Act::Signal {
            target,
            signal,
            own: is_own,
        };
        match (is_own, self.plan.mode) {
            (true, _) => Decision::let_through(act),
            // Where it is counted from is nobody there.
            (false, Mode::Namespaces) => Decision::refused(act, (libc::ESRCH, "ESRCH")),
            (false, Mode::Landlock) => Decision::refused(act, NOT_PERMITTED),
        }
    }

    /// The processes in the jail, as this machine counts.
    fn processes(&self) -> Vec<u32> {
        processes::descendants(self.shared.process.load(Ordering::Relaxed))
    }

    /// Whether a number that a thread has for a process, or negative for a group, is of one in the jail.
    fn is_own(&self, tracee: Tracee, target: i64) -> bool {
        match self.plan.mode {
            // Its own group.
            _ if target == 0 => true,
            // Process numbers of its own: what has one is in there.
            Mode::Namespaces => {
                let one = Path::new("/proc").join(tracee.thread.to_string());
                let seen = format!("root/proc/{}", target.unsigned_abs());
                target != -1 && one.join(seen).exists()
            }
            Mode::Landlock => u32::try_from(target.unsigned_abs())
                .is_ok_and(|target| self.processes().contains(&target)),
        }
    }

    /// Sockets of families that nothing may use here.
    fn socket(&self, waiting: &Waiting) -> Decision {
        let [family_number, kind, protocol, ..] = waiting.arguments;
        let is_inet = [libc::AF_INET, libc::AF_INET6].contains(&(family_number as u32 as i32));
        // Where the network is the machine's own, only what is connected once, and by us.
        let kind = kind as i32 & 0xf;
        let is_stream =
            kind == libc::SOCK_STREAM && [0, libc::IPPROTO_TCP].contains(&(protocol as u32 as i32));
        let is_connected = kind == libc::SOCK_STREAM || kind == libc::SOCK_SEQPACKET;
        let is_local = family_number as u32 as i32 == libc::AF_UNIX;
        let may = matches!(self.plan.network, Network::Recorded { .. })
            && self.plan.mode == Mode::Landlock
            && (is_inet && is_stream
                || is_local && is_connected && self.plan.purpose == Purpose::Observe);
        if may {
            return Decision::QUIET;
        }
        let family = family(family_number);
        Decision::refused(
            Act::Socket { family },
            if is_inet { UNREACHABLE } else { NO_ACCESS },
        )
    }

    /// Limits of another process.
    fn limit(&self, process: u64, new: u64) -> Decision {
        let target = process as u32;
        let own = || {
            let jail = processes::descendants(self.shared.process.load(Ordering::Relaxed));
            self.plan.mode == Mode::Namespaces || jail.contains(&target)
        };
        if new == 0 || own() {
            return Decision::QUIET;
        }
        let call = "prlimit".to_owned();
        Decision::refused(Act::Other { call }, NOT_PERMITTED)
    }

    fn bind(&self, tracee: Tracee, address: Address) -> Decision {
        let remember = |path: Option<&Path>, port: Option<u16>| {
            let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
            bound.0.extend(path.map(Path::to_owned));
            bound.1.extend(port);
        };
        match address {
            Address::Unix(path) => {
                let path = self.socket_path(tracee, &path);
                let act = Act::Listen {
                    address: path.display().to_string(),
                };
                let is_abstract = !path.is_absolute();
                if !is_abstract && files::leave(&self.plan, &path) == Leave::Refused {
                    return Decision::refused(act, NO_ACCESS);
                }
                remember(Some(&path), None);
                Decision::let_through(act)
            }
            Address::Inet(address) => {
                let act = Act::Listen {
                    address: address.to_string(),
                };
                let stays = self.plan.mode == Mode::Namespaces || address.ip().is_loopback();
                if !stays || self.plan.purpose == Purpose::Confine {
                    return Decision::refused(act, NO_ACCESS);
                }
                remember(None, Some(address.port()));
                Decision::let_through(act)
            }
            Address::Unreadable => Decision::quietly(Answer::Fails(libc::EFAULT)),
            Address::Nowhere | Address::Kernel | Address::Other => Decision::QUIET,
        }
    }

    /// Where the network is the machine's own, only for this machine. A socket that was never bound would
    /// be for everybody.
    fn listen(&self, socket: u64, tracee: Tracee) -> Decision {
        let bound = tracee
            .descriptor(socket)
            .and_then(|socket| rustix::net::getsockname(&socket).ok());
        let Some(Ok(address)) = bound.map(SocketAddr::try_from) else {
            return Decision::QUIET;
        };
        if self.plan.mode == Mode::Namespaces {
            return Decision::QUIET;
        }
        if address.ip().is_loopback() && address.port() != 0 {
            let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
            bound.1.insert(address.port());
            return Decision::QUIET;
        }
        let address = address.to_string();
        Decision::refused(Act::Listen { address }, NO_ACCESS)
    }

    pub(super) fn is_bound(&self, path: &Path) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.0.contains(path)
    }

    pub(super) fn name(&self, address: SocketAddr) -> Option<String> {
        self.names.name(address.ip())
    }

    pub(super) fn mode(&self) -> Mode {
        self.plan.mode
    }

    pub(super) fn network(&self) -> &Network {
        &self.plan.network
    }

    pub(super) fn filter(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.filter)
    }

    /// Whether the server itself waits for connections at a port of this machine.
    pub(super) fn listens_on(&self, port: u16) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.1.contains(&port)
    }

    /// A connection to a resolver, and a record of what it is asked.
    pub(super) fn resolver(&self, thread: u32) -> std::io::Result<std::net::TcpStream> {
        let shared = Arc::clone(&self.shared);
        network::resolver(self.names.clone(), move |name: &str| {
            let name = name.to_owned();
            shared.record(thread, Act::Resolve { name }, None);
        })
    }

    /// A connection to nowhere, and a record of what it is used for.
    pub(super) fn sink(
        &self,
        thread: u32,
        connection: Connection,
    ) -> std::io::Result<std::net::TcpStream> {
        let place = self.shared.record(thread, Act::Connect(connection), None);
        let shared = Arc::clone(&self.shared);
        network::sink(move |line| shared.sent_first(place, line))
    }

    fn datagram(&self, address: SocketAddr) -> Decision {
        let connection = self.connection("udp", address);
        let is_own = connection.scope == Scope::Loopback && self.plan.mode == Mode::Namespaces;
        match is_own {
            true if address.port() == DNS => Decision::QUIET,
            true => Decision::let_through(Act::Connect(connection)),
            false => Decision::refused(Act::Connect(connection), UNREACHABLE),
        }
    }

    fn send(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [_, second, third, _, fifth, sixth] = waiting.arguments;
        // `struct msghdr` begins with the address and its length; `struct mmsghdr` is 64 bytes long.
        let named = |message: u64| match (tracee.number(message), tracee.number(message + 8)) {
            (Some(0), Some(_)) => None,
            (Some(address), Some(length)) => Some(tracee.address(address, length).0),
            _ => Some(Address::Unreadable),
        };
        let address = match waiting.call {
            libc::SYS_sendto => Some(tracee.address(fifth, sixth).0),
            libc::SYS_sendmsg => named(second),
            // The kernel takes no more at once.
            _ => (0..third.min(1024)).find_map(|place| named(second.saturating_add(64 * place))),
        };
        match address {
            None | Some(Address::Nowhere | Address::Kernel) => Decision::QUIET,
            Some(Address::Unreadable) => Decision::quietly(Answer::Fails(libc::EFAULT)),
            Some(Address::Other) => Decision::quietly(Answer::Fails(libc::EAFNOSUPPORT)),
            Some(Address::Unix(path)) => self.local(&self.socket_path(tracee, &path)),
            Some(Address::Inet(address)) => self.datagram(address),
        }
    }
}

/// The plan with its paths as the kernel tells them: without links.
fn with_real_paths(plan: &Plan) -> Plan {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut plan = plan.clone();
    for paths in [&mut plan.writable, &mut plan.read_only, &mut plan.empty] {
        *paths = paths.iter().map(real).collect();
    }
    for overlay in &mut plan.overlays {
        overlay.lower = real(&overlay.lower);
    }
    plan
}

fn family(number: u64) -> String {
    match i32::try_from(number).unwrap_or(-1) {
        libc::AF_UNIX => "AF_UNIX".to_owned(),
        libc::AF_INET => "AF_INET".to_owned(),
        libc::AF_INET6 => "AF_INET6".to_owned(),
        libc::AF_PACKET => "AF_PACKET".to_owned(),
        libc::AF_VSOCK => "AF_VSOCK".to_owned(),
        other => format!("family {other}"),
    }
}

fn shared_memory(call: libc::c_long) -> Option<&'static str> {
    match call {
        libc::SYS_shmget => Some("shmget"),
        libc::SYS_msgget => Some("msgget"),
        libc::SYS_semget => Some("semget"),
        libc::SYS_mq_open => Some("mq_open"),
        libc::SYS_mq_unlink => Some("mq_unlink"),
        _ => None,
    }
}

fn named(call: libc::c_long) -> &'static str {
    match call {
        libc::SYS_ptrace => "ptrace",
        libc::SYS_process_vm_writev => "process_vm_writev",
        libc::SYS_process_madvise => "process_madvise",
        libc::SYS_pidfd_open => "pidfd_open",
        libc::SYS_pidfd_getfd => "pidfd_getfd",
        libc::SYS_mount | libc::SYS_fsopen | libc::SYS_fsmount | libc::SYS_move_mount => "mount",
        libc::SYS_open_tree => "open_tree",
        libc::SYS_mount_setattr => "mount_setattr",
        libc::SYS_umount2 => "umount2",
        libc::SYS_pivot_root => "pivot_root",
        libc::SYS_chroot => "chroot",
        libc::SYS_bpf => "bpf",
        libc::SYS_add_key | libc::SYS_request_key | libc::SYS_keyctl => "keyctl",
        libc::SYS_open_by_handle_at => "open_by_handle_at",
        libc::SYS_userfaultfd => "userfaultfd",
        libc::SYS_perf_event_open => "perf_event_open",
        _ => "another system call",
    }
}
