//! A server that acts in every way there is, in a jail of each kind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sayso_verify::event::{Act, Event};
use sayso_verify::jail::Jail;
use sayso_verify::plan::{Mode, Purpose};

use super::{Place, launcher, modes};

const LIAR: &str = include_str!("../../../../../fixtures/servers/liar/liar.py");

/// What the liar is after outside of its jail.
struct Others {
    twin: Child,
    said: BufReader<std::process::ChildStdout>,
    arguments: Vec<String>,
    stream: UnixListener,
    datagram: UnixDatagram,
    hidden: UnixListener,
    tcp: TcpListener,
    udp: UdpSocket,
}

impl Others {
    fn new(folder: &Path) -> Self {
        let liar = folder.join("liar.py");
        let mut twin = Command::new("python3")
            .arg(&liar)
            .arg("--be-twin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(twin.stdout.take().unwrap());
        let mut named = String::new();
        said.read_line(&mut named).unwrap();
        let path = folder.join("daemon");
        let name = format!("sayso-test-{}", twin.id());
        let hidden = SocketAddr::from_abstract_name(&name).unwrap();
        let tcp = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let udp = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        let arguments = [
            ("--twin", named.trim().to_owned()),
            ("--socket", path.display().to_string()),
            ("--abstract", name),
            ("--tcp", tcp.local_addr().unwrap().port().to_string()),
            ("--udp", udp.local_addr().unwrap().port().to_string()),
        ];
        let others = Self {
            twin,
            said,
            arguments: arguments
                .into_iter()
                .flat_map(|(flag, value)| [flag.to_owned(), value])
                .collect(),
            datagram: UnixDatagram::bind(format!("{}.datagram", path.display())).unwrap(),
            stream: UnixListener::bind(path).unwrap(),
            hidden: UnixListener::bind_addr(&hidden).unwrap(),
            tcp,
            udp,
        };
        others.stream.set_nonblocking(true).unwrap();
        others.datagram.set_nonblocking(true).unwrap();
        others.hidden.set_nonblocking(true).unwrap();
        others.tcp.set_nonblocking(true).unwrap();
        others.udp.set_nonblocking(true).unwrap();
        others
    }

    /// Who heard from it, or was changed.
    fn touched(&mut self) -> Vec<&'static str> {
        let mut buffer = [0; 16];
        let twin = writeln!(self.twin.stdin.as_mut().unwrap(), "?").and_then(|()| {
            let mut said = String::new();
            self.said.read_line(&mut said).map(|_| said)
        });
        let is_same = twin.is_ok_and(|said| said.trim() == "the twin is as it was");
        let touched = [
            (!is_same, "the twin"),
            (self.stream.accept().is_ok(), "the daemon"),
            (
                self.datagram.recv(&mut buffer).is_ok(),
                "the daemon, by a datagram",
            ),
            (
                self.hidden.accept().is_ok(),
                "the daemon with an abstract name",
            ),
            (self.tcp.accept().is_ok(), "the TCP service"),
            (self.udp.recv(&mut buffer).is_ok(), "the UDP service"),
        ];
        touched
            .into_iter()
            .filter_map(|(is, who)| is.then_some(who))
            .collect()
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        let _ = self.twin.kill();
        let _ = self.twin.wait();
    }
}

/// A folder for the liar to act on, and everything of it that could be changed.
fn populate(place: &Place) {
    let data = place.data();
    std::fs::write(data.join("other.txt"), "another text\n").unwrap();
    std::fs::create_dir(data.join("empty-folder")).unwrap();
    std::os::unix::fs::symlink("victim.txt", data.join("link")).unwrap();
    std::fs::write(place.folder.path().join("liar.py"), LIAR).unwrap();
}

type State = BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>;

fn state(data: &Path) -> State {
    let entries = std::fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let status = std::fs::symlink_metadata(&path).unwrap();
        let bytes = if status.is_file() {
            std::fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        (
            path,
            (status.mode(), status.mtime(), status.ctime_nsec(), bytes),
        )
    };
    entries.map(read).collect()
}

/// The liar as a server in a jail.
struct Server {
    jail: Jail,
    process: Child,
    replies: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start(place: &Place, others: &Others, mode: Mode, purpose: Purpose) -> Self {
        let mut plan = place.plan(mode, purpose, "");
        plan.command = ["python3".into(), place.folder.path().join("liar.py").into()].into();
        plan.command.extend(["--data".into(), place.data().into()]);
        plan.command.extend(others.arguments.iter().map(Into::into));
        plan.env
            .push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        plan.read_only.push(place.folder.path().join("liar.py"));
        let jail = Jail::prepare(&plan, &launcher()).unwrap();
        let command = jail.command();
        let mut process = Command::new(&command.command)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let replies = BufReader::new(process.stdout.take().unwrap());
        let mut server = Self {
            jail,
            process,
            replies,
        };
        server.ask("ping", "");
        server
    }

    fn ask(&mut self, method: &str, name: &str) -> String {
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"{name}"}}}}"#
        );
        let mut reply = String::new();
        let sent = writeln!(self.process.stdin.as_mut().unwrap(), "{request}");
        sent.and_then(|()| self.replies.read_line(&mut reply))
            .unwrap();
        assert!(
            !reply.is_empty(),
            "{method} {name} {:?}",
            self.jail.failure()
        );
        reply
    }

    /// Everything it does in one way, also what comes after its reply.
    fn act(&mut self, way: &str) -> Vec<Event> {
        let mark = self.jail.mark();
        self.ask("tools/call", way);
        if ["late", "detached_child", "detached_program"].contains(&way) {
            let until = Instant::now() + Duration::from_secs(10);
            let done = |event: &Event| matches!(&event.act, Act::Open { .. });
            while !self.jail.since(mark).iter().any(done) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        self.jail.since(mark)
    }

    fn ways(&mut self) -> Vec<String> {
        let listing = self.ask("tools/list", "");
        listing
            .split(r#"{"name": ""#)
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// An event in a few words, the same on every machine.
fn words(event: &Event, data: &Path) -> String {
    let short = |path: &Path| match path.strip_prefix(data) {
        Ok(rest) => rest.display().to_string(),
        Err(_) => {
            let kept = path.components().take(3).collect::<PathBuf>();
            if path.starts_with("/proc") {
                "/proc/…".to_owned()
            } else {
                kept.display().to_string()
            }
        }
    };
    let mut words = match &event.act {
        Act::Open { path, .. } => format!("open {}", short(path)),
        Act::Change {
            kind,
            path,
            to: None,
        } => format!("{kind:?} {}", short(path)),
        Act::Change {
            kind,
            path,
            to: Some(to),
        } => format!("{kind:?} {} {}", short(path), short(to)),
        Act::Execute { arguments, .. } => format!("run {}", arguments.first().unwrap()),
        Act::Resolve { name } => format!("resolve {name}"),
        Act::Connect(connection) if connection.protocol == "unix" => "connect unix".to_owned(),
        Act::Connect(connection) => {
            format!("connect {} {}", connection.protocol, connection.address)
        }
        Act::Listen { .. } => "listen".to_owned(),
        Act::Signal { signal, own, .. } => format!("signal {signal} own {own}"),
        Act::Socket { family } => format!("socket {family}"),
        Act::Other { call } => call.clone(),
    };
    if let Some(refused) = &event.refused {
        let _ = write!(words, ": {refused}");
    }
    words
}

#[test]
fn a_confined_liar_changes_nothing_and_every_attempt_is_told() {
    for mode in modes() {
        let place = Place::new();
        populate(&place);
        let mut others = Others::new(place.folder.path());
        let before = state(&place.data());
        let mut server = Server::start(&place, &others, mode, Purpose::Confine);
        let ways = server.ways();
        assert!(ways.len() > 50, "{ways:?}");
        let mut untold = Vec::new();
        for way in &ways {
            let events = server.act(way);
            if !events.iter().any(|event| event.refused.is_some()) {
                untold.push(way.as_str());
            }
            assert_eq!(others.touched(), [""; 0], "{mode} {way} {events:#?}");
            assert_eq!(state(&place.data()), before, "{mode} {way} {events:#?}");
        }
        assert_eq!(untold, [""; 0], "{mode}");
        drop(server);
        drop(others);
        sayso_verify::jail::remove(place.folder.path()).unwrap();
    }
}

#[test]
fn an_observed_liar_leaves_no_trace_outside() {
    for mode in modes() {
        let place = Place::new();
        populate(&place);
        let mut others = Others::new(place.folder.path());
        let before = state(&place.data());
        let mut ways = Server::start(&place, &others, mode, Purpose::Observe).ways();
        ways.sort_unstable();
        let mut told = String::new();
        for way in &ways {
            let events = acts_once(&place, &others, mode, way);
            let said = events
                .iter()
                .map(|event| words(event, &place.data()))
                .collect::<Vec<_>>();
            let _ = writeln!(told, "{way}: {}", said.join(", "));
            assert_eq!(others.touched(), [""; 0], "{mode} {way} {events:#?}");
            if mode == Mode::Namespaces {
                assert_eq!(state(&place.data()), before, "{way} {events:#?}");
            }
        }
        let silent = told
            .lines()
            .filter(|line| line.ends_with(": "))
            .collect::<Vec<_>>();
        assert_eq!(silent, [""; 0], "{mode}\n{told}");
        drop(others);
        sayso_verify::jail::remove(place.folder.path()).unwrap();
    }
}

/// A fresh liar, and a fresh overlay.
fn acts_once(place: &Place, others: &Others, mode: Mode, way: &str) -> Vec<Event> {
    let upper = place.folder.path().join("upper");
    sayso_verify::jail::remove(&upper).unwrap();
    for name in ["files", "work"] {
        std::fs::create_dir_all(upper.join(name)).unwrap();
    }
    if mode == Mode::Landlock {
        sayso_verify::jail::remove(&place.data()).unwrap();
        std::fs::create_dir(place.data()).unwrap();
        std::fs::write(place.data().join("victim.txt"), "what the user wrote\n").unwrap();
        populate(place);
    }
    let mut server = Server::start(place, others, mode, Purpose::Observe);
    let events = server.act(way);
    let mut rest = Vec::new();
    drop(server.process.stdin.take());
    server.replies.read_to_end(&mut rest).unwrap();
    events
}
