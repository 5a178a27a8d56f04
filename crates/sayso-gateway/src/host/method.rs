//! Methods that look like others.
//!
//! Methods are told apart letter by letter (JSON-RPC 2.0, section 4). A server that does not would
//! take `Tools/Call`, or a call without an id, for a call that nobody has judged: what differs from
//! a known method only as some readers would not notice is passed on to nobody.

/// Requests that the gate answers or judges itself, in either era.
const JUDGED: [&str; 23] = [
    "completion/complete",
    "elicitation/create",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "roots/list",
    "sampling/createMessage",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// As [`JUDGED`], of drafts.
const DRAFTS: [&str; 1] = ["tools/resolve"];

/// Whether a method that goes to servers unjudged could be taken for one that is judged: letters and
/// digits are those of one, whatever their case and whatever stands between them. Methods of other
/// than visible ASCII are none that any specification has, and count too.
pub(super) fn could_be_taken_for_another(method: &str) -> bool {
    let letters = |of: &str| -> String {
        let of = of.chars().filter(char::is_ascii_alphanumeric);
        of.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let is_odd = method.is_empty() || !method.chars().all(|letter| letter.is_ascii_graphic());
    let bare = letters(method);
    is_odd
        || JUDGED
            .iter()
            .chain(&DRAFTS)
            .any(|judged| letters(judged) == bare)
}

#[cfg(test)]
mod tests {
    use super::could_be_taken_for_another;

    #[test]
    fn what_a_lenient_server_reads_alike_is_found() {
        for method in [
            "tools/call",
            "Tools/Call",
            "TOOLS/CALL",
            "tools_call",
            "tools.call",
            "tools//call",
            "tools/call ",
            "tools/call\u{0}",
            "tools\u{2215}call",
            "toolscall",
            "",
        ] {
            assert!(could_be_taken_for_another(method), "{method:?}");
        }
        for method in [
            "notifications/progress",
            "search/run",
            "tools/callback",
            "x.example/call",
        ] {
            assert!(!could_be_taken_for_another(method), "{method:?}");
        }
    }
}
