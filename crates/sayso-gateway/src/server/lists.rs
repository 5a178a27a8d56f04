//! Reading what a server has: tools first, then prompts, resources and their templates.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::listing::{Completeness, Listing};
use sayso_mcp::ReadLimits;
use sayso_mcp::upstream::Paging;

use super::conversation::Conversation;
use super::core::Core;
use super::{Items, Phase, State, freshness};

/// How long one page may take.
const PAGE: Duration = Duration::from_secs(30);

/// How long all pages of one list may take.
const LISTING: Duration = Duration::from_secs(300);

/// Method, array in its results, and capability of a list that is passed on item by item.
const RAW: [(&str, &str, &str); 3] = [
    ("prompts/list", "prompts", "prompts"),
    ("resources/list", "resources", "resources"),
    ("resources/templates/list", "resourceTemplates", "resources"),
];

/// Reads all lists into the state. Whether there is nothing to read again: what is missing then
/// will not come by asking once more.
pub(super) async fn read(core: &Core, conversation: &Conversation) -> bool {
    let meta = conversation.own_meta();
    let paging = Paging {
        meta: meta.as_deref(),
        limits: ReadLimits::default(),
        page_timeout: PAGE,
        timeout: LISTING,
    };
    let next_key = || conversation.ears.next_key();
    let upstream = &conversation.upstream;
    let mut notes = Vec::new();
    let listing = match upstream.list_tools(paging, &next_key).await {
        Ok(listing) => {
            if let Completeness::Incomplete(why) = &listing.completeness {
                notes.push(format!("the listing is incomplete: {why}"));
            }
            Some(Arc::new(listing))
        }
        Err(why) => {
            notes.push(format!("no listing: `tools/list` {why}"));
            None
        }
    };
    let is_listed = listing.is_some();
    // Read again because its time was over, it is the same most often: nobody need look at it anew.
    if !is_known(&core.state.load(), listing.as_deref()) {
        core.update(|state| {
            state.phase = Phase::Ready;
            state.hello = Some(upstream.hello().clone());
            state.era = Some(upstream.era());
            state.notes.clone_from(&notes);
            if listing.is_some() {
                state.listing.clone_from(&listing);
            }
        });
    }
    let [prompts, resources, templates] =
        raw_lists(conversation, paging, &next_key, &mut notes).await;
    let state = core.state.load();
    let is_same = is_same(&state.prompts, &prompts)
        && is_same(&state.resources, &resources)
        && is_same(&state.templates, &templates);
    if !is_same || state.notes != notes {
        core.update(|state| {
            state.prompts.clone_from(&prompts);
            state.resources.clone_from(&resources);
            state.templates.clone_from(&templates);
            state.notes.clone_from(&notes);
        });
    }
    is_listed
}

/// Whether this is the listing there is, of a server that answers.
fn is_known(state: &State, listing: Option<&Listing>) -> bool {
    let (Phase::Ready, Some(known), Some(listing)) = (&state.phase, &state.listing, listing) else {
        return false;
    };
    let texts = |listing| freshness::results(listing).map(|result| result.raw());
    known.completeness == listing.completeness && texts(known).eq(texts(listing))
}

fn is_same(known: &Option<Arc<Items>>, items: &Option<Arc<Items>>) -> bool {
    let texts = |items: &Items| -> Vec<String> {
        let pages = items.pages().iter();
        pages.map(|page| page.root().raw().to_owned()).collect()
    };
    match (known, items) {
        (Some(known), Some(items)) => {
            known.completeness == items.completeness && texts(known) == texts(items)
        }
        (None, None) => true,
        _ => false,
    }
}

async fn raw_lists(
    conversation: &Conversation,
    paging: Paging<'_>,
    next_key: &(dyn Fn() -> u64 + Sync),
    notes: &mut Vec<String>,
) -> [Option<Arc<Items>>; 3] {
    let read = async |(method, key, capability): (&'static str, &'static str, &str)| {
        if !conversation.has(capability) {
            return (None, None);
        }
        match conversation
            .upstream
            .list_raw(method, key, paging, next_key)
            .await
        {
            Ok(None) => (None, None),
            Ok(Some(list)) => {
                let note = match &list.completeness {
                    Completeness::Complete => None,
                    Completeness::Incomplete(why) => {
                        Some(format!("`{method}` is incomplete: {why}"))
                    }
                };
                let items = Items {
                    key,
                    pages: list.pages,
                    completeness: list.completeness,
                };
                (Some(Arc::new(items)), note)
            }
            Err(why) => (None, Some(format!("`{method}` {why}"))),
        }
    };
    let [prompts, resources, templates] = RAW;
    let (prompts, resources, templates) =
        tokio::join!(read(prompts), read(resources), read(templates));
    [prompts, resources, templates].map(|(items, note)| {
        notes.extend(note);
        items
    })
}
