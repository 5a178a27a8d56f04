//! What becomes of a system call that waits.

mod process;
mod socket;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::files::{self, About, Leave};
use super::kernel::{Answer, Waiting};
use super::names::Names;
use super::tracee::Tracee;
use super::watch::Shared;
use crate::event::Act;
use crate::plan::{Mode, Network, Plan};

/// What becomes of a call, and what is told of it.
pub(super) struct Decision {
    /// None where another thread lets it come back.
    pub(super) answer: Option<Answer>,
    pub(super) act: Option<Act>,
    pub(super) refused: Option<&'static str>,
}

impl Decision {
    pub(super) const QUIET: Self = Self {
        answer: Some(Answer::Continue),
        act: None,
        refused: None,
    };

    /// Nothing is told of it.
    pub(super) const fn quietly(answer: Answer) -> Self {
        Self {
            answer: Some(answer),
            act: None,
            refused: None,
        }
    }

    pub(super) fn let_through(act: Act) -> Self {
        Self {
            act: Some(act),
            ..Self::QUIET
        }
    }

    pub(super) fn refused(act: Act, (number, name): Error) -> Self {
        Self {
            answer: Some(Answer::Fails(number)),
            act: Some(act),
            refused: Some(name),
        }
    }
}

pub(super) type Error = (i32, &'static str);
const READ_ONLY: Error = (libc::EROFS, "EROFS");
const NO_ACCESS: Error = (libc::EACCES, "EACCES");
const NOT_PERMITTED: Error = (libc::EPERM, "EPERM");
pub(super) const UNREACHABLE: Error = (libc::ENETUNREACH, "ENETUNREACH");
pub(super) const NOBODY: Error = (libc::ECONNREFUSED, "ECONNREFUSED");
const MISSING: Error = (libc::ENOSYS, "ENOSYS");

/// Decides, by the plan.
pub(super) struct Judge {
    plan: Plan,
    shared: Arc<Shared>,
    filter: Arc<OwnedFd>,
    names: Names,
    /// Sockets the server itself made: paths, abstract names, loopback ports.
    bound: Mutex<(BTreeSet<PathBuf>, BTreeSet<u16>)>,
    has_begun: std::sync::atomic::AtomicBool,
}

impl Judge {
    pub(super) fn new(plan: &Plan, shared: Arc<Shared>, filter: Arc<OwnedFd>) -> Self {
        Self {
            plan: with_real_paths(plan),
            shared,
            filter,
            names: Names::default(),
            bound: Mutex::default(),
            has_begun: false.into(),
        }
    }

    /// Nothing is let through that was not looked at: a process whose memory cannot be read, such as one
    /// that hides it (`PR_SET_DUMPABLE`), makes no call that waits.
    pub(super) fn decide(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let is_start = self.is_start(waiting);
        if is_start {
            return Decision::QUIET;
        }
        let hidden = || {
            let call = format!("system call {} of a process that hides", waiting.call);
            Decision::refused(Act::Other { call }, NOT_PERMITTED)
        };
        if !tracee.is_open() {
            return hidden();
        }
        let decision = match files::about(waiting, tracee) {
            About::Files(act) => self.files(act),
            About::Nothing => Decision::QUIET,
            About::Unreadable => Decision::quietly(Answer::Fails(libc::EFAULT)),
            About::Else => self.others(waiting, tracee),
        };
        // It may have hidden while it was looked at.
        let goes_on = matches!(decision.answer, Some(Answer::Continue));
        if goes_on && !tracee.is_open() {
            hidden()
        } else {
            decision
        }
    }

    /// The first program that is executed is the server's own.
    fn is_start(&self, waiting: &Waiting) -> bool {
        let executes = matches!(waiting.call, libc::SYS_execve | libc::SYS_execveat);
        executes && !self.has_begun.swap(true, Ordering::Relaxed)
    }

    fn files(&self, act: Act) -> Decision {
        let (first, second) = match &act {
            Act::Open { path, .. } => (Some(path), None),
            Act::Change { path, to, .. } => (Some(path), to.as_ref()),
            _ => (None, None),
        };
        let leaves = [first, second].map(|path| path.map(|path| files::leave(&self.plan, path)));
        if leaves.contains(&Some(Leave::Refused)) {
            let error = match self.plan.mode {
                Mode::Namespaces => READ_ONLY,
                Mode::Landlock => NO_ACCESS,
            };
            return Decision::refused(act, error);
        }
        if leaves.contains(&Some(Leave::Given)) {
            return Decision::let_through(act);
        }
        Decision::QUIET
    }

    fn others(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [first, second, third, ..] = waiting.arguments;
        match waiting.call {
            libc::SYS_execve => self.execute(tracee, first, second),
            libc::SYS_execveat => self.execute(tracee, second, third),
            libc::SYS_connect => self.connect(waiting, tracee),
            libc::SYS_bind => self.bind(waiting, tracee),
            libc::SYS_listen => self.listen(first, tracee),
            libc::SYS_sendto | libc::SYS_sendmsg | libc::SYS_sendmmsg => self.send(waiting, tracee),
            libc::SYS_socket => self.socket(waiting),
            libc::SYS_socketpair => self.pair(first),
            libc::SYS_prlimit64 => self.limit(first, third),
            libc::SYS_kill
            | libc::SYS_tkill
            | libc::SYS_tgkill
            | libc::SYS_rt_sigqueueinfo
            | libc::SYS_rt_tgsigqueueinfo
            | libc::SYS_pidfd_send_signal => self.signal(waiting, tracee),
            libc::SYS_pidfd_open if self.is_own(tracee, i64::from(first as u32 as i32)) => {
                Decision::QUIET
            }
            _ => self.service(waiting),
        }
    }

    /// Answers who asks for names at these sockets, until the other end of `over` is closed.
    pub(super) fn answer_names(
        &self,
        sockets: Vec<OwnedFd>,
        over: std::io::PipeReader,
    ) -> std::io::Result<()> {
        if sockets.is_empty() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        self.names.answer(sockets, over, move |name| {
            let name = name.to_owned();
            let asker = shared.asker.load(Ordering::Relaxed);
            shared.record(asker, Act::Resolve { name }, None);
        })
    }

    pub(super) fn name(&self, address: SocketAddr) -> Option<String> {
        self.names.name(address.ip())
    }

    pub(super) fn mode(&self) -> Mode {
        self.plan.mode
    }

    pub(super) fn network(&self) -> &Network {
        &self.plan.network
    }

    pub(super) fn filter(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.filter)
    }
}

/// The plan with its paths as the kernel tells them: without links.
fn with_real_paths(plan: &Plan) -> Plan {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut plan = plan.clone();
    for paths in [&mut plan.writable, &mut plan.read_only, &mut plan.empty] {
        *paths = paths.iter().map(real).collect();
    }
    for overlay in &mut plan.overlays {
        overlay.lower = real(&overlay.lower);
    }
    plan
}
