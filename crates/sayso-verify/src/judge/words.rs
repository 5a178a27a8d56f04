//! What was seen, in lines a person reads.

use std::path::Path;

use sayso_core::reveal::reveal_line;

use crate::change::{Change, Loss, What};
use crate::event::{Act, ChangeKind, Connection};
use crate::observation::Reply;

/// How much of one text is shown.
const MOST: usize = 240;

/// A text as it can be shown: hidden characters as escapes, on one line, of bounded length.
pub(crate) fn shown(text: &str) -> String {
    let text = reveal_line(text);
    if text.chars().count() <= MOST {
        return text.into_owned();
    }
    let mut short: String = text.chars().take(MOST).collect();
    short.push('…');
    short
}

pub(super) fn path(path: &Path) -> String {
    format!("`{}`", shown(&path.to_string_lossy()))
}

pub(super) fn change(change: &Change) -> String {
    let at = path(&change.path);
    let mut line = match &change.what {
        What::Created => format!("created {at}"),
        What::Changed => format!("changed {at}"),
        What::Truncated => format!("truncated {at}"),
        What::Renamed { from } => format!("renamed {} to {at}", path(from)),
        What::Deleted => format!("deleted {at}"),
        What::Retyped => format!("made something of another type of {at}"),
        What::Mode { before, after } => {
            format!("changed the mode of {at} from {before:o} to {after:o}")
        }
        What::SavedAgain => format!("saved {at} again, with the same in it"),
        What::Times => format!("set the times of {at}"),
        What::Attributes => format!("changed the attributes of {at}"),
    };
    if let Some(detail) = &change.detail {
        line.push_str(": ");
        line.push_str(&shown(detail));
    }
    if let Some(lost) = loss(&change.lost) {
        line.push_str("; ");
        line.push_str(&lost);
    }
    line
}

fn loss(loss: &Loss) -> Option<String> {
    match loss {
        Loss::Nothing => None,
        Loss::Recoverable(from) => Some(format!("what was there is still at {}", shown(from))),
        Loss::Bytes(1) => Some("1 byte lost".to_owned()),
        Loss::Bytes(count) => Some(format!("{count} bytes lost")),
        Loss::Items { count: 1, of } => Some(format!("1 {} lost", shown(of))),
        Loss::Items { count, of } => Some(format!("{count} {}s lost", shown(of))),
        Loss::Unknown => Some("how much was lost cannot be told".to_owned()),
    }
}

/// What was tried; empty for what says nothing.
pub(super) fn act(act: &Act, refused: Option<&str>) -> String {
    let tried = match act {
        Act::Open {
            path: at,
            truncate,
            existed,
            ..
        } => match (existed, truncate) {
            (true, true) => format!("opened {} for writing, emptying it", path(at)),
            (true, false) => format!("opened {} for writing", path(at)),
            (false, _) => format!("opened the new file {} for writing", path(at)),
        },
        Act::Change { kind, path: at, to } => altered(*kind, at, to.as_deref()),
        Act::Execute {
            path: program,
            arguments,
        } if arguments.is_empty() => format!("ran {}", path(program)),
        Act::Execute { arguments, .. } => format!("ran `{}`", shown(&arguments.join(" "))),
        Act::Resolve { name } => format!("asked for the address of `{}`", shown(name)),
        Act::Connect(connection) => connected(connection),
        Act::Listen { address } => format!("listened at `{}`", shown(address)),
        Act::Signal { target, signal, .. } => format!("sent signal {signal} to process {target}"),
        Act::Socket { family } => format!("asked for a socket of the family {}", shown(family)),
        Act::Other { call } => format!("called `{}`", shown(call)),
    };
    match refused {
        Some(error) => format!("{tried}; the jail refused it ({})", shown(error)),
        None => tried,
    }
}

fn altered(kind: ChangeKind, at: &Path, to: Option<&Path>) -> String {
    let at = path(at);
    let to = to.map(path).unwrap_or_default();
    match kind {
        ChangeKind::Remove => format!("removed {at}"),
        ChangeKind::Rename => format!("renamed {at} to {to}"),
        ChangeKind::Link => format!("gave {at} the other name {to}"),
        ChangeKind::Symlink if to.is_empty() => format!("made the link {at}"),
        ChangeKind::Symlink => format!("made the link {to} to {at}"),
        ChangeKind::MakeFolder => format!("made the folder {at}"),
        ChangeKind::MakeNode => format!("made the special file {at}"),
        ChangeKind::Truncate => format!("cut {at}"),
        ChangeKind::Mode => format!("changed the mode of {at}"),
        ChangeKind::Owner => format!("changed the owner of {at}"),
        ChangeKind::Times => format!("set the times of {at}"),
        ChangeKind::Attribute => format!("changed an attribute of {at}"),
        ChangeKind::Allocate => format!("kept space for {at}, or made a hole in it"),
    }
}

fn connected(connection: &Connection) -> String {
    let place = connection.host.as_deref().unwrap_or(&connection.address);
    let port = connection
        .port
        .map_or_else(String::new, |port| format!(":{port}"));
    let mut line = format!(
        "connected to `{}{port}` ({}, {})",
        shown(place),
        shown(&connection.protocol),
        connection.scope
    );
    if let Some(first) = &connection.first {
        line.push_str(", beginning with `");
        line.push_str(&shown(first));
        line.push('`');
    }
    line
}

/// What came back, in short.
pub(super) fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Answered { result, .. } => shown(result),
        Reply::Failed { said } => shown(said),
    }
}
