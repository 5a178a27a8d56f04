//! Saved listings: from a file, from standard input, as a baseline.

use std::io::{self, Read};
use std::path::Path;

use sayso_audit::hosts::guess_format;
use sayso_core::listing::Listing;
use sayso_mcp::ReadLimits;

use crate::audit_report::Unreadable;
use crate::error::Failure;

/// Reads a saved listing named as a target.
pub(crate) fn read_file(path: &Path) -> Result<Listing, Unreadable> {
    let name = path.display().to_string();
    let bytes = std::fs::File::open(path)
        .and_then(read_capped)
        .map_err(|error| unreadable_file(path, &error))?;
    listing(&bytes, &name)
}

/// Reads a saved listing from standard input.
pub(crate) fn read_standard_input() -> Result<Listing, Unreadable> {
    let bytes = read_capped(io::stdin().lock())
        .map_err(|error| Unreadable::new(format!("cannot read standard input: {error}")))?;
    listing(&bytes, "standard input")
}

/// Reads a text file that is no listing of a server.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let bytes = std::fs::File::open(path).and_then(read_capped)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

/// The whole of it, or an error: what never ends is not read for ever.
fn read_capped(source: impl Read) -> io::Result<Vec<u8>> {
    let max = ReadLimits::default().total_bytes;
    let mut bytes = Vec::new();
    // One byte more than is allowed.
    source.take(max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        let reason = format!("it is longer than {} MiB, the most that is read", max >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Reads the accepted listing that another is compared with.
pub(crate) fn read_baseline(path: &Path) -> Result<Listing, Failure> {
    read_file(path).map_err(|unreadable| {
        Failure::usage(format!("the baseline: {}", unreadable.message))
            .hint("a baseline is a saved listing; `sayso audit --save FILE` writes one")
    })
}

fn listing(bytes: &[u8], name: &str) -> Result<Listing, Unreadable> {
    sayso_mcp::listing_from_saved(bytes, name).map_err(|error| {
        let unreadable = Unreadable::new(error.to_string());
        let is_configuration = std::str::from_utf8(bytes)
            .is_ok_and(|text| !text.trim().is_empty() && guess_format(text, name).is_ok());
        if is_configuration {
            unreadable.hint(format!(
                "this is a host's configuration; read its servers with `--config {name}`"
            ))
        } else {
            unreadable.hint(error.hint())
        }
    })
}

fn unreadable_file(path: &Path, error: &io::Error) -> Unreadable {
    let name = path.display();
    let unreadable = Unreadable::new(format!("cannot read `{name}`: {error}"));
    if path.is_dir() {
        return unreadable.hint("this is a directory; name a saved listing in it");
    }
    if error.kind() != io::ErrorKind::NotFound {
        return unreadable;
    }
    let written = name.to_string();
    if looks_like_an_address(&written) {
        unreadable.hint(format!(
            "to reach a server write its whole address: `http://{written}`"
        ))
    } else if !written.contains(['/', '\\', '.']) {
        unreadable.hint(format!(
            "to start a server put its command behind `--`, as in `-- {written}`"
        ))
    } else {
        unreadable.hint("a target is a URL, a saved listing, or a command behind `--`")
    }
}

/// `localhost:3000/mcp` and the like, without a scheme.
fn looks_like_an_address(written: &str) -> bool {
    let authority = written.split('/').next().unwrap_or(written);
    authority.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}
