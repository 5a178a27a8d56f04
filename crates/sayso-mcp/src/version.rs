//! The protocol's versions and their eras.

use sayso_core::json::Value;

/// The versions with a handshake, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The versions without one, newest first.
pub(crate) const MODERN: [&str; 1] = ["2026-07-28"];

/// The newest version with a handshake.
pub(crate) const LATEST_LEGACY: &str = "2025-11-25";

/// The newest version of all.
pub(crate) const LATEST_MODERN: &str = "2026-07-28";

/// What an error says is supported: `data.supported` (MCP 2026-07-28, `UnsupportedProtocolVersion`;
/// the handshake versions show the same in an example), or a single version there.
pub(crate) fn supported(data: Option<Value<'_>>) -> Vec<String> {
    let Some(supported) = data.and_then(|data| data.get("supported")) else {
        return Vec::new();
    };
    let single = supported.as_str().into_iter();
    single
        .chain(supported.elements().filter_map(Value::as_str))
        .map(std::borrow::Cow::into_owned)
        .collect()
}

/// Whether a version of either era is among `supported`.
pub(crate) fn any_known(supported: &[String]) -> bool {
    best_common(&LEGACY, supported)
        .or(best_common(&MODERN, supported))
        .is_some()
}

/// The newest of `known` that is among `supported`.
pub(crate) fn best_common(known: &[&'static str], supported: &[String]) -> Option<&'static str> {
    known
        .iter()
        .copied()
        .find(|version| supported.iter().any(|other| other == version))
}
