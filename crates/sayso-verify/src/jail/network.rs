//! The network of a jail. There is none: each connection is answered by the watcher, with a socket of its
//! own in the place of the server's.
//!
//! One that is let out goes to where its name really leads. What the server sends to is copied before it
//! is looked at, so it cannot be changed in between.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use crate::event::Scope;

/// How long a live host has to take a connection.
const LIVE: Duration = Duration::from_secs(10);

/// How long the other end of a sink or a resolver waits for more.
const IDLE: Duration = Duration::from_secs(30);

/// How much of a TLS handshake is read, in bytes: its first message may come in several parts.
const LONGEST_HELLO: u64 = 64 << 10;

/// A page for whoever believes to be online.
const PAGE: &str = "<!doctype html><title>Page</title><p>This page was made up.</p>\n";

/// How far an address reaches.
pub(super) fn scope(address: IpAddr) -> Scope {
    let is_private = match address {
        IpAddr::V4(four) => {
            four.is_private() || four.is_link_local() || four.is_multicast() || four.is_broadcast()
        }
        IpAddr::V6(six) => {
            six.is_unique_local() || six.is_unicast_link_local() || six.is_multicast()
        }
    };
    match address {
        address if address.is_loopback() || address.is_unspecified() => Scope::Loopback,
        _ if is_private => Scope::PrivateNetwork,
        _ => Scope::OpenWorld,
    }
}

/// Where a connection that is let out goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WayOut {
    /// To where a name leads; not to this machine, where every host was let out and none by name.
    Name {
        /// The name.
        host: String,
        /// Whether that may be this machine.
        here: bool,
    },
    /// To the very address.
    Address(IpAddr),
}

/// The way out of a connection to an address, which was made up for `host` if there is one; none where
/// it is not let out. `*` is every host but this machine, which has to be named.
pub(super) fn way_out(live: &[String], host: Option<&str>, address: IpAddr) -> Option<WayOut> {
    let is_every = live.iter().any(|pattern| pattern == "*");
    if let Some(host) = host {
        let here = is_live(live, host);
        let host = host.to_owned();
        return (here || is_every).then_some(WayOut::Name { host, here });
    }
    let is_here = scope(address) == Scope::Loopback;
    let is_named = is_live(live, &address.to_string())
        || is_here && is_live(live, "localhost")
        || names_of(address).iter().any(|name| is_live(live, name));
    (is_named || is_every && !is_here).then_some(WayOut::Address(address))
}

/// The names this machine's own list has for an address (`hosts(5)`): programs in the jail find it there
/// without asking anybody.
fn names_of(address: IpAddr) -> Vec<String> {
    let list = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let lines = list
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let names = lines.filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let is_of_it = words.next()?.parse() == Ok(address);
        is_of_it.then(|| words.map(str::to_owned).collect::<Vec<_>>())
    });
    names.flatten().collect()
}

/// Whether a host is named among those that are let out: by its name or address, or by `*.` and the end
/// of its name.
fn is_live(live: &[String], host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    live.iter().any(|pattern| {
        let pattern = pattern.to_ascii_lowercase();
        match pattern.strip_prefix("*.") {
            Some(end) => host
                .strip_suffix(end)
                .is_some_and(|front| front.ends_with('.')),
            None => host == pattern,
        }
    })
}

/// A connection that is let out.
pub(super) fn reach(way: &WayOut, port: u16) -> io::Result<TcpStream> {
    let (host, here) = match way {
        WayOut::Address(address) => {
            return TcpStream::connect_timeout(&SocketAddr::new(*address, port), LIVE);
        }
        WayOut::Name { host, here } => (host.as_str(), *here),
    };
    let mut last = io::Error::from_raw_os_error(libc::EHOSTUNREACH);
    for address in (host, port).to_socket_addrs()? {
        if !here && scope(address.ip()) == Scope::Loopback {
            continue;
        }
        match TcpStream::connect_timeout(&address, LIVE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A connection to a port of this machine.
pub(super) fn reach_loopback(port: u16) -> io::Result<TcpStream> {
    TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), LIVE)
}

/// Two ends of a connection.
pub(super) fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let theirs = TcpStream::connect_timeout(&listener.local_addr()?, LIVE)?;
    loop {
        let (ours, from) = listener.accept()?;
        // Somebody else of this machine may be quicker.
        if from == theirs.local_addr()? {
            ours.set_read_timeout(Some(IDLE))?;
            ours.set_write_timeout(Some(IDLE))?;
            return Ok((ours, theirs));
        }
    }
}

/// What came over a connection to nowhere first.
#[derive(Debug)]
pub(super) struct First {
    /// In words: a request line, or what else it was.
    pub(super) line: String,
    /// The name that the other end should have, where one was told.
    pub(super) host: Option<String>,
}

/// A connection to nowhere: plain HTTP gets a page, everything else an end. What comes first is told.
pub(super) fn sink(heard: impl FnOnce(First) + Send + 'static) -> io::Result<TcpStream> {
    let (mut ours, theirs) = pair()?;
    std::thread::Builder::new()
        .name("jail-sink".to_owned())
        .spawn(move || heard(swallow(&mut ours)))?;
    Ok(theirs)
}

fn swallow(stream: &mut TcpStream) -> First {
    let mut first = [0; 4096];
    let count = stream.read(&mut first).unwrap_or_default();
    let first = first.get(..count).unwrap_or_default();
    let line = first.split(|byte| *byte == b'\r' || *byte == b'\n').next();
    let is_text = line.is_some_and(|line| line.iter().all(|byte| (0x20..0x7f).contains(byte)));
    let (line, host) = match line.filter(|line| is_text && !line.is_empty()) {
        Some(line) => {
            let length = PAGE.len();
            let reply = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{PAGE}"
            );
            // Who asked may be gone.
            let _ = stream.write_all(reply.as_bytes());
            (String::from_utf8_lossy(line).into_owned(), None)
        }
        None if first.first() == Some(&HANDSHAKE) => {
            ("a TLS handshake".to_owned(), server_name(first, stream))
        }
        None => (format!("{count} bytes"), None),
    };
    First { line, host }
}

/// What a record of TLS begins with that has a handshake in it (RFC 8446, 5.1).
const HANDSHAKE: u8 = 0x16;

/// The name of the host that a TLS handshake is for (RFC 6066, 3), of which the beginning was read.
fn server_name(first: &[u8], rest: &mut impl io::Read) -> Option<String> {
    let mut acceptor = rustls::server::Acceptor::default();
    let mut bytes = first.chain(rest).take(LONGEST_HELLO);
    loop {
        if acceptor.read_tls(&mut bytes).ok()? == 0 {
            return None;
        }
        if let Some(accepted) = acceptor.accept().ok()? {
            return accepted.client_hello().server_name().map(str::to_owned);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_their_scope() {
        for (address, is) in [
            ("127.0.0.1", Scope::Loopback),
            ("::1", Scope::Loopback),
            ("0.0.0.0", Scope::Loopback),
            ("10.1.2.3", Scope::PrivateNetwork),
            ("169.254.169.254", Scope::PrivateNetwork),
            ("fd00::1", Scope::PrivateNetwork),
            ("198.51.100.7", Scope::OpenWorld),
            ("2001:db8::1", Scope::OpenWorld),
        ] {
            assert_eq!(address.parse().map(scope), Ok(is), "{address}");
        }
    }

    #[test]
    fn hosts_are_let_out_by_name() {
        let live = ["api.example".to_owned(), "*.pages.example".to_owned()];
        for (host, is) in [
            ("api.example", true),
            ("API.example.", true),
            ("an-api.example", false),
            ("a.pages.example", true),
            ("pages.example", false),
            ("badpages.example", false),
        ] {
            assert_eq!(is_live(&live, host), is, "{host}");
        }
    }

    #[test]
    fn this_machine_is_let_out_to_only_where_it_is_named() {
        let here: IpAddr = [127, 0, 0, 1].into();
        let there: IpAddr = [192, 0, 2, 1].into();
        let way = |live: &str, host, address| way_out(&[live.to_owned()], host, address);
        assert_eq!(way("*", None, here), None);
        assert_eq!(way("*", None, there), Some(WayOut::Address(there)));
        for live in ["localhost", "127.0.0.1"] {
            assert_eq!(way(live, None, here), Some(WayOut::Address(here)), "{live}");
            assert_eq!(way(live, None, there), None, "{live}");
        }
        for (live, here) in [("*", false), ("api.example", true)] {
            let host = "api.example".to_owned();
            let is = Some(WayOut::Name { host, here });
            assert_eq!(way(live, Some("api.example"), there), is, "{live}");
        }
        assert_eq!(way("other.example", Some("api.example"), there), None);
        // A name that leads here is not let out by `*` either.
        let here = WayOut::Name {
            host: "localhost".to_owned(),
            here: false,
        };
        let unreachable = reach(&here, 9).err().and_then(|error| error.raw_os_error());
        assert_eq!(unreachable, Some(libc::EHOSTUNREACH));
    }
}
