//! What a server sends besides the answer it was asked for. Both transports hand it here.

use sayso_core::listing::{Observation, ObservationKind};
use sayso_core::reveal::reveal_line;

use crate::jsonrpc::{self, Message, MessageKind, NotAMessage, Unclassified, code};

/// How much of an oddity is kept to show, in characters.
const EXCERPT: usize = 160;

/// What only a client asks.
const OWN_REQUESTS: [&str; 3] = ["initialize", "server/discover", "tools/list"];

/// Everything a server said unasked, counted, and what has to be said in return.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    observations: Vec<Observation>,
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
            MessageKind::Request { method, .. } if OWN_REQUESTS.contains(&method.as_str()) => {
                let text = message.document().text();
                self.observe(
                    ObservationKind::NotJsonRpc,
                    &format!("its own input sent back: {text}"),
                );
                None
            }
            // No capability is declared, so none of them may be used (roots, sampling, elicitation).
            MessageKind::Request { id, method } => {
                let text = format!("{method} is not available: this client only reads listings");
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
            MessageKind::Response { .. } | MessageKind::Error { .. } => {
                self.observe(ObservationKind::UnknownId, message.document().text());
                None
            }
        }
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
        match self
            .observations
            .iter_mut()
            .find(|observation| observation.kind == kind)
        {
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
        insta::assert_snapshot!(answer(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#), @r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"roots/list is not available: this client only reads listings"}}"#);
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
}
