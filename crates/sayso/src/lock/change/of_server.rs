//! What differs about a server as a whole.

use std::collections::BTreeSet;

use sayso_core::lock::{Launch, LaunchSource, PinnedServer};
use sayso_core::reveal::reveal_line;

use super::{Change, Subject, Weight};

/// Launch, identity and instructions.
pub(super) fn of_server(before: &PinnedServer, now: &PinnedServer) -> Vec<Change> {
    let mut changes = Vec::new();
    of_launch(&before.launch, &now.launch, &mut changes);
    // A server's name for itself proves nothing, but another one is a reason to look.
    let has_names = before.identity.is_some() && now.identity.is_some();
    let of_name = if has_names {
        Weight::Held
    } else {
        Weight::Neutral
    };
    for (what, old, new, weight) in [
        (
            "its name for itself is",
            &before.identity,
            &now.identity,
            of_name,
        ),
        (
            "its version is",
            &before.version,
            &now.version,
            Weight::Neutral,
        ),
        (
            "its protocol is",
            &before.protocol,
            &now.protocol,
            Weight::Neutral,
        ),
    ] {
        if old == new {
            continue;
        }
        let message = format!("{what} {} instead of {}", shown(new), shown(old));
        changes.push(Change::new(None, Subject::Identity, weight, message));
    }
    if before.era != now.era && before.protocol == now.protocol {
        let message = "it was read in the other protocol era";
        changes.push(Change::new(
            None,
            Subject::Identity,
            Weight::Neutral,
            message,
        ));
    }
    let message = match (&before.instructions, &now.instructions) {
        (old, new) if old == new => None,
        (None, _) => Some("it now has instructions for the model"),
        (_, None) => Some("it no longer has instructions for the model"),
        _ => Some("its instructions for the model have another wording"),
    };
    changes.extend(
        message.map(|message| Change::new(None, Subject::Instructions, Weight::Neutral, message)),
    );
    changes
}

/// A name that was approved with one program must not start another.
fn of_launch(before: &Launch, now: &Launch, changes: &mut Vec<Change>) {
    if before.source != now.source {
        let message = format!(
            "it is launched as {} instead of {}",
            source(&now.source),
            source(&before.source)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Held, message));
    }
    if before.directory != now.directory {
        let (old, new) = (shown(&before.directory), shown(&now.directory));
        let message = format!("the directory it is launched in is {new} instead of {old}");
        changes.push(Change::new(None, Subject::Launch, Weight::Held, message));
    }
    let of = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
    let (old, new) = (of(&before.environment), of(&now.environment));
    for name in new.difference(&old) {
        let message = format!(
            "it is launched with a further variable, `{}`",
            reveal_line(name)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Held, message));
    }
    for name in old.difference(&new) {
        let message = format!(
            "it is launched without the variable `{}`",
            reveal_line(name)
        );
        changes.push(Change::new(None, Subject::Launch, Weight::Neutral, message));
    }
}

fn source(source: &LaunchSource) -> String {
    match source {
        LaunchSource::Command(line) => format!("`{}`", reveal_line(line)),
        LaunchSource::Url(place) | LaunchSource::File(place) => {
            format!("`{}`", reveal_line(place))
        }
        LaunchSource::Elsewhere => "something the lock does not name".to_owned(),
    }
}

fn shown(text: &Option<String>) -> String {
    match text {
        Some(text) => format!("`{}`", reveal_line(text)),
        None => "none".to_owned(),
    }
}
