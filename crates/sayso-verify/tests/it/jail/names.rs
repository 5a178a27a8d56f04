//! Names, asked for in all the ways that programs have.

use sayso_verify::event::{Act, Event};
use sayso_verify::plan::{Mode, Purpose};

use super::{Place, modes, run};

fn asked(events: &[Event]) -> Vec<(&str, &str)> {
    let names = events.iter().filter_map(|event| match &event.act {
        Act::Resolve { name } => Some((name.as_str(), event.program.as_str())),
        _ => None,
    });
    names.collect()
}

/// To whom connections are, by name.
fn connected(events: &[Event]) -> Vec<&str> {
    let hosts = events.iter().filter_map(|event| match &event.act {
        Act::Connect(connection) => Some(connection.host.as_deref().unwrap_or(&connection.address)),
        _ => None,
    });
    hosts.collect()
}

/// A program that asks by UDP as C libraries do, and connects to what it is told; `ask` is how.
fn asking(ask: &str) -> String {
    format!(
        "python3 -c 'import socket, sys
query = bytes([7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + b\"\\3api\\7service\\7example\\0\\0\\1\\0\\1\"
server = (\"203.0.113.53\", 53)
{ask}
assert reply[:2] == query[:2], reply
address = socket.inet_ntoa(reply[-4:])
try: socket.create_connection((address, 443), 2)
except OSError as error: print(error.errno)'"
    )
}

const UNCONNECTED: &str = "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind((\"0.0.0.0\", 0))
one.settimeout(5)
one.sendto(query, server)
reply, sender = one.recvfrom(512)";

const CONNECTED: &str = "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.settimeout(5)
one.connect(server)
one.send(query)
reply, sender = one.recvfrom(512)";

const IN_A_MESSAGE: &str = "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.settimeout(5)
one.sendmsg([query], [], 0, server)
reply, _, _, sender = one.recvmsg(512)";

const BY_THE_NEWER_PROTOCOL: &str = "one = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
one.settimeout(5)
one.sendto(query, (\"2001:db8::53\", 53))
reply, sender = one.recvfrom(512)
server = (\"2001:db8::53\", 53, 0, 0)";

#[test]
fn names_that_are_asked_for_by_datagrams_are_told_and_answered() {
    for mode in modes() {
        for ask in [UNCONNECTED, CONNECTED, IN_A_MESSAGE, BY_THE_NEWER_PROTOCOL] {
            let place = Place::new();
            let mut ask = ask.to_owned();
            if mode == Mode::Namespaces {
                // Programs take an answer from nobody else.
                ask.push_str("\nassert sender == server, sender");
            }
            let (output, events) = run(&place.plan(mode, Purpose::Observe, &asking(&ask)));
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said, "101\n", "{mode} {ask} {output:?} {events:#?}");
            let python = events.last().unwrap().program.clone();
            assert_eq!(
                asked(&events),
                [("api.service.example", python.as_str())],
                "{mode} {ask}"
            );
            assert_eq!(connected(&events), ["api.service.example"], "{mode} {ask}");
            place.remove();
        }
    }
}

#[test]
fn resolvers_of_their_own_are_answered() {
    for mode in modes() {
        let place = Place::new();
        let script = "node -e 'const dns = require(\"dns\");
dns.resolve4(\"api.service.example\", (error, found) => {
  if (error) { console.log(error.code); return; }
  require(\"net\").connect(443, found[0]).on(\"error\", (error) => console.log(error.code));
});'";
        let (output, events) = run(&place.plan(mode, Purpose::Observe, script));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "ENETUNREACH\n", "{mode} {output:?} {events:#?}");
        let names = asked(&events);
        assert!(
            names.iter().any(|(name, _)| *name == "api.service.example"),
            "{mode} {names:?}"
        );
        assert_eq!(connected(&events), ["api.service.example"], "{mode}");
        place.remove();
    }
}

#[test]
fn a_socket_to_ask_with_leads_nowhere_else() {
    for mode in modes() {
        let place = Place::new();
        let service = std::net::UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        service.set_nonblocking(true).unwrap();
        let port = service.local_addr().unwrap().port();
        let script = format!(
            "python3 -c 'import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.connect((\"203.0.113.53\", 53))
for to in [(\"127.0.0.1\", {port}), (\"192.0.2.1\", 9)]:
    for send in [
        lambda: one.sendto(b\"act\", to),
        lambda: one.sendmsg([b\"act\"], [], 0, to),
        lambda: one.connect(to) or one.send(b\"act\"),
    ]:
        try: send()
        except OSError: pass
print(\"tried\")'"
        );
        let (output, events) = run(&place.plan(mode, Purpose::Observe, &script));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "tried\n", "{mode} {output:?}");
        let to = connected(&events);
        assert!(to.contains(&"127.0.0.1"), "{mode} {to:?}");
        assert!(to.contains(&"192.0.2.1"), "{mode} {to:?}");
        assert!(service.recv(&mut [0; 8]).is_err(), "{mode}");
        place.remove();
    }
}
