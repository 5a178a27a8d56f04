//! Who sends a request: in the legacy era whoever shook hands, in the modern one whoever it says.

use sayso_core::json::{Document, Value};

use super::super::peer::{Era, Introduction, Peer, client_info};
use super::super::{CAPABILITIES_KEY, CLIENT_KEY, Handler, Refusal, VERSION_KEY};
use super::Connection;
use crate::jsonrpc::{Message, MessageKind};
use crate::version;

impl<H: Handler> Connection<H> {
    /// Who sends a request of the legacy era, if it may.
    pub(super) fn legacy(&self, message: &Message) -> Result<Peer, Refusal> {
        let MessageKind::Request { method, .. } = message.kind() else {
            return Ok(self.peer());
        };
        match method.as_str() {
            "initialize" => Ok(self.initializing(message)),
            "ping" => Ok(self.legacy_peer().unwrap_or_else(|| self.peer())),
            "server/discover" => {
                let reason = format!("`_meta` lacks `{VERSION_KEY}`");
                Err(Refusal::invalid_params(reason))
            }
            _ => self
                .legacy_peer()
                .ok_or_else(|| Refusal::invalid_request("send `initialize` first")),
        }
    }

    fn initializing(&self, message: &Message) -> Peer {
        let param = |key| message.params().and_then(|params| params.get(key));
        let asked = param("protocolVersion").and_then(Value::as_str);
        let peer = self.peer().introduced(Introduction {
            era: Era::Legacy,
            protocol_version: asked.unwrap_or_default().into_owned(),
            client: client_info(param("clientInfo")),
            capabilities: param("capabilities").map(Document::part),
        });
        self.introduce(&peer);
        peer
    }

    /// Who sends a request of the modern era, if it says all it has to.
    pub(super) fn modern(&self, message: &Message, version: Value<'_>) -> Result<Peer, Refusal> {
        let asked = version.as_str();
        let mut known = version::MODERN.into_iter();
        let Some(version) = known.find(|known| asked.as_deref() == Some(known)) else {
            return Err(Refusal::unsupported_version(version.to_serde()));
        };
        let meta = message.params().and_then(|params| params.get("_meta"));
        let meta = |key| meta.and_then(|meta| meta.get(key));
        let Some(capabilities) = meta(CAPABILITIES_KEY).filter(|value| value.is_object()) else {
            let reason = format!("`_meta` lacks `{CAPABILITIES_KEY}`");
            return Err(Refusal::invalid_params(reason));
        };
        let peer = self.peer().introduced(Introduction {
            era: Era::Modern,
            protocol_version: version.to_owned(),
            client: client_info(meta(CLIENT_KEY)),
            capabilities: Some(Document::part(capabilities)),
        });
        self.introduce(&peer);
        Ok(peer)
    }

    /// The handshake is done, with the version that stands in the result.
    pub(super) fn agree(&self, peer: &Peer, result: &str) {
        #[derive(serde::Deserialize)]
        struct Agreed {
            #[serde(rename = "protocolVersion")]
            version: String,
        }
        let agreed: Result<Agreed, _> = serde_json::from_str(result);
        if let Ok(Agreed { version }) = agreed {
            let peer = peer.with_version(&version);
            let mut state = self.state();
            state.peer = peer.clone();
            state.legacy = Some(peer);
        }
    }
}
