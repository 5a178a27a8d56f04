//! The other side: a server of tools, in both eras, over pipes and HTTP.
//!
//! What is served is a [`Service`]'s; this module says it in the words of the protocol, and
//! [`downstream`](crate::downstream) carries it. Each connection takes messages in the order they
//! come and runs requests side by side, so that a call that never ends holds up nothing but itself.

mod answering;
mod call;
mod calling;
mod changes;
mod event;
mod reply;
mod serve;
mod telling;

use std::future::Future;

pub use self::serve::{HttpEndpoint, HttpOptions, serve, serve_stdio};
pub use crate::downstream::{Ending, Era, HttpBody, Peer, StreamKind, Transport};
pub use call::{Answer, Call, CallResult, PersonAnswer};
pub use changes::Changes;
pub use event::{Event, How};

/// How many requests of one connection may run at once.
const MAX_RUNNING: usize = 256;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const INITIALIZED: &str = "notifications/initialized";
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

/// The name of the one thing a person is asked in an `InputRequiredResult`.
const PERSON_KEY: &str = "person";

/// What a server says about itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `serverInfo.name`.
    pub name: String,
    /// `serverInfo.version`.
    pub version: String,
    /// What it tells the model about itself.
    pub instructions: Option<String>,
}

/// What a server has to do. All its connections share it.
pub trait Service: Send + Sync + 'static {
    /// What it says about itself.
    fn identity(&self) -> Identity;

    /// The tools, each as a JSON object. They are sent byte for byte (a line end between tokens
    /// becomes a space), so a hint may be malformed and a key may stand twice; what is no JSON
    /// at all spoils the whole listing. Asked for a listing, and before each call.
    fn list(&self, peer: &Peer) -> impl Future<Output = Vec<String>> + Send;

    /// Calls a tool; asked for listed ones only. It may take as long as it likes, or for ever:
    /// the connection goes on meanwhile. It is dropped when the client cancels the call or the
    /// connection ends.
    fn call(&self, peer: &Peer, call: Call) -> impl Future<Output = Answer> + Send;

    /// Sees what happens on a connection, in order. It should return soon: the connection waits.
    fn witness(&self, peer: &Peer, event: Event<'_>) {
        let _ = (peer, event);
    }
}

#[cfg(test)]
mod tests;
