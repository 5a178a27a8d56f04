//! Servers that are started as a process and spoken to over its standard input and output.
//!
//! One loop does everything at once: it reads standard output and standard error, writes
//! what is due, and watches the process and the clock. So no pipe is ever full for want of
//! a reader, and nothing is left behind when the loop is dropped.

mod changes;
mod ending;
pub(crate) mod outlet;
mod process;
mod stderr;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::json::Limits;
use sayso_core::listing::{Era, Listing, ObservationKind};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::{Instant, sleep_until};

use self::changes::Listening;
use self::ending::describe;
use self::outlet::{Flushed, Outlet};
use self::process::Process;
use self::stderr::StderrTail;
use crate::connection::{Closing, ConnectionError, NO_ANSWER, Transport};
use crate::error::{Heard, ReadErrorKind};
use crate::frames::{Frame, FrameReader};
use crate::inbox::{Inbox, excerpt_around};
use crate::jsonrpc::{Fault, Id, Message, MessageKind, NotAMessage, Outgoing};
use crate::options::{Progress, ReadOptions};
use crate::target::StdioCommand;

/// How long the rest of a conversation may take once an end of it is gone: the process after
/// its standard output, or the other way round.
pub(crate) const AFTERMATH: Duration = Duration::from_secs(3);

/// How long the server may take to read that a call was cancelled.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// How many bytes may wait for a server that does not read. It gets no more replies then.
const MAX_OUTBOX: usize = 1 << 20;

/// A conversation with a process.
#[derive(Debug)]
pub(crate) struct StdioConnection {
    process: Process,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    outlet: Arc<Outlet>,
    reader: FrameReader,
    arrived: VecDeque<Frame>,
    inbox: Inbox,
    listening: Listening,
    tail: StderrTail,
    /// A notification was sent, which a server may wrongly answer with an error.
    notified: bool,
    /// When what is still to come has to have come.
    over_at: Option<Instant>,
    options: ReadOptions,
    stdout_buffer: Vec<u8>,
    stderr_buffer: Vec<u8>,
}

/// What a frame is to a request.
enum Taken {
    /// Something else.
    Other,
    /// Its answer.
    Answer(Message),
    /// Its answer, if no better one comes.
    Perhaps(Result<Message, ConnectionError>),
}

/// How one turn of the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Something was read, written, or noticed.
    More,
    /// Nothing more will come.
    Ended,
    /// The deadline passed.
    TimedOut,
}

impl StdioConnection {
    /// Starts the server.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn open(
        command: &StdioCommand,
        options: &ReadOptions,
    ) -> Result<Self, ReadErrorKind> {
        let limits = Limits {
            max_bytes: options.limits.message_bytes,
            ..Limits::default()
        };
        Self::open_within(command, options, &limits, MAX_OUTBOX)
    }

    /// As [`open`](Self::open), with the limits of a message, and how many bytes may wait for
    /// a server that does not read.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn open_within(
        command: &StdioCommand,
        options: &ReadOptions,
        limits: &Limits,
        max_outbox: usize,
    ) -> Result<Self, ReadErrorKind> {
        let (process, pipes) = Process::start(command)?;
        let outlet = Outlet::new(pipes.stdin, max_outbox).map_err(ReadErrorKind::Io)?;
        Ok(Self {
            process,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
            outlet: Arc::new(outlet),
            reader: FrameReader::within(*limits),
            arrived: VecDeque::new(),
            inbox: Inbox::default(),
            listening: Listening::default(),
            tail: StderrTail::default(),
            notified: false,
            over_at: None,
            options: options.clone(),
            stdout_buffer: vec![0; 64 << 10],
            stderr_buffer: vec![0; 16 << 10],
        })
    }

    /// The way to its standard input.
    pub(crate) fn outlet(&self) -> Arc<Outlet> {
        Arc::clone(&self.outlet)
    }

    /// What came next.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        self.arrived.pop_front()
    }

    /// Whether anything came that was not taken yet.
    pub(crate) fn has_frames(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// The start of the last line past the cap.
    pub(crate) fn head_of_too_long(&self) -> &[u8] {
        self.reader.head_of_too_long()
    }

    /// Whether an end of the conversation is gone already.
    pub(crate) fn is_nearly_over(&self) -> bool {
        self.over_at.is_some()
    }

    /// How the process ended by itself, if it did.
    pub(crate) fn exited(&self) -> Option<String> {
        self.exit()
    }

    /// Ends the conversation and the process, which has this long to end by itself.
    pub(crate) async fn end_within(mut self, patience: Option<Duration>) -> Closing {
        self.options.close_timeout = patience.unwrap_or(self.options.close_timeout);
        self.end().await
    }

    fn queue(&mut self, line: &str) {
        // One that does not read gets nothing more, and one that closed its input never again.
        let _ = self.outlet.push(None, format!("{line}\n").into_bytes());
    }

    /// Does whatever can be done next.
    pub(crate) async fn turn(&mut self, deadline: Instant) -> Turn {
        let silent = self.stdout.is_none() && self.stderr.is_none();
        if silent && self.process.has_ended() {
            return Turn::Ended;
        }
        let until = self
            .over_at
            .map_or(deadline, |over_at| over_at.min(deadline));
        // Without its standard output more time would not help.
        let over = if until < deadline || self.stdout.is_none() {
            Turn::Ended
        } else {
            Turn::TimedOut
        };
        // A server that writes without pause keeps the timer from being looked at.
        if Instant::now() >= until {
            return over;
        }
        tokio::select! {
            read = read_some(&mut self.stdout, &mut self.stdout_buffer) => match read {
                Ok(count) if count > 0 => {
                    let bytes = self.stdout_buffer.get(..count).unwrap_or_default();
                    self.reader.push(bytes, &mut self.arrived);
                }
                Ok(_) | Err(_) => {
                    self.stdout = None;
                    self.reader.finish(&mut self.arrived);
                    self.nearly_over();
                }
            },
            read = read_some(&mut self.stderr, &mut self.stderr_buffer) => match read {
                Ok(count) if count > 0 => {
                    let bytes = self.stderr_buffer.get(..count).unwrap_or_default();
                    self.tail.push(bytes, |line| self.options.tell(Progress::Stderr(line)));
                }
                Ok(_) | Err(_) => self.stderr = None,
            },
            flushed = self.outlet.flush() => match flushed {
                Flushed::Some => {}
                // It closed its standard input: what is due now never reaches it.
                Flushed::Broke => self.nearly_over(),
            },
            _ = self.process.wait(), if !self.process.has_ended() => self.nearly_over(),
            () = sleep_until(until) => return over,
        }
        Turn::More
    }

    fn nearly_over(&mut self) {
        self.over_at
            .get_or_insert_with(|| Instant::now() + AFTERMATH);
    }

    /// Takes a frame while the answer to `asked` is waited for.
    fn take(&mut self, frame: Frame, asked: Option<&Id>) -> Result<Taken, ConnectionError> {
        match frame {
            Frame::Message(message) if asked.is_some_and(|id| message.answers(id)) => {
                return Ok(Taken::Answer(message));
            }
            // So far it can only be about the request: the server could not read its id.
            Frame::Message(message)
                if asked.is_some()
                    && !self.notified
                    && matches!(message.kind(), MessageKind::Error { id: None, .. }) =>
            {
                return Ok(Taken::Perhaps(Ok(message)));
            }
            Frame::Message(message) if self.hears_of_subscription(&message) => {}
            Frame::Message(message) => {
                if let Some(reply) = self.inbox.take(&message) {
                    self.queue(&reply);
                }
            }
            Frame::Unclassified(unclassified) => {
                self.inbox.take_unclassified(&unclassified);
                if let (NotAMessage::Invalid { id, fault }, Some(asked)) =
                    (unclassified.reason, asked)
                    && (id.as_ref() == Some(asked) || fault == Fault::Batch)
                {
                    return Err(ConnectionError::InvalidAnswer(fault));
                }
            }
            Frame::Broken { error, text } if asked.is_some() => {
                self.inbox.observe(ObservationKind::NotJson, &text);
                let excerpt = excerpt_around(&text, error.offset);
                // It may have been a log of the answer, cut short.
                return Ok(Taken::Perhaps(Err(ConnectionError::BrokenAnswer {
                    error,
                    excerpt,
                })));
            }
            Frame::TooLong if asked.is_some() => {
                return Err(ConnectionError::TooLong {
                    max_bytes: self.options.limits.message_bytes,
                });
            }
            Frame::Noise(text) | Frame::Broken { text, .. } => {
                self.inbox.observe(ObservationKind::NotJson, &text);
            }
            Frame::TooLong => self
                .inbox
                .observe(ObservationKind::NotJson, "a line past the cap"),
            Frame::Glued(text) => self.inbox.observe(ObservationKind::GluedMessage, &text),
            Frame::ByteOrderMark => {
                self.inbox.observe(
                    ObservationKind::ByteOrderMark,
                    "at the start of a line on standard output",
                );
            }
        }
        Ok(Taken::Other)
    }

    fn heard(&self) -> Heard {
        Heard {
            stderr_lines: self.tail.count(),
            stderr_quiet: self.tail.last().map(|last| last.elapsed()),
            other_id: self
                .inbox
                .first(ObservationKind::UnknownId)
                .map(str::to_owned),
            noise: self
                .inbox
                .first(ObservationKind::NotJson)
                .or(self.inbox.first(ObservationKind::NotJsonRpc))
                .map(str::to_owned),
        }
    }
}

impl Transport for StdioConnection {
    async fn request(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
    ) -> Result<Message, ConnectionError> {
        let id = request.id();
        let mut due = deadline;
        let mut perhaps = None;
        self.queue(&request.to_json());
        loop {
            while let Some(frame) = self.arrived.pop_front() {
                match self.take(frame, id.as_ref())? {
                    Taken::Other => {}
                    Taken::Answer(answer) => return Ok(answer),
                    Taken::Perhaps(answer) if perhaps.is_none() => {
                        due = deadline.min(Instant::now() + AFTERMATH);
                        perhaps = Some(answer);
                    }
                    Taken::Perhaps(answer) => return answer,
                }
            }
            match self.turn(due).await {
                Turn::More => {}
                Turn::Ended if !self.arrived.is_empty() => {}
                Turn::Ended => return perhaps.unwrap_or(Err(ConnectionError::Closed)),
                Turn::TimedOut => {
                    return perhaps.unwrap_or_else(|| Err(ConnectionError::TimedOut(self.heard())));
                }
            }
        }
    }

    async fn call(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError> {
        let Some(id) = request.id() else {
            return Err(ConnectionError::Closed);
        };
        // From now on, so that it holds also when this is dropped.
        self.inbox.give_up(id.clone());
        let answer = self.request(request, deadline).await;
        match &answer {
            Ok(_) => self.inbox.answered(&id),
            Err(ConnectionError::TimedOut(_)) if cancel => {
                let cancelled = Outgoing::cancelled(request, NO_ANSWER);
                // It stays due where the server does not read.
                let _ = self
                    .notify(&cancelled, Instant::now() + CANCEL_TIMEOUT)
                    .await;
            }
            Err(_) => {}
        }
        answer
    }

    async fn notify(
        &mut self,
        notification: &Outgoing,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        self.notified = true;
        self.queue(&notification.to_json());
        while !self.outlet.is_empty() {
            match self.turn(deadline).await {
                Turn::More if self.outlet.is_open() => {}
                Turn::More | Turn::Ended => return Err(ConnectionError::Closed),
                Turn::TimedOut => return Err(ConnectionError::TimedOut(self.heard())),
            }
        }
        if self.outlet.is_open() {
            Ok(())
        } else {
            Err(ConnectionError::Closed)
        }
    }

    fn agreed(&mut self, _: &str, era: Era) {
        self.listening = match era {
            Era::Legacy => Listening::Always,
            Era::Modern => Listening::No,
        };
    }

    fn is_listening(&self) -> bool {
        !matches!(self.listening, Listening::No)
    }

    async fn listen(
        &mut self,
        subscription: Option<&Outgoing>,
        deadline: Instant,
    ) -> Result<(), ConnectionError> {
        match subscription {
            Some(subscription) => self.subscribe(subscription, deadline).await,
            None => Ok(()),
        }
    }

    fn listed(&mut self, _: &Listing) {}

    async fn hear(&mut self, deadline: Instant) {
        self.read_until_change(deadline).await;
    }

    fn exit(&self) -> Option<String> {
        let status = self.process.exit_status()?;
        let reported = self.process.report().and_then(|report| report.exit);
        Some(reported.map_or_else(|| describe(status), |exit| exit.to_string()))
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.tail.lines()
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    async fn close(self) -> Closing {
        self.end().await
    }
}

/// Reads what is there; waits for ever on a pipe that is gone.
async fn read_some<R: AsyncRead + Unpin>(
    pipe: &mut Option<R>,
    buffer: &mut [u8],
) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(buffer).await,
        None => std::future::pending().await,
    }
}
