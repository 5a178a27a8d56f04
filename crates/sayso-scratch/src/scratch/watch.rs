//! Takes up changes of the settings file while the server runs.

use std::time::Duration;

use sayso_mcp::server::Changes;

use super::{Current, Scratch, beginning};
use crate::folder::FolderError;
use crate::journal::Record;
use crate::listing::Listing;
use crate::settings::ListChanged;

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// See [`Scratch::watch`].
pub(super) async fn watch(
    scratch: &Scratch,
    changes: &Changes,
    mut on_problem: impl FnMut(&FolderError) + Send,
) -> FolderError {
    // The last text that was wrong, so that it is told once.
    let mut wrong = None;
    loop {
        tokio::time::sleep(INTERVAL).await;
        if let Some(error) = scratch.journal.take_failure() {
            return FolderError::file("write", scratch.journal.path())(error);
        }
        scratch.keep_begun();
        // A file that is just being replaced is there again the next time.
        let Ok(text) = scratch.folder.settings_text() else {
            continue;
        };
        if text == scratch.current().text || wrong.as_ref() == Some(&text) {
            continue;
        }
        wrong = None;
        if let Err(error) = take_up(scratch, changes, &text) {
            scratch.note(
                None,
                Record::SettingsRefused {
                    message: error.to_string(),
                },
            );
            on_problem(&error);
            wrong = Some(text);
        }
    }
}

/// Makes a new text of the file hold.
fn take_up(scratch: &Scratch, changes: &Changes, text: &str) -> Result<(), FolderError> {
    let settings = scratch.folder.parse_settings(text)?;
    let before = scratch.current();
    let listing = Listing::of(&settings);
    let list_changed = settings.list_changed;
    let is_changed = listing != before.listing;
    let revision = before.revision + u64::from(is_changed);
    // A silent change is told with the next one that is not silent.
    let tell = list_changed == ListChanged::Notify && listing != before.told;
    let told = if tell {
        listing.clone()
    } else {
        before.told.clone()
    };
    let declared = listing.declared.clone();
    let mut earlier = before.earlier.clone();
    if is_changed {
        earlier.insert(before.revision, before.listing.declared.clone());
    }
    scratch.note(None, beginning::settings(&settings));
    scratch.replace(Current {
        text: text.to_owned(),
        settings,
        listing,
        revision,
        earlier,
        told,
    });
    if is_changed {
        scratch.note(
            None,
            Record::Listing {
                revision,
                told: Some(list_changed),
                declared,
            },
        );
    }
    if tell {
        changes.tools_changed();
    }
    Ok(())
}
