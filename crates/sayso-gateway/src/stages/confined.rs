//! What a call tried in confinement and was refused, told to whoever made it.

use sayso_core::json::{Document, Limits, Splice};

use super::approve::Permitted;
use crate::call::Context;
use crate::catalogue::json_string;
use crate::confine::{Attempt, Label};
use crate::host::CallReply;

/// The key in a result's `_meta` under which the gate says what the tool tried and was refused.
pub const REFUSED_KEY: &str = "dev.sayso/refused-in-confinement";

/// The call, as far as what is found of it needs that.
pub(super) fn label(context: &Context<'_>, permitted: &Permitted) -> Label {
    Label {
        call: context.id.clone(),
        tool: permitted.tool().key.tool.clone(),
        read_only: permitted.effective().read_only(),
        open_world: permitted.effective().open_world(),
    }
}

/// Tells the gate what a call tried, if it tried anything.
pub(super) async fn tell(context: &Context<'_>, permitted: &Permitted, tried: &[Attempt]) {
    if !tried.is_empty() {
        let server = &permitted.tool().key.server;
        let label = label(context, permitted);
        // Boxed: most calls try nothing.
        Box::pin(context.gate.tried(server, &label, tried)).await;
    }
}

/// The reply with what was refused in it: a tool that was kept from acting seldom says so.
pub(crate) fn noted(reply: CallReply, tried: &[Attempt]) -> CallReply {
    let CallReply::Result {
        server,
        tool,
        result,
    } = reply
    else {
        return reply;
    };
    let noted = (!tried.is_empty()).then(|| with_note(&result, tried));
    CallReply::Result {
        server,
        tool,
        result: noted.flatten().unwrap_or(result),
    }
}

fn with_note(result: &Document, tried: &[Attempt]) -> Option<Document> {
    let root = result.root();
    let told: Vec<String> = tried.iter().map(ToString::to_string).collect();
    let told = serde_json::Value::from(told).to_string();
    let mut splice = Splice::new(root);
    match root.get("_meta").filter(|meta| meta.is_object()) {
        Some(meta) => splice.set(meta, REFUSED_KEY, told),
        None => {
            let meta = format!("{{{}:{told}}}", json_string(REFUSED_KEY));
            splice.set(root, "_meta", meta)
        }
    };
    // What came goes on as it is where nothing can be added.
    Document::parse(splice.finish(), &Limits::default()).ok()
}
