//! What a server sends besides the answer it was asked for. Both transports hand it here.

use std::collections::HashSet;

use sayso_core::listing::{Observation, ObservationKind};
use sayso_core::reveal::reveal_line;

use crate::jsonrpc::{self, Id, Message, MessageKind, NotAMessage, Unclassified, code};

/// How much of an oddity is kept to show, in characters.
const EXCERPT: usize = 160;

/// What only a client asks.
const OWN_REQUESTS: [&str; 3] = ["initialize", "server/discover", "tools/list"];

/// Everything a server said unasked, counted, and what has to be said in return.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    observations: Vec<Observation>,
    /// The requests that are not waited for any more: their answers may still come.
    given_up: HashSet<Id>,
    late_answers: usize,
}

impl Inbox {
    /// Takes a message that nobody waits for. What is returned has to be sent to the server:
    /// a request is always answered at once, so that no server waits for ever.
    pub(crate) fn take(&mut self, message: &Message) -> Option<String> {
        match message.kind() {
            MessageKind::Request { id, method } if method == "ping" => {
                Some(jsonrpc::response(id, "{}"))
            }
            // A terminal in between echoes its input, and so does a program that is no server. A
            // reply would come back as the answer.
            MessageKind::Request { method, .. } if is_own_request(method) => {
                let text = message.document().text();
                self.observe(
                    ObservationKind::NotJsonRpc,
                    &format!("its own input sent back: {text}"),
                );
                None
            }
            // No capability is declared, so none of them may be used (roots, sampling, elicitation).
            MessageKind::Request { id, method } => {
                let text =
                    format!("{method} is not available: this client declares no such capability");
                Some(jsonrpc::error_response(
                    Some(id),
                    code::METHOD_NOT_FOUND,
                    &text,
                    None,
                ))
            }
            MessageKind::Notification { method } => {
                if method == "notifications/tools/list_changed" {
                    self.observe(ObservationKind::ListChanged, method);
                }
                None
            }
            MessageKind::Response { id } | MessageKind::Error { id: Some(id), .. }
                if self.given_up.remove(id) =>
            {
                self.late_answers += 1;
                None
            }
            MessageKind::Response { .. } | MessageKind::Error { .. } => {
                self.observe(ObservationKind::UnknownId, message.document().text());
                None
            }
        }
    }

    /// Expects that the answer to this request comes late, if it comes at all.
    pub(crate) fn give_up(&mut self, id: Id) {
        self.given_up.insert(id);
    }

    /// Expects no answer to this request any more: it came in time.
    pub(crate) fn answered(&mut self, id: &Id) {
        self.given_up.remove(id);
    }

    /// Counts an answer that came when nobody waited for it any more.
    pub(crate) fn count_late_answer(&mut self) {
        self.late_answers += 1;
    }

    /// How many answers came when nobody waited for them any more.
    pub(crate) fn late_answers(&self) -> usize {
        self.late_answers
    }

    /// How often the server told that its list of tools changed.
    pub(crate) fn list_changes(&self) -> usize {
        self.observations
            .iter()
            .find(|observation| observation.kind == ObservationKind::ListChanged)
            .map_or(0, |observation| observation.count)
    }

    /// Takes over what another inbox of the same conversation has.
    pub(crate) fn absorb(&mut self, other: Self) {
        for theirs in other.observations {
            match self.of_kind(theirs.kind) {
                Some(ours) => ours.count += theirs.count,
                None => self.observations.push(theirs),
            }
        }
        self.given_up.extend(other.given_up);
        self.late_answers += other.late_answers;
    }

    fn of_kind(&mut self, kind: ObservationKind) -> Option<&mut Observation> {
        self.observations
            .iter_mut()
            .find(|observation| observation.kind == kind)
    }

    /// Takes a JSON text that is no message. A reply is due only where it names a request.
    pub(crate) fn take_unclassified(&mut self, unclassified: &Unclassified) {
        let text = unclassified.document.text();
        match &unclassified.reason {
            NotAMessage::NotJsonRpc => self.observe(ObservationKind::NotJsonRpc, text),
            NotAMessage::Invalid { fault, .. } => {
                self.observe(ObservationKind::NotJsonRpc, &format!("{fault}: {text}"));
            }
        }
    }

    /// Notes something odd once. The first of a kind is kept, shortened and made safe to show.
    pub(crate) fn observe(&mut self, kind: ObservationKind, detail: &str) {
        match self.of_kind(kind) {
            Some(observation) => observation.count += 1,
            None => self.observations.push(Observation {
                kind,
                count: 1,
                detail: excerpt(detail),
            }),
        }
    }

    /// What was odd so far.
    pub(crate) fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// The first of a kind.
    pub(crate) fn first(&self, kind: ObservationKind) -> Option<&str> {
        self.observations
            .iter()
            .find(|observation| observation.kind == kind)
            .map(|observation| observation.detail.as_str())
    }
}

/// Whether this is what only a client asks.
pub(crate) fn is_own_request(method: &str) -> bool {
    OWN_REQUESTS.contains(&method)
}

/// The start of a text on one line, safe to show.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(EXCERPT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    reveal_line(&short).into_owned()
}

/// The text around a place on one line, safe to show.
pub(crate) fn excerpt_around(text: &str, offset: usize) -> String {
    let start = text
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| *at + 60 >= offset)
        .min()
        .unwrap_or(0);
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", excerpt(text.get(start..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use sayso_core::json::{Document, Limits};
    use sayso_core::listing::ObservationKind;

    use super::Inbox;
    use crate::jsonrpc::Message;

    fn take(inbox: &mut Inbox, text: &str) -> Option<String> {
        let document = Document::parse(text.to_owned(), &Limits::default()).unwrap();
        match Message::classify(document) {
            Ok(message) => inbox.take(&message),
            Err(unclassified) => {
                inbox.take_unclassified(&unclassified);
                None
            }
        }
    }

    #[test]
    fn every_request_of_a_server_is_answered_at_once() {
        let mut inbox = Inbox::default();
        let mut answer = |text: &str| take(&mut inbox, text).unwrap();
        insta::assert_snapshot!(answer(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#), @r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
        insta::assert_snapshot!(answer(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#), @r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"roots/list is not available: this client declares no such capability"}}"#);
        assert!(inbox.observations().is_empty());
    }

    #[test]
    fn the_rest_is_counted() {
        let mut inbox = Inbox::default();
        for text in [
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
            r#"{"level":"info"}"#,
            r#"[{"jsonrpc":"2.0","method":"x"}]"#,
        ] {
            assert_eq!(take(&mut inbox, text), None);
        }
        let counts: Vec<_> = inbox
            .observations()
            .iter()
            .map(|observation| (observation.kind, observation.count))
            .collect();
        let expected = [
            (ObservationKind::ListChanged, 2),
            (ObservationKind::UnknownId, 1),
            (ObservationKind::NotJsonRpc, 2),
        ];
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_late_answer_is_nothing_odd_and_counts_once() {
        let mut inbox = Inbox::default();
        inbox.give_up(7.into());
        inbox.give_up(8.into());
        inbox.answered(&8.into());
        let mut beside = Inbox::default();
        beside.give_up(9.into());
        inbox.absorb(beside);
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"cancelled"}}"#,
        ] {
            assert_eq!(take(&mut inbox, text), None);
        }
        assert_eq!((inbox.late_answers(), inbox.observations().len()), (2, 0));
        // Nobody gave these up, or not any more.
        for id in ["7", "8", "\"9\""] {
            take(
                &mut inbox,
                &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
            );
        }
        assert_eq!(inbox.late_answers(), 2);
        assert_eq!(inbox.observations()[0].count, 3);
    }
}
