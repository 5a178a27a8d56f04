//! The process that becomes the jail: it is told the plan, builds the view, and starts the server in it.
//!
//! It is a fresh program with one thread. Its only child is the keeper, which ends what is in the jail
//! when its parent or the watcher is gone. With namespaces that one's first child is number 1 in a process
//! namespace of its own, so that its end is everybody's; the child of that one, or of the keeper, is the
//! server.

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io::{self, IoSlice, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use rustix::process::{PidfdFlags, PidfdGetfdFlags};

use super::kernel::{self, Forked};
use super::view::{self, Step, step};
use super::{filter, landlock, message, nameserver};
use crate::plan::{Mode, Network, Plan};

/// The status when there was nothing to start.
const FAILED: u8 = 125;

/// Becomes the jail that the watcher at the socket named by the first argument asks for, and ends as
/// the server in it does. Nothing else may have happened in this process.
///
/// This process only waits: whoever started it may kill it, and then there must be somebody who ends
/// what is in the jail.
pub fn enter(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(socket) = arguments.next() else {
        return ExitCode::from(FAILED);
    };
    let own = nix::unistd::getpid();
    match kernel::fork() {
        Ok(Forked::Parent(keeper)) => ExitCode::from(wait_for(keeper)),
        Ok(Forked::Child) => kernel::exit(i32::from(become_keeper(&socket, own))),
        Err(_) => ExitCode::from(FAILED),
    }
}

fn become_keeper(socket: &OsStr, parent: Pid) -> u8 {
    let Ok(watcher) = UnixStream::connect(socket) else {
        return FAILED;
    };
    match follow(parent).and_then(|()| run(&watcher)) {
        Ok(status) => status,
        Err(reason) => {
            // Nobody may be there to be told.
            let _ = message::send(&watcher, &message::Told::Failed(reason));
            FAILED
        }
    }
}

/// Has this process told of its parent's end, and not of what is sent to that one's group.
fn follow(parent: Pid) -> Step<()> {
    step(
        "leave a group",
        nix::unistd::setpgid(Pid::from_raw(0), Pid::from_raw(0)),
    )?;
    end_with(rustix::process::Signal::TERM)?;
    if nix::unistd::getppid() == parent {
        Ok(())
    } else {
        Err("whoever started it is gone".to_owned())
    }
}

fn run(watcher: &UnixStream) -> Step<u8> {
    let plan: Plan = step("hear what to do", message::receive(watcher))?;
    // What the pipes are for is the server's alone.
    step("close descriptors", kernel::close_on_exec_from(3))?;
    if plan.mode == Mode::Landlock {
        step(
            "become a reaper",
            rustix::process::set_child_subreaper(Some(rustix::process::getpid())),
        )?;
        return keep(watcher, &plan, &[]);
    }
    namespaces()?;
    end_with(rustix::process::Signal::TERM)?;
    let nameservers = nameserver::open(&plan);
    view::build(&plan)?;
    step("count processes anew", unshare(CloneFlags::CLONE_NEWPID))?;
    match step("start a process", kernel::fork())? {
        Forked::Parent(first) => Ok(wait_for(first)),
        Forked::Child => {
            let done = die_with_parent().and_then(|()| own_processes());
            let status = done.and_then(|()| keep(watcher, &plan, &nameservers));
            kernel::exit(i32::from(status.unwrap_or_else(|reason| {
                let _ = message::send(watcher, &message::Told::Failed(reason));
                FAILED
            })))
        }
    }
}

/// New namespaces, in which this user is who they were.
fn namespaces() -> Step<()> {
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWNET;
    step("enter namespaces", unshare(flags))?;
    let write = |file: &str, text: String| {
        step(
            "map the user",
            fs::write(format!("/proc/self/{file}"), text),
        )
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))?;
    step(
        "raise a loopback of its own",
        sayso_mcp::supervisor::raise_loopback(),
    )
}

fn own_processes() -> Step<()> {
    use nix::mount::{MsFlags, mount};
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let proc = Some("proc");
    step(
        "list its own processes",
        mount(proc, "/proc", proc, flags, None::<&str>),
    )
}

fn die_with_parent() -> Step<()> {
    end_with(rustix::process::Signal::KILL)
}

fn end_with(signal: rustix::process::Signal) -> Step<()> {
    step(
        "end with its parent",
        rustix::process::set_parent_process_death_signal(Some(signal)),
    )
}

/// Starts the server and stays until it is over, or nobody watches any more.
fn keep(watcher: &UnixStream, plan: &Plan, nameservers: &[OwnedFd]) -> Step<u8> {
    let mut ended = SigSet::empty();
    ended.add(Signal::SIGCHLD);
    if plan.mode == Mode::Landlock {
        // Its parent is gone.
        ended.add(Signal::SIGTERM);
    }
    step("wait for children", ended.thread_block())?;
    let ends = SignalFd::with_flags(&ended, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK);
    let mut ends = step("wait for children", ends)?;
    let (mut hear, tell) = step("make a pipe", io::pipe())?;
    let (wait, mut go) = step("make a pipe", io::pipe())?;
    let server = match step("start a process", kernel::fork())? {
        Forked::Parent(server) => server,
        Forked::Child => {
            drop((hear, go));
            let mut is_passed = false;
            let failed = become_server(plan, &tell, wait, &mut is_passed);
            let mut tell = tell;
            // Nobody else can be told.
            let _ = (!is_passed).then(|| tell.write_all(&(-1_i32).to_ne_bytes()));
            let _ = tell.write_all(failed.as_bytes());
            kernel::exit(i32::from(FAILED))
        }
    };
    drop((tell, wait));
    let mut number = [0; 4];
    let passed = hear.read_exact(&mut number).map_err(|_| ());
    match passed.map(|()| i32::from_ne_bytes(number)) {
        Ok(descriptor) if descriptor > 0 => {
            let passed = pass_on(watcher, server, descriptor, nameservers);
            step("pass the filter on", passed)?;
            step(
                "wait for the watcher",
                message::receive::<message::Go>(watcher),
            )?;
            step("let the server start", go.write_all(b"g"))?;
        }
        _ => {}
    }
    let mut said = String::new();
    // Ends at once where the server's program begins: the pipe closes then.
    let _ = hear.read_to_string(&mut said);
    if !said.is_empty() {
        return Err(said);
    }
    drop(go);
    Ok(attend(watcher, &mut ends, server))
}

/// Takes the filter's descriptor out of the server, which cannot send it: sending waits. It goes first.
fn pass_on(
    watcher: &UnixStream,
    server: i32,
    descriptor: i32,
    nameservers: &[OwnedFd],
) -> io::Result<()> {
    let server = rustix::process::Pid::from_raw(server).ok_or(io::ErrorKind::NotFound)?;
    let server = rustix::process::pidfd_open(server, PidfdFlags::empty())?;
    let listener = rustix::process::pidfd_getfd(&server, descriptor, PidfdGetfdFlags::empty())?;
    let mut descriptors = vec![listener.as_fd()];
    descriptors.extend(nameservers.iter().map(OwnedFd::as_fd));
    let mut space =
        [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(message::DESCRIPTORS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    beside.push(SendAncillaryMessage::ScmRights(&descriptors));
    let text = message::framed(&message::Told::Filter)?;
    rustix::net::sendmsg(
        watcher,
        &[IoSlice::new(&text)],
        &mut beside,
        SendFlags::NOSIGNAL,
    )?;
    Ok(())
}

/// Everything up to the server's program. Comes back only when that is not reached, with why.
fn become_server(
    plan: &Plan,
    tell: &io::PipeWriter,
    wait: io::PipeReader,
    is_passed: &mut bool,
) -> String {
    let started = move || -> Step<std::convert::Infallible> {
        die_with_parent()?;
        step("take up signals", SigSet::all().thread_unblock())?;
        let own = Pid::from_raw(0);
        step("make a group", nix::unistd::setpgid(own, own))?;
        kernel::take_up_broken_pipes();
        let program = program(plan)?;
        step(
            &format!("go to {}", plan.cwd.display()),
            rustix::process::chdir(&plan.cwd),
        )?;
        give_up_rights(plan)?;
        if plan.mode == Mode::Landlock {
            landlock::restrict(plan)?;
        }
        let arguments = plan.command.iter().map(text).collect::<Step<Vec<_>>>()?;
        let variables = variables(plan)?;
        let mut filter = filter::filter(plan);
        let listener: OwnedFd = step("put a filter on system calls", kernel::filter(&mut filter))?;
        let (mut tell, mut wait) = (tell, wait);
        step(
            "pass the filter on",
            tell.write_all(&listener.as_raw_fd().to_ne_bytes()),
        )?;
        *is_passed = true;
        let mut go = [0];
        step("wait for the watcher", wait.read_exact(&mut go))?;
        drop(listener);
        step(
            &format!("start {}", program.to_string_lossy()),
            nix::unistd::execve(&program, &arguments, &variables),
        )
    };
    match started() {
        Ok(never) => match never {},
        Err(reason) => reason,
    }
}

/// The plan's variables. Names are asked for over TCP where they are recorded: such a connection can be
/// answered by the watcher (`resolv.conf(5)`).
fn variables(plan: &Plan) -> Step<Vec<CString>> {
    let is_recorded = matches!(plan.network, Network::Recorded { .. });
    let own = is_recorded.then(|| ("RES_OPTIONS".into(), "use-vc attempts:1 timeout:5".into()));
    let given = plan
        .env
        .iter()
        .filter(|(name, _)| !is_recorded || name != "RES_OPTIONS");
    given
        .chain(&own)
        .map(|(name, value)| {
            let mut pair = name.clone();
            pair.push("=");
            pair.push(value);
            text(&pair)
        })
        .collect()
}

/// No capability for the server, and no way to get one: not as root, not by a set-user-id program.
fn give_up_rights(plan: &Plan) -> Step<()> {
    let is_root = nix::unistd::geteuid().is_root();
    if plan.mode == Mode::Namespaces || is_root {
        return step(
            "give up capabilities",
            sayso_mcp::supervisor::drop_capabilities(),
        );
    }
    step("give up new rights", rustix::thread::set_no_new_privs(true))
}

fn text(text: impl AsRef<OsStr>) -> Step<CString> {
    step(
        "read the command",
        CString::new(text.as_ref().as_bytes()).map_err(io::Error::from),
    )
}

/// The program's file: as it is named, or in the first folder of `PATH` that has it.
fn program(plan: &Plan) -> Step<CString> {
    let name = plan.command.first().ok_or("there is no command")?;
    if name.as_bytes().contains(&b'/') {
        return text(name);
    }
    let path = plan.env.iter().find(|(variable, _)| variable == "PATH");
    let folders = path
        .map(|(_, folders)| folders.as_bytes().to_vec())
        .unwrap_or_default();
    let found = folders.split(|byte| *byte == b':').find_map(|folder| {
        let file: PathBuf = Path::new(&OsString::from_vec(folder.to_vec())).join(name);
        let status = fs::metadata(&file).ok()?;
        let runs = status.is_file() && status.permissions().mode() & 0o111 != 0;
        runs.then_some(file)
    });
    match found {
        Some(file) => text(file),
        None => Err(format!("`{}` is in no folder of `PATH`", name.display())),
    }
}

/// Reaps until the server is over, then ends what it left behind.
fn attend(watcher: &UnixStream, ends: &mut SignalFd, server: i32) -> u8 {
    let is_first = nix::unistd::getpid().as_raw() == 1;
    let mut status = None;
    while status.is_none() {
        let watched: BorrowedFd<'_> = watcher.as_fd();
        let mut polled = [
            PollFd::new(ends.as_fd(), PollFlags::POLLIN),
            PollFd::new(watched, PollFlags::POLLIN),
        ];
        let _ = poll(&mut polled, PollTimeout::NONE);
        let mut is_gone = polled
            .get(1)
            .and_then(PollFd::revents)
            .is_some_and(|events| !events.is_empty());
        while let Ok(Some(signal)) = ends.read_signal() {
            is_gone |= i32::try_from(signal.ssi_signo) == Ok(Signal::SIGTERM as i32);
        }
        status = reap(server);
        if is_gone && status.is_none() {
            status = Some(FAILED);
        }
    }
    if !is_first {
        end_descendants();
    }
    status.unwrap_or(FAILED)
}

/// Takes all that ended; how the server did, if it is among them.
fn reap(server: i32) -> Option<u8> {
    let mut status = None;
    while let Ok(ended) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        let (process, how) = match ended {
            WaitStatus::Exited(process, code) => (process, code),
            WaitStatus::Signaled(process, signal, _) => (process, 128 + signal as i32),
            WaitStatus::StillAlive => break,
            _ => continue,
        };
        if process.as_raw() == server {
            status = Some(u8::try_from(how & 0xff).unwrap_or(FAILED));
        }
    }
    status
}

/// Ends everything this process is the reaper of, until nothing is left; what hangs in the kernel is left
/// to it.
fn end_descendants() {
    for _ in 0..200 {
        for child in super::processes::descendants(std::process::id()) {
            let process = Pid::from_raw(i32::try_from(child).unwrap_or(i32::MAX));
            let _ = nix::sys::signal::kill(process, Signal::SIGKILL);
        }
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Err(nix::errno::Errno::ECHILD) => return,
                Ok(WaitStatus::StillAlive) | Err(_) => break,
                Ok(_) => {}
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

fn wait_for(process: i32) -> u8 {
    loop {
        match waitpid(Pid::from_raw(process), None) {
            Ok(WaitStatus::Exited(_, code)) => return u8::try_from(code).unwrap_or(FAILED),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                return u8::try_from(128 + signal as i32).unwrap_or(FAILED);
            }
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(_) => return FAILED,
        }
    }
}
