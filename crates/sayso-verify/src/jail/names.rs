//! Names, and who answers for them: a name gets an address that leads nowhere and is remembered with it,
//! so that a connection is known by its name.
//!
//! Programs ask by TCP, where their C library is told to; others ask by UDP. With namespaces that is a
//! socket in the jail's own network, at every address. Without, it is one end of a pair whose other end
//! is here: such a socket leads nowhere else, whatever address is sent to.

use std::collections::BTreeMap;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg,
};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use super::network;

/// Where programs ask for names.
pub(super) const DNS: u16 = 53;

/// What a name resolves to, counted up from here. It looks like an address of the open world, as programs
/// refuse those set aside for tests; nothing is ever sent there.
const POOL: u32 = u32::from_be_bytes([44, 128, 0, 1]);

/// The longest query that is read: programs that ask by UDP send no longer ones.
const LONGEST: usize = 4096;

/// How many sockets that ask by UDP there may be at once, where each has somebody of its own to answer.
const ASKERS: usize = 256;

/// Names and the addresses made up for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    known: Arc<Mutex<BTreeMap<u32, String>>>,
    askers: Arc<AtomicUsize>,
}

impl Names {
    /// The address of a name, the same each time.
    pub(super) fn address(&self, name: &str) -> Ipv4Addr {
        let mut names = self.known.lock().unwrap_or_else(PoisonError::into_inner);
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
        let names = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(&u32::from(address)).cloned()
    }

    /// A connection to a resolver, that tells each name that is asked for.
    pub(super) fn by_tcp(&self, heard: impl Fn(&str) + Send + 'static) -> io::Result<TcpStream> {
        let (mut ours, theirs) = network::pair()?;
        let names = self.clone();
        std::thread::Builder::new()
            .name("jail-resolver".to_owned())
            .spawn(move || while answer_query(&mut ours, &names, &heard).is_ok() {})?;
        Ok(theirs)
    }

    /// A socket for datagrams that has nobody but a resolver at its other end. It is one of packets
    /// (`unix(7)`, `SOCK_SEQPACKET`): the kernel takes no notice of where a packet is to go.
    pub(super) fn by_datagrams(
        &self,
        heard: impl Fn(&str) + Send + 'static,
    ) -> io::Result<OwnedFd> {
        let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
        let (ours, theirs) = rustix::net::socketpair(family, SocketType::SEQPACKET, flags, None)?;
        if self.askers.fetch_add(1, Ordering::Relaxed) >= ASKERS {
            self.askers.fetch_sub(1, Ordering::Relaxed);
            return Err(io::Error::from_raw_os_error(libc::EMFILE));
        }
        let names = self.clone();
        let started = std::thread::Builder::new()
            .name("jail-resolver".to_owned())
            .spawn(move || {
                let mut query = [0; LONGEST];
                // Nothing comes when nobody has the other end any more.
                while let Ok((_, count @ 1..)) =
                    rustix::net::recv(&ours, &mut query, RecvFlags::empty())
                {
                    let asked = query.get(..count.min(LONGEST));
                    if let Some((name, answer)) = asked.and_then(|asked| reply_to(asked, &names)) {
                        heard(&name);
                        // Who asked may be gone.
                        let _ = rustix::net::send(&ours, &answer, SendFlags::NOSIGNAL);
                    }
                }
                names.askers.fetch_sub(1, Ordering::Relaxed);
            });
        if let Err(error) = started {
            self.askers.fetch_sub(1, Ordering::Relaxed);
            return Err(error);
        }
        Ok(theirs)
    }

    /// Answers what comes to sockets in the jail's own network, until the other end of `over` is closed.
    pub(super) fn answer(
        &self,
        sockets: Vec<OwnedFd>,
        over: io::PipeReader,
        heard: impl Fn(&str) + Send + 'static,
    ) -> io::Result<()> {
        let names = self.clone();
        std::thread::Builder::new()
            .name("jail-resolver".to_owned())
            .spawn(move || {
                loop {
                    let waited =
                        std::iter::once(over.as_fd()).chain(sockets.iter().map(OwnedFd::as_fd));
                    let mut polled: Vec<PollFd<'_>> = waited
                        .map(|one| PollFd::new(one, PollFlags::POLLIN))
                        .collect();
                    let _ = poll(&mut polled, PollTimeout::NONE);
                    let is_ready =
                        |polled: &PollFd<'_>| polled.revents().is_some_and(|seen| !seen.is_empty());
                    if polled.first().is_some_and(is_ready) {
                        return;
                    }
                    for socket in &sockets {
                        // An error is that of one datagram.
                        while answer_datagram(socket, &names, &heard).is_ok() {}
                    }
                }
            })?;
        Ok(())
    }
}

/// One datagram, answered from the address it was sent to: programs take an answer from nobody else.
fn answer_datagram(socket: &OwnedFd, names: &Names, heard: &impl Fn(&str)) -> io::Result<()> {
    let mut query = [0; LONGEST];
    let mut space = nix::cmsg_space!(libc::in6_pktinfo);
    let mut slices = [IoSliceMut::new(&mut query)];
    let number = socket.as_raw_fd();
    let flags = MsgFlags::MSG_DONTWAIT;
    let heard_of = recvmsg::<SockaddrStorage>(number, &mut slices, Some(&mut space), flags)?;
    let (count, from) = (heard_of.bytes, heard_of.address);
    let mut to = None;
    for beside in heard_of.cmsgs()? {
        to = Some(beside);
    }
    let asked = query.get(..count).unwrap_or_default();
    let (Some((name, answer)), Some(from)) = (reply_to(asked, names), from) else {
        return Ok(());
    };
    heard(&name);
    let answer = [IoSlice::new(&answer)];
    let send = |beside: &[ControlMessage<'_>]| sendmsg(number, &answer, beside, flags, Some(&from));
    // Who asked may be gone.
    let _ = match to {
        Some(ControlMessageOwned::Ipv4PacketInfo(to)) => {
            let by = libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: to.ipi_addr,
                ipi_addr: to.ipi_addr,
            };
            send(&[ControlMessage::Ipv4PacketInfo(&by)])
        }
        Some(ControlMessageOwned::Ipv6PacketInfo(to)) => {
            let by = libc::in6_pktinfo {
                ipi6_addr: to.ipi6_addr,
                ipi6_ifindex: 0,
            };
            send(&[ControlMessage::Ipv6PacketInfo(&by)])
        }
        _ => send(&[]),
    };
    Ok(())
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
        assert_eq!(network::scope(one.into()), crate::event::Scope::OpenWorld);
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
}
