//! The stream on which a modern server tells of changes (MCP 2026-07-28, "Subscriptions").

use std::time::Duration;

use sayso_mcp::jsonrpc::{MessageKind, code};
use sayso_mcp::upstream::Outbound;
use tokio::time::{Instant, sleep};

use super::adapt::quoted;
use super::backoff::Backoff;
use super::conversation::Conversation;
use super::core::Core;

/// A stream that held this long has worked: what it would have told after its end is missing.
const WORKED: Duration = Duration::from_secs(1);

/// The lists that a server may tell of: its capability, and the member of the filter.
const LISTS: [(&str, &str); 3] = [
    ("tools", "toolsListChanged"),
    ("prompts", "promptsListChanged"),
    ("resources", "resourcesListChanged"),
];

/// Holds the stream open, and opens it again when it ends or other resources are wanted. Returns
/// when the server has no such stream.
pub(super) async fn keep(core: &Core, conversation: &Conversation) {
    let mut wanted = core.subscriptions.changes();
    let mut backoff = Backoff::default();
    loop {
        wanted.borrow_and_update();
        let params = params(conversation, &core.subscriptions.of(None));
        let key = conversation.ears.next_key();
        let begun = Instant::now();
        let outbound = Outbound::new(key, "subscriptions/listen", Some(&params));
        let answer = tokio::select! {
            answer = conversation.upstream.request(outbound) => answer,
            changed = wanted.changed() => {
                if changed.is_err() {
                    return;
                }
                continue;
            }
        };
        if let Ok(message) = &answer
            && let MessageKind::Error { error, .. } = message.kind()
            && error.code == code::METHOD_NOT_FOUND
        {
            tracing::info!(
                server = &*core.name,
                "the server does not tell of changes: {error}"
            );
            return;
        }
        if answer.is_err() {
            core.doubted.notify_one();
        }
        if begun.elapsed() >= WORKED {
            backoff.reset();
            core.listed.send_modify(|count| *count += 1);
        }
        sleep(backoff.next()).await;
    }
}

fn params(conversation: &Conversation, uris: &[String]) -> String {
    let meta = conversation.own_meta().unwrap_or_else(|| "{}".to_owned());
    let mut filter: Vec<String> = LISTS
        .iter()
        .filter(|(capability, _)| conversation.has(capability))
        .map(|(_, member)| format!("{}:true", quoted(member)))
        .collect();
    if !uris.is_empty() {
        let uris: Vec<String> = uris.iter().map(|uri| quoted(uri)).collect();
        filter.push(format!(r#""resourceSubscriptions":[{}]"#, uris.join(",")));
    }
    let filter = filter.join(",");
    format!(r#"{{"_meta":{meta},"notifications":{{{filter}}}}}"#)
}
