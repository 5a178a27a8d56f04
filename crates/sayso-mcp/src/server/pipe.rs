//! A connection over a pair of pipes: one message a line.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::changes::Changes;
use super::connection::{Connection, Step};
use super::event::{Ending, Event};
use super::outbox::{Gone, Outbox, Outgoing};
use super::peer::Transport;
use super::refusal::Refusal;
use super::{MAX_MESSAGE_BYTES, Service, TOOLS_CHANGED, reply, work};
use crate::frames::{Frame, FrameReader};
use crate::jsonrpc::{Id, NotAMessage, code};

/// Bytes read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// How long requests may go on after the input has ended.
const END_PATIENCE: Duration = Duration::from_millis(500);

/// How long a client may take for what is still to be written at the end.
const FLUSH_PATIENCE: Duration = Duration::from_secs(2);

/// Pieces of the input; an error is the last.
type Chunks = mpsc::Receiver<io::Result<Vec<u8>>>;

/// Serves over a pair of pipes until the input ends, the output breaks, or the service
/// disconnects.
///
/// Calls that are not through within half a second of the input's end are dropped.
///
/// # Errors
/// When a pipe breaks, or the client does not read what it is sent.
pub async fn serve<S, R, W>(
    service: Arc<S>,
    changes: Changes,
    input: R,
    output: W,
) -> io::Result<()>
where
    S: Service,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (sender, chunks) = mpsc::channel(1);
    let (outbox, queue) = Outbox::new(true);
    let (tell_written, written) = oneshot::channel();
    // Aborts both when dropped.
    let mut pumps = JoinSet::new();
    pumps.spawn(read_all(input, sender));
    pumps.spawn(async move {
        // Fails where nobody waits for it any more.
        let _ = tell_written.send(write_all(output, queue).await);
    });
    converse(service, changes, chunks, outbox, written).await
}

/// Serves over this process's standard input and output, as [`serve`].
///
/// When it returns, the process should end: that is what closes its output.
///
/// # Errors
/// As [`serve`].
pub async fn serve_stdio<S: Service>(service: Arc<S>, changes: Changes) -> io::Result<()> {
    let (sender, chunks) = mpsc::channel(1);
    let (outbox, queue) = Outbox::new(true);
    let (tell_written, written) = oneshot::channel();
    // Threads of their own: a runtime waits at its end for what it reads and writes itself, and
    // a read of standard input cannot be called off.
    std::thread::Builder::new().spawn(move || read_stdin(&sender))?;
    std::thread::Builder::new().spawn(move || {
        // Fails where nobody waits for it any more.
        let _ = tell_written.send(write_stdout(queue));
    })?;
    converse(service, changes, chunks, outbox, written).await
}

async fn converse<S: Service>(
    service: Arc<S>,
    changes: Changes,
    chunks: Chunks,
    outbox: Outbox,
    written: oneshot::Receiver<io::Result<()>>,
) -> io::Result<()> {
    let connection = Arc::new(Connection::numbered(service, changes, Transport::Stdio));
    connection.witness(Event::Connected);
    let mut talk = Talk {
        connection,
        outbox,
        requests: JoinSet::new(),
    };
    let read = talk.listen(chunks).await;
    // The queue ends when the last outbox is gone.
    drop(talk);
    match tokio::time::timeout(FLUSH_PATIENCE, written).await {
        Ok(Ok(written)) => written.and(read),
        Ok(Err(_)) => read,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client does not read what it is sent",
        )),
    }
}

struct Talk<S> {
    connection: Arc<Connection<S>>,
    outbox: Outbox,
    /// What runs. Aborted when dropped.
    requests: JoinSet<()>,
}

impl<S: Service> Talk<S> {
    async fn listen(&mut self, mut chunks: Chunks) -> io::Result<()> {
        let mut changes = self.connection.changes.subscribe();
        let mut reader = FrameReader::new(MAX_MESSAGE_BYTES);
        let mut frames = VecDeque::new();
        loop {
            tokio::select! {
                chunk = chunks.recv() => match chunk {
                    Some(Ok(bytes)) => {
                        reader.push(&bytes, &mut frames);
                        if self.take_all(&mut frames).await.is_err() {
                            return self.output_gone();
                        }
                    }
                    None => {
                        reader.finish(&mut frames);
                        // Where this fails, the end is the same.
                        let _ = self.take_all(&mut frames).await;
                        self.wind_up().await;
                        self.connection.end(Ending::InputEnded);
                        return Ok(());
                    }
                    Some(Err(error)) => {
                        self.connection.end(Ending::InputBroken);
                        return Err(error);
                    }
                },
                () = changes.changed() => {
                    if self.tell_changed().await.is_err() {
                        return self.output_gone();
                    }
                }
                Some(_) = self.requests.join_next() => {}
                () = self.outbox.closed() => return self.output_gone(),
            }
        }
    }

    fn output_gone(&self) -> io::Result<()> {
        self.connection.end(if self.outbox.is_broken_off() {
            Ending::Disconnect
        } else {
            Ending::OutputBroken
        });
        Ok(())
    }

    /// Lets what runs come to its end, for a moment.
    async fn wind_up(&mut self) {
        self.connection.end_subscriptions();
        let requests = async { while self.requests.join_next().await.is_some() {} };
        // What is not through by then is dropped.
        let _ = tokio::time::timeout(END_PATIENCE, requests).await;
    }

    async fn take_all(&mut self, frames: &mut VecDeque<Frame>) -> Result<(), Gone> {
        for frame in frames.drain(..) {
            match self.take(&frame) {
                Step::Silent => {}
                Step::Reply { text, refused } => self.outbox.answer(text, refused).await?,
                Step::Work(request) => {
                    let connection = Arc::clone(&self.connection);
                    let outbox = self.outbox.clone();
                    self.requests.spawn(work::run(connection, request, outbox));
                }
            }
        }
        Ok(())
    }

    fn take(&self, frame: &Frame) -> Step {
        let refuse = |id: Option<&Id>, code: i64, reason: String| {
            let peer = self.connection.peer();
            self.connection
                .refuse(&peer, id, &Refusal::new(code, reason))
        };
        match frame {
            Frame::Message(message) => self.connection.receive(message),
            Frame::Unclassified(unclassified) => {
                let (id, reason) = match &unclassified.reason {
                    NotAMessage::NotJsonRpc => (None, "not a JSON-RPC message".to_owned()),
                    NotAMessage::Invalid { id, fault } => (id.as_ref(), fault.to_string()),
                };
                refuse(id, code::INVALID_REQUEST, reason)
            }
            Frame::TooLong => refuse(
                None,
                code::INVALID_REQUEST,
                format!("a message of more than {MAX_MESSAGE_BYTES} bytes"),
            ),
            Frame::Noise(_) | Frame::Glued(_) | Frame::Broken { .. } => {
                refuse(None, code::PARSE_ERROR, "not one line of JSON".to_owned())
            }
            Frame::ByteOrderMark => Step::Silent,
        }
    }

    /// Subscriptions of the modern era hear of it by themselves.
    async fn tell_changed(&self) -> Result<(), Gone> {
        let Some(peer) = self.connection.hearing_peer() else {
            return Ok(());
        };
        let event = Event::Notified {
            method: TOOLS_CHANGED,
        };
        self.connection.service.witness(&peer, event);
        self.outbox.send(reply::tools_changed(None)).await
    }
}

async fn read_all(mut input: impl AsyncRead + Unpin, sender: mpsc::Sender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let read = input.read_buf(&mut chunk).await;
        let Some(chunk) = next_chunk(read, chunk) else {
            return;
        };
        let is_last = chunk.is_err();
        if sender.send(chunk).await.is_err() || is_last {
            return;
        }
    }
}

fn read_stdin(sender: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = io::Read::read(&mut input, &mut chunk);
        if let Ok(count) = read {
            chunk.truncate(count);
        }
        let Some(chunk) = next_chunk(read, chunk) else {
            return;
        };
        let is_last = chunk.is_err();
        if sender.blocking_send(chunk).is_err() || is_last {
            return;
        }
    }
}

/// `None` at the end.
fn next_chunk(read: io::Result<usize>, chunk: Vec<u8>) -> Option<io::Result<Vec<u8>>> {
    match read {
        Ok(0) => None,
        Ok(_) => Some(Ok(chunk)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Some(Ok(Vec::new())),
        Err(error) => Some(Err(error)),
    }
}

async fn write_all(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Outgoing>,
) -> io::Result<()> {
    while let Some(mut line) = queue.recv().await.and_then(Outgoing::into_text) {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

fn write_stdout(mut queue: mpsc::Receiver<Outgoing>) -> io::Result<()> {
    // Not locked for good: whoever writes when this is over must not have to wait for it.
    let mut output = io::stdout();
    while let Some(mut line) = queue.blocking_recv().and_then(Outgoing::into_text) {
        line.push('\n');
        io::Write::write_all(&mut output, line.as_bytes())?;
        io::Write::flush(&mut output)?;
    }
    Ok(())
}
