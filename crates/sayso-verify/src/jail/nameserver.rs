//! The sockets in a network of the jail's own at which programs ask for names by UDP. The watcher holds
//! them, and answers ([`names`](super::names)).

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use nix::sys::socket::{setsockopt, sockopt};
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::names::DNS;
use crate::plan::{Network, Plan};

/// Makes every address one of this network's, and listens at each where name servers do: programs ask
/// the one that `resolv.conf` names, or one of their own. What cannot be had is left out; who asks there
/// gets no answer.
pub(super) fn open(plan: &Plan) -> Vec<OwnedFd> {
    if !matches!(plan.network, Network::Recorded { .. }) {
        return Vec::new();
    }
    let families = [
        (
            AddressFamily::INET,
            SocketAddr::from((Ipv4Addr::UNSPECIFIED, DNS)),
        ),
        (
            AddressFamily::INET6,
            SocketAddr::from((Ipv6Addr::UNSPECIFIED, DNS)),
        ),
    ];
    let opened = families.map(|(family, address)| listen(family, address).ok());
    opened.into_iter().flatten().collect()
}

fn listen(family: AddressFamily, address: SocketAddr) -> std::io::Result<OwnedFd> {
    sayso_mcp::supervisor::own_all_addresses(family)?;
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::DGRAM, flags, None)?;
    if address.is_ipv6() {
        rustix::net::sockopt::set_ipv6_v6only(&socket, true)?;
        setsockopt(&socket, sockopt::Ipv6RecvPacketInfo, &true)?;
        // What a route makes its own is no address of its own yet, to answer from.
        rustix::net::sockopt::set_ipv6_freebind(&socket, true)?;
    } else {
        setsockopt(&socket, sockopt::Ipv4PacketInfo, &true)?;
    }
    rustix::net::bind(&socket, &address)?;
    Ok(socket)
}
