//! The network of a jail. There is none: each connection is answered by the watcher, with a socket of its
//! own in the place of the server's.
//!
//! A name gets an address that leads nowhere and is remembered with it, so that a connection is known by
//! its name, and one that is let out goes to where the name really leads. What the server sends to is
//! copied before it is looked at, so it cannot be changed in between.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::event::Scope;

/// How long a live host has to take a connection.
const LIVE: Duration = Duration::from_secs(10);

/// How long the other end of a sink or a resolver waits for more.
const IDLE: Duration = Duration::from_secs(30);

/// What a name resolves to, counted up from here. It looks like an address of the open world, as programs
/// refuse those set aside for tests; nothing is ever sent there.
const POOL: u32 = u32::from_be_bytes([44, 128, 0, 1]);

/// A page for whoever believes to be online.
const PAGE: &str = "<!doctype html><title>Page</title><p>This page was made up.</p>\n";

/// Names and the addresses made up for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Arc<Mutex<BTreeMap<u32, String>>>);

impl Names {
    /// The address of a name, the same each time.
    pub(super) fn address(&self, name: &str) -> Ipv4Addr {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(address, _)| *address);
        let count = u32::try_from(names.len()).unwrap_or_default();
        let address = known.unwrap_or(POOL.saturating_add(count));
        names.insert(address, name.to_owned());
        Ipv4Addr::from(address)
    }

    /// The name an address was made up for.
    pub(super) fn name(&self, address: IpAddr) -> Option<String> {
        let IpAddr::V4(address) = address else {
            return None;
        };
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(&u32::from(address)).cloned()
    }
}

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

/// Whether a host is among those that are let out: by its name or address, by `*.` and the end of its
/// name, or by `*`, which is every host.
pub(super) fn is_live(live: &[String], host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    live.iter().any(|pattern| {
        let pattern = pattern.to_ascii_lowercase();
        if pattern == "*" {
            return true;
        }
        match pattern.strip_prefix("*.") {
            Some(end) => host
                .strip_suffix(end)
                .is_some_and(|front| front.ends_with('.')),
            None => host == pattern,
        }
    })
}

/// A connection to where a name really leads.
pub(super) fn reach(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
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
fn pair() -> io::Result<(TcpStream, TcpStream)> {
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

/// A connection to a resolver, that tells each name that is asked for.
pub(super) fn resolver(
    names: Names,
    heard: impl Fn(&str) + Send + 'static,
) -> io::Result<TcpStream> {
    let (mut ours, theirs) = pair()?;
    std::thread::Builder::new()
        .name("jail-resolver".to_owned())
        .spawn(move || while answer_query(&mut ours, &names, &heard).is_ok() {})?;
    Ok(theirs)
}

/// One query over TCP: a length, and the message (RFC 1035, 4.2.2).
fn answer_query(stream: &mut TcpStream, names: &Names, heard: &impl Fn(&str)) -> io::Result<()> {
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut query)?;
    let (name, answer) = reply_to(&query, names).ok_or(io::ErrorKind::InvalidData)?;
    heard(&name);
    let length = u16::try_from(answer.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut framed = length.to_be_bytes().to_vec();
    framed.extend(answer);
    stream.write_all(&framed)
}

/// The name a query asks for, and an answer: for an A record the name's address, for others none (RFC 1035, 4.1).
fn reply_to(query: &[u8], names: &Names) -> Option<(String, Vec<u8>)> {
    const A: [u8; 2] = [0, 1];
    let (header, mut rest) = (query.get(..12)?, query.get(12..)?);
    let mut labels = Vec::new();
    loop {
        let (length, behind) = rest.split_first()?;
        rest = behind;
        if *length == 0 {
            break;
        }
        let length = usize::from(*length);
        if length > 63 {
            return None;
        }
        labels.push(String::from_utf8_lossy(rest.get(..length)?).into_owned());
        rest = rest.get(length..)?;
    }
    let name = labels.join(".").to_ascii_lowercase();
    let kind = rest.get(..2)?;
    let question = query.get(12..query.len() - rest.len() + 4)?;
    let is_address = kind == A;
    let mut answer = header.get(..2)?.to_vec();
    // A response, recursion desired and available; one question, and one answer or none.
    answer.extend([0x81, 0x80, 0, 1, 0, u8::from(is_address), 0, 0, 0, 0]);
    answer.extend(question);
    if is_address {
        // The name at 12; of the internet; for 60 seconds; four bytes.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        answer.extend(names.address(&name).octets());
    }
    Some((name, answer))
}

/// A connection to nowhere: plain HTTP gets a page, everything else an end. What comes first is told.
pub(super) fn sink(heard: impl FnOnce(String) + Send + 'static) -> io::Result<TcpStream> {
    let (mut ours, theirs) = pair()?;
    std::thread::Builder::new()
        .name("jail-sink".to_owned())
        .spawn(move || {
            let mut first = [0; 4096];
            let count = ours.read(&mut first).unwrap_or_default();
            let first = first.get(..count).unwrap_or_default();
            let line = first.split(|byte| *byte == b'\r' || *byte == b'\n').next();
            let is_text = line.is_some_and(|line| line.iter().all(|byte| (0x20..0x7f).contains(byte)));
            match line.filter(|line| is_text && !line.is_empty()) {
                Some(line) => {
                    heard(String::from_utf8_lossy(line).into_owned());
                    let length = PAGE.len();
                    let reply = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{PAGE}"
                    );
                    // Who asked may be gone.
                    let _ = ours.write_all(reply.as_bytes());
                }
                None if first.first() == Some(&0x16) => heard("a TLS handshake".to_owned()),
                None => heard(format!("{count} bytes")),
            }
        })?;
    Ok(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_address_that_looks_public() {
        let names = Names::default();
        let (one, two) = (names.address("a.example"), names.address("b.example"));
        assert_ne!(one, two);
        assert_eq!(names.address("a.example"), one);
        assert_eq!(names.name(two.into()).as_deref(), Some("b.example"));
        assert_eq!(scope(one.into()), Scope::OpenWorld);
    }

    #[test]
    fn a_query_is_answered() {
        let names = Names::default();
        let mut query = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        query.extend(b"\x03api\x07example\x00\x00\x01\x00\x01");
        let answered = reply_to(&query, &names);
        let (name, answer) = answered
            .as_ref()
            .map_or(("", &[][..]), |(name, answer)| (name, answer));
        assert_eq!(name, "api.example");
        assert_eq!(answer.get(..8), Some(&[7, 9, 0x81, 0x80, 0, 1, 0, 1][..]));
        assert!(answer.ends_with(&names.address("api.example").octets()));
        for cut in 0..query.len() - 1 {
            assert!(
                reply_to(query.get(..cut).unwrap_or_default(), &names).is_none(),
                "{cut}"
            );
        }
    }

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
}
