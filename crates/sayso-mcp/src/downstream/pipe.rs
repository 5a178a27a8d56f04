//! A connection over a pair of pipes: one message a line.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use sayso_core::json::Document;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::connection::{Common, Connection, Step, Way, no_message, unreadable};
use super::outbox::{Gone, Kind, Outbox, Outgoing, Queue, outbox};
use super::peer::{Peer, Transport};
use super::work::{Tally, Work, run};
use super::{Ending, Handler, Limits, Refusal, Stop};
use crate::frames::{BYTE_ORDER_MARK, Line, LineReader};
use crate::jsonrpc::Message;

/// Bytes read at once.
pub(super) const CHUNK_BYTES: usize = 64 << 10;

/// Bytes of messages that are written together.
const WRITE_BYTES: usize = 64 << 10;

/// How long a host may take for what is still to be written at the end.
const FLUSH_PATIENCE: Duration = Duration::from_secs(2);

/// Serves over a pair of pipes until the input ends, the output breaks, the handler breaks off,
/// or it is told to stop and what runs has ended.
///
/// Requests that are not through within [`Limits::end_patience`] of the input's end are dropped.
/// Needs a Tokio runtime with time.
pub async fn serve_pipe<H, R, W>(handler: Arc<H>, reader: R, writer: W, limits: Limits) -> Ending
where
    H: Handler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (outbox, queue) = outbox(Kind::Conversation);
    let (tell_written, written) = oneshot::channel();
    // Aborts it when dropped.
    let mut pumps = JoinSet::new();
    pumps.spawn(async move {
        // Fails where nobody waits for it any more.
        let _ = tell_written.send(write_all(writer, queue).await);
    });
    converse(handler, reader, outbox, written, limits).await
}

pub(super) async fn converse<H: Handler>(
    handler: Arc<H>,
    reader: impl AsyncRead + Unpin,
    outbox: Outbox,
    written: oneshot::Receiver<io::Result<()>>,
    limits: Limits,
) -> Ending {
    let common = Arc::new(Common {
        handler,
        max_running: limits.max_running,
        stop: limits.stop.clone(),
        tally: Tally::default(),
    });
    let number = limits.numbers.next();
    let peer = Peer::new(number, Transport::Stdio, Arc::default(), None, None);
    peer.link().set_outbox(outbox.clone());
    common.handler.connected(&peer);
    let connection = Arc::new(Connection::new(common, peer, Tally::default()));
    let mut talk = Talk {
        connection,
        outbox: outbox.clone(),
        requests: JoinSet::new(),
        waiting: VecDeque::new(),
        initializing: None,
        limits,
    };
    let ending = talk.listen(reader).await;
    talk.connection.end(ending);
    drop(talk);
    outbox.end();
    match tokio::time::timeout(FLUSH_PATIENCE, written).await {
        Ok(Ok(Ok(()))) => ending,
        // What is still to be said cannot be.
        Ok(_) | Err(_) if ending == Ending::Disconnect => ending,
        Ok(_) | Err(_) => Ending::OutputBroken,
    }
}

struct Talk<H> {
    connection: Arc<Connection<H>>,
    outbox: Outbox,
    /// What runs. Aborted when dropped.
    requests: JoinSet<()>,
    /// Lines that are still to be looked at.
    waiting: VecDeque<Line>,
    /// A handshake that takes a while: until it is done nothing that follows can be understood.
    initializing: Option<tokio::task::AbortHandle>,
    limits: Limits,
}

impl<H: Handler> Talk<H> {
    async fn listen(&mut self, mut input: impl AsyncRead + Unpin) -> Ending {
        let stop: Stop = self.limits.stop.clone();
        let mut lines = LineReader::new(self.limits.message_bytes);
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let outbox = self.outbox.clone();
        let stopped = stop.stopped();
        let closed = outbox.closed();
        tokio::pin!(stopped, closed);
        let mut stops = false;
        loop {
            if stops && self.requests.is_empty() {
                return Ending::Stopped;
            }
            // One line ahead of a handshake at most, so that the end shows all the same.
            let reads = self.initializing.is_none() || self.waiting.is_empty();
            tokio::select! {
                read = input.read_buf(&mut chunk), if reads => match read {
                    Ok(0) => {
                        lines.finish(&mut self.waiting);
                        return self.wind_up().await;
                    }
                    Ok(_) => {
                        lines.push(&chunk, &mut self.waiting);
                        chunk.clear();
                        if self.take_all().await.is_err() {
                            return self.output_gone();
                        }
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return Ending::InputBroken,
                },
                Some(_) = self.requests.join_next() => {
                    if self.initializing.take_if(|task| task.is_finished()).is_some()
                        && self.take_all().await.is_err()
                    {
                        return self.output_gone();
                    }
                }
                () = &mut closed => return self.output_gone(),
                // What comes now is refused, but for answers that a request waits for.
                () = &mut stopped, if !stops => stops = true,
            }
        }
    }

    fn output_gone(&self) -> Ending {
        if self.outbox.is_broken_off() {
            Ending::Disconnect
        } else {
            Ending::OutputBroken
        }
    }

    /// Lets what was sent be answered, for a moment.
    async fn wind_up(&mut self) -> Ending {
        let patience = self.limits.end_patience;
        let last = async {
            while self.take_all().await.is_ok() && !self.waiting.is_empty() {
                // Behind a handshake.
                self.requests.join_next().await;
                self.initializing.take_if(|task| task.is_finished());
            }
            self.connection.end_subscriptions();
            while self.requests.join_next().await.is_some() {}
        };
        // What is not through by then is dropped.
        let _ = tokio::time::timeout(patience, last).await;
        Ending::InputEnded
    }

    async fn take_all(&mut self) -> Result<(), Gone> {
        while self.initializing.is_none()
            && let Some(line) = self.waiting.pop_front()
        {
            match self.take(line) {
                Step::Silent | Step::Ignored { .. } => {}
                Step::Refused { text, .. } => self.outbox.send(text).await?,
                Step::Work(work) => self.begin(work).await,
            }
        }
        Ok(())
    }

    /// Runs a request as far as it goes at once, and the rest side by side with others.
    async fn begin(&mut self, mut work: Work) {
        let is_handshake = work.exchange.method() == "initialize";
        // Polled again by the task, if it is not through, so that nothing is missed.
        let first = poll_fn(|cx| Poll::Ready(work.answer.as_mut().poll(cx))).await;
        match first {
            Poll::Ready(Some(answer)) => answer.send(&work.exchange).await,
            Poll::Ready(None) => {}
            Poll::Pending => {
                let task = self.requests.spawn(run(work));
                if is_handshake {
                    self.initializing = Some(task);
                }
            }
        }
    }

    fn take(&self, line: Line) -> Step {
        let refuse = |refusal: &Refusal| self.connection.refuse_text(None, refusal);
        let mut line = match line {
            Line::Text(line) => line,
            Line::TooLong => {
                let most = self.limits.message_bytes;
                let reason = format!("a message of more than {most} bytes");
                return refuse(&Refusal::invalid_request(reason));
            }
        };
        if line.starts_with(BYTE_ORDER_MARK.as_bytes()) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.trim_ascii().is_empty() {
            return Step::Silent;
        }
        let document = match Document::from_bytes(line, &self.limits.json()) {
            Ok(document) => document,
            Err(error) => return refuse(&unreadable(&error)),
        };
        match Message::classify(document) {
            Ok(message) => {
                let way = Way {
                    outbox: self.outbox.clone(),
                    is_own: false,
                    headers: Vec::new(),
                };
                self.connection.receive(message, way)
            }
            Err(unclassified) => {
                let (id, refusal) = no_message(&unclassified);
                self.connection.refuse_text(id, &refusal)
            }
        }
    }
}

async fn write_all(mut output: impl AsyncWrite + Unpin, mut queue: Queue) -> io::Result<()> {
    let mut batch = Vec::new();
    while next_batch(&mut queue, &mut batch).await {
        output.write_all(&batch).await?;
        output.flush().await?;
        batch.clear();
    }
    Ok(())
}

/// Waits for a message and takes what else waits with it; `false` at the end.
pub(super) async fn next_batch(queue: &mut Queue, batch: &mut Vec<u8>) -> bool {
    let Some(text) = queue.recv().await.and_then(Outgoing::into_text) else {
        return false;
    };
    let mut next = Some(text);
    while let Some(text) = next {
        if batch.is_empty() {
            *batch = text.into_bytes();
        } else {
            batch.extend_from_slice(text.as_bytes());
        }
        batch.push(b'\n');
        next = if batch.len() < WRITE_BYTES {
            queue.try_message()
        } else {
            None
        };
    }
    true
}
