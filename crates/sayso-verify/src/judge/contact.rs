//! Who a call got in touch with.

use crate::event::{Act, Connection, Event, Scope};
use crate::judge::Standard;
use crate::judge::paths::is_plumbing;

/// The port of name servers: what is asked of them is told as names.
const DOMAIN: u16 = 53;

/// The host a call asked for or connected to beyond this machine.
pub(super) fn beyond(event: &Event) -> Option<String> {
    match &event.act {
        Act::Resolve { name } if !is_this_machine(name) => Some(name.clone()),
        Act::Connect(connection) if connection.scope >= Scope::PrivateNetwork => Some(
            connection
                .host
                .clone()
                .unwrap_or_else(|| connection.address.clone()),
        ),
        _ => None,
    }
}

/// Whether a call reached for a service of this machine that is neither the server's own nor its
/// fixture's.
pub(super) fn is_foreign_service(
    connection: &Connection,
    refused: bool,
    listening: &[u16],
    standard: &Standard,
) -> bool {
    match connection.scope {
        Scope::Local => refused && !is_plumbing(&connection.address),
        Scope::Loopback => connection.port.is_some_and(|port| {
            port != 0
                && port != DOMAIN
                && !standard.loopback.contains(&port)
                && !listening.contains(&port)
        }),
        Scope::PrivateNetwork | Scope::OpenWorld => false,
    }
}

/// The ports that were listened on in the call itself.
pub(super) fn listening<'a>(events: impl Iterator<Item = &'a Event>) -> Vec<u16> {
    events
        .filter_map(|event| match &event.act {
            Act::Listen { address } => address.rsplit_once(':')?.1.parse().ok(),
            _ => None,
        })
        .collect()
}

fn is_this_machine(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.is_empty()
        || name == "localhost"
        || name.ends_with(".localhost")
        || name == "localhost.localdomain"
        || name.starts_with("ip6-")
        || name.ends_with(".127.in-addr.arpa")
}
