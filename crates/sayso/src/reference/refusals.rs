//! `refusals.md`.

use std::fmt::Write as _;

use sayso_gateway::refusal::{ERROR_CODE, META_KEY, ReasonCode};

use super::made_from;

pub(super) fn page() -> String {
    let mut page = format!(
        "# Refusals\n\n{}\nA call that `sayso gate` does not make is answered with the result of a tool that failed \
         (`isError`), so that a model can act on it: the reason and what to do in its text, and the same in \
         `structuredContent` and under `{META_KEY}` in `_meta`. The set of reasons is closed. `unknown-tool` \
         and `header-mismatch` are the protocol errors the specification has for them (-32602, -32020); the first is \
         the same for a tool that is hidden. What is refused and is no call gets an error with the code {ERROR_CODE}, and the \
         reason in its `data`. Every refusal is in the journal.\n\n| reason | meaning | what to do |\n|---|---|---|\n",
        made_from("crates/sayso-gateway/src/refusal.rs")
    );
    for code in ReasonCode::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| `{code}` | {} | {} |", code.about(), code.remedy());
    }
    page
}
