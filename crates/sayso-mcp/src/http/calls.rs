//! Calls, each in a task of its own: one that nobody waits for any more can go on, so that the
//! server sees no difference until it is told.

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};

use super::peer::Peer;
use super::{HttpConnection, HttpError, NOBODY, changes, over_post};
use crate::connection::{ConnectionError, NO_ANSWER, Transport as _};
use crate::inbox::Inbox;
use crate::jsonrpc::{Id, Message, Outgoing};

/// The calls that are not answered yet. Dropping them closes their streams.
pub(super) type Calls = JoinSet<Done>;

/// A call that is over.
pub(super) struct Done {
    id: Id,
    answer: Result<Message, ConnectionError>,
    inbox: Inbox,
}

/// How a task ended.
pub(super) type Joined = Result<(tokio::task::Id, Done), JoinError>;

async fn run(mut peer: Peer, request: Outgoing, id: Id) -> Done {
    let answer = over_post(&mut peer, &request, &id).await;
    Done {
        id,
        answer,
        inbox: peer.inbox,
    }
}

impl HttpConnection {
    /// A call over Streamable HTTP. In the modern era closing the stream of its answer cancels
    /// it; in the legacy era that means nothing, and a notification does (MCP, "Cancellation").
    pub(super) async fn call_over_post(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError> {
        let waited = deadline.saturating_duration_since(Instant::now());
        let id = request.id().unwrap_or(NOBODY);
        let task = self.calls.spawn(run(self.peer.fork(), request.clone(), id));
        if let Ok(answer) = timeout_at(deadline, self.answer_of(task.id())).await {
            return answer;
        }
        match (cancel, self.peer.is_modern()) {
            (true, true) => task.abort(),
            (true, false) => self
                .peer
                .reply(Outgoing::cancelled(request, NO_ANSWER).to_json()),
            (false, _) => {}
        }
        Err(self.timed_out(request, waited))
    }

    /// Waits for this call, and takes what else comes.
    async fn answer_of(&mut self, task: tokio::task::Id) -> Result<Message, ConnectionError> {
        loop {
            tokio::select! {
                joined = self.calls.join_next_with_id() => match joined {
                    Some(Ok((ended, done))) if ended == task => {
                        self.peer.inbox.absorb(done.inbox);
                        return done.answer;
                    }
                    Some(Err(error)) if error.id() == task => return Err(ConnectionError::Closed),
                    Some(joined) => self.take_late(joined),
                    None => return Err(ConnectionError::Closed),
                },
                event = changes::next(self.listening.as_mut()) => self.take_event(event),
            }
        }
    }

    /// Takes what came of a call that nobody waits for.
    pub(super) fn take_late(&mut self, joined: Joined) {
        // It was cancelled.
        let Ok((_, done)) = joined else { return };
        self.peer.inbox.absorb(done.inbox);
        if done.answer.is_ok_and(|answer| answer.answers(&done.id)) {
            self.peer.inbox.count_late_answer();
        }
    }

    /// A call over HTTP+SSE, whose answers all come over one stream.
    pub(super) async fn call_over_channel(
        &mut self,
        request: &Outgoing,
        deadline: Instant,
        cancel: bool,
    ) -> Result<Message, ConnectionError> {
        let id = request.id().unwrap_or(NOBODY);
        // From now on, so that it holds also when this is dropped.
        self.peer.inbox.give_up(id.clone());
        let answer = self.request(request, deadline).await;
        match &answer {
            Ok(_) => self.peer.inbox.answered(&id),
            Err(ConnectionError::Http(HttpError::TimedOut { .. })) if cancel => self
                .peer
                .reply(Outgoing::cancelled(request, NO_ANSWER).to_json()),
            Err(_) => {}
        }
        answer
    }
}
