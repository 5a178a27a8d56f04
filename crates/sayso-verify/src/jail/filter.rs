//! The system call filter: which calls wait for the watcher, and which are as if they did not exist.
//!
//! It is classic BPF over `struct seccomp_data` (`seccomp(2)`): call number at 0, architecture at 4,
//! arguments of eight bytes from 16. Everything that only reads or computes passes at once. What acts on
//! files, processes or the network waits for the watcher, also where the kernel will refuse it: an
//! attempt is to be seen. When the watcher is gone, what waits fails.

use libc::{c_long, sock_filter};

use crate::plan::{Mode, Network, Plan, Purpose};

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const NOTIFY: u32 = libc::SECCOMP_RET_USER_NOTIF;
/// As on a kernel without the call: programs have another way then.
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
/// Calls of the x32 interface have this bit in their number.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// `CLONE_NEW*`: namespaces, in `clone(2)`.
pub(super) const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;
/// What an open file or terminal can be told that changes more than what it holds: typing at the user's
/// terminal, and the flags of a file that is only read.
const COMMANDS: [u32; 4] = [
    libc::TIOCSTI as u32,
    0x541c,      // TIOCLINUX
    0x4008_6602, // FS_IOC_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
];
const NOT_PERMITTED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const NOT_SUPPORTED: u32 = libc::SECCOMP_RET_ERRNO | libc::EOPNOTSUPP as u32;
/// What makes opening a file more than reading it.
const WRITING: u32 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u32;

/// Calls by name that always wait for the watcher.
const FILES: &[c_long] = &[
    libc::SYS_openat2,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    452, // fchmodat2
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    463, // setxattrat
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    466, // removexattrat
];

#[cfg(target_arch = "x86_64")]
const OLD_FILES: &[c_long] = &[
    libc::SYS_creat,
    libc::SYS_unlink,
    libc::SYS_rmdir,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_mkdir,
    libc::SYS_mknod,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_FILES: &[c_long] = &[];

const OTHERS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_ptrace,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_connect,
];

/// The filter for a plan.
pub(super) fn filter(plan: &Plan) -> Vec<sock_filter> {
    let mut program = Program::default();
    program.load(4);
    program.unless(ARCHITECTURE, MISSING);
    program.load(0);
    #[cfg(target_arch = "x86_64")]
    program.when_any(X32, MISSING);
    for &call in FILES.iter().chain(OLD_FILES).chain(OTHERS) {
        program.when_call(call, NOTIFY);
    }
    if plan.purpose == Purpose::Observe {
        program.when_call(libc::SYS_execve, NOTIFY);
        program.when_call(libc::SYS_execveat, NOTIFY);
    }
    program.when_call(libc::SYS_io_uring_setup, NOTIFY);
    // Its flags are behind a pointer. C libraries have another way.
    program.when_call(libc::SYS_clone3, MISSING);
    program.when_call_with(libc::SYS_clone, 0, NAMESPACES);
    #[cfg(target_arch = "x86_64")]
    program.when_call_with(libc::SYS_open, 1, WRITING);
    program.when_call_with(libc::SYS_openat, 2, WRITING);
    // Datagram sockets and those below IP, also as pairs, can send anywhere.
    program.when_call_with(libc::SYS_socketpair, 1, libc::SOCK_DGRAM as u32);
    program.when_call_with(libc::SYS_prlimit64, 0, u32::MAX);
    program.when_value(libc::SYS_ioctl, 1, &COMMANDS, NOT_PERMITTED);
    // It would connect without `connect`.
    for (call, flags) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        program.when_bits(call, flags, libc::MSG_FASTOPEN as u32, NOT_SUPPORTED);
    }
    program.when_address(libc::SYS_sendto, 4);
    program.when_call(libc::SYS_sendmsg, NOTIFY);
    program.when_call(libc::SYS_sendmmsg, NOTIFY);
    program.when_socket(families(plan));
    program.give(ALLOW);
    program.0
}

/// The socket families that need nobody's leave.
fn families(plan: &Plan) -> &'static [i32] {
    match (&plan.network, plan.mode, plan.purpose) {
        // What may be used of the machine's own network depends on more than the family.
        (Network::None, ..) | (_, Mode::Landlock, _) => &[libc::AF_NETLINK],
        (_, Mode::Namespaces, Purpose::Confine) => {
            &[libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6]
        }
        (_, Mode::Namespaces, Purpose::Observe) => &[
            libc::AF_NETLINK,
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_UNIX,
        ],
    }
}

/// Whether rings are refused when they are asked for: what the kernel is told through one passes no
/// filter. Where files lie under overlays and the network is one of its own that does no harm, and the
/// files tell.
pub(super) fn refuses_rings(plan: &Plan) -> bool {
    plan.mode == Mode::Landlock || plan.purpose == Purpose::Confine
}

#[derive(Default)]
struct Program(Vec<sock_filter>);

impl Program {
    fn put(&mut self, code: u32, value: u32, yes: u8, no: u8) {
        self.0.push(sock_filter {
            code: u16::try_from(code).unwrap_or_default(),
            jt: yes,
            jf: no,
            k: value,
        });
    }

    /// Takes the 32 bits at this place of `struct seccomp_data`.
    fn load(&mut self, offset: u32) {
        self.put(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    }

    fn give(&mut self, verdict: u32) {
        self.put(libc::BPF_RET | libc::BPF_K, verdict, 0, 0);
    }

    fn equal(&mut self, value: u32, yes: u8, no: u8) {
        self.put(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, yes, no);
    }

    fn any_bit(&mut self, mask: u32, yes: u8, no: u8) {
        self.put(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, mask, yes, no);
    }

    fn unless(&mut self, value: u32, verdict: u32) {
        self.equal(value, 1, 0);
        self.give(verdict);
    }

    #[cfg(target_arch = "x86_64")]
    fn when_any(&mut self, mask: u32, verdict: u32) {
        self.any_bit(mask, 0, 1);
        self.give(verdict);
    }

    fn when_call(&mut self, call: c_long, verdict: u32) {
        self.equal(number(call), 0, 1);
        self.give(verdict);
    }

    /// Waits when the argument has any of these bits; otherwise it passes.
    fn when_call_with(&mut self, call: c_long, argument: u32, mask: u32) {
        self.equal(number(call), 0, 4);
        self.load(low(argument));
        self.any_bit(mask, 0, 1);
        self.give(NOTIFY);
        self.give(ALLOW);
    }

    /// Has a verdict when the argument has any of these bits; otherwise what follows decides.
    fn when_bits(&mut self, call: c_long, argument: u32, mask: u32, verdict: u32) {
        self.equal(number(call), 0, 4);
        self.load(low(argument));
        self.any_bit(mask, 0, 1);
        self.give(verdict);
        self.load(0);
    }

    /// Has a verdict when the argument is one of these; otherwise it passes.
    fn when_value(&mut self, call: c_long, argument: u32, values: &[u32], verdict: u32) {
        let count = u8::try_from(values.len()).unwrap_or_default();
        self.equal(number(call), 0, count + 3);
        self.load(low(argument));
        for (place, value) in (0..).zip(values) {
            self.equal(*value, count - place, 0);
        }
        self.give(ALLOW);
        self.give(verdict);
    }

    /// Waits when the argument, a pointer, is not null.
    fn when_address(&mut self, call: c_long, argument: u32) {
        self.equal(number(call), 0, 6);
        self.load(low(argument));
        self.equal(0, 0, 2);
        self.load(low(argument) + 4);
        self.equal(0, 1, 0);
        self.give(NOTIFY);
        self.give(ALLOW);
    }

    /// Waits unless the socket is of one of these families.
    fn when_socket(&mut self, families: &[i32]) {
        let count = u8::try_from(families.len()).unwrap_or_default();
        self.equal(number(libc::SYS_socket), 0, count + 3);
        self.load(low(0));
        for (place, family) in (0..).zip(families) {
            self.equal(u32::try_from(*family).unwrap_or_default(), count - place, 0);
        }
        self.give(NOTIFY);
        self.give(ALLOW);
    }
}

fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// Where the low half of an argument is, on the machines this is built for.
const fn low(argument: u32) -> u32 {
    16 + 8 * argument
}

#[cfg(test)]
mod tests;
