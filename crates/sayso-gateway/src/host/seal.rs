//! `requestState`: what a host hands back is what it was given, and fits the request it comes with.
//!
//! MCP 2026-07-28 ("Multi Round-Trip Requests") has servers treat it as the words of an attacker.
//! Here it is sealed with XChaCha20-Poly1305. Whom and what it was made for is authenticated along
//! with it and stands nowhere in it: a state for another caller, method, tool or other arguments
//! does not open.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sayso_core::digest::Digest;
use sayso_core::json::{Document, Limits, Value};
use serde::{Deserialize, Serialize};

/// Bytes of the nonce. They are random: 192 bits do not meet twice.
const NONCE_BYTES: usize = 24;

/// Longer states were not made here.
const MAX_CHARACTERS: usize = 8 << 20;

/// What keeps a state of this kind apart from anything else sealed with the same key.
const PURPOSE: &[u8] = b"sayso request-state 1";

/// The seal of one gate; another gate with the same secret opens what this one sealed.
#[derive(Clone)]
pub struct Seal(XChaCha20Poly1305);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

/// Whom and what a state is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The caller's name.
    pub caller: String,
    /// The method.
    pub method: String,
    /// The tool, prompt or resource.
    pub name: String,
    /// What the request says besides its `_meta` and the answers that come with it.
    pub arguments: Digest,
}

/// What a state says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sealed {
    /// A server's own state.
    Server {
        /// Its state, as it gave it.
        state: String,
        /// Where the judge's note is kept.
        note: Option<u128>,
    },
    /// The server gave none, and the judge has a note.
    Note {
        /// Where the judge's note is kept.
        note: u128,
    },
    /// A call that waits here.
    Parked {
        /// Where.
        slot: u128,
    },
}

#[derive(Serialize, Deserialize)]
struct Content {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    expires: i64,
    sealed: Sealed,
}

/// Why a state is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// It was not made here, was changed, or was made for another request.
    #[error("`requestState` does not belong to this request")]
    Foreign,
    /// It is too old.
    #[error("`requestState` has expired")]
    Expired,
}

/// There is no randomness to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandomness;

impl Bound {
    /// What a request is bound to: everything but its `_meta`, the state and the answers.
    #[must_use]
    pub fn of(caller: &str, method: &str, params: Option<Value<'_>>) -> Self {
        let text = |key| {
            params
                .and_then(|params: Value<'_>| params.get(key))
                .and_then(Value::as_str)
                .map(std::borrow::Cow::into_owned)
        };
        Self {
            caller: caller.to_owned(),
            method: method.to_owned(),
            name: text("name").or_else(|| text("uri")).unwrap_or_default(),
            arguments: params.map_or_else(|| Digest::of_text(""), digest_of_request),
        }
    }

    /// Every part with its length in front, so that no two bounds read the same.
    fn associated_data(&self) -> Vec<u8> {
        let arguments = self.arguments.to_string();
        let parts = [&self.caller, &self.method, &self.name, &arguments];
        let mut data = PURPOSE.to_vec();
        for part in parts {
            data.extend_from_slice(&(part.len() as u64).to_be_bytes());
            data.extend_from_slice(part.as_bytes());
        }
        data
    }
}

fn digest_of_request(params: Value<'_>) -> Digest {
    let own = |key: &str| !matches!(key, "_meta" | "inputResponses" | "requestState");
    let members = params.members().filter(|member| own(&member.key));
    let members: Vec<String> = members
        .map(|member| {
            format!(
                "{}:{}",
                serde_json::Value::from(&*member.key),
                member.value.raw()
            )
        })
        .collect();
    let text = format!("{{{}}}", members.join(","));
    let limits = Limits {
        max_bytes: usize::MAX,
        max_values: usize::MAX,
        ..Limits::default()
    };
    match Document::parse(text, &limits) {
        Ok(document) => Digest::of(document.root()),
        // The members were read once already: this is deeper than is allowed here.
        Err(_) => Digest::of_text(params.raw()),
    }
}

impl Seal {
    /// A seal with this key.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(secret.into()))
    }

    /// Seals. `expires` is in milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn seal(
        &self,
        sealed: &Sealed,
        bound: &Bound,
        expires: i64,
    ) -> Result<String, NoRandomness> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| NoRandomness)?;
        let content = Content {
            expires,
            sealed: sealed.clone(),
        };
        // Neither can fail for what this is made of.
        let content = serde_json::to_vec(&content).map_err(|_| NoRandomness)?;
        let payload = Payload {
            msg: &content,
            aad: &bound.associated_data(),
        };
        let ciphertext = self
            .0
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| NoRandomness)?;
        let mut bytes = nonce.to_vec();
        bytes.extend_from_slice(&ciphertext);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Opens what was sealed for this request. `now` is as `expires`.
    ///
    /// # Errors
    /// When it was not, or is too old.
    pub fn open(&self, state: &str, bound: &Bound, now: i64) -> Result<Sealed, OpenError> {
        if state.len() > MAX_CHARACTERS {
            return Err(OpenError::Foreign);
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(state)
            .map_err(|_| OpenError::Foreign)?;
        let (nonce, ciphertext) = bytes
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or(OpenError::Foreign)?;
        let payload = Payload {
            msg: ciphertext,
            aad: &bound.associated_data(),
        };
        let content = self
            .0
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| OpenError::Foreign)?;
        let content: Content = serde_json::from_slice(&content).map_err(|_| OpenError::Foreign)?;
        if content.expires <= now {
            return Err(OpenError::Expired);
        }
        Ok(content.sealed)
    }
}

/// A number nobody guesses.
///
/// # Errors
/// When there is no randomness.
pub(super) fn ticket() -> Result<u128, NoRandomness> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(u128::from_be_bytes(bytes))
}
