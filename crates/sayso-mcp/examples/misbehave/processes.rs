//! Servers that do not end, and those that leave others behind.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::{Request, log, serve, write};

/// Whether there was such a behaviour.
pub(crate) fn run(name: &str, args: &[String]) -> bool {
    match name {
        "ignores-eof" => {
            serve(&mut Request::ordinary);
            forever()
        }
        "ignores-everything" => {
            ignore_signals();
            serve(&mut Request::ordinary);
            forever()
        }
        // As `npx` does: the server is a child, and the wrapper waits for it.
        "wrapper" => {
            let status = again("ignores-everything", args).status();
            std::process::exit(status.ok().and_then(|status| status.code()).unwrap_or(1))
        }
        // As a server that starts a helper for others and forgets it.
        "leaves-daemon" => {
            let mut daemon = again("daemon", args);
            daemon
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let _ = daemon.spawn();
            serve(&mut Request::ordinary);
        }
        // The daemon has the pipes too.
        "leaves-daemon-with-pipes" => {
            let _ = again("daemon", args).spawn();
            serve(&mut Request::ordinary);
        }
        "exits-leaving-daemon" => {
            let _ = again("daemon", args).spawn();
            log("cannot go on");
            std::process::exit(4)
        }
        "daemon" => {
            // Twice over: out of the group, out of the session, and away from its parent.
            let _ = nix::unistd::setsid();
            let _ = again("daemon-itself", args).spawn();
        }
        "daemon-itself" => {
            ignore_signals();
            forever()
        }
        "killed" => {
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
        }
        "closes-stdout" => {
            if let Ok(null) = std::fs::File::options().write(true).open("/dev/null") {
                let _ = rustix::stdio::dup2_stdout(null);
            }
            sleep(Duration::from_secs(600));
        }
        "never-reads" => forever(),
        // Asks and asks, and takes no answer.
        "asks-for-ever" => loop {
            write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        },
        "tries" => {
            let outcome = attempts(args);
            serve(&mut |request| match request.method.as_str() {
                "tools/list" => request.tools(&outcome),
                _ => request.ordinary(),
            });
        }
        "late-print" => {
            serve(&mut Request::ordinary);
            write(b"a line that was buffered\n");
        }
        _ => return false,
    }
    true
}

/// This program again.
fn again(behaviour: &str, args: &[String]) -> Command {
    let program = std::env::current_exe().unwrap_or_default();
    let mut command = Command::new(program);
    command.arg(behaviour).args(args);
    command
}

fn ignore_signals() {
    let _ = nix::sys::signal::SigSet::all().thread_block();
}

fn forever() -> ! {
    loop {
        sleep(Duration::from_secs(600));
    }
}

/// Tries each thing and tells how it went: as tools, since that is what the test reads.
fn attempts(args: &[String]) -> String {
    let mut tools = Vec::new();
    for attempt in args {
        let (what, subject) = attempt.split_once(':').unwrap_or((attempt, ""));
        let outcome = match what {
            "write" => std::fs::write(subject, "changed").map(|()| String::new()),
            "read" => std::fs::read_to_string(subject),
            "list" => std::fs::read_dir(subject).map(|entries| {
                let names = entries.flatten().map(|entry| entry.file_name());
                let mut names: Vec<_> = names.map(|name| name.display().to_string()).collect();
                names.sort();
                names.join(" ")
            }),
            "connect" => std::net::TcpStream::connect(subject).map(|_| String::new()),
            "listen" => std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| {
                let address = listener.local_addr()?;
                std::net::TcpStream::connect(address).map(|_| String::new())
            }),
            "home" => {
                let home = std::path::PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
                std::fs::write(home.join(".config/new"), "x").map(|()| String::new())
            }
            "variable" => Ok(std::env::var(subject).unwrap_or_else(|_| "unset".to_owned())),
            "capabilities" => std::fs::read_to_string("/proc/self/status").map(|status| {
                let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
                line.unwrap_or("none").trim().to_owned()
            }),
            "remount" => Command::new("mount")
                .args(["-o", "remount,rw,bind", "/"])
                .output()
                .map(|output| output.status.to_string()),
            "id" => Ok(format!(
                "{} {}",
                nix::unistd::getuid(),
                nix::unistd::getgid()
            )),
            _ => Ok("no such attempt".to_owned()),
        };
        let told = outcome.unwrap_or_else(|error| error.to_string());
        tools.push(serde_json::json!({ "name": what, "description": told.trim() }).to_string());
    }
    tools.join(",")
}
