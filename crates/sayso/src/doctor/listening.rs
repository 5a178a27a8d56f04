//! Whether the address to listen on is free, or has a gate.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use super::Finding;
use crate::gate::rules::Place;

/// How long whatever listens there may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn look_at(place: &Place) -> Option<Finding> {
    let address = place.settings.listen_address()?;
    Some(match TcpListener::bind(address) {
        Ok(_) => Finding::fine("listen", format!("{address} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if is_gate(address) {
                Finding::fine("listen", format!("a gate answers at {address}"))
            } else {
                Finding::problem(
                    "listen",
                    format!("something else listens on {address}"),
                    "set another port for `listen`, or end what is there",
                )
            }
        }
        Err(error) => Finding::problem(
            "listen",
            format!("cannot listen on {address}: {error}"),
            "set an address of this machine, such as `127.0.0.1:8931`",
        ),
    })
}

/// Whether what listens there says that it is well, as a gate does.
fn is_gate(address: SocketAddr) -> bool {
    let ask = || -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )?;
        let mut head = vec![0; 12];
        stream.read_exact(&mut head)?;
        Ok(head)
    };
    ask().is_ok_and(|head| head == b"HTTP/1.1 200")
}
