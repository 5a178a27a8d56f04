//! What becomes of calls that act on processes, and of those that ask the kernel for more.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::{Decision, Judge, MISSING, NO_ACCESS, NOT_PERMITTED};
use crate::event::Act;
use crate::jail::kernel::Waiting;
use crate::jail::tracee::Tracee;
use crate::jail::{filter, processes};
use crate::plan::{Mode, Purpose};

impl Judge {
    pub(super) fn execute(&self, tracee: Tracee, path: u64, arguments: u64) -> Decision {
        let path = tracee.text(path).map(PathBuf::from).unwrap_or_default();
        let arguments = tracee.arguments(arguments);
        // C libraries look for a program in each folder of `PATH`.
        if path.is_absolute() && !path.exists() {
            return Decision::QUIET;
        }
        Decision::let_through(Act::Execute { path, arguments })
    }

    pub(super) fn signal(&self, waiting: &Waiting, tracee: Tracee) -> Decision {
        let [first, second, third, ..] = waiting.arguments;
        let (target, signal) = match waiting.call {
            libc::SYS_tgkill | libc::SYS_rt_tgsigqueueinfo => (first, third),
            _ => (first, second),
        };
        let (target, signal) = (i64::from(target as u32 as i32), signal as u32 as i32);
        if signal == 0 {
            return Decision::QUIET;
        }
        let is_own = match waiting.call {
            libc::SYS_pidfd_send_signal => tracee
                .process_of(first)
                .is_some_and(|process| self.processes().contains(&process)),
            _ => self.is_own(tracee, target),
        };
        let act = Act::Signal {
            target,
            signal,
            own: is_own,
        };
        match (is_own, self.plan.mode) {
            (true, _) => Decision::let_through(act),
            // Where it is counted from is nobody there.
            (false, Mode::Namespaces) => Decision::refused(act, (libc::ESRCH, "ESRCH")),
            (false, Mode::Landlock) => Decision::refused(act, NOT_PERMITTED),
        }
    }

    /// The processes in the jail, as this machine counts.
    fn processes(&self) -> Vec<u32> {
        processes::descendants(self.shared.process.load(Ordering::Relaxed))
    }

    /// Whether a number that a thread has for a process, or negative for a group, is of one in the jail.
    pub(super) fn is_own(&self, tracee: Tracee, target: i64) -> bool {
        match self.plan.mode {
            // Its own group.
            _ if target == 0 => true,
            // Process numbers of its own: what has one is in there.
            Mode::Namespaces => {
                let one = Path::new("/proc").join(tracee.thread.to_string());
                let seen = format!("root/proc/{}", target.unsigned_abs());
                target != -1 && one.join(seen).exists()
            }
            Mode::Landlock => u32::try_from(target.unsigned_abs())
                .is_ok_and(|target| self.processes().contains(&target)),
        }
    }

    /// Limits of another process.
    pub(super) fn limit(&self, process: u64, new: u64) -> Decision {
        let target = process as u32;
        let own = || {
            let jail = processes::descendants(self.shared.process.load(Ordering::Relaxed));
            self.plan.mode == Mode::Namespaces || jail.contains(&target)
        };
        if new == 0 || own() {
            return Decision::QUIET;
        }
        let call = "prlimit".to_owned();
        Decision::refused(Act::Other { call }, NOT_PERMITTED)
    }

    /// What asks the kernel for more than files, sockets and processes.
    pub(super) fn service(&self, waiting: &Waiting) -> Decision {
        let [first, ..] = waiting.arguments;
        let other = |call: &str| Act::Other {
            call: call.to_owned(),
        };
        match waiting.call {
            libc::SYS_io_uring_setup if filter::refuses_rings(&self.plan) => {
                Decision::refused(other("io_uring_setup"), MISSING)
            }
            libc::SYS_io_uring_setup => Decision::let_through(other("io_uring_setup")),
            libc::SYS_unshare if first & u64::from(filter::NAMESPACES) == 0 => Decision::QUIET,
            // Private to who makes it, and to its children.
            libc::SYS_shmget | libc::SYS_msgget | libc::SYS_semget if first as u32 == 0 => {
                Decision::QUIET
            }
            call => match shared_memory(call) {
                // With namespaces nobody else sees it.
                Some(name)
                    if self.plan.purpose == Purpose::Observe
                        && self.plan.mode == Mode::Namespaces =>
                {
                    Decision::let_through(other(name))
                }
                Some(name) => Decision::refused(other(name), NO_ACCESS),
                None => Decision::refused(other(named(call)), NOT_PERMITTED),
            },
        }
    }
}

fn shared_memory(call: libc::c_long) -> Option<&'static str> {
    match call {
        libc::SYS_shmget => Some("shmget"),
        libc::SYS_msgget => Some("msgget"),
        libc::SYS_semget => Some("semget"),
        libc::SYS_mq_open => Some("mq_open"),
        libc::SYS_mq_unlink => Some("mq_unlink"),
        _ => None,
    }
}

fn named(call: libc::c_long) -> &'static str {
    match call {
        libc::SYS_unshare => "unshare",
        libc::SYS_clone => "clone",
        libc::SYS_setns => "setns",
        libc::SYS_ptrace => "ptrace",
        libc::SYS_process_vm_writev => "process_vm_writev",
        libc::SYS_process_madvise => "process_madvise",
        libc::SYS_pidfd_open => "pidfd_open",
        libc::SYS_pidfd_getfd => "pidfd_getfd",
        libc::SYS_mount | libc::SYS_fsopen | libc::SYS_fsmount | libc::SYS_move_mount => "mount",
        libc::SYS_open_tree => "open_tree",
        libc::SYS_mount_setattr => "mount_setattr",
        libc::SYS_umount2 => "umount2",
        libc::SYS_pivot_root => "pivot_root",
        libc::SYS_chroot => "chroot",
        libc::SYS_bpf => "bpf",
        libc::SYS_add_key | libc::SYS_request_key | libc::SYS_keyctl => "keyctl",
        libc::SYS_open_by_handle_at => "open_by_handle_at",
        libc::SYS_userfaultfd => "userfaultfd",
        libc::SYS_perf_event_open => "perf_event_open",
        _ => "another system call",
    }
}
