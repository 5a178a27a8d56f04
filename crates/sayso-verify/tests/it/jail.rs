//! A program in a jail, watched.

mod liar;
mod names;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use sayso_verify::event::{Act, ChangeKind, Event};
use sayso_verify::jail::{Jail, Launcher, probe};
use sayso_verify::plan::{Meets, Mode, Network, Overlay, Plan, Purpose};

/// The example that becomes a jail, which `cargo test` has built.
fn launcher() -> Launcher {
    let tests = std::env::current_exe().unwrap();
    let target = tests.ancestors().nth(2).unwrap();
    Launcher {
        program: target.join("examples").join("jail"),
        args: Vec::new(),
    }
}

/// A folder with a file in it, and what a jail needs beside it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = sayso_verify::jail::scratch().unwrap();
        for name in ["data", "upper/files", "upper/work"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(
            folder.path().join("data/victim.txt"),
            "what the user wrote\n",
        )
        .unwrap();
        Self { folder }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn remove(self) {
        sayso_verify::jail::remove(self.folder.path()).unwrap();
    }

    fn victim(&self) -> String {
        std::fs::read_to_string(self.data().join("victim.txt")).unwrap()
    }

    fn plan(&self, mode: Mode, purpose: Purpose, script: &str) -> Plan {
        let observes = purpose == Purpose::Observe;
        let overlay = Overlay {
            lower: self.data(),
            upper: self.folder.path().join("upper/files"),
            work: self.folder.path().join("upper/work"),
        };
        let is_over = observes && mode == Mode::Namespaces;
        let network = match purpose {
            Purpose::Confine => Network::None,
            Purpose::Observe => Network::Recorded {
                meets: Meets::Refusal,
                live: Vec::new(),
                loopback: Vec::new(),
            },
        };
        Plan {
            mode,
            purpose,
            command: vec!["sh".into(), "-c".into(), script.into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            cwd: self.data(),
            writable: (observes && !is_over)
                .then(|| self.data())
                .into_iter()
                .collect(),
            overlays: is_over.then_some(overlay).into_iter().collect(),
            read_only: (!observes).then(|| self.data()).into_iter().collect(),
            empty: if mode == Mode::Namespaces {
                vec!["/tmp".into()]
            } else {
                Vec::new()
            },
            network,
        }
    }
}

fn run(plan: &Plan) -> (Output, Vec<Event>) {
    let jail = Jail::prepare(plan, &launcher()).unwrap();
    let mark = jail.mark();
    let command = jail.command();
    let mut process = Command::new(&command.command);
    let process = process.args(&command.args).stdin(Stdio::null());
    let output = process.output().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(jail.failure(), None);
    (output, jail.since(mark))
}

fn modes() -> Vec<Mode> {
    let probe = probe(&launcher());
    let found: Vec<Mode> = [Mode::Namespaces, Mode::Landlock]
        .into_iter()
        .filter(|mode| probe.choose(Some(*mode)).is_ok())
        .collect();
    assert!(!found.is_empty(), "{probe:?}");
    found
}

fn is_open_of(event: &Event, path: &Path) -> bool {
    matches!(&event.act, Act::Open { path: opened, .. } if opened == path)
}

#[test]
fn what_a_program_does_is_seen_and_stays_inside() {
    for mode in modes() {
        let place = Place::new();
        let script =
            "echo lies > victim.txt; mkdir new; mv victim.txt new/; cat new/victim.txt; exit 7";
        let plan = place.plan(mode, Purpose::Observe, script);
        let (output, events) = run(&plan);
        assert_eq!(output.status.code(), Some(7), "{mode} {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "lies\n", "{mode}");
        let victim = place.data().join("victim.txt");
        assert!(
            events.iter().any(|event| is_open_of(event, &victim)),
            "{mode} {events:#?}"
        );
        let made = events.iter().any(|event| {
            matches!(&event.act, Act::Change { kind: ChangeKind::MakeFolder, path, .. } if path.ends_with("new"))
        });
        assert!(made, "{mode} {events:#?}");
        let ran = events.iter().any(|event| {
            matches!(&event.act, Act::Execute { arguments, .. } if arguments.first().is_some_and(|name| name == "mv"))
        });
        assert!(ran, "{mode} {events:#?}");
        if mode == Mode::Namespaces {
            assert_eq!(place.victim(), "what the user wrote\n");
        }
        place.remove();
    }
}

#[test]
fn what_a_confined_program_tries_is_refused_and_told() {
    for mode in modes() {
        let place = Place::new();
        let script =
            "cat victim.txt; echo lies > victim.txt; rm victim.txt; chmod 777 victim.txt; true";
        let (output, events) = run(&place.plan(mode, Purpose::Confine, script));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "what the user wrote\n", "{mode} {output:?}");
        assert_eq!(place.victim(), "what the user wrote\n", "{mode}");
        let refused: Vec<_> = events
            .iter()
            .filter_map(|event| event.refused.as_deref())
            .collect();
        let error = if mode == Mode::Namespaces {
            "EROFS"
        } else {
            "EACCES"
        };
        assert_eq!(refused, [error; 3], "{mode} {events:#?}");
        place.remove();
    }
}

#[test]
fn who_only_reads_causes_no_event() {
    for mode in modes() {
        let place = Place::new();
        let script = "ls / > /dev/null; cat victim.txt | wc -c; cd /tmp";
        let (output, events) = run(&place.plan(mode, Purpose::Confine, script));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            "20",
            "{mode} {output:?}"
        );
        assert!(events.is_empty(), "{mode} {events:#?}");
        place.remove();
    }
}

#[test]
fn names_that_are_asked_for_are_told() {
    for mode in modes() {
        let place = Place::new();
        let script = "python3 -c 'import socket
try: socket.create_connection((\"api.service.example\", 443), 2)
except OSError as error: print(error.errno)'";
        let (output, events) = run(&place.plan(mode, Purpose::Observe, script));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            "101",
            "{mode} {output:?} {events:#?}"
        );
        let to = events.iter().find_map(|event| match &event.act {
            Act::Connect(connection) => Some((connection.host.as_deref(), connection.port)),
            _ => None,
        });
        assert_eq!(
            to,
            Some((Some("api.service.example"), Some(443))),
            "{mode} {events:#?}"
        );
        place.remove();
    }
}

#[test]
fn nothing_is_left_when_the_watcher_goes() {
    for mode in modes() {
        let place = Place::new();
        let script = "sleep 600 & sleep 600";
        let plan = place.plan(mode, Purpose::Observe, script);
        let jail = Jail::prepare(&plan, &launcher()).unwrap();
        let command = jail.command();
        let mut process = Command::new(&command.command)
            .args(&command.args)
            .spawn()
            .unwrap();
        let mut tries = 0;
        while jail.processes().len() < 3 {
            std::thread::sleep(Duration::from_millis(10));
            tries += 1;
            assert!(
                tries < 500,
                "{mode} {:?} {:?}",
                jail.processes(),
                jail.failure()
            );
        }
        let inside = jail.processes();
        drop(jail);
        process.wait().unwrap();
        for one in inside {
            let command = std::fs::read_to_string(format!("/proc/{one}/cmdline"));
            assert!(command.unwrap_or_default().is_empty(), "{mode} {one}");
        }
        place.remove();
    }
}

/// The user that owns nothing.
const NOBODY: &str = "65534";

/// Everything here holds without any privilege: these tests again, as another user where this one has some.
#[test]
fn all_of_it_takes_no_privilege() {
    if !nix::unistd::geteuid().is_root() || std::env::var_os("SAYSO_IS_ORDINARY").is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["deps", "examples"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::copy(
        std::env::current_exe().unwrap(),
        folder.path().join("deps/it"),
    )
    .unwrap();
    std::fs::copy(launcher().program, folder.path().join("examples/jail")).unwrap();
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), all).unwrap();
    let user = [
        format!("--reuid={NOBODY}"),
        format!("--regid={NOBODY}"),
        "--clear-groups".to_owned(),
    ];
    let output = Command::new("setpriv")
        .args(user)
        .arg(folder.path().join("deps/it"))
        .arg("jail::")
        .env("SAYSO_IS_ORDINARY", "1")
        .env("HOME", "/nonexistent")
        .current_dir("/")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.contains("test result: ok"), "{said}");
}

#[test]
fn a_process_that_hides_does_nothing() {
    for mode in modes() {
        let place = Place::new();
        let script = "python3 -c 'import ctypes, os
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
try: os.chmod(\"victim.txt\", 0o777)
except OSError as error: print(\"refused\")'";
        let (output, events) = run(&place.plan(mode, Purpose::Confine, script));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.trim(), "refused", "{mode} {output:?}");
        assert!(
            events.iter().all(|event| event.refused.is_some()),
            "{mode} {events:#?}"
        );
        assert!(!events.is_empty(), "{mode}");
        sayso_verify::jail::remove(place.folder.path()).unwrap();
    }
}

#[test]
fn a_socket_that_was_put_in_place_of_another_leads_nowhere_else() {
    for mode in modes() {
        let place = Place::new();
        let service = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        service.set_nonblocking(true).unwrap();
        let port = service.local_addr().unwrap().port();
        let script = format!(
            "python3 -c 'import ctypes, os, socket
names = socket.create_connection((\"192.0.2.1\", 53), 2)
let_go = ctypes.CDLL(None, use_errno=True).connect(names.fileno(), bytes(16), 16)  # AF_UNSPEC
print(let_go)
try: names.connect((\"127.0.0.1\", {port}))
except OSError as error: print(\"refused\")'"
        );
        let (output, events) = run(&place.plan(mode, Purpose::Observe, &script));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "-1\nrefused\n", "{mode} {output:?} {events:#?}");
        assert!(service.accept().is_err(), "{mode}");
        sayso_verify::jail::remove(place.folder.path()).unwrap();
    }
}
