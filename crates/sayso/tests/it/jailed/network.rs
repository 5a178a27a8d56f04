//! What is let out arrives, and nothing else does.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::{modes, observations, server, started_by, verdict};
use crate::sayso::{Ran, Sayso};

/// A service of this machine that says who it is, and keeps what it is told.
struct Service {
    port: u16,
    told: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&told);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                let mut bytes = [0; 64];
                let count = client.read(&mut bytes).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                heard.lock().unwrap().push(text);
                let _ = client.write_all(b"the service");
            }
        });
        Self { port, told }
    }

    fn told(&self) -> Vec<String> {
        let mut told = self.told.lock().unwrap().clone();
        told.sort();
        told.dedup();
        told
    }
}

/// Ways to get in touch, with a service of this machine in the place of `PORT`.
const CALLS: &str = r#"
def say(host, port, what):
    with socket.create_connection((host, port), 3) as one:
        one.sendall(what.encode())
        return one.recv(64).decode()

say.__module__ = "helpers"

def to_the_address():
    return say("127.0.0.1", PORT, "to the address")

def to_the_name():
    return say("api.service.example", PORT, "to the name")

def to_a_name_that_was_asked_for():
    query = bytes([7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + b"\3api\7service\7example\0\0\1\0\1"
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.settimeout(3)
    one.sendto(query, ("127.0.0.53", 53))
    return say(socket.inet_ntoa(one.recv(512)[-4:]), PORT, "to a name that was asked for")

def to_another_name():
    return say("other.example", PORT, "to another name")

def to_another_address():
    return say("192.0.2.1", PORT, "to another address")
"#;

const OTHERS: [&str; 2] = ["to_another_name", "to_another_address"];

fn calling(arguments: &str, service: &Service) -> Sayso {
    let tools = CALLS.replace("PORT", &service.port.to_string());
    Sayso::new(&format!(
        "verify --settle 300 --transcripts seen {arguments} -- python3 server.py"
    ))
    .file("server.py", server(&tools))
}

/// What a call of a tool came back with.
fn reply(directory: &Path, tool: &str) -> String {
    let observation = &observations(directory, tool)[0];
    let reply = serde_json::to_string(&observation["reply"]).unwrap();
    let said = ["the service", "unreachable", "refused"];
    let said = said.into_iter().find(|said| reply.contains(said));
    said.map_or(reply.clone(), str::to_owned)
}

/// The connections of a tool's first call: to whom, whether it was let out, and how it was refused.
fn connections(directory: &Path, tool: &str) -> Vec<(String, bool, Option<String>)> {
    let observation = &observations(directory, tool)[0];
    let events = observation["effects"]["events"].as_array().unwrap();
    let to = events
        .iter()
        .filter(|event| event["act"]["act"] == "connect");
    to.map(|event| {
        let act = &event["act"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let whom = text(&act["host"]).or(text(&act["address"])).unwrap();
        (whom, act["live"] == true, text(&event["refused"]))
    })
    .collect()
}

fn nothing_else_was_let_out(directory: &Path, mode: &str) {
    for tool in OTHERS {
        assert_eq!(reply(directory, tool), "unreachable", "{mode} {tool}");
        let made = connections(directory, tool);
        assert!(
            made.iter()
                .all(|(_, live, refused)| !live && refused.is_some())
                && !made.is_empty(),
            "{mode} {tool} {made:?}"
        );
        let open = verdict(directory, tool, "openWorldHint");
        assert_eq!(open, "contradicted", "{mode} {tool}");
    }
}

#[test]
fn nothing_arrives_anywhere_that_is_not_let_out() {
    for mode in modes() {
        for live in ["", "--live *", "--live other.service.example"] {
            let service = Service::start();
            // Every host is not this machine.
            let tool = "--tool to_the_address --tool to_another_address";
            let tool = if live == "--live *" {
                "--tool to_the_address"
            } else {
                tool
            };
            let sayso = calling(&format!("--jail {mode} {live} {tool}"), &service);
            let ran = sayso.run();
            let directory = sayso.directory();
            assert_eq!(service.told(), [""; 0], "{mode} {live} {ran}");
            assert_eq!(
                reply(&directory, "to_the_address"),
                "refused",
                "{mode} {live}"
            );
            let made = connections(&directory, "to_the_address");
            assert_eq!(made.len(), 1, "{mode} {made:?}");
            assert!(!made[0].1, "{mode} {made:?}");
            let closed = verdict(&directory, "to_the_address", "openWorldHint");
            assert_eq!(closed, "consistent", "{mode}");
            let reads = verdict(&directory, "to_the_address", "readOnlyHint");
            assert_eq!(reads, "contradicted", "{mode}");
        }
    }
}

#[test]
fn this_machine_is_reached_where_it_is_named() {
    for mode in modes() {
        let service = Service::start();
        let sayso = calling(
            &format!(
                "--jail {mode} --live localhost --tool to_the_address --tool to_another_address"
            ),
            &service,
        );
        let ran = sayso.run();
        let directory = sayso.directory();
        assert_eq!(service.told(), ["to the address"], "{mode} {ran}");
        assert_eq!(reply(&directory, "to_the_address"), "the service", "{mode}");
        let made = connections(&directory, "to_the_address");
        assert_eq!(made, [("127.0.0.1".to_owned(), true, None)], "{mode}");
        // What the service made of it nobody has seen.
        let reads = verdict(&directory, "to_the_address", "readOnlyHint");
        assert_eq!(reads, "cannot-tell", "{mode} {ran}");
        let closed = verdict(&directory, "to_the_address", "openWorldHint");
        assert_eq!(closed, "consistent", "{mode}");
        let other = verdict(&directory, "to_another_address", "openWorldHint");
        assert_eq!(other, "contradicted", "{mode}");
    }
}

/// Runs it where a name leads to this machine, for which it takes a view of the files of its own.
fn run_where_the_name_leads_here(sayso: &Sayso) -> Ran {
    let list = sayso.directory().join("hosts");
    std::fs::write(&list, "127.0.0.1 localhost api.service.example\n").unwrap();
    let script = format!(
        "mount --bind '{}' /etc/hosts && exec \"$@\"",
        list.display()
    );
    let mut outer = vec!["unshare", "--mount"];
    if !is_root() {
        outer.push("--map-root-user");
    }
    outer.extend(["sh", "-c", &script, "sh"]);
    let output = started_by(&outer, sayso).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

#[test]
fn a_host_is_reached_by_its_name_however_it_was_asked_for() {
    for mode in modes() {
        let service = Service::start();
        let sayso = calling(
            &format!("--jail {mode} --live api.service.example"),
            &service,
        );
        let ran = run_where_the_name_leads_here(&sayso);
        assert_eq!(ran.code, Some(1), "{mode} {ran}");
        let directory = sayso.directory();
        let arrived = [
            "to a name that was asked for",
            "to the address",
            "to the name",
        ];
        // By its address too: it is the host that was named.
        assert_eq!(service.told(), arrived, "{mode} {ran}");
        let tool = "to_a_name_that_was_asked_for";
        let made = connections(&directory, tool);
        let to = ("api.service.example".to_owned(), true, None);
        assert!(made.contains(&to), "{mode} {made:?}");
        let open = verdict(&directory, tool, "openWorldHint");
        assert_eq!(open, "contradicted", "{mode}");
        let reads = verdict(&directory, tool, "readOnlyHint");
        assert_eq!(reads, "cannot-tell", "{mode}");
        nothing_else_was_let_out(&directory, mode);
    }
}

/// A tool that fetches a page, and one that greets a host by TLS at a bare address.
const PAGES: &str = r#"
def fetches(url):
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port or 80)), 3) as one:
        one.sendall(f"GET /{path} HTTP/1.0\r\nhost: {name}\r\n\r\n".encode())
        page = b""
        while part := one.recv(4096):
            page += part
        return page.decode()

def fetches_elsewhere():
    return fetches("http://pages.service.example/here")

def greets():
    with socket.create_connection(("192.0.2.1", 443), 3) as one:
        context = ssl.create_default_context()
        return context.wrap_socket(one, server_hostname="hidden.service.example")

SCHEMAS = {"fetches": {"type": "object", "properties": {"url": {"type": "string", "format": "uri"}}, "required": ["url"]}}
"#;

fn fetching(arguments: &str) -> Sayso {
    Sayso::new(&format!(
        "verify --settle 300 --transcripts seen --fixture pages {arguments} -- python3 server.py"
    ))
    .file("server.py", server(PAGES))
}

#[test]
fn the_fixtures_pages_are_reached_and_belong_to_the_closed_world() {
    for mode in modes() {
        let sayso = fetching(&format!("--jail {mode} --tool fetches"));
        let ran = sayso.run();
        assert_eq!(ran.code, Some(0), "{mode} {ran}");
        let directory = sayso.directory();
        let observation = &observations(&directory, "fetches")[0];
        assert!(
            observation["reply"].to_string().contains("A page"),
            "{mode} {observation}"
        );
        for hint in ["openWorldHint", "readOnlyHint"] {
            assert_eq!(
                verdict(&directory, "fetches", hint),
                "consistent",
                "{mode} {hint}"
            );
        }
    }
}

#[test]
fn a_sink_shows_what_a_tool_does_that_believes_it_is_online() {
    for mode in modes() {
        let sayso = fetching(&format!(
            "--jail {mode} --sink --verbose --tool fetches_elsewhere --tool greets"
        ));
        let ran = sayso.run();
        assert_eq!(ran.code, Some(1), "{mode} {ran}");
        let directory = sayso.directory();
        let observation = &observations(&directory, "fetches_elsewhere")[0];
        let page = "This page was made up.";
        assert!(
            observation["reply"].to_string().contains(page),
            "{mode} {observation}"
        );
        for (tool, host, first) in [
            (
                "fetches_elsewhere",
                "pages.service.example:80",
                "GET /here HTTP/1.0",
            ),
            ("greets", "hidden.service.example:443", "a TLS handshake"),
        ] {
            let open = verdict(&directory, tool, "openWorldHint");
            assert_eq!(open, "contradicted", "{mode} {tool}");
            let told =
                format!("connected to `{host}` (tcp, the open world), beginning with `{first}`");
            // Lines are broken where the report is as wide as it gets.
            let report = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(report.contains(&told), "{mode} {told} {ran}");
        }
    }
}
