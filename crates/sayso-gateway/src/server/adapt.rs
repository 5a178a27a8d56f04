//! A request's parameters in the words of the server's era.

use sayso_core::json::{Document, Limits, Splice, Value};
use sayso_core::listing::Era;
use sayso_mcp::ClientInfo;

use crate::host::Exchange;

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The keys of `_meta` that belong to one hop (MCP 2026-07-28, "Base protocol").
const OF_ONE_HOP: [&str; 4] = [
    PROTOCOL_VERSION,
    CLIENT_INFO,
    CLIENT_CAPABILITIES,
    LOG_LEVEL,
];

/// What a modern server is told with every request: key and raw value.
pub(super) type Told = Vec<(&'static str, String)>;

/// What a modern server is told of the gate itself.
pub(super) fn own(version: &str, client: &ClientInfo) -> Told {
    vec![
        (PROTOCOL_VERSION, quoted(version)),
        (CLIENT_INFO, client_info(client)),
        (CLIENT_CAPABILITIES, "{}".to_owned()),
    ]
}

/// What a modern server is told of the host.
pub(super) fn of_host(version: &str, exchange: &Exchange, gate: &ClientInfo) -> Told {
    let client = exchange.introduction().client.as_ref();
    let mut told = vec![
        (PROTOCOL_VERSION, quoted(version)),
        (CLIENT_INFO, client_info(client.unwrap_or(gate))),
        (CLIENT_CAPABILITIES, exchange.capabilities().to_owned()),
    ];
    if let Some(level) = exchange.log_level() {
        told.push((LOG_LEVEL, quoted(&level)));
    }
    told
}

/// [`Told`] as a JSON object.
pub(super) fn object(told: &Told) -> String {
    let members: Vec<String> = told
        .iter()
        .map(|(key, raw)| format!("{}:{raw}", quoted(key)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Parameters that are ready to be sent, but for the progress token.
#[derive(Debug)]
pub(super) struct Fitted {
    params: Option<Document>,
    era: Era,
    told: Told,
    keeps_own: bool,
}

impl Fitted {
    /// Reads the parameters of a request. `told` is what a modern server is told. With `keeps_own`
    /// what they say of the host already stays as it is: a modern host said it of itself.
    ///
    /// # Errors
    /// When they are no JSON.
    pub(super) fn read(
        params: Option<&str>,
        era: Era,
        told: Told,
        keeps_own: bool,
    ) -> Result<Self, String> {
        let limits = Limits::default();
        let params = params
            .map(|raw| Document::parse(raw.to_owned(), &limits))
            .transpose()
            .map_err(|error| format!("the parameters are not JSON: {error}"))?;
        Ok(Self {
            params,
            era,
            told,
            keeps_own,
        })
    }

    fn root(&self) -> Option<Value<'_>> {
        self.params.as_ref().map(Document::root)
    }

    /// The progress token of the host, as it came.
    pub(super) fn token(&self) -> Option<&str> {
        let token = self.root()?.at(&["_meta", "progressToken"])?;
        Some(token.raw())
    }

    /// The arguments of a `tools/call`.
    pub(super) fn arguments(&self) -> Option<Value<'_>> {
        self.root()?.get("arguments")
    }

    /// The text to send, with `token` in the place of the host's own.
    pub(super) fn finish(&self, token: u64) -> Option<String> {
        let told = match self.era {
            Era::Legacy => None,
            Era::Modern => Some(&self.told),
        };
        let Some(root) = self.root() else {
            return told.map(|told| format!(r#"{{"_meta":{}}}"#, object(told)));
        };
        let mut splice = Splice::new(root);
        match (root.get("_meta"), told) {
            (Some(meta), told) if meta.is_object() => {
                if let Some(token_of_host) = meta.get("progressToken") {
                    splice.replace(token_of_host, token.to_string());
                }
                match told {
                    Some(told) => {
                        let stays = |key| {
                            self.keeps_own && key != PROTOCOL_VERSION && meta.get(key).is_some()
                        };
                        for (key, raw) in told.iter().filter(|(key, _)| !stays(key)) {
                            splice.set(meta, key, raw.clone());
                        }
                    }
                    None => strip(&mut splice, meta),
                }
            }
            (_, Some(told)) => {
                splice.set(root, "_meta", object(told));
            }
            (_, None) => {}
        }
        Some(splice.finish())
    }
}

/// Takes out what a legacy server does not know.
fn strip<'a>(splice: &mut Splice<'a>, meta: Value<'a>) {
    let is_of_one_hop = |key: &str| OF_ONE_HOP.contains(&key) || key == SUBSCRIPTION_ID;
    let all = meta.members().count();
    let own: Vec<Value<'a>> = meta
        .members()
        .filter(|member| is_of_one_hop(&member.key))
        .map(|member| member.value)
        .collect();
    if own.is_empty() {
        return;
    }
    if own.len() == all {
        splice.remove(meta);
        return;
    }
    for value in own {
        splice.remove(value);
    }
}

/// The parameters of a progress notification, with the token the host gave.
pub(super) fn with_token(params: Value<'_>, token: &str) -> String {
    let mut splice = Splice::new(params);
    splice.set(params, "progressToken", token);
    splice.finish()
}

/// Parameters without the id of our own subscription.
pub(super) fn without_subscription(params: Value<'_>) -> String {
    let mut splice = Splice::new(params);
    if let Some(meta) = params.get("_meta") {
        let id: Vec<Value<'_>> = meta.get_all(SUBSCRIPTION_ID).collect();
        if !id.is_empty() && id.len() == meta.members().count() {
            splice.remove(meta);
        } else {
            for value in id {
                splice.remove(value);
            }
        }
    }
    splice.finish()
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn client_info(client: &ClientInfo) -> String {
    serde_json::json!({ "name": client.name, "version": client.version }).to_string()
}

#[cfg(test)]
mod tests {
    use sayso_core::json::{Document, Limits};
    use sayso_core::listing::Era;
    use sayso_mcp::ClientInfo;

    use super::{Fitted, own, with_token, without_subscription};

    fn fitted(params: Option<&str>, era: Era) -> String {
        let told = own("2026-07-28", &ClientInfo::default());
        let fitted = Fitted::read(params, era, told, false).unwrap();
        let told = fitted.token().map(str::to_owned);
        let text = fitted.finish(7).unwrap_or_default();
        let version = ClientInfo::default().version;
        format!("{text} {told:?}").replace(&version, "VERSION")
    }

    #[test]
    fn a_modern_server_is_told_and_everything_else_stays() {
        insta::assert_snapshot!(fitted(None, Era::Modern), @r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"sayso","version":"VERSION"},"io.modelcontextprotocol/clientCapabilities":{}}} None"#);
        insta::assert_snapshot!(fitted(Some(r#"{ "name": "x", "arguments": {"n": 1.0} }"#), Era::Modern), @r#"{ "name": "x", "arguments": {"n": 1.0},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"sayso","version":"VERSION"},"io.modelcontextprotocol/clientCapabilities":{}} } None"#);
        insta::assert_snapshot!(fitted(Some(r#"{"_meta": {"own": 1, "progressToken": "t", "io.modelcontextprotocol/protocolVersion": "1"}}"#), Era::Modern), @r#"{"_meta": {"own": 1, "progressToken": 7, "io.modelcontextprotocol/protocolVersion": "2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"sayso","version":"VERSION"},"io.modelcontextprotocol/clientCapabilities":{}}} Some("\"t\"")"#);
    }

    #[test]
    fn what_a_modern_host_says_of_itself_stays_as_it_said_it() {
        let params = r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"h","title":"H"},"io.modelcontextprotocol/protocolVersion":"x"}}"#;
        let told = vec![
            (super::PROTOCOL_VERSION, "\"2026-07-28\"".to_owned()),
            (super::CLIENT_INFO, r#"{"name":"h"}"#.to_owned()),
        ];
        let of = |keeps| {
            let fitted = Fitted::read(Some(params), Era::Modern, told.clone(), keeps);
            fitted.unwrap().finish(1).unwrap()
        };
        insta::assert_snapshot!(of(true), @r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"h","title":"H"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
        insta::assert_snapshot!(of(false), @r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"h"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#);
    }

    #[test]
    fn a_legacy_server_does_not_see_the_keys_of_the_modern_era() {
        insta::assert_snapshot!(fitted(None, Era::Legacy), @" None");
        insta::assert_snapshot!(fitted(Some(r#"{"_meta": {"own": 1, "progressToken": 4, "io.modelcontextprotocol/clientInfo": {}}, "uri": "a:b"}"#), Era::Legacy), @r#"{"_meta": {"own": 1, "progressToken": 7}, "uri": "a:b"} Some("4")"#);
        insta::assert_snapshot!(fitted(Some(r#"{"uri": "a:b", "_meta": {"io.modelcontextprotocol/clientInfo": {}}}"#), Era::Legacy), @r#"{"uri": "a:b"} None"#);
        insta::assert_snapshot!(fitted(Some("[1]"), Era::Legacy), @"[1] None");
    }

    #[test]
    fn what_is_of_one_hop_does_not_pass_back() {
        let document = |text: &str| Document::parse(text.to_owned(), &Limits::default()).unwrap();
        let progress = document(r#"{"progressToken":7,"progress":0.50}"#);
        insta::assert_snapshot!(with_token(progress.root(), "\"t\""), @r#"{"progressToken":"t","progress":0.50}"#);
        let updated =
            document(r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"uri":"a:b"}"#);
        insta::assert_snapshot!(without_subscription(updated.root()), @r#"{"uri":"a:b"}"#);
    }
}
