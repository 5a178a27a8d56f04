//! What the jail and its watcher tell each other, as JSON behind its length.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How long a message may be, in bytes: a plan has a command and an environment in it.
const LONGEST: u32 = 16 << 20;

/// How many descriptors come with a message: the filter, and where names are asked for, of each family.
pub(super) const DESCRIPTORS: usize = 3;

/// What the jail tells.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Told {
    /// The filter is in place; its descriptor comes with this, and behind it those of the sockets at which
    /// names are asked for.
    Filter,
    /// There will be no server, and why.
    Failed(String),
}

/// What the watcher tells once it watches.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Go;

pub(super) fn framed(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(message)?;
    let length = u32::try_from(text.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut framed = length.to_ne_bytes().to_vec();
    framed.extend(text);
    Ok(framed)
}

pub(super) fn send(mut socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    socket.write_all(&framed(message)?)
}

pub(super) fn receive<T: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<T> {
    let mut length = [0; 4];
    socket.read_exact(&mut length)?;
    rest(socket, u32::from_ne_bytes(length))
}

/// What comes behind a length.
pub(super) fn rest<T: DeserializeOwned>(mut socket: &UnixStream, length: u32) -> io::Result<T> {
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; usize::try_from(length).unwrap_or_default()];
    socket.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
