//! Calls that wait for a modern host to come back with answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use sayso_core::json::Value;
use sayso_mcp::downstream::Reply;
use sayso_mcp::jsonrpc::{Message, code};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::adapt::quoted;
use super::exchange::{AskError, Exchange, Question};

/// A call that runs apart from the request it was made by. Dropped, it is cancelled.
pub(super) struct Running {
    pub(super) exchange: Exchange,
    /// The request it was made by.
    pub(super) message: Arc<Message>,
    task: Option<JoinHandle<Reply>>,
    questions: mpsc::Receiver<Question>,
    /// What has no answer yet, by the key it is asked under.
    open: BTreeMap<String, Question>,
    last_key: u64,
}

/// A running call that nobody waits for at the moment. Dropped, it goes on without the answers, so
/// that what it does comes to an end that is known.
pub(super) struct Parked(Option<Box<Running>>);

impl Running {
    pub(super) fn new(
        exchange: Exchange,
        message: Arc<Message>,
        task: JoinHandle<Reply>,
        questions: mpsc::Receiver<Question>,
    ) -> Self {
        Self {
            exchange,
            message,
            task: Some(task),
            questions,
            open: BTreeMap::new(),
            last_key: 0,
        }
    }

    /// Whether there is something to ask the host.
    pub(super) fn has_questions(&self) -> bool {
        !self.open.is_empty()
    }

    /// Waits until the call is through (`Some`), or has something to ask.
    pub(super) async fn next(&mut self) -> Option<Reply> {
        let Some(task) = &mut self.task else {
            return Some(broken());
        };
        let question = tokio::select! {
            biased;
            reply = task => {
                self.task = None;
                return Some(reply.unwrap_or_else(|_| broken()));
            }
            Some(question) = self.questions.recv() => question,
        };
        self.add(question);
        // What is asked at the same time is asked together.
        tokio::task::yield_now().await;
        while let Ok(question) = self.questions.try_recv() {
            self.add(question);
        }
        None
    }

    fn add(&mut self, question: Question) {
        self.last_key += 1;
        self.open.insert(self.last_key.to_string(), question);
    }

    /// What the host is asked: `inputRequests`.
    pub(super) fn requests(&self) -> String {
        let requests: Vec<String> = self
            .open
            .iter()
            .map(|(key, question)| {
                let method = quoted(&question.method);
                match &question.params {
                    Some(params) => {
                        format!(r#""{key}":{{"method":{method},"params":{params}}}"#)
                    }
                    None => format!(r#""{key}":{{"method":{method}}}"#),
                }
            })
            .collect();
        format!("{{{}}}", requests.join(","))
    }

    /// Gives the answers that came to whoever waits for them. What has none is asked again.
    pub(super) fn answer(&mut self, params: Option<Value<'_>>) {
        let responses = params.and_then(|params| params.get("inputResponses"));
        for response in responses.into_iter().flat_map(Value::members) {
            if let Some(question) = self.open.remove(&*response.key) {
                // Whoever asked may have given up.
                let _ = question.answer.send(Ok(response.value.raw().to_owned()));
            }
        }
        // Nobody waits for these any more.
        self.open.retain(|_, question| !question.answer.is_closed());
    }

    /// The host cannot be asked after all.
    pub(super) fn refuse_questions(&mut self) {
        for question in std::mem::take(&mut self.open).into_values() {
            let _ = question.answer.send(Err(AskError::Impossible));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Parked {
    pub(super) fn new(running: Running) -> Self {
        Self(Some(Box::new(running)))
    }

    /// The session it belongs to.
    pub(super) fn session(&self) -> Option<u64> {
        let running = self.0.as_ref()?;
        Some(running.exchange.session().id())
    }

    /// The call, to wait for again.
    pub(super) fn into_running(mut self) -> Option<Running> {
        self.0.take().map(|running| *running)
    }
}

impl Drop for Parked {
    fn drop(&mut self) {
        if let Some(mut running) = self.0.take() {
            // Not aborted: the answers fail, and the call ends as it would without them.
            drop(running.task.take());
        }
    }
}

pub(super) fn broken() -> Reply {
    Reply::error(code::INTERNAL_ERROR, "the call broke off inside the gate")
}
