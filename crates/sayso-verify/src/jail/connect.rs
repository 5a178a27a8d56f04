//! What a `connect` leads to.
//!
//! The kernel never goes on with one by itself: the address, and the socket behind the descriptor, could be
//! others by then. What is let is done here, with the server's own socket (`pidfd_getfd(2)`) or with one of
//! this process that takes its place.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::net::SocketType;

use super::decide::{Decision, Judge, NOBODY, UNREACHABLE};
use super::kernel::{self, Answer, Waiting};
use super::names::DNS;
use super::network::{self, WayOut};
use super::tracee::{Address, Tracee, is_of_packets};
use super::watch::connected;
use crate::event::{Act, Connection, Scope};
use crate::plan::{Meets, Mode, Network};

/// Sockets that C libraries try before anything else; that nobody answers changes nothing.
const NAME_CACHES: [&str; 2] = ["/var/run/nscd/socket", "/run/nscd/socket"];

/// One `connect`.
struct Wanted {
    id: u64,
    thread: u32,
    tracee: Tracee,
    /// The server's descriptor.
    number: u64,
    /// The same socket.
    socket: OwnedFd,
    /// The address, as the kernel takes it.
    bytes: Vec<u8>,
}

impl Judge {
    pub(super) fn connect(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [number, address, length, ..] = waiting.arguments;
        let (address, bytes) = tracee.address(address, length);
        let Some(socket) = tracee.descriptor(number) else {
            return Decision::quietly(Answer::Fails(libc::EBADF));
        };
        let is_stream = rustix::net::sockopt::socket_type(&socket).ok() == Some(SocketType::STREAM);
        let (id, thread) = (waiting.id, waiting.thread);
        let wanted = Wanted {
            id,
            thread,
            tracee,
            number,
            socket,
            bytes,
        };
        match address {
            Address::Unreadable => Decision::quietly(Answer::Fails(libc::EFAULT)),
            // A stream with a way out that took the place of the server's must never get loose.
            Address::Nowhere if is_stream => Decision::quietly(Answer::Fails(libc::EINVAL)),
            Address::Nowhere if self.mode() == Mode::Landlock && is_of_packets(&wanted.socket) => {
                Decision::quietly(Answer::Returns(0))
            }
            Address::Nowhere | Address::Kernel => self.itself(None, wanted),
            Address::Other => Decision::quietly(Answer::Fails(libc::EAFNOSUPPORT)),
            Address::Unix(path) => self.locally(&path, wanted),
            Address::Inet(address) if is_stream => self.stream(address, wanted),
            Address::Inet(address) => self.datagrams(address, wanted),
        }
    }

    /// Without a packet. C libraries order the addresses of a name by trying to connect so.
    fn datagrams(&self, address: SocketAddr, wanted: Wanted) -> Decision {
        if self.name(address).is_some() {
            return Decision::quietly(Answer::Fails(libc::ENETUNREACH));
        }
        if self.asks_names(address, wanted.thread) {
            return match self.mode() {
                Mode::Namespaces => self.itself(None, wanted),
                // Where else it leads was seen to when it was made.
                Mode::Landlock => Decision::quietly(Answer::Returns(0)),
            };
        }
        let connection = self.connection("udp", address);
        if connection.scope == Scope::Loopback && self.mode() == Mode::Namespaces {
            return self.itself(Some(Act::Connect(connection)), wanted);
        }
        Decision::refused(Act::Connect(connection), UNREACHABLE)
    }

    fn locally(&self, path: &Path, wanted: Wanted) -> Decision {
        let path = self.socket_path(wanted.tracee, path);
        let decision = self.local(&path);
        if !self.is_bound(&path) {
            return decision;
        }
        if !path.is_absolute() {
            return self.itself(decision.act, wanted);
        }
        // The path means something else to this process, and may to the server by now.
        let Some(bound) = wanted.tracee.open(&path) else {
            return Decision::quietly(Answer::Fails(libc::ECONNREFUSED));
        };
        let done = rustix::net::SocketAddrUnix::new(format!("/proc/self/fd/{}", bound.as_raw_fd()))
            .and_then(|bound| rustix::net::connect(&wanted.socket, &bound));
        Decision {
            answer: Some(answer_of(done.map_err(io::Error::from))),
            ..decision
        }
    }

    /// The path of a Unix socket without links; of an abstract name `@` and the name.
    pub(super) fn socket_path(&self, tracee: Tracee, path: &Path) -> PathBuf {
        if path.as_os_str().as_encoded_bytes().starts_with(b"@") {
            return path.to_owned();
        }
        tracee.file(i64::from(libc::AT_FDCWD), path, true).0
    }

    /// What is told of a socket of this machine, and how the attempt ends where it is none of the server's.
    pub(super) fn local(&self, path: &Path) -> Decision {
        let act = Act::Connect(Connection {
            protocol: "unix".to_owned(),
            host: None,
            address: path.display().to_string(),
            port: None,
            scope: Scope::Local,
            live: false,
            first: None,
        });
        if self.is_bound(path) {
            return Decision::QUIET;
        }
        let mut decision = Decision::refused(act, NOBODY);
        if NAME_CACHES.iter().any(|cache| path == Path::new(cache)) {
            decision.act = None;
        }
        decision
    }

    pub(super) fn connection(&self, protocol: &str, address: SocketAddr) -> Connection {
        let host = self.name(address);
        // What has a name has a made-up address.
        let scope = if host.is_some() {
            Scope::OpenWorld
        } else {
            network::scope(address.ip())
        };
        Connection {
            protocol: protocol.to_owned(),
            host,
            address: address.ip().to_string(),
            port: Some(address.port()),
            scope,
            live: false,
            first: None,
        }
    }

    fn stream(&self, address: SocketAddr, wanted: Wanted) -> Decision {
        let connection = self.connection("tcp", address);
        let Network::Recorded {
            meets,
            live,
            loopback,
        } = self.network()
        else {
            return Decision::refused(Act::Connect(connection), UNREACHABLE);
        };
        if rustix::net::getpeername(&wanted.socket).is_ok_and(|peer| peer.is_some()) {
            return Decision::quietly(Answer::Fails(libc::EISCONN));
        }
        if address.port() == DNS {
            return Decision::quietly(
                wanted.replaced(&self.filter(), self.resolver(wanted.thread)),
            );
        }
        let way = network::way_out(live, connection.host.as_deref(), address.ip());
        if connection.scope == Scope::Loopback {
            return self.loopback(connection, address.port(), loopback, way, wanted);
        }
        if let Some(way) = way {
            return self.out(connection, way, address.port(), wanted);
        }
        match meets {
            Meets::Refusal => Decision::refused(Act::Connect(connection), UNREACHABLE),
            Meets::Sink => {
                let sink = self.sink(wanted.thread, connection);
                Decision::quietly(wanted.replaced(&self.filter(), sink))
            }
        }
    }

    /// Makes the connection that was asked for.
    fn out(&self, connection: Connection, way: WayOut, port: u16, wanted: Wanted) -> Decision {
        self.beside(wanted, move |wanted, filter| {
            wanted.replaced(filter, network::reach(&way, port))
        });
        Decision {
            answer: None,
            act: Some(Act::Connect(Connection {
                live: true,
                ..connection
            })),
            refused: None,
        }
    }

    fn loopback(
        &self,
        connection: Connection,
        port: u16,
        allowed: &[u16],
        way: Option<WayOut>,
        wanted: Wanted,
    ) -> Decision {
        if allowed.contains(&port) {
            self.beside(wanted, move |wanted, filter| {
                wanted.replaced(filter, network::reach_loopback(port))
            });
            return Decision {
                answer: None,
                act: Some(Act::Connect(connection)),
                refused: None,
            };
        }
        if let Some(way) = way.filter(|_| !self.listens_on(port)) {
            return self.out(connection, way, port, wanted);
        }
        let act = Act::Connect(connection);
        // In a network of its own is nobody but the server.
        if self.mode() == Mode::Namespaces || self.listens_on(port) {
            return self.itself(Some(act), wanted);
        }
        Decision::refused(act, NOBODY)
    }

    /// Connects the server's own socket.
    fn itself(&self, act: Option<Act>, wanted: Wanted) -> Decision {
        let has =
            |flag: i32| wanted.tracee.flags(wanted.number) & u64::from(flag.unsigned_abs()) != 0;
        if has(libc::O_NONBLOCK) {
            let answer = wanted.connected();
            return Decision {
                answer: Some(answer),
                act,
                refused: None,
            };
        }
        self.beside(wanted, |wanted, _| wanted.connected());
        Decision {
            answer: None,
            act,
            refused: None,
        }
    }

    /// Answers from a thread of its own: others must not wait for it.
    fn beside(
        &self,
        wanted: Wanted,
        work: impl FnOnce(&Wanted, &OwnedFd) -> Answer + Send + 'static,
    ) {
        let (id, filter) = (wanted.id, self.filter());
        let listener = Arc::clone(&filter);
        let thread = std::thread::Builder::new().name("jail-connect".to_owned());
        let go = move || kernel::answer(listener.as_fd(), id, work(&wanted, &listener));
        if thread.spawn(go).is_err() {
            kernel::answer(filter.as_fd(), id, Answer::Fails(libc::EAGAIN));
        }
    }
}

impl Wanted {
    fn connected(&self) -> Answer {
        answer_of(kernel::connect(self.socket.as_fd(), &self.bytes))
    }

    /// Puts a socket of ours in the place of the server's.
    fn replaced(&self, filter: &OwnedFd, ours: io::Result<std::net::TcpStream>) -> Answer {
        match ours {
            Ok(ours) => connected(filter, self.id, self.tracee, self.number, &ours),
            Err(error) => Answer::Fails(error.raw_os_error().unwrap_or(libc::EHOSTUNREACH)),
        }
    }
}

fn answer_of(done: io::Result<()>) -> Answer {
    match done {
        Ok(()) => Answer::Returns(0),
        Err(error) => Answer::Fails(error.raw_os_error().unwrap_or(libc::ECONNREFUSED)),
    }
}
