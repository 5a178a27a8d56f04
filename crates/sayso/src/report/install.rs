//! What `sayso install` and `sayso uninstall` tell, for people.

use std::io;
use std::path::Path;

use sayso_core::reveal::reveal_line;

use crate::error::quoted;
use crate::install::{ByHand, HostFile, Left, Nothing, Planned, Removal, Taken};
use crate::redact::Secrets;

/// That there is nothing to be put behind the gate.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn nothing(nothing: &Nothing, out: &mut dyn io::Write) -> io::Result<()> {
    let file = nothing.file.shown();
    match &nothing.servers.own {
        Some(own) => writeln!(
            out,
            "{file}: every server that can be is behind the gate of {}",
            own.settings.display()
        )?,
        None => writeln!(out, "{file}: there is no server to be put behind the gate")?,
    }
    left(&nothing.servers.left, out)
}

/// What is about to be written.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn planned(planned: &Planned, out: &mut dyn io::Write) -> io::Result<()> {
    let servers = &planned.servers;
    let host = &planned.file.source.host.name;
    let count = servers.taken.len();
    let are = if count == 1 {
        "server goes"
    } else {
        "servers go"
    };
    writeln!(out, "{host}: {count} {are} behind the gate")?;
    for server in &servers.taken {
        taken(server, &planned.settings, out)?;
    }
    left(&servers.left, out)?;
    writeln!(out)?;
    difference(
        &planned.file.path,
        &planned.file.text,
        &planned.host_after,
        &servers.secrets,
        out,
    )?;
    let before = planned.settings_before.as_deref().unwrap_or_default();
    difference(
        &planned.settings,
        before,
        &planned.settings_after,
        &servers.secrets,
        out,
    )
}

/// What a person has to write.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn by_hand(by_hand: &ByHand, out: &mut dyn io::Write) -> io::Result<()> {
    let scrub = |stanza: &str| by_hand.servers.secrets.scrub(stanza);
    let settings = scrub(&by_hand.settings_stanza);
    let taken = by_hand.servers.taken.iter();
    let names: Vec<_> = taken.map(|server| reveal_line(&server.name)).collect();
    writeln!(out, "1. Into {}:\n", by_hand.settings)?;
    writeln!(out, "{}", settings.trim_end())?;
    if settings != by_hand.settings_stanza {
        writeln!(
            out,
            "\n   What may be secret is not shown: take it from {}.",
            by_hand.file.shown()
        )?;
    }
    writeln!(
        out,
        "\n2. In {}, in the place of {}, so that it reads:\n",
        by_hand.file.shown(),
        quoted(names.iter().map(AsRef::as_ref))
    )?;
    writeln!(out, "{}\n", scrub(&by_hand.host_stanza).trim_end())?;
    left(&by_hand.servers.left, out)
}

/// What was written, and how to undo it.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn installed(planned: &Planned, undo: &str, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "written: {}", planned.file.shown())?;
    writeln!(out, "written: {}", planned.settings.display())?;
    writeln!(
        out,
        "kept:    {} is the file as it was",
        planned.backup.display()
    )?;
    writeln!(
        out,
        "Start {} again. To undo it: {undo}",
        planned.file.source.host.name
    )
}

/// That the gate is not there.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn not_installed(file: &HostFile, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: no entry runs the gate; there is nothing to undo",
        file.shown()
    )
}

/// What is about to be undone.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn removal(
    removal: &Removal,
    secrets: &Secrets,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let file = removal.file.shown();
    if removal.is_exact {
        writeln!(out, "{file} gets back every byte it had")?;
    } else {
        writeln!(
            out,
            "{file} changed since; its servers are put back into it"
        )?;
    }
    for name in &removal.skipped {
        writeln!(
            out,
            "  {} stays out: there is another of that name",
            reveal_line(name)
        )?;
    }
    writeln!(out)?;
    // What comes back are the host's own values, which stood in the settings meanwhile.
    let secrets = removal.secrets(secrets);
    difference(
        &removal.file.path,
        &removal.file.text,
        &removal.host_after,
        &secrets,
        out,
    )
}

/// What was undone.
///
/// # Errors
/// When `out` cannot be written to.
pub(crate) fn removed(removal: &Removal, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "written: {}", removal.file.shown())?;
    if !removal.is_exact {
        for backup in &removal.backups {
            writeln!(out, "kept:    {} is the file as it was", backup.display())?;
        }
    }
    writeln!(
        out,
        "kept:    {}, which nothing reads any more",
        removal.own.settings.display()
    )?;
    writeln!(out, "Start {} again.", removal.file.source.host.name)
}

fn taken(server: &Taken, settings: &Path, out: &mut dyn io::Write) -> io::Result<()> {
    write!(out, "  {}", reveal_line(&server.name))?;
    if server.gate_name != server.name {
        write!(out, ", there called {}", server.gate_name)?;
    }
    writeln!(out)?;
    if !server.filled_in.is_empty() {
        writeln!(
            out,
            "    the value that {} has now is written into it, for nothing is filled in there",
            quoted(server.filled_in.iter().map(String::as_str))
        )?;
    }
    if server.has_values || !server.filled_in.is_empty() {
        let settings = settings.display();
        writeln!(
            out,
            "    its values move to {settings}, which only you may read"
        )?;
    }
    if !server.variables.is_empty() {
        writeln!(
            out,
            "    {} is handed to the gate, and with it to every server behind it",
            quoted(server.variables.iter().map(String::as_str))
        )?;
    }
    Ok(())
}

fn left(left: &[Left], out: &mut dyn io::Write) -> io::Result<()> {
    for server in left {
        let (name, why) = (reveal_line(&server.name), reveal_line(&server.why));
        writeln!(out, "  {name} stays where it is: {why}")?;
    }
    Ok(())
}

/// The difference, with no value in it that may be a secret.
fn difference(
    path: &Path,
    before: &str,
    after: &str,
    secrets: &Secrets,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let [before, after] = [before, after].map(|text| secrets.scrub(text));
    let diff = similar::TextDiff::from_lines(&before, &after);
    let path = path.display().to_string();
    let mut diff = diff.unified_diff();
    let diff = diff.context_radius(2).header(&path, &path).to_string();
    for line in diff.lines() {
        writeln!(out, "{}", reveal_line(line))?;
    }
    Ok(())
}
