//! Conversations that carry many requests at once.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod http;
mod http_opening;
mod stdio;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, MessageKind};
use sayso_mcp::upstream::{
    Ended, Introduction, Listener, Outbound, SendError, Upstream, UpstreamOptions,
};
use sayso_mcp::{EraChoice, Target};
use tokio::time::{Instant, sleep, timeout};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Too short for an answer that never comes.
const SHORT: Duration = Duration::from_millis(200);

/// Writes down what a server says by itself, and answers its requests.
#[derive(Default)]
struct Recorder {
    heard: Mutex<Vec<String>>,
    stderr: AtomicU64,
    /// Whether requests of the server are never answered.
    silent: bool,
    /// Requests of the server whose futures were dropped before they were answered.
    dropped: Arc<AtomicU64>,
}

impl Recorder {
    fn note(&self, line: String) {
        self.heard.lock().unwrap().push(line);
    }

    fn heard(&self) -> String {
        self.heard.lock().unwrap().join("\n")
    }

    /// Waits until something with these words was heard.
    async fn waits_for(&self, words: &str) {
        let heard = async {
            while !self.heard().contains(words) {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(PATIENCE, heard).await.unwrap();
    }
}

/// Counts when it is dropped.
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Listener for Recorder {
    fn notification(&self, message: Message, related: Option<u64>) {
        let text = message.document().text();
        self.note(format!("{related:?} {text}"));
    }

    fn request(
        &self,
        message: Message,
        related: Option<u64>,
    ) -> Pin<Box<dyn Future<Output = Reply> + Send>> {
        let MessageKind::Request { method, .. } = message.kind() else {
            panic!("no request");
        };
        self.note(format!("{related:?} asks {method}"));
        if self.silent {
            let counted = Counted(Arc::clone(&self.dropped));
            return Box::pin(async move {
                let _counted = counted;
                std::future::pending().await
            });
        }
        Box::pin(async {
            // Not at once: what else goes on has to go on.
            sleep(Duration::from_millis(20)).await;
            Reply::Result("{\"action\":\n\"decline\"}".to_owned())
        })
    }

    fn stderr(&self, _: &str) {
        self.stderr.fetch_add(1, Ordering::Relaxed);
    }

    fn closed(&self, how: &Ended) {
        self.note(format!("closed: {how}"));
    }
}

async fn open(target: &Target, era: EraChoice) -> (Upstream, Arc<Recorder>) {
    open_with(target, era, UpstreamOptions::default(), Recorder::default()).await
}

async fn open_with(
    target: &Target,
    era: EraChoice,
    options: UpstreamOptions,
    recorder: Recorder,
) -> (Upstream, Arc<Recorder>) {
    let recorder = Arc::new(recorder);
    let listener = Arc::clone(&recorder);
    let introduction = Introduction {
        era,
        capabilities: r#"{"elicitation":{}}"#.to_owned(),
        ..Introduction::default()
    };
    let opening = Upstream::open(target, &introduction, &options, listener);
    let upstream = timeout(PATIENCE, opening).await.unwrap().unwrap();
    (upstream, recorder)
}

/// A key that was not given yet.
fn key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The params of a call.
fn params(tool: &str, era: EraChoice) -> String {
    let meta = match era {
        EraChoice::Modern => {
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"#
        }
        EraChoice::Auto | EraChoice::Legacy => "",
    };
    format!(r#"{{{meta}"name":"{tool}","arguments":{{}}}}"#)
}

/// A call that is not waited for longer than `patience`.
async fn call(upstream: &Upstream, params: &str, patience: Duration) -> Result<Message, SendError> {
    let outbound = Outbound {
        deadline: Some(Instant::now() + patience),
        ..Outbound::new(key(), "tools/call", Some(params))
    };
    timeout(PATIENCE, upstream.request(outbound)).await.unwrap()
}

/// What came of a call on one line.
fn told(outcome: &Result<Message, SendError>) -> String {
    match outcome {
        Ok(message) => match message.kind() {
            MessageKind::Error { error, .. } => format!("error: {error}"),
            _ => {
                let text = message.result().unwrap().get("content");
                let text =
                    text.and_then(|content| content.elements().next()?.get("text")?.as_str());
                format!("answered: {}", text.unwrap_or_default())
            }
        },
        Err(SendError::NotSent { said, session_over }) => {
            let over = if *session_over { " (session over)" } else { "" };
            format!("not sent{over}: {said}")
        }
        Err(SendError::Unknown { why, said }) => format!("{why:?}: {said}"),
        Err(SendError::Rejected { status, said }) => format!("rejected with {status}: {said}"),
    }
}

async fn told_of(upstream: &Upstream, tool: &str, era: EraChoice) -> String {
    told(&call(upstream, &params(tool, era), PATIENCE).await)
}
