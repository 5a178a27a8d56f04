//! The watcher: a thread that hears of each system call that waits, and lets it come back.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use tokio::sync::watch;

use super::decide::{Decision, Judge};
use super::kernel::{self, Answer};
use super::message::{self, Told};
use super::network::First;
use super::processes::Threads;
use super::tracee::Tracee;
use crate::event::{Act, Event};
use crate::plan::{Plan, Purpose};

/// How many events are kept.
const MOST: usize = 100_000;

/// What the watcher and those who ask it share.
#[derive(Debug)]
pub(super) struct Shared {
    begun: Instant,
    events: Mutex<Vec<Event>>,
    last: Mutex<Instant>,
    pub(super) count: watch::Sender<u64>,
    failure: Mutex<Option<String>>,
    /// The first process of the jail, as this machine counts; 0 before there is one.
    pub(super) process: AtomicU32,
    /// The thread that asked for names last where the question does not tell who asks.
    pub(super) asker: AtomicU32,
    threads: Threads,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            events: Mutex::default(),
            last: Mutex::new(now),
            count: watch::Sender::new(0),
            failure: Mutex::default(),
            process: AtomicU32::new(0),
            asker: AtomicU32::new(0),
            threads: Threads::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        locked(&self.events).len()
    }

    pub(super) fn since(&self, first: usize) -> Vec<Event> {
        let events = locked(&self.events);
        events
            .get(first..)
            .map(<[Event]>::to_vec)
            .unwrap_or_default()
    }

    pub(super) fn quiet_for(&self) -> Duration {
        locked(&self.last).elapsed()
    }

    pub(super) fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }

    pub(super) fn fail(&self, reason: String) {
        locked(&self.failure).get_or_insert(reason);
        self.count.send_modify(|count| *count += 1);
    }

    /// Keeps an event; its place.
    pub(super) fn record(&self, thread: u32, act: Act, refused: Option<&str>) -> usize {
        let (process, program) = self.threads.process(thread);
        let event = Event {
            at: self.begun.elapsed(),
            process,
            program,
            act,
            refused: refused.map(str::to_owned),
        };
        let place = {
            let mut events = locked(&self.events);
            if events.len() < MOST {
                events.push(event);
            }
            events.len().saturating_sub(1)
        };
        *locked(&self.last) = Instant::now();
        self.count.send_modify(|count| *count += 1);
        place
    }

    /// Says of a connection what was sent over it first, and to whom where nobody asked for a name.
    pub(super) fn sent_first(&self, place: usize, first: First) {
        let mut events = locked(&self.events);
        if let Some(Act::Connect(connection)) = events.get_mut(place).map(|event| &mut event.act) {
            connection.first = Some(first.line);
            if connection.host.is_none() {
                connection.host = first.host;
            }
        }
    }
}

/// Waits for the jail, tells it the plan, and attends to it until it is over or `stop` is closed.
pub(super) fn run(listener: &UnixListener, plan: &Plan, shared: &Arc<Shared>, stop: &OwnedFd) {
    if let Err(error) = attend(listener, plan, shared, stop) {
        shared.fail(format!("the jail cannot be watched: {error}"));
    }
}

fn attend(
    listener: &UnixListener,
    plan: &Plan,
    shared: &Arc<Shared>,
    stop: &OwnedFd,
) -> io::Result<()> {
    if ready([listener.as_fd(), stop.as_fd()])? != [true, false] {
        return Ok(());
    }
    let (jail, _) = listener.accept()?;
    let peer = rustix::net::sockopt::socket_peercred(&jail)?;
    let process = u32::try_from(peer.pid.as_raw_nonzero().get()).unwrap_or_default();
    shared.process.store(process, Ordering::Relaxed);
    message::send(&jail, plan)?;
    if ready([jail.as_fd(), stop.as_fd()])? != [true, false] {
        return Ok(());
    }
    let mut descriptors = match hear(&jail)? {
        (Told::Filter, descriptors) => descriptors,
        (Told::Failed(reason), _) => {
            shared.fail(reason);
            return Ok(());
        }
    };
    message::send(&jail, &message::Go)?;
    let filter = descriptors.next().ok_or(io::ErrorKind::InvalidData)?;
    kernel::take_turns(filter.as_fd());
    let filter = Arc::new(filter);
    let judge = Judge::new(plan, Arc::clone(shared), Arc::clone(&filter));
    let (over, _over) = io::pipe()?;
    judge.answer_names(descriptors.collect(), over)?;
    loop {
        let [has_call, has_told, is_over] = ready([filter.as_fd(), jail.as_fd(), stop.as_fd()])?;
        if is_over {
            return Ok(());
        }
        if has_told {
            match hear(&jail) {
                Ok((Told::Failed(reason), _)) => shared.fail(reason),
                // It is over.
                Ok((Told::Filter, _)) | Err(_) => return Ok(()),
            }
        }
        if has_call {
            serve(plan, shared, &judge, &filter)?;
        }
    }
}

/// Lets one call come back.
fn serve(plan: &Plan, shared: &Shared, judge: &Judge, filter: &OwnedFd) -> io::Result<()> {
    let Some(waiting) = kernel::receive(filter.as_fd())? else {
        // Also when the last process is gone, which the socket tells in a moment.
        std::thread::sleep(Duration::from_millis(1));
        return Ok(());
    };
    let tracee = Tracee {
        thread: waiting.thread,
    };
    let Decision {
        answer,
        act,
        refused,
    } = judge.decide(&waiting, tracee);
    let is_told = refused.is_some() || plan.purpose == Purpose::Observe;
    if let Some(act) = act.filter(|_| is_told)
        && kernel::is_valid(filter.as_fd(), waiting.id)
    {
        shared.record(waiting.thread, act, refused);
    }
    if let Some(answer) = answer {
        kernel::answer(filter.as_fd(), waiting.id, answer);
    }
    Ok(())
}

/// Waits until one of these has something to read or is closed; which.
fn ready<const N: usize>(descriptors: [BorrowedFd<'_>; N]) -> io::Result<[bool; N]> {
    let mut polled = descriptors.map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
    while let Err(error) = poll(&mut polled, PollTimeout::NONE) {
        if error != nix::errno::Errno::EINTR {
            return Err(error.into());
        }
    }
    Ok(polled.map(|polled| polled.revents().is_some_and(|events| !events.is_empty())))
}

/// What the jail tells, and the descriptors that came with it.
fn hear(jail: &UnixStream) -> io::Result<(Told, std::vec::IntoIter<OwnedFd>)> {
    let mut length = [0; 4];
    let mut space =
        [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(message::DESCRIPTORS))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let mut slices = [IoSliceMut::new(&mut length)];
    let heard = rustix::net::recvmsg(jail, &mut slices, &mut beside, flags)?;
    if heard.bytes < 4 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut received = Vec::new();
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            received.extend(descriptors);
        }
    }
    let told = message::rest(jail, u32::from_ne_bytes(length))?;
    Ok((told, received.into_iter()))
}

/// Lets a call come back with a socket of ours in the place of the one it was made on.
pub(super) fn connected(
    filter: &OwnedFd,
    id: u64,
    tracee: Tracee,
    number: u64,
    socket: &impl std::os::fd::AsFd,
) -> Answer {
    let flags = tracee.flags(number);
    let has = |flag: i32| flags & u64::from(flag.unsigned_abs()) != 0;
    if has(libc::O_NONBLOCK) && rustix::io::ioctl_fionbio(socket, true).is_err() {
        return Answer::Fails(libc::ECONNREFUSED);
    }
    let place = u32::try_from(number).unwrap_or(u32::MAX);
    let replaced = kernel::replace(
        filter.as_fd(),
        id,
        socket.as_fd(),
        place,
        has(libc::O_CLOEXEC),
    );
    match replaced {
        Ok(()) => Answer::Returns(0),
        Err(_) => Answer::Fails(libc::ECONNREFUSED),
    }
}
