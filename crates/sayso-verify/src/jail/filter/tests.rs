//! The filter under an interpreter: a jump that is one off refuses everything without a word.

use std::path::PathBuf;

use super::*;

fn plan(purpose: Purpose, network: Network) -> Plan {
    Plan {
        mode: Mode::Namespaces,
        purpose,
        command: vec!["true".into()],
        env: Vec::new(),
        cwd: PathBuf::from("/"),
        writable: Vec::new(),
        overlays: Vec::new(),
        read_only: Vec::new(),
        empty: Vec::new(),
        network,
    }
}

/// What the filter says of a call.
fn verdict(program: &[sock_filter], architecture: u32, call: u32, arguments: [u64; 6]) -> u32 {
    let mut data = Vec::new();
    data.extend(call.to_le_bytes());
    data.extend(architecture.to_le_bytes());
    data.extend([0; 8]);
    data.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
    let (mut at, mut taken) = (0, 0_u32);
    for _ in 0..program.len() + 1 {
        let step = program[at];
        at += 1;
        let code = u32::from(step.code);
        if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS {
            let offset = step.k as usize;
            taken = u32::from_le_bytes(data[offset..offset + 4].try_into().unwrap());
        } else if code == libc::BPF_RET | libc::BPF_K {
            return step.k;
        } else {
            let holds = match code & 0xf0 {
                libc::BPF_JEQ => taken == step.k,
                libc::BPF_JSET => taken & step.k != 0,
                other => panic!("unknown jump {other}"),
            };
            at += usize::from(if holds { step.jt } else { step.jf });
        }
    }
    panic!("the filter does not end")
}

fn says(program: &[sock_filter], call: c_long, arguments: [u64; 6]) -> u32 {
    verdict(program, ARCHITECTURE, number(call), arguments)
}

const RECORDED: Network = Network::Recorded {
    meets: crate::plan::Meets::Refusal,
    live: Vec::new(),
    loopback: Vec::new(),
};

#[test]
fn what_only_reads_passes() {
    let program = filter(&plan(Purpose::Confine, Network::None));
    for call in [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_mmap,
        libc::SYS_fork,
        libc::SYS_execve,
        libc::SYS_getdents64,
    ] {
        assert_eq!(says(&program, call, [u64::MAX; 6]), ALLOW, "{call}");
    }
    let reading = [0, 0, libc::O_RDONLY as u64, 0, 0, 0];
    assert_eq!(says(&program, libc::SYS_openat, reading), ALLOW);
    assert_eq!(says(&program, libc::SYS_open, [0; 6]), ALLOW);
    assert_eq!(
        says(&program, libc::SYS_clone, [0x11, 0, 0, 0, 0, 0]),
        ALLOW
    );
    assert_eq!(says(&program, libc::SYS_sendto, [3, 1, 4, 0, 0, 0]), ALLOW);
}

#[test]
fn what_acts_waits_for_the_watcher() {
    for purpose in [Purpose::Observe, Purpose::Confine] {
        let program = filter(&plan(purpose, RECORDED));
        for &call in FILES.iter().chain(OLD_FILES).chain(OTHERS) {
            assert_eq!(says(&program, call, [0; 6]), NOTIFY, "{call}");
        }
        for flag in [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC] {
            let flag = flag as u64;
            assert_eq!(
                says(&program, libc::SYS_open, [0, flag, 0, 0, 0, 0]),
                NOTIFY
            );
            assert_eq!(
                says(&program, libc::SYS_openat, [0, 0, flag, 0, 0, 0]),
                NOTIFY
            );
        }
        let new_user = libc::CLONE_NEWUSER as u64;
        assert_eq!(
            says(&program, libc::SYS_clone, [new_user, 0, 0, 0, 0, 0]),
            NOTIFY
        );
        assert_eq!(says(&program, libc::SYS_clone3, [0; 6]), MISSING);
        // An address in either half.
        for address in [0x1000, 0x1_0000_0000] {
            assert_eq!(
                says(&program, libc::SYS_sendto, [0, 0, 0, 0, address, 16]),
                NOTIFY
            );
        }
    }
}

#[test]
fn sockets_are_those_of_the_network_there_is() {
    let socket = |purpose, network, family: i32| {
        let program = filter(&plan(purpose, network));
        says(&program, libc::SYS_socket, [family as u64, 0, 0, 0, 0, 0])
    };
    for family in [
        libc::AF_UNIX,
        libc::AF_INET,
        libc::AF_INET6,
        libc::AF_PACKET,
    ] {
        assert_eq!(socket(Purpose::Confine, Network::None, family), NOTIFY);
    }
    assert_eq!(
        socket(Purpose::Confine, Network::None, libc::AF_NETLINK),
        ALLOW
    );
    assert_eq!(socket(Purpose::Confine, RECORDED, libc::AF_INET), ALLOW);
    assert_eq!(socket(Purpose::Confine, RECORDED, libc::AF_UNIX), NOTIFY);
    assert_eq!(socket(Purpose::Observe, RECORDED, libc::AF_UNIX), ALLOW);
    assert_eq!(socket(Purpose::Observe, RECORDED, libc::AF_PACKET), NOTIFY);
}

#[test]
fn other_interfaces_of_the_kernel_are_missing() {
    let program = filter(&plan(Purpose::Observe, RECORDED));
    let i386 = 0x4000_0003;
    assert_eq!(verdict(&program, i386, 5, [0; 6]), MISSING);
    #[cfg(target_arch = "x86_64")]
    assert_eq!(verdict(&program, ARCHITECTURE, X32 | 1, [0; 6]), MISSING);
}

#[test]
fn rings_are_seen() {
    for purpose in [Purpose::Observe, Purpose::Confine] {
        let filter = filter(&plan(purpose, RECORDED));
        assert_eq!(says(&filter, libc::SYS_io_uring_setup, [0; 6]), NOTIFY);
    }
}

#[test]
fn nothing_is_typed_at_the_terminal() {
    let program = filter(&plan(Purpose::Observe, RECORDED));
    for command in COMMANDS {
        assert_eq!(
            says(&program, libc::SYS_ioctl, [0, command.into(), 0, 0, 0, 0]),
            NOT_PERMITTED
        );
    }
    let size_of_window = libc::TIOCGWINSZ;
    assert_eq!(
        says(&program, libc::SYS_ioctl, [0, size_of_window, 0, 0, 0, 0]),
        ALLOW
    );
}

#[test]
fn a_pair_of_sockets_sends_to_itself_alone() {
    let program = filter(&plan(Purpose::Confine, Network::None));
    let pair = |kind: i32| {
        let kind = (kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;
        says(&program, libc::SYS_socketpair, [1, kind, 0, 0, 0, 0])
    };
    assert_eq!(pair(libc::SOCK_STREAM), ALLOW);
    assert_eq!(pair(libc::SOCK_SEQPACKET), ALLOW);
    assert_eq!(pair(libc::SOCK_DGRAM), NOTIFY);
    assert_eq!(pair(libc::SOCK_RAW), NOTIFY);
}

#[test]
fn sending_connects_nothing() {
    let program = filter(&plan(Purpose::Observe, RECORDED));
    let fast = libc::MSG_FASTOPEN as u64;
    assert_eq!(
        says(&program, libc::SYS_sendto, [0, 0, 0, fast, 0, 0]),
        NOT_SUPPORTED
    );
    assert_eq!(
        says(&program, libc::SYS_sendmsg, [0, 0, fast, 0, 0, 0]),
        NOT_SUPPORTED
    );
    assert_eq!(
        says(&program, libc::SYS_sendmmsg, [0, 0, 0, fast, 0, 0]),
        NOT_SUPPORTED
    );
    assert_eq!(says(&program, libc::SYS_sendmsg, [0; 6]), NOTIFY);
}

#[test]
fn only_the_own_limits_are_set() {
    let program = filter(&plan(Purpose::Observe, RECORDED));
    assert_eq!(
        says(&program, libc::SYS_prlimit64, [0, 7, 1, 1, 0, 0]),
        ALLOW
    );
    assert_eq!(
        says(&program, libc::SYS_prlimit64, [1, 7, 1, 1, 0, 0]),
        NOTIFY
    );
}
