//! Standard input and output that the runtime watches itself: no thread takes part.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream as StdStream;

use rustix::fs::{FileType, Stat, fstat};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens both, if they are pipes or sockets that nobody else has to do with.
pub(super) fn open() -> Option<(Input, Output)> {
    Some((input().ok()??, output().ok()??))
}

fn input() -> io::Result<Option<Input>> {
    let stdin = io::stdin();
    let stat = fstat(&stdin)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Fifo => {
            // Opened anew, it is watched without a change for whoever else holds the old one.
            let pipe = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0");
            pipe.ok().map(|pipe| -> Input { Box::new(pipe) })
        }
        FileType::Socket => Some(Box::new(socket(stdin.as_fd())?)),
        _ => None,
    })
}

fn output() -> io::Result<Option<Output>> {
    let stdout = io::stdout();
    let stat = fstat(&stdout)?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::Fifo => {
            let pipe = pipe::OpenOptions::new().open_sender("/proc/self/fd/1");
            pipe.ok().map(|pipe| -> Output { Box::new(pipe) })
        }
        // A socket cannot be opened anew, and whoever writes to standard error expects to wait.
        FileType::Socket if !is_stderr(&stat)? => Some(Box::new(socket(stdout.as_fd())?)),
        _ => None,
    })
}

fn is_stderr(stat: &Stat) -> io::Result<bool> {
    let stderr = fstat(io::stderr())?;
    Ok((stat.st_dev, stat.st_ino) == (stderr.st_dev, stderr.st_ino))
}

fn socket(descriptor: BorrowedFd<'_>) -> io::Result<UnixStream> {
    let stream = StdStream::from(descriptor.try_clone_to_owned()?);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
