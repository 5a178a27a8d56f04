//! What becomes of sockets and of what is sent over them.

use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::{Decision, Judge, NO_ACCESS, UNREACHABLE};
use crate::event::{Act, Connection, Scope};
use crate::jail::files::{self, Leave};
use crate::jail::kernel::{Answer, Waiting};
use crate::jail::names::DNS;
use crate::jail::tracee::{Address, Tracee};
use crate::jail::{kernel, network};
use crate::plan::{Mode, Network, Purpose};

impl Judge {
    /// Ends that could send anywhere.
    pub(super) fn pair(&self, number: u64) -> Decision {
        let family = family(number);
        Decision::refused(Act::Socket { family }, NO_ACCESS)
    }

    /// Sockets of families that nothing may use here.
    pub(super) fn socket(&self, waiting: &Waiting) -> Decision {
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
        if is_inet && kind == libc::SOCK_DGRAM && self.answers_datagrams() {
            return self.asking_socket(waiting);
        }
        let family = family(family_number);
        Decision::refused(
            Act::Socket { family },
            if is_inet { UNREACHABLE } else { NO_ACCESS },
        )
    }

    /// Whether a socket for datagrams is one of packets that leads to a resolver and nowhere else.
    fn answers_datagrams(&self) -> bool {
        self.plan.mode == Mode::Landlock && matches!(self.plan.network, Network::Recorded { .. })
    }

    /// A socket to ask for names with, in the place of one that could send anywhere.
    fn asking_socket(&self, waiting: &Waiting) -> Decision {
        let [_, kind, ..] = waiting.arguments;
        let has = |flag: i32| kind & u64::from(flag.unsigned_abs()) != 0;
        let (shared, thread) = (Arc::clone(&self.shared), waiting.thread);
        let socket = self.names.by_datagrams(move |name| {
            let name = name.to_owned();
            shared.record(thread, Act::Resolve { name }, None);
        });
        let given = socket.and_then(|socket| {
            if has(libc::SOCK_NONBLOCK) {
                rustix::io::ioctl_fionbio(&socket, true)?;
            }
            let filter = self.filter.as_fd();
            kernel::give(filter, waiting.id, socket.as_fd(), has(libc::SOCK_CLOEXEC))
        });
        match given {
            Ok(()) => Decision {
                answer: None,
                ..Decision::QUIET
            },
            Err(error) => {
                Decision::quietly(Answer::Fails(error.raw_os_error().unwrap_or(libc::EMFILE)))
            }
        }
    }

    /// Whether an address is one where names are asked for, and who asks is remembered.
    pub(in crate::jail) fn asks_names(&self, address: SocketAddr, thread: u32) -> bool {
        let asks = address.port() == DNS && matches!(self.plan.network, Network::Recorded { .. });
        if asks {
            self.shared.asker.store(thread, Ordering::Relaxed);
        }
        asks
    }

    pub(super) fn bind(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [socket, address, length, ..] = waiting.arguments;
        let address = tracee.address(address, length).0;
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
                if self.answers_datagrams() && tracee.has_packets(socket) {
                    // It needs no address to ask from, and hears nothing at any.
                    return match address.port() {
                        0 => Decision::quietly(Answer::Returns(0)),
                        _ => Decision::refused(act, NO_ACCESS),
                    };
                }
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
    pub(super) fn listen(&self, socket: u64, tracee: Tracee) -> Decision {
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

    pub(in crate::jail) fn is_bound(&self, path: &Path) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.0.contains(path)
    }

    /// Whether the server itself waits for connections at a port of this machine.
    pub(in crate::jail) fn listens_on(&self, port: u16) -> bool {
        let bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.1.contains(&port)
    }

    /// A connection to a resolver, and a record of what it is asked.
    pub(in crate::jail) fn resolver(&self, thread: u32) -> std::io::Result<std::net::TcpStream> {
        let shared = Arc::clone(&self.shared);
        self.names.by_tcp(move |name| {
            let name = name.to_owned();
            shared.record(thread, Act::Resolve { name }, None);
        })
    }

    /// A connection to nowhere, and a record of what it is used for.
    pub(in crate::jail) fn sink(
        &self,
        thread: u32,
        connection: Connection,
    ) -> std::io::Result<std::net::TcpStream> {
        let place = self.shared.record(thread, Act::Connect(connection), None);
        let shared = Arc::clone(&self.shared);
        network::sink(move |first| shared.sent_first(place, first))
    }

    fn datagram(&self, address: SocketAddr, thread: u32) -> Decision {
        if self.asks_names(address, thread) {
            return Decision::QUIET;
        }
        let connection = self.connection("udp", address);
        let is_own = connection.scope == Scope::Loopback && self.plan.mode == Mode::Namespaces;
        match is_own {
            true => Decision::let_through(Act::Connect(connection)),
            false => Decision::refused(Act::Connect(connection), UNREACHABLE),
        }
    }

    pub(super) fn send(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
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
            Some(Address::Inet(address)) => self.datagram(address, waiting.thread),
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
