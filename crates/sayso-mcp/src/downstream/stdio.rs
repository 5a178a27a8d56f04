//! A connection over this process's standard input and output.

#[cfg(unix)]
mod polled;

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::outbox::{Kind, Queue, outbox};
use super::pipe::{CHUNK_BYTES, converse, next_batch};
use super::{Ending, Handler, Limits};

/// Serves over this process's standard input and output, as [`serve_pipe`](super::serve_pipe).
///
/// When it returns, the process should end: that is what closes its output. Needs a Tokio runtime
/// with time and I/O.
///
/// # Errors
/// When there is no thread for it.
pub async fn serve_stdio<H: Handler>(handler: Arc<H>, limits: Limits) -> io::Result<Ending> {
    #[cfg(unix)]
    if let Some((input, output)) = polled::open() {
        return Ok(super::serve_pipe(handler, input, output, limits).await);
    }
    serve_threads(handler, limits).await
}

/// Files and terminals cannot be watched.
async fn serve_threads<H: Handler>(handler: Arc<H>, limits: Limits) -> io::Result<Ending> {
    let (sender, chunks) = mpsc::channel(1);
    let (outbox, queue) = outbox(Kind::Conversation);
    let (tell_written, written) = oneshot::channel();
    let runtime = Handle::current();
    // Threads of their own: a runtime waits at its end for what it reads and writes itself, and
    // a read of standard input cannot be called off.
    std::thread::Builder::new().spawn(move || read_stdin(&sender))?;
    std::thread::Builder::new().spawn(move || {
        // Fails where nobody waits for it any more.
        let _ = tell_written.send(write_stdout(&runtime, queue));
    })?;
    let input = Chunks {
        chunks,
        current: io::Cursor::default(),
    };
    Ok(converse(handler, input, outbox, written, limits).await)
}

/// What a thread reads.
struct Chunks {
    /// An error is the last.
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
}

impl AsyncRead for Chunks {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        use std::task::Poll;
        loop {
            let before = self.current.position();
            std::task::ready!(std::pin::Pin::new(&mut self.current).poll_read(cx, buffer))?;
            if self.current.position() > before {
                return Poll::Ready(Ok(()));
            }
            match std::task::ready!(self.chunks.poll_recv(cx)) {
                None => return Poll::Ready(Ok(())),
                Some(Err(error)) => return Poll::Ready(Err(error)),
                Some(Ok(chunk)) => self.current = io::Cursor::new(chunk),
            }
        }
    }
}

fn read_stdin(sender: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let chunk = match io::Read::read(&mut input, &mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                chunk.truncate(count);
                Ok(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = chunk.is_err();
        if sender.blocking_send(chunk).is_err() || is_last {
            return;
        }
    }
}

fn write_stdout(runtime: &Handle, mut queue: Queue) -> io::Result<()> {
    // Not locked for good: whoever writes when this is over must not have to wait for it.
    let mut output = io::stdout();
    let mut batch = Vec::new();
    while runtime.block_on(next_batch(&mut queue, &mut batch)) {
        io::Write::write_all(&mut output, &batch)?;
        io::Write::flush(&mut output)?;
        batch.clear();
    }
    Ok(())
}
