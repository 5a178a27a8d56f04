//! Whether a request may come in at all.

use std::net::{Ipv4Addr, Ipv6Addr};

use ::http::header::{HOST, ORIGIN};
use ::http::request::Parts;
use ::http::uri::Authority;
use ::http::{HeaderMap, HeaderName, Uri};

use super::Options;

/// Lets a request in, or says why not (MCP 2026-07-28, "Transports", Security).
pub(super) fn admit(head: &Parts, options: &Options) -> Result<(), &'static str> {
    let host = host(head).ok_or("`Host` is missing or unreadable")?;
    let is_named = |name: &String| name.eq_ignore_ascii_case(host.host());
    if !is_this_machine(host.host()) && !options.hosts.iter().any(is_named) {
        return Err("`Host` is not a name of this server");
    }
    let mut origins = head.headers.get_all(ORIGIN).iter();
    let may_come = |origin: &str| {
        comes_from_this_machine(origin)
            || options
                .origins
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(origin))
    };
    if origins.all(|origin| origin.to_str().is_ok_and(may_come)) {
        Ok(())
    } else {
        Err("`Origin` may not call this server")
    }
}

/// What the request calls this server: in HTTP/2 that stands in the URI.
fn host(head: &Parts) -> Option<Authority> {
    match single(&head.headers, &HOST) {
        Some(host) => host.parse().ok(),
        None => head.uri.authority().cloned(),
    }
}

/// The value of a header that stands once and is readable.
pub(super) fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

fn comes_from_this_machine(origin: &str) -> bool {
    let uri: Option<Uri> = origin.parse().ok();
    uri.is_some_and(|uri| uri.scheme().is_some() && uri.host().is_some_and(is_this_machine))
}

fn is_this_machine(host: &str) -> bool {
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse()
            .is_ok_and(|address: Ipv4Addr| address.is_loopback())
        || host
            .parse()
            .is_ok_and(|address: Ipv6Addr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use ::http::Request;

    use super::{Options, admit};

    fn is_let_in(host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let options = Options {
            hosts: vec!["tools.example".to_owned()],
            origins: vec!["https://pages.example".to_owned()],
            ..Options::default()
        };
        let (head, ()) = request.body(()).unwrap().into_parts();
        admit(&head, &options).is_ok()
    }

    #[test]
    fn this_machine_and_what_is_allowed_come_in() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8080",
            "127.1.2.3",
            "[::1]:9",
            "tools.example:443",
        ] {
            assert!(is_let_in(host, None), "{host}");
        }
        for origin in [
            "http://localhost:3000",
            "http://127.0.0.1",
            "https://[::1]:9",
            "https://pages.example",
        ] {
            assert!(is_let_in("localhost", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn everyone_else_stays_out() {
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "128.0.0.1",
            "localhost evil",
        ] {
            assert!(!is_let_in(host, None), "{host}");
        }
        for origin in [
            "null",
            "",
            "localhost",
            "https://evil.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "https://pages.example.evil",
        ] {
            assert!(!is_let_in("localhost", Some(origin)), "{origin}");
        }
    }
}
