//! What becomes of a system call that waits.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::SocketType;

use super::files::{self, About, Leave};
use super::kernel::{self, Answer, Waiting};
use super::network::{self, Names};
use super::tracee::{Address, Tracee};
use super::watch::{Shared, connected};
use super::{filter, processes};
use crate::event::{Act, Connection, Scope};
use crate::plan::{Meets, Mode, Network, Plan, Purpose};

/// Sockets that C libraries try before anything else; that nobody answers changes nothing.
const NAME_CACHES: [&str; 2] = ["/var/run/nscd/socket", "/run/nscd/socket"];

/// Where programs ask for names.
const DNS: u16 = 53;

/// What becomes of a call, and what is told of it.
pub(super) struct Decision {
    /// None where another thread lets it come back.
    pub(super) answer: Option<Answer>,
    pub(super) act: Option<Act>,
    pub(super) refused: Option<&'static str>,
}

impl Decision {
    const QUIET: Self = Self {
        answer: Some(Answer::Continue),
        act: None,
        refused: None,
    };

    fn let_through(act: Act) -> Self {
        Self {
            act: Some(act),
            ..Self::QUIET
        }
    }

    fn refused(act: Act, (number, name): Error) -> Self {
        Self {
            answer: Some(Answer::Fails(number)),
            act: Some(act),
            refused: Some(name),
        }
    }
}

type Error = (i32, &'static str);
const READ_ONLY: Error = (libc::EROFS, "EROFS");
const NO_ACCESS: Error = (libc::EACCES, "EACCES");
const NOT_PERMITTED: Error = (libc::EPERM, "EPERM");
const UNREACHABLE: Error = (libc::ENETUNREACH, "ENETUNREACH");
const NOBODY: Error = (libc::ECONNREFUSED, "ECONNREFUSED");
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
            plan: plan.clone(),
            shared,
            filter,
            names: Names::default(),
            bound: Mutex::default(),
            has_begun: false.into(),
        }
    }

    /// Nothing is let through that was not looked at; what cannot be read is left to the kernel, which
    /// allows nothing more.
    pub(super) fn decide(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        match files::about(waiting, tracee) {
            About::Files(act) => self.files(act),
            About::Nothing => Decision::QUIET,
            About::Else => self.others(waiting, tracee),
        }
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
            libc::SYS_bind => self.bind(tracee.address(second, third)),
            libc::SYS_listen => Decision::QUIET,
            libc::SYS_sendto | libc::SYS_sendmsg | libc::SYS_sendmmsg => self.send(waiting, tracee),
            libc::SYS_socket => {
                let family = family(first);
                let inet = first == libc::AF_INET as u64 || first == libc::AF_INET6 as u64;
                let error = if inet { UNREACHABLE } else { NO_ACCESS };
                Decision::refused(Act::Socket { family }, error)
            }
            libc::SYS_kill
            | libc::SYS_tkill
            | libc::SYS_tgkill
            | libc::SYS_rt_sigqueueinfo
            | libc::SYS_rt_tgsigqueueinfo
            | libc::SYS_pidfd_send_signal => self.signal(waiting, tracee),
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
        // The first is the server's own program.
        if !self.has_begun.swap(true, Ordering::Relaxed) {
            return Decision::QUIET;
        }
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
        let jail = self.shared.process.load(Ordering::Relaxed);
        let own = processes::descendants(jail);
        let is_own = match waiting.call {
            libc::SYS_pidfd_send_signal => tracee
                .process_of(first)
                .is_some_and(|process| own.contains(&process)),
            // Process numbers of its own: what has one is in there. Its own group is its own.
            _ if target == 0 => true,
            _ if self.plan.mode == Mode::Namespaces => {
                let one = Path::new("/proc").join(tracee.thread.to_string());
                let seen = format!("root/proc/{}", target.unsigned_abs());
                target != -1 && one.join(seen).exists()
            }
            _ => u32::try_from(target.unsigned_abs()).is_ok_and(|target| own.contains(&target)),
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

    fn bind(&self, address: Address) -> Decision {
        let remember = |path: Option<&Path>, port: Option<u16>| {
            let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
            bound.0.extend(path.map(Path::to_owned));
            bound.1.extend(port);
        };
        match address {
            Address::Unix(path) => {
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
            Address::Other => Decision::QUIET,
        }
    }

    fn is_bound(&self, path: &Path) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.0.contains(path)
    }

    fn connect(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [socket, address, length, ..] = waiting.arguments;
        let is_stream = tracee
            .descriptor(socket)
            .and_then(|socket| rustix::net::sockopt::socket_type(&socket).ok())
            == Some(SocketType::STREAM);
        match tracee.address(address, length) {
            Address::Other => Decision::QUIET,
            Address::Unix(path) => self.local(&path),
            Address::Inet(address) if is_stream => self.stream(waiting, tracee, address),
            // C libraries order addresses by trying to connect so; nothing is sent.
            Address::Inet(address) if self.names.name(address.ip()).is_some() => Decision {
                answer: Some(Answer::Fails(libc::ENETUNREACH)),
                act: None,
                refused: None,
            },
            Address::Inet(address) => self.datagram(address),
        }
    }

    fn local(&self, path: &Path) -> Decision {
        if self.is_bound(path) {
            return Decision::QUIET;
        }
        let act = Act::Connect(Connection {
            protocol: "unix".to_owned(),
            host: None,
            address: path.display().to_string(),
            port: None,
            scope: Scope::Local,
            first: None,
        });
        let mut decision = Decision::refused(act, NOBODY);
        if NAME_CACHES.iter().any(|cache| path == Path::new(cache)) {
            decision.act = None;
        }
        decision
    }

    fn connection(&self, protocol: &str, address: SocketAddr) -> Connection {
        Connection {
            protocol: protocol.to_owned(),
            host: self.names.name(address.ip()),
            address: address.ip().to_string(),
            port: Some(address.port()),
            scope: network::scope(address.ip()),
            first: None,
        }
    }

    fn datagram(&self, address: SocketAddr) -> Decision {
        let connection = self.connection("udp", address);
        let is_own = connection.scope == Scope::Loopback && self.plan.mode == Mode::Namespaces;
        match is_own {
            true => Decision::let_through(Act::Connect(connection)),
            false => Decision::refused(Act::Connect(connection), UNREACHABLE),
        }
    }

    fn stream(&self, waiting: &Waiting, tracee: Tracee, address: SocketAddr) -> Decision {
        let Network::Recorded {
            meets,
            live,
            loopback,
        } = &self.plan.network
        else {
            let connection = self.connection("tcp", address);
            return Decision::refused(Act::Connect(connection), UNREACHABLE);
        };
        let number = waiting.arguments[0];
        let replaced = |socket: std::io::Result<std::net::TcpStream>| match socket {
            Ok(socket) => connected(&self.filter, waiting.id, tracee, number, &socket),
            Err(_) => Answer::Fails(libc::ECONNREFUSED),
        };
        let thread = waiting.thread;
        if address.port() == DNS {
            let shared = Arc::clone(&self.shared);
            let heard = move |name: &str| {
                let name = name.to_owned();
                shared.record(thread, Act::Resolve { name }, None);
            };
            let answer = replaced(network::resolver(self.names.clone(), heard));
            return Decision {
                answer: Some(answer),
                act: None,
                refused: None,
            };
        }
        let connection = self.connection("tcp", address);
        if connection.scope == Scope::Loopback {
            return self.loopback(connection, address.port(), loopback, replaced);
        }
        let host = connection
            .host
            .clone()
            .unwrap_or_else(|| address.ip().to_string());
        if network::is_live(live, &host) {
            self.go_out(waiting, tracee, host, address.port());
            return Decision {
                answer: None,
                act: Some(Act::Connect(connection)),
                refused: None,
            };
        }
        match meets {
            Meets::Refusal => Decision::refused(Act::Connect(connection), UNREACHABLE),
            Meets::Sink => {
                let place = self.shared.record(thread, Act::Connect(connection), None);
                let shared = Arc::clone(&self.shared);
                let sink = network::sink(move |line| shared.sent_first(place, line));
                Decision {
                    answer: Some(replaced(sink)),
                    act: None,
                    refused: None,
                }
            }
        }
    }

    fn loopback(
        &self,
        connection: Connection,
        port: u16,
        allowed: &[u16],
        replaced: impl Fn(std::io::Result<std::net::TcpStream>) -> Answer,
    ) -> Decision {
        let is_own = || {
            let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
            bound.1.contains(&port)
        };
        let act = Act::Connect(connection);
        if allowed.contains(&port) || self.plan.mode == Mode::Landlock && is_own() {
            return Decision {
                answer: Some(replaced(network::reach_loopback(port))),
                act: Some(act),
                refused: None,
            };
        }
        match self.plan.mode {
            // On the jail's own loopback is nobody but the server.
            Mode::Namespaces => Decision::let_through(act),
            Mode::Landlock => Decision::refused(act, NOBODY),
        }
    }

    /// Connects for real, beside: others must not wait for it.
    fn go_out(&self, waiting: &Waiting, tracee: Tracee, host: String, port: u16) {
        let (id, number) = (waiting.id, waiting.arguments[0]);
        let filter = Arc::clone(&self.filter);
        let go = move || {
            let answer = match network::reach(&host, port) {
                Ok(socket) => connected(&filter, id, tracee, number, &socket),
                Err(_) => Answer::Fails(libc::EHOSTUNREACH),
            };
            kernel::answer(filter.as_fd(), id, answer);
        };
        let thread = std::thread::Builder::new().name("jail-live".to_owned());
        if thread.spawn(go).is_err() {
            let failed = Answer::Fails(libc::EHOSTUNREACH);
            kernel::answer(self.filter.as_fd(), waiting.id, failed);
        }
    }

    fn send(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [_, second, third, _, fifth, sixth] = waiting.arguments;
        // `struct msghdr` begins with the address and its length; `struct mmsghdr` is 64 bytes long.
        let named = |message: u64| {
            let address = tracee.number(message).filter(|address| *address != 0)?;
            let length = tracee.number(message + 8).unwrap_or_default() & 0xffff_ffff;
            Some(tracee.address(address, length))
        };
        let address = match waiting.call {
            libc::SYS_sendto => Some(tracee.address(fifth, sixth)),
            libc::SYS_sendmsg => named(second),
            _ => (0..third.min(64)).find_map(|place| named(second + 64 * place)),
        };
        match address {
            None | Some(Address::Other) => Decision::QUIET,
            Some(Address::Unix(path)) => self.local(&path),
            Some(Address::Inet(address)) => self.datagram(address),
        }
    }
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
