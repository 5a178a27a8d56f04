//! What is on its way to a server's standard input: written at once where the pipe has room,
//! and kept in order where it has none.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::process::ChildStdin;
use tokio::sync::Notify;

/// The lines for a server. They can be given from anywhere; one loop [flushes](Self::flush).
#[derive(Debug)]
pub(crate) struct Outlet {
    state: Mutex<State>,
    /// Wakes the loop that flushes.
    attention: Notify,
    max_bytes: usize,
}

#[derive(Debug)]
struct State {
    pipe: Option<Arc<Pipe>>,
    /// The pipe failed, and nobody was told yet.
    broke: bool,
    queue: VecDeque<Line>,
    /// Bytes in the queue.
    queued: usize,
    /// How much of the first line is written.
    written: usize,
    /// Whether something of the first line may have been written.
    begun: bool,
}

#[derive(Debug)]
struct Line {
    tag: Option<u64>,
    /// With its line end.
    bytes: Arc<Vec<u8>>,
}

/// Why a line is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// The server's standard input is closed.
    Closed,
    /// Too much waits already.
    Full,
}

/// What a turn of flushing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// Something was written.
    Some,
    /// The server closed its standard input. Told once.
    Broke,
}

impl Outlet {
    /// An outlet in which up to `max_bytes` wait.
    ///
    /// # Errors
    /// When the system refuses to register the pipe.
    pub(crate) fn new(stdin: Option<ChildStdin>, max_bytes: usize) -> io::Result<Self> {
        let pipe = stdin.map(Pipe::new).transpose()?.map(Arc::new);
        Ok(Self {
            state: Mutex::new(State {
                pipe,
                broke: false,
                queue: VecDeque::new(),
                queued: 0,
                written: 0,
                begun: false,
            }),
            attention: Notify::new(),
            max_bytes,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line, with its line end. With a tag it can be [withdrawn](Self::withdraw).
    ///
    /// # Errors
    /// When nothing of it was written, and nothing will be.
    pub(crate) fn push(&self, tag: Option<u64>, line: Vec<u8>) -> Result<(), NotTaken> {
        let mut state = self.lock();
        let Some(pipe) = state.pipe.clone() else {
            return Err(NotTaken::Closed);
        };
        let mut written = 0;
        if state.queue.is_empty() {
            match pipe.try_write(&line) {
                Ok(count) if count == line.len() => return Ok(()),
                Ok(count) => written = count,
                Err(error) if would_wait(&error) => {}
                Err(_) => {
                    state.fail();
                    self.attention.notify_one();
                    return Err(NotTaken::Closed);
                }
            }
        } else if state.queued + line.len() > self.max_bytes {
            return Err(NotTaken::Full);
        }
        if state.queue.is_empty() {
            (state.written, state.begun) = (written, written > 0);
        }
        state.queued += line.len();
        state.queue.push_back(Line {
            tag,
            bytes: Arc::new(line),
        });
        drop(state);
        self.attention.notify_one();
        Ok(())
    }

    /// Takes a line back that has not begun to be written. False where that is too late.
    pub(crate) fn withdraw(&self, tag: u64) -> bool {
        let mut state = self.lock();
        let Some(at) = state.queue.iter().position(|line| line.tag == Some(tag)) else {
            return false;
        };
        if at == 0 && state.begun {
            return false;
        }
        if let Some(line) = state.queue.remove(at) {
            state.queued -= line.bytes.len();
        }
        true
    }

    /// Whether nothing waits to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().queue.is_empty()
    }

    /// Whether the server can still be written to.
    pub(crate) fn is_open(&self) -> bool {
        self.lock().pipe.is_some()
    }

    /// Closes the server's standard input; what waits is never written.
    pub(crate) fn close(&self) {
        self.lock().pipe = None;
        self.attention.notify_one();
    }

    /// Writes some of what waits; waits itself while there is nothing to do. Can be dropped
    /// without losing anything. For one loop only.
    pub(crate) async fn flush(&self) -> Flushed {
        loop {
            let pipe = {
                let mut state = self.lock();
                if std::mem::take(&mut state.broke) {
                    return Flushed::Broke;
                }
                state.pipe.clone().filter(|_| !state.queue.is_empty())
            };
            let Some(pipe) = pipe else {
                self.attention.notified().await;
                continue;
            };
            match pipe.write_first(&self.state).await {
                Ok(0) => {}
                Ok(_) => return Flushed::Some,
                Err(_) => self.lock().fail(),
            }
        }
    }
}

impl State {
    fn fail(&mut self) {
        self.pipe = None;
        self.broke = true;
    }

    /// Takes note that so much of the first line was written.
    fn advance(&mut self, count: usize) {
        self.begun |= count > 0;
        self.written += count;
        let whole = self
            .queue
            .front()
            .is_some_and(|line| self.written >= line.bytes.len());
        if whole {
            if let Some(line) = self.queue.pop_front() {
                self.queued -= line.bytes.len();
            }
            (self.written, self.begun) = (0, false);
        }
    }
}

fn would_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

/// A server's standard input, written to without a task of its own.
#[cfg(unix)]
#[derive(Debug)]
struct Pipe(tokio::net::unix::pipe::Sender);

#[cfg(unix)]
impl Pipe {
    fn new(stdin: ChildStdin) -> io::Result<Self> {
        let descriptor = stdin.into_owned_fd()?;
        tokio::net::unix::pipe::Sender::from_owned_fd(descriptor).map(Self)
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    /// Writes what the pipe has room for of the first line.
    async fn write_first(&self, state: &Mutex<State>) -> io::Result<usize> {
        self.0.writable().await?;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(line) = state.queue.front() else {
            return Ok(0);
        };
        let rest = line.bytes.get(state.written..).unwrap_or_default();
        match self.0.try_write(rest) {
            Ok(count) => {
                state.advance(count);
                Ok(count)
            }
            Err(error) if would_wait(&error) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// A server's standard input, written to by the loop that flushes.
#[cfg(not(unix))]
#[derive(Debug)]
struct Pipe(tokio::sync::Mutex<ChildStdin>);

#[cfg(not(unix))]
impl Pipe {
    #[expect(clippy::unnecessary_wraps, reason = "it may fail on other systems")]
    fn new(stdin: ChildStdin) -> io::Result<Self> {
        Ok(Self(tokio::sync::Mutex::new(stdin)))
    }

    fn try_write(&self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    async fn write_first(&self, state: &Mutex<State>) -> io::Result<usize> {
        use tokio::io::AsyncWriteExt as _;
        let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
        let (line, written) = {
            let mut state = lock();
            state.begun = true;
            let Some(line) = state.queue.front() else {
                return Ok(0);
            };
            (Arc::clone(&line.bytes), state.written)
        };
        let mut stdin = self.0.lock().await;
        let count = stdin.write(line.get(written..).unwrap_or_default()).await?;
        lock().advance(count);
        Ok(count)
    }
}
